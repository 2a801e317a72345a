//! The table: how a payment may change. The only place that says SUCCESS.
//!
//! Must always hold: every pair of status and input has an answer here; SUCCESS never changes; CLOSED and FAIL may only
//! become SUSPENSE; SUSPENSE leaves only by a person's decision; money is never ignored.
//! Deliberately absent: any clock, disk or network. `now` is the gateway's time as far as it is known.

use crate::outcome::{CaseKind, Input, Outcome, Step, WishRefused, watch_at};
use crate::record::{Booked, CLOSE_GAP, Method, Payment, Receipt, StoppedBy};
use crate::refund::wish::{give_back, retry, return_money};
use crate::refund::{cancel_rest, note_absence, note_refund, note_refusal, refund_rest, undecided};
use crate::status::{Death, Money, Status, StatusName};
use crate::wish::{new_code, refresh, resume, send_code, stop, stop_by_clock};
use crate::{Evidence, NoTrade, PaidTrade, QrCode, RefundOrigin, Refusal, SaleId, SeenTrade, TradeNo, UtcMs};
use std::time::Duration;

/// Booked money that the gateway does not know this long afterwards is a case.
const CHANNEL_PATIENCE: Duration = Duration::from_secs(600);

/// The whole life of a payment. The only function that makes a new status.
///
/// `now` is the corrected time at which the input is judged (UTC ms).
#[must_use]
pub fn apply(payment: &Payment, input: &Input, now: UtcMs) -> Outcome {
    match input {
        Input::Told(evidence) => judge(payment, evidence, now),
        Input::Stop => stop(payment, StoppedBy::Person, now),
        Input::SaleSettled => stop(payment, StoppedBy::Sale, now),
        Input::ClockPassed => stop_by_clock(payment),
        Input::SendCode { timeout } => send_code(payment, *timeout, now),
        Input::Refresh => refresh(payment, now),
        Input::NewCode => new_code(payment, now),
        Input::Resume => resume(payment, now),
        Input::Recognise { trade_no, new_sale_id } => recognise(payment, trade_no, *new_sale_id),
        Input::Return { trade_no, out_request_no, wish } => return_money(payment, trade_no, out_request_no, wish),
        Input::Refund { trade_no, out_request_no, amount, wish } => {
            give_back(payment, trade_no, out_request_no, *amount, wish)
        }
        Input::Retry { out_request_no, approver_id } => retry(payment, out_request_no, approver_id),
    }
}

/// What to do for a payment when a click, a timer or a restart comes by.
///
/// `clock_known`: whether an answer of this run has told the gateway's time. Nothing is collected before that, since the
/// end of the code is an absolute time.
#[must_use]
pub fn next_step(payment: &Payment, now: UtcMs, clock_known: bool) -> Step {
    match payment.status {
        // What was sent may have arrived: ask first, send the same bytes only if there is nothing.
        Status::Init if clock_known && payment.dead_after.is_none() && payment.method == Method::Qr => Step::Precreate,
        // The answer to a later code was lost: the code on the screen has ended, so the same bytes are sent again.
        Status::Precreated if clock_known && payment.is_later_code_missing(now) => Step::Precreate,
        Status::Init | Status::Precreated | Status::Paying | Status::Closing => Step::Query,
        Status::Closed(_) | Status::Fail(_) if payment.watch_at.is_some_and(|at| now >= at) => Step::Query,
        Status::Success(_) | Status::Closed(_) | Status::Fail(_) | Status::Suspense => Step::Rest,
    }
}

