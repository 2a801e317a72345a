//! The zip in which a bill comes: entry names in GBK, a detail file and a summary.
//!
//! Nothing is ever written to disk, so no entry can land outside a folder; entries that try are refused all the same.
//! What is unpacked is bounded, whatever the archive claims.

use crate::bill::{Bill, BillError};
use encoding_rs::GB18030;
use std::io::{BufReader, Cursor, Read};
use zip::ZipArchive;

/// A bill of a million rows unpacks to less.
const LONGEST_TEXT: u64 = 512 << 20;
/// Alipay's archives hold two files.
const MOST_ENTRIES: usize = 16;
const DETAIL: &str = "业务明细";
const SUMMARY: &str = "汇总";

impl Bill {
    /// Reads the zip that Alipay serves.
    ///
    /// # Errors
    /// See [`BillError`].
    pub fn read_archive(archive: &[u8]) -> Result<Bill, BillError> {
        let mut zip = ZipArchive::new(Cursor::new(archive)).map_err(|_| BillError::NotABill)?;
        let index = find_detail(&mut zip)?;
        let entry = zip.by_index(index).map_err(|error| BillError::Unreadable(Box::new(error)))?;
        if entry.size() > LONGEST_TEXT {
            return Err(BillError::HostileArchive("it unpacks to more than a bill ever holds"));
        }
        // What the entry claims may be a lie: what comes out is cut at the same bound, and a cut bill is refused.
        Bill::read(BufReader::with_capacity(1 << 16, entry.take(LONGEST_TEXT)))
    }
}

fn find_detail(zip: &mut ZipArchive<Cursor<&[u8]>>) -> Result<usize, BillError> {
    if zip.len() > MOST_ENTRIES {
        return Err(BillError::HostileArchive("too many files"));
    }
    let mut details = Vec::new();
    for index in 0..zip.len() {
        let entry = zip.by_index_raw(index).map_err(|error| BillError::Unreadable(Box::new(error)))?;
        let name = read_name(entry.name_raw());
        if name.contains(['/', '\\', '\0']) || name.contains("..") {
            return Err(BillError::HostileArchive("a file's name points outside"));
        }
        if name.contains(DETAIL) && !name.contains(SUMMARY) {
            details.push(index);
        }
    }
    match details.as_slice() {
        [index] => Ok(*index),
        [] => Err(BillError::NotABill),
        _ => Err(BillError::HostileArchive("more than one detail file")),
    }
}

/// Names are GBK bytes without the flag for UTF-8; a name that is valid UTF-8 is one.
fn read_name(name: &[u8]) -> String {
    std::str::from_utf8(name).map_or_else(|_| GB18030.decode_without_bom_handling(name).0.into_owned(), str::to_owned)
}
