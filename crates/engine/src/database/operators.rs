//! Operators: who may decide, and how often a wrong PIN was tried.

use super::{Database, RowError};
use crate::Error;
use rusqlite::{Row, params};
use yidan_payment::UtcMs;

/// An operator as stored. Not for logs: it carries the PIN's hash.
pub(crate) struct OperatorRow {
    pub(crate) operator_id: String,
    pub(crate) name: String,
    pub(crate) pin_hash: String,
    pub(crate) wrong_pins: i64,
    pub(crate) locked_until: Option<UtcMs>,
}

impl Database {
    pub(crate) fn replace_appointed(
        &self,
        operator_id: &str,
        name: &str,
        pin_hash: &str,
        now: UtcMs,
    ) -> Result<(), Error> {
        self.write("write down the manager", |transaction| {
            transaction.execute("delete from operators where role = 'MANAGER'", [])?;
            transaction.execute(
                "insert into operators (operator_id, name, role, pin_hash, created_at_ms)
                 values (?1, ?2, 'MANAGER', ?3, ?4)",
                params![operator_id, name, pin_hash, now.0],
            )?;
            Ok(())
        })
    }

    pub(crate) fn list_managers(&self) -> Result<Vec<OperatorRow>, Error> {
        self.read("find the manager", |connection| {
            let mut statement = connection.prepare_cached(
                "select operator_id, name, pin_hash, wrong_pins, locked_until_ms from operators
                 where role = 'MANAGER' order by created_at_ms",
            )?;
            statement.query_and_then([], read_operator)?.collect()
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

fn read_operator(row: &Row<'_>) -> Result<OperatorRow, RowError> {
    let locked_until: Option<i64> = row.get(4)?;
    Ok(OperatorRow {
        operator_id: row.get(0)?,
        name: row.get(1)?,
        pin_hash: row.get(2)?,
        wrong_pins: row.get(3)?,
        locked_until: locked_until.map(UtcMs),
    })
}
