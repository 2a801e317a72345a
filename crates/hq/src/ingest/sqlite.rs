//! The sets that go in and out in one statement each, as SQLite says it (`json_each`).

use super::rows::{CaseRow, PaymentRow, ReceiptRow, RefundRow, SettledRow, read};
use crate::decide::chain::Line;
use crate::decide::money::{CountedReceipt, CountedRefund, RefundName, Reporter};
use crate::identity::Terminal;
use crate::project::Projected;
use serde::Serialize;
use serde_json::json;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};
use yidan_payment::{Booked, Event, Fen, TradeNo, UtcMs};

/// The lines that are stored under a number or a name of these events.
pub async fn find_lines(
    db: &mut AnyConnection,
    terminal: &Terminal,
    events: &[Event],
) -> Result<Vec<Line>, sqlx::Error> {
    let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(Vec::new()) };
    let names: Vec<String> = events.iter().map(|event| event.event_id.to_string()).collect();
    let rows = sqlx::query(
        "select seq, event_id, hash from events where terminal_id = $1 and epoch = $2 and seq between $3 and $4 \
         union select seq, event_id, hash from events where terminal_id = $1 and epoch = $2 \
         and event_id in (select value from json_each($5))",
    )
    .bind(&terminal.terminal_id)
    .bind(terminal.epoch)
    .bind(first.seq)
    .bind(last.seq)
    .bind(as_json(&names)?)
    .fetch_all(db)
    .await?;
    let line = |row: &AnyRow| {
        Ok(Line { seq: row.try_get("seq")?, event_id: read(row, "event_id")?, hash: read(row, "hash")? })
    };
    rows.iter().map(line).collect()
}

/// Stores new lines.
pub async fn insert_events(
    db: &mut AnyConnection,
    terminal: &Terminal,
    events: &[Event],
    projected: &Projected,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let rows: Vec<_> = events
        .iter()
        .map(|event| {
            let pay_id = projected.find_payment(event.seq).map(|state| state.pay_id);
            json!({ "line": event, "pay_id": pay_id, "projected": i64::from(projected.understands(event.seq)) })
        })
        .collect();
    sqlx::query(
        "insert into events (terminal_id, epoch, seq, event_id, kind, at_ms, payload, prev_hash, hash, pay_id, \
         projected, received_at) \
         select $1, $2, value ->> '$.line.seq', value ->> '$.line.event_id', value ->> '$.line.kind', \
         value ->> '$.line.at', value ->> '$.line.payload', value ->> '$.line.prev_hash', value ->> '$.line.hash', \
         value ->> '$.pay_id', value ->> '$.projected', $3 from json_each($4)",
    )
    .bind(&terminal.terminal_id)
    .bind(terminal.epoch)
    .bind(now.0)
    .bind(as_json(&rows)?)
    .execute(db)
    .await?;
    Ok(())
}

/// Notes that lines are understood now, and of which payments they speak.
pub async fn mark_projected(
    db: &mut AnyConnection,
    terminal_id: &str,
    epoch: i64,
    projected: &Projected,
) -> Result<(), sqlx::Error> {
    let rows: Vec<_> = projected
        .numbers_of_lines()
        .map(|seq| json!({ "seq": seq, "pay_id": projected.find_payment(seq).map(|state| state.pay_id) }))
        .collect();
    sqlx::query(
        "update events set projected = 1, pay_id = line.value ->> 'pay_id' from json_each($1) as line \
         where events.terminal_id = $2 and events.epoch = $3 and events.seq = line.value ->> 'seq'",
    )
    .bind(as_json(&rows)?)
    .bind(terminal_id)
    .bind(epoch)
    .execute(db)
    .await?;
    Ok(())
}

