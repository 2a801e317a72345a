//! Orders in lists, and one of them with its story.

use super::payment::moment_of;
use super::timeline::tell;
use super::{
    PaymentMoment, PaymentStatus, PaymentView, RefundOffer, RefundView, TimelineLine, list_refunds, offer_refund,
    show_payment,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use yidan_engine::{Engine, Error, OrderRow, OrderSearch};
use yidan_payment::{PaymentId, StatusName, TradeNo, UtcMs, order_status};

/// One order in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct OrderLine {
    pub pay_id: String,
    pub order_no: String,
    pub amount: String,
    pub subject: String,
    pub status: PaymentStatus,
    pub order: OrderStatus,
    pub moment: PaymentMoment,
    pub at_ms: i64,
}

/// What is looked for.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct OrderQuery {
    pub text: String,
    pub status: OrderFilter,
    /// `YYYY-MM-DD`; all days without it.
    pub day: Option<String>,
    /// Only orders written down before this moment.
    pub before: Option<i64>,
}

/// Which orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum OrderFilter {
    All,
    Paid,
    Unsure,
    Stopped,
    Refunded,
}

/// One order with everything that is known about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct OrderDetail {
    pub payment: PaymentView,
    pub out_trade_no: String,
    pub trade_no: Option<String>,
    pub order: OrderStatus,
    pub refunds: Vec<RefundView>,
    pub refund: RefundOffer,
    pub timeline: Vec<TimelineLine>,
}

/// Where an order stands, refunds included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum OrderStatus {
    Created,
    Paying,
    Paid,
    Closed,
    Refunding,
    PartiallyRefunded,
    Refunded,
}

impl From<yidan_payment::OrderStatus> for OrderStatus {
    fn from(status: yidan_payment::OrderStatus) -> OrderStatus {
        use yidan_payment::OrderStatus as S;
        match status {
            S::Created => OrderStatus::Created,
            S::Paying => OrderStatus::Paying,
            S::Paid => OrderStatus::Paid,
            S::Closed => OrderStatus::Closed,
            S::Refunding => OrderStatus::Refunding,
            S::PartiallyRefunded => OrderStatus::PartiallyRefunded,
            S::Refunded => OrderStatus::Refunded,
        }
    }
}

/// At most so many lines at once; the screen asks for earlier ones by itself.
const PAGE: i64 = 50;

/// Finds orders, the newest first.
///
/// # Errors
/// [`Error::Storage`].
pub fn list_lines(engine: &Engine, query: &OrderQuery) -> Result<Vec<OrderLine>, Error> {
    let found = engine.database().search_orders(&OrderSearch {
        business_day: query.day.clone(),
        text: query.text.trim().to_owned(),
        statuses: statuses_of(query.status),
        only_refunded: query.status == OrderFilter::Refunded,
        before: query.before.map(UtcMs),
        limit: PAGE,
    })?;
    found.into_iter().map(|(order, pay_id)| show_line(engine, order, pay_id)).collect()
}

/// Shows one order of a list.
///
/// # Errors
/// [`Error::Storage`].
pub fn show_line(engine: &Engine, order: OrderRow, pay_id: PaymentId) -> Result<OrderLine, Error> {
    let payment = engine.database().load_payment(pay_id)?;
    let case = engine.database().find_open_case_of(pay_id)?;
    Ok(OrderLine {
        pay_id: pay_id.to_string(),
        order_no: order.order_no,
        amount: order.amount.to_string(),
        subject: order.subject,
        status: payment.status.name().into(),
        order: order_status(&payment).into(),
        moment: moment_of(&payment, case.as_ref(), engine.now()),
        at_ms: order.created_at.0,
    })
}

/// Shows one order whole.
///
/// # Errors
/// [`Error::Storage`]; [`Error::NoSuchPayment`].
pub fn show_detail(engine: &Engine, pay_id: PaymentId) -> Result<OrderDetail, Error> {
    let payment = engine.database().load_payment(pay_id)?;
    Ok(OrderDetail {
        payment: show_payment(engine, &payment)?,
        out_trade_no: payment.out_trade_no.to_string(),
        trade_no: payment.trade_no.as_ref().map(TradeNo::to_string),
        order: order_status(&payment).into(),
        refunds: list_refunds(engine, &payment)?,
        refund: offer_refund(engine, &payment)?,
        timeline: tell(&engine.database().list_events_of(pay_id)?),
    })
}

fn statuses_of(filter: OrderFilter) -> Vec<StatusName> {
    let wanted = |name: &StatusName| match name {
        StatusName::Success => matches!(filter, OrderFilter::All | OrderFilter::Paid | OrderFilter::Refunded),
        StatusName::Closed | StatusName::Fail => matches!(filter, OrderFilter::All | OrderFilter::Stopped),
        StatusName::Init | StatusName::Precreated | StatusName::Paying | StatusName::Closing | StatusName::Suspense => {
            matches!(filter, OrderFilter::All | OrderFilter::Unsure)
        }
    };
    StatusName::ALL.into_iter().filter(wanted).collect()
}
