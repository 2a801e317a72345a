//! Opening: lock, version, pragmas, migrations, barrier. Refuses clearly and changes nothing when it refuses.

use super::Database;
use crate::OpenError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use rusqlite_migration::{M, Migrations};
use std::cell::RefCell;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

/// SQLite before 3.51.3 can lose committed WAL transactions in rare races.
const OLDEST_SQLITE: i32 = 3_051_003;

/// More than there are different statements: each is compiled once. Compiling them anew took more than a quarter of the time.
const STATEMENTS: usize = 256;

/// In order, append-only.
const MIGRATIONS: &[M<'_>] = &[
    M::up(include_str!("../../../../migrations/terminal/0001_records.sql")),
    M::up(include_str!("../../../../migrations/terminal/0002_operators.sql")),
    M::up(include_str!("../../../../migrations/terminal/0003_refunds.sql")),
    M::up(include_str!("../../../../migrations/terminal/0004_push.sql")),
    M::up(include_str!("../../../../migrations/terminal/0005_bills.sql")),
    M::up(include_str!("../../../../migrations/terminal/0006_hits.sql")),
    M::up(include_str!("../../../../migrations/terminal/0007_invariants.sql")),
    M::up(include_str!("../../../../migrations/terminal/0008_day_review.sql")),
];

impl Database {
    /// Opens the database in `folder`, making both if needed.
    ///
    /// # Errors
    /// See [`OpenError`]: each says what to do, and nothing was changed.
    pub fn open(folder: &Path) -> Result<Database, OpenError> {
        check_sqlite()?;
        std::fs::create_dir_all(folder).map_err(|error| disk("make the folder", folder, error))?;
        let lock = lock(&folder.join("yidan.lock"))?;
        let path = folder.join("yidan.db");
        let connection = connect(&path, None)?;
        Ok(Database { path, disk: None, connection: RefCell::new(connection), _lock: Some(lock) })
    }

    /// Opens the file `path` on a disk that SQLite knows by name (its `sqlite3_vfs`) and the operating system does not:
    /// a simulated one. Whoever made that disk sees to it that one program at a time has the folder.
    ///
    /// # Errors
    /// As [`Database::open`].
    pub fn open_on(disk: &str, path: &Path) -> Result<Database, OpenError> {
        check_sqlite()?;
        let connection = connect(path, Some(disk))?;
        let (path, disk) = (path.into(), Some(disk.into()));
        Ok(Database { path, disk, connection: RefCell::new(connection), _lock: None })
    }
}

/// Locks a folder as an open database does.
pub(crate) fn lock_folder(folder: &Path) -> Result<File, OpenError> {
    lock(&folder.join("yidan.lock"))
}

/// Opens a copy of the records under another name, in a folder that is locked already.
pub(crate) fn open_copy(path: &Path, lock: File) -> Result<Database, OpenError> {
    check_sqlite()?;
    let connection = RefCell::new(connect(path, None)?);
    Ok(Database { path: path.into(), disk: None, connection, _lock: Some(lock) })
}

fn check_sqlite() -> Result<(), OpenError> {
    if rusqlite::version_number() < OLDEST_SQLITE {
        return Err(OpenError::OldSqlite { found: rusqlite::version().into() });
    }
    Ok(())
}

/// The operating system's lock on a file: gone with the process, however it ends.
fn lock(path: &Path) -> Result<File, OpenError> {
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(|error| disk("open the lock", path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse { path: path.into() }),
        Err(TryLockError::Error(error)) => Err(disk("lock", path, error)),
    }
}

/// Connects and brings the file to rest.
pub(super) fn connect(path: &Path, vfs: Option<&str>) -> Result<Connection, OpenError> {
    let wrong = |error: rusqlite::Error| explain(path, error);
    let mut connection = match vfs {
        Some(vfs) => Connection::open_with_flags_and_vfs(path, OpenFlags::default(), vfs),
        None => Connection::open(path),
    }
    .map_err(wrong)?;
    connection.busy_timeout(Duration::from_secs(2)).map_err(wrong)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Otherwise a statement that a partial index might serve is compiled anew for every value bound to it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(wrong)?;
    let version = read_version(&connection, path)?;
    connection.pragma_update(None, "journal_mode", "wal").map_err(wrong)?;
    connection.pragma_update(None, "synchronous", "full").map_err(wrong)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(wrong)?;
    connection.pragma_update(None, "trusted_schema", false).map_err(wrong)?;
    connection.pragma_update(None, "temp_store", "memory").map_err(wrong)?;
    barrier(&connection, path)?;
    if version < MIGRATIONS.len() {
        Migrations::from_slice(MIGRATIONS)
            .to_latest(&mut connection)
            .map_err(|error| disk("bring up to date", path, error))?;
        barrier(&connection, path)?;
    }
    Ok(connection)
}

/// How many migrations the file has seen.
fn read_version(connection: &Connection, path: &Path) -> Result<usize, OpenError> {
    let version: i64 =
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(|error| explain(path, error))?;
    match usize::try_from(version) {
        Ok(version) if version <= MIGRATIONS.len() => Ok(version),
        Ok(_) | Err(_) => Err(OpenError::TooNew { path: path.into() }),
    }
}

/// Everything committed goes into the main file and to the disk. The pragma can answer *busy* without an error.
fn barrier(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let busy: i64 = connection
        .query_row("pragma wal_checkpoint(truncate)", [], |row| row.get(0))
        .map_err(|error| explain(path, error))?;
    if busy != 0 {
        return Err(OpenError::CheckpointBusy { path: path.into() });
    }
    Ok(())
}

fn explain(path: &Path, error: rusqlite::Error) -> OpenError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            OpenError::Damaged { path: path.into(), source: Box::new(error) }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => OpenError::CheckpointBusy { path: path.into() },
        _ => disk("open", path, error),
    }
}

fn disk(doing: &'static str, path: &Path, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> OpenError {
    OpenError::Disk { doing, path: path.into(), source: error.into() }
}
