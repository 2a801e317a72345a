//! "I have paid": one verdict, its evidence, and the one safe thing to do.

use super::OrderLine;
use serde::Serialize;
use ts_rs::TS;

/// What was found for a hint, and what is true of the most likely order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ResolveView {
    pub hits: Vec<OrderLine>,
    pub verdict: Option<VerdictView>,
}

/// One verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct VerdictView {
    pub kind: VerdictKind,
    pub pay_id: String,
    pub order_no: String,
    pub amount: String,
    pub proofs: Vec<ProofLine>,
    pub next: SafeAct,
    /// The order on which the money is, if it is another one.
    pub other: Option<OrderLine>,
}

/// What is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum VerdictKind {
    Paid,
    NotPaid,
    StillOpen,
    PaidElsewhere,
    Unreachable,
    /// Money came, and it waits for a decision.
    AskAPerson,
}

/// The one thing that is safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SafeAct {
    HandOver,
    CollectAgain,
    Wait,
    HandOverOther,
    AskAgain,
    OpenCase,
}

/// One reason for the verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ProofLine {
    /// Names the sentence.
    pub what: String,
    /// An amount, a number or a name that the sentence says.
    pub detail: Option<String>,
    /// A moment that the sentence says.
    pub about_ms: Option<i64>,
    /// When we were told.
    pub at_ms: Option<i64>,
    /// How long the answer took.
    pub took_ms: Option<i64>,
}
