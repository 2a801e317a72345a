//! What the lines of a journal say: the full state after the change.

use serde::{Deserialize, Serialize};
use yidan_payment::{
    Account, CaseKind, Fen, Hash, Method, OrderId, OrderStatus, OutTradeNo, PaymentId, Proof, Receipt, Refund,
    RequestId, SaleId, StatusName, StoppedBy, TradeNo, UtcMs,
};

/// What happened. An unknown kind is stored by headquarters and understood later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// The journal begins, or a program opened it with other settings.
    Opened,
    /// The intent to collect is durable.
    Collecting,
    /// A precreate is about to be sent.
    Asking,
    /// A code is known.
    CodeShown,
    /// The buyer has scanned.
    Scanned,
    /// Money came and fits.
    Paid,
    /// Money came and does not fit.
    Suspended,
    /// Somebody or something wants it stopped.
    Stopping,
    /// The same code is shown again.
    Resumed,
    /// Proved dead.
    Closed,
    /// Refused before any code was shown.
    Refused,
    /// A refund was written down, or is about to be sent.
    Refunding,
    /// A refund moved money, or changed.
    Refunded,
    /// Something for a person, without a change of state.
    Noticed,
    /// A case was decided.
    Decided,
    /// What became of an instruction of headquarters.
    Instructed,
    /// Headquarters gave it back to records that had forgotten it.
    GivenBack,
}

impl EventKind {
    /// The word in [`yidan_payment::Event::kind`].
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            EventKind::Opened => "opened",
            EventKind::Collecting => "collecting",
            EventKind::Asking => "asking",
            EventKind::CodeShown => "code-shown",
            EventKind::Scanned => "scanned",
            EventKind::Paid => "paid",
            EventKind::Suspended => "suspended",
            EventKind::Stopping => "stopping",
            EventKind::Resumed => "resumed",
            EventKind::Closed => "closed",
            EventKind::Refused => "refused",
            EventKind::Refunding => "refunding",
            EventKind::Refunded => "refunded",
            EventKind::Noticed => "noticed",
            EventKind::Decided => "decided",
            EventKind::Instructed => "instructed",
            EventKind::GivenBack => "given-back",
        }
    }
}

/// The payload of every event about a payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentState {
    /// Its name.
    pub pay_id: PaymentId,
    /// What is collected.
    pub order_id: OrderId,
    /// The sale it belongs to.
    pub sale_id: SaleId,
    /// The number a person reads: `07-0231`.
    pub order_no: String,
    /// Which program the order came from: `counter` for a typed one, else the caller's source.
    pub source: String,
    /// The caller's number.
    pub external_ref: Option<String>,
    /// What the buyer reads.
    pub subject: String,
    /// The day it counts for, `YYYY-MM-DD`.
    pub business_day: String,
    /// How the buyer pays.
    pub method: Method,
    /// Which account of the gateway.
    pub account: Account,
    /// Our number.
    pub out_trade_no: OutTradeNo,
    /// What is to be collected.
    pub amount_fen: Fen,
    /// Where the payment stands.
    pub status: StatusName,
    /// Where the order stands.
    pub order_status: OrderStatus,
    /// Alipay's number, once seen.
    pub trade_no: Option<TradeNo>,
    /// Who stopped it.
    pub stopped_by: Option<StoppedBy>,
    /// JSON: how it was proved dead, or why it was refused.
    pub reason: Option<String>,
    /// The money it brought.
    pub receipts: Vec<ReceiptState>,
    /// The money that went back.
    pub refunds: Vec<Refund>,
    /// Cases this change opened.
    pub cases: Vec<CaseState>,
    /// Cases this change decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<DecisionState>,
    /// The signed statement that caused the change. Headquarters checks it again itself.
    pub proof: Option<Proof>,
    /// When the payment was written down.
    pub created_at: UtcMs,
    /// What a terminal needs to go on with the payment if its database is lost.
    pub carry: Carry,
}

/// The rest of a payment's record: nothing to show, everything to go on with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carry {
    /// The click that made the order.
    pub request_id: RequestId,
    /// Hash of what was clicked.
    pub content_hash: Hash,
    /// Who collected.
    pub operator_id: String,
    /// Running number of the day.
    pub day_seq: i64,
    /// The order this one replaces.
    pub replaces_order_id: Option<OrderId>,
    /// Whether a trade was ever seen.
    pub trade_seen: bool,
    /// The exact precreate text.
    pub request_body: Option<String>,
    /// When the code of that text ends.
    pub body_expires_at: Option<UtcMs>,
    /// When the code on the screen ends.
    pub code_expires_at: Option<UtcMs>,
    /// When `close` was last sent.
    pub close_sent_at: Option<UtcMs>,
    /// When the last precreate was sent.
    pub precreated_at: Option<UtcMs>,
    /// After this moment no code of this number can be paid.
    pub dead_after: Option<UtcMs>,
    /// When a closed payment is asked once more.
    pub watch_at: Option<UtcMs>,
    /// When money was booked.
    pub booked_at: Option<UtcMs>,
}

/// A receipt as reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptState {
    /// The money.
    #[serde(flatten)]
    pub receipt: Receipt,
    /// The day the money counts for, by the gateway's time of payment: not always the order's.
    pub business_day: String,
}

/// A case as reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseState {
    /// What happened.
    pub kind: CaseKind,
    /// Whose money.
    pub trade_no: Option<TradeNo>,
    /// How much.
    pub amount_fen: Fen,
}

/// A decision as reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionState {
    /// On which case.
    pub kind: CaseKind,
    /// Whose money.
    pub trade_no: Option<TradeNo>,
    /// `RECOGNISE`, `REFUND`, `KEEP`, `SEEN`, or `GIVEN_BACK` once the money is back.
    pub decision: String,
    /// Who approved it.
    pub decided_by: String,
    /// What they wrote.
    pub note: Option<String>,
    /// Whether nothing is left to be done: money that goes back keeps the case open until it is back.
    pub is_resolved: bool,
}
