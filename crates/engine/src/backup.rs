//! Backup and restore of a counter's records.
//!
//! Must always hold: a backup is whole or not there; it never holds a key; what a restore replaces is kept beside it; and
//! a restored database never mints an old number again. A backup may be made while the counter sells; a restore needs the
//! folder's lock.

use crate::database::{Database, RowError, lock_folder, open_copy};
use crate::{Error, OpenError};
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;
use yidan_payment::{ChainError, Hash, UtcMs, check_chain};

/// Backups that are made by themselves lie here, in the data folder.
pub const BACKUPS: &str = "backups";
/// So many days are kept.
pub const KEPT_DAYS: usize = 14;
const DATABASE: &str = "yidan.db";
const CHUNK: usize = 1000;
const DAY_SEQ_FLOOR: &str = "day_seq_floor";

/// Why a backup was not made, or not restored. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The file or the disk.
    #[error("could not {doing} {path}: check that the disk is not full and that the folder may be written")]
    Disk {
        /// What we were doing.
        doing: &'static str,
        /// What with.
        path: PathBuf,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// There are no records to back up.
    #[error("there are no records in {0}")]
    NothingThere(PathBuf),
    /// The copy does not hold what it must.
    #[error("{path} is damaged or no backup of a counter: {why}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A counter runs, or the file is of a newer program.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The database.
    #[error(transparent)]
    Records(#[from] Error),
}

/// A backup that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    /// The file.
    pub path: PathBuf,
    /// The last line of the journal in it.
    pub head_seq: i64,
}

/// Backs up the records in `folder` to `file`, whether a counter runs there or not. A file that is there is replaced only
/// once the new one is whole.
///
/// # Errors
/// See [`BackupError`].
pub fn back_up(folder: &Path, file: &Path) -> Result<Backup, BackupError> {
    let from = folder.join(DATABASE);
    if !from.is_file() {
        return Err(BackupError::NothingThere(folder.into()));
    }
    let beside = file.with_extension("part");
    remove_if_there(&beside)?;
    copy_online(&from, &beside).map_err(|error| disk("copy the records to", &beside, error))?;
    let checked = File::open(&beside).and_then(|copy| copy.sync_all());
    checked.map_err(|error| disk("write", &beside, error))?;
    let head_seq = check(&beside)?;
    fs::rename(&beside, file).map_err(|error| disk("rename the backup to", file, error))?;
    sync_folder_of(file);
    Ok(Backup { path: file.into(), head_seq })
}

/// Makes the backup of a day (`2026-11-29`) in the folder's own `backups/`, unless it is there, and lets the oldest go.
///
/// # Errors
/// See [`BackupError`].
pub fn back_up_daily(folder: &Path, day: &str) -> Result<Option<Backup>, BackupError> {
    let backups = folder.join(BACKUPS);
    let file = backups.join(format!("yidan-{day}.db"));
    if file.exists() || !folder.join(DATABASE).is_file() {
        return Ok(None);
    }
    fs::create_dir_all(&backups).map_err(|error| disk("make the folder", &backups, error))?;
    let made = back_up(folder, &file)?;
    for old in list_daily(&backups)?.into_iter().rev().skip(KEPT_DAYS) {
        remove_if_there(&old)?;
    }
    Ok(Some(made))
}

/// The backups that were made by themselves, the oldest first: their names are their days.
fn list_daily(backups: &Path) -> Result<Vec<PathBuf>, BackupError> {
    let entries = fs::read_dir(backups).map_err(|error| disk("read the folder", backups, error))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("yidan-") && name.ends_with(".db")
    };
    files.retain(is_ours);
    files.sort();
    Ok(files)
}

/// One snapshot of everything committed, the write-ahead log included, however the counter goes on writing.
fn copy_online(from: &Path, to: &Path) -> rusqlite::Result<()> {
    let source = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    source.busy_timeout(Duration::from_secs(10))?;
    source.execute("vacuum into ?1", [to.to_string_lossy()])?;
    Ok(())
}

/// Whether a copy is whole: every page, and every line of the journal.
fn check(path: &Path) -> Result<i64, BackupError> {
    let damaged = |why: String| BackupError::Damaged { path: path.into(), why };
    let wrong = |error: rusqlite::Error| damaged(error.to_string());
    let copy = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(wrong)?;
    let verdict: String = copy.query_row("pragma integrity_check", [], |row| row.get(0)).map_err(wrong)?;
    if verdict != "ok" {
        return Err(damaged(verdict));
    }
    let setup: Option<String> = find_setting(&copy, "setup").map_err(wrong)?;
    if setup.is_none() {
        return Err(damaged("it was never set up".into()));
    }
    check_journal(&copy).map_err(|error| damaged(error.to_string()))
}

