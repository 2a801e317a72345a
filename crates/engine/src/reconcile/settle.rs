//! Doing what a plan says. Every action is durable by itself; what is done is not found again.

use super::forgotten::Remembered;
use super::{Action, BillTrouble, Difference};
use crate::database::{self, Scope, WriteError};
use crate::record::News;
use crate::{Engine, Error};
use std::rc::Rc;
use yidan_payment::{CaseKind, Fen, Finding, NewCase, PaymentId, Proposal};
use yidan_wire::{CaseState, EventKind};

/// Booking a payment may show its refunds, and those a contradiction; it never goes further.
const MOST_ROUNDS: usize = 5;

/// What came of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settlement {
    /// Differences that are gone: the gateway's signed answer made our books say the same.
    pub booked: Vec<Finding>,
    /// Differences that a case tells about.
    pub cases: Vec<Finding>,
    /// Differences that a person was told about, since no payment of ours is concerned.
    pub told: Vec<Finding>,
    /// Differences about which the gateway gave no usable answer. Run it again.
    pub unanswered: Vec<Finding>,
    /// How many payments that had ended without a trade were asked for once more.
    pub asked_again: usize,
}

impl Engine {
    /// Does what [`Engine::plan_bill`] says, until nothing is left to do or the gateway gives no answer.
    ///
    /// May be interrupted anywhere and called again: the same things come of it.
    ///
    /// # Errors
    /// [`BillTrouble::NotRead`]; [`BillTrouble::Engine`].
    pub async fn settle_bill(self: &Rc<Self>, day: &str) -> Result<Settlement, BillTrouble> {
        let mut settlement = Settlement::default();
        for _ in 0..MOST_ROUNDS {
            let plan = self.plan_bill(day)?;
            let is_new = |difference: &Difference| !settlement.unanswered.contains(&difference.finding);
            let todo: Vec<Difference> = plan.differences.into_iter().filter(is_new).collect();
            if todo.is_empty() {
                break;
            }
            for difference in todo {
                self.settle(day, difference, &mut settlement).await?;
            }
        }
        for pay_id in self.plan_bill(day)?.ask_again {
            settlement.asked_again += usize::from(self.ask_again(day, pay_id).await?);
        }
        Ok(settlement)
    }

    /// A person has looked at a difference that belongs to no payment of ours.
    ///
    /// # Errors
    /// [`Error::BadInput`] if it does not wait for anybody; [`Error::Storage`].
    pub fn resolve_finding(&self, finding: &Finding, resolution: &str, operator_id: &str) -> Result<(), Error> {
        let now = self.clock.now();
        let event_id = crate::ids::new_id(self.ids.as_ref());
        let payload = serde_json::json!({
            "class": finding.class.as_str(), "out_trade_no": finding.out_trade_no, "trade_no": finding.trade_no,
            "resolution": resolution, "operator_id": operator_id,
        });
        self.database.write("resolve a difference", |transaction| {
            if !database::resolve_finding(transaction, finding, resolution, operator_id, now)? {
                let why = "this difference does not wait for a decision; look at the list again".into();
                return Err(WriteError::Refused(Error::BadInput(why)));
            }
            let payload = payload.to_string();
            database::append(
                transaction,
                database::NewEvent { event_id, kind: "finding-resolved", pay_id: None, at: now, payload },
            )
        })?;
        self.outbox.notify_one();
        Ok(())
    }

    async fn settle(
        self: &Rc<Self>,
        day: &str,
        difference: Difference,
        settlement: &mut Settlement,
    ) -> Result<(), Rc<Error>> {
        let Difference { finding, action } = difference;
        let is_answered = match (action, finding.pay_id) {
            (Action::AskTrade | Action::OpenCase(_), Some(pay_id)) => {
                self.ask_live(pay_id).await?.answered_at.is_some()
            }
            (Action::AskRefund, Some(pay_id)) => {
                let number = finding.out_request_no.as_deref();
                self.ask_refund_live(pay_id, number).await?.answered_at.is_some()
            }
            (Action::WriteDownAgain, None) => match self.remember(&finding).await? {
                Remembered::Booked => true,
                Remembered::Unanswered => false,
                Remembered::NoSuchTrade => return self.tell_person(day, finding, settlement),
            },
            (_, None | Some(_)) => return self.tell_person(day, finding, settlement),
        };
        if !is_answered {
            settlement.unanswered.push(finding);
            return Ok(());
        }
        if !self.still_differs(&finding)? {
            settlement.booked.push(finding);
            return Ok(());
        }
        let kind = match action {
            Action::OpenCase(kind) => kind,
            // The bill says one thing and the gateway's signed answer another.
            Action::AskTrade | Action::AskRefund | Action::WriteDownAgain | Action::TellAPerson => {
                CaseKind::Contradiction
            }
        };
        self.open_case_of_bill(day, &finding, kind)?;
        settlement.cases.push(finding);
        Ok(())
    }

