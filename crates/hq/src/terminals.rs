//! `GET /api/v1/terminals`: who reports, when it was last heard, and whether everything it wrote is here.

use crate::app::App;
use crate::live::tell;
use crate::problem::Problem;
use crate::push::ring;
use crate::sign_in::{Editor, Reader};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Serialize;
use sqlx::Row as _;
use sqlx::any::AnyRow;

/// A terminal in its present epoch.
#[derive(Serialize)]
pub struct TerminalView {
    terminal_id: String,
    store_id: String,
    store_name: String,
    epoch: i64,
    mode: String,
    enrolled_at: i64,
    revoked_at: Option<i64>,
    last_seen_at: Option<i64>,
    /// The last line it says it has written.
    head_seq: i64,
    /// Lines 1 to this are here, without a gap.
    acked_seq: i64,
    /// The hash of line `acked_seq`: the same at the terminal means the same history.
    head_hash: String,
    is_complete: bool,
    /// The first line that is not here.
    missing_from: Option<i64>,
    /// The last thing it was told, by number, and the last one it has handled.
    push_seq: i64,
    heard_seq: i64,
}

/// All terminals.
#[derive(Serialize)]
pub struct Terminals {
    terminals: Vec<TerminalView>,
}

/// `GET /api/v1/terminals`
pub async fn list(_: Reader, State(app): State<App>) -> Result<Json<Terminals>, Problem> {
    let rows = sqlx::query(
        "select t.terminal_id, t.store_id, s.store_name, e.epoch, e.mode, e.enrolled_at, e.revoked_at, \
         e.last_seen_at, e.head_seq, e.acked_seq, e.head_hash, t.push_seq, t.heard_seq from terminals t \
         join stores s on s.store_id = t.store_id \
         join epochs e on e.terminal_id = t.terminal_id and e.epoch = t.epoch \
         order by t.store_id, t.terminal_id",
    )
    .fetch_all(&app.database.reader)
    .await?;
    let terminals = rows.iter().map(view).collect::<Result<_, _>>()?;
    Ok(Json(Terminals { terminals }))
}

/// `POST /api/v1/terminals/{terminal_id}/revoke`: its key stops working at once.
pub async fn revoke(
    editor: Editor,
    State(app): State<App>,
    Path(terminal_id): Path<String>,
) -> Result<StatusCode, Problem> {
    let revoked = sqlx::query("update epochs set revoked_at = $1 where terminal_id = $2 and revoked_at is null")
        .bind(app.clock.now().0)
        .bind(&terminal_id)
        .execute(&app.database.writer)
        .await?
        .rows_affected();
    if revoked == 0 {
        return Err(Problem::NotFound("terminal"));
    }
    ring(&app, &terminal_id);
    tell(&app, &terminal_id, "", Vec::new());
    tracing::warn!(terminal_id, by = editor.name, "terminal revoked");
    Ok(StatusCode::NO_CONTENT)
}

fn view(row: &AnyRow) -> Result<TerminalView, sqlx::Error> {
    let (head_seq, acked_seq): (i64, i64) = (row.try_get("head_seq")?, row.try_get("acked_seq")?);
    let is_complete = acked_seq >= head_seq;
    Ok(TerminalView {
        terminal_id: row.try_get("terminal_id")?,
        store_id: row.try_get("store_id")?,
        store_name: row.try_get("store_name")?,
        epoch: row.try_get("epoch")?,
        mode: row.try_get("mode")?,
        enrolled_at: row.try_get("enrolled_at")?,
        revoked_at: row.try_get("revoked_at")?,
        last_seen_at: row.try_get("last_seen_at")?,
        head_seq,
        acked_seq,
        head_hash: row.try_get("head_hash")?,
        is_complete,
        missing_from: (!is_complete).then_some(acked_seq + 1),
        push_seq: row.try_get("push_seq")?,
        heard_seq: row.try_get("heard_seq")?,
    })
}
