//! What is to be collected, and how an order's status follows from its payment.

use crate::record::Payment;
use crate::status::Status;
use crate::{Fen, TradeNo};
use serde::{Deserialize, Serialize};

/// Where an order stands. Never set by hand: see [`order_status`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum OrderStatus {
    /// Written down.
    Created,
    /// A code is out, or may be.
    Paying,
    /// Paid.
    Paid,
    /// Over, unpaid.
    Closed,
    /// A refund is on its way.
    Refunding,
    /// Some of the money went back.
    PartiallyRefunded,
    /// All of the money went back.
    Refunded,
}

impl OrderStatus {
    /// The word stored in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            OrderStatus::Created => "CREATED",
            OrderStatus::Paying => "PAYING",
            OrderStatus::Paid => "PAID",
            OrderStatus::Closed => "CLOSED",
            OrderStatus::Refunding => "REFUNDING",
            OrderStatus::PartiallyRefunded => "PARTIALLY_REFUNDED",
            OrderStatus::Refunded => "REFUNDED",
        }
    }
}

/// Derives the order's status from its payment.
#[must_use]
pub fn order_status(payment: &Payment) -> OrderStatus {
    match payment.status {
        Status::Init => OrderStatus::Created,
        Status::Precreated | Status::Paying | Status::Closing => OrderStatus::Paying,
        Status::Closed(_) | Status::Fail(_) | Status::Suspense => OrderStatus::Closed,
        Status::Success(ref money) => paid_order_status(payment, money.trade_no()),
    }
}

fn paid_order_status(payment: &Payment, trade_no: &TradeNo) -> OrderStatus {
    // Money that came twice and goes back is no refund of the order.
    if payment.refunds.iter().any(|refund| refund.trade_no == *trade_no && refund.is_under_way()) {
        return OrderStatus::Refunding;
    }
    let received = payment.find_receipt(trade_no).map_or(payment.amount, |receipt| receipt.total);
    match payment.refunded_of(trade_no) {
        Fen::ZERO => OrderStatus::Paid,
        part if part < received => OrderStatus::PartiallyRefunded,
        _all => OrderStatus::Refunded,
    }
}
