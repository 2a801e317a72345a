//! `POST /api/v1/claims`: a terminal wants to collect a bill of another program.
//!
//! Must always hold: what is granted is durable, and is granted to nobody else.

use crate::app::App;
use crate::decide::claim::{Claimed, judge};
use crate::decide::money::Reporter;
use crate::identity::{Terminal, read_signed};
use crate::problem::Problem;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use sqlx::{AnyConnection, Row as _};
use yidan_payment::{Fen, UtcMs};
use yidan_wire::{Claim, Granted, NotGranted, OwnersPayment, PaymentState, WhyNot};

const LONGEST_NAME: usize = 64;

/// `POST /api/v1/claims`
pub async fn claim(State(app): State<App>, request: Request<Body>) -> Result<Json<Granted>, Problem> {
    let (terminal, claim) = read_signed::<Claim>(&app, request).await?;
    let fits = |text: &str| !text.trim().is_empty() && text.len() <= LONGEST_NAME;
    if !fits(&claim.source) || !fits(&claim.external_ref) || claim.amount_fen.is_zero() {
        return Err(Problem::NotUnderstood("a bill has a source, a number and an amount".into()));
    }
    let mut transaction = app.database.writer.begin().await?;
    insert(&mut transaction, (&terminal.store_id, &terminal.terminal_id), &claim, app.clock.now().0).await?;
    let first = load_first(&mut transaction, &terminal, &claim).await?;
    let payment = find_payment(&mut transaction, &terminal, &claim).await?;
    if let Some(why) = judge(&first, &terminal.terminal_id, &claim, payment.is_some()) {
        return Err(Problem::NotGranted(Box::new(not_granted(why, first, payment))));
    }
    transaction.commit().await?;
    Ok(Json(Granted { terminal_id: terminal.terminal_id }))
}

/// Who reports that it collects a bill owned it when it began: a headquarters that was restored has forgotten whom it
/// granted the bill, and is told again by the journals.
///
/// # Errors
/// If the database refuses.
pub async fn note_owner(
    db: &mut AnyConnection,
    reporter: &Reporter,
    state: &PaymentState,
    at: UtcMs,
) -> Result<(), sqlx::Error> {
    let Some(external_ref) = &state.external_ref else { return Ok(()) };
    let terminal_id = &reporter.terminal_id;
    let claim = Claim {
        source: state.source.clone(),
        external_ref: external_ref.clone(),
        amount_fen: state.amount_fen,
        subject: state.subject.clone(),
    };
    insert(db, (&reporter.store_id, terminal_id), &claim, at.0).await
}

/// Whoever is first owns it: the row decides, not who asks.
async fn insert(
    db: &mut AnyConnection,
    (store_id, terminal_id): (&str, &str),
    claim: &Claim,
    now: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into claims (store_id, source, external_ref, terminal_id, amount_fen, subject, claimed_at) \
         values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing",
    )
    .bind(store_id)
    .bind(&claim.source)
    .bind(&claim.external_ref)
    .bind(terminal_id)
    .bind(claim.amount_fen.as_fen())
    .bind(&claim.subject)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

async fn load_first(db: &mut AnyConnection, terminal: &Terminal, claim: &Claim) -> Result<Claimed, sqlx::Error> {
    let row = sqlx::query(
        "select terminal_id, amount_fen, subject from claims \
         where store_id = $1 and source = $2 and external_ref = $3",
    )
    .bind(&terminal.store_id)
    .bind(&claim.source)
    .bind(&claim.external_ref)
    .fetch_one(db)
    .await?;
    let amount = Fen::from_fen(row.try_get("amount_fen")?).map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
    Ok(Claimed { terminal_id: row.try_get("terminal_id")?, amount, subject: row.try_get("subject")? })
}

/// The newest payment that was reported of the bill.
async fn find_payment(
    db: &mut AnyConnection,
    terminal: &Terminal,
    claim: &Claim,
) -> Result<Option<OwnersPayment>, sqlx::Error> {
    let row = sqlx::query(
        "select out_trade_no, status, order_status, changed_at from payments \
         where store_id = $1 and source = $2 and external_ref = $3 order by pay_id desc limit 1",
    )
    .bind(&terminal.store_id)
    .bind(&claim.source)
    .bind(&claim.external_ref)
    .fetch_optional(db)
    .await?;
    row.map(|row| {
        Ok(OwnersPayment {
            out_trade_no: row.try_get("out_trade_no")?,
            status: row.try_get("status")?,
            order_status: row.try_get("order_status")?,
            changed_at_ms: row.try_get("changed_at")?,
        })
    })
    .transpose()
}

fn not_granted(why: WhyNot, first: Claimed, payment: Option<OwnersPayment>) -> NotGranted {
    let detail = match why {
        WhyNot::Owned => format!("this bill belongs to terminal {}, which opened it first", first.terminal_id),
        WhyNot::Changed => format!("this bill is known with {} and \"{}\"", first.amount, first.subject),
        WhyNot::Reported => "this terminal has reported a payment of this bill, and its records have lost it".into(),
    };
    let Claimed { terminal_id, amount: amount_fen, subject } = first;
    NotGranted { why, terminal_id, amount_fen, subject, payment, detail }
}
