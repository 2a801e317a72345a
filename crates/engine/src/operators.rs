//! Who may decide. A PIN is kept as an argon2id hash and never logged; five wrong ones lock that person for five minutes.
//!
//! Must always hold: the count of wrong PINs survives a restart; there is always a manager once there was one; what is
//! approved is approved for one thing and one amount (see `approval.rs`). Who has left stays in the records.

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
    /// What it may do.
    pub role: Role,
}

/// What an operator may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Collects; gives back up to the shop's limit.
    Cashier,
    /// Decides.
    Manager,
}

impl Role {
    /// The word stored in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Cashier => "CASHIER",
            Role::Manager => "MANAGER",
        }
    }

    fn find(word: &str) -> Option<Role> {
        [Role::Cashier, Role::Manager].into_iter().find(|role| role.as_str() == word)
    }
}

/// A person, and how often their PIN may still be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinState {
    /// Who.
    pub operator: Operator,
    /// Wrong ones until the lock.
    pub tries_left: i64,
    /// How long it stays locked; zero if it is not.
    pub locked: Duration,
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
    /// Nobody of this name works here.
    #[error("there is no such operator")]
    NoSuchOperator,
    /// Ask a manager.
    #[error("this needs a manager")]
    NotAllowed,
    /// The shop wants two people for it.
    #[error("somebody else than who asks must approve it")]
    MustDiffer,
    /// The database.
    #[error(transparent)]
    Storage(#[from] Error),
}

impl Database {
    /// Makes `name` the one manager of this counter. Cashiers stay.
    ///
    /// # Errors
    /// [`Error::BadInput`] if the PIN cannot be hashed; [`Error::Storage`].
    pub fn appoint(&self, ids: &dyn Ids, name: &str, pin: &str, now: UtcMs) -> Result<(), Error> {
        self.replace_appointed(&new_operator(ids, name, Role::Manager, pin)?, now)
    }

    /// Everybody who works here, the longest-serving first.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_operators(&self) -> Result<Vec<Operator>, Error> {
        Ok(self.list_operator_rows()?.iter().map(Operator::of).collect())
    }

    /// Everybody who works here, with the state of their PINs.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_pins(&self, now: UtcMs) -> Result<Vec<PinState>, Error> {
        let state = |row: &OperatorRow| PinState {
            operator: Operator::of(row),
            tries_left: MOST_WRONG_PINS - row.wrong_pins,
            locked: row.locked_until.map(|until| until.since(now)).unwrap_or_default().min(LOCK_OUT),
        };
        Ok(self.list_operator_rows()?.iter().map(state).collect())
    }

    /// The person whose name the screen shows: the first manager.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn find_operator(&self) -> Result<Option<Operator>, Error> {
        Ok(self.list_managers()?.first().map(Operator::of))
    }

    /// Checks the PIN of any manager. A wrong one is counted, for every manager, before this returns.
    ///
    /// # Errors
    /// See [`PinError`].
    pub fn check_pin(&self, pin: &str, now: UtcMs) -> Result<Operator, PinError> {
        let mut refused = PinError::NoManager;
        for manager in self.list_managers()? {
            match self.check_pin_of(&manager, pin, now) {
                Ok(operator) => return Ok(operator),
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }

    /// Checks the PIN of one operator. A wrong one is counted before this returns.
    ///
    /// # Errors
    /// See [`PinError`].
    pub fn check_operator(&self, operator_id: &str, pin: &str, now: UtcMs) -> Result<Operator, PinError> {
        let rows = self.list_operator_rows()?;
        let row = rows.iter().find(|row| row.operator_id == operator_id).ok_or(PinError::NoSuchOperator)?;
        self.check_pin_of(row, pin, now)
    }

    fn check_pin_of(&self, operator: &OperatorRow, pin: &str, now: UtcMs) -> Result<Operator, PinError> {
        let left = operator.locked_until.map(|until| until.since(now)).unwrap_or_default();
        if !left.is_zero() {
            return Err(PinError::LockedOut { left: left.min(LOCK_OUT) });
        }
        if is_pin_of(operator, pin) {
            self.save_wrong_pins(&operator.operator_id, 0, None)?;
            return Ok(Operator::of(operator));
        }
        let wrong = operator.wrong_pins + 1;
        if wrong < MOST_WRONG_PINS {
            self.save_wrong_pins(&operator.operator_id, wrong, None)?;
            return Err(PinError::Wrong);
        }
        self.save_wrong_pins(&operator.operator_id, 0, Some(now.after(LOCK_OUT)))?;
        Err(PinError::LockedOut { left: LOCK_OUT })
    }

    fn list_managers(&self) -> Result<Vec<OperatorRow>, Error> {
        let is_manager = |row: &OperatorRow| row.role == Role::Manager.as_str();
        Ok(self.list_operator_rows()?.into_iter().filter(is_manager).collect())
    }
}

impl Operator {
    fn of(row: &OperatorRow) -> Operator {
        // The database takes no other word; whoever it would be may not decide.
        let role = Role::find(&row.role).unwrap_or(Role::Cashier);
        Operator { operator_id: row.operator_id.clone(), name: row.name.clone(), role }
    }
}

/// A new person, with the PIN hashed.
pub(crate) fn new_operator(ids: &dyn Ids, name: &str, role: Role, pin: &str) -> Result<OperatorRow, Error> {
    let name = name.trim();
    if name.is_empty() {
        return Err(Error::BadInput("an operator needs a name".into()));
    }
    Ok(OperatorRow {
        operator_id: ids.uuid().to_string(),
        name: name.to_owned(),
        role: role.as_str().to_owned(),
        pin_hash: hash_pin(pin)?,
        wrong_pins: 0,
        locked_until: None,
    })
}

/// The argon2id hash of a PIN of at least four characters.
pub(crate) fn hash_pin(pin: &str) -> Result<String, Error> {
    if pin.chars().count() < SHORTEST_PIN {
        return Err(Error::BadInput(format!("a PIN has at least {SHORTEST_PIN} digits")));
    }
    let hash = Argon2::default()
        .hash_password(pin.as_bytes())
        .map_err(|_| Error::BadInput("this PIN cannot be kept".into()))?;
    Ok(hash.to_string())
}

const SHORTEST_PIN: usize = 4;

fn is_pin_of(operator: &OperatorRow, pin: &str) -> bool {
    PasswordHash::new(&operator.pin_hash)
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
    fn a_pin_says_how_often_it_may_be_tried_and_how_long_it_is_locked() {
        let (_folder, database) = shop();
        let state = |now| database.list_pins(UtcMs(now)).unwrap().remove(0);
        assert!(database.check_pin("000000", UtcMs(1)).is_err());
        assert_eq!((state(1).tries_left, state(1).locked), (MOST_WRONG_PINS - 1, Duration::ZERO));
        for _ in 1..MOST_WRONG_PINS {
            assert!(database.check_pin("000000", UtcMs(1)).is_err());
        }
        assert_eq!(state(60_001).locked, LOCK_OUT - Duration::from_secs(60));
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
