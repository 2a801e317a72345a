//! Who asked and who approved. An [`Approval`] is made here alone, for one act and one amount, and is used up by it.

use crate::database::NewEvent;
use crate::ids::new_id;
use crate::operators::{hash_pin, new_operator};
use crate::{Engine, Error, Operator, PinError, Role};
use serde_json::json;
use yidan_payment::{CaseId, Fen, PaymentId};

/// What is to be approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Money of a payment goes back. A cashier may approve it up to the shop's limit.
    Refund {
        /// Of which payment.
        pay_id: PaymentId,
        /// How much.
        amount: Fen,
    },
    /// A case is decided.
    Decide(CaseId),
    /// Operators or rules of the shop are changed.
    Rule,
}

/// Who asks, who approves, and the approver's PIN.
#[derive(Clone, Copy)]
pub struct Signature<'a> {
    /// Who asks: the operator at the screen. Empty: the approver.
    pub asked_by: &'a str,
    /// Whose PIN it is; may be who asks.
    pub approved_by: &'a str,
    /// The PIN. Never logged.
    pub pin: &'a str,
}

/// That somebody who may has approved one act. Only [`Engine::authorise`] makes it, and an instruction of headquarters.
#[derive(Debug)]
pub struct Approval {
    act: Act,
    asked_by: String,
    approved_by: String,
}

impl Approval {
    /// Who asked.
    #[must_use]
    pub fn asked_by(&self) -> &str {
        &self.asked_by
    }

    /// Who approved.
    #[must_use]
    pub fn approved_by(&self) -> &str {
        &self.approved_by
    }

    /// What somebody at headquarters has decided there, and told this terminal to do.
    pub(crate) fn of_headquarters(act: Act, by: &str) -> Approval {
        let name = format!("hq:{by}");
        Approval { act, asked_by: name.clone(), approved_by: name }
    }

    /// # Errors
    /// [`Error::NotApproved`] if it was given for something else.
    pub(crate) fn check(&self, act: Act) -> Result<(), Error> {
        if self.act == act { Ok(()) } else { Err(Error::NotApproved) }
    }
}

/// The shop's rules for money that goes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefundRules {
    /// Up to this amount a cashier may give back with their own PIN; nothing: every refund needs a manager's.
    pub cashier_limit: Fen,
    /// Whether somebody else than who asks must approve what is above the limit.
    pub approver_must_differ: bool,
}

const LIMIT: &str = "refund_limit_fen";
const MUST_DIFFER: &str = "approver_must_differ";

impl Engine {
    /// Checks the approver's PIN and whether they may approve this.
    ///
    /// # Errors
    /// See [`PinError`]. A wrong PIN is counted, and locks that person after five.
    pub fn authorise(&self, act: Act, who: Signature<'_>) -> Result<Approval, PinError> {
        let approver = self.database.check_operator(who.approved_by, who.pin, self.now())?;
        let asked_by = if who.asked_by.is_empty() { who.approved_by } else { who.asked_by };
        self.check_may(act, &approver, asked_by)?;
        Ok(Approval { act, asked_by: asked_by.to_owned(), approved_by: approver.operator_id })
    }

    fn check_may(&self, act: Act, approver: &Operator, asked_by: &str) -> Result<(), PinError> {
        let rules = self.refund_rules()?;
        let is_small = match act {
            Act::Refund { amount, .. } => amount <= rules.cashier_limit,
            Act::Decide(_) | Act::Rule => false,
        };
        let must_differ = match act {
            Act::Refund { .. } | Act::Decide(_) => rules.approver_must_differ && !is_small,
            Act::Rule => false,
        };
        match approver.role {
            Role::Cashier if !is_small => Err(PinError::NotAllowed),
            Role::Cashier | Role::Manager if must_differ && approver.operator_id == asked_by => {
                Err(PinError::MustDiffer)
            }
            Role::Cashier | Role::Manager => Ok(()),
        }
    }

