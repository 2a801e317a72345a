//! `GET /api/v1/payments`: what the terminals have reported, newest first, and one payment with its story.
//!
//! `counted_fen` is what headquarters has proved itself; a payment that says SUCCESS and counts nothing is a case.

use crate::app::App;
use crate::given::Asked;
use crate::problem::Problem;
use crate::sign_in::Reader;
use axum::Json;
use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row as _};
use yidan_payment::Fen;

const MAX_PAGE: i64 = 500;
const PAGE: i64 = 100;

/// Which payments. All that is given must hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    day: Option<String>,
    store: Option<String>,
    terminal: Option<String>,
    status: Option<String>,
    out_trade_no: Option<String>,
    /// Order number, out_trade_no, the end of a trade_no, or an amount in yuan.
    text: Option<String>,
    /// Only those that may still bring money.
    open: Option<bool>,
    /// Only older ones than this `pay_id`: the last of the page before.
    before: Option<String>,
    limit: Option<i64>,
}

/// A payment as it was last reported.
#[derive(Debug, Serialize)]
pub struct PaymentView {
    pay_id: String,
    terminal_id: String,
    store_id: String,
    store_name: String,
    order_no: String,
    source: String,
    external_ref: Option<String>,
    subject: String,
    business_day: String,
    method: String,
    out_trade_no: String,
    amount_fen: i64,
    status: String,
    order_status: String,
    trade_no: Option<String>,
    stopped_by: Option<String>,
    created_at: i64,
    changed_at: i64,
    /// Proved and recognised or in suspense.
    counted_fen: i64,
    /// Proved to have gone back.
    refunded_fen: i64,
}

/// A page of payments.
#[derive(Serialize)]
pub struct Page {
    payments: Vec<PaymentView>,
    /// Give it as `before` for the next page; none: this is the last.
    next: Option<String>,
}

/// One payment with everything that was reported about it.
#[derive(Serialize)]
pub struct Story {
    payment: PaymentView,
    timeline: Vec<Moment>,
}

/// One line of the story.
#[derive(Serialize)]
pub struct Moment {
    epoch: i64,
    seq: i64,
    kind: String,
    at: i64,
    received_at: i64,
    hash: String,
    status: Value,
    trade_no: Value,
    stopped_by: Value,
    reason: Value,
    cases: Value,
    /// Which statement of Alipay caused it; its text is not shown here.
    told_by: Value,
}

const COLUMNS: &str = "select p.*, s.store_name, \
    (select cast(coalesce(sum(r.total_fen), 0) as bigint) from receipts r \
     where r.terminal_id = p.terminal_id and r.pay_id = p.pay_id) as counted_fen, \
    (select cast(coalesce(sum(f.amount_fen), 0) as bigint) from receipts r \
     join refunds f on f.account = r.account and f.trade_no = r.trade_no \
     where r.terminal_id = p.terminal_id and r.pay_id = p.pay_id) as refunded_fen \
    from payments p join stores s on s.store_id = p.store_id";

/// `GET /api/v1/payments`
pub async fn list(_: Reader, State(app): State<App>, Asked(filter): Asked<Filter>) -> Result<Json<Page>, Problem> {
    let limit = filter.limit.unwrap_or(PAGE).clamp(1, MAX_PAGE);
    let (conditions, values) = filter.conditions();
    let sql = format!("{COLUMNS} where true{conditions} order by p.pay_id desc limit $1");
    let query = values.iter().fold(sqlx::query(AssertSqlSafe(sql)).bind(limit), |query, value| query.bind(value));
    let rows = query.fetch_all(&app.database.reader).await?;
    let payments: Vec<PaymentView> = rows.iter().map(view).collect::<Result<_, _>>()?;
    let is_full = i64::try_from(payments.len()).is_ok_and(|count| count == limit);
    let next = payments.last().filter(|_| is_full).map(|last| last.pay_id.clone());
    Ok(Json(Page { payments, next }))
}

