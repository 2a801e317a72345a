//! Tells open pages that something changed, as it happens. Pages read what they show; nothing is decided by a message,
//! and a page that missed some reads everything again.

use crate::app::App;
use crate::sign_in::Reader;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream, StreamExt as _};
use serde::Serialize;
use std::convert::Infallible;
use tokio::sync::broadcast::{Receiver, error::RecvError};

/// What changed.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
    /// Whose journal grew.
    pub terminal_id: String,
    /// In which store.
    pub store_id: String,
    /// The numbers of the payments it speaks of.
    pub out_trade_no: Vec<String>,
}

/// Tells whoever is looking.
pub fn tell(app: &App, terminal_id: &str, store_id: &str, out_trade_no: Vec<String>) {
    let change = Change { terminal_id: terminal_id.to_owned(), store_id: store_id.to_owned(), out_trade_no };
    // Nobody may be looking.
    let _ = app.live.send(change);
}

/// `GET /api/v1/live`: one event `changed` per batch that was stored; `missed` if this page was too slow.
pub async fn live(_: Reader, State(app): State<App>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let mut stopping = app.stopping.clone();
    let changes = stream::unfold(app.live.subscribe(), next_change);
    let hello = stream::once(async { Ok(Event::default().event("ready").data("{}")) });
    let end = Box::pin(async move {
        // Also if the sender is gone: then it has stopped.
        let _ = stopping.wait_for(|stopping| *stopping).await;
    });
    Sse::new(hello.chain(changes).take_until(end)).keep_alive(KeepAlive::default())
}

async fn next_change(mut changes: Receiver<Change>) -> Option<(Result<Event, Infallible>, Receiver<Change>)> {
    let event = match changes.recv().await {
        Ok(change) => Event::default().event("changed").json_data(&change).unwrap_or_default(),
        Err(RecvError::Lagged(_)) => Event::default().event("missed").data("{}"),
        Err(RecvError::Closed) => return None,
    };
    Some((Ok(event), changes))
}
