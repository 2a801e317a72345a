//! Who works at this counter, and what they may do alone.

use super::Pin;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Everybody, and the rules about refunds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct PeopleView {
    pub people: Vec<PersonView>,
    /// Up to this amount a cashier may give back with their own PIN.
    pub cashier_limit: String,
    /// Above it somebody else than who asks must agree.
    pub approver_must_differ: bool,
}

/// Somebody of the shop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct PersonView {
    pub operator_id: String,
    pub name: String,
    pub role: Role,
    /// Seconds until the lock of the PIN opens; 0 if there is none.
    pub locked_seconds: i64,
}

/// What somebody may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Role {
    Cashier,
    Manager,
}

/// A change of who works here, and the manager who agrees.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct PeopleDraft {
    pub change: PeopleChange,
    pub approver: String,
    #[ts(type = "string")]
    pub pin: Pin,
}

/// What changes.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(tag = "kind")]
pub enum PeopleChange {
    Join {
        name: String,
        role: Role,
        #[ts(type = "string")]
        new_pin: Pin,
    },
    NewPin {
        operator_id: String,
        #[ts(type = "string")]
        new_pin: Pin,
    },
    Leave {
        operator_id: String,
    },
    Rules {
        cashier_limit: String,
        approver_must_differ: bool,
    },
}
