//! Download addresses of bills. Each is good for half a minute.

use rusqlite::{OptionalExtension as _, params};

use super::{Records, Sql};
use crate::clock::Millis;

#[derive(Clone, Debug)]
pub struct BillLink {
    pub token: String,
    pub bill_type: String,
    /// `2026-11-30` or `2026-11`.
    pub bill_date: String,
    pub made_at: Millis,
}

impl Records<'_> {
    pub fn add_bill_link(&self, link: &BillLink) -> Sql<()> {
        self.transaction.execute(
            "insert into bill_links (token, bill_type, bill_date, made_at) values (?1, ?2, ?3, ?4)",
            params![link.token, link.bill_type, link.bill_date, link.made_at],
        )?;
        Ok(())
    }

    pub fn find_bill_link(&self, token: &str) -> Sql<Option<BillLink>> {
        self.transaction
            .prepare_cached("select token, bill_type, bill_date, made_at from bill_links where token = ?1")?
            .query_row([token], |row| {
                Ok(BillLink {
                    token: row.get("token")?,
                    bill_type: row.get("bill_type")?,
                    bill_date: row.get("bill_date")?,
                    made_at: row.get("made_at")?,
                })
            })
            .optional()
    }
}
