//! Cases are decided here, once each, by a person who may.
//!
//! Must always hold: the first decision stands and is told to whoever comes later; recognised money never makes a second
//! charge of one sale; money that goes back keeps its case open until it is back. Deliberately absent: any decision by
//! the program itself.

use crate::database::{
    CaseRow, DecisionRow, RowError, WriteError, find_case, is_sale_paid, list_live_of_sale, save_decision,
};
use crate::ids::new_id;
use crate::record::{News, load};
use crate::{Act, Approval, Engine, Error};
use rusqlite::{Connection, Transaction};
use std::rc::Rc;
use yidan_payment::{
    Booked, CaseId, CaseKind, Input, Outcome, Payment, RefundStatus, RefundWish, SaleId, Step, TradeNo, UtcMs,
    WishRefused, apply,
};
use yidan_wire::{DecisionState, EventKind};

/// What a person decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The money pays for the sale; money of a second trade pays for a sale of its own.
    Recognise,
    /// The money goes back, all that is left of it.
    Refund,
    /// The goods were handed over: the money stays as it is booked.
    Keep,
    /// It was looked at; nothing is to be done.
    Seen {
        /// What was found.
        note: String,
    },
}

impl Decision {
    /// The word stored in the database.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Decision::Recognise => "RECOGNISE",
            Decision::Refund => "REFUND",
            Decision::Keep => "KEEP",
            Decision::Seen { .. } => "SEEN",
        }
    }

    fn note(&self) -> Option<&str> {
        match self {
            Decision::Seen { note } => Some(note.trim()),
            Decision::Recognise | Decision::Refund | Decision::Keep => None,
        }
    }

    /// Whether a case may be decided so. `has_money`: it is about money that came and is still here.
    #[must_use]
    pub fn fits(&self, kind: CaseKind, has_money: bool) -> bool {
        match (kind, self) {
            (CaseKind::LatePayment | CaseKind::DuplicatePayment | CaseKind::AmountMismatch, Decision::Recognise)
            | (CaseKind::LatePayment | CaseKind::DuplicatePayment | CaseKind::AmountMismatch, Decision::Refund)
            | (CaseKind::PaidAfterStop, Decision::Keep | Decision::Refund) => has_money,
            (
                CaseKind::LatePayment | CaseKind::DuplicatePayment | CaseKind::AmountMismatch | CaseKind::PaidAfterStop,
                Decision::Seen { .. },
            ) => !has_money,
            (
                CaseKind::Contradiction
                | CaseKind::TradeVanished
                | CaseKind::ClosedButAlive
                | CaseKind::ChannelMissing
                | CaseKind::RefundedElsewhere,
                Decision::Seen { note },
            ) => !note.trim().is_empty(),
            (_, Decision::Recognise | Decision::Refund | Decision::Keep) => false,
        }
    }
}

impl Engine {
    /// Decides a case, once. Returns it as it is afterwards: a refund keeps it open until the money is back.
    ///
    /// After a refund that was refused for good it may be decided again; the same decision tries the same number.
    ///
    /// # Errors
    /// [`Error::AlreadyDecided`] tells the first decision; [`Error::StillPayable`] if another payment of the sale lives or
    /// is paid; [`WishRefused::NotNow`] if this kind of case is not decided so; [`Error::NotApproved`] (a manager's
    /// [`Act::Decide`]); [`Error::Storage`].
    pub async fn decide(
        self: &Rc<Self>,
        case_id: CaseId,
        decision: Decision,
        approval: Approval,
    ) -> Result<CaseRow, Rc<Error>> {
        approval.check(Act::Decide(case_id)).map_err(Rc::new)?;
        let outcome = self.write_decision(case_id, &decision, &approval).map_err(Rc::new)?;
        self.after_refund_written(&outcome);
        if outcome.then == Step::QueryRefunds {
            self.advance_with(outcome.payment.pay_id, Step::QueryRefunds).await?;
        }
        let case = self.database.find_case(case_id).map_err(Rc::new)?;
        case.ok_or_else(|| Rc::new(WishRefused::NoSuchMoney.into()))
    }

