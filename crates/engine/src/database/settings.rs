//! Small facts with a name.

use super::{Database, NewEvent, RowError, WriteError, append};
use crate::Error;
use rusqlite::{Connection, OptionalExtension, Transaction, params};

impl Database {
    /// Reads a setting.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn find_setting(&self, name: &str) -> Result<Option<String>, Error> {
        self.read("read a setting", |connection| find_setting(connection, name))
    }

    /// Writes settings, all or none.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn save_settings(&self, settings: &[(&str, &str)]) -> Result<(), Error> {
        self.write("save settings", |transaction| {
            settings.iter().try_for_each(|(name, value)| save_setting(transaction, name, value))
        })
    }

    /// Writes settings and tells the journal: all or nothing.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub(crate) fn save_rules(&self, settings: &[(&str, &str)], event: NewEvent) -> Result<(), Error> {
        self.write("save the rules", |transaction| {
            settings.iter().try_for_each(|(name, value)| save_setting(transaction, name, value))?;
            append(transaction, event)
        })
    }

    /// Writes settings, forgets others, and tells the journal the first one: all or nothing.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub(crate) fn save_noted(
        &self,
        name: &str,
        also: Option<(&str, &str)>,
        forgotten: &[&str],
        event: NewEvent,
    ) -> Result<(), Error> {
        self.write("save settings", |transaction| {
            save_setting(transaction, name, &event.payload)?;
            if let Some((name, value)) = also {
                save_setting(transaction, name, value)?;
            }
            for name in forgotten {
                transaction.prepare_cached("delete from settings where name = ?1")?.execute([name])?;
            }
            append(transaction, event)
        })
    }
}

pub(crate) fn find_setting(connection: &Connection, name: &str) -> Result<Option<String>, RowError> {
    let value = connection
        .prepare_cached("select value from settings where name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    Ok(value)
}

pub(crate) fn save_setting(transaction: &Transaction<'_>, name: &str, value: &str) -> Result<(), WriteError> {
    transaction
        .prepare_cached("insert into settings (name, value) values (?1, ?2) on conflict (name) do update set value = excluded.value")?
        .execute(params![name, value])?;
    Ok(())
}
