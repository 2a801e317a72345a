//! What the gateway states about a payment, after its signature was checked.
//!
//! A verified "no" is evidence, not an error. What is not here (a time-out, 20000, a bad signature) is *unknown* and
//! changes nothing: see [`GatewayError`].

use crate::{Fen, OutTradeNo, TradeNo, UtcMs};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One verified fact about one payment, as the gateway told it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Evidence {
    /// The gateway registered the order and gave the text of a QR code.
    QrIssued {
        /// What the QR shows. Never logged above debug.
        qr_code: QrCode,
    },
    /// A definite no to our precreate: nothing exists under this number.
    Refused(Refusal),
    /// A no that says that a trade of this number exists (`TRADE_HAS_SUCCESS`, `TRADE_HAS_CLOSE`,
    /// `CONTEXT_INCONSISTENT`, `TRADE_BUYER_NOT_MATCH`).
    RefusedTradeExists(Refusal),
    /// There is no trade of this number: nobody has scanned, or nobody ever can.
    NoTrade(NoTrade),
    /// The buyer has scanned and has not paid.
    WaitBuyerPay(SeenTrade),
    /// The money has come (`TRADE_SUCCESS`, `TRADE_FINISHED`).
    Paid(PaidTrade),
    /// The trade is closed and nothing says that it was ever paid.
    TradeClosed(SeenTrade),
    /// The trade is closed, and something says that it was paid once: it was refunded in full.
    TradeClosedPaid(PaidTrade),
    /// A refund that we asked for has moved money: a refund query names its number and amount.
    RefundedOurs(RefundFact),
    /// The refund call itself says that it moved money now. A refund query confirms it for those who believe nobody.
    RefundMoved(RefundFact),
    /// A refund was taken, without a word that money moved now: it moved before, or it will not. Only a reason to ask.
    RefundAccepted {
        /// Which one.
        out_request_no: String,
    },
    /// A definite no to a refund. Never proof: only a refund query at least ten seconds later is.
    RefundRefused {
        /// Which one.
        out_request_no: String,
        /// The gateway's reason.
        refusal: Refusal,
    },
    /// A refund query that names no money under this number.
    NotRefunded(NoRefund),
    /// A refund that we did not ask for has moved money (the shop's phone app, the merchant's web page).
    RefundedElsewhere(RefundFact),
    /// `close` answered 10000, or `cancel` answered `action=close`. Not yet proof.
    CloseAccepted,
    /// `close` was refused, or found no trade, or `cancel` did nothing. Never proof, only a reason to ask.
    CloseRefused(Refusal),
    /// `cancel` answered `action=refund`: it was paid, and the gateway gave everything back.
    CancelRefunded(PaidTrade),
}

impl Evidence {
    /// The trade that it says brought money.
    #[must_use]
    pub fn paid_trade(&self) -> Option<&PaidTrade> {
        match self {
            Evidence::Paid(paid) | Evidence::TradeClosedPaid(paid) | Evidence::CancelRefunded(paid) => Some(paid),
            Evidence::QrIssued { .. }
            | Evidence::Refused(_)
            | Evidence::RefusedTradeExists(_)
            | Evidence::NoTrade(_)
            | Evidence::WaitBuyerPay(_)
            | Evidence::TradeClosed(_)
            | Evidence::RefundedOurs(_)
            | Evidence::RefundedElsewhere(_)
            | Evidence::RefundMoved(_)
            | Evidence::RefundAccepted { .. }
            | Evidence::RefundRefused { .. }
            | Evidence::NotRefunded(_)
            | Evidence::CloseAccepted
            | Evidence::CloseRefused(_) => None,
        }
    }

    /// What the trade of which it tells asks or brought; `None` if it tells of no trade.
    #[must_use]
    pub fn trade_total(&self) -> Option<Fen> {
        if let Evidence::WaitBuyerPay(seen) | Evidence::TradeClosed(seen) = self {
            return Some(seen.total);
        }
        self.paid_trade().map(|paid| paid.total)
    }
}

/// The text of a code. Whoever sees it can pay, so `Debug` shows dots.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QrCode(String);

impl QrCode {
    /// The text, to be drawn.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for QrCode {
    fn from(text: String) -> QrCode {
        QrCode(text)
    }
}

impl From<&str> for QrCode {
    fn from(text: &str) -> QrCode {
        QrCode(text.to_owned())
    }
}

impl fmt::Debug for QrCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("QrCode(…)")
    }
}

/// A definite no of the gateway.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// `40004` and the like.
    pub code: String,
    /// `ACQ.…` or `isv.…`; empty if the gateway gave none.
    pub sub_code: String,
    /// The gateway's own sentence, for the manager.
    pub text: String,
}

