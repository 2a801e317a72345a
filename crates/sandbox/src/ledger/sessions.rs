//! What `precreate` leaves behind: a code and its terms. No trade, no buyer, no money.

use rusqlite::{OptionalExtension as _, Row, params};

use super::{Records, Sql};
use crate::clock::Millis;

/// One `precreate`. A number may have several; each has its own code.
#[derive(Clone, Debug)]
pub struct Session {
    pub qr_code: String,
    pub out_trade_no: String,
    pub total_fen: i64,
    pub subject: String,
    /// The whole `biz_content`.
    pub biz: String,
    pub notify_url: Option<String>,
    pub charset: String,
    /// Whether the call came with certificate numbers.
    pub is_cert_mode: bool,
    pub created_at: Millis,
    /// The code cannot be scanned from this moment on.
    pub qr_expires_at: Millis,
    /// Absolute end of the trade, if `time_expire` was given.
    pub time_expire: Option<Millis>,
    /// Relative end of the trade as asked for (`90m`, `1c`).
    pub timeout_express: Option<String>,
}

const COLUMNS: &str = "qr_code, out_trade_no, total_fen, subject, biz, notify_url, charset, is_cert_mode, created_at, qr_expires_at, time_expire, timeout_express";

impl Records<'_> {
    pub fn add_session(&self, session: &Session) -> Sql<()> {
        let placed = "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12";
        self.transaction.prepare_cached(&format!("insert into sessions ({COLUMNS}) values ({placed})"))?.execute(
            params![
                session.qr_code,
                session.out_trade_no,
                session.total_fen,
                session.subject,
                session.biz,
                session.notify_url,
                session.charset,
                session.is_cert_mode,
                session.created_at,
                session.qr_expires_at,
                session.time_expire,
                session.timeout_express,
            ],
        )?;
        Ok(())
    }

    pub fn find_session(&self, qr_code: &str) -> Sql<Option<Session>> {
        self.transaction
            .prepare_cached(&format!("select {COLUMNS} from sessions where qr_code = ?1"))?
            .query_row([qr_code], read_session)
            .optional()
    }

    pub fn latest_session(&self, out_trade_no: &str) -> Sql<Option<Session>> {
        self.transaction
            .prepare_cached(&format!(
                "select {COLUMNS} from sessions where out_trade_no = ?1 order by session_id desc limit 1"
            ))?
            .query_row([out_trade_no], read_session)
            .optional()
    }

    /// The newest sessions, newest first.
    pub fn list_sessions(&self, limit: i64) -> Sql<Vec<Session>> {
        self.transaction
            .prepare_cached(&format!("select {COLUMNS} from sessions order by session_id desc limit ?1"))?
            .query_map([limit], read_session)?
            .collect()
    }

    /// From now on no code of this number can be scanned.
    pub fn latch(&self, out_trade_no: &str) -> Sql<()> {
        self.transaction.execute("insert or ignore into latches (out_trade_no) values (?1)", [out_trade_no])?;
        Ok(())
    }

    pub fn is_latched(&self, out_trade_no: &str) -> Sql<bool> {
        self.transaction.prepare_cached("select 1 from latches where out_trade_no = ?1")?.exists([out_trade_no])
    }
}

fn read_session(row: &Row<'_>) -> Sql<Session> {
    Ok(Session {
        qr_code: row.get("qr_code")?,
        out_trade_no: row.get("out_trade_no")?,
        total_fen: row.get("total_fen")?,
        subject: row.get("subject")?,
        biz: row.get("biz")?,
        notify_url: row.get("notify_url")?,
        charset: row.get("charset")?,
        is_cert_mode: row.get("is_cert_mode")?,
        created_at: row.get("created_at")?,
        qr_expires_at: row.get("qr_expires_at")?,
        time_expire: row.get("time_expire")?,
        timeout_express: row.get("timeout_express")?,
    })
}
