//! Who works at this counter, and what they may do alone.

use super::Pin;
use super::refund::seconds_up;
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use yidan_engine::{Engine, Error, PinState};

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

impl From<yidan_engine::Role> for Role {
    fn from(role: yidan_engine::Role) -> Role {
        match role {
            yidan_engine::Role::Cashier => Role::Cashier,
            yidan_engine::Role::Manager => Role::Manager,
        }
    }
}

impl From<Role> for yidan_engine::Role {
    fn from(role: Role) -> yidan_engine::Role {
        match role {
            Role::Cashier => yidan_engine::Role::Cashier,
            Role::Manager => yidan_engine::Role::Manager,
        }
    }
}

/// Shows everybody, and the rules.
///
/// # Errors
/// [`Error::Storage`].
pub fn show_people(engine: &Engine) -> Result<PeopleView, Error> {
    let rules = engine.refund_rules()?;
    let show = |state: PinState| PersonView {
        operator_id: state.operator.operator_id,
        name: state.operator.name,
        role: state.operator.role.into(),
        locked_seconds: seconds_up(state.locked),
    };
    Ok(PeopleView {
        people: engine.database().list_pins(engine.now())?.into_iter().map(show).collect(),
        cashier_limit: rules.cashier_limit.to_string(),
        approver_must_differ: rules.approver_must_differ,
    })
}
