//! A disk that can lose power. Every file is kept twice: as programs see it, and as it would be found after a power cut.
//!
//! Must always hold: what was synced survives everything; what was not is kept, lost or torn, sector by sector. Random
//! garbage never appears: SQLite does not promise to survive it, and neither do real disks produce it.

use crate::chance::Chance;
use crate::locks::{HandleNo, Locks};
use rusqlite::ffi;
use std::os::raw::c_int;

const SECTOR: usize = 512;
/// SQLite maps its shared memory in pieces of this size.
pub const SHARED_PIECE: usize = 32_768;
type Piece = Box<[u8; SHARED_PIECE]>;

/// What went wrong, as SQLite's extended result code.
pub type Code = c_int;

/// How this disk is broken on purpose, to prove that it would be noticed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Lie {
    /// It keeps its promises.
    #[default]
    None,
    /// `fsync` says yes and does nothing.
    Sync,
    /// `fsync` of the write-ahead log says yes and does nothing.
    LogSync,
    /// `fsync` of the database file says yes and does nothing.
    MainSync,
}

impl Lie {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Lie::None => "none",
            Lie::Sync => "sync",
            Lie::LogSync => "log-sync",
            Lie::MainSync => "main-sync",
        }
    }
}

enum Write {
    Put(usize, Vec<u8>),
    Cut(usize),
}

#[derive(Default)]
struct File {
    name: String,
    cache: Vec<u8>,
    durable: Vec<u8>,
    pending: Vec<Write>,
    exists: bool,
    exists_durably: bool,
    shared: Vec<Piece>,
    locks: Locks,
    handles: u32,
}

/// What lay on a disk: names and contents.
#[derive(Clone, Debug, Default)]
pub struct DiskCopy(Vec<(String, Vec<u8>)>);

impl DiskCopy {
    /// Whether there is anything.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.0.iter().any(|(_, content)| !content.is_empty())
    }
}

/// One machine's disk.
pub struct Disk {
    files: Vec<File>,
    chance: Chance,
    crash_at: u64,
    operations: u64,
    is_dead: bool,
    is_full: bool,
    lie: Lie,
    handles: HandleNo,
}

impl Disk {
    /// An empty disk.
    #[must_use]
    pub fn new(chance: Chance, lie: Lie) -> Disk {
        Disk {
            files: Vec::new(),
            chance,
            crash_at: u64::MAX,
            operations: 0,
            is_dead: false,
            is_full: false,
            lie,
            handles: 0,
        }
    }

    /// The machine stops at the `wait`-th write, cut, sync or unlink from now.
    pub fn crash_after(&mut self, wait: u64) {
        self.crash_at = self.operations.saturating_add(wait);
    }

    /// No crash is planned any more.
    pub fn calm(&mut self) {
        self.crash_at = u64::MAX;
        self.is_full = false;
    }

    /// The process is gone: nothing it still tries has an effect.
    pub fn kill(&mut self) {
        self.is_dead = true;
    }

