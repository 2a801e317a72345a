//! The terminal's database: one file, one writer, nothing told before it is durable.
//!
//! Must always hold: WAL with `synchronous=FULL`; at every open everything committed is checkpointed before anything read
//! leaves the process, since a COMMIT that returned an error may still be readable after a kill; a second process on the
//! folder is refused. Deliberately absent: any decision about money.

mod bills;
mod cases;
mod days;
mod findings;
mod hits;
mod journal;
mod open;
mod operators;
mod orders;
mod past;
mod payments;
mod pushes;
mod refunds;
mod settings;

pub use bills::BillDayRow;
pub use cases::{CaseRow, EvidenceRow};
pub use days::{DayBooks, HourBooks, PriorDay};
pub use findings::FindingRow;
pub use hits::Hit;
pub use journal::Head;
pub use orders::{OrderRow, OrderSearch};

pub(crate) use bills::{LineRow, Scope, Sides, find_bill_subject, save_bill_day};
pub(crate) use cases::{DecisionRow, find_case, open_case, resolve_returned, save_decision};
pub(crate) use findings::{keep_asked_again, keep_finding, key_of, resolve_finding};
pub(crate) use hits::FEWEST_DIGITS;
pub(crate) use journal::{NewEvent, append, list_events};
pub(crate) use open::{lock_folder, open_copy};
pub(crate) use operators::OperatorRow;
pub(crate) use orders::{
    insert_order, is_day_seq_taken, load_order, move_to_day, next_day_seq, save_order_status, take_click,
};
pub(crate) use past::{
    find_payment_by_number, find_replaced, is_event_known, keep_proof, next_attempt, save_or_forget, take_back_cases,
};
pub(crate) use payments::{
    find_payment, has_money, insert_code, insert_payment, is_sale_paid, keep_statement, list_live_of_sale, save_payment,
};

pub(crate) use refunds::find_refund_request;

use crate::Error;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::cell::RefCell;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The open database. Holds the folder's lock as long as it lives.
pub struct Database {
    path: PathBuf,
    /// The disk that the file is on, if it is not one of the operating system.
    disk: Option<String>,
    connection: RefCell<Connection>,
    _lock: Option<File>,
}

impl Database {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Closes the file, so that its log is gone, and gives the lock of the folder away.
    pub(crate) fn close(self) -> Option<File> {
        let Database { connection, _lock, .. } = self;
        drop(connection);
        _lock
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
        let fresh = open::connect(&self.path, self.disk.as_deref())?;
        *self.connection.borrow_mut() = fresh;
        Ok(())
    }

    fn storage(&self, doing: &'static str, source: RowError) -> Error {
        tracing::error!(doing, error = &source as &dyn std::error::Error, "the database refused");
        let advice = if source.is_damage() { DAMAGED } else { FULL };
        Error::Storage { doing, path: self.path.clone(), advice, source: Box::new(source) }
    }
}

const FULL: &str = "check that the disk is not full, then try again";
const DAMAGED: &str = "the file may be damaged: stop, keep a copy of the whole folder, then restore the newest backup";

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

