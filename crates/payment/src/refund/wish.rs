//! What people wish: money goes back, or a refused refund is tried again.
//!
//! Must always hold: one refund of a payment is under way at a time; a wish of as much replaces the one that failed, so
//! that two people who mean the same money move it once.

use super::{HeldBack, undecided};
use crate::outcome::{Outcome, Step, WishRefused, is_ours};
use crate::record::{Booked, Payment, Refund, RefundOrigin, RefundStatus, RefundWish};
use crate::status::Status;
use crate::{Fen, TradeNo};

/// A person decides that money in suspense goes back: the refund is written down, to be sent.
pub(crate) fn return_money(payment: &Payment, trade_no: &TradeNo, number: &str, wish: &RefundWish) -> Outcome {
    let amount = undecided(payment, trade_no);
    if !has_booked(payment, trade_no, Booked::Suspense) || amount.is_zero() {
        return Outcome::refused(payment, or_not_now(payment, WishRefused::NoSuchMoney));
    }
    write_down(payment, trade_no, number, amount, wish)
}

/// An operator gives back money that pays for a sale: the refund is written down, to be sent.
pub(crate) fn give_back(
    payment: &Payment,
    trade_no: &TradeNo,
    number: &str,
    amount: Fen,
    wish: &RefundWish,
) -> Outcome {
    if !has_booked(payment, trade_no, Booked::Recognised) {
        return Outcome::refused(payment, or_not_now(payment, WishRefused::NoSuchMoney));
    }
    if payment.refunds.iter().any(Refund::is_under_way) {
        return Outcome::refused(payment, WishRefused::RefundUnderWay);
    }
    if amount.is_zero() || amount > undecided(payment, trade_no) {
        return Outcome::refused(payment, WishRefused::MoreThanIsLeft);
    }
    write_down(payment, trade_no, number, amount, wish)
}

/// A refused refund is tried again under its number, if there is still so much left and no later wish took its place.
pub(crate) fn retry(payment: &Payment, number: &str, approver_id: &str) -> Outcome {
    let is_failed = |refund: &Refund| {
        let is_it = refund.out_request_no.as_deref() == Some(number) && refund.wish.is_some();
        is_it && refund.status == RefundStatus::Fail && refund.held_back() != Some(HeldBack::Replaced)
    };
    let Some(place) = payment.refunds.iter().position(is_failed) else {
        return Outcome::refused(payment, WishRefused::NotNow);
    };
    if payment.refunds.iter().any(Refund::is_under_way) {
        return Outcome::refused(payment, WishRefused::RefundUnderWay);
    }
    let mut after = payment.clone();
    let Some(refund) = after.refunds.get_mut(place) else {
        return Outcome::refused(payment, WishRefused::NotNow);
    };
    if refund.amount > undecided(payment, &refund.trade_no) {
        return Outcome::refused(payment, WishRefused::MoreThanIsLeft);
    }
    (refund.status, refund.refused) = (RefundStatus::Init, None);
    if let Some(wish) = refund.wish.as_mut() {
        approver_id.clone_into(&mut wish.approver_id);
    }
    Outcome::changed(after, Step::QueryRefunds)
}

fn has_booked(payment: &Payment, trade_no: &TradeNo, booked: Booked) -> bool {
    let has_money = match payment.status {
        Status::Success(_) | Status::Suspense => true,
        Status::Init | Status::Precreated | Status::Paying | Status::Closing | Status::Closed(_) | Status::Fail(_) => {
            false
        }
    };
    has_money && payment.find_receipt(trade_no).is_some_and(|receipt| receipt.booked == booked)
}

fn or_not_now(payment: &Payment, why: WishRefused) -> WishRefused {
    match payment.status {
        Status::Success(_) | Status::Suspense => why,
        Status::Init | Status::Precreated | Status::Paying | Status::Closing | Status::Closed(_) | Status::Fail(_) => {
            WishRefused::NotNow
        }
    }
}

fn write_down(payment: &Payment, trade_no: &TradeNo, number: &str, amount: Fen, wish: &RefundWish) -> Outcome {
    let mut after = payment.clone();
    // What waits has sent nothing under its number: another forgotten refund may lie there. What failed has: a late copy of
    // that call may still move as much, and moves it once if both have one number.
    let kind = |number: &str| number.trim_end_matches(|digit: char| digit.is_ascii_digit()).len();
    let is_as_much = |refund: &Refund| refund.trade_no == *trade_no && refund.amount == amount;
    let is_to_reuse = |refund: &&mut Refund| {
        let is_alike = refund.out_request_no.as_deref().is_some_and(|it| kind(it) == kind(number));
        let has_failed = refund.status == RefundStatus::Fail && refund.sent_at.is_some() && is_ours(refund.origin);
        is_alike && (refund.held_back().is_some() || (has_failed && is_as_much(refund)))
    };
    let place = |refund: &&mut Refund| refund.out_request_no.as_ref().map(|it| (it.len(), it.clone()));
    let lowest = after.refunds.iter_mut().filter(is_to_reuse).min_by_key(place);
    let mut number = Some(number.to_owned());
    if let Some(reused) = lowest {
        std::mem::swap(&mut reused.out_request_no, &mut number);
        reused.sent_at = None;
        if is_as_much(reused) {
            let text = format!("a later refund of {amount} took its place");
            reused.refused = Some(HeldBack::Replaced.refusal(text));
        }
    }
    let refund = Refund::new(trade_no.clone(), number, amount, RefundOrigin::Ours, RefundStatus::Init);
    after.refunds.push(Refund { wish: Some(wish.clone()), ..refund });
    Outcome::changed(after, Step::QueryRefunds)
}