/// "Trade does not exist", and between which moments that was true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoTrade {
    /// When we asked, by the clock corrected to the gateway's.
    pub asked_at: UtcMs,
    /// The `Date` of the answer (whole seconds). Without it nothing is proved.
    pub answered_at: Option<UtcMs>,
}

impl NoTrade {
    /// Whether it was asked and answered at `moment` or later, by the gateway's own `Date`.
    #[must_use]
    pub fn is_from(self, moment: UtcMs) -> bool {
        self.asked_at >= moment && self.answered_at.is_some_and(|answered_at| answered_at >= moment)
    }
}

/// A trade that exists and has not been paid as far as this evidence says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenTrade {
    /// Alipay's number.
    pub trade_no: TradeNo,
    /// `total_amount`: what the buyer is asked to pay.
    pub total: Fen,
}

/// A trade that brought money.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaidTrade {
    /// Alipay's number.
    pub trade_no: TradeNo,
    /// `total_amount`: the order's amount, which is what is compared.
    pub total: Fen,
    /// `receipt_amount`: the merchant's share.
    pub receipt: Fen,
    /// `send_pay_date` or `gmt_payment`, if stated.
    pub paid_at: Option<UtcMs>,
}

/// One refund that has moved money.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundFact {
    /// Of which trade.
    pub trade_no: TradeNo,
    /// `None` while only the fact is known (a closed trade that was paid): filled in later.
    pub out_request_no: Option<String>,
    /// What this refund gave back. Never the cumulative `refund_fee`.
    pub amount: Fen,
}

/// "Nothing was refunded under this number", and when that was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoRefund {
    /// Under which number.
    pub out_request_no: String,
    /// When we asked, by the clock corrected to the gateway's.
    pub asked_at: UtcMs,
}

/// Where a statement comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Source {
    /// Answer to `alipay.trade.precreate`.
    Precreate,
    /// Answer to `alipay.trade.query`.
    Query,
    /// Answer to `alipay.trade.close`.
    Close,
    /// Answer to `alipay.trade.cancel`.
    Cancel,
    /// Answer to `alipay.trade.pay`.
    Pay,
    /// Answer to `alipay.trade.refund`.
    Refund,
    /// Answer to `alipay.trade.fastpay.refund.query`.
    RefundQuery,
    /// A notice that the gateway sent by itself.
    Notify,
}

impl Source {
    /// The word stored in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Source::Precreate => "PRECREATE",
            Source::Query => "QUERY",
            Source::Close => "CLOSE",
            Source::Cancel => "CANCEL",
            Source::Pay => "PAY",
            Source::Refund => "REFUND",
            Source::RefundQuery => "REFUND_QUERY",
            Source::Notify => "NOTIFY",
        }
    }
}

/// The signed text as it was received, so that anybody can check it again.
///
/// The text names the buyer and may hold a code, so `Debug` shows dots.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// Which call or notice.
    pub source: Source,
    /// The signed bytes: the response member of an answer, or the form body of a notice.
    pub text: String,
    /// Base64. `None` only for a definite refusal that the gateway did not sign.
    pub signature: Option<String>,
    /// Certificate mode: which platform certificate signed.
    pub cert_sn: Option<String>,
}

impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proof").field("source", &self.source).finish_non_exhaustive()
    }
}

/// A verified statement of the gateway about one number: the fact, and the text that proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What it says.
    pub evidence: Evidence,
    /// How it is proved.
    pub proof: Proof,
    /// When we asked, by the clock corrected to the gateway's.
    pub asked_at: UtcMs,
    /// The `Date` of the answer.
    pub answered_at: Option<UtcMs>,
}

/// What to ask the gateway to collect. Every field of it is in the text that is stored and sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrecreateOrder {
    /// Our number.
    pub out_trade_no: OutTradeNo,
    /// What to collect.
    pub amount: Fen,
    /// What the buyer reads. The gateway's client removes what Alipay does not take.
    pub subject: String,
    /// Absolute end: wins over every other limit and also bounds the trade after the scan.
    pub time_expire: UtcMs,
    /// How long each code lives after it was made, in minutes.
    pub qr_minutes: u32,
    /// The merchant's own store number, shown in the bill.
    pub store_id: String,
    /// The merchant's own till number.
    pub terminal_id: String,
    /// The cashier, shown in the bill.
    pub operator_id: String,
    /// Comes back with every notice.
    pub passback_params: Option<String>,
}

/// A call that brought no evidence, named by what the caller may do about it.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// Nothing left this machine. Safe to send again.
    #[error("could not reach the gateway")]
    NotSent(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// It may have arrived. Only a query can tell.
    #[error("the gateway gave no usable answer")]
    Unanswered(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The gateway asks us to slow down (40005). Nothing was done.
    #[error("the gateway asks for fewer calls")]
    Limited,
}
