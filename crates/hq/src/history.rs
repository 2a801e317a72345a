//! `POST /api/v1/history`: gives a terminal back what it reported under earlier enrolments and may have forgotten.
//!
//! A terminal sees its own lines and nobody else's: the key that signed says whose they are.

use crate::app::App;
use crate::catch_up::read_event;
use crate::identity::read_signed;
use crate::problem::Problem;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use sqlx::Row as _;
use sqlx::any::AnyRow;
use yidan_wire::{Past, PastLine, Since};

const PAGE: usize = 500;

/// `POST /api/v1/history`
pub async fn history(State(app): State<App>, request: Request<Body>) -> Result<Json<Past>, Problem> {
    let (terminal, since) = read_signed::<Since>(&app, request).await?;
    let rows = sqlx::query(
        "select epoch, seq, event_id, kind, at_ms, payload, prev_hash, hash from events \
         where terminal_id = $1 and epoch < $2 and (epoch > $3 or (epoch = $3 and seq > $4)) \
         order by epoch, seq limit $5",
    )
    .bind(&terminal.terminal_id)
    .bind(terminal.epoch)
    .bind(i64::from(since.epoch))
    .bind(since.seq)
    .bind(i64::try_from(PAGE + 1).unwrap_or(i64::MAX))
    .fetch_all(&app.database.reader)
    .await?;
    let lines = rows.iter().take(PAGE).map(read_line).collect::<Result<Vec<_>, _>>()?;
    tracing::info!(terminal_id = terminal.terminal_id, lines = lines.len(), "given back");
    Ok(Json(Past { lines, more: rows.len() > PAGE }))
}

fn read_line(row: &AnyRow) -> Result<PastLine, sqlx::Error> {
    let epoch: i64 = row.try_get("epoch")?;
    let epoch = u32::try_from(epoch).map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
    Ok(PastLine { epoch, event: read_event(row)? })
}
