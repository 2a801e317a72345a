//! `GET /api/v1/cases`: what a person must decide or know, whoever found it. Money is decided at its terminal.

use crate::app::App;
use crate::given::Asked;
use crate::problem::Problem;
use crate::sign_in::Reader;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row as _};

const MAX_PAGE: i64 = 500;

/// Which cases; without a status the open ones.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    status: Option<String>,
    store: Option<String>,
    terminal: Option<String>,
    out_trade_no: Option<String>,
    limit: Option<i64>,
}

/// A case.
#[derive(Serialize)]
pub struct CaseView {
    case_id: String,
    kind: String,
    found_by: String,
    terminal_id: String,
    store_id: String,
    store_name: String,
    pay_id: String,
    out_trade_no: String,
    order_no: Option<String>,
    trade_no: String,
    amount_fen: i64,
    detail: String,
    status: String,
    resolution: Option<String>,
    opened_at: i64,
    resolved_at: Option<i64>,
}

/// Cases, newest first.
#[derive(Serialize)]
pub struct Cases {
    cases: Vec<CaseView>,
    /// How many are open, whatever was asked for.
    open_count: i64,
}

/// `GET /api/v1/cases`
pub async fn list(_: Reader, State(app): State<App>, Asked(filter): Asked<Filter>) -> Result<Json<Cases>, Problem> {
    let open = String::from("OPEN");
    let conditions = [
        ("c.status =", Some(filter.status.as_ref().unwrap_or(&open))),
        ("c.store_id =", filter.store.as_ref()),
        ("c.terminal_id =", filter.terminal.as_ref()),
        ("c.out_trade_no =", filter.out_trade_no.as_ref()),
    ];
    let given: Vec<(&str, &String)> =
        conditions.into_iter().filter_map(|(condition, value)| Some((condition, value?))).collect();
    let numbered = given.iter().zip(2..).map(|((condition, _), number)| format!(" and {condition} ${number}"));
    let sql = format!(
        "select c.*, s.store_name, p.order_no from cases c join stores s on s.store_id = c.store_id \
         left join payments p on p.terminal_id = c.terminal_id and p.pay_id = c.pay_id where true{} \
         order by c.opened_at desc, c.case_id desc limit $1",
        numbered.collect::<String>()
    );
    let limit = filter.limit.unwrap_or(MAX_PAGE).clamp(1, MAX_PAGE);
    let query = given.iter().fold(sqlx::query(AssertSqlSafe(sql)).bind(limit), |query, (_, value)| query.bind(*value));
    let rows = query.fetch_all(&app.database.reader).await?;
    let cases = rows.iter().map(view).collect::<Result<_, _>>()?;
    let open_count = sqlx::query_scalar("select cast(count(*) as bigint) from cases where status = 'OPEN'")
        .fetch_one(&app.database.reader)
        .await?;
    Ok(Json(Cases { cases, open_count }))
}

fn view(row: &AnyRow) -> Result<CaseView, sqlx::Error> {
    Ok(CaseView {
        case_id: row.try_get("case_id")?,
        kind: row.try_get("kind")?,
        found_by: row.try_get("found_by")?,
        terminal_id: row.try_get("terminal_id")?,
        store_id: row.try_get("store_id")?,
        store_name: row.try_get("store_name")?,
        pay_id: row.try_get("pay_id")?,
        out_trade_no: row.try_get("out_trade_no")?,
        order_no: row.try_get("order_no")?,
        trade_no: row.try_get("trade_no")?,
        amount_fen: row.try_get("amount_fen")?,
        detail: row.try_get("detail")?,
        status: row.try_get("status")?,
        resolution: row.try_get("resolution")?,
        opened_at: row.try_get("opened_at")?,
        resolved_at: row.try_get("resolved_at")?,
    })
}