/// Why a journal cannot be right.
#[derive(Debug, thiserror::Error)]
enum JournalError {
    #[error("the journal cannot be read")]
    Unreadable(#[from] RowError),
    #[error("the journal does not hold")]
    Broken(#[from] ChainError),
}

fn check_journal(copy: &Connection) -> Result<i64, JournalError> {
    let mut head = (0, Hash::ZERO);
    loop {
        let events = crate::database::list_events(copy, head.0, CHUNK)?;
        if events.is_empty() {
            return Ok(head.0);
        }
        head = check_chain(head, &events)?;
    }
}

/// A restore under way: the folder is locked, the backup was copied beside the records and checked.
pub struct Restoring {
    folder: PathBuf,
    copy: PathBuf,
    database: Database,
}

impl Restoring {
    /// Copies and checks `file` for the counter in `folder`. Nothing there is changed yet.
    ///
    /// # Errors
    /// See [`BackupError`]; [`OpenError::InUse`] while a counter runs.
    pub fn begin(folder: &Path, file: &Path) -> Result<Restoring, BackupError> {
        fs::create_dir_all(folder).map_err(|error| disk("make the folder", folder, error))?;
        let lock = lock_folder(folder)?;
        check(file)?;
        let copy = folder.join("yidan.db.restoring");
        remove_with_log(&copy)?;
        fs::copy(file, &copy).map_err(|error| disk("copy the backup to", &copy, error))?;
        let database = open_copy(&copy, lock)?;
        Ok(Restoring { folder: folder.into(), copy, database })
    }

    /// The restored records, before anybody uses them.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// A setting of the records that will be replaced, as far as they can still be read.
    #[must_use]
    pub fn find_replaced_setting(&self, name: &str) -> Option<String> {
        find_setting(&self.open_replaced()?, name).ok().flatten()
    }

    /// Running numbers of `business_day` go on above every one that was, or may have been, given away.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn skip_given_numbers(&self, business_day: &str) -> Result<(), Error> {
        let last = |connection: &Connection| {
            let sql = "select coalesce(max(day_seq), 0) from orders where business_day = ?1";
            connection.query_row(sql, [business_day], |row| row.get::<_, i64>(0))
        };
        let replaced = self.open_replaced().and_then(|replaced| last(&replaced).ok()).unwrap_or(0);
        let restored = self.database.read("read the last number", |connection| Ok(last(connection)?))?;
        // What was lost with a disk cannot be counted: the next round number is above it.
        let floor = (replaced.max(restored) / 1000 + 1) * 1000;
        self.database.save_settings(&[(DAY_SEQ_FLOOR, &format!("{business_day} {floor}"))])
    }

    /// Best effort: old records that cannot even be opened are kept as they are.
    fn bring_old_to_rest(&self) {
        let old = self.open_replaced();
        let rested = old.map(|old| old.query_row("pragma wal_checkpoint(truncate)", [], |row| row.get::<_, i64>(0)));
        if !matches!(rested, None | Some(Ok(0))) {
            tracing::warn!("the records to be replaced could not be brought to rest; they are kept as they are");
        }
    }

    fn open_replaced(&self) -> Option<Connection> {
        Connection::open_with_flags(self.folder.join(DATABASE), OpenFlags::SQLITE_OPEN_READ_WRITE).ok()
    }

    /// Puts the restored records in the place of the old ones, which are kept. Returns where, if there were any.
    ///
    /// # Errors
    /// See [`BackupError`]. Interrupted anywhere, either the old records or the restored ones are in place.
    pub fn finish(self, at: UtcMs) -> Result<Option<PathBuf>, BackupError> {
        self.bring_old_to_rest();
        let Restoring { folder, copy, database } = self;
        let place = folder.join(DATABASE);
        let kept = keep_replaced(&place, &folder.join(format!("replaced-{}.db", at.0)))?;
        let lock = database.close();
        let synced = File::open(&copy).and_then(|file| file.sync_all());
        synced.map_err(|error| disk("write", &copy, error))?;
        // A log of the old records beside the new ones would be taken for theirs.
        remove_if_there(&log_of(&place, "-wal"))?;
        remove_if_there(&log_of(&place, "-shm"))?;
        fs::rename(&copy, &place).map_err(|error| disk("put the restored records in", &place, error))?;
        sync_folder_of(&place);
        drop(lock);
        Ok(kept)
    }
}

/// Keeps the old records and their log under another name; a damaged file is kept as it is.
fn keep_replaced(place: &Path, kept: &Path) -> Result<Option<PathBuf>, BackupError> {
    if !place.exists() {
        return Ok(None);
    }
    fs::copy(place, kept).map_err(|error| disk("keep the old records as", kept, error))?;
    let log = log_of(place, "-wal");
    if log.exists() {
        fs::copy(&log, log_of(kept, "-wal")).map_err(|error| disk("keep the old records as", kept, error))?;
    }
    let synced = File::open(kept).and_then(|file| file.sync_all());
    synced.map_err(|error| disk("keep the old records as", kept, error))?;
    Ok(Some(kept.into()))
}

fn log_of(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn remove_with_log(path: &Path) -> Result<(), BackupError> {
    remove_if_there(path)?;
    remove_if_there(&log_of(path, "-wal"))?;
    remove_if_there(&log_of(path, "-shm"))
}

fn remove_if_there(path: &Path) -> Result<(), BackupError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(disk("remove", path, error)),
    }
}

/// A new name is durable once its folder is. Not every system lets a folder be opened; there it is durable by itself.
fn sync_folder_of(path: &Path) {
    if let Some(Ok(folder)) = path.parent().map(File::open) {
        let _not_everywhere = folder.sync_all();
    }
}

fn find_setting(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    connection.query_row("select value from settings where name = ?1", [name], |row| row.get(0)).optional()
}

fn disk(doing: &'static str, path: &Path, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> BackupError {
    BackupError::Disk { doing, path: path.into(), source: error.into() }
}