impl RowError {
    fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase, SystemIoFailure};
        match self {
            RowError::Sqlite(error) => {
                matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase | SystemIoFailure))
            }
            RowError::Unreadable(_) => true,
            RowError::Raced => false,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpenError;
    use yidan_payment::UtcMs;

    fn open(folder: &tempfile::TempDir) -> Database {
        Database::open(folder.path()).unwrap()
    }

    fn note(database: &Database) -> Result<(), Error> {
        let n = u128::try_from(database.load_head()?.seq).unwrap() + 1;
        let payload = format!("{:?}", "x".repeat(4096));
        database.note(yidan_payment::EventId::new(uuid::Uuid::from_u128(n)), "opened", UtcMs(1), payload)
    }

    #[test]
    fn the_file_is_as_durable_as_it_can_be() {
        let folder = tempfile::tempdir().unwrap();
        let database = open(&folder);
        let pragma = |name: &str| {
            database.connection.borrow().pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0))
        };
        assert_eq!(pragma("journal_mode").unwrap(), "wal".to_owned().into());
        assert_eq!(pragma("synchronous").unwrap(), 2.into());
        assert_eq!(pragma("foreign_keys").unwrap(), 1.into());
    }

    #[test]
    fn a_second_program_on_the_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let _first = open(&folder);
        let Err(refused) = Database::open(folder.path()) else { panic!("two programs on one folder") };
        assert!(matches!(refused, OpenError::InUse { .. }));
        assert!(refused.to_string().contains("yidan.lock"), "{refused}");
    }

    #[test]
    fn a_newer_file_is_refused_and_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        drop(open(&folder));
        let path = folder.path().join("yidan.db");
        let newer = Connection::open(&path).unwrap();
        newer.pragma_update(None, "user_version", 99).unwrap();
        newer.pragma_update(None, "wal_checkpoint", "truncate").unwrap();
        newer.close().unwrap();
        let before = std::fs::read(&path).unwrap();

        let Err(refused) = Database::open(folder.path()) else { panic!("a newer file was opened") };

        assert!(matches!(refused, OpenError::TooNew { .. }), "{refused}");
        assert!(refused.to_string().contains("yidan.db"));
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_damaged_file_is_refused_and_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("yidan.db");
        let nonsense = "this is not a database, but somebody's shopping list\n".repeat(200);
        std::fs::write(&path, &nonsense).unwrap();

        let Err(refused) = Database::open(folder.path()) else { panic!("a shopping list was opened") };

        assert!(matches!(refused, OpenError::Damaged { .. }), "{refused}");
        assert!(refused.to_string().contains("restore the newest backup"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), nonsense);
    }

    #[test]
    fn a_file_that_cannot_be_brought_to_rest_is_not_told() {
        let folder = tempfile::tempdir().unwrap();
        note(&open(&folder)).unwrap();
        let reader = Connection::open(folder.path().join("yidan.db")).unwrap();
        reader.execute_batch("begin; select * from journal;").unwrap();
        let writer = Connection::open(folder.path().join("yidan.db")).unwrap();
        writer.execute("insert into settings (name, value) values ('a', 'b')", []).unwrap();

        let Err(refused) = Database::open(folder.path()) else { panic!("it was busy") };

        assert!(matches!(refused, OpenError::CheckpointBusy { .. }), "{refused}");
    }

    #[test]
    fn a_full_disk_says_so_and_what_was_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let database = open(&folder);
        note(&database).unwrap();
        database.connection.borrow().pragma_update(None, "max_page_count", 1).unwrap();
        let pages: i64 = database.connection.borrow().pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        database.connection.borrow().pragma_update(None, "max_page_count", pages).unwrap();

        let refused = (0..100).find_map(|_| note(&database).err()).expect("the disk is full at last");

        assert!(refused.to_string().contains("disk is not full"), "{refused}");
        assert!(refused.to_string().contains("yidan.db"), "{refused}");
        let lines = database.load_head().unwrap().seq;
        database.connection.borrow().pragma_update(None, "max_page_count", 1_000_000).unwrap();
        note(&database).unwrap();
        assert_eq!(database.load_head().unwrap().seq, lines + 1);
    }

    #[test]
    fn after_a_commit_that_failed_the_file_is_opened_again_and_says_what_is_true() {
        let folder = tempfile::tempdir().unwrap();
        let database = open(&folder);
        let failed = database.write("break a promise at commit", |transaction| {
            transaction.pragma_update(None, "defer_foreign_keys", true)?;
            transaction.execute(
                "insert into evidence (pay_id, source, hash, text, asked_at_ms) values ('nobody', 'QUERY', '', '', 0)",
                [],
            )?;
            Ok(())
        });

        assert!(matches!(failed, Err(Error::Storage { .. })));
        note(&database).unwrap();
        let kept: i64 = database
            .read(
                "count",
                |connection| Ok(connection.query_row("select count(*) from evidence", [], |row| row.get(0))?),
            )
            .unwrap();
        assert_eq!((kept, database.load_head().unwrap().seq), (0, 1));
    }

    #[test]
    fn the_journal_cannot_be_changed() {
        let folder = tempfile::tempdir().unwrap();
        let database = open(&folder);
        note(&database).unwrap();
        for crime in ["update journal set payload = '{}'", "delete from journal"] {
            assert!(database.connection.borrow().execute(crime, []).is_err(), "{crime}");
        }
    }
}
