//! Refunds of a trade, one row for each `out_request_no`.

use rusqlite::{OptionalExtension as _, Row, params};

use super::{Records, Sql};
use crate::clock::Millis;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    pub out_request_no: String,
    pub amount_fen: i64,
    pub reason: Option<String>,
    pub refunded_at: Millis,
}

impl Records<'_> {
    pub fn add_refund(&self, trade_no: &str, refund: &Refund) -> Sql<()> {
        self.transaction.execute(
            "insert into refunds (trade_no, out_request_no, amount_fen, reason, refunded_at) values (?1, ?2, ?3, ?4, ?5)",
            params![
                trade_no,
                refund.out_request_no,
                refund.amount_fen,
                refund.reason,
                refund.refunded_at
            ],
        )?;
        Ok(())
    }

    pub fn find_refund(&self, trade_no: &str, out_request_no: &str) -> Sql<Option<Refund>> {
        let sql = "select out_request_no, amount_fen, reason, refunded_at from refunds where trade_no = ?1 and out_request_no = ?2";
        self.transaction.prepare_cached(sql)?.query_row([trade_no, out_request_no], read_refund).optional()
    }

    /// Refunds of all trades from `start` until just before `end`, with their trades' numbers, in order of time.
    pub fn list_refunds_between(&self, start: Millis, end: Millis) -> Sql<Vec<(String, Refund)>> {
        let sql = "select out_request_no, amount_fen, reason, refunded_at, trade_no from refunds where refunded_at >= ?1 and refunded_at < ?2 order by refunded_at, rowid";
        self.transaction
            .prepare_cached(sql)?
            .query_map([start, end], |row| Ok((row.get(4)?, read_refund(row)?)))?
            .collect()
    }
}

fn read_refund(row: &Row<'_>) -> Sql<Refund> {
    Ok(Refund { out_request_no: row.get(0)?, amount_fen: row.get(1)?, reason: row.get(2)?, refunded_at: row.get(3)? })
}
