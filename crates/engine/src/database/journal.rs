//! The journal: appended in the transaction of the change it tells, read as timeline and as outbox.

use super::{Database, RowError, WriteError, parse};
use crate::Error;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use yidan_payment::{Event, EventId, Hash, PaymentId, UtcMs};

/// The last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its number; 0 before the first.
    pub seq: i64,
    /// Its hash.
    pub hash: Hash,
}

/// A line to be written.
pub struct NewEvent {
    /// Its name.
    pub event_id: EventId,
    /// What happened.
    pub kind: &'static str,
    /// About which payment.
    pub pay_id: Option<PaymentId>,
    /// When.
    pub at: UtcMs,
    /// The full state afterwards: JSON.
    pub payload: String,
}

/// Appends a line after the head.
pub(crate) fn append(transaction: &Transaction<'_>, new: NewEvent) -> Result<(), WriteError> {
    let head = load_head(transaction)?;
    let event = Event::next(head.seq + 1, new.event_id, new.kind.into(), new.at, new.payload, head.hash);
    transaction
        .prepare_cached(
            "insert into journal (seq, event_id, kind, pay_id, at_ms, payload, prev_hash, hash)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            event.seq,
            event.event_id.to_string(),
            event.kind,
            new.pay_id.map(|id| id.to_string()),
            event.at.0,
            event.payload,
            event.prev_hash.to_string(),
            event.hash.to_string(),
        ])?;
    Ok(())
}

pub(crate) fn load_head(connection: &Connection) -> Result<Head, RowError> {
    let row: Option<(i64, String)> = connection
        .prepare_cached("select seq, hash from journal order by seq desc limit 1")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match row {
        Some((seq, hash)) => Ok(Head { seq, hash: parse(&hash)? }),
        None => Ok(Head { seq: 0, hash: Hash::ZERO }),
    }
}

/// Lines after `seq`, in order, at most `limit`.
pub(crate) fn list_events(connection: &Connection, seq: i64, limit: usize) -> Result<Vec<Event>, RowError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(
        "select seq, event_id, kind, at_ms, payload, prev_hash, hash from journal
         where seq > ?1 order by seq limit ?2",
    )?;
    statement.query_and_then(params![seq, limit], read_event)?.collect()
}

impl Database {
    /// Appends a line that is about no payment.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn note(&self, event_id: EventId, kind: &'static str, at: UtcMs, payload: String) -> Result<(), Error> {
        self.write("write the journal", |transaction| {
            append(transaction, NewEvent { event_id, kind, pay_id: None, at, payload })
        })
    }

    /// The last line.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn load_head(&self) -> Result<Head, Error> {
        self.read("read the head of the journal", load_head)
    }

    /// Lines after `seq`, in order, at most `limit`.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_events_after(&self, seq: i64, limit: usize) -> Result<Vec<Event>, Error> {
        self.read("read the journal", |connection| list_events(connection, seq, limit))
    }

    /// The line with this number.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn find_event(&self, seq: i64) -> Result<Option<Event>, Error> {
        Ok(self.list_events_after(seq - 1, 1)?.into_iter().find(|event| event.seq == seq))
    }

    /// Every line about a payment, in order.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_events_of(&self, pay_id: PaymentId) -> Result<Vec<Event>, Error> {
        self.read("read a timeline", |connection| {
            let mut statement = connection.prepare_cached(
                "select seq, event_id, kind, at_ms, payload, prev_hash, hash from journal
                 where pay_id = ?1 order by seq",
            )?;
            statement.query_and_then([pay_id.to_string()], read_event)?.collect()
        })
    }

    /// What happened to a payment and when, in order, without what it carries.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_event_times_of(&self, pay_id: PaymentId) -> Result<Vec<(String, UtcMs)>, Error> {
        self.read("read a timeline", |connection| {
            let mut statement =
                connection.prepare_cached("select kind, at_ms from journal where pay_id = ?1 order by seq")?;
            statement.query_and_then([pay_id.to_string()], |row| Ok((row.get(0)?, UtcMs(row.get(1)?))))?.collect()
        })
    }
}

fn read_event(row: &Row<'_>) -> Result<Event, RowError> {
    let text = |column: usize| row.get::<_, String>(column);
    Ok(Event {
        seq: row.get(0)?,
        event_id: parse(&text(1)?)?,
        kind: text(2)?,
        at: UtcMs(row.get(3)?),
        payload: text(4)?,
        prev_hash: parse(&text(5)?)?,
        hash: parse(&text(6)?)?,
    })
}
