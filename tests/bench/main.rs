//! What the counter's questions cost with a million payments in the file, beside ten thousand: `make bench`.
//!
//! Ratios, since a time alone says more about the machine than about the program. The rows are made by SQLite itself,
//! through the schema that the program uses.

use anyhow::{Context, Result};
use rusqlite::{Connection, params};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};
use yidan_engine::{Database, Error};
use yidan_payment::{
    BillRow, Coverage, Fen, OurBooks, OurReceipt, PaymentId, RowKind, TradeNo, UtcMs, Whose, reconcile,
};

const FEW: i64 = 10_000;
const MANY: i64 = 1_000_000;
/// A busy shop.
const A_DAY: i64 = 1_000;
/// 2026-11-30 12:00 in Beijing; payments end here.
const NOON: i64 = 1_796_011_200_000;
const ROUNDS: usize = 200;

fn main() -> Result<()> {
    let many = std::env::args().nth(1).map_or(Ok(MANY), |text| text.parse()).context("how many payments")?;
    let (few, many) = (measure(FEW)?, measure(many)?);
    let mut out = std::io::stdout();
    for ((name, few), (_, many)) in few.iter().zip(&many) {
        let ratio = many.as_nanos() * 100 / few.as_nanos().max(1);
        let few_us = few.as_micros();
        writeln!(out, "{name:<40} {few_us:>8} µs {:>8} µs   × {}.{:02}", many.as_micros(), ratio / 100, ratio % 100)?;
    }
    let (few, many) = (match_bill(1_000)?, match_bill(100_000)?);
    let ratio = many.as_nanos() / few.as_nanos().max(1);
    let name = "match a bill: 1,000 and 100,000 lines";
    writeln!(out, "{name:<40} {:>8} µs {:>8} µs   × {ratio}", few.as_micros(), many.as_micros())?;
    Ok(())
}

/// One in ten is unknown to us, one in ten is in our books alone.
fn match_bill(lines: i64) -> Result<Duration> {
    let (mut rows, mut books) = (Vec::new(), Vec::new());
    for n in 0..lines {
        let (trade_no, out_trade_no) = (TradeNo::new(format!("2026{n:024}"))?, number(n));
        let at = UtcMs(NOON);
        if n % 10 != 1 {
            rows.push(BillRow {
                out_trade_no: out_trade_no.clone(),
                trade_no: trade_no.clone(),
                kind: RowKind::Trade,
                out_request_no: None,
                at,
                amount_fen: 100,
                whose: Whose::Ours,
            });
        }
        if n % 10 != 2 {
            let uuid = uuid::Uuid::from_u128(u128::from(n.unsigned_abs()));
            let receipt = OurReceipt { trade_no, total: Fen::from_fen(100)?, paid_at: Some(at) };
            books.push(OurBooks {
                pay_id: PaymentId::new(uuid),
                out_trade_no,
                receipts: vec![receipt],
                booked_at: Some(at),
                refunds: Vec::new(),
                refunded_at: None,
            });
        }
    }
    let day = Coverage::of(vec![(UtcMs(NOON - 86_400_000), UtcMs(NOON + 86_400_000))]);
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let began = now();
        let findings = reconcile(&day, &rows, &books);
        best = best.min(began.elapsed());
        anyhow::ensure!(i64::try_from(findings.len())? == lines, "every line is spoken for");
    }
    Ok(best)
}