    /// The shop's rules for money that goes back.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn refund_rules(&self) -> Result<RefundRules, Error> {
        let limit = self.database.find_setting(LIMIT)?.and_then(|text| text.parse::<i64>().ok());
        Ok(RefundRules {
            // What cannot be read allows nothing.
            cashier_limit: limit.and_then(|fen| Fen::from_fen(fen).ok()).unwrap_or(Fen::ZERO),
            approver_must_differ: self.database.find_setting(MUST_DIFFER)?.is_some_and(|text| text == "1"),
        })
    }

    /// Changes the shop's rules for money that goes back.
    ///
    /// # Errors
    /// [`Error::NotApproved`]; [`Error::Storage`].
    pub fn save_refund_rules(&self, rules: RefundRules, approval: &Approval) -> Result<(), Error> {
        approval.check(Act::Rule)?;
        let limit = rules.cashier_limit.as_fen().to_string();
        let differ = if rules.approver_must_differ { "1" } else { "0" };
        let said =
            json!({ "refund_limit_fen": rules.cashier_limit, "approver_must_differ": rules.approver_must_differ });
        self.database
            .save_rules(&[(LIMIT, &limit), (MUST_DIFFER, differ)], self.staff_event("rules-changed", said, approval))?;
        self.outbox.notify_one();
        Ok(())
    }

    /// Takes on an operator.
    ///
    /// # Errors
    /// [`Error::BadInput`] without a name or with too short a PIN; [`Error::NotApproved`]; [`Error::Storage`].
    pub fn add_operator(&self, name: &str, role: Role, pin: &str, approval: &Approval) -> Result<Operator, Error> {
        approval.check(Act::Rule)?;
        let row = new_operator(self.ids.as_ref(), name, role, pin)?;
        let operator = Operator { operator_id: row.operator_id.clone(), name: row.name.clone(), role };
        let said = json!({ "operator_id": row.operator_id, "name": row.name, "role": row.role });
        self.database.save_operator(&row, self.now(), self.staff_event("operator-added", said, approval))?;
        self.outbox.notify_one();
        Ok(operator)
    }

    /// Lets an operator go. The last manager stays.
    ///
    /// # Errors
    /// [`Error::BadInput`] for the last manager or for nobody; [`Error::NotApproved`]; [`Error::Storage`].
    pub fn remove_operator(&self, operator_id: &str, approval: &Approval) -> Result<(), Error> {
        approval.check(Act::Rule)?;
        let everybody = self.database.list_operators()?;
        let leaver = everybody.iter().find(|operator| operator.operator_id == operator_id);
        let leaver = leaver.ok_or_else(|| Error::BadInput("there is no such operator".into()))?;
        let managers = everybody.iter().filter(|operator| operator.role == Role::Manager).count();
        if leaver.role == Role::Manager && managers == 1 {
            return Err(Error::BadInput("the last manager must stay".into()));
        }
        let said = json!({ "operator_id": operator_id });
        self.database.retire_operator(operator_id, self.now(), self.staff_event("operator-removed", said, approval))?;
        self.outbox.notify_one();
        Ok(())
    }

    /// Changes a PIN: one's own with the old one, or anybody's with a manager's approval (see [`Engine::reset_pin`]).
    ///
    /// # Errors
    /// See [`PinError`].
    pub fn change_pin(&self, operator_id: &str, old: &str, new: &str) -> Result<(), PinError> {
        let operator = self.database.check_operator(operator_id, old, self.now())?;
        let own =
            Approval { act: Act::Rule, asked_by: operator.operator_id.clone(), approved_by: operator.operator_id };
        Ok(self.reset_pin(operator_id, new, &own)?)
    }

    /// Gives an operator a new PIN and forgets the wrong ones.
    ///
    /// # Errors
    /// [`Error::BadInput`] for too short a PIN; [`Error::NotApproved`]; [`Error::Storage`].
    pub fn reset_pin(&self, operator_id: &str, new: &str, approval: &Approval) -> Result<(), Error> {
        approval.check(Act::Rule)?;
        let said = json!({ "operator_id": operator_id });
        self.database.save_pin(operator_id, &hash_pin(new)?, self.staff_event("pin-changed", said, approval))?;
        self.outbox.notify_one();
        Ok(())
    }

    fn staff_event(&self, kind: &'static str, mut said: serde_json::Value, approval: &Approval) -> NewEvent {
        said["approved_by"] = approval.approved_by.clone().into();
        let event_id = new_id(self.ids.as_ref());
        NewEvent { event_id, kind, pay_id: None, at: self.now(), payload: said.to_string() }
    }
}
