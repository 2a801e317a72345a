//! How a payment is now. Each status carries why it is so.

use crate::{Refusal, TradeNo};
use serde::{Deserialize, Serialize};

/// Where a payment stands.
///
/// SUCCESS never changes; CLOSED and FAIL may only become SUSPENSE; SUSPENSE leaves only by a person's decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// The intent is durable; nothing is known of the gateway.
    Init,
    /// A QR code is known.
    Precreated,
    /// The buyer has scanned.
    Paying,
    /// We want to stop and wait for proof that no money can come.
    Closing,
    /// The money has come and is booked.
    Success(Money),
    /// No money came and none can: proved.
    Closed(Death),
    /// The gateway refused before any code was shown.
    Fail(Refusal),
    /// Verified money that does not fit. A case owns it.
    Suspense,
}

/// The trade whose money made a payment SUCCESS.
///
/// Cannot be made outside this crate: only verified evidence, a person's recorded decision, or a row that says so does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Money {
    trade_no: TradeNo,
}

impl Money {
    pub(crate) fn of(trade_no: TradeNo) -> Money {
        Money { trade_no }
    }

    /// Alipay's number of the trade.
    #[must_use]
    pub fn trade_no(&self) -> &TradeNo {
        &self.trade_no
    }
}

/// How it was proved that no money can come any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Death {
    /// The gateway says that the trade is closed, and nothing says that it was paid.
    TradeClosed,
    /// Nobody had scanned when the last code was surely dead.
    NobodyScanned,
    /// It was stopped before any code was shown.
    NeverShown,
}

/// A status as a word: what is stored, sent and switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StatusName {
    /// See [`Status::Init`].
    Init,
    /// See [`Status::Precreated`].
    Precreated,
    /// See [`Status::Paying`].
    Paying,
    /// See [`Status::Closing`].
    Closing,
    /// See [`Status::Success`].
    Success,
    /// See [`Status::Closed`].
    Closed,
    /// See [`Status::Fail`].
    Fail,
    /// See [`Status::Suspense`].
    Suspense,
}

impl StatusName {
    /// Every status, in the order of the table.
    pub const ALL: [StatusName; 8] = [
        StatusName::Init,
        StatusName::Precreated,
        StatusName::Paying,
        StatusName::Closing,
        StatusName::Success,
        StatusName::Closed,
        StatusName::Fail,
        StatusName::Suspense,
    ];

    /// The word stored in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            StatusName::Init => "INIT",
            StatusName::Precreated => "PRECREATED",
            StatusName::Paying => "PAYING",
            StatusName::Closing => "CLOSING",
            StatusName::Success => "SUCCESS",
            StatusName::Closed => "CLOSED",
            StatusName::Fail => "FAIL",
            StatusName::Suspense => "SUSPENSE",
        }
    }

    /// The status with this word, if there is one.
    #[must_use]
    pub fn find(word: &str) -> Option<StatusName> {
        StatusName::ALL.into_iter().find(|name| name.as_str() == word)
    }
}

impl Status {
    /// The status as a word.
    #[must_use]
    pub fn name(&self) -> StatusName {
        match self {
            Status::Init => StatusName::Init,
            Status::Precreated => StatusName::Precreated,
            Status::Paying => StatusName::Paying,
            Status::Closing => StatusName::Closing,
            Status::Success(_) => StatusName::Success,
            Status::Closed(_) => StatusName::Closed,
            Status::Fail(_) => StatusName::Fail,
            Status::Suspense => StatusName::Suspense,
        }
    }

    /// Whether money may still come and the payment has no end yet.
    #[must_use]
    pub fn is_live(&self) -> bool {
        match self {
            Status::Init | Status::Precreated | Status::Paying | Status::Closing => true,
            Status::Success(_) | Status::Closed(_) | Status::Fail(_) | Status::Suspense => false,
        }
    }
}