    /// Whether money of this payment in suspense may pay for its sale now: nothing else of the sale lives or is paid.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn may_recognise(&self, payment: &Payment) -> Result<bool, Error> {
        self.database.read("look for money of the sale", |connection| Ok(!is_charged_elsewhere(connection, payment)?))
    }

    fn write_decision(&self, case_id: CaseId, decision: &Decision, approval: &Approval) -> Result<Outcome, Error> {
        let now = self.now();
        self.database.write("write down a decision", |transaction| {
            let case = find_case(transaction, case_id)?.ok_or_else(|| refused(WishRefused::NoSuchMoney))?;
            let payment = load(transaction, case.pay_id)?;
            refuse_second(&case, &payment)?;
            let trade_no = case.trade_no.as_ref().filter(|trade_no| is_here(&payment, trade_no));
            if !decision.fits(case.kind, trade_no.is_some()) {
                return Err(refused(WishRefused::NotNow));
            }
            let input = self.input_of(transaction, &case, &payment, decision, (approval, now))?;
            let outcome = match &input {
                Some(input) => apply(&payment, input, now),
                None => Outcome { payment: payment.clone(), then: Step::Rest, cases: Vec::new(), refused: None },
            };
            if let Some(why) = outcome.refused {
                return Err(refused(why));
            }
            // Money that goes back is not decided before it is back.
            let is_resolved = *decision != Decision::Refund;
            let by = approval.approved_by();
            let row = DecisionRow { decision: decision.as_str(), by, note: decision.note(), at: now, is_resolved };
            save_decision(transaction, case_id, &row)?;
            let told = [reported(&case, decision, by, is_resolved)];
            match &input {
                Some(input) => {
                    self.write_outcome(transaction, &payment, &outcome, (input, None, &told), now)?;
                }
                None => {
                    let news = News { decided: &told, ..News::of(EventKind::Decided) };
                    self.append(transaction, &payment, &news, now)?;
                }
            }
            Ok(outcome)
        })
    }

    /// What the decision means for the payment; nothing if it stays as it is.
    fn input_of(
        &self,
        transaction: &Transaction<'_>,
        case: &CaseRow,
        payment: &Payment,
        decision: &Decision,
        (approval, now): (&Approval, UtcMs),
    ) -> Result<Option<Input>, WriteError> {
        let trade_no = case.trade_no.clone();
        match (decision, trade_no) {
            (Decision::Recognise, Some(trade_no)) => {
                refuse_second_charge(transaction, payment)?;
                Ok(Some(Input::Recognise { trade_no, new_sale_id: SaleId::new(self.ids.uuid()) }))
            }
            (Decision::Refund, Some(trade_no)) => Ok(Some(self.refund_of(case, payment, trade_no, (approval, now)))),
            (Decision::Recognise | Decision::Refund, None) => Err(refused(WishRefused::NoSuchMoney)),
            (Decision::Keep | Decision::Seen { .. }, _) => Ok(None),
        }
    }

    fn refund_of(
        &self,
        case: &CaseRow,
        payment: &Payment,
        trade_no: TradeNo,
        (approval, now): (&Approval, UtcMs),
    ) -> Input {
        if let Some(number) = find_failed(payment, &trade_no) {
            return Input::Retry { out_request_no: number, approver_id: approval.approved_by().to_owned() };
        }
        let wish = RefundWish {
            request_id: new_id(self.ids.as_ref()),
            reason: reason_of(case.kind).to_owned(),
            operator_id: approval.asked_by().to_owned(),
            approver_id: approval.approved_by().to_owned(),
            asked_at: now,
        };
        let booked = payment.find_receipt(&trade_no).map_or(Booked::Suspense, |receipt| receipt.booked);
        let out_request_no = payment.next_refund_number(booked);
        match booked {
            Booked::Suspense => Input::Return { trade_no, out_request_no, wish },
            Booked::Recognised => {
                let amount = payment.refundable(&trade_no);
                Input::Refund { trade_no, out_request_no, amount, wish }
            }
        }
    }
}

/// A case is decided once, unless its refund was refused for good.
fn refuse_second(case: &CaseRow, payment: &Payment) -> Result<(), WriteError> {
    let first = match (&case.decision, &case.decided) {
        (Some(decision), Some((by, at))) => Some((decision.clone(), by.clone(), *at)),
        _undecided => case.resolution.clone().zip(case.resolved.clone()).map(|(how, (by, at))| (how, by, at)),
    };
    let Some((decision, by, at)) = first else { return Ok(()) };
    let has_failed = case.trade_no.as_ref().is_some_and(|trade_no| find_failed(payment, trade_no).is_some());
    if case.is_open && has_failed {
        return Ok(());
    }
    Err(WriteError::Refused(Error::AlreadyDecided { decision, by, at }))
}

/// The number of a refund of this trade that was refused for good, if none of it is under way or done.
fn find_failed(payment: &Payment, trade_no: &TradeNo) -> Option<String> {
    let mut of_trade = payment.refunds.iter().filter(|refund| refund.trade_no == *trade_no);
    let last = of_trade.next_back()?;
    match last.status {
        RefundStatus::Fail if last.wish.is_some() && last.amount == payment.refundable(trade_no) => {
            last.out_request_no.clone()
        }
        RefundStatus::Init | RefundStatus::Processing | RefundStatus::Success | RefundStatus::Fail => None,
    }
}

fn is_here(payment: &Payment, trade_no: &TradeNo) -> bool {
    payment.find_receipt(trade_no).is_some_and(|receipt| payment.refunded_of(trade_no) < receipt.total)
}

/// Recognised money must be the sale's only charge. A second trade of a paid payment gets a sale of its own.
fn refuse_second_charge(transaction: &Transaction<'_>, payment: &Payment) -> Result<(), WriteError> {
    if is_charged_elsewhere(transaction, payment)? {
        return Err(WriteError::Refused(Error::StillPayable));
    }
    Ok(())
}

fn is_charged_elsewhere(connection: &Connection, payment: &Payment) -> Result<bool, RowError> {
    let live = list_live_of_sale(connection, payment.sale_id)?;
    Ok(live.iter().any(|pay_id| *pay_id != payment.pay_id) || is_sale_paid(connection, payment)?)
}

fn reported(case: &CaseRow, decision: &Decision, by: &str, is_resolved: bool) -> DecisionState {
    DecisionState {
        kind: case.kind,
        trade_no: case.trade_no.clone(),
        decision: decision.as_str().to_owned(),
        decided_by: by.to_owned(),
        note: decision.note().map(ToOwned::to_owned),
        is_resolved,
    }
}

fn reason_of(kind: CaseKind) -> &'static str {
    match kind {
        CaseKind::DuplicatePayment => "重复付款退回",
        CaseKind::AmountMismatch => "金额不符退回",
        CaseKind::LatePayment => "订单已关闭，付款退回",
        CaseKind::PaidAfterStop => "订单已取消，付款退回",
        CaseKind::Contradiction
        | CaseKind::TradeVanished
        | CaseKind::ClosedButAlive
        | CaseKind::ChannelMissing
        | CaseKind::RefundedElsewhere => "退款",
    }
}

fn refused(why: WishRefused) -> WriteError {
    WriteError::Refused(why.into())
}
