//! Refunds of a trade, one row for each `out_request_no`.

use rusqlite::params;

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
}
