//! Who may decide. A PIN is kept as an argon2id hash and never logged; five wrong ones lock for five minutes.

use crate::database::{Database, OperatorRow};
use crate::{Error, Ids};
use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use std::time::Duration;
use yidan_payment::UtcMs;

/// A person of the shop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator {
    /// Its name in the records.
    pub operator_id: String,
    /// Its name.
    pub name: String,
}

/// So many wrong PINs in a row lock.
pub const MOST_WRONG_PINS: i64 = 5;
/// So long.
pub const LOCK_OUT: Duration = Duration::from_secs(5 * 60);

/// Why a PIN does not open.
#[derive(Debug, thiserror::Error)]
pub enum PinError {
    /// Try again.
    #[error("the PIN is wrong")]
    Wrong,
    /// Wait.
    #[error("too many wrong PINs; try again in {} minutes", .left.as_secs().div_ceil(60))]
    LockedOut {
        /// How long.
        left: Duration,
    },
    /// Nobody may do it yet.
    #[error("this counter has no manager yet")]
    NoManager,
    /// The database.
    #[error(transparent)]
    Storage(#[from] Error),
}

impl Database {
    /// Makes `name` the one manager of this counter.
    ///
    /// # Errors
    /// [`Error::BadInput`] if the PIN cannot be hashed; [`Error::Storage`].
    pub fn appoint(&self, ids: &dyn Ids, name: &str, pin: &str, now: UtcMs) -> Result<(), Error> {
        let hash = Argon2::default()
            .hash_password(pin.as_bytes())
            .map_err(|_| Error::BadInput("this PIN cannot be kept".into()))?;
        self.replace_appointed(&ids.uuid().to_string(), name.trim(), &hash.to_string(), now)
    }

    /// The person whose name the screen shows.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn find_operator(&self) -> Result<Option<Operator>, Error> {
        let operator = |row: OperatorRow| Operator { operator_id: row.operator_id, name: row.name };
        Ok(self.list_managers()?.into_iter().next().map(operator))
    }

    /// Checks a manager's PIN. A wrong one is counted before this returns.
    ///
    /// # Errors
    /// See [`PinError`].
    pub fn check_pin(&self, pin: &str, now: UtcMs) -> Result<Operator, PinError> {
        let manager = self.list_managers()?.into_iter().next().ok_or(PinError::NoManager)?;
        let left = manager.locked_until.map(|until| until.since(now)).unwrap_or_default();
        if !left.is_zero() {
            return Err(PinError::LockedOut { left: left.min(LOCK_OUT) });
        }
        if is_pin_of(&manager, pin) {
            self.save_wrong_pins(&manager.operator_id, 0, None)?;
            return Ok(Operator { operator_id: manager.operator_id, name: manager.name });
        }
        let wrong = manager.wrong_pins + 1;
        if wrong < MOST_WRONG_PINS {
            self.save_wrong_pins(&manager.operator_id, wrong, None)?;
            return Err(PinError::Wrong);
        }
        self.save_wrong_pins(&manager.operator_id, 0, Some(now.after(LOCK_OUT)))?;
        Err(PinError::LockedOut { left: LOCK_OUT })
    }
}

fn is_pin_of(manager: &OperatorRow, pin: &str) -> bool {
    PasswordHash::new(&manager.pin_hash)
        .is_ok_and(|hash| Argon2::default().verify_password(pin.as_bytes(), &hash).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoIds;
    impl Ids for NoIds {
        fn uuid(&self) -> uuid::Uuid {
            uuid::Uuid::nil()
        }
        fn random(&self) -> u64 {
            0
        }
    }

    fn shop() -> (tempfile::TempDir, Database) {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(folder.path()).unwrap();
        database.appoint(&NoIds, "王店长", "271828", UtcMs(0)).unwrap();
        (folder, database)
    }

    #[test]
    fn five_wrong_pins_lock_for_five_minutes_even_for_the_right_one() {
        let (folder, database) = shop();
        for _ in 1..MOST_WRONG_PINS {
            assert!(matches!(database.check_pin("000000", UtcMs(1)), Err(PinError::Wrong)));
        }
        assert!(matches!(database.check_pin("000000", UtcMs(1)), Err(PinError::LockedOut { .. })));
        drop(database);
        let database = Database::open(folder.path()).unwrap();
        assert!(matches!(database.check_pin("271828", UtcMs(299_000)), Err(PinError::LockedOut { .. })));
        assert_eq!(database.check_pin("271828", UtcMs(300_002)).unwrap().name, "王店长");
    }

    #[test]
    fn the_right_pin_forgets_the_wrong_ones_and_is_not_kept() {
        let (_folder, database) = shop();
        for _ in 0..3 {
            for _ in 1..MOST_WRONG_PINS {
                assert!(database.check_pin("000000", UtcMs(1)).is_err());
            }
            assert!(database.check_pin("271828", UtcMs(1)).is_ok());
        }
        let kept = std::fs::read(database.path()).unwrap();
        assert!(!kept.windows(6).any(|window| window == b"271828"));
    }

    #[test]
    fn without_a_manager_nobody_may_decide() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(folder.path()).unwrap();
        assert!(matches!(database.check_pin("271828", UtcMs(1)), Err(PinError::NoManager)));
    }
}
