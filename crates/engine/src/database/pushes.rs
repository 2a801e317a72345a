//! What headquarters told: how far it is handled, what is still to be asked, and what was done once.

use super::{Database, NewEvent, RowError, append, keep_proof, parse};
use crate::Error;
use crate::database::settings::{find_setting, save_setting};
use rusqlite::params;
use yidan_payment::{EventId, PaymentId, Proof, UtcMs};
use yidan_wire::{EventKind, Heard, Instructed, Push, PushId};

const HEARD: &str = "hq.heard";

impl Database {
    /// How far what headquarters told is handled.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub(crate) fn load_heard(&self) -> Result<Heard, Error> {
        self.read("read what was heard", |connection| match find_setting(connection, HEARD)? {
            Some(text) => serde_json::from_str(&text).map_err(|error| RowError::Unreadable(error.to_string())),
            None => Ok(Heard::default()),
        })
    }

    /// Everything up to here is handled.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub(crate) fn save_heard(&self, heard: Heard) -> Result<(), Error> {
        self.write("write down what was heard", |transaction| save_setting(transaction, HEARD, &text_of(heard)?))
    }

    /// Whether an instruction was followed, or refused, before.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub(crate) fn is_instructed(&self, id: PushId) -> Result<bool, Error> {
        self.read("look for an instruction", |connection| {
            let mut statement = connection.prepare_cached("select 1 from instructions where push_id = ?1")?;
            Ok(statement.exists([id.to_string()])?)
        })
    }

    /// Writes down what became of an instruction, tells the journal, and that everything up to it is handled: all or
    /// nothing.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub(crate) fn save_instructed(
        &self,
        push: &Push,
        told: &Instructed,
        event_id: EventId,
        at: UtcMs,
    ) -> Result<(), Error> {
        let unreadable = |error: serde_json::Error| RowError::Unreadable(error.to_string());
        self.write("write down an instruction", |transaction| {
            let what = serde_json::to_string(&push.what).map_err(unreadable)?;
            let payload = serde_json::to_string(told).map_err(unreadable)?;
            transaction
                .prepare_cached(
                    "insert into instructions (push_id, what, outcome, detail, at_ms) values (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![told.id.to_string(), what, told.outcome.as_str(), told.detail, at.0])?;
            append(
                transaction,
                NewEvent { event_id, kind: EventKind::Instructed.as_str(), pay_id: None, at, payload },
            )?;
            save_setting(transaction, HEARD, &text_of(Heard { after: push.seq, id: Some(push.id) })?)
        })
    }

    /// Payments that must be asked about until the gateway answers.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub(crate) fn list_asks(&self) -> Result<Vec<PaymentId>, Error> {
        self.read("list what is to be asked", |connection| {
            let mut statement = connection.prepare_cached("select pay_id from asks order by at_ms")?;
            statement.query_and_then([], |row| parse(&row.get::<_, String>(0)?))?.collect()
        })
    }

    /// Notes that a payment must be asked about, and keeps the notice that says so.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub(crate) fn save_ask(&self, pay_id: PaymentId, why: Option<&Proof>, at: UtcMs) -> Result<(), Error> {
        self.write("note a question", |transaction| {
            if let Some(proof) = why {
                keep_proof(transaction, pay_id, proof, at)?;
            }
            transaction
                .prepare_cached("insert into asks (pay_id, at_ms) values (?1, ?2) on conflict do nothing")?
                .execute(params![pay_id.to_string(), at.0])?;
            Ok(())
        })
    }

    /// The gateway has answered.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub(crate) fn forget_ask(&self, pay_id: PaymentId) -> Result<(), Error> {
        self.write("strike out a question", |transaction| {
            transaction.prepare_cached("delete from asks where pay_id = ?1")?.execute([pay_id.to_string()])?;
            Ok(())
        })
    }
}

fn text_of(heard: Heard) -> Result<String, RowError> {
    serde_json::to_string(&heard).map_err(|error| RowError::Unreadable(error.to_string()))
}