fn judge(payment: &Payment, evidence: &Evidence, now: UtcMs) -> Outcome {
    match evidence {
        // Money first: it wins over our wish to stop, and it is never ignored.
        Evidence::Paid(paid) => judge_paid(payment, paid, now),
        Evidence::TradeClosedPaid(paid) => refund_rest(judge_paid(payment, paid, now), &paid.trade_no),
        Evidence::CancelRefunded(paid) => judge_cancel(payment, paid, now),
        Evidence::TradeClosed(trade) => judge_closed(payment, trade),
        Evidence::WaitBuyerPay(trade) => judge_waiting(payment, trade, now),
        Evidence::NoTrade(answer) => judge_no_trade(payment, *answer),
        Evidence::QrIssued { qr_code } => judge_qr(payment, qr_code),
        Evidence::Refused(refusal) => judge_refusal(payment, refusal),
        Evidence::RefusedTradeExists(_) => judge_exists(payment),
        Evidence::CloseAccepted => judge_close_accepted(payment),
        // A refused close is a reason to ask, never a reason to close.
        Evidence::CloseRefused(_) => Outcome::unchanged(payment, Step::Query),
        Evidence::RefundedOurs(fact) => note_refund(payment, fact, RefundOrigin::Found, true),
        Evidence::RefundMoved(fact) => note_refund(payment, fact, RefundOrigin::Found, false),
        Evidence::RefundedElsewhere(fact) => note_refund(payment, fact, RefundOrigin::Foreign, true),
        Evidence::RefundAccepted { .. } => Outcome::unchanged(payment, Step::QueryRefunds),
        Evidence::RefundRefused { out_request_no, refusal } => note_refusal(payment, out_request_no, refusal),
        Evidence::NotRefunded(answer) => note_absence(payment, answer),
    }
}

fn judge_paid(payment: &Payment, paid: &PaidTrade, now: UtcMs) -> Outcome {
    let trade_no = Some(&paid.trade_no);
    match &payment.status {
        Status::Success(_) | Status::Suspense if payment.knows(paid) => Outcome::unchanged(payment, Step::Rest),
        Status::Success(_) | Status::Suspense if payment.find_receipt(&paid.trade_no).is_some() => {
            Outcome::unchanged(payment, Step::Rest).with_case(CaseKind::Contradiction, trade_no, paid.total)
        }
        Status::Success(_) | Status::Suspense => Outcome::changed(keep_aside(payment, paid, now), Step::Rest)
            .with_case(CaseKind::DuplicatePayment, trade_no, paid.total),
        Status::Init | Status::Precreated | Status::Paying | Status::Closing if paid.total == payment.amount => {
            succeed(payment, paid, now)
        }
        Status::Closed(_) | Status::Fail(_) if paid.total == payment.amount => {
            suspend(payment, paid, CaseKind::LatePayment, now)
        }
        Status::Init | Status::Precreated | Status::Paying | Status::Closing | Status::Closed(_) | Status::Fail(_) => {
            suspend(payment, paid, CaseKind::AmountMismatch, now)
        }
    }
}

/// The one place where a payment becomes SUCCESS by what the gateway says.
fn succeed(payment: &Payment, paid: &PaidTrade, now: UtcMs) -> Outcome {
    let was_stopped = match (&payment.status, payment.stopped_by) {
        (Status::Closing, Some(StoppedBy::Person | StoppedBy::Sale)) => true,
        (_, Some(StoppedBy::Person | StoppedBy::Sale | StoppedBy::Clock) | None) => false,
    };
    let outcome = Outcome::changed(
        Payment {
            status: Status::Success(Money::of(paid.trade_no.clone())),
            receipts: with_receipt(payment, paid, Booked::Recognised),
            booked_at: Some(now),
            watch_at: None,
            ..seen(payment, &paid.trade_no)
        },
        Step::Rest,
    );
    let outcome = alarm_if_other_trade(outcome, payment, paid);
    if was_stopped {
        return outcome.with_case(CaseKind::PaidAfterStop, Some(&paid.trade_no), paid.total);
    }
    outcome
}

fn suspend(payment: &Payment, paid: &PaidTrade, kind: CaseKind, now: UtcMs) -> Outcome {
    let outcome = Outcome::changed(
        Payment {
            status: Status::Suspense,
            receipts: with_receipt(payment, paid, Booked::Suspense),
            booked_at: Some(now),
            watch_at: None,
            ..seen(payment, &paid.trade_no)
        },
        Step::Rest,
    );
    alarm_if_other_trade(outcome, payment, paid).with_case(kind, Some(&paid.trade_no), paid.total)
}

