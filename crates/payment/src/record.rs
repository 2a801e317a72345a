//! A payment as it is written down, with the money it brought.
//!
//! Must always hold: received − refunded = recognised + suspense, to the fen (see [`Payment::books`]).

use crate::status::{Death, Money, Status, StatusName};
use crate::{
    Fen, NoTrade, OrderId, OutTradeNo, PaidTrade, PaymentId, QrCode, Refusal, RequestId, SaleId, TradeNo, UtcMs,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// After the last moment at which a code can be paid, this long until "no such trade" proves death: clocks differ, and
/// the gateway creates the trade a moment after the scan.
pub const GRACE: Duration = Duration::from_secs(90);
/// No code lives longer than two hours, whatever was asked (Alipay); then a payment closed without a trade is asked once more.
pub const WATCH: Duration = Duration::from_secs(2 * 3600 + 10 * 60);
/// Two `close` calls for one payment are at least this far apart.
pub const CLOSE_GAP: Duration = Duration::from_secs(5);

/// The collection of one order through one channel. Owns the `out_trade_no`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    /// Its name.
    pub pay_id: PaymentId,
    /// What is collected.
    pub order_id: OrderId,
    /// The sale the order belongs to.
    pub sale_id: SaleId,
    /// How the buyer pays.
    pub method: Method,
    /// With which account of the gateway it was made; only that account's word counts.
    pub account: Account,
    /// Our number, for life.
    pub out_trade_no: OutTradeNo,
    /// What is to be collected.
    pub amount: Fen,
    /// Where it stands.
    pub status: Status,
    /// Alipay's number, once a trade was seen.
    pub trade_no: Option<TradeNo>,
    /// Whether a trade was ever seen under this number.
    pub trade_seen: bool,
    /// The exact text of the current precreate, sent again byte for byte. `None` before the first, and when a later code is wanted.
    pub request_body: Option<String>,
    /// The code on the screen.
    pub qr_code: Option<QrCode>,
    /// When the code of `request_body` ends. Later than `code_expires_at` while the answer to a later code is missing.
    pub body_expires_at: Option<UtcMs>,
    /// When the code on the screen ends.
    pub code_expires_at: Option<UtcMs>,
    /// Who wanted it stopped.
    pub stopped_by: Option<StoppedBy>,
    /// When `close` was last sent.
    pub close_sent_at: Option<UtcMs>,
    /// When the last precreate was sent.
    pub precreated_at: Option<UtcMs>,
    /// After this moment no code of this number can be paid. Only rises. `None`: nothing was ever sent.
    pub dead_after: Option<UtcMs>,
    /// When a closed payment is asked once more.
    pub watch_at: Option<UtcMs>,
    /// When money was booked; for "the channel does not know it".
    pub booked_at: Option<UtcMs>,
    /// The money it brought.
    pub receipts: Vec<Receipt>,
    /// The money that went back.
    pub refunds: Vec<Refund>,
    /// Counts the changes of the row.
    pub version: i64,
    /// When the intent was written.
    pub created_at: UtcMs,
}

/// How the buyer pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Method {
    /// The buyer scans our code.
    Qr,
    /// We scan the buyer's code.
    BuyerCode,
}

/// An account of the gateway: `app_id@host`. Answers count only for payments made with the same account.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Account(pub String);

/// Who wanted a payment stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StoppedBy {
    /// The cashier.
    Person,
    /// The idle limit.
    Clock,
    /// The sale has its money elsewhere.
    Sale,
}

/// Money that one trade brought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The trade.
    pub trade_no: TradeNo,
    /// The buyer's order total.
    pub total: Fen,
    /// The merchant's share.
    pub receipt: Fen,
    /// When, by the gateway.
    pub paid_at: Option<UtcMs>,
    /// As what it is booked.
    pub booked: Booked,
    /// The sale it pays for, if it is another than the payment's: a second trade of one number, recognised by a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sale_id: Option<SaleId>,
}

/// As what a receipt is booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Booked {
    /// It pays for the sale.
    Recognised,
    /// It waits for a person.
    Suspense,
}

