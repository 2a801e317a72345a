//! A day's bill against our books: what differs, what is planned, what came of it.

use serde::Serialize;
use ts_rs::TS;

/// The comparison of one day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct BillReview {
    pub day: String,
    pub count: i64,
    pub matched: i64,
    pub gross: String,
    pub refunds: String,
    pub fee: String,
    pub net: String,
    pub differences: Vec<DifferenceLine>,
    /// Which business days the bill's money counts for.
    pub bridge: Vec<BridgeLine>,
    /// Numbers of other terminals, which reconcile for themselves.
    pub elsewhere: i64,
    /// Whether the next day's bill is in too, so that nothing near midnight is open.
    pub next_day_in: bool,
    /// Set once the plan was carried out.
    pub applied_at_ms: Option<i64>,
}

/// One thing on which the bill and the books differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct DifferenceLine {
    pub kind: DifferenceKind,
    pub order_no: Option<String>,
    pub pay_id: Option<String>,
    pub number: String,
    pub ours: Option<String>,
    pub bill: Option<String>,
    pub plan: PlannedAct,
    pub outcome: Option<DifferenceOutcome>,
}

/// How they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DifferenceKind {
    LocalNotPaid,
    /// Only this terminal can have minted the number, and its records do not know it.
    Forgotten,
    ChannelMissing,
    Amount,
    RefundMissing,
    RefundExtra,
    Duplicate,
    UnknownTrade,
}

/// What is done about it: a bill line is never believed, only a reason to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PlannedAct {
    AskTrade,
    AskRefund,
    /// Ask for a number that our records lost, and write it down again.
    WriteDownAgain,
    OpenCase,
    /// No payment of ours is concerned.
    TellAPerson,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DifferenceOutcome {
    /// The books agree now.
    Settled,
    /// A case tells about it.
    Case,
    /// A person was told.
    Told,
    /// Nothing is known yet.
    Unknown,
}

/// Money of one business day on the bill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct BridgeLine {
    pub business_day: String,
    pub count: i64,
    pub amount: String,
}
