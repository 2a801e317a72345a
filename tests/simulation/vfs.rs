//! The simulated disk as SQLite's C interface sees it. Nothing is decided here: every call goes on to [`Disk`].
//!
//! One VFS serves all disks. A path begins with the number of its disk (`/7/yidan.db`); disks belong to the thread that
//! made them, since a simulated world lives on one thread.
#![expect(unsafe_code, reason = "a VFS of SQLite is a table of C functions")]

use crate::disk::{Code, Disk, SHARED_PIECE};
use crate::locks::HandleNo;
use rusqlite::ffi;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::rc::Rc;
use std::sync::Once;

/// What SQLite calls the simulated disks.
pub const NAME: &str = "simulated";
const C_NAME: &CStr = c"simulated";

/// A disk of this thread.
pub type SharedDisk = Rc<RefCell<Disk>>;

thread_local! {
    static DISKS: RefCell<BTreeMap<u64, SharedDisk>> = const { RefCell::new(BTreeMap::new()) };
}

/// Makes `disk` known under a number. It stays known until [`remove`].
pub fn insert(number: u64, disk: &SharedDisk) {
    static ONCE: Once = Once::new();
    ONCE.call_once(register);
    DISKS.with(|disks| disks.borrow_mut().insert(number, Rc::clone(disk)));
}

/// Forgets a disk.
pub fn remove(number: u64) {
    DISKS.with(|disks| disks.borrow_mut().remove(&number));
}

fn register() {
    let vfs = ffi::sqlite3_vfs {
        iVersion: 1,
        szOsFile: c_int::try_from(size_of::<Handle>()).unwrap_or(c_int::MAX),
        mxPathname: 512,
        pNext: ptr::null_mut(),
        zName: C_NAME.as_ptr(),
        pAppData: ptr::null_mut(),
        xOpen: Some(open),
        xDelete: Some(delete),
        xAccess: Some(access),
        xFullPathname: Some(full_path),
        xDlOpen: None,
        xDlError: None,
        xDlSym: None,
        xDlClose: None,
        xRandomness: Some(randomness),
        xSleep: Some(sleep),
        xCurrentTime: Some(current_time),
        xGetLastError: None,
        xCurrentTimeInt64: None,
        xSetSystemCall: None,
        xGetSystemCall: None,
        xNextSystemCall: None,
    };
    // SAFETY: before SQLite's first use, with the argument that this option takes. Nobody asks how much memory SQLite
    // has, and counting it makes the worlds wait for one another.
    let code = unsafe { ffi::sqlite3_config(ffi::SQLITE_CONFIG_MEMSTATUS, 0 as c_int) };
    assert_eq!(code, ffi::SQLITE_OK, "SQLite is not in use yet");
    // SAFETY: the table lives as long as the process, and its functions are those below.
    let code = unsafe { ffi::sqlite3_vfs_register(Box::into_raw(Box::new(vfs)), 0) };
    assert_eq!(code, ffi::SQLITE_OK, "SQLite takes a VFS");
}

/// What SQLite keeps for every open file; it owns the memory, we own what `opened` points to.
#[repr(C)]
struct Handle {
    methods: ffi::sqlite3_file,
    opened: *mut Opened,
}

struct Opened {
    disk: SharedDisk,
    file: usize,
    handle: HandleNo,
}

static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

fn code(result: Result<(), Code>) -> c_int {
    result.err().unwrap_or(ffi::SQLITE_OK)
}

fn place(offset: i64) -> usize {
    usize::try_from(offset).unwrap_or(0)
}

fn size(count: c_int) -> usize {
    usize::try_from(count).unwrap_or(0)
}

/// SAFETY: `file` is a [`Handle`] that [`open`] filled and [`close`] has not emptied.
unsafe fn opened<'a>(file: *mut ffi::sqlite3_file) -> &'a Opened {
    unsafe { &*(*file.cast::<Handle>()).opened }
}

