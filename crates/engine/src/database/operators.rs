//! Operators: who may decide, and how often a wrong PIN was tried.

use super::{Database, NewEvent, RowError, WriteError, append};
use crate::Error;
use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use yidan_payment::UtcMs;

/// An operator as stored. Not for logs: it carries the PIN's hash.
pub(crate) struct OperatorRow {
    pub(crate) operator_id: String,
    pub(crate) name: String,
    pub(crate) role: String,
    pub(crate) pin_hash: String,
    pub(crate) wrong_pins: i64,
    pub(crate) locked_until: Option<UtcMs>,
}

impl Database {
    /// Makes one manager in the place of all others.
    pub(crate) fn replace_appointed(&self, manager: &OperatorRow, now: UtcMs) -> Result<(), Error> {
        self.write("write down the manager", |transaction| {
            transaction.execute(
                "update operators set removed_at_ms = ?1 where role = 'MANAGER' and removed_at_ms is null",
                [now.0],
            )?;
            insert_operator(transaction, manager, now)
        })
    }

    pub(crate) fn save_operator(&self, operator: &OperatorRow, now: UtcMs, event: NewEvent) -> Result<(), Error> {
        self.write("write down an operator", |transaction| {
            insert_operator(transaction, operator, now)?;
            append(transaction, event)
        })
    }

    /// Those who are still here, the longest-serving first.
    pub(crate) fn list_operator_rows(&self) -> Result<Vec<OperatorRow>, Error> {
        self.read("find the operators", |connection| {
            let mut statement = connection.prepare_cached(
                "select operator_id, name, role, pin_hash, wrong_pins, locked_until_ms from operators
                 where removed_at_ms is null order by created_at_ms, rowid",
            )?;
            statement.query_and_then([], read_operator)?.collect()
        })
    }

    /// The name of somebody who works here, or did.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn find_operator_name(&self, operator_id: &str) -> Result<Option<String>, Error> {
        self.read("find an operator's name", |connection| {
            let sql = "select name from operators where operator_id = ?1";
            Ok(connection.prepare_cached(sql)?.query_row([operator_id], |row| row.get(0)).optional()?)
        })
    }

    pub(crate) fn retire_operator(&self, operator_id: &str, now: UtcMs, event: NewEvent) -> Result<(), Error> {
        self.write("let an operator go", |transaction| {
            transaction.execute(
                "update operators set removed_at_ms = ?2 where operator_id = ?1 and removed_at_ms is null",
                params![operator_id, now.0],
            )?;
            append(transaction, event)
        })
    }

    pub(crate) fn save_pin(&self, operator_id: &str, pin_hash: &str, event: NewEvent) -> Result<(), Error> {
        self.write("keep a new PIN", |transaction| {
            transaction.execute(
                "update operators set pin_hash = ?2, wrong_pins = 0, locked_until_ms = null where operator_id = ?1",
                params![operator_id, pin_hash],
            )?;
            append(transaction, event)
        })
    }

    pub(crate) fn save_wrong_pins(
        &self,
        operator_id: &str,
        wrong_pins: i64,
        locked_until: Option<UtcMs>,
    ) -> Result<(), Error> {
        self.write("count wrong PINs", |transaction| {
            transaction.execute(
                "update operators set wrong_pins = ?2, locked_until_ms = ?3 where operator_id = ?1",
                params![operator_id, wrong_pins, locked_until.map(|until| until.0)],
            )?;
            Ok(())
        })
    }
}

fn insert_operator(transaction: &Transaction<'_>, operator: &OperatorRow, now: UtcMs) -> Result<(), WriteError> {
    transaction.execute(
        "insert into operators (operator_id, name, role, pin_hash, created_at_ms) values (?1, ?2, ?3, ?4, ?5)",
        params![operator.operator_id, operator.name, operator.role, operator.pin_hash, now.0],
    )?;
    Ok(())
}

fn read_operator(row: &Row<'_>) -> Result<OperatorRow, RowError> {
    let locked_until: Option<i64> = row.get(5)?;
    Ok(OperatorRow {
        operator_id: row.get(0)?,
        name: row.get(1)?,
        role: row.get(2)?,
        pin_hash: row.get(3)?,
        wrong_pins: row.get(4)?,
        locked_until: locked_until.map(UtcMs),
    })
}