/// Money that went back, or is on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refund {
    /// Of which trade.
    pub trade_no: TradeNo,
    /// The number of the refund; `None` while only the fact is known.
    pub out_request_no: Option<String>,
    /// How much.
    pub amount: Fen,
    /// Who made it.
    pub origin: RefundOrigin,
    /// Where it stands.
    pub status: RefundStatus,
    /// Who wanted it and why; `None` for what somebody else did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wish: Option<RefundWish>,
    /// When it was last sent. `None`: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<UtcMs>,
    /// How often it was sent.
    #[serde(default)]
    pub tries: u32,
    /// Why the gateway said no to the last sending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Refusal>,
    /// Whether a statement names it that anybody can check again.
    #[serde(default)]
    pub proved: bool,
}

impl Refund {
    /// A refund of which nothing more is known.
    #[must_use]
    pub fn new(
        trade_no: TradeNo,
        out_request_no: Option<String>,
        amount: Fen,
        origin: RefundOrigin,
        status: RefundStatus,
    ) -> Refund {
        let (wish, sent_at, refused) = (None, None, None);
        Refund { trade_no, out_request_no, amount, origin, status, wish, sent_at, tries: 0, refused, proved: false }
    }

    /// Whether it is written down and its end is not known.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        match self.status {
            RefundStatus::Init | RefundStatus::Processing => true,
            RefundStatus::Success | RefundStatus::Fail => false,
        }
    }
}

/// Who wants money to go back, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundWish {
    /// Minted once per draft of a refund, never per click.
    pub request_id: RequestId,
    /// Why; the buyer may read it.
    pub reason: String,
    /// Who asked.
    pub operator_id: String,
    /// Who approved.
    pub approver_id: String,
    /// When it was written down.
    pub asked_at: UtcMs,
}

/// Who made a refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RefundOrigin {
    /// This terminal, as recorded before it was sent.
    Ours,
    /// This terminal, before its database was restored.
    Found,
    /// Somebody else: the shop's phone app, the merchant's web page.
    Foreign,
    /// Alipay, as the answer to our `cancel`.
    Cancel,
}

/// Where a refund stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RefundStatus {
    /// Written down, not sent.
    Init,
    /// Sent; not known.
    Processing,
    /// The money is back.
    Success,
    /// Refused for good.
    Fail,
}

/// All money of a payment, in fen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Books {
    /// Σ receipts.
    pub received: Fen,
    /// Σ refunds that moved money.
    pub refunded: Fen,
    /// What is left of the receipts booked RECOGNISED.
    pub recognised: Fen,
    /// What is left of the receipts booked SUSPENSE.
    pub suspense: Fen,
}

/// Books that cannot be right: more went back than came, or the sum is beyond all bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the receipts and refunds of this payment contradict one another")]
pub struct BooksError;

impl Payment {
    /// Sums up all money of the payment.
    ///
    /// # Errors
    /// If more went back on a trade than it brought.
    pub fn books(&self) -> Result<Books, BooksError> {
        let left = |booked: Booked| {
            Fen::sum(
                self.receipts
                    .iter()
                    .filter(|receipt| receipt.booked == booked)
                    .map(|receipt| receipt.total.minus(self.refunded_of(&receipt.trade_no)).unwrap_or(Fen::ZERO)),
            )
        };
        let books = Books {
            received: Fen::sum(self.receipts.iter().map(|receipt| receipt.total)).ok_or(BooksError)?,
            refunded: Fen::sum(self.moved_refunds().map(|refund| refund.amount)).ok_or(BooksError)?,
            recognised: left(Booked::Recognised).ok_or(BooksError)?,
            suspense: left(Booked::Suspense).ok_or(BooksError)?,
        };
        let net = books.received.minus(books.refunded).ok_or(BooksError)?;
        match books.recognised.plus(books.suspense) {
            Some(booked) if booked == net => Ok(books),
            Some(_) | None => Err(BooksError),
        }
    }

    /// What went back of one trade.
    #[must_use]
    pub fn refunded_of(&self, trade_no: &TradeNo) -> Fen {
        Fen::sum(self.moved_refunds().filter(|refund| refund.trade_no == *trade_no).map(|refund| refund.amount))
            .unwrap_or(Fen::ZERO)
    }

    fn moved_refunds(&self) -> impl Iterator<Item = &Refund> {
        self.refunds.iter().filter(|refund| refund.status == RefundStatus::Success)
    }

