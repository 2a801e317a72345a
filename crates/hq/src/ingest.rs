//! `POST /api/v1/events`: takes a piece of a terminal's journal.
//!
//! Must always hold: what is acknowledged is durable and contiguous; the same batch twice, or from two senders at once,
//! is stored once. One transaction per batch; its guard is the terminal's head row. Refused are only identity, size, JSON
//! and chain: a line whose kind is not understood is stored and understood by a later program.

mod rows;
mod sqlite;

use crate::app::App;
use crate::decide::chain::{Head, Verdict, judge};
use crate::decide::money::{Finding, Reporter};
use crate::identity::{Terminal, read_signed};
use crate::live::tell;
use crate::problem::Problem;
use crate::project::{self, Projected};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use sqlx::{AnyConnection, Row as _};
use yidan_payment::{Event, UtcMs};
use yidan_wire::{Ack, Batch, Conflict, MAX_EVENTS};

pub use rows::{CaseRow, PaymentRow, ReceiptRow, RefundRow, SettledRow, read};
pub use sqlite::{
    find_lines, insert_cases, insert_events, insert_refunds, load_receipts, load_refunds, mark_projected, settle_cases,
    upsert_payments, upsert_receipts,
};

/// `POST /api/v1/events`
pub async fn events(State(app): State<App>, request: Request<Body>) -> Result<Json<Ack>, Problem> {
    let (terminal, batch) = read_signed::<Batch>(&app, request).await?;
    if batch.events.len() > MAX_EVENTS {
        return Err(Problem::TooLarge);
    }
    ingest(&app, &terminal, &batch).await.map(Json)
}

async fn ingest(app: &App, terminal: &Terminal, batch: &Batch) -> Result<Ack, Problem> {
    let now = app.clock.now();
    let mut transaction = app.database.writer.begin().await?;
    let head = touch_head(&mut transaction, terminal, batch.head_seq, now).await?;
    let known = find_lines(&mut transaction, terminal, &batch.events).await?;
    let (new, head) = match judge(head, &known, &batch.events) {
        Verdict::Follow { new, head } => (new, head),
        Verdict::Conflict { line, why } => {
            let conflict =
                Conflict { seq: line.seq, acked_seq: head.seq, head_hash: head.hash, detail: why.to_string() };
            quarantine(&mut transaction, terminal, line, &conflict, now).await?;
            transaction.commit().await?;
            return Err(Problem::OtherHistory(conflict));
        }
    };
    let projected = store(app, &mut transaction, terminal, new, now).await?;
    move_head(&mut transaction, terminal, head).await?;
    transaction.commit().await?;
    tell(app, &terminal.terminal_id, &terminal.store_id, projected.numbers());
    Ok(Ack { acked_seq: head.seq, head_hash: head.hash })
}

/// Notes that the terminal was here, and takes the lock on its head row.
async fn touch_head(db: &mut AnyConnection, terminal: &Terminal, head_seq: i64, now: UtcMs) -> Result<Head, Problem> {
    let touched = sqlx::query(
        "update epochs set last_seen_at = $1, head_seq = case when head_seq < $2 then $2 else head_seq end \
         where terminal_id = $3 and epoch = $4 and revoked_at is null",
    )
    .bind(now.0)
    .bind(head_seq)
    .bind(&terminal.terminal_id)
    .bind(terminal.epoch)
    .execute(&mut *db)
    .await?
    .rows_affected();
    if touched == 0 {
        return Err(Problem::NotEnrolled);
    }
    let row = sqlx::query("select acked_seq, head_hash from epochs where terminal_id = $1 and epoch = $2")
        .bind(&terminal.terminal_id)
        .bind(terminal.epoch)
        .fetch_one(db)
        .await?;
    Ok(Head { seq: row.try_get("acked_seq")?, hash: read(&row, "head_hash")? })
}

async fn store(
    app: &App,
    db: &mut AnyConnection,
    terminal: &Terminal,
    new: &[Event],
    now: UtcMs,
) -> Result<Projected, Problem> {
    if new.is_empty() {
        return Ok(Projected::default());
    }
    let reporter = Reporter { terminal_id: terminal.terminal_id.clone(), store_id: terminal.store_id.clone() };
    let projected = project::read(&app.merchant, new);
    insert_events(db, terminal, new, &projected, now).await?;
    project::write(db, &app.merchant, &reporter, terminal.epoch, &projected, now).await?;
    Ok(projected)
}

async fn move_head(db: &mut AnyConnection, terminal: &Terminal, head: Head) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update epochs set acked_seq = $1, head_hash = $2, head_seq = case when head_seq < $1 then $1 else head_seq end \
         where terminal_id = $3 and epoch = $4",
    )
    .bind(head.seq)
    .bind(head.hash.to_string())
    .bind(&terminal.terminal_id)
    .bind(terminal.epoch)
    .execute(db)
    .await?;
    Ok(())
}

/// Keeps the contradicting line apart and alarms, once per line.
async fn quarantine(
    db: &mut AnyConnection,
    terminal: &Terminal,
    line: &Event,
    conflict: &Conflict,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    tracing::error!(terminal_id = terminal.terminal_id, seq = line.seq, "other history: {}", conflict.detail);
    sqlx::query(
        "insert into quarantine (terminal_id, epoch, seq, hash, event_id, payload, detail, received_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing",
    )
    .bind(&terminal.terminal_id)
    .bind(terminal.epoch)
    .bind(line.seq)
    .bind(line.hash.to_string())
    .bind(line.event_id.to_string())
    .bind(&line.payload)
    .bind(&conflict.detail)
    .bind(now.0)
    .execute(&mut *db)
    .await?;
    let detail = format!("{} (line {}, epoch {})", conflict.detail, line.seq, terminal.epoch);
    let case = CaseRow::about_terminal(Finding::OtherHistory, terminal, &detail, now);
    insert_cases(db, &[case]).await
}