/// The disk that a path names. SAFETY: `path` is a C text.
unsafe fn find_disk(path: *const c_char) -> Option<(SharedDisk, String)> {
    let path = unsafe { CStr::from_ptr(path) }.to_str().ok()?;
    let (number, name) = path.strip_prefix('/')?.split_once('/')?;
    let disk = DISKS.with(|disks| disks.borrow().get(&number.parse().ok()?).cloned())?;
    Some((disk, name.to_owned()))
}

unsafe extern "C" fn open(
    _: *mut ffi::sqlite3_vfs,
    path: *const c_char,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    let handle = file.cast::<Handle>();
    unsafe { (*handle).methods.pMethods = ptr::null() };
    if path.is_null() {
        // A temporary file: everything the engine sorts fits into memory.
        return ffi::SQLITE_CANTOPEN;
    }
    let Some((disk, name)) = (unsafe { find_disk(path) }) else { return ffi::SQLITE_CANTOPEN };
    let result = disk.borrow_mut().open(&name, flags & ffi::SQLITE_OPEN_CREATE != 0);
    match result {
        Ok((file, number)) => unsafe {
            (*handle).opened = Box::into_raw(Box::new(Opened { disk, file, handle: number }));
            (*handle).methods.pMethods = &raw const METHODS;
            if !out_flags.is_null() {
                *out_flags = flags;
            }
            ffi::SQLITE_OK
        },
        Err(code) => code,
    }
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    let opened = unsafe { Box::from_raw((*file.cast::<Handle>()).opened) };
    opened.disk.borrow_mut().close(opened.file, opened.handle);
    ffi::SQLITE_OK
}

unsafe extern "C" fn read(file: *mut ffi::sqlite3_file, into: *mut c_void, count: c_int, from: i64) -> c_int {
    let (opened, into) = unsafe { (opened(file), std::slice::from_raw_parts_mut(into.cast::<u8>(), size(count))) };
    code(opened.disk.borrow().read(opened.file, place(from), into))
}

unsafe extern "C" fn write(file: *mut ffi::sqlite3_file, bytes: *const c_void, count: c_int, from: i64) -> c_int {
    let (opened, bytes) = unsafe { (opened(file), std::slice::from_raw_parts(bytes.cast::<u8>(), size(count))) };
    code(opened.disk.borrow_mut().write(opened.file, place(from), bytes))
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, length: i64) -> c_int {
    let opened = unsafe { opened(file) };
    code(opened.disk.borrow_mut().cut(opened.file, place(length)))
}

unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, _: c_int) -> c_int {
    let opened = unsafe { opened(file) };
    code(opened.disk.borrow_mut().sync(opened.file))
}

unsafe extern "C" fn file_size(file: *mut ffi::sqlite3_file, out: *mut i64) -> c_int {
    let opened = unsafe { opened(file) };
    let size = opened.disk.borrow().size(opened.file);
    code(size.map(|size| unsafe { *out = i64::try_from(size).unwrap_or(i64::MAX) }))
}

unsafe extern "C" fn lock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    let opened = unsafe { opened(file) };
    let taken = opened.disk.borrow_mut().locks(opened.file).raise(opened.handle, level);
    if taken { ffi::SQLITE_OK } else { ffi::SQLITE_BUSY }
}

unsafe extern "C" fn unlock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    let opened = unsafe { opened(file) };
    opened.disk.borrow_mut().locks(opened.file).lower(opened.handle, level);
    ffi::SQLITE_OK
}

unsafe extern "C" fn check_reserved(file: *mut ffi::sqlite3_file, out: *mut c_int) -> c_int {
    let opened = unsafe { opened(file) };
    unsafe { *out = c_int::from(opened.disk.borrow_mut().locks(opened.file).is_reserved()) };
    ffi::SQLITE_OK
}

unsafe extern "C" fn file_control(_: *mut ffi::sqlite3_file, _: c_int, _: *mut c_void) -> c_int {
    ffi::SQLITE_NOTFOUND
}

unsafe extern "C" fn sector_size(_: *mut ffi::sqlite3_file) -> c_int {
    512
}

