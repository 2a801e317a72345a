//! Trades and the money they moved. A trade begins when a buyer opens the cashier and belongs to that buyer.

use std::fmt;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{OptionalExtension as _, Row, params};
use serde::Serialize;

use super::{Records, Sql};
use crate::clock::Millis;

/// The four words of `trade_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TradeStatus {
    WaitBuyerPay,
    TradeSuccess,
    TradeClosed,
    TradeFinished,
}

impl TradeStatus {
    pub fn text(self) -> &'static str {
        match self {
            Self::WaitBuyerPay => "WAIT_BUYER_PAY",
            Self::TradeSuccess => "TRADE_SUCCESS",
            Self::TradeClosed => "TRADE_CLOSED",
            Self::TradeFinished => "TRADE_FINISHED",
        }
    }
}

impl fmt::Display for TradeStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl PartialEq<&str> for TradeStatus {
    fn eq(&self, text: &&str) -> bool {
        self.text() == *text
    }
}

impl ToSql for TradeStatus {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.text().into())
    }
}

impl FromSql for TradeStatus {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = value.as_str()?;
        [Self::WaitBuyerPay, Self::TradeSuccess, Self::TradeClosed, Self::TradeFinished]
            .into_iter()
            .find(|status| status.text() == text)
            .ok_or(FromSqlError::InvalidType)
    }
}

#[derive(Clone, Debug)]
pub struct Trade {
    pub trade_no: String,
    pub out_trade_no: String,
    pub total_fen: i64,
    pub subject: String,
    /// The `biz_content` it came from.
    pub biz: String,
    pub notify_url: Option<String>,
    pub charset: String,
    /// Whether the call came with certificate numbers.
    pub is_cert_mode: bool,
    pub buyer: String,
    pub status: TradeStatus,
    pub created_at: Millis,
    /// An unpaid trade closes at this moment.
    pub expires_at: Millis,
    pub paid_at: Option<Millis>,
    pub closed_at: Option<Millis>,
    /// `close` or `refund` if `cancel` ended it.
    pub cancelled: Option<String>,
    pub refunded_fen: i64,
}

const COLUMNS: &str = "trade_no, out_trade_no, total_fen, subject, biz, notify_url, charset, is_cert_mode, buyer, status, created_at, expires_at, paid_at, closed_at, cancelled";
const REFUNDED: &str =
    "(select coalesce(sum(amount_fen), 0) from refunds where refunds.trade_no = trades.trade_no) as refunded_fen";

