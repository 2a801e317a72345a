//! The customer's phone: scan a code, pay, walk away. The only way money moves to the merchant by QR code.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::biz::Span;
use crate::calls::refund::give_back;
use crate::clock::Millis;
use crate::config::TimeoutFrom;
use crate::ledger::{BuyerCode, CodeOutcome, Refund, Session, Sql, Trade, TradeStatus};
use crate::notice::{Happening, announce};
use crate::platform::{Platform, Turn};

/// A payment code on a phone changes about every minute.
const CODE_LIFE_MS: Millis = 60_000;

/// The cashier page as the buyer sees it after a scan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScanResult {
    pub trade_no: String,
    pub out_trade_no: String,
    pub total_fen: i64,
    pub subject: String,
    /// UTC ms; after this moment the trade cannot be paid.
    pub expires_at_ms: Millis,
}

/// The buyer's receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PayResult {
    pub trade_no: String,
    pub out_trade_no: String,
    pub amount_fen: i64,
    pub paid_at_ms: Millis,
}

/// Why the phone shows an error page instead.
#[derive(Debug, thiserror::Error)]
pub enum BuyerRefusal {
    #[error("no such code or number")]
    UnknownCode,
    #[error("the code has expired")]
    CodeExpired,
    #[error("the number is closed: the merchant must charge again")]
    NumberClosed,
    #[error("already paid")]
    AlreadyPaid,
    #[error("the trade belongs to another buyer")]
    AnotherBuyer,
    #[error("the code states another amount or subject than the trade of the same number")]
    ContextInconsistent,
    #[error("the buyer has not opened the cashier page yet: scan first")]
    NotScanned,
    #[error("not so much is left to give back")]
    NothingToRefund,
    #[error("buyer and seller are the same account")]
    BuyerIsSeller,
    #[error("the sandbox's ledger cannot be used")]
    Ledger(#[from] rusqlite::Error),
}

impl BuyerRefusal {
    /// Alipay's word for it, or our own where Alipay has none.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownCode => "QR_CODE_NOT_EXIST",
            Self::CodeExpired => "QR_CODE_EXPIRED",
            Self::NumberClosed => "ACQ.TRADE_HAS_CLOSE",
            Self::AlreadyPaid => "ACQ.TRADE_HAS_SUCCESS",
            Self::AnotherBuyer => "ACQ.TRADE_BUYER_NOT_MATCH",
            Self::ContextInconsistent => "ACQ.CONTEXT_INCONSISTENT",
            Self::NotScanned => "ACQ.TRADE_NOT_EXIST",
            Self::NothingToRefund => "ACQ.REASON_TRADE_REFUND_FEE_ERR",
            Self::BuyerIsSeller => "ACQ.BUYER_SELLER_EQUAL",
            Self::Ledger(_) => "LEDGER",
        }
    }
}

type Bought<T> = Result<T, BuyerRefusal>;

impl Platform {
    /// Opens the cashier page: makes the trade if there is none. `code` is a QR text or an `out_trade_no` (its newest code).
    pub fn scan(&self, code: &str, buyer: &str) -> Bought<ScanResult> {
        self.turn(|turn| keep_ledger_errors(scan(turn, code, buyer)))?
    }

    /// Confirms the payment. The buyer must have scanned before.
    pub fn pay(&self, out_trade_no: &str, buyer: &str) -> Bought<PayResult> {
        self.turn(|turn| keep_ledger_errors(pay(turn, out_trade_no, buyer)))?
    }

    /// Shows a payment code, good for one charge within a minute.
    pub fn show_code(&self, buyer: &str, outcome: CodeOutcome) -> Sql<String> {
        self.turn(|turn| {
            let code = BuyerCode {
                auth_code: turn.records.draw_auth_code()?,
                buyer: buyer.to_owned(),
                outcome,
                expires_at: turn.now + CODE_LIFE_MS,
                is_used: false,
            };
            turn.records.add_buyer_code(&code)?;
            Ok(code.auth_code)
        })
    }

    /// Gives money back as the shop's phone app would, with a number the merchant's programs do not know.
    pub fn refund_elsewhere(&self, out_trade_no: &str, amount_fen: i64) -> Bought<String> {
        self.turn(|turn| keep_ledger_errors(refund_elsewhere(turn, out_trade_no, amount_fen)))?
    }

    /// Walks away from the cashier page. The trade stays `WAIT_BUYER_PAY` until it expires or is closed.
    pub fn leave(&self, out_trade_no: &str, buyer: &str) -> Bought<()> {
        self.turn(|turn| keep_ledger_errors(own_open_trade(turn, out_trade_no, buyer).map(|_| ())))?
    }
}

/// A refusal is a result, but a ledger error must roll the turn back.
fn keep_ledger_errors<T>(bought: Bought<T>) -> Sql<Bought<T>> {
    match bought {
        Err(BuyerRefusal::Ledger(cause)) => Err(cause),
        bought => Ok(bought),
    }
}

fn scan(turn: &Turn<'_>, code: &str, buyer: &str) -> Bought<ScanResult> {
    let session = find_session(turn, code)?.ok_or(BuyerRefusal::UnknownCode)?;
    if turn.records.is_latched(&session.out_trade_no)? {
        return Err(BuyerRefusal::NumberClosed);
    }
    if buyer == turn.merchant.seller_id {
        return Err(BuyerRefusal::BuyerIsSeller);
    }
    let trade = match turn.records.find_trade(&session.out_trade_no)? {
        Some(trade) => reopen(trade, &session, buyer, turn.now)?,
        None if turn.now >= session.qr_expires_at => return Err(BuyerRefusal::CodeExpired),
        None => begin(turn, &session, buyer)?,
    };
    Ok(ScanResult {
        trade_no: trade.trade_no,
        out_trade_no: trade.out_trade_no,
        total_fen: trade.total_fen,
        subject: trade.subject,
        expires_at_ms: trade.expires_at,
    })
}

