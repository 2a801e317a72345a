//! The terminal's journal: one line per change, each carrying the hash of the one before.
//!
//! Pure, so that the terminal that writes it and the headquarters that receives it compute the same hash.

use crate::{EventId, UtcMs};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

/// A SHA-256 hash; as text, 64 lowercase hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Hash([u8; 32]);

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// 1, 2, 3, … without a gap, per terminal and epoch.
    pub seq: i64,
    /// Its name, for ever.
    pub event_id: EventId,
    /// What happened.
    pub kind: String,
    /// When it was written (UTC ms, corrected clock).
    pub at: UtcMs,
    /// The full state after the change: JSON text, kept verbatim.
    pub payload: String,
    /// The hash of the line before; [`Hash::ZERO`] for the first.
    pub prev_hash: Hash,
    /// SHA-256(prev_hash ‖ seq ‖ event_id ‖ kind ‖ at ‖ SHA-256(payload)).
    pub hash: Hash,
}

/// A chain that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainError {
    /// A line is missing.
    #[error("line {expected} is missing: the next one is {found}")]
    Gap {
        /// The number that should come.
        expected: i64,
        /// The number that came.
        found: i64,
    },
    /// The line does not follow the one before it: another history.
    #[error("line {0} does not follow the line before it")]
    Fork(i64),
    /// The line was changed after it was written.
    #[error("line {0} does not have the hash it states")]
    Changed(i64),
}

impl Event {
    /// Writes the next line after `prev_hash`.
    #[must_use]
    pub fn next(seq: i64, event_id: EventId, kind: String, at: UtcMs, payload: String, prev_hash: Hash) -> Event {
        let hash = line_hash(prev_hash, seq, event_id, &kind, at, &payload);
        Event { seq, event_id, kind, at, payload, prev_hash, hash }
    }

    /// Whether the line has the hash it states.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.hash == line_hash(self.prev_hash, self.seq, self.event_id, &self.kind, self.at, &self.payload)
    }
}

/// Checks that `events` follow `head` (`seq` and hash of the last known line) without gap, fork or change.
///
/// # Errors
/// At the first line that does not follow.
pub fn check_chain(head: (i64, Hash), events: &[Event]) -> Result<(i64, Hash), ChainError> {
    events.iter().try_fold(head, |(seq, hash), event| {
        if event.seq != seq + 1 {
            return Err(ChainError::Gap { expected: seq + 1, found: event.seq });
        }
        if event.prev_hash != hash {
            return Err(ChainError::Fork(event.seq));
        }
        if !event.is_intact() {
            return Err(ChainError::Changed(event.seq));
        }
        Ok((event.seq, event.hash))
    })
}

/// Every field is prefixed by its length or has a fixed one, so that no two lines have the same bytes.
fn line_hash(prev: Hash, seq: i64, event_id: EventId, kind: &str, at: UtcMs, payload: &str) -> Hash {
    let mut sha = Sha256::new();
    sha.update(prev.0);
    sha.update(seq.to_be_bytes());
    sha.update(event_id.uuid().as_bytes());
    sha.update(u64::try_from(kind.len()).unwrap_or(u64::MAX).to_be_bytes());
    sha.update(kind.as_bytes());
    sha.update(at.0.to_be_bytes());
    sha.update(Hash::of(payload.as_bytes()).0);
    Hash(sha.finalize().into())
}

impl Hash {
    /// What stands before the first line.
    pub const ZERO: Hash = Hash([0; 32]);

    /// SHA-256 of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Hash {
        Hash(Sha256::digest(bytes).into())
    }
}

/// A text that is not 64 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a hash is 64 hex digits")]
pub struct HashError;

impl std::str::FromStr for Hash {
    type Err = HashError;
    fn from_str(text: &str) -> Result<Hash, HashError> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| HashError)?;
        Ok(Hash(bytes))
    }
}
impl TryFrom<String> for Hash {
    type Error = HashError;
    fn try_from(text: String) -> Result<Hash, HashError> {
        text.parse()
    }
}
impl From<Hash> for String {
    fn from(hash: Hash) -> String {
        hash.to_string()
    }
}
impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}
impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal(payloads: &[&str]) -> Vec<Event> {
        let mut prev = Hash::ZERO;
        payloads
            .iter()
            .zip(1_i64..)
            .map(|(payload, seq)| {
                let id = EventId::new(uuid::Uuid::from_u128(u128::from(seq.unsigned_abs())));
                let event = Event::next(seq, id, "paid".into(), UtcMs(seq), (*payload).into(), prev);
                prev = event.hash;
                event
            })
            .collect()
    }

    #[test]
    fn an_untouched_journal_holds() {
        let events = journal(&["{}", "{\"a\":1}", "{}"]);
        assert_eq!(check_chain((0, Hash::ZERO), &events), Ok((3, events[2].hash)));
    }

    #[test]
    fn a_changed_missing_or_foreign_line_is_noticed() {
        let events = journal(&["{}", "{\"a\":1}", "{}"]);
        let mut changed = events.clone();
        changed[1].payload = "{\"a\":2}".into();
        assert_eq!(check_chain((0, Hash::ZERO), &changed), Err(ChainError::Changed(2)));
        assert_eq!(
            check_chain((0, Hash::ZERO), &[events[0].clone(), events[2].clone()]),
            Err(ChainError::Gap { expected: 2, found: 3 })
        );
        let other = journal(&["{\"other\":true}", "{}"]);
        assert_eq!(check_chain((1, events[0].hash), &other[1..]), Err(ChainError::Fork(2)));
    }
}