    /// The receipt of a trade.
    #[must_use]
    pub fn find_receipt(&self, trade_no: &TradeNo) -> Option<&Receipt> {
        self.receipts.iter().find(|receipt| receipt.trade_no == *trade_no)
    }

    /// Whether exactly this money is booked already.
    #[must_use]
    pub fn knows(&self, paid: &PaidTrade) -> bool {
        self.find_receipt(&paid.trade_no).is_some_and(|receipt| receipt.total == paid.total)
    }

    /// Whether "no such trade" proves that no money can come: asked *and* answered after the last code was surely dead.
    #[must_use]
    pub fn is_dead_by(&self, answer: NoTrade) -> bool {
        let (Some(dead_after), Some(answered_at)) = (self.dead_after, answer.answered_at) else {
            return false;
        };
        answer.asked_at > dead_after && answered_at > dead_after
    }

    /// Whether the code on the screen can no longer be paid by its own word.
    #[must_use]
    pub fn is_code_over(&self, now: UtcMs) -> bool {
        self.code_expires_at.is_none_or(|end| now >= end)
    }

    /// Whether a later code was asked for, lives, and its answer is missing: the same bytes are sent again.
    #[must_use]
    pub fn is_later_code_missing(&self, now: UtcMs) -> bool {
        self.request_body.is_some()
            && self.body_expires_at > self.code_expires_at
            && self.body_expires_at.is_some_and(|end| now < end)
    }

    /// Whether the same code may be shown again after a stop: it lives, `close` was not sent, nobody scanned.
    #[must_use]
    pub fn is_resumable(&self, now: UtcMs) -> bool {
        self.qr_code.is_some() && !self.is_code_over(now) && self.close_sent_at.is_none() && !self.trade_seen
    }

    /// The payment as it must be written down *before* a precreate is sent: what is sent, and until when it may be paid.
    #[must_use]
    pub fn before_precreate(&self, sent_at: UtcMs, body: String, time_expire: UtcMs, qr_life: Duration) -> Payment {
        let dead_after = time_expire.max(sent_at.after(qr_life)).after(GRACE);
        Payment {
            request_body: Some(body),
            body_expires_at: Some(time_expire),
            precreated_at: Some(sent_at),
            dead_after: Some(self.dead_after.map_or(dead_after, |known| known.max(dead_after))),
            ..self.clone()
        }
    }

    /// The payment as it must be written down *before* a close is sent.
    #[must_use]
    pub fn before_close(&self, sent_at: UtcMs) -> Payment {
        Payment { close_sent_at: Some(sent_at), ..self.clone() }
    }
}

/// A row that says something this program does not know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("status {word:?} with reason {reason:?} is not one this program knows")]
pub struct StatusError {
    word: String,
    reason: Option<String>,
}

impl Status {
    /// Reads a status back from its row: the word, the payment's trade number and the reason.
    ///
    /// # Errors
    /// An unknown word, or a word without what it must carry: never a default.
    pub fn from_row(word: &str, trade_no: Option<&TradeNo>, reason: Option<&str>) -> Result<Status, StatusError> {
        let unknown = || StatusError { word: word.into(), reason: reason.map(Into::into) };
        let name = StatusName::find(word).ok_or_else(unknown)?;
        Ok(match name {
            StatusName::Init => Status::Init,
            StatusName::Precreated => Status::Precreated,
            StatusName::Paying => Status::Paying,
            StatusName::Closing => Status::Closing,
            StatusName::Success => Status::Success(Money::of(trade_no.cloned().ok_or_else(unknown)?)),
            StatusName::Closed => Status::Closed(read_reason::<Death>(reason).ok_or_else(unknown)?),
            StatusName::Fail => Status::Fail(read_reason::<Refusal>(reason).ok_or_else(unknown)?),
            StatusName::Suspense => Status::Suspense,
        })
    }

    /// The reason as it is stored beside the word: JSON.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        match self {
            Status::Closed(death) => serde_json::to_string(death).ok(),
            Status::Fail(refusal) => serde_json::to_string(refusal).ok(),
            Status::Init
            | Status::Precreated
            | Status::Paying
            | Status::Closing
            | Status::Success(_)
            | Status::Suspense => None,
        }
    }
}

fn read_reason<T: serde::de::DeserializeOwned>(reason: Option<&str>) -> Option<T> {
    serde_json::from_str(reason?).ok()
}