impl Records<'_> {
    pub fn add_trade(&self, trade: &Trade) -> Sql<()> {
        let placed = "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15";
        self.transaction.prepare_cached(&format!("insert into trades ({COLUMNS}) values ({placed})"))?.execute(
            params![
                trade.trade_no,
                trade.out_trade_no,
                trade.total_fen,
                trade.subject,
                trade.biz,
                trade.notify_url,
                trade.charset,
                trade.is_cert_mode,
                trade.buyer,
                trade.status,
                trade.created_at,
                trade.expires_at,
                trade.paid_at,
                trade.closed_at,
                trade.cancelled,
            ],
        )?;
        Ok(())
    }

    pub fn find_trade(&self, out_trade_no: &str) -> Sql<Option<Trade>> {
        self.find_trade_where("out_trade_no", out_trade_no)
    }

    pub fn find_trade_by_trade_no(&self, trade_no: &str) -> Sql<Option<Trade>> {
        self.find_trade_where("trade_no", trade_no)
    }

    /// All trades, oldest first.
    pub fn list_trades(&self) -> Sql<Vec<Trade>> {
        self.list_trades_where("created_at <= ?1", Millis::MAX)
    }

    /// Unpaid trades whose time is over.
    pub fn list_overdue(&self, now: Millis) -> Sql<Vec<Trade>> {
        self.list_trades_where("status = 'WAIT_BUYER_PAY' and expires_at <= ?1", now)
    }

    /// Paid trades whose refund window began before `paid_before`.
    pub fn list_past_refund(&self, paid_before: Millis) -> Sql<Vec<Trade>> {
        self.list_trades_where("status = 'TRADE_SUCCESS' and paid_at <= ?1", paid_before)
    }

    /// Trades paid from `start` until just before `end`, in order of time.
    pub fn list_paid_between(&self, start: Millis, end: Millis) -> Sql<Vec<Trade>> {
        self.transaction
            .prepare_cached(&format!(
                "select {COLUMNS}, {REFUNDED} from trades where paid_at >= ?1 and paid_at < ?2 order by paid_at, rowid"
            ))?
            .query_map([start, end], read_trade)?
            .collect()
    }

    /// Takes the buyer's money: the only place that writes a charge.
    pub fn charge(&self, trade: &Trade, now: Millis) -> Sql<()> {
        self.transaction.execute(
            "update trades set status = 'TRADE_SUCCESS', paid_at = ?2 where trade_no = ?1",
            params![trade.trade_no, now],
        )?;
        self.transaction.execute(
            "insert into charges (trade_no, out_trade_no, amount_fen, buyer, charged_at) values (?1, ?2, ?3, ?4, ?5)",
            params![trade.trade_no, trade.out_trade_no, trade.total_fen, trade.buyer, now],
        )?;
        Ok(())
    }

    pub fn close_trade(&self, trade: &Trade, at: Millis, cancelled: Option<&str>) -> Sql<()> {
        self.transaction.execute(
            "update trades set status = 'TRADE_CLOSED', closed_at = ?2, cancelled = coalesce(?3, cancelled) where trade_no = ?1",
            params![trade.trade_no, at, cancelled],
        )?;
        Ok(())
    }

    pub fn finish_trade(&self, trade: &Trade) -> Sql<()> {
        self.transaction
            .execute("update trades set status = 'TRADE_FINISHED' where trade_no = ?1", [&trade.trade_no])?;
        Ok(())
    }

    /// How often money was taken for a number.
    pub fn count_charges(&self, out_trade_no: &str) -> Sql<u32> {
        self.transaction
            .prepare_cached("select count(*) from charges where out_trade_no = ?1")?
            .query_row([out_trade_no], |row| row.get(0))
    }

    pub fn charged_total_fen(&self) -> Sql<i64> {
        self.transaction.query_row("select coalesce(sum(amount_fen), 0) from charges", [], |row| row.get(0))
    }

    pub fn next_expiry(&self) -> Sql<Option<Millis>> {
        self.transaction
            .prepare_cached("select min(expires_at) from trades where status = 'WAIT_BUYER_PAY'")?
            .query_row([], |row| row.get(0))
    }

    fn find_trade_where(&self, column: &str, value: &str) -> Sql<Option<Trade>> {
        self.transaction
            .prepare_cached(&format!("select {COLUMNS}, {REFUNDED} from trades where {column} = ?1"))?
            .query_row([value], read_trade)
            .optional()
    }

    fn list_trades_where(&self, condition: &str, bound: Millis) -> Sql<Vec<Trade>> {
        self.transaction
            .prepare_cached(&format!("select {COLUMNS}, {REFUNDED} from trades where {condition} order by rowid"))?
            .query_map([bound], read_trade)?
            .collect()
    }
}

fn read_trade(row: &Row<'_>) -> Sql<Trade> {
    Ok(Trade {
        trade_no: row.get("trade_no")?,
        out_trade_no: row.get("out_trade_no")?,
        total_fen: row.get("total_fen")?,
        subject: row.get("subject")?,
        biz: row.get("biz")?,
        notify_url: row.get("notify_url")?,
        charset: row.get("charset")?,
        is_cert_mode: row.get("is_cert_mode")?,
        buyer: row.get("buyer")?,
        status: row.get("status")?,
        created_at: row.get("created_at")?,
        expires_at: row.get("expires_at")?,
        paid_at: row.get("paid_at")?,
        closed_at: row.get("closed_at")?,
        cancelled: row.get("cancelled")?,
        refunded_fen: row.get("refunded_fen")?,
    })
}
