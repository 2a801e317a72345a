//! Where names and numbers come from. A number is minted once, durable before the first byte leaves, never used again.

use sha2::{Digest, Sha256};
use yidan_payment::{Id, NumberError, OutTradeNo};

/// Randomness, handed in so that a simulation repeats itself.
pub trait Ids {
    /// A fresh uuid (version 7 in the program).
    fn uuid(&self) -> uuid::Uuid;
    /// 64 random bits.
    fn random(&self) -> u64;
}

/// Makes a name.
pub(crate) fn new_id<Kind>(ids: &dyn Ids) -> Id<Kind> {
    Id::new(ids.uuid())
}

/// Where this program stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The merchant's own store number: 1–10 letters and digits.
    pub store_id: String,
    /// The till: 1–8 letters and digits.
    pub terminal_id: String,
    /// Rises whenever the terminal is enrolled again: a restored database never mints an old number.
    pub epoch: u32,
    /// When the business day begins, in minutes after midnight, Beijing time.
    pub day_starts_at_min: u32,
}

/// The number of a typed order: where, which epoch, day, running number, and 64 random bits. At most 56 characters.
pub(crate) fn typed_number(
    place: &Place,
    business_day: &str,
    day_seq: i64,
    random: u64,
) -> Result<OutTradeNo, NumberError> {
    let day: String = business_day.chars().filter(char::is_ascii_digit).skip(2).collect();
    OutTradeNo::new(format!("{}{}_{}_{day}_{day_seq:04}_{random:016x}", place.store_id, place.terminal_id, place.epoch))
}

/// The number of a bill of another program: a pure function, so that every terminal and every restored database mints
/// the same one, and one number carries at most one trade.
pub(crate) fn bill_number(
    store_id: &str,
    source: &str,
    external_ref: &str,
    attempt: i64,
) -> Result<OutTradeNo, NumberError> {
    let mut sha = Sha256::new();
    for part in [store_id, source, external_ref] {
        sha.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        sha.update(part.as_bytes());
    }
    sha.update(attempt.to_be_bytes());
    OutTradeNo::new(format!("X{}", hex::encode(&sha.finalize()[..20])))
}

/// One byte that a name always gives, the same on every machine.
pub(crate) fn byte_of(name: &str) -> u8 {
    Sha256::digest(name.as_bytes())[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fit_and_say_where_they_come_from() {
        let place =
            Place { store_id: "S123456789".into(), terminal_id: "T1234567".into(), epoch: 999, day_starts_at_min: 0 };
        let number = typed_number(&place, "2026-11-30", 12345, u64::MAX).unwrap();
        assert_eq!(number.as_str(), "S123456789T1234567_999_261130_12345_ffffffffffffffff");
        assert!(number.as_str().len() <= 56);
    }

    #[test]
    fn a_bill_has_the_same_number_everywhere() {
        let number = bill_number("S01", "local", "A-1", 0).unwrap();
        assert_eq!(number, bill_number("S01", "local", "A-1", 0).unwrap());
        assert_ne!(number, bill_number("S01", "local", "A-1", 1).unwrap());
        assert_ne!(number, bill_number("S01", "localA", "-1", 0).unwrap());
        assert!(number.as_str().len() <= 56);
    }
}