/// One number can carry one trade: money of another one than we saw is booked, and somebody must look.
fn alarm_if_other_trade(outcome: Outcome, before: &Payment, paid: &PaidTrade) -> Outcome {
    match &before.trade_no {
        Some(known) if *known != paid.trade_no && before.status.is_live() => {
            outcome.with_case(CaseKind::Contradiction, Some(&paid.trade_no), paid.total)
        }
        Some(_) | None => outcome,
    }
}

fn keep_aside(payment: &Payment, paid: &PaidTrade, now: UtcMs) -> Payment {
    let receipts = with_receipt(payment, paid, Booked::Suspense);
    Payment { receipts, booked_at: Some(now), ..payment.clone() }
}

fn with_receipt(payment: &Payment, paid: &PaidTrade, booked: Booked) -> Vec<Receipt> {
    let receipt = Receipt {
        trade_no: paid.trade_no.clone(),
        total: paid.total,
        receipt: paid.receipt,
        paid_at: paid.paid_at,
        booked,
        sale_id: None,
    };
    payment.receipts.iter().cloned().chain([receipt]).collect()
}

/// `cancel` found it paid and gave everything back: the payment is booked first, then its refund.
fn judge_cancel(payment: &Payment, paid: &PaidTrade, now: UtcMs) -> Outcome {
    match payment.status {
        // Only the buyer-code flow cancels, and it is PAYING before it sends.
        Status::Init | Status::Precreated => Outcome::unchanged(payment, Step::Query).with_case(
            CaseKind::Contradiction,
            Some(&paid.trade_no),
            paid.total,
        ),
        Status::Paying
        | Status::Closing
        | Status::Success(_)
        | Status::Closed(_)
        | Status::Fail(_)
        | Status::Suspense => {
            let mut outcome = cancel_rest(judge_paid(payment, paid, now), &paid.trade_no);
            // The money that came after the stop is back already: nobody has to decide about it.
            outcome.cases.retain(|case| case.kind != CaseKind::PaidAfterStop);
            outcome
        }
    }
}

fn judge_closed(payment: &Payment, trade: &SeenTrade) -> Outcome {
    match payment.status {
        Status::Init | Status::Precreated | Status::Paying | Status::Closing => {
            let status = Status::Closed(Death::TradeClosed);
            Outcome::changed(Payment { status, ..seen(payment, &trade.trade_no) }, Step::Rest)
        }
        Status::Closed(_) | Status::Fail(_) => Outcome::changed(asked_again(payment, None), Step::Rest),
        // A paid trade is closed only by refunding all of it.
        Status::Success(_) | Status::Suspense => {
            refund_rest(Outcome::unchanged(payment, Step::QueryRefunds), &trade.trade_no)
        }
    }
}

fn judge_waiting(payment: &Payment, trade: &SeenTrade, now: UtcMs) -> Outcome {
    let right = trade.total == payment.amount;
    // The first trade seen stays, so that money of another one is noticed.
    let seen = seen(payment, payment.trade_no.as_ref().unwrap_or(&trade.trade_no));
    match payment.status {
        Status::Init | Status::Precreated | Status::Paying if right => {
            Outcome::changed(Payment { status: Status::Paying, ..seen }, Step::Rest)
        }
        Status::Init | Status::Precreated | Status::Paying => {
            let then = close_or_rest(payment, now);
            Outcome::changed(Payment { status: Status::Closing, ..seen }, then).with_case(
                CaseKind::AmountMismatch,
                Some(&trade.trade_no),
                trade.total,
            )
        }
        Status::Closing => Outcome::changed(seen, close_or_rest(payment, now)),
        Status::Success(_) | Status::Suspense => Outcome::unchanged(payment, Step::Rest),
        Status::Closed(_) | Status::Fail(_) => {
            Outcome::changed(Payment { watch_at: watch_soon(payment, now), ..seen }, close_or_rest(payment, now))
                .with_case(CaseKind::ClosedButAlive, Some(&trade.trade_no), trade.total)
        }
    }
}