fn find_session(turn: &Turn<'_>, code: &str) -> Sql<Option<Session>> {
    match turn.records.find_session(code)? {
        Some(session) => Ok(Some(session)),
        None => turn.records.latest_session(code),
    }
}

/// A number carries at most one trade: a second scan finds the first one's trade or an error page.
fn reopen(trade: Trade, session: &Session, buyer: &str, now: Millis) -> Bought<Trade> {
    match trade.status {
        TradeStatus::TradeSuccess | TradeStatus::TradeFinished => Err(BuyerRefusal::AlreadyPaid),
        TradeStatus::TradeClosed => Err(BuyerRefusal::NumberClosed),
        TradeStatus::WaitBuyerPay if trade.buyer != buyer => Err(BuyerRefusal::AnotherBuyer),
        TradeStatus::WaitBuyerPay if (trade.total_fen, &trade.subject) != (session.total_fen, &session.subject) => {
            Err(BuyerRefusal::ContextInconsistent)
        }
        TradeStatus::WaitBuyerPay if now >= session.qr_expires_at => Err(BuyerRefusal::CodeExpired),
        TradeStatus::WaitBuyerPay => Ok(trade),
    }
}

/// Makes the trade: at the scan, or at the merchant's scan of a payment code.
pub fn begin(turn: &Turn<'_>, session: &Session, buyer: &str) -> Sql<Trade> {
    let trade = Trade {
        trade_no: turn.records.draw_trade_no(turn.now)?,
        out_trade_no: session.out_trade_no.clone(),
        total_fen: session.total_fen,
        subject: session.subject.clone(),
        biz: session.biz.clone(),
        notify_url: session.notify_url.clone(),
        charset: session.charset.clone(),
        is_cert_mode: session.is_cert_mode,
        buyer: buyer.to_owned(),
        status: TradeStatus::WaitBuyerPay,
        created_at: turn.now,
        expires_at: trade_end(session, turn.settings.timeout_express_from, turn.now),
        paid_at: None,
        closed_at: None,
        cancelled: None,
        refunded_fen: 0,
    };
    turn.records.add_trade(&trade)?;
    announce(turn, &trade.trade_no, &Happening::Waiting)?;
    Ok(trade)
}

/// `time_expire` wins over `timeout_express`; without either a face-to-face trade lives three hours.
fn trade_end(session: &Session, from: TimeoutFrom, scanned_at: Millis) -> Millis {
    const DEFAULT: Span = Span::Millis(3 * 3_600_000);
    let start = match from {
        TimeoutFrom::Precreate => session.created_at,
        TimeoutFrom::Scan => scanned_at,
    };
    let span = session.timeout_express.as_deref().and_then(Span::read);
    session.time_expire.unwrap_or_else(|| span.unwrap_or(DEFAULT).end_from(start))
}

fn pay(turn: &Turn<'_>, out_trade_no: &str, buyer: &str) -> Bought<PayResult> {
    let trade = own_open_trade(turn, out_trade_no, buyer)?;
    turn.records.charge(&trade, turn.now)?;
    announce(turn, &trade.trade_no, &Happening::Paid)?;
    Ok(PayResult {
        trade_no: trade.trade_no,
        out_trade_no: trade.out_trade_no,
        amount_fen: trade.total_fen,
        paid_at_ms: turn.now,
    })
}

fn own_open_trade(turn: &Turn<'_>, out_trade_no: &str, buyer: &str) -> Bought<Trade> {
    let trade = turn.records.find_trade(out_trade_no)?.ok_or(BuyerRefusal::NotScanned)?;
    match trade.status {
        TradeStatus::TradeSuccess | TradeStatus::TradeFinished => Err(BuyerRefusal::AlreadyPaid),
        TradeStatus::TradeClosed => Err(BuyerRefusal::NumberClosed),
        TradeStatus::WaitBuyerPay if trade.buyer != buyer => Err(BuyerRefusal::AnotherBuyer),
        TradeStatus::WaitBuyerPay => Ok(trade),
    }
}

fn refund_elsewhere(turn: &Turn<'_>, out_trade_no: &str, amount_fen: i64) -> Bought<String> {
    let trade = turn.records.find_trade(out_trade_no)?.ok_or(BuyerRefusal::NotScanned)?;
    let left = trade.paid_at.map_or(0, |_| trade.total_fen - trade.refunded_fen);
    if !(1..=left).contains(&amount_fen) || trade.status == TradeStatus::TradeFinished {
        return Err(BuyerRefusal::NothingToRefund);
    }
    let refund = Refund {
        out_request_no: format!("APP{}", turn.records.draw_token()?),
        amount_fen,
        reason: Some("商家手机退款".to_owned()),
        refunded_at: turn.now,
    };
    give_back(turn, &trade, &refund)?;
    Ok(refund.out_request_no)
}

/// A buyer may be named by any text; this is the 2088 number that stands for it in answers.
pub fn user_id(buyer: &str) -> String {
    if buyer.len() == 16 && buyer.starts_with("2088") && buyer.bytes().all(|byte| byte.is_ascii_digit()) {
        return buyer.to_owned();
    }
    let digits: String =
        Sha256::digest(buyer.as_bytes()).iter().take(12).map(|byte| char::from(b'0' + byte % 10)).collect();
    format!("2088{digits}")
}

/// The masked login, as Alipay's own sandbox shows it.
pub fn logon_id(buyer: &str) -> String {
    let shown: String = buyer.chars().take(3).collect();
    format!("{shown}***@sandbox.com")
}
