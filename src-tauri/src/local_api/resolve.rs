//! `GET /pay/resolve`: "I have paid". One verdict, why, and the one thing that is safe to do.

use super::problem::Problem;
use axum::Json;
use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};
use yidan_engine::{Counter, Hint, Hit, Resolved, SafeAction, Said, Verdict, What, Who};
use yidan_payment::PaymentId;

/// What the caller knows of the order.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Asked {
    /// A number, its last digits, an amount, a time: as a person types them.
    #[serde(default)]
    q: String,
    /// One of the hits of an earlier answer.
    #[serde(default)]
    pay_id: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedView {
    verdict: &'static str,
    /// The one thing that is safe to do.
    action: &'static str,
    /// With which payment.
    action_pay_id: Option<String>,
    order: Option<HitView>,
    said: Vec<SaidView>,
    hits: Vec<HitView>,
    took_ms: Option<u64>,
}

/// An order that fits.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HitView {
    pay_id: String,
    order_no: String,
    order_id: Option<String>,
    subject: String,
    /// Yuan.
    amount: String,
    status: &'static str,
    created_at_ms: i64,
}

/// One reason.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SaidView {
    who: &'static str,
    what: &'static str,
    /// Yuan, an order's number, or a sentence, as `what` says.
    detail: Option<String>,
    at_ms: Option<i64>,
}

/// Answers within about three seconds, whatever the gateway does.
pub async fn resolve(
    State(counter): State<Counter>,
    asked: Result<Query<Asked>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<ResolvedView>, Problem> {
    let asked = asked.map_err(|error| Problem::bad_input(error.body_text()))?.0;
    let pay_id = asked.pay_id.as_deref().map(str::parse::<PaymentId>).transpose();
    let pay_id = pay_id.map_err(|_| Problem::bad_input("payId is not one of ours".into()))?;
    let hint = Hint { text: asked.q, pay_id };
    let resolved = counter
        .ask(move |engine| async move { engine.resolve(&hint).await.map_err(|error| Problem::from(error.as_ref())) })
        .await??;
    Ok(Json(view(resolved)))
}

fn view(resolved: Resolved) -> ResolvedView {
    let (action, pay_id) = action_word(resolved.action);
    ResolvedView {
        verdict: verdict_word(resolved.verdict),
        action,
        action_pay_id: pay_id.map(|id| id.to_string()),
        order: resolved.order.map(hit_view),
        said: resolved.said.into_iter().map(said_view).collect(),
        hits: resolved.hits.into_iter().map(hit_view).collect(),
        took_ms: resolved.took.and_then(|took| u64::try_from(took.as_millis()).ok()),
    }
}

fn hit_view(hit: Hit) -> HitView {
    HitView {
        pay_id: hit.pay_id.to_string(),
        order_no: hit.order_no,
        order_id: hit.external_ref,
        subject: hit.subject,
        amount: hit.amount.to_string(),
        status: hit.status.as_str(),
        created_at_ms: hit.created_at.0,
    }
}

fn said_view(said: Said) -> SaidView {
    let who = match said.who {
        Who::Gateway => "gateway",
        Who::Records => "records",
        Who::Clock => "clock",
    };
    let (what, detail) = what_word(said.what);
    SaidView { who, what, detail, at_ms: said.at.map(|at| at.0) }
}

fn what_word(what: What) -> (&'static str, Option<String>) {
    match what {
        What::Paid(amount) => ("paid", Some(amount.to_string())),
        What::Refunded(amount) => ("refunded", Some(amount.to_string())),
        What::NobodyScanned => ("nobody-scanned", None),
        What::WaitingForBuyer => ("waiting-for-buyer", None),
        What::TradeClosed => ("trade-closed", None),
        What::CodeEnds => ("code-ends", None),
        What::DeadAfter => ("dead-after", None),
        What::Stopped(_) => ("stopped", None),
        What::Refused(sentence) => ("refused", Some(sentence)),
        What::NoAnswer(why) => ("no-answer", Some(why)),
        What::LastKnown(status) => ("last-known", Some(status.as_str().into())),
        What::OtherOrder(order_no) => ("other-order", Some(order_no)),
    }
}

fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Paid => "paid",
        Verdict::NotPaid => "not-paid",
        Verdict::StillOpen => "still-open",
        Verdict::PaidOnAnother => "paid-on-another",
        Verdict::GivenBack => "given-back",
        Verdict::NeedsManager => "needs-manager",
        Verdict::Unreachable => "unreachable",
        Verdict::SeveralFit => "several-fit",
        Verdict::NoneFits => "none-fits",
    }
}

fn action_word(action: SafeAction) -> (&'static str, Option<PaymentId>) {
    match action {
        SafeAction::HandOver(pay_id) => ("hand-over", Some(pay_id)),
        SafeAction::CollectAgain(pay_id) => ("collect-again", Some(pay_id)),
        SafeAction::NewOrder(pay_id) => ("new-order", Some(pay_id)),
        SafeAction::ShowCode(pay_id) => ("show-code", Some(pay_id)),
        SafeAction::Wait(pay_id) => ("wait", Some(pay_id)),
        SafeAction::AskAgain(pay_id) => ("ask-again", Some(pay_id)),
        SafeAction::AskManager(pay_id) => ("ask-manager", Some(pay_id)),
        SafeAction::Choose => ("choose", None),
        SafeAction::LookAtBill => ("look-at-bill", None),
    }
}
