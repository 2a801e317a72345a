//! What terminals are told: `GET /api/v1/stream` (server-sent events) and `POST /api/v1/stream/ack`.
//!
//! Must always hold: per terminal the numbers have no gap; what is told is durable before it is sent, and is sent again
//! until the terminal says that it is durable there. A revoked key hears nothing more after [`LOOK_AGAIN`].

use crate::app::App;
use crate::decide::resume::{Known, Resume, resume};
use crate::identity::{Terminal, is_enrolled, read_asker, read_signed};
use crate::ingest::read;
use crate::problem::Problem;
use axum::Json;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::Request;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use yidan_payment::UtcMs;
use yidan_wire::{Heard, Push, PushId, Told};

/// The stream looks into the database at least so often: another process may have written, or revoked the key.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// A comment, so that the terminal notices a dead connection.
const ALIVE: Duration = Duration::from_secs(10);
const PAGE: i64 = 100;

/// Gives the next number to something that a terminal shall be told.
///
/// # Errors
/// If the database refuses, or there is no such terminal.
pub async fn append(
    db: &mut AnyConnection,
    terminal_id: &str,
    id: PushId,
    what: &Told,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    // The row is also the lock: numbers are given one after the other.
    sqlx::query("update terminals set push_seq = push_seq + 1 where terminal_id = $1")
        .bind(terminal_id)
        .execute(&mut *db)
        .await?;
    let what = serde_json::to_string(what).map_err(|error| sqlx::Error::Encode(Box::new(error)))?;
    sqlx::query(
        "insert into pushes (terminal_id, seq, push_id, what, made_at) \
         select terminal_id, push_seq, $2, $3, $4 from terminals where terminal_id = $1",
    )
    .bind(terminal_id)
    .bind(id.to_string())
    .bind(what)
    .bind(now.0)
    .execute(db)
    .await?;
    Ok(())
}

/// Wakes the stream of a terminal. Called after the commit.
pub fn ring(app: &App, terminal_id: &str) {
    // It may not be connected.
    let _ = app.bell.send(terminal_id.to_owned());
}

/// `GET /api/v1/stream?after=N&id=NAME`: everything after what the terminal has handled, for as long as it listens.
pub async fn stream(
    State(app): State<App>,
    request: Request<Body>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let (terminal, uri) = read_asker(&app, request).await?;
    let Query(heard) = Query::<Heard>::try_from_uri(&uri).map_err(|error| Problem::NotUnderstood(error.body_text()))?;
    let bell = app.bell.subscribe();
    go_on(&app, &terminal, heard).await?;
    tracing::info!(terminal_id = terminal.terminal_id, after = heard.after, "terminal listens");
    let stopping = app.stopping.clone();
    let ear = Ear { app, terminal, after: heard.after, waiting: VecDeque::new(), bell, stopping };
    Ok(Sse::new(stream::unfold(ear, next)).keep_alive(KeepAlive::new().interval(ALIVE)))
}

/// `POST /api/v1/stream/ack`: durable at the terminal up to here.
pub async fn ack(State(app): State<App>, request: Request<Body>) -> Result<Json<Heard>, Problem> {
    let (terminal, heard) = read_signed::<Heard>(&app, request).await?;
    let mut transaction = app.database.writer.begin().await?;
    if is_told(&mut transaction, &terminal, heard).await? {
        note_heard(&mut transaction, &terminal, heard.after).await?;
    }
    transaction.commit().await?;
    Ok(Json(heard))
}

/// One listening terminal.
struct Ear {
    app: App,
    terminal: Terminal,
    after: i64,
    waiting: VecDeque<Push>,
    bell: broadcast::Receiver<String>,
    stopping: watch::Receiver<bool>,
}

async fn next(mut ear: Ear) -> Option<(Result<Event, Infallible>, Ear)> {
    loop {
        if let Some(push) = ear.waiting.pop_front() {
            ear.after = push.seq;
            let event = Event::default().event("push").json_data(&push).unwrap_or_default();
            return Some((Ok(event), ear));
        }
        // Whatever cannot be read ends the stream: the terminal comes again.
        if *ear.stopping.borrow() || !is_enrolled(&ear.app, &ear.terminal).await.ok()? {
            return None;
        }
        ear.waiting = list_after(&ear.app, &ear.terminal.terminal_id, ear.after).await.ok()?;
        if ear.waiting.is_empty() {
            ear.wait().await;
        }
    }
}