    /// Whether the machine has stopped.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.is_dead
    }

    /// Whether nothing more can be written.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Fills the disk, or makes room.
    pub fn set_full(&mut self, is_full: bool) {
        self.is_full = is_full;
    }

    /// Starts the machine again. After a power cut only what was synced is sure; after a kill the page cache is there.
    /// On a machine that had not stopped, other programs go on with what they have open.
    ///
    /// # Panics
    /// If a program outlives its machine: it would go on in memory that is no longer there.
    pub fn start(&mut self, power_was_cut: bool) {
        self.crash_at = u64::MAX;
        if !std::mem::take(&mut self.is_dead) {
            return;
        }
        for file in &mut self.files {
            assert_eq!(file.handles, 0, "a program has {} open on a machine that stopped", file.name);
            file.shared.clear();
            file.locks = Locks::default();
            if power_was_cut {
                file.lose_power(&mut self.chance);
            }
        }
    }

    /// Copies every file as programs see it.
    #[must_use]
    pub fn copy(&self) -> DiskCopy {
        let there = self.files.iter().filter(|file| file.exists);
        DiskCopy(there.map(|file| (file.name.clone(), file.cache.clone())).collect())
    }

    /// Takes one file away, under another name.
    pub fn take_out(&mut self, name: &str, as_name: &str) -> Option<DiskCopy> {
        let file = self.files.iter_mut().find(|file| file.name == name && file.exists)?;
        let content = std::mem::take(&mut file.cache);
        *file = File { name: name.into(), ..File::default() };
        Some(DiskCopy(vec![(as_name.into(), content)]))
    }

    /// Replaces everything on the disk; nobody has a file open.
    ///
    /// # Panics
    /// If somebody has.
    pub fn put_back(&mut self, copy: &DiskCopy) {
        for file in &mut self.files {
            assert_eq!(file.handles, 0, "a program has {} open while it is replaced", file.name);
            *file = File { name: std::mem::take(&mut file.name), ..File::default() };
        }
        for (name, content) in &copy.0 {
            let at = self.place_of(name);
            let file = &mut self.files[at];
            (file.cache, file.durable) = (content.clone(), content.clone());
            (file.exists, file.exists_durably) = (true, true);
        }
    }

    fn place_of(&mut self, name: &str) -> usize {
        self.files.iter().position(|file| file.name == name).unwrap_or_else(|| {
            self.files.push(File { name: name.into(), ..File::default() });
            self.files.len() - 1
        })
    }

    pub(crate) fn open(&mut self, name: &str, may_create: bool) -> Result<(usize, HandleNo), Code> {
        if self.is_dead {
            return Err(ffi::SQLITE_CANTOPEN);
        }
        let at = self.place_of(name);
        let file = &mut self.files[at];
        if !file.exists && !may_create {
            return Err(ffi::SQLITE_CANTOPEN);
        }
        file.exists = true;
        file.handles += 1;
        self.handles += 1;
        Ok((at, self.handles))
    }

    pub(crate) fn close(&mut self, at: usize, handle: HandleNo) {
        let file = &mut self.files[at];
        file.locks.forget(handle);
        file.handles = file.handles.saturating_sub(1);
        if file.handles == 0 {
            file.shared.clear();
        }
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.files.iter().any(|file| file.name == name && file.exists)
    }

    /// Fills `into`; what lies behind the end is zeros, and said so.
    pub(crate) fn read(&self, at: usize, from: usize, into: &mut [u8]) -> Result<(), Code> {
        if self.is_dead {
            return Err(ffi::SQLITE_IOERR_READ);
        }
        let cache = &self.files[at].cache;
        let have = cache.len().saturating_sub(from).min(into.len());
        into[have..].fill(0);
        if have > 0 {
            into[..have].copy_from_slice(&cache[from..from + have]);
        }
        if have < into.len() { Err(ffi::SQLITE_IOERR_SHORT_READ) } else { Ok(()) }
    }

    /// The write under way when the machine stops is cut at any byte.
    pub(crate) fn write(&mut self, at: usize, from: usize, bytes: &[u8]) -> Result<(), Code> {
        if self.is_dead {
            return Err(ffi::SQLITE_IOERR_WRITE);
        }
        if self.is_full {
            return Err(ffi::SQLITE_FULL);
        }
        let dies = self.tick();
        let done = if dies { self.chance.place(bytes.len() + 1) } else { bytes.len() };
        let file = &mut self.files[at];
        put(&mut file.cache, from, &bytes[..done]);
        file.pending.push(Write::Put(from, bytes[..done].to_vec()));
        if dies { Err(ffi::SQLITE_IOERR_WRITE) } else { Ok(()) }
    }

    pub(crate) fn cut(&mut self, at: usize, length: usize) -> Result<(), Code> {
        if self.is_dead || self.tick() {
            return Err(ffi::SQLITE_IOERR_TRUNCATE);
        }
        let file = &mut self.files[at];
        file.cache.truncate(length);
        file.pending.push(Write::Cut(length));
        Ok(())
    }

    pub(crate) fn sync(&mut self, at: usize) -> Result<(), Code> {
        if self.is_dead || self.tick() {
            return Err(ffi::SQLITE_IOERR_FSYNC);
        }
        let is_log = self.files[at].name.ends_with("-wal");
        let lies = match self.lie {
            Lie::None => false,
            Lie::Sync => true,
            Lie::LogSync => is_log,
            Lie::MainSync => !is_log,
        };
        if lies {
            return Ok(());
        }
        self.files[at].settle();
        for file in self.files.iter_mut().filter(|file| !file.exists) {
            file.exists_durably = false;
            file.durable.clear();
            file.pending.clear();
        }
        Ok(())
    }

    pub(crate) fn size(&self, at: usize) -> Result<usize, Code> {
        if self.is_dead { Err(ffi::SQLITE_IOERR_FSTAT) } else { Ok(self.files[at].cache.len()) }
    }

    /// An unlink is durable with the next sync.
    pub(crate) fn unlink(&mut self, name: &str) -> Result<(), Code> {
        if self.is_dead || self.tick() {
            return Err(ffi::SQLITE_IOERR_DELETE);
        }
        if let Some(file) = self.files.iter_mut().find(|file| file.name == name) {
            file.exists = false;
            file.cache.clear();
            file.pending.push(Write::Cut(0));
        }
        Ok(())
    }

    pub(crate) fn locks(&mut self, at: usize) -> &mut Locks {
        &mut self.files[at].locks
    }

    /// A piece of the shared memory; it stays where it is while the file is open.
    pub(crate) fn share(&mut self, at: usize, piece: usize, extend: bool) -> Result<Option<&mut Piece>, Code> {
        if self.is_dead {
            return Err(ffi::SQLITE_IOERR_SHMMAP);
        }
        let shared = &mut self.files[at].shared;
        while extend && shared.len() <= piece {
            shared.push(Box::new([0; SHARED_PIECE]));
        }
        Ok(shared.get_mut(piece))
    }

    fn tick(&mut self) -> bool {
        self.operations += 1;
        self.is_dead |= self.operations >= self.crash_at;
        self.is_dead
    }
}

