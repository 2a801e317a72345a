//! The story of a payment: what we knew, when, from whom. Read from the journal; the sentences are in the words files.

use serde::Serialize;
use ts_rs::TS;
use yidan_payment::{
    CaseKind, Death, Event, Fen, Method, Refund, RefundOrigin, RefundStatus, Refusal, Source, StatusName, StoppedBy,
};
use yidan_wire::{EventKind, PaymentState};

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct TimelineLine {
    pub at_ms: i64,
    /// Names the sentence.
    pub what: String,
    pub amount: Option<String>,
    pub who: Who,
    /// Alipay's signature over it was checked.
    pub signed: bool,
    pub detail: Option<String>,
    pub mark: TimelineMark,
}

/// Who told us, or did it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Who {
    Cashier,
    Alipay,
    Hq,
    Clock,
    Counter,
}

/// What it means for money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum TimelineMark {
    Money,
    Doubt,
    Plain,
}

/// Tells the events of one payment, in order.
#[must_use]
pub fn tell(events: &[Event]) -> Vec<TimelineLine> {
    let mut before: Option<PaymentState> = None;
    let mut lines = Vec::with_capacity(events.len());
    for event in events {
        // The terminal's own journal: what it cannot read, a newer version wrote.
        let state = serde_json::from_str::<PaymentState>(&event.payload).ok();
        lines.push(match &state {
            Some(state) => line_of(event, state, before.as_ref()),
            None => plain(event, "other", Who::Counter),
        });
        before = state.or(before);
    }
    lines
}

fn line_of(event: &Event, state: &PaymentState, before: Option<&PaymentState>) -> TimelineLine {
    let Some(kind) = find_kind(&event.kind) else { return plain(event, "other", Who::Counter) };
    let heard = |what: &str| TimelineLine { signed: true, ..plain(event, what, teller(state)) };
    match kind {
        EventKind::Collecting => {
            TimelineLine { amount: Some(state.amount_fen.to_string()), ..plain(event, "collected", Who::Cashier) }
        }
        EventKind::Asking => asked(event, state, before),
        EventKind::CodeShown => heard("code_shown"),
        EventKind::Scanned => heard("scanned"),
        EventKind::Paid => {
            let amount = Some(new_money(state, before).to_string());
            TimelineLine { amount, mark: TimelineMark::Money, ..heard("paid") }
        }
        EventKind::Suspended => {
            let amount = Some(new_money(state, before).to_string());
            TimelineLine { amount, mark: TimelineMark::Doubt, ..heard(aside_words(state)) }
        }
        EventKind::Stopping => stopped(event, state),
        EventKind::Resumed => plain(event, "resumed", Who::Cashier),
        EventKind::Closed => heard(closed_words(state)),
        EventKind::Refused => {
            let refusal = state.reason.as_deref().and_then(|reason| serde_json::from_str::<Refusal>(reason).ok());
            TimelineLine { detail: refusal.map(|refusal| refusal.text), ..plain(event, "refused", Who::Alipay) }
        }
        EventKind::Refunding | EventKind::Refunded => returned(event, state, before),
        EventKind::Noticed => noticed(event, state, before),
        EventKind::Decided => plain(event, "case_resolved", Who::Cashier),
        EventKind::GivenBack => plain(event, "given_back", Who::Hq),
        EventKind::Opened | EventKind::Instructed => plain(event, "other", Who::Counter),
    }
}

fn plain(event: &Event, what: &str, who: Who) -> TimelineLine {
    let what = what.to_owned();
    TimelineLine { at_ms: event.at.0, what, amount: None, who, signed: false, detail: None, mark: TimelineMark::Plain }
}

/// A notice came through headquarters; everything else is an answer to our own question.
fn teller(state: &PaymentState) -> Who {
    match state.proof.as_ref().map(|proof| proof.source) {
        Some(Source::Notify) => Who::Hq,
        Some(
            Source::Precreate
            | Source::Query
            | Source::Close
            | Source::Cancel
            | Source::Pay
            | Source::Refund
            | Source::RefundQuery,
        )
        | None => Who::Alipay,
    }
}

/// Written before a call: a close, the first code, the same one again, or a later one.
fn asked(event: &Event, state: &PaymentState, before: Option<&PaymentState>) -> TimelineLine {
    let Some(before) = before else { return plain(event, "code_asked", Who::Counter) };
    if state.carry.close_sent_at != before.carry.close_sent_at {
        return plain(event, "close_asked", Who::Counter);
    }
    if state.method == Method::BuyerCode {
        return plain(event, "buyer_code_sent", Who::Counter);
    }
    match before.status {
        StatusName::Precreated if before.carry.request_body == state.carry.request_body => {
            plain(event, "code_refreshed", Who::Cashier)
        }
        StatusName::Init
        | StatusName::Precreated
        | StatusName::Paying
        | StatusName::Closing
        | StatusName::Success
        | StatusName::Closed
        | StatusName::Fail
        | StatusName::Suspense => plain(event, "code_asked", Who::Counter),
    }
}