/// A write never damages bytes outside it: what every disk of today promises, and SQLite's own default.
unsafe extern "C" fn characteristics(_: *mut ffi::sqlite3_file) -> c_int {
    ffi::SQLITE_IOCAP_POWERSAFE_OVERWRITE
}

unsafe extern "C" fn shm_map(
    file: *mut ffi::sqlite3_file,
    piece: c_int,
    length: c_int,
    extend: c_int,
    out: *mut *mut c_void,
) -> c_int {
    debug_assert_eq!(size(length), SHARED_PIECE);
    let opened = unsafe { opened(file) };
    let mut disk = opened.disk.borrow_mut();
    let shared = disk.share(opened.file, size(piece), extend != 0);
    code(shared.map(|shared| unsafe {
        *out = shared.map_or(ptr::null_mut(), |piece| piece.as_mut_ptr().cast());
    }))
}

unsafe extern "C" fn shm_lock(file: *mut ffi::sqlite3_file, first: c_int, count: c_int, flags: c_int) -> c_int {
    let opened = unsafe { opened(file) };
    let slots = (0..8).filter(|slot| (first..first + count).contains(slot)).fold(0_u8, |slots, slot| slots | 1 << slot);
    let mut disk = opened.disk.borrow_mut();
    let locks = disk.locks(opened.file);
    if flags & ffi::SQLITE_SHM_UNLOCK != 0 {
        locks.give_slots(opened.handle, slots);
        return ffi::SQLITE_OK;
    }
    let taken = locks.take_slots(opened.handle, slots, flags & ffi::SQLITE_SHM_EXCLUSIVE != 0);
    if taken { ffi::SQLITE_OK } else { ffi::SQLITE_BUSY }
}

unsafe extern "C" fn shm_barrier(_: *mut ffi::sqlite3_file) {}

unsafe extern "C" fn shm_unmap(_: *mut ffi::sqlite3_file, _: c_int) -> c_int {
    ffi::SQLITE_OK
}

unsafe extern "C" fn delete(_: *mut ffi::sqlite3_vfs, path: *const c_char, _: c_int) -> c_int {
    match unsafe { find_disk(path) } {
        Some((disk, name)) => code(disk.borrow_mut().unlink(&name)),
        None => ffi::SQLITE_IOERR_DELETE,
    }
}

unsafe extern "C" fn access(_: *mut ffi::sqlite3_vfs, path: *const c_char, _: c_int, out: *mut c_int) -> c_int {
    let exists = unsafe { find_disk(path) }.is_some_and(|(disk, name)| disk.borrow().exists(&name));
    unsafe { *out = c_int::from(exists) };
    ffi::SQLITE_OK
}

unsafe extern "C" fn full_path(_: *mut ffi::sqlite3_vfs, path: *const c_char, room: c_int, out: *mut c_char) -> c_int {
    let path = unsafe { CStr::from_ptr(path) }.to_bytes_with_nul();
    if path.len() > size(room) {
        return ffi::SQLITE_CANTOPEN;
    }
    unsafe { ptr::copy_nonoverlapping(path.as_ptr().cast(), out, path.len()) };
    ffi::SQLITE_OK
}

/// Only salts are drawn from it; nothing is decided by them.
unsafe extern "C" fn randomness(_: *mut ffi::sqlite3_vfs, count: c_int, out: *mut c_char) -> c_int {
    let out = unsafe { std::slice::from_raw_parts_mut(out.cast::<u8>(), size(count)) };
    for (byte, value) in out.iter_mut().zip((11_u8..=255).cycle().step_by(37)) {
        *byte = value;
    }
    count
}

/// Nobody waits: whoever holds a lock holds it until the world goes on.
unsafe extern "C" fn sleep(_: *mut ffi::sqlite3_vfs, micros: c_int) -> c_int {
    micros
}

unsafe extern "C" fn current_time(_: *mut ffi::sqlite3_vfs, out: *mut f64) -> c_int {
    unsafe { *out = 2_461_000.5 };
    ffi::SQLITE_OK
}
