//! Money that goes back: how refunds are noted on a payment. Sums never exceed what a trade brought.

use crate::outcome::{CaseKind, Outcome, Step, WishRefused, is_ours};
use crate::record::{Booked, Payment, Refund, RefundOrigin, RefundStatus};
use crate::status::Status;
use crate::{Fen, RefundFact, TradeNo};

/// Notes a refund that has moved money.
pub(crate) fn note_refund(payment: &Payment, fact: &RefundFact, origin: RefundOrigin) -> Outcome {
    match payment.status {
        // The payment comes first: ask for it, then for its refunds.
        Status::Init | Status::Precreated | Status::Paying | Status::Closing | Status::Closed(_) | Status::Fail(_) => {
            let outcome = Outcome::unchanged(payment, Step::Query);
            if is_ours(origin) {
                return outcome.with_case(CaseKind::Contradiction, Some(&fact.trade_no), fact.amount);
            }
            outcome
        }
        Status::Success(_) | Status::Suspense => note_on_money(payment, fact, origin),
    }
}

fn note_on_money(payment: &Payment, fact: &RefundFact, origin: RefundOrigin) -> Outcome {
    let contradiction = || {
        Outcome::unchanged(payment, Step::Rest).with_case(CaseKind::Contradiction, Some(&fact.trade_no), fact.amount)
    };
    let mut after = payment.clone();
    let is_new = match find_known(&mut after.refunds, fact) {
        Some(known) if known.amount != fact.amount => return contradiction(),
        Some(known) => {
            known.status = RefundStatus::Success;
            known.out_request_no.clone_from(&fact.out_request_no);
            false
        }
        None => true,
    };
    if is_new {
        after.refunds.push(moved(fact, origin));
    }
    take_out_of_sum(&mut after, &fact.trade_no);
    // More went back than came: one of the two is not true.
    if after.books().is_err() {
        return contradiction();
    }
    let is_more = after.refunded_of(&fact.trade_no) > payment.refunded_of(&fact.trade_no);
    let outcome = Outcome::changed(after, Step::Rest);
    if is_new && is_more && !is_ours(origin) {
        return outcome.with_case(CaseKind::RefundedElsewhere, Some(&fact.trade_no), fact.amount);
    }
    outcome
}

/// The refund of this number; else the one of the same money of which only the fact was known so far.
fn find_known<'a>(refunds: &'a mut [Refund], fact: &RefundFact) -> Option<&'a mut Refund> {
    let same_number = |refund: &Refund| refund.out_request_no.is_some() && refund.out_request_no == fact.out_request_no;
    let same_money = |refund: &Refund| refund.out_request_no.is_none() && refund.amount == fact.amount;
    let of_trade = |refund: &Refund| refund.trade_no == fact.trade_no;
    let place = refunds
        .iter()
        .position(|refund| of_trade(refund) && same_number(refund))
        .or_else(|| refunds.iter().position(|refund| of_trade(refund) && same_money(refund)))?;
    refunds.get_mut(place)
}

/// A refund that is known now was part of the sum of which only the fact was known, not more of it.
fn take_out_of_sum(payment: &mut Payment, trade_no: &TradeNo) {
    let received = payment.find_receipt(trade_no).map_or(Fen::ZERO, |receipt| receipt.total);
    let excess = payment.refunded_of(trade_no).minus(received).unwrap_or(Fen::ZERO);
    let is_sum = |refund: &Refund| {
        refund.trade_no == *trade_no && refund.out_request_no.is_none() && refund.status == RefundStatus::Success
    };
    for sum in payment.refunds.iter_mut().filter(|refund| is_sum(refund)) {
        match sum.amount.minus(excess) {
            Some(Fen::ZERO) => sum.status = RefundStatus::Fail,
            Some(rest) => sum.amount = rest,
            None => continue,
        }
        return;
    }
}

fn moved(fact: &RefundFact, origin: RefundOrigin) -> Refund {
    Refund {
        trade_no: fact.trade_no.clone(),
        out_request_no: fact.out_request_no.clone(),
        amount: fact.amount,
        origin,
        status: RefundStatus::Success,
    }
}

/// A paid trade is closed: everything went back. What our own refunds do not explain was done elsewhere.
pub(crate) fn refund_rest(outcome: Outcome, trade_no: &TradeNo) -> Outcome {
    let rest = undecided(&outcome.payment, trade_no);
    let outcome = outcome.and_then(Step::QueryRefunds);
    if rest.is_zero() {
        return outcome;
    }
    let fact = RefundFact { trade_no: trade_no.clone(), out_request_no: None, amount: rest };
    push(outcome, &fact, RefundOrigin::Foreign).with_case(CaseKind::RefundedElsewhere, Some(trade_no), rest)
}

/// `cancel` gave back what was left of a trade.
pub(crate) fn cancel_rest(outcome: Outcome, trade_no: &TradeNo) -> Outcome {
    let rest = undecided(&outcome.payment, trade_no);
    let outcome = outcome.and_then(Step::QueryRefunds);
    if rest.is_zero() {
        return outcome;
    }
    let fact = RefundFact { trade_no: trade_no.clone(), out_request_no: None, amount: rest };
    push(outcome, &fact, RefundOrigin::Cancel)
}

fn push(mut outcome: Outcome, fact: &RefundFact, origin: RefundOrigin) -> Outcome {
    outcome.payment.refunds.push(moved(fact, origin));
    outcome
}

/// What a trade brought, less every refund of it that is not refused for good.
pub(crate) fn undecided(payment: &Payment, trade_no: &TradeNo) -> Fen {
    let known = payment
        .refunds
        .iter()
        .filter(|refund| refund.trade_no == *trade_no && refund.status != RefundStatus::Fail)
        .map(|refund| refund.amount);
    payment.find_receipt(trade_no).and_then(|receipt| receipt.total.minus(Fen::sum(known)?)).unwrap_or(Fen::ZERO)
}

/// A person decides that money in suspense goes back: the refund is written down, to be sent.
pub(crate) fn return_money(payment: &Payment, trade_no: &TradeNo, out_request_no: &str) -> Outcome {
    match payment.status {
        Status::Success(_) | Status::Suspense => {}
        Status::Init | Status::Precreated | Status::Paying | Status::Closing | Status::Closed(_) | Status::Fail(_) => {
            return Outcome::refused(payment, WishRefused::NotNow);
        }
    }
    let in_suspense = payment.find_receipt(trade_no).is_some_and(|receipt| receipt.booked == Booked::Suspense);
    let rest = undecided(payment, trade_no);
    if !in_suspense || rest.is_zero() {
        return Outcome::refused(payment, WishRefused::NoSuchMoney);
    }
    let refund = Refund {
        trade_no: trade_no.clone(),
        out_request_no: Some(out_request_no.to_owned()),
        amount: rest,
        origin: RefundOrigin::Ours,
        status: RefundStatus::Init,
    };
    let mut after = payment.clone();
    after.refunds.push(refund);
    Outcome::changed(after, Step::Rest)
}
