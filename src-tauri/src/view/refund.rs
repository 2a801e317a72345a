//! Money that goes back, as the screens show it.

use super::{Pin, Role};
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use yidan_payment::{Booked, Fen, OrderStatus, Payment, Refund, RefundOrigin, RefundStatus, order_status};

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
    /// Why it has not moved money, if Alipay said so.
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

/// What Alipay has against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RefundTrouble {
    /// The merchant's balance is too low: later, under the same number.
    Balance,
    /// The trade can no longer be refunded.
    WindowClosed,
    /// It says no for another reason.
    Refused,
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
#[must_use]
pub fn list_refunds(payment: &Payment) -> Vec<RefundView> {
    payment.refunds.iter().map(show_refund).collect()
}

fn show_refund(refund: &Refund) -> RefundView {
    RefundView {
        refund_id: refund.out_request_no.clone().unwrap_or_default(),
        number: refund.out_request_no.clone(),
        amount: refund.amount.to_string(),
        state: match refund.status {
            RefundStatus::Init => RefundState::Init,
            RefundStatus::Processing => RefundState::Processing,
            RefundStatus::Success => RefundState::Success,
            RefundStatus::Fail => RefundState::Fail,
        },
        maker: match refund.origin {
            RefundOrigin::Ours => RefundMaker::Ours,
            RefundOrigin::Found => RefundMaker::Found,
            RefundOrigin::Foreign => RefundMaker::Foreign,
            RefundOrigin::Cancel => RefundMaker::Cancel,
        },
        reason: None,
        requested_by: None,
        approved_by: None,
        at_ms: None,
        trouble: None,
        said: None,
    }
}

/// What may still be refunded of a payment.
#[must_use]
pub fn offer_refund(payment: &Payment) -> RefundOffer {
    let left = find_left(payment);
    let bar = match order_status(payment) {
        OrderStatus::Created | OrderStatus::Paying | OrderStatus::Closed => Some(RefundBar::NotPaid),
        OrderStatus::Refunding => Some(RefundBar::UnderWay),
        OrderStatus::Refunded => Some(RefundBar::NothingLeft),
        OrderStatus::Paid | OrderStatus::PartiallyRefunded => left.is_zero().then_some(RefundBar::NothingLeft),
    };
    RefundOffer { left: left.to_string(), refunded: Fen::ZERO.to_string(), cashier_limit: Fen::ZERO.to_string(), bar }
}

/// The recognised money, less every refund of it that is not refused for good.
fn find_left(payment: &Payment) -> Fen {
    let Some(receipt) = payment.receipts.iter().find(|receipt| receipt.booked == Booked::Recognised) else {
        return Fen::ZERO;
    };
    let not_refused = payment
        .refunds
        .iter()
        .filter(|refund| refund.trade_no == receipt.trade_no && refund.status != RefundStatus::Fail);
    Fen::sum(not_refused.map(|refund| refund.amount)).and_then(|gone| receipt.total.minus(gone)).unwrap_or(Fen::ZERO)
}
