//! The sandbox's memory: one SQLite file that survives SIGKILL.
//!
//! Every effect is committed with `synchronous=FULL` before its answer leaves. What was charged is counted from the
//! `charges` table and from nothing else. How often a method was called is not an effect and is not kept here.

mod bill_links;
mod buyer_codes;
mod certificates;
mod notices;
mod refunds;
mod sessions;
mod trades;

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use sha2::{Digest as _, Sha256};

use crate::clock::{Millis, beijing_day_digits};

pub use bill_links::BillLink;
pub use buyer_codes::{BuyerCode, CodeOutcome};
pub use certificates::AlipayCertificate;
pub use notices::{Notice, NoticeView};
pub use refunds::Refund;
pub use sessions::Session;
pub use trades::{Trade, TradeStatus};

/// What reading or writing the ledger gives.
pub type Sql<T> = Result<T, rusqlite::Error>;

const SCHEMA: &str = "
create table if not exists numbers (seed blob not null, drawn integer not null) strict;
create table if not exists sessions (
  session_id integer primary key, qr_code text not null unique, out_trade_no text not null,
  total_fen integer not null check (total_fen > 0), subject text not null, biz text not null, notify_url text,
  charset text not null, is_cert_mode integer not null, created_at integer not null, qr_expires_at integer not null, time_expire integer,
  timeout_express text
) strict;
create index if not exists sessions_by_number on sessions (out_trade_no);
create table if not exists latches (out_trade_no text primary key) strict;
create table if not exists trades (
  trade_no text primary key, out_trade_no text not null unique, total_fen integer not null check (total_fen > 0),
  subject text not null, biz text not null, notify_url text, charset text not null, is_cert_mode integer not null, buyer text not null,
  status text not null check (status in ('WAIT_BUYER_PAY','TRADE_SUCCESS','TRADE_CLOSED','TRADE_FINISHED')),
  created_at integer not null, expires_at integer not null, paid_at integer, closed_at integer,
  cancelled text check (cancelled in ('close','refund')),
  check (status not in ('TRADE_SUCCESS','TRADE_FINISHED') or paid_at is not null)
) strict;
create index if not exists trades_waiting on trades (expires_at) where status = 'WAIT_BUYER_PAY';
create table if not exists charges (
  charge_id integer primary key, trade_no text not null references trades, out_trade_no text not null,
  amount_fen integer not null check (amount_fen > 0), buyer text not null, charged_at integer not null
) strict;
create index if not exists charges_by_number on charges (out_trade_no);
create table if not exists refunds (
  trade_no text not null references trades, out_request_no text not null, amount_fen integer not null check (amount_fen > 0),
  reason text, refunded_at integer not null, primary key (trade_no, out_request_no)
) strict;
create table if not exists notices (
  notify_id text primary key, out_trade_no text not null, trade_status text not null, out_biz_no text, url text not null,
  charset text not null, is_cert_mode integer not null, parameters text not null, created_at integer not null, next_at integer,
  tries integer not null default 0, failures integer not null default 0, delivered_at integer
) strict;
create index if not exists notices_due on notices (next_at) where next_at is not null;
create table if not exists notice_tries (
  notify_id text not null references notices, tried_at integer not null, outcome text not null
) strict;
create table if not exists buyer_codes (
  auth_code text primary key, buyer text not null, outcome text not null, expires_at integer not null, is_used integer not null
) strict;
create table if not exists bill_links (
  token text primary key, bill_type text not null, bill_date text not null, made_at integer not null
) strict;
create table if not exists certificates (
  generation integer primary key, sn text not null unique, pem text not null, private_key text not null
) strict;
create index if not exists trades_by_payment on trades (paid_at) where paid_at is not null;
create index if not exists refunds_by_time on refunds (refunded_at);
";

/// The open file. All access goes through [`Ledger::change`].
#[derive(Debug)]
pub struct Ledger {
    connection: Connection,
}

impl Ledger {
    /// Opens or makes the file.
    pub fn open(path: &Path, seed: Option<u64>) -> Sql<Self> {
        let connection = Connection::open(path)?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        let mut ledger = Self { connection };
        ledger.change(|records| records.prepare(seed))?;
        Ok(ledger)
    }

    /// Runs `work` in one transaction. What it wrote is durable when this returns `Ok`.
    pub fn change<T>(&mut self, work: impl FnOnce(&Records<'_>) -> Sql<T>) -> Sql<T> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let records = Records { transaction };
        let done = work(&records)?;
        records.transaction.commit()?;
        Ok(done)
    }
}

/// The records, inside one transaction.
#[derive(Debug)]
pub struct Records<'a> {
    transaction: Transaction<'a>,
}

impl Records<'_> {
    fn prepare(&self, seed: Option<u64>) -> Sql<()> {
        self.transaction.execute_batch(SCHEMA)?;
        let known: i64 = self.transaction.query_row("select count(*) from numbers", [], |row| row.get(0))?;
        if known == 0 {
            let seed = seed.map_or_else(|| rand::random::<[u8; 32]>().to_vec(), |seed| seed.to_be_bytes().to_vec());
            self.transaction.execute("insert into numbers (seed, drawn) values (?1, 0)", [seed])?;
        }
        Ok(())
    }

    /// Draws 32 bytes that never come again in this ledger and depend only on its seed and how many were drawn before.
    fn draw(&self) -> Sql<[u8; 32]> {
        let (seed, drawn): (Vec<u8>, i64) =
            self.transaction.query_row("update numbers set drawn = drawn + 1 returning seed, drawn", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        Ok(Sha256::new().chain_update(seed).chain_update(drawn.to_be_bytes()).finalize().into())
    }

    /// A code text as Alipay prints it into QR codes.
    pub fn draw_qr_code(&self) -> Sql<String> {
        const LETTERS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
        let token: String =
            self.draw()?.iter().take(21).map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()])).collect();
        Ok(format!("https://qr.alipay.com/bax{token}"))
    }

    /// 28 digits beginning with the Beijing day, like Alipay's.
    pub fn draw_trade_no(&self, now: Millis) -> Sql<String> {
        let digits: String = self.draw()?.iter().take(15).map(|byte| char::from(b'0' + byte % 10)).collect();
        Ok(format!("{}22001{digits}", beijing_day_digits(now)))
    }

    /// 18 digits beginning with 28, like the code under a payment barcode.
    pub fn draw_auth_code(&self) -> Sql<String> {
        let digits: String = self.draw()?.iter().take(16).map(|byte| char::from(b'0' + byte % 10)).collect();
        Ok(format!("28{digits}"))
    }

    pub fn draw_token(&self) -> Sql<String> {
        Ok(hex::encode(&self.draw()?[..16]))
    }

    pub fn draw_notify_id(&self, now: Millis) -> Sql<String> {
        let id = hex::encode(&self.draw()?[..13]);
        Ok(format!("{}{id}", beijing_day_digits(now)))
    }
}
