//! The counter's API for other programs on this computer.
//!
//! Only loopback, only with the token, never from a web page (any Origin is refused). Nothing here decides: parse, ask
//! the engine, show.

mod access;
mod problem;
mod refund;
mod resolve;
mod show;

use access::{Access, only_here};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use futures_util::{Stream, StreamExt};
use problem::Problem;
use serde::Deserialize;
use show::{BillView, show_bill};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::rc::Rc;
use tokio::net::TcpListener;
use tokio::sync::broadcast::error::RecvError;
use yidan_engine::{Collected, Counter, Engine, Error, NewOrder, Origin};
use yidan_payment::{Fen, Hash, PaymentId, RequestId};

/// The source of orders that come this way.
const SOURCE: &str = "local";

/// Serves the API until the program ends.
///
/// # Errors
/// If the address cannot be used.
pub async fn serve(listener: TcpListener, token: String, counter: Counter) -> std::io::Result<()> {
    let address = listener.local_addr()?;
    axum::serve(listener, router(address, token, counter)).await
}

fn router(address: SocketAddr, token: String, counter: Counter) -> Router {
    let access = Access::new(address, token);
    Router::new()
        .route("/pay/alipay/precreate", post(precreate))
        .route("/pay/query", get(query))
        .route("/pay/resolve", get(resolve::resolve))
        .route("/pay/close", post(close))
        .route("/pay/refund", post(refund::refund).get(refund::query))
        .route("/pay/events", get(events))
        .layer(middleware::from_fn_with_state(access, only_here))
        .route("/healthz", get(|| async { "ok" }))
        .with_state(counter)
}

/// Body of `POST /pay/alipay/precreate`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Precreate {
    /// The caller's number of the bill.
    order_id: String,
    /// Yuan: `12.50`.
    amount: Box<serde_json::value::RawValue>,
    /// What the buyer reads.
    #[serde(default)]
    subject: String,
    /// The same for every repetition of one click.
    request_id: String,
}

/// Collects a bill: one payment, however often it is asked for.
async fn precreate(
    State(counter): State<Counter>,
    body: Result<Json<Precreate>, axum::extract::rejection::JsonRejection>,
) -> Result<Response, Problem> {
    let order = read_order(body.map_err(|error| Problem::bad_input(error.body_text()))?.0)?;
    let shown = counter
        .ask(move |engine| async move {
            let collected = engine.collect(order).await.map_err(|error| Problem::from(error.as_ref()))?;
            let (Collected::Payment(payment) | Collected::SameAmountClosing(payment)) = collected;
            show(&engine, payment.pay_id)
        })
        .await??;
    // The intent is durable; the code may still come.
    let status = if shown.is_answered() { StatusCode::OK } else { StatusCode::ACCEPTED };
    Ok((status, Json(shown)).into_response())
}

fn read_order(body: Precreate) -> Result<NewOrder, Problem> {
    // The text as sent, so that no float ever stands for money.
    let amount = body.amount.get().trim_matches('"');
    let amount = Fen::parse(amount).map_err(|error| Problem::bad_input(error.to_string()))?;
    if body.request_id.trim().is_empty() {
        return Err(Problem::bad_input("requestId must not be empty: it is what makes a repetition harmless".into()));
    }
    Ok(NewOrder {
        request_id: request_id(&body.request_id),
        amount,
        subject: body.subject,
        operator_id: SOURCE.into(),
        origin: Origin::Bill { source: SOURCE.into(), external_ref: body.order_id },
    })
}

/// Callers name their clicks as they like; the same text is the same click.
fn request_id(text: &str) -> RequestId {
    let hash = Hash::of(format!("{SOURCE}\n{text}").as_bytes()).to_string();
    let bits = u128::from_str_radix(&hash[..32], 16).unwrap_or_default();
    RequestId::new(uuid::Uuid::from_u128(bits))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bill {
    order_id: String,
}

/// What is known about a bill.
async fn query(
    State(counter): State<Counter>,
    bill: Result<Query<Bill>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<BillView>, Problem> {
    let bill = bill.map_err(|error| Problem::bad_input(error.body_text()))?.0;
    let shown = counter
        .ask(move |engine| async move {
            let pay_id = find(&engine, &bill)?;
            show(&engine, pay_id)
        })
        .await??;
    Ok(Json(shown))
}

/// Stops a bill: it is CLOSING until it is proved that no money can come.
async fn close(
    State(counter): State<Counter>,
    bill: Result<Json<Bill>, axum::extract::rejection::JsonRejection>,
) -> Result<Json<BillView>, Problem> {
    let bill = bill.map_err(|error| Problem::bad_input(error.body_text()))?.0;
    let shown = counter
        .ask(move |engine| async move {
            let pay_id = find(&engine, &bill)?;
            engine.stop(pay_id).map_err(|error| Problem::from(&error))?;
            show(&engine, pay_id)
        })
        .await??;
    Ok(Json(shown))
}

fn find(engine: &Engine, bill: &Bill) -> Result<PaymentId, Problem> {
    let found = engine.database().find_by_bill(SOURCE, &bill.order_id).map_err(|error| Problem::from(&error))?;
    found.map(|(_, pay_id)| pay_id).ok_or_else(|| Problem::not_found(&bill.order_id))
}

fn show(engine: &Rc<Engine>, pay_id: PaymentId) -> Result<BillView, Problem> {
    show_bill(engine, pay_id).map_err(|error: Error| Problem::from(&error))
}

/// Every change as it happens (server-sent events), for this API's own bills.
async fn events(State(counter): State<Counter>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let changes = futures_util::stream::unfold(counter.changes(), |mut changes| async move {
        loop {
            match changes.recv().await {
                Ok(pay_id) => return Some((pay_id, changes)),
                // What was missed is shown by the next change, or by a query.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    });
    let shown = changes.filter_map(move |pay_id| {
        let counter = counter.clone();
        async move {
            let view = counter.ask(move |engine| async move { show_bill(&engine, pay_id).ok() }).await.ok()??;
            let view = view.is_of(SOURCE).then_some(view)?;
            Some(Ok(Event::default().event("payment-changed").json_data(view).unwrap_or_default()))
        }
    });
    Sse::new(shown.boxed()).keep_alive(KeepAlive::default())
}