impl Filter {
    /// The conditions as SQL, numbered from $2, and what is bound to them. Only our own words go into the text.
    fn conditions(&self) -> (String, Vec<String>) {
        let amount = self.text.as_deref().and_then(|text| Fen::parse(text).ok());
        let amount = amount.map_or(String::from("-1"), |fen| fen.as_fen().to_string());
        let plain = [
            (" and p.business_day = $", &self.day),
            (" and p.store_id = $", &self.store),
            (" and p.terminal_id = $", &self.terminal),
            (" and p.status = $", &self.status),
            (" and p.out_trade_no = $", &self.out_trade_no),
            (" and p.pay_id < $", &self.before),
        ];
        let given = plain.into_iter().filter_map(|(condition, value)| Some((condition, value.clone()?)));
        let (mut sql, mut values) = (String::new(), Vec::new());
        for (condition, value) in given {
            values.push(value);
            sql += &format!("{condition}{}", values.len() + 1);
        }
        if self.open == Some(true) {
            sql += " and p.status in ('INIT', 'PRECREATED', 'PAYING', 'CLOSING')";
        }
        if let Some(text) = &self.text {
            let (n, m) = (values.len() + 2, values.len() + 3);
            sql += &format!(
                " and (p.order_no = ${n} or p.out_trade_no = ${n} or p.trade_no like '%' || ${n} \
                 or p.amount_fen = cast(${m} as bigint))"
            );
            values.extend([text.trim().to_owned(), amount]);
        }
        (sql, values)
    }
}

/// `GET /api/v1/payments/{out_trade_no}`
pub async fn one(_: Reader, State(app): State<App>, Path(number): Path<String>) -> Result<Json<Story>, Problem> {
    let sql = format!("{COLUMNS} where p.out_trade_no = $1 order by p.pay_id, p.terminal_id limit 1");
    let row = sqlx::query(AssertSqlSafe(sql))
        .bind(number)
        .fetch_optional(&app.database.reader)
        .await?
        .ok_or(Problem::NotFound("payment"))?;
    let payment = view(&row)?;
    let rows = sqlx::query(
        "select epoch, seq, kind, at_ms, payload, hash, received_at from events \
         where terminal_id = $1 and pay_id = $2 order by epoch, seq",
    )
    .bind(&payment.terminal_id)
    .bind(&payment.pay_id)
    .fetch_all(&app.database.reader)
    .await?;
    let timeline = rows.iter().map(moment).collect::<Result<_, _>>()?;
    Ok(Json(Story { payment, timeline }))
}

fn view(row: &AnyRow) -> Result<PaymentView, sqlx::Error> {
    Ok(PaymentView {
        pay_id: row.try_get("pay_id")?,
        terminal_id: row.try_get("terminal_id")?,
        store_id: row.try_get("store_id")?,
        store_name: row.try_get("store_name")?,
        order_no: row.try_get("order_no")?,
        source: row.try_get("source")?,
        external_ref: row.try_get("external_ref")?,
        subject: row.try_get("subject")?,
        business_day: row.try_get("business_day")?,
        method: row.try_get("method")?,
        out_trade_no: row.try_get("out_trade_no")?,
        amount_fen: row.try_get("amount_fen")?,
        status: row.try_get("status")?,
        order_status: row.try_get("order_status")?,
        trade_no: row.try_get("trade_no")?,
        stopped_by: row.try_get("stopped_by")?,
        created_at: row.try_get("created_at")?,
        changed_at: row.try_get("changed_at")?,
        counted_fen: row.try_get("counted_fen")?,
        refunded_fen: row.try_get("refunded_fen")?,
    })
}

fn moment(row: &AnyRow) -> Result<Moment, sqlx::Error> {
    let payload: Value = serde_json::from_str(row.try_get("payload")?).unwrap_or(Value::Null);
    let member = |path| payload.pointer(path).cloned().unwrap_or(Value::Null);
    Ok(Moment {
        epoch: row.try_get("epoch")?,
        seq: row.try_get("seq")?,
        kind: row.try_get("kind")?,
        at: row.try_get("at_ms")?,
        received_at: row.try_get("received_at")?,
        hash: row.try_get("hash")?,
        status: member("/status"),
        trade_no: member("/trade_no"),
        stopped_by: member("/stopped_by"),
        reason: member("/reason"),
        cases: member("/cases"),
        told_by: member("/proof/source"),
    })
}
