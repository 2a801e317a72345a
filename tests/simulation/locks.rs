//! The locks of one file, as SQLite asks for them: who holds what, and who must wait.

use rusqlite::ffi;
use std::collections::BTreeMap;
use std::os::raw::c_int;

/// Names an open handle.
pub type HandleNo = u64;

/// The locks of a file and of its shared memory.
#[derive(Default)]
pub struct Locks {
    levels: BTreeMap<HandleNo, c_int>,
    shared: BTreeMap<HandleNo, u8>,
    exclusive: BTreeMap<HandleNo, u8>,
}

impl Locks {
    /// Raises a handle's lock on the file. False: somebody else is in the way.
    pub fn raise(&mut self, handle: HandleNo, to: c_int) -> bool {
        let others = self.levels.iter().filter(|(other, _)| **other != handle).map(|(_, level)| *level);
        let highest = others.max().unwrap_or(ffi::SQLITE_LOCK_NONE);
        let own = self.levels.get(&handle).copied().unwrap_or(ffi::SQLITE_LOCK_NONE);
        if own >= to {
            return true;
        }
        let may = match to {
            ffi::SQLITE_LOCK_SHARED => highest < ffi::SQLITE_LOCK_PENDING,
            ffi::SQLITE_LOCK_RESERVED => highest < ffi::SQLITE_LOCK_RESERVED,
            _ => highest == ffi::SQLITE_LOCK_NONE,
        };
        // Who waits to write lets no new readers in.
        let waits = to == ffi::SQLITE_LOCK_EXCLUSIVE && highest <= ffi::SQLITE_LOCK_SHARED;
        if may {
            self.levels.insert(handle, to);
        } else if waits {
            self.levels.insert(handle, ffi::SQLITE_LOCK_PENDING);
        }
        may
    }

    /// Lowers a handle's lock.
    pub fn lower(&mut self, handle: HandleNo, to: c_int) {
        self.levels.insert(handle, to);
    }

    /// Whether anybody means to write.
    pub fn is_reserved(&self) -> bool {
        self.levels.values().any(|level| *level >= ffi::SQLITE_LOCK_RESERVED)
    }

    /// Takes slots of the shared memory. False: somebody else is in the way.
    pub fn take_slots(&mut self, handle: HandleNo, slots: u8, exclusively: bool) -> bool {
        let is_held =
            |by: &BTreeMap<HandleNo, u8>| by.iter().any(|(other, held)| *other != handle && held & slots != 0);
        if is_held(&self.exclusive) || (exclusively && is_held(&self.shared)) {
            return false;
        }
        let own = if exclusively { &mut self.exclusive } else { &mut self.shared };
        *own.entry(handle).or_default() |= slots;
        true
    }

    /// Gives slots back.
    pub fn give_slots(&mut self, handle: HandleNo, slots: u8) {
        for held in [&mut self.shared, &mut self.exclusive] {
            if let Some(own) = held.get_mut(&handle) {
                *own &= !slots;
            }
        }
    }

    /// The handle is closed, or its process is gone.
    pub fn forget(&mut self, handle: HandleNo) {
        self.levels.remove(&handle);
        self.shared.remove(&handle);
        self.exclusive.remove(&handle);
    }
}
