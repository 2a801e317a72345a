//! The terminal's database: one file, one writer, nothing told before it is durable.
//!
//! Must always hold: WAL with `synchronous=FULL`; at every open everything committed is checkpointed before anything read
//! leaves the process, since a COMMIT that returned an error may still be readable after a kill; a second process on the
//! folder is refused. Deliberately absent: any decision about money.

mod cases;
mod journal;
mod open;
mod orders;
mod payments;
mod settings;

pub use cases::CaseRow;
pub use journal::Head;
pub use orders::OrderRow;

pub(crate) use cases::open_case;
pub(crate) use journal::{NewEvent, append};
pub(crate) use orders::{insert_order, load_order, move_to_day, next_day_seq, save_order_status};
pub(crate) use payments::{find_payment, insert_payment, is_sale_paid, keep_statement, save_payment};

use crate::Error;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::cell::RefCell;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The open database. Holds the folder's lock as long as it lives.
pub struct Database {
    path: PathBuf,
    connection: RefCell<Connection>,
    _lock: File,
}

impl Database {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn read<T>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Connection) -> Result<T, RowError>,
    ) -> Result<T, Error> {
        work(&self.connection.borrow()).map_err(|error| self.storage(doing, error))
    }

    /// Does `work` in one transaction: all of it is durable when this returns, or none of it is.
    ///
    /// # Errors
    /// What `work` says; then nothing was changed. If the COMMIT itself fails nobody knows whether it happened: the file
    /// is closed, opened again and brought to rest, and the caller reads what is true.
    pub fn write<T>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, WriteError>,
    ) -> Result<T, Error> {
        let done = {
            let mut connection = self.connection.borrow_mut();
            let transaction = connection
                .transaction_with_behavior(TransactionBehavior::Immediate)
                .map_err(|error| self.storage(doing, error.into()))?;
            let value = match work(&transaction) {
                Ok(value) => value,
                Err(WriteError::Refused(error)) => return Err(error),
                Err(WriteError::Row(error)) => return Err(self.storage(doing, error)),
            };
            transaction.commit().map(|()| value)
        };
        done.map_err(|error| {
            let reopened = self.reopen();
            tracing::error!(doing, reopened = reopened.is_ok(), "a commit failed; the database was opened again");
            self.storage(doing, error.into())
        })
    }

    fn reopen(&self) -> Result<(), crate::OpenError> {
        let fresh = open::connect(&self.path)?;
        *self.connection.borrow_mut() = fresh;
        Ok(())
    }

    fn storage(&self, doing: &'static str, source: RowError) -> Error {
        Error::Storage { doing, path: self.path.clone(), source: Box::new(source) }
    }
}

/// A row that could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RowError {
    /// SQLite says no.
    #[error("SQLite refused it")]
    Sqlite(#[from] rusqlite::Error),
    /// The row says something this program does not know: never replaced by a default.
    #[error("a row says {0}")]
    Unreadable(String),
    /// Somebody was faster: read again and decide.
    #[error("the row was changed in between")]
    Raced,
}

/// Why a transaction was given up.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The database.
    #[error(transparent)]
    Row(#[from] RowError),
    /// A rule.
    #[error(transparent)]
    Refused(#[from] Error),
}

impl From<rusqlite::Error> for WriteError {
    fn from(error: rusqlite::Error) -> WriteError {
        WriteError::Row(error.into())
    }
}

/// Takes a text of a row as a value of ours.
fn parse<T: std::str::FromStr>(text: &str) -> Result<T, RowError> {
    text.parse().map_err(|_| RowError::Unreadable(format!("{text:?}")))
}