/// A trade that lives although its payment is over is asked for again until it is dead or paid.
fn watch_soon(payment: &Payment, now: UtcMs) -> Option<UtcMs> {
    Some(watch_at(payment).unwrap_or(now).max(now.after(CLOSE_GAP)))
}

/// C, unless the last one was sent a moment ago.
pub(crate) fn close_or_rest(payment: &Payment, now: UtcMs) -> Step {
    match payment.close_sent_at {
        Some(sent) if now < sent.after(CLOSE_GAP) => Step::Rest,
        Some(_) | None => Step::Close,
    }
}

fn judge_no_trade(payment: &Payment, answer: NoTrade) -> Outcome {
    let dead = payment.is_dead_by(answer);
    match payment.status {
        Status::Success(_) | Status::Suspense => judge_missing(payment, answer),
        Status::Closed(_) | Status::Fail(_) => Outcome::changed(asked_again(payment, Some(answer)), Step::Rest),
        Status::Init | Status::Precreated | Status::Paying | Status::Closing if dead && payment.trade_seen => {
            Outcome::unchanged(payment, Step::Query).with_case(
                CaseKind::TradeVanished,
                payment.trade_no.as_ref(),
                payment.amount,
            )
        }
        Status::Init | Status::Precreated | Status::Closing if dead => close(payment, Death::NobodyScanned),
        Status::Paying if dead && payment.method == Method::BuyerCode => close(payment, Death::NobodyScanned),
        // Nobody can scan what nobody has seen.
        Status::Closing if is_never_shown(payment) => close(payment, Death::NeverShown),
        // Before `dead_after`, "no such trade" only means that nobody has scanned the code yet.
        Status::Init if payment.method == Method::Qr => Outcome::unchanged(payment, Step::Precreate),
        Status::Init | Status::Precreated | Status::Closing => Outcome::unchanged(payment, Step::Rest),
        Status::Paying => Outcome::unchanged(payment, Step::Query),
    }
}

fn is_never_shown(payment: &Payment) -> bool {
    let nothing_sent = payment.dead_after.is_none();
    !payment.trade_seen && (nothing_sent || (payment.method == Method::Qr && payment.qr_code.is_none()))
}

/// The gateway does not know money that it told us about.
fn judge_missing(payment: &Payment, answer: NoTrade) -> Outcome {
    let long_ago = payment.booked_at.is_some_and(|at| answer.asked_at >= at.after(CHANNEL_PATIENCE));
    let outcome = Outcome::unchanged(payment, Step::Rest);
    if long_ago {
        let receipt = payment.trade_no.as_ref().and_then(|trade_no| payment.find_receipt(trade_no));
        let missing = receipt.map_or(payment.amount, |receipt| receipt.total);
        return outcome.with_case(CaseKind::ChannelMissing, payment.trade_no.as_ref(), missing);
    }
    outcome
}

/// A payment that was over was asked once more, and nothing speaks against it.
fn asked_again(payment: &Payment, answer: Option<NoTrade>) -> Payment {
    let due = |at: UtcMs| answer.is_none_or(|answer| answer.is_from(at));
    match payment.watch_at {
        Some(at) if due(at) => Payment { watch_at: None, ..payment.clone() },
        Some(_) | None => payment.clone(),
    }
}

fn close(payment: &Payment, death: Death) -> Outcome {
    let payment = Payment { status: Status::Closed(death), watch_at: watch_at(payment), ..payment.clone() };
    Outcome::changed(payment, Step::Rest)
}

fn judge_qr(payment: &Payment, qr_code: &QrCode) -> Outcome {
    match payment.status {
        Status::Init | Status::Precreated => {
            let shown = Payment {
                status: Status::Precreated,
                qr_code: Some(qr_code.clone()),
                code_expires_at: payment.body_expires_at,
                ..payment.clone()
            };
            Outcome::changed(shown, Step::Rest)
        }
        // It is neither shown nor stored: what nobody has seen nobody can scan.
        Status::Paying
        | Status::Closing
        | Status::Success(_)
        | Status::Closed(_)
        | Status::Fail(_)
        | Status::Suspense => Outcome::unchanged(payment, Step::Rest),
    }
}