    async fn ask_again(self: &Rc<Self>, day: &str, pay_id: PaymentId) -> Result<bool, Rc<Error>> {
        if self.ask_live(pay_id).await?.answered_at.is_none() {
            return Ok(false);
        }
        let now = self.clock.now();
        self.database.write("remember who was asked again", |transaction| {
            database::keep_asked_again(transaction, day, pay_id, now)
        })?;
        Ok(true)
    }

    fn still_differs(&self, finding: &Finding) -> Result<bool, Error> {
        let sides = self.database.load_sides(&Scope::Number(&finding.out_trade_no))?;
        let same = |found: &Finding| {
            (found.class, &found.trade_no, &found.out_request_no)
                == (finding.class, &finding.trade_no, &finding.out_request_no)
        };
        Ok(self.compare(&sides).iter().any(same))
    }

    fn tell_person(&self, day: &str, finding: Finding, settlement: &mut Settlement) -> Result<(), Rc<Error>> {
        let now = self.clock.now();
        let due = now.after(self.limits.case_due);
        let event_id = crate::ids::new_id(self.ids.as_ref());
        let payload = serde_json::json!({
            "bill_day": day, "class": finding.class.as_str(), "out_trade_no": finding.out_trade_no,
            "trade_no": finding.trade_no, "bill_fen": finding.bill_fen,
        });
        self.database.write("tell a person of a difference", |transaction| {
            database::keep_finding(transaction, day, &finding, true, (now, due))?;
            let payload = payload.to_string();
            database::append(
                transaction,
                database::NewEvent { event_id, kind: "finding", pay_id: None, at: now, payload },
            )
        })?;
        self.outbox.notify_one();
        tracing::warn!(out_trade_no = finding.out_trade_no, class = finding.class.as_str(), "a person must look");
        settlement.told.push(finding);
        Ok(())
    }

    /// The case and the mark that it was opened are one transaction: it is opened once, whenever it is decided.
    fn open_case_of_bill(&self, day: &str, finding: &Finding, kind: CaseKind) -> Result<(), Error> {
        let Some(pay_id) = finding.pay_id else { return Ok(()) };
        let now = self.clock.now();
        let amount = Fen::from_fen(finding.bill_fen.or(finding.our_fen).unwrap_or(0).abs()).unwrap_or_default();
        let case = NewCase { kind, trade_no: Some(finding.trade_no.clone()), amount };
        let payment = self.database.load_payment(pay_id)?;
        let is_new = self.database.write("open a case of a bill", |transaction| {
            database::keep_finding(transaction, day, finding, false, (now, now))?;
            let case_id = crate::ids::new_id(self.ids.as_ref());
            let due = now.after(self.limits.case_due);
            // Whatever the kind proposes elsewhere: the bill alone moves nothing, so somebody must look first.
            let is_new = database::open_case(transaction, case_id, pay_id, &case, Proposal::Look, (now, due))?;
            if is_new {
                let state = CaseState { kind, trade_no: case.trade_no.clone(), amount_fen: amount };
                let news = News { opened: &[state], ..News::of(EventKind::Noticed) };
                self.append(transaction, &payment, &news, now)?;
            }
            Ok(is_new)
        })?;
        if is_new {
            tracing::warn!(out_trade_no = %payment.out_trade_no, kind = kind.as_str(), "a case was opened by a bill");
            self.tell(pay_id);
            self.outbox.notify_one();
        }
        Ok(())
    }
}
