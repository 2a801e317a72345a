//! Every route: the gateway, the control API under `/sandbox`, and the page that plays the customer's phone.
//!
//! The control API hands out a private key and moves sandbox money, so when the sandbox listens on loopback only a
//! loopback `Host` may use it: a web page elsewhere cannot reach it by rebinding a name.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::bill_file;
use crate::buyer::{BuyerRefusal, PayResult, ScanResult};
use crate::config::Settings;
use crate::fault::Fault;
use crate::gateway;
use crate::ledger::{CodeOutcome, NoticeView};
use crate::phone;
use crate::platform::Platform;
use crate::sandbox::list_sessions;
use crate::views::{SessionView, TradeView, view_trade};

type Desk = State<Arc<Platform>>;
type Told<T> = Result<Json<T>, Trouble>;

/// All routes of a sandbox that listens at `address`.
pub fn router(platform: Arc<Platform>, address: SocketAddr) -> Router {
    let control = Router::new()
        .route("/scan", post(scan))
        .route("/pay", post(pay))
        .route("/leave", post(leave))
        .route("/code", post(show_code))
        .route("/refund", post(refund_elsewhere))
        .route("/certificate/rotate", post(rotate_certificate))
        .route("/fault", post(add_fault).get(list_faults).delete(clear_faults))
        .route("/trades", get(list_trades))
        .route("/trades/{out_trade_no}", get(show_trade))
        .route("/sessions", get(show_sessions))
        .route("/notices/{out_trade_no}", get(list_notices))
        .route("/notices/{notify_id}/send", post(send_notice))
        .route("/settings", post(change_settings).get(show_settings))
        .route("/clock", post(turn_clock).get(show_clock))
        .route("/merchant", get(show_merchant))
        .layer(from_fn(move |request, next| loopback_only(address, request, next)));
    Router::new()
        .route("/gateway.do", get(gateway::answer).post(gateway::answer))
        .route("/gateway.do/{*rest}", any(gateway::nothing))
        .route("/healthz", get(|| async { "ok" }))
        .route("/downloadBillFile.resource", get(bill_file::download))
        .nest("/sandbox", control)
        .merge(phone::router())
        .layer(DefaultBodyLimit::max(1 << 20))
        .with_state(platform)
}

async fn loopback_only(address: SocketAddr, request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    if address.ip().is_loopback() && !["127.0.0.1", "localhost", "[::1]"].contains(&name) {
        return (StatusCode::FORBIDDEN, "only a loopback Host may use the control API").into_response();
    }
    next.run(request).await
}

/// What went wrong, as `{"code":…,"message":…}`.
#[derive(Debug)]
struct Trouble {
    status: StatusCode,
    code: &'static str,
    message: String,
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        let body = json!({ "code": self.code, "message": self.message });
        (self.status, Json(body)).into_response()
    }
}

impl From<BuyerRefusal> for Trouble {
    fn from(refusal: BuyerRefusal) -> Self {
        let status = match refusal {
            BuyerRefusal::UnknownCode => StatusCode::NOT_FOUND,
            BuyerRefusal::Ledger(_) => StatusCode::INTERNAL_SERVER_ERROR,
            BuyerRefusal::CodeExpired
            | BuyerRefusal::NumberClosed
            | BuyerRefusal::AlreadyPaid
            | BuyerRefusal::AnotherBuyer
            | BuyerRefusal::ContextInconsistent
            | BuyerRefusal::NotScanned
            | BuyerRefusal::NothingToRefund
            | BuyerRefusal::BuyerIsSeller => StatusCode::CONFLICT,
        };
        Self { status, code: refusal.code(), message: refusal.to_string() }
    }
}

impl From<rusqlite::Error> for Trouble {
    fn from(cause: rusqlite::Error) -> Self {
        BuyerRefusal::Ledger(cause).into()
    }
}

