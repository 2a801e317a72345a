//! All addresses of headquarters, on one page.

use crate::app::App;
use crate::problem::Problem;
use crate::{
    cases, claims, console, enrol, history, ingest, instructions, live, notify, payments, push, receipts, sign_in,
    terminals, totals, unreported,
};
use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::routing::{get, post};
use std::time::Duration;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::TimeoutLayer;
use tower_http::trace::TraceLayer;

/// Bodies of people's requests. The terminals' have their own bound.
const MAX_SMALL_BODY: usize = 64 * 1024;
const PATIENCE: Duration = Duration::from_secs(30);
/// Where Alipay sends its notices.
pub const NOTIFY: &str = "/pay/alipay/notify";

/// Every route.
pub fn router(app: App) -> Router {
    let terminals = Router::new()
        .route("/api/v1/enrol", post(enrol::enrol))
        .route("/api/v1/events", post(ingest::events))
        .route("/api/v1/claims", post(claims::claim))
        .route("/api/v1/history", post(history::history))
        .route("/api/v1/stream/ack", post(push::ack))
        .route(NOTIFY, post(notify::notify));
    let people = Router::new()
        .route("/api/v1/sign-in", post(sign_in::sign_in))
        .route("/api/v1/sign-out", post(sign_in::sign_out))
        .route("/api/v1/me", get(sign_in::me))
        .route("/api/v1/payments", get(payments::list))
        .route("/api/v1/payments/{out_trade_no}", get(payments::one))
        .route("/api/v1/receipts", get(receipts::list))
        .route("/api/v1/totals", get(totals::totals))
        .route("/api/v1/cases", get(cases::list))
        .route("/api/v1/unreported", get(unreported::list))
        .route("/api/v1/instructions", get(instructions::list).post(instructions::make))
        .route("/api/v1/terminals", get(terminals::list))
        .route("/api/v1/terminals/{terminal_id}/revoke", post(terminals::revoke))
        .route("/api/v1/enrolment-codes", post(enrol::make_code))
        .layer(DefaultBodyLimit::max(MAX_SMALL_BODY));
    // Not nested: what is signed is the path as it was sent.
    let bounded = terminals
        .merge(people)
        .route("/", get(console::page))
        .route("/assets/{name}", get(console::asset))
        .route("/healthz", get(|| async { "ok" }))
        .route("/readyz", get(ready))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, PATIENCE));
    // A stream has no end, so it is outside of the time limit.
    bounded
        .route("/api/v1/stream", get(push::stream))
        .route("/api/v1/live", get(live::live))
        .fallback(|| async { Problem::NotFound("page") })
        .layer(CatchPanicLayer::new())
        .layer(fixed(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(fixed(header::X_FRAME_OPTIONS, "DENY"))
        .layer(fixed(header::REFERRER_POLICY, "no-referrer"))
        .layer(fixed(header::CACHE_CONTROL, "no-store"))
        .layer(TraceLayer::new_for_http())
        .with_state(app)
}

/// Whether the database can be read.
async fn ready(State(app): State<App>) -> Result<&'static str, Problem> {
    sqlx::query("select 1").execute(&app.database.reader).await?;
    Ok("ready")
}

fn fixed(name: header::HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
}
