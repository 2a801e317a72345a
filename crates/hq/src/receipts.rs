//! `GET /api/v1/receipts`: money as it came in, newest first. Only what is proved.

use crate::app::App;
use crate::clock::day_in_china;
use crate::given::Asked;
use crate::problem::Problem;
use crate::sign_in::Reader;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use sqlx::any::AnyRow;

const MAX_PAGE: i64 = 200;
const PAGE: i64 = 20;

/// Which day; without it today in China.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Which {
    day: Option<String>,
    limit: Option<i64>,
}

/// Money that came.
#[derive(Serialize)]
pub struct ReceiptView {
    trade_no: String,
    out_trade_no: String,
    order_no: String,
    store_id: String,
    store_name: String,
    terminal_id: String,
    total_fen: i64,
    paid_at: i64,
    booked: String,
}

/// Receipts, newest first.
#[derive(Serialize)]
pub struct Receipts {
    receipts: Vec<ReceiptView>,
}

/// `GET /api/v1/receipts`
pub async fn list(_: Reader, State(app): State<App>, Asked(which): Asked<Which>) -> Result<Json<Receipts>, Problem> {
    let rows = sqlx::query(
        "select r.trade_no, p.out_trade_no, p.order_no, r.store_id, s.store_name, r.terminal_id, r.total_fen, \
         r.paid_at, r.booked from receipts r \
         join payments p on p.terminal_id = r.terminal_id and p.pay_id = r.pay_id \
         join stores s on s.store_id = r.store_id \
         where r.business_day = $1 order by r.paid_at desc, r.trade_no desc limit $2",
    )
    .bind(which.day.unwrap_or_else(|| day_in_china(app.clock.now())))
    .bind(which.limit.unwrap_or(PAGE).clamp(1, MAX_PAGE))
    .fetch_all(&app.database.reader)
    .await?;
    let receipts = rows.iter().map(view).collect::<Result<_, _>>()?;
    Ok(Json(Receipts { receipts }))
}

fn view(row: &AnyRow) -> Result<ReceiptView, sqlx::Error> {
    Ok(ReceiptView {
        trade_no: row.try_get("trade_no")?,
        out_trade_no: row.try_get("out_trade_no")?,
        order_no: row.try_get("order_no")?,
        store_id: row.try_get("store_id")?,
        store_name: row.try_get("store_name")?,
        terminal_id: row.try_get("terminal_id")?,
        total_fen: row.try_get("total_fen")?,
        paid_at: row.try_get("paid_at")?,
        booked: row.try_get("booked")?,
    })
}
