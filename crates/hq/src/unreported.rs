//! `GET /api/v1/unreported`: money that Alipay has told of and no terminal has reported yet.
//!
//! After [`PATIENCE`] it is a case: the terminal may be lost.

use crate::app::App;
use crate::database::Database;
use crate::decide::money::Finding;
use crate::problem::Problem;
use crate::sign_in::Reader;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use sqlx::Row as _;
use sqlx::any::AnyRow;
use std::time::Duration;
use tokio::sync::watch;
use uuid::Uuid;
use yidan_payment::UtcMs;

/// A terminal that is on reports within seconds.
const PATIENCE: Duration = Duration::from_mins(10);
const LOOK: Duration = Duration::from_secs(1);
const MAX_PAGE: i64 = 500;

/// Money that was told of.
#[derive(Serialize)]
pub struct Unreported {
    out_trade_no: String,
    trade_no: String,
    amount_fen: i64,
    /// Empty: nobody's number is known here.
    terminal_id: String,
    store_id: Option<String>,
    store_name: Option<String>,
    received_at: i64,
}

/// All of it, the oldest first.
#[derive(Serialize)]
pub struct AllUnreported {
    unreported: Vec<Unreported>,
}

/// `GET /api/v1/unreported`
pub async fn list(_: Reader, State(app): State<App>) -> Result<Json<AllUnreported>, Problem> {
    let rows = sqlx::query(
        "select n.out_trade_no, n.trade_no, max(n.paid_fen) as amount_fen, n.terminal_id, t.store_id, s.store_name, \
         min(n.received_at) as received_at from notices n \
         left join terminals t on t.terminal_id = n.terminal_id left join stores s on s.store_id = t.store_id \
         where n.waiting = 1 group by n.out_trade_no, n.trade_no, n.terminal_id, t.store_id, s.store_name \
         order by min(n.received_at), n.trade_no limit $1",
    )
    .bind(MAX_PAGE)
    .fetch_all(&app.database.reader)
    .await?;
    let unreported = rows.iter().map(view).collect::<Result<_, _>>()?;
    Ok(Json(AllUnreported { unreported }))
}

fn view(row: &AnyRow) -> Result<Unreported, sqlx::Error> {
    Ok(Unreported {
        out_trade_no: row.try_get("out_trade_no")?,
        trade_no: row.try_get("trade_no")?,
        amount_fen: row.try_get("amount_fen")?,
        terminal_id: row.try_get("terminal_id")?,
        store_id: row.try_get("store_id")?,
        store_name: row.try_get("store_name")?,
        received_at: row.try_get("received_at")?,
    })
}

/// Makes cases of what waits too long, until headquarters stops.
pub async fn keep_watch(app: App, mut stopping: watch::Receiver<bool>) {
    loop {
        let now = app.clock.now();
        if let Err(error) = open_cases(&app.database, now).await {
            tracing::error!(error = &error as &dyn std::error::Error, "could not look for unreported money");
        }
        tokio::select! {
            _ = stopping.wait_for(|stopping| *stopping) => return,
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

async fn open_cases(database: &Database, now: UtcMs) -> Result<(), sqlx::Error> {
    let late = sqlx::query(
        "select n.out_trade_no, n.trade_no, n.paid_fen, n.terminal_id, t.store_id from notices n \
         join terminals t on t.terminal_id = n.terminal_id \
         where n.waiting = 1 and n.received_at <= $1 and not exists (select 1 from cases c \
         where c.kind = $2 and c.trade_no = n.trade_no)",
    )
    .bind(now.before(PATIENCE).0)
    .bind(Finding::UnreportedMoney.as_str())
    .fetch_all(&database.reader)
    .await?;
    for row in &late {
        let (number, trade_no): (String, String) = (row.try_get("out_trade_no")?, row.try_get("trade_no")?);
        tracing::error!(out_trade_no = number, "money came and its terminal has not reported it");
        sqlx::query(
            "insert into cases (case_id, kind, found_by, terminal_id, store_id, pay_id, out_trade_no, trade_no, \
             amount_fen, detail, status, opened_at) values ($1, $2, 'HQ', $3, $4, '', $5, $6, $7, '', 'OPEN', $8) \
             on conflict do nothing",
        )
        .bind(Uuid::now_v7().to_string())
        .bind(Finding::UnreportedMoney.as_str())
        .bind(row.try_get::<String, _>("terminal_id")?)
        .bind(row.try_get::<String, _>("store_id")?)
        .bind(number)
        .bind(trade_no)
        .bind(row.try_get::<i64, _>("paid_fen")?)
        .bind(now.0)
        .execute(&database.writer)
        .await?;
    }
    Ok(())
}