impl File {
    fn settle(&mut self) {
        for write in std::mem::take(&mut self.pending) {
            match write {
                Write::Put(from, bytes) => put(&mut self.durable, from, &bytes),
                Write::Cut(length) => self.durable.truncate(length),
            }
        }
        self.exists_durably = true;
    }

    fn lose_power(&mut self, chance: &mut Chance) {
        let mood = chance.below(4);
        for write in std::mem::take(&mut self.pending) {
            match write {
                Write::Put(from, bytes) => {
                    for (sector, part) in bytes.chunks(SECTOR).enumerate() {
                        keep_sector(&mut self.durable, from + sector * SECTOR, part, mood, chance);
                    }
                }
                Write::Cut(length) if mood == 1 || chance.happens(500) => {
                    self.durable.truncate(length);
                }
                Write::Cut(_) => {}
            }
        }
        self.exists = self.exists_durably;
        if !self.exists {
            self.durable.clear();
        }
        self.cache.clone_from(&self.durable);
    }
}

/// Mood 0: nothing unsynced survives; 1: all of it; else each sector is kept, lost or torn.
fn keep_sector(durable: &mut Vec<u8>, from: usize, part: &[u8], mood: u64, chance: &mut Chance) {
    let fate = match mood {
        0 => 9,
        1 => 0,
        _ => chance.below(10),
    };
    match fate {
        0..=4 => put(durable, from, part),
        5 => {
            let tear = chance.place(part.len() + 1);
            if chance.happens(500) {
                put(durable, from, &part[..tear]);
            } else if tear < part.len() {
                put(durable, from + tear, &part[tear..]);
            }
        }
        _ => {}
    }
}

fn put(file: &mut Vec<u8>, from: usize, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    if file.len() < from {
        file.resize(from, 0);
    }
    let over = bytes.len().min(file.len() - from);
    file[from..from + over].copy_from_slice(&bytes[..over]);
    file.extend_from_slice(&bytes[over..]);
}
