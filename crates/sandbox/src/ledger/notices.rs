//! Notices waiting to be sent, sent, or given up, and every try.

use rusqlite::{Row, params};
use serde::Serialize;

use super::{Records, Sql};
use crate::clock::Millis;

/// One notice. Its `notify_id` stays the same over all tries.
#[derive(Clone, Debug)]
pub struct Notice {
    pub notify_id: String,
    pub out_trade_no: String,
    pub trade_status: String,
    /// The refund's number, for refund notices.
    pub out_biz_no: Option<String>,
    pub url: String,
    pub charset: String,
    /// Whether it carries a certificate number.
    pub is_cert_mode: bool,
    /// The parameters without `notify_time`, `sign` and `sign_type`, as a JSON object of strings.
    pub parameters: String,
    pub created_at: Millis,
    /// `None`: delivered, held or given up.
    pub next_at: Option<Millis>,
    pub failures: u32,
}

/// What tests and the page may see of a notice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NoticeView {
    pub notify_id: String,
    pub out_trade_no: String,
    pub trade_status: String,
    pub out_biz_no: Option<String>,
    pub url: String,
    pub tries: u32,
    pub is_delivered: bool,
    /// UTC ms of the next try; `None` if there will be none by itself.
    pub next_at_ms: Option<Millis>,
    /// What came of every try, oldest first: the answer's text or the reason why there was none.
    pub outcomes: Vec<String>,
}

const COLUMNS: &str = "notify_id, out_trade_no, trade_status, out_biz_no, url, charset, is_cert_mode, parameters, created_at, next_at, failures";

impl Records<'_> {
    pub fn add_notice(&self, notice: &Notice) -> Sql<()> {
        let placed = "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11";
        self.transaction.execute(
            &format!("insert into notices ({COLUMNS}) values ({placed})"),
            params![
                notice.notify_id,
                notice.out_trade_no,
                notice.trade_status,
                notice.out_biz_no,
                notice.url,
                notice.charset,
                notice.is_cert_mode,
                notice.parameters,
                notice.created_at,
                notice.next_at,
                notice.failures,
            ],
        )?;
        Ok(())
    }

    /// Notices to send now, earliest first.
    pub fn list_due_notices(&self, now: Millis) -> Sql<Vec<Notice>> {
        self.transaction
            .prepare_cached(&format!("select {COLUMNS} from notices where next_at <= ?1 order by next_at, rowid"))?
            .query_map([now], read_notice)?
            .collect()
    }

    pub fn next_notice_at(&self) -> Sql<Option<Millis>> {
        self.transaction
            .prepare_cached("select min(next_at) from notices where next_at is not null")?
            .query_row([], |row| row.get(0))
    }

    /// Makes a notice due, whatever became of it before. `false` if there is no such notice.
    pub fn send_notice_at(&self, notify_id: &str, at: Millis) -> Sql<bool> {
        let changed =
            self.transaction.execute("update notices set next_at = ?2 where notify_id = ?1", params![notify_id, at])?;
        Ok(changed > 0)
    }

    /// Writes down a try that was answered `success`. `copies` more are still to come.
    pub fn note_delivered(&self, notify_id: &str, now: Millis, copies: u32) -> Sql<()> {
        self.transaction.execute(
            "update notices set tries = tries + 1, delivered_at = ?2, next_at = iif(tries + 1 < ?3, ?2, null) where notify_id = ?1",
            params![notify_id, now, copies],
        )?;
        self.note_try(notify_id, now, "success")
    }

    /// Writes down a try that was not answered `success`, and when the next one is due.
    pub fn note_failed(&self, notify_id: &str, now: Millis, outcome: &str, next_at: Option<Millis>) -> Sql<()> {
        self.transaction.execute(
            "update notices set tries = tries + 1, failures = failures + 1, next_at = ?2 where notify_id = ?1",
            params![notify_id, next_at],
        )?;
        self.note_try(notify_id, now, outcome)
    }

    pub fn list_notices(&self, out_trade_no: &str) -> Sql<Vec<NoticeView>> {
        let mut notices = self
            .transaction
            .prepare_cached(
                "select notify_id, out_trade_no, trade_status, out_biz_no, url, tries, delivered_at is not null, next_at
                 from notices where out_trade_no = ?1 order by rowid",
            )?
            .query_map([out_trade_no], read_notice_view)?
            .collect::<Sql<Vec<_>>>()?;
        for notice in &mut notices {
            notice.outcomes = self.list_outcomes(&notice.notify_id)?;
        }
        Ok(notices)
    }

    fn note_try(&self, notify_id: &str, now: Millis, outcome: &str) -> Sql<()> {
        self.transaction.execute(
            "insert into notice_tries (notify_id, tried_at, outcome) values (?1, ?2, ?3)",
            params![notify_id, now, outcome],
        )?;
        Ok(())
    }

    fn list_outcomes(&self, notify_id: &str) -> Sql<Vec<String>> {
        self.transaction
            .prepare_cached("select outcome from notice_tries where notify_id = ?1 order by rowid")?
            .query_map([notify_id], |row| row.get(0))?
            .collect()
    }
}

fn read_notice(row: &Row<'_>) -> Sql<Notice> {
    Ok(Notice {
        notify_id: row.get("notify_id")?,
        out_trade_no: row.get("out_trade_no")?,
        trade_status: row.get("trade_status")?,
        out_biz_no: row.get("out_biz_no")?,
        url: row.get("url")?,
        charset: row.get("charset")?,
        is_cert_mode: row.get("is_cert_mode")?,
        parameters: row.get("parameters")?,
        created_at: row.get("created_at")?,
        next_at: row.get("next_at")?,
        failures: row.get("failures")?,
    })
}

fn read_notice_view(row: &Row<'_>) -> Sql<NoticeView> {
    Ok(NoticeView {
        notify_id: row.get(0)?,
        out_trade_no: row.get(1)?,
        trade_status: row.get(2)?,
        out_biz_no: row.get(3)?,
        url: row.get(4)?,
        tries: row.get(5)?,
        is_delivered: row.get(6)?,
        next_at_ms: row.get(7)?,
        outcomes: Vec::new(),
    })
}
