//! Money that goes back, as the screens show it.

use super::{Pin, Role};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use ts_rs::TS;
use yidan_alipay::refund_trouble;
use yidan_engine::{Engine, Error, PinState};
use yidan_payment::{
    Booked, Fen, HeldBack, OrderStatus, Payment, Refund, RefundOrigin, RefundStatus, Refusal, order_status,
};

/// One refund of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct RefundView {
    /// The click that made it, or its number.
    pub refund_id: String,
    /// Its number at Alipay; none while only the fact is known.
    pub number: Option<String>,
    pub amount: String,
    pub state: RefundState,
    pub maker: RefundMaker,
    pub reason: Option<String>,
    pub requested_by: Option<String>,
    pub approved_by: Option<String>,
    pub at_ms: Option<i64>,
    /// Why it has not moved money, if there is a reason.
    pub trouble: Option<RefundTrouble>,
    /// Alipay's own words about it.
    pub said: Option<String>,
}

/// Where a refund stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RefundState {
    Init,
    Processing,
    Success,
    Fail,
}

/// Who made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RefundMaker {
    Ours,
    Found,
    Foreign,
    Cancel,
}

/// Why a refund has not moved money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RefundTrouble {
    /// The merchant's balance is too low: later, under the same number.
    Balance,
    /// The trade can no longer be refunded.
    WindowClosed,
    /// Alipay says no for another reason.
    Refused,
    /// Not sent: an earlier refund has come to light, and may be the same.
    EarlierFound,
    /// Not sent any more: a later refund of as much took its place.
    Replaced,
}

/// What may still be refunded of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct RefundOffer {
    pub left: String,
    /// What went back so far. It is sent along: if it is more by then, somebody else was faster.
    pub refunded: String,
    /// Up to this amount a cashier's own PIN is enough.
    pub cashier_limit: String,
    /// Why nothing can be refunded now.
    pub bar: Option<RefundBar>,
}

/// See [`RefundOffer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RefundBar {
    /// No money came, or it waits for a decision.
    NotPaid,
    /// One is under way, and only its end tells what is left.
    UnderWay,
    /// Everything went back.
    NothingLeft,
    /// The trade can no longer be refunded.
    WindowClosed,
}

/// What the refund dialog asks for. `click` is minted once per dialog: the same click never refunds twice.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct RefundDraft {
    pub pay_id: String,
    pub amount: String,
    pub reason: String,
    pub click: String,
    /// See [`RefundOffer::refunded`].
    pub seen_refunded: String,
    /// Whose PIN it is.
    pub approver: String,
    #[ts(type = "string")]
    pub pin: Pin,
}

/// A refused refund once more, under its number.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct RetryDraft {
    /// [`RefundView::refund_id`].
    pub refund_id: String,
    pub approver: String,
    #[ts(type = "string")]
    pub pin: Pin,
}

/// Somebody whose PIN counts for a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct Approver {
    pub operator_id: String,
    pub name: String,
    pub role: Role,
    /// Wrong PINs until the lock.
    pub tries_left: i64,
    /// Seconds until the lock opens; 0 if there is none.
    pub locked_seconds: i64,
}

/// The refunds of a payment, the oldest first.
///
/// # Errors
/// [`Error::Storage`].
pub fn list_refunds(engine: &Engine, payment: &Payment) -> Result<Vec<RefundView>, Error> {
    payment.refunds.iter().map(|refund| show_refund(engine, refund)).collect()
}

/// Shows one refund.
///
/// # Errors
/// [`Error::Storage`].
pub fn show_refund(engine: &Engine, refund: &Refund) -> Result<RefundView, Error> {
    let wish = refund.wish.as_ref();
    let name_of = |operator_id: Option<&String>| match operator_id {
        Some(operator_id) => engine.database().find_operator_name(operator_id),
        None => Ok(None),
    };
    let refund_id = wish.map(|wish| wish.request_id.to_string()).or_else(|| refund.out_request_no.clone());
    Ok(RefundView {
        refund_id: refund_id.unwrap_or_default(),
        number: refund.out_request_no.clone(),
        amount: refund.amount.to_string(),
        state: state_of(refund.status),
        maker: maker_of(refund.origin),
        reason: wish.map(|wish| wish.reason.clone()),
        requested_by: name_of(wish.map(|wish| &wish.operator_id))?,
        approved_by: name_of(wish.map(|wish| &wish.approver_id))?,
        at_ms: wish.map(|wish| wish.asked_at.0),
        trouble: find_trouble(refund),
        said: said_by_alipay(refund).map(|refusal| refusal.text.clone()).filter(|text| !text.is_empty()),
    })
}