impl Ear {
    async fn wait(&mut self) {
        let Ear { terminal, bell, stopping, .. } = self;
        let rung = async {
            loop {
                match bell.recv().await {
                    Ok(terminal_id) if terminal_id != terminal.terminal_id => {}
                    Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => return,
                    // Nobody rings any more: the program is ending.
                    Err(broadcast::error::RecvError::Closed) => std::future::pending::<()>().await,
                }
            }
        };
        tokio::select! {
            () = rung => {}
            _ = stopping.wait_for(|stopping| *stopping) => {}
            () = tokio::time::sleep(LOOK_AGAIN) => {}
        }
    }
}

async fn list_after(app: &App, terminal_id: &str, after: i64) -> Result<VecDeque<Push>, sqlx::Error> {
    let rows =
        sqlx::query("select seq, push_id, what from pushes where terminal_id = $1 and seq > $2 order by seq limit $3")
            .bind(terminal_id)
            .bind(after)
            .bind(PAGE)
            .fetch_all(&app.database.reader)
            .await?;
    rows.iter().map(read_push).collect()
}

fn read_push(row: &AnyRow) -> Result<Push, sqlx::Error> {
    let what: String = row.try_get("what")?;
    let what = serde_json::from_str(&what).map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
    Ok(Push { seq: row.try_get("seq")?, id: read(row, "push_id")?, what })
}

/// Brings the numbers of this headquarters in line with what the terminal has handled.
async fn go_on(app: &App, terminal: &Terminal, heard: Heard) -> Result<(), Problem> {
    let mut transaction = app.database.writer.begin().await?;
    let row = sqlx::query("select push_seq, heard_seq from terminals where terminal_id = $1")
        .bind(&terminal.terminal_id)
        .fetch_one(&mut *transaction)
        .await?;
    let known = Known { head: row.try_get("push_seq")?, heard: row.try_get("heard_seq")? };
    let is_same = is_told(&mut transaction, terminal, heard).await?;
    if let Resume::Renumber { above, by } = resume(known, heard.after, is_same) {
        tracing::warn!(terminal_id = terminal.terminal_id, above, by, "restored: what was not heard is numbered anew");
        renumber(&mut transaction, terminal, above, by).await?;
    } else if is_same {
        note_heard(&mut transaction, terminal, heard.after).await?;
    }
    transaction.commit().await?;
    Ok(())
}

/// In two steps: numbers are unique at every moment.
async fn renumber(db: &mut AnyConnection, terminal: &Terminal, above: i64, by: i64) -> Result<(), sqlx::Error> {
    for sql in [
        "update pushes set seq = -seq where terminal_id = $1 and seq > $2",
        "update pushes set seq = $3 - seq where terminal_id = $1 and seq < -$2",
        "update terminals set push_seq = push_seq + $3, heard_seq = $2 + $3 where terminal_id = $1",
    ] {
        sqlx::query(sql).bind(&terminal.terminal_id).bind(above).bind(by).execute(&mut *db).await?;
    }
    Ok(())
}

async fn is_told(db: &mut AnyConnection, terminal: &Terminal, heard: Heard) -> Result<bool, sqlx::Error> {
    let Some(id) = heard.id else { return Ok(false) };
    let found: Option<i64> =
        sqlx::query_scalar("select seq from pushes where terminal_id = $1 and seq = $2 and push_id = $3")
            .bind(&terminal.terminal_id)
            .bind(heard.after)
            .bind(id.to_string())
            .fetch_optional(db)
            .await?;
    Ok(found.is_some())
}

async fn note_heard(db: &mut AnyConnection, terminal: &Terminal, seq: i64) -> Result<(), sqlx::Error> {
    sqlx::query("update terminals set heard_seq = $2 where terminal_id = $1 and heard_seq < $2")
        .bind(&terminal.terminal_id)
        .bind(seq)
        .execute(db)
        .await?;
    Ok(())
}