fn measure(payments: i64) -> Result<Vec<(&'static str, Duration)>> {
    let folder = tempfile::tempdir()?;
    drop(Database::open(folder.path())?);
    fill(&folder.path().join("yidan.db"), payments)?;
    let opening = now();
    let database = Database::open(folder.path())?;
    let live = database.list_live()?;
    let opened = opening.elapsed();
    anyhow::ensure!(live.is_empty(), "nothing is in doubt");
    let day = yidan_engine::business_day(UtcMs(NOON), 0);
    let lately = (UtcMs(NOON - 86_400_000), UtcMs(NOON));
    let amount = Fen::from_fen(1_234)?;
    Ok(vec![
        ("open the file and find what is in doubt", opened),
        ("day review", quickest(|| database.load_day(&day))?),
        ("by the last four digits of an order", quickest(|| database.list_hits_by_number("0231"))?),
        ("by the last four of a trade", quickest(|| database.list_hits_by_number("4471"))?),
        ("by a whole number", quickest(|| database.list_hits_by_number(&number(payments - 7)))?),
        ("by amount, today", quickest(|| database.list_hits_by_amount(Some(amount), lately.0, lately.1))?),
        ("open cases", quickest(|| database.list_open_cases())?),
    ])
}

/// The quickest of many: what is slower was the machine's doing.
fn quickest<T>(question: impl Fn() -> Result<T, Error>) -> Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let began = now();
        question()?;
        best = best.min(began.elapsed());
    }
    Ok(best)
}

#[expect(clippy::disallowed_methods, reason = "real time is what is measured here")]
fn now() -> Instant {
    Instant::now()
}

/// As SQLite writes it below.
fn number(n: i64) -> String {
    let day = NOON / 86_400_000 - n / A_DAY;
    format!("S01T01_1_{day:06}_{:04}_{n:016x}", n % A_DAY + 1)
}

/// `n` counts backwards from noon: a day has [`A_DAY`] payments, all of them paid.
fn fill(path: &Path, payments: i64) -> Result<()> {
    let connection = Connection::open(path)?;
    connection.execute_batch("pragma synchronous = off; pragma cache_size = -400000; begin;")?;
    let numbers = "with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < ?1)";
    let uuid = |kind: &str| format!("printf('{kind}0000000-0000-7000-8000-%012x', n)");
    let at = format!("({NOON} - (n / {A_DAY}) * 86400000 - (n % {A_DAY}) * 30000)");
    let day = format!("date({at} / 1000 + 28800, 'unixepoch')");
    let fen = "(n * 7919 % 20000 + 1)";
    let statements = [
        format!(
            "{numbers} insert into orders (order_id, sale_id, order_no, source, external_ref, attempt, amount_fen, subject,
                 operator_id, business_day, day_seq, request_id, content_hash, status, created_at_ms)
             select {}, {}, printf('T01-%s-%04d', replace({day}, '-', ''), n % {A_DAY} + 1), 'counter', null, 0, {fen},
                 '日用百货', '01', {day}, n % {A_DAY} + 1, {}, printf('%064x', n), 'PAID', {at} from numbers",
            uuid("1"),
            uuid("2"),
            uuid("3"),
        ),
        format!(
            "{numbers} insert into payments (pay_id, order_id, sale_id, channel, method, account, out_trade_no, amount_fen,
                 status, trade_no, trade_seen, version, created_at_ms, updated_at_ms, booked_at_ms, precreated_at_ms)
             select {}, {}, {}, 'ALIPAY', 'QR', 'app@gateway',
                 printf('S01T01_1_%06d_%04d_%016x', {NOON} / 86400000 - n / {A_DAY}, n % {A_DAY} + 1, n), {fen}, 'SUCCESS',
                 printf('2026%024d', n), 1, 3, {at}, {at}, {at}, {at} from numbers",
            uuid("4"),
            uuid("1"),
            uuid("2"),
        ),
        format!(
            "{numbers} insert into receipts (account, trade_no, pay_id, total_fen, receipt_fen, paid_at_ms, business_day, booked)
             select 'app@gateway', printf('2026%024d', n), {}, {fen}, {fen}, {at}, {day}, 'RECOGNISED' from numbers",
            uuid("4"),
        ),
    ];
    for statement in statements {
        connection.execute(&statement, params![payments])?;
    }
    connection.execute_batch("commit; pragma wal_checkpoint(truncate);")?;
    drop(connection);
    // Else whoever opens it next pays for it.
    Ok(std::fs::File::open(path)?.sync_all()?)
}
