//! What tests, the control API and the page may see of sessions and trades.

use serde::Serialize;

use crate::clock::Millis;
use crate::ledger::{Records, Session, Sql, Trade, TradeStatus};

/// A trade as Alipay's books have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TradeView {
    pub trade_no: String,
    pub out_trade_no: String,
    pub status: TradeStatus,
    pub subject: String,
    pub total_fen: i64,
    pub refunded_fen: i64,
    pub buyer: String,
    /// How often money was taken, counted from the ledger.
    pub charges: u32,
    pub created_at_ms: Millis,
    pub expires_at_ms: Millis,
    pub paid_at_ms: Option<Millis>,
    pub closed_at_ms: Option<Millis>,
}

/// A code made by `precreate`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SessionView {
    pub qr_code: String,
    pub out_trade_no: String,
    pub total_fen: i64,
    pub subject: String,
    pub created_at_ms: Millis,
    pub qr_expires_at_ms: Millis,
    /// Whether a buyer can still come to the cashier page with it.
    pub is_open: bool,
    /// The trade that came of the number, if any.
    pub trade_status: Option<TradeStatus>,
    pub buyer: Option<String>,
}

pub fn view_trade(records: &Records<'_>, trade: Trade) -> Sql<TradeView> {
    Ok(TradeView {
        charges: records.count_charges(&trade.out_trade_no)?,
        trade_no: trade.trade_no,
        out_trade_no: trade.out_trade_no,
        status: trade.status,
        subject: trade.subject,
        total_fen: trade.total_fen,
        refunded_fen: trade.refunded_fen,
        buyer: trade.buyer,
        created_at_ms: trade.created_at,
        expires_at_ms: trade.expires_at,
        paid_at_ms: trade.paid_at,
        closed_at_ms: trade.closed_at,
    })
}

pub fn view_session(records: &Records<'_>, session: Session, now: Millis) -> Sql<SessionView> {
    let trade = records.find_trade(&session.out_trade_no)?;
    let trade_status = trade.as_ref().map(|trade| trade.status);
    let is_alive = trade_status.is_none_or(|status| status == TradeStatus::WaitBuyerPay);
    let is_latched = records.is_latched(&session.out_trade_no)?;
    Ok(SessionView {
        is_open: is_alive && !is_latched && (now < session.qr_expires_at || trade.is_some()),
        qr_code: session.qr_code,
        out_trade_no: session.out_trade_no,
        total_fen: session.total_fen,
        subject: session.subject,
        created_at_ms: session.created_at,
        qr_expires_at_ms: session.qr_expires_at,
        trade_status,
        buyer: trade.map(|trade| trade.buyer),
    })
}