fn not_found(what: &str) -> Trouble {
    Trouble { status: StatusCode::NOT_FOUND, code: "NOT_FOUND", message: format!("no such {what}") }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BuyerAct {
    qr_code: Option<String>,
    out_trade_no: Option<String>,
    buyer: String,
}

impl BuyerAct {
    fn number(&self) -> &str {
        self.out_trade_no.as_deref().unwrap_or_default()
    }
}

async fn scan(State(platform): Desk, Json(act): Json<BuyerAct>) -> Told<ScanResult> {
    let code = act.qr_code.as_deref().unwrap_or_else(|| act.number());
    Ok(Json(platform.scan(code, &act.buyer)?))
}

async fn pay(State(platform): Desk, Json(act): Json<BuyerAct>) -> Told<PayResult> {
    Ok(Json(platform.pay(act.number(), &act.buyer)?))
}

async fn leave(State(platform): Desk, Json(act): Json<BuyerAct>) -> Result<StatusCode, Trouble> {
    platform.leave(act.number(), &act.buyer)?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CodeWish {
    buyer: String,
    #[serde(default)]
    outcome: CodeOutcome,
}

async fn show_code(State(platform): Desk, Json(wish): Json<CodeWish>) -> Told<Value> {
    let auth_code = platform.show_code(&wish.buyer, wish.outcome)?;
    Ok(Json(json!({ "auth_code": auth_code })))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RefundElsewhere {
    out_trade_no: String,
    amount_fen: i64,
}

async fn refund_elsewhere(State(platform): Desk, Json(wish): Json<RefundElsewhere>) -> Told<Value> {
    let out_request_no = platform.refund_elsewhere(&wish.out_trade_no, wish.amount_fen)?;
    Ok(Json(json!({ "out_request_no": out_request_no })))
}

async fn rotate_certificate(State(platform): Desk) -> Told<Value> {
    Ok(Json(json!({ "alipay_cert_sn": platform.rotate_certificate()? })))
}

async fn add_fault(State(platform): Desk, Json(fault): Json<Fault>) -> Json<Vec<Fault>> {
    platform.faults.push(fault);
    Json(platform.faults.list())
}

async fn list_faults(State(platform): Desk) -> Json<Vec<Fault>> {
    Json(platform.faults.list())
}

async fn clear_faults(State(platform): Desk) -> StatusCode {
    platform.faults.clear();
    StatusCode::NO_CONTENT
}

async fn list_trades(State(platform): Desk) -> Told<Vec<TradeView>> {
    let trades = platform.turn(|turn| {
        let trades = turn.records.list_trades()?;
        trades.into_iter().map(|trade| view_trade(turn.records, trade)).collect()
    })?;
    Ok(Json(trades))
}

async fn show_trade(State(platform): Desk, Path(out_trade_no): Path<String>) -> Told<TradeView> {
    let found = platform.turn(|turn| {
        let trade = turn.records.find_trade(&out_trade_no)?;
        trade.map(|trade| view_trade(turn.records, trade)).transpose()
    })?;
    found.map(Json).ok_or_else(|| not_found("trade"))
}

async fn show_sessions(State(platform): Desk) -> Told<Vec<SessionView>> {
    Ok(Json(platform.turn(list_sessions)?))
}

async fn list_notices(State(platform): Desk, Path(out_trade_no): Path<String>) -> Told<Vec<NoticeView>> {
    Ok(Json(platform.turn(|turn| turn.records.list_notices(&out_trade_no))?))
}

async fn send_notice(State(platform): Desk, Path(notify_id): Path<String>) -> Result<StatusCode, Trouble> {
    match platform.turn(|turn| turn.records.send_notice_at(&notify_id, turn.now))? {
        true => Ok(StatusCode::ACCEPTED),
        false => Err(not_found("notice")),
    }
}

async fn show_settings(State(platform): Desk) -> Json<Settings> {
    Json(platform.settings())
}

/// Takes any subset of the settings and answers with all of them.
async fn change_settings(State(platform): Desk, Json(wanted): Json<Map<String, Value>>) -> Told<Settings> {
    let unreadable = |cause: serde_json::Error| Trouble {
        status: StatusCode::UNPROCESSABLE_ENTITY,
        code: "INVALID_SETTINGS",
        message: cause.to_string(),
    };
    let mut all = serde_json::to_value(platform.settings()).map_err(unreadable)?;
    if let Value::Object(members) = &mut all {
        members.extend(wanted);
    }
    let settings: Settings = serde_json::from_value(all).map_err(unreadable)?;
    platform.change_settings(|current| *current = settings.clone());
    Ok(Json(settings))
}

#[derive(Debug, Serialize, Deserialize)]
struct ClockOffset {
    offset_ms: i64,
}

#[derive(Debug, Serialize)]
struct ClockView {
    offset_ms: i64,
    now_ms: i64,
    beijing: String,
}

async fn turn_clock(State(platform): Desk, Json(wanted): Json<ClockOffset>) -> Json<ClockView> {
    platform.clock.turn_to_offset(wanted.offset_ms);
    platform.turned.notify_one();
    show_clock(State(platform)).await
}

async fn show_clock(State(platform): Desk) -> Json<ClockView> {
    let now_ms = platform.clock.now();
    Json(ClockView { offset_ms: platform.clock.offset_ms(), now_ms, beijing: crate::clock::beijing_text(now_ms) })
}

/// Everything an integrator types into a client, in every form clients ask for.
async fn show_merchant(State(platform): Desk) -> Told<Value> {
    let keys = &platform.keys;
    let certificates = &platform.certificates;
    let current = platform.turn(|turn| turn.records.latest_certificate())?;
    Ok(Json(json!({
        "app_id": platform.merchant.app_id,
        "seller_id": platform.merchant.seller_id,
        "alipay_public_key": keys.alipay_public_pem(),
        "alipay_public_key_base64": keys.alipay_public_base64(),
        "app_private_key": keys.app_private_pem(),
        "app_private_key_pkcs1_base64": keys.app_private_pkcs1_base64(),
        "app_cert": certificates.app_pem,
        "app_cert_sn": certificates.app_sn,
        "alipay_root_cert": certificates.root_pem,
        "alipay_root_cert_sn": certificates.root_sn,
        "alipay_cert": current.as_ref().map(|current| &current.pem),
        "alipay_cert_sn": current.as_ref().map(|current| &current.sn),
    })))
}