fn stopped(event: &Event, state: &PaymentState) -> TimelineLine {
    match state.stopped_by {
        Some(StoppedBy::Person) => plain(event, "stopped_by_person", Who::Cashier),
        Some(StoppedBy::Clock) => plain(event, "stopped_by_clock", Who::Clock),
        Some(StoppedBy::Sale) => plain(event, "stopped_by_sale", Who::Counter),
        // A trade for another amount is stopped by nobody's wish.
        None => TimelineLine { mark: TimelineMark::Doubt, ..plain(event, aside_words(state), Who::Alipay) },
    }
}

fn noticed(event: &Event, state: &PaymentState, before: Option<&PaymentState>) -> TimelineLine {
    let wants_new_code = before.is_some_and(|before| before.carry.request_body.is_some());
    if state.cases.is_empty() && wants_new_code && state.carry.request_body.is_none() {
        return plain(event, "new_code", Who::Cashier);
    }
    if state.cases.is_empty() {
        return plain(event, "answered", Who::Alipay);
    }
    TimelineLine { mark: TimelineMark::Doubt, signed: true, ..plain(event, aside_words(state), Who::Alipay) }
}

fn aside_words(state: &PaymentState) -> &'static str {
    match state.cases.first().map(|case| case.kind) {
        Some(CaseKind::AmountMismatch) => "wrong_amount",
        Some(CaseKind::LatePayment | CaseKind::PaidAfterStop) => "late_money",
        Some(CaseKind::DuplicatePayment) => "duplicate_money",
        Some(CaseKind::Contradiction) => "contradiction",
        Some(CaseKind::TradeVanished) => "trade_vanished",
        Some(CaseKind::RefundedElsewhere) => "refunded_elsewhere",
        Some(CaseKind::ClosedButAlive | CaseKind::ChannelMissing) | None => "case_opened",
    }
}

fn closed_words(state: &PaymentState) -> &'static str {
    match state.reason.as_deref().and_then(|reason| serde_json::from_str::<Death>(reason).ok()) {
        Some(Death::TradeClosed) => "closed_by_alipay",
        Some(Death::NobodyScanned | Death::NeverShown) | None => "closed_by_clock",
    }
}

/// What this line says about money that goes back: the refund that changed.
fn returned(event: &Event, state: &PaymentState, before: Option<&PaymentState>) -> TimelineLine {
    let known = before.map_or(&[][..], |before| &before.refunds);
    let changed = state.refunds.iter().enumerate().find(|(place, refund)| known.get(*place) != Some(refund));
    let Some((place, refund)) = changed else { return plain(event, "answered", Who::Alipay) };
    let (what, who, mark) = words_of(refund, known.get(place));
    TimelineLine {
        amount: Some(refund.amount.to_string()),
        signed: who == Who::Alipay,
        detail: detail_of(refund, what),
        mark,
        ..plain(event, what, who)
    }
}

fn words_of(refund: &Refund, before: Option<&Refund>) -> (&'static str, Who, TimelineMark) {
    let is_sent = before.is_some_and(|before| before.sent_at != refund.sent_at);
    match refund.status {
        RefundStatus::Success if before.is_some_and(|before| before.status == RefundStatus::Success) => {
            ("refund_confirmed", Who::Alipay, TimelineMark::Plain)
        }
        RefundStatus::Success if refund.origin == RefundOrigin::Foreign => {
            ("refunded_elsewhere", Who::Alipay, TimelineMark::Money)
        }
        RefundStatus::Success => ("refunded", Who::Alipay, TimelineMark::Money),
        RefundStatus::Fail => ("refund_failed", Who::Alipay, TimelineMark::Plain),
        RefundStatus::Init if before.is_some() => ("refund_again", Who::Cashier, TimelineMark::Plain),
        RefundStatus::Init => ("refund_wanted", Who::Cashier, TimelineMark::Plain),
        RefundStatus::Processing if is_sent => ("refund_sent", Who::Counter, TimelineMark::Doubt),
        RefundStatus::Processing if refund.refused.is_some() => ("refund_refused", Who::Alipay, TimelineMark::Doubt),
        RefundStatus::Processing => ("refund_again", Who::Cashier, TimelineMark::Doubt),
    }
}

/// Why it was wanted, or why it was refused; and under which number it was sent.
fn detail_of(refund: &Refund, what: &str) -> Option<String> {
    match what {
        "refund_wanted" => refund.wish.as_ref().map(|wish| wish.reason.clone()),
        "refund_refused" | "refund_failed" => refund.refused.as_ref().map(|refusal| refusal.text.clone()),
        "refund_sent" => refund.out_request_no.clone(),
        _other => None,
    }
}

fn new_money(state: &PaymentState, before: Option<&PaymentState>) -> Fen {
    let known = before.map_or(0, |before| before.receipts.len());
    Fen::sum(state.receipts.iter().skip(known).map(|receipt| receipt.receipt.total)).unwrap_or(Fen::ZERO)
}

fn find_kind(word: &str) -> Option<EventKind> {
    serde_json::from_value(serde_json::Value::String(word.to_owned())).ok()
}
