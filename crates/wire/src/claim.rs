//! Bills of other programs: which terminal a bill belongs to.

use serde::{Deserialize, Serialize};
use yidan_payment::Fen;

/// Body of `POST /api/v1/claims`: this terminal wants to collect a bill. May be repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Which program it comes from.
    pub source: String,
    /// That program's number.
    pub external_ref: String,
    /// What is to be collected.
    pub amount_fen: Fen,
    /// What the buyer reads.
    pub subject: String,
}

/// Answer 200: the bill is this terminal's, for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Granted {
    /// Whose it is: the terminal that asked.
    pub terminal_id: String,
}

/// Answer 409: the bill is not this terminal's, or not this amount and subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotGranted {
    /// Why.
    pub why: WhyNot,
    /// Whose it is.
    pub terminal_id: String,
    /// The amount it was claimed with.
    pub amount_fen: Fen,
    /// The subject it was claimed with.
    pub subject: String,
    /// The owner's newest payment of the bill as far as headquarters knows it.
    pub payment: Option<OwnersPayment>,
    /// A sentence.
    pub detail: String,
}

/// Why a bill is not granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyNot {
    /// Another terminal opened it first.
    Owned,
    /// It is known with another amount or subject.
    Changed,
    /// It is this terminal's, which has reported a payment of it and asks as if it had none: its records are older.
    Reported,
}

/// What the owner last reported of a bill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnersPayment {
    /// Its number at Alipay.
    pub out_trade_no: String,
    /// Where the payment stands.
    pub status: String,
    /// Where the order stands.
    pub order_status: String,
    /// When that was (UTC ms).
    pub changed_at_ms: i64,
}