fn judge_refusal(payment: &Payment, refusal: &Refusal) -> Outcome {
    match payment.status {
        Status::Init if payment.method == Method::Qr && payment.qr_code.is_none() => {
            let status = Status::Fail(refusal.clone());
            Outcome::changed(Payment { status, watch_at: watch_at(payment), ..payment.clone() }, Step::Rest)
        }
        // A refused `pay` may still have reached the buyer's phone.
        Status::Paying if payment.method == Method::BuyerCode => {
            Outcome::changed(Payment { status: Status::Closing, ..payment.clone() }, Step::Query)
        }
        Status::Init
        | Status::Precreated
        | Status::Paying
        | Status::Closing
        | Status::Success(_)
        | Status::Closed(_)
        | Status::Fail(_)
        | Status::Suspense => Outcome::unchanged(payment, Step::Rest),
    }
}

fn judge_exists(payment: &Payment) -> Outcome {
    match payment.status {
        Status::Success(_) | Status::Suspense => Outcome::unchanged(payment, Step::Rest),
        Status::Init | Status::Precreated | Status::Paying | Status::Closing | Status::Closed(_) | Status::Fail(_) => {
            Outcome::unchanged(payment, Step::Query)
        }
    }
}

fn judge_close_accepted(payment: &Payment) -> Outcome {
    match payment.status {
        Status::Init | Status::Precreated | Status::Paying => {
            Outcome::changed(Payment { status: Status::Closing, ..payment.clone() }, Step::Query)
        }
        Status::Closing | Status::Closed(_) | Status::Fail(_) | Status::Suspense => {
            Outcome::unchanged(payment, Step::Query)
        }
        Status::Success(_) => Outcome::unchanged(payment, Step::Query).with_case(
            CaseKind::Contradiction,
            payment.trade_no.as_ref(),
            payment.amount,
        ),
    }
}

/// A trade of this number was seen.
fn seen(payment: &Payment, trade_no: &TradeNo) -> Payment {
    Payment { trade_no: Some(trade_no.clone()), trade_seen: true, ..payment.clone() }
}

/// The other place that says SUCCESS: a person decides that money in suspense pays for the sale.
fn recognise(payment: &Payment, trade_no: &TradeNo, new_sale_id: SaleId) -> Outcome {
    let in_suspense = |receipt: &Receipt| receipt.trade_no == *trade_no && receipt.booked == Booked::Suspense;
    // Money that is being given back pays for nothing.
    let has_money = payment.receipts.iter().any(in_suspense) && !undecided(payment, trade_no).is_zero();
    let is_paid = payment.status.name() == StatusName::Success;
    let receipts = payment.receipts.iter().cloned().map(|receipt| match in_suspense(&receipt) {
        // One net charge per sale: money that came a second time pays for a sale of its own.
        true if is_paid => Receipt { booked: Booked::Recognised, sale_id: Some(new_sale_id), ..receipt },
        true => Receipt { booked: Booked::Recognised, ..receipt },
        false => receipt,
    });
    match payment.status {
        Status::Suspense if has_money => {
            let status = Status::Success(Money::of(trade_no.clone()));
            Outcome::changed(Payment { status, receipts: receipts.collect(), ..seen(payment, trade_no) }, Step::Rest)
        }
        Status::Success(_) if has_money => {
            Outcome::changed(Payment { receipts: receipts.collect(), ..payment.clone() }, Step::Rest)
        }
        Status::Success(_) | Status::Suspense => Outcome::refused(payment, WishRefused::NoSuchMoney),
        Status::Init | Status::Precreated | Status::Paying | Status::Closing | Status::Closed(_) | Status::Fail(_) => {
            Outcome::refused(payment, WishRefused::NotNow)
        }
    }
}