fn state_of(status: RefundStatus) -> RefundState {
    match status {
        RefundStatus::Init => RefundState::Init,
        RefundStatus::Processing => RefundState::Processing,
        RefundStatus::Success => RefundState::Success,
        RefundStatus::Fail => RefundState::Fail,
    }
}

fn maker_of(origin: RefundOrigin) -> RefundMaker {
    match origin {
        RefundOrigin::Ours => RefundMaker::Ours,
        RefundOrigin::Found => RefundMaker::Found,
        RefundOrigin::Foreign => RefundMaker::Foreign,
        RefundOrigin::Cancel => RefundMaker::Cancel,
    }
}

fn said_by_alipay(refund: &Refund) -> Option<&Refusal> {
    refund.refused.as_ref().filter(|_| refund.held_back().is_none())
}

fn find_trouble(refund: &Refund) -> Option<RefundTrouble> {
    match refund.held_back() {
        Some(HeldBack::EarlierFound) => Some(RefundTrouble::EarlierFound),
        Some(HeldBack::Replaced) => Some(RefundTrouble::Replaced),
        None => refund.refused.as_ref().map(|refusal| match refund_trouble(refusal) {
            yidan_alipay::RefundTrouble::BalanceTooLow => RefundTrouble::Balance,
            yidan_alipay::RefundTrouble::TooLate => RefundTrouble::WindowClosed,
            yidan_alipay::RefundTrouble::Other => RefundTrouble::Refused,
        }),
    }
}

/// What may still be refunded of a payment.
///
/// # Errors
/// [`Error::Storage`].
pub fn offer_refund(engine: &Engine, payment: &Payment) -> Result<RefundOffer, Error> {
    let paying = payment.receipts.iter().find(|receipt| receipt.booked == Booked::Recognised);
    let left = paying.map_or(Fen::ZERO, |receipt| payment.refundable(&receipt.trade_no));
    let refunded = paying.map_or(Fen::ZERO, |receipt| payment.refunded_of(&receipt.trade_no));
    let is_late = payment.refunds.iter().any(|refund| find_trouble(refund) == Some(RefundTrouble::WindowClosed));
    let bar = match order_status(payment) {
        OrderStatus::Created | OrderStatus::Paying | OrderStatus::Closed => Some(RefundBar::NotPaid),
        OrderStatus::Refunding => Some(RefundBar::UnderWay),
        OrderStatus::Refunded => Some(RefundBar::NothingLeft),
        OrderStatus::Paid | OrderStatus::PartiallyRefunded if left.is_zero() => Some(RefundBar::NothingLeft),
        OrderStatus::Paid | OrderStatus::PartiallyRefunded => is_late.then_some(RefundBar::WindowClosed),
    };
    Ok(RefundOffer {
        left: left.to_string(),
        refunded: refunded.to_string(),
        cashier_limit: engine.refund_rules()?.cashier_limit.to_string(),
        bar,
    })
}

/// Everybody whose PIN can count.
///
/// # Errors
/// [`Error::Storage`].
pub fn list_approvers(engine: &Engine) -> Result<Vec<Approver>, Error> {
    let show = |state: PinState| Approver {
        operator_id: state.operator.operator_id,
        name: state.operator.name,
        role: state.operator.role.into(),
        tries_left: state.tries_left,
        locked_seconds: seconds_up(state.locked),
    };
    Ok(engine.database().list_pins(engine.now())?.into_iter().map(show).collect())
}

/// Whole seconds, never too few.
pub(super) fn seconds_up(span: Duration) -> i64 {
    i64::try_from(span.as_millis().div_ceil(1000)).unwrap_or(i64::MAX)
}