/// Writes payments as last reported; an older report changes nothing.
pub async fn upsert_payments(db: &mut AnyConnection, rows: &[PaymentRow<'_>]) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into payments (terminal_id, pay_id, epoch, seq, store_id, order_no, source, external_ref, subject, \
         business_day, method, out_trade_no, amount_fen, status, order_status, trade_no, stopped_by, reason, \
         created_at, changed_at) \
         select value ->> 'terminal_id', value ->> '$.state.pay_id', value ->> 'epoch', value ->> 'seq', \
         value ->> 'store_id', value ->> '$.state.order_no', value ->> '$.state.source', \
         value ->> '$.state.external_ref', value ->> '$.state.subject', value ->> '$.state.business_day', \
         value ->> '$.state.method', value ->> '$.state.out_trade_no', value ->> '$.state.amount_fen', \
         value ->> '$.state.status', value ->> '$.state.order_status', value ->> '$.state.trade_no', \
         value ->> '$.state.stopped_by', value ->> '$.state.reason', value ->> '$.state.created_at', \
         value ->> 'changed_at' from json_each($1) where true \
         on conflict (terminal_id, pay_id) do update set epoch = excluded.epoch, seq = excluded.seq, \
         order_no = excluded.order_no, business_day = excluded.business_day, \
         status = excluded.status, order_status = excluded.order_status, trade_no = excluded.trade_no, \
         stopped_by = excluded.stopped_by, reason = excluded.reason, changed_at = excluded.changed_at \
         where excluded.epoch > payments.epoch or (excluded.epoch = payments.epoch and excluded.seq > payments.seq)",
    )
    .bind(as_json(rows)?)
    .execute(db)
    .await?;
    Ok(())
}

/// The money that counts already among these trades.
pub async fn load_receipts(
    db: &mut AnyConnection,
    account: &str,
    trades: &[&TradeNo],
) -> Result<Vec<(TradeNo, CountedReceipt)>, sqlx::Error> {
    let rows = sqlx::query(
        "select trade_no, terminal_id, store_id, pay_id, total_fen, receipt_fen, paid_at, business_day, booked, booked_epoch, \
         booked_seq \
         from receipts where account = $1 and trade_no in (select value from json_each($2))",
    )
    .bind(account)
    .bind(as_json(trades)?)
    .fetch_all(db)
    .await?;
    rows.iter().map(read_receipt).collect()
}

fn read_receipt(row: &AnyRow) -> Result<(TradeNo, CountedReceipt), sqlx::Error> {
    let booked = match row.try_get::<String, _>("booked")?.as_str() {
        "RECOGNISED" => Booked::Recognised,
        "SUSPENSE" => Booked::Suspense,
        other => return Err(sqlx::Error::Decode(format!("booked as {other:?}").into())),
    };
    let counted = CountedReceipt {
        reporter: read_reporter(row)?,
        pay_id: read(row, "pay_id")?,
        total: read_fen(row, "total_fen")?,
        receipt: read_fen(row, "receipt_fen")?,
        paid_at: UtcMs(row.try_get("paid_at")?),
        business_day: row.try_get("business_day")?,
        booked,
        booked_by: (row.try_get("booked_epoch")?, row.try_get("booked_seq")?),
    };
    Ok((read_trade(row)?, counted))
}

/// The refunds known of these trades.
pub async fn load_refunds(
    db: &mut AnyConnection,
    account: &str,
    trades: &[&TradeNo],
) -> Result<Vec<(RefundName, CountedRefund)>, sqlx::Error> {
    let rows = sqlx::query(
        "select trade_no, out_request_no, terminal_id, store_id, pay_id, amount_fen, at_ms, business_day \
         from refunds where account = $1 and trade_no in (select value from json_each($2))",
    )
    .bind(account)
    .bind(as_json(trades)?)
    .fetch_all(db)
    .await?;
    rows.iter()
        .map(|row| {
            let counted = CountedRefund {
                reporter: read_reporter(row)?,
                pay_id: read(row, "pay_id")?,
                amount: read_fen(row, "amount_fen")?,
                at: UtcMs(row.try_get("at_ms")?),
                business_day: row.try_get("business_day")?,
            };
            Ok(((read_trade(row)?, row.try_get("out_request_no")?), counted))
        })
        .collect()
}

