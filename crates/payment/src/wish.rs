//! What people and the clock may want of a payment, and what comes of it. Wishes never make or unmake money.

use crate::UtcMs;
use crate::outcome::{Outcome, Step, WishRefused};
use crate::record::{GRACE, Method, Payment, StoppedBy};
use crate::status::Status;
use crate::transition::close_or_rest;
use std::time::Duration;

/// Stops: the code is hidden, and the payment waits for proof that no money can come.
pub(crate) fn stop(payment: &Payment, by: StoppedBy, now: UtcMs) -> Outcome {
    let closing = |then| {
        let payment = Payment { status: Status::Closing, stopped_by: Some(by), ..payment.clone() };
        Outcome::changed(payment, then)
    };
    match payment.status {
        Status::Init | Status::Precreated => closing(Step::Query),
        Status::Paying => closing(close_or_rest(payment, now)),
        Status::Closing => closing(Step::Rest),
        Status::Success(_) if by == StoppedBy::Person => Outcome::refused(payment, WishRefused::AlreadyPaid),
        Status::Success(_) | Status::Closed(_) | Status::Fail(_) | Status::Suspense => {
            Outcome::unchanged(payment, Step::Rest)
        }
    }
}

/// Stops because nobody and nothing answered within the idle limit.
pub(crate) fn stop_by_clock(payment: &Payment) -> Outcome {
    match payment.status {
        Status::Init | Status::Precreated | Status::Paying => {
            let stopped_by = Some(StoppedBy::Clock);
            // The query that follows finds out whether there is a trade to close.
            Outcome::changed(Payment { status: Status::Closing, stopped_by, ..payment.clone() }, Step::Query)
        }
        Status::Closing => Outcome::unchanged(payment, Step::Query),
        Status::Success(_) | Status::Closed(_) | Status::Fail(_) | Status::Suspense => {
            Outcome::unchanged(payment, Step::Rest)
        }
    }
}

/// The same bytes once more: the same code, which ends no later.
pub(crate) fn refresh(payment: &Payment, now: UtcMs) -> Outcome {
    match payment.status {
        Status::Precreated if !payment.is_code_over(now) => Outcome::unchanged(payment, Step::Precreate),
        Status::Init
        | Status::Precreated
        | Status::Paying
        | Status::Closing
        | Status::Success(_)
        | Status::Closed(_)
        | Status::Fail(_)
        | Status::Suspense => Outcome::refused(payment, WishRefused::NotNow),
    }
}

/// A later code, once the old one has ended.
pub(crate) fn new_code(payment: &Payment, now: UtcMs) -> Outcome {
    match payment.status {
        // A later code on the same number: one number carries at most one trade, so both codes may be out.
        Status::Precreated if payment.is_later_code_missing(now) => Outcome::unchanged(payment, Step::Precreate),
        Status::Precreated if payment.is_code_over(now) => {
            Outcome::changed(Payment { request_body: None, ..payment.clone() }, Step::Precreate)
        }
        Status::Init
        | Status::Precreated
        | Status::Paying
        | Status::Closing
        | Status::Success(_)
        | Status::Closed(_)
        | Status::Fail(_)
        | Status::Suspense => Outcome::refused(payment, WishRefused::NotNow),
    }
}

/// Writes down that a buyer's code is sent, and until when the buyer may pay. INIT is left once, so it is sent once.
pub(crate) fn send_code(payment: &Payment, timeout: Duration, now: UtcMs) -> Outcome {
    match (&payment.status, payment.method) {
        (Status::Init, Method::BuyerCode) => {
            let end = now.after(timeout);
            let sent = Payment {
                status: Status::Paying,
                precreated_at: Some(now),
                body_expires_at: Some(end),
                dead_after: Some(end.after(GRACE)),
                ..payment.clone()
            };
            Outcome::changed(sent, Step::Query)
        }
        (
            Status::Init
            | Status::Precreated
            | Status::Paying
            | Status::Closing
            | Status::Success(_)
            | Status::Closed(_)
            | Status::Fail(_)
            | Status::Suspense,
            Method::Qr | Method::BuyerCode,
        ) => Outcome::refused(payment, WishRefused::NotNow),
    }
}

/// Goes on with the same code after a stop, while that is safe.
pub(crate) fn resume(payment: &Payment, now: UtcMs) -> Outcome {
    match payment.status {
        Status::Closing if payment.is_resumable(now) && payment.stopped_by != Some(StoppedBy::Sale) => {
            let payment = Payment { status: Status::Precreated, stopped_by: None, ..payment.clone() };
            Outcome::changed(payment, Step::Rest)
        }
        Status::Closing => Outcome::refused(payment, WishRefused::NotResumable),
        Status::Init
        | Status::Precreated
        | Status::Paying
        | Status::Success(_)
        | Status::Closed(_)
        | Status::Fail(_)
        | Status::Suspense => Outcome::refused(payment, WishRefused::NotNow),
    }
}
