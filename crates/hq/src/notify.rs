//! `POST /pay/alipay/notify`: where Alipay says by itself what became of a trade.
//!
//! Must always hold: what Alipay signed for this merchant is durable before it is answered `success`, whatever its
//! amount, status or order; anything else is answered `fail`, kept apart and bounded. Judging is the terminal's: it is
//! told the bytes and checks the signature again itself.

use crate::app::App;
use crate::decide::route::candidates;
use crate::live::tell;
use crate::push::{append, ring};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use sqlx::AnyConnection;
use uuid::Uuid;
use yidan_alipay::{NOTICE_KEPT, NOTICE_REFUSED, Notice, NoticeError};
use yidan_payment::{Evidence, Hash, TradeNo, UtcMs};
use yidan_wire::{PushId, Told};

/// Alipay's are below 4 KiB.
const MAX_BODY: usize = 64 * 1024;
/// So many that cannot be checked are kept, the newest.
const MOST_REFUSED: i64 = 500;
/// So much of each.
const LONGEST_REFUSED: usize = 4096;

/// `POST /pay/alipay/notify`
pub async fn notify(State(app): State<App>, request: Request) -> Response {
    // A signature costs the checker as much as it costs a stranger to send nonsense: so few at a time.
    let Ok(_permit) = app.notices_at_once.try_acquire() else {
        return (StatusCode::SERVICE_UNAVAILABLE, NOTICE_REFUSED).into_response();
    };
    let Ok(body) = axum::body::to_bytes(request.into_body(), MAX_BODY).await else {
        return (StatusCode::PAYLOAD_TOO_LARGE, NOTICE_REFUSED).into_response();
    };
    match take(&app, &body).await {
        Ok(true) => NOTICE_KEPT.into_response(),
        Ok(false) => NOTICE_REFUSED.into_response(),
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "a notice could not be stored; it comes again");
            (StatusCode::SERVICE_UNAVAILABLE, NOTICE_REFUSED).into_response()
        }
    }
}

/// Whether the notice is ours, and then durable.
async fn take(app: &App, body: &[u8]) -> Result<bool, sqlx::Error> {
    let now = app.clock.now();
    match app.merchant.read_notice(body) {
        Ok(notice) => {
            if let Some(terminal_id) = keep(app, &notice, body, now).await? {
                ring(app, &terminal_id);
            }
            tell(app, "", "", Vec::new());
            Ok(true)
        }
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "a notice that is not ours");
            keep_apart(app, body, &error, now).await?;
            Ok(false)
        }
    }
}

/// Stores a notice and gives it to its terminal; says to which, if it is new and somebody's.
async fn keep(app: &App, notice: &Notice, body: &[u8], now: UtcMs) -> Result<Option<String>, sqlx::Error> {
    let out_trade_no = notice.text("out_trade_no").unwrap_or_default();
    let trade_no = notice.text("trade_no").unwrap_or_default();
    let paid_fen = paid_fen(notice);
    let mut transaction = app.database.writer.begin().await?;
    let terminal_id = find_owner(&mut transaction, notice, out_trade_no).await?;
    let text = String::from_utf8_lossy(body).into_owned();
    let new = sqlx::query(
        "insert into notices (notice_id, notify_id, hash, out_trade_no, trade_no, terminal_id, body, paid_fen, waiting, \
         received_at) values ($1, $2, $3, $4, $5, $6, $7, $8, case when cast($8 as bigint) is null or exists (select 1 from receipts r \
         where r.account = $10 and r.trade_no = $5) then 0 else 1 end, $9) on conflict do nothing",
    )
    .bind(Uuid::now_v7().to_string())
    .bind(notice.notify_id().unwrap_or_default())
    .bind(Hash::of(body).to_string())
    .bind(out_trade_no)
    .bind(trade_no)
    .bind(terminal_id.as_deref().unwrap_or_default())
    .bind(&text)
    .bind(paid_fen)
    .bind(now.0)
    .bind(app.merchant.app_id())
    .execute(&mut *transaction)
    .await?
    .rows_affected();
    if new == 0 {
        return Ok(None);
    }
    if let Some(terminal_id) = &terminal_id {
        let id = PushId::new(Uuid::now_v7());
        append(&mut transaction, terminal_id, id, &Told::Notice { body: text }, now).await?;
    }
    transaction.commit().await?;
    tracing::info!(out_trade_no, terminal_id, "notice kept");
    Ok(terminal_id)
}

/// Only money that came is waited for; what goes back is the terminal's to ask about.
fn paid_fen(notice: &Notice) -> Option<i64> {
    match notice.evidence() {
        Ok(Evidence::Paid(paid) | Evidence::TradeClosedPaid(paid)) => Some(paid.total.as_fen()),
        Ok(_) | Err(_) => None,
    }
}

/// By what the precreate sent along, by who reported the payment, by what the number begins with.
async fn find_owner(db: &mut AnyConnection, notice: &Notice, number: &str) -> Result<Option<String>, sqlx::Error> {
    let reported: Option<String> = sqlx::query_scalar("select terminal_id from payments where out_trade_no = $1")
        .bind(number)
        .fetch_optional(&mut *db)
        .await?;
    if reported.is_some() {
        return Ok(reported);
    }
    let passback = notice.passback_params();
    for name in candidates(passback.as_deref(), number) {
        let owner: Option<String> = sqlx::query_scalar(
            "select terminal_id from terminals where terminal_id = $1 or store_id || terminal_id = $1 \
             order by terminal_id limit 1",
        )
        .bind(name)
        .fetch_optional(&mut *db)
        .await?;
        if owner.is_some() {
            return Ok(owner);
        }
    }
    Ok(None)
}

/// Money of these trades is reported: nobody waits for it any more.
///
/// # Errors
/// If the database refuses.
pub async fn note_reported<'a>(
    db: &mut AnyConnection,
    trades: impl Iterator<Item = &'a TradeNo>,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    for trade_no in trades {
        sqlx::query("update notices set waiting = 0 where trade_no = $1 and waiting = 1")
            .bind(trade_no.as_str())
            .execute(&mut *db)
            .await?;
        sqlx::query(
            "update cases set status = 'RESOLVED', resolution = 'REPORTED_LATER', resolved_at = $2 \
             where kind = 'UNREPORTED_MONEY' and trade_no = $1 and status = 'OPEN'",
        )
        .bind(trade_no.as_str())
        .bind(now.0)
        .execute(&mut *db)
        .await?;
    }
    Ok(())
}

async fn keep_apart(app: &App, body: &[u8], why: &NoticeError, now: UtcMs) -> Result<(), sqlx::Error> {
    let text: String = String::from_utf8_lossy(body).chars().take(LONGEST_REFUSED).collect();
    let mut transaction = app.database.writer.begin().await?;
    sqlx::query(
        "insert into refused_notices (hash, body, reason, received_at) values ($1, $2, $3, $4) on conflict do nothing",
    )
    .bind(Hash::of(body).to_string())
    .bind(text.replace('\0', "\u{fffd}"))
    .bind(why.to_string())
    .bind(now.0)
    .execute(&mut *transaction)
    .await?;
    sqlx::query(
        "delete from refused_notices where hash not in \
         (select hash from refused_notices order by received_at desc, hash limit $1)",
    )
    .bind(MOST_REFUSED)
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await
}