/// Writes money that counts. Only how it is booked may change afterwards.
pub async fn upsert_receipts(
    db: &mut AnyConnection,
    account: &str,
    rows: &[ReceiptRow<'_>],
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into receipts (account, trade_no, terminal_id, pay_id, store_id, total_fen, receipt_fen, \
         business_day, hour, paid_at, booked, booked_epoch, booked_seq) \
         select $1, value ->> 'trade_no', value ->> 'terminal_id', value ->> 'pay_id', value ->> 'store_id', \
         value ->> 'total_fen', value ->> 'receipt_fen', value ->> 'business_day', value ->> 'hour', \
         value ->> 'paid_at', value ->> 'booked', value ->> 'booked_epoch', value ->> 'booked_seq' \
         from json_each($2) where true on conflict (account, trade_no) do update set \
         booked = excluded.booked, booked_epoch = excluded.booked_epoch, booked_seq = excluded.booked_seq",
    )
    .bind(account)
    .bind(as_json(rows)?)
    .execute(db)
    .await?;
    Ok(())
}

/// Writes money that went back.
pub async fn insert_refunds(db: &mut AnyConnection, account: &str, rows: &[RefundRow<'_>]) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into refunds (account, trade_no, out_request_no, terminal_id, pay_id, store_id, amount_fen, \
         business_day, at_ms, hour) \
         select $1, value ->> 'trade_no', value ->> 'out_request_no', value ->> 'terminal_id', \
         value ->> 'pay_id', value ->> 'store_id', value ->> 'amount_fen', value ->> 'business_day', \
         value ->> 'at_ms', value ->> 'hour' from json_each($2)",
    )
    .bind(account)
    .bind(as_json(rows)?)
    .execute(db)
    .await?;
    Ok(())
}

/// Settles open cases.
pub async fn settle_cases(
    db: &mut AnyConnection,
    terminal_id: &str,
    rows: &[SettledRow<'_>],
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update cases set status = 'RESOLVED', resolution = settled.value ->> 'resolution', resolved_at = $1 \
         from json_each($2) as settled where cases.status = 'OPEN' and cases.terminal_id = $3 \
         and cases.pay_id = settled.value ->> 'pay_id' and coalesce(cases.trade_no, '') = coalesce(settled.value ->> 'trade_no', '') \
         and cases.found_by = settled.value ->> 'found_by' and settled.value ->> 'kind' in ('', cases.kind)",
    )
    .bind(now.0)
    .bind(as_json(rows)?)
    .bind(terminal_id)
    .execute(db)
    .await?;
    Ok(())
}

/// Opens cases that are not open yet.
pub async fn insert_cases(db: &mut AnyConnection, rows: &[CaseRow<'_>]) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into cases (case_id, kind, found_by, terminal_id, store_id, pay_id, out_trade_no, trade_no, \
         amount_fen, detail, status, opened_at) \
         select value ->> 'case_id', value ->> 'kind', value ->> 'found_by', value ->> 'terminal_id', \
         value ->> 'store_id', value ->> 'pay_id', value ->> 'out_trade_no', value ->> 'trade_no', \
         value ->> 'amount_fen', value ->> 'detail', 'OPEN', value ->> 'opened_at' from json_each($1) where true \
         on conflict do nothing",
    )
    .bind(as_json(rows)?)
    .execute(db)
    .await?;
    Ok(())
}

fn as_json<T: Serialize + ?Sized>(rows: &T) -> Result<String, sqlx::Error> {
    serde_json::to_string(rows).map_err(|error| sqlx::Error::Encode(Box::new(error)))
}

fn read_reporter(row: &AnyRow) -> Result<Reporter, sqlx::Error> {
    Ok(Reporter { terminal_id: row.try_get("terminal_id")?, store_id: row.try_get("store_id")? })
}

fn read_fen(row: &AnyRow, column: &str) -> Result<Fen, sqlx::Error> {
    let fen: i64 = row.try_get(column)?;
    Fen::try_from(fen).map_err(|error| sqlx::Error::Decode(Box::new(error)))
}

fn read_trade(row: &AnyRow) -> Result<TradeNo, sqlx::Error> {
    TradeNo::new(row.try_get::<String, _>("trade_no")?).map_err(|error| sqlx::Error::Decode(Box::new(error)))
}
