//! Refunds for other programs: one refund per `requestId`, approved by an operator's PIN.

use super::problem::Problem;
use super::{Bill, find, request_id};
use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use yidan_engine::{Act, Counter, Engine, NewRefund, PinError, Refunded, Signature};
use yidan_payment::{Fen, OrderStatus, RefundStatus, RequestId, order_status};
use zeroize::Zeroizing;

/// Body of `POST /pay/refund`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Wanted {
    /// The caller's number of the bill.
    order_id: String,
    /// Yuan: `12.50`.
    amount: Box<serde_json::value::RawValue>,
    /// Why; the buyer may read it.
    #[serde(default)]
    reason: String,
    /// The same for every repetition of one click.
    request_id: String,
    /// Who asks; the approver if empty.
    #[serde(default)]
    asked_by: String,
    /// Who approves: an operator's id.
    approved_by: String,
    /// The approver's PIN. Never logged.
    pin: String,
}

/// Which refund.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Asked {
    request_id: String,
}

/// A refund, now.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RefundView {
    out_trade_no: String,
    out_request_no: Option<String>,
    status: RefundStatus,
    /// Yuan.
    amount: String,
    order_status: OrderStatus,
    /// Yuan that went back of this payment, all refunds together.
    refunded: String,
    /// Why it was refused, if it was: the gateway's own sentence and code.
    reason: Option<String>,
    /// What is safe to do.
    safe: &'static str,
}

/// Gives money of a bill back: one refund, however often it is asked for.
pub async fn refund(
    State(counter): State<Counter>,
    body: Result<Json<Wanted>, JsonRejection>,
) -> Result<Response, Problem> {
    let wanted = body.map_err(|error| Problem::bad_input(error.body_text()))?.0;
    let amount = Fen::parse(wanted.amount.get().trim_matches('"'));
    let amount = amount.map_err(|error| Problem::bad_input(error.to_string()))?;
    if wanted.request_id.trim().is_empty() {
        return Err(Problem::bad_input("requestId must not be empty: it is what makes a repetition harmless".into()));
    }
    let shown = counter.ask(move |engine| give_back(engine, wanted, amount)).await??;
    // The wish is durable; whether the money is back may still have to be asked for.
    let status = if shown.is_known() { StatusCode::OK } else { StatusCode::ACCEPTED };
    Ok((status, Json(shown)).into_response())
}

async fn give_back(engine: Rc<Engine>, wanted: Wanted, amount: Fen) -> Result<RefundView, Problem> {
    let pay_id = find(&engine, &Bill { order_id: wanted.order_id })?;
    let pin = Zeroizing::new(wanted.pin);
    let who = Signature { asked_by: &wanted.asked_by, approved_by: &wanted.approved_by, pin: &pin };
    let approval = engine.authorise(Act::Refund { pay_id, amount }, who).map_err(|error| refused_pin(&error))?;
    let refund = NewRefund {
        request_id: refund_request(&wanted.request_id),
        pay_id,
        trade_no: None,
        amount,
        reason: wanted.reason,
        seen_refunded: None,
        approval,
    };
    let refunded = engine.refund(refund).await.map_err(|error| Problem::from(error.as_ref()))?;
    Ok(RefundView::of(&refunded))
}

/// What is known about a refund.
pub async fn query(
    State(counter): State<Counter>,
    asked: Result<Query<Asked>, QueryRejection>,
) -> Result<Json<RefundView>, Problem> {
    let asked = asked.map_err(|error| Problem::bad_input(error.body_text()))?.0;
    let request_id = refund_request(&asked.request_id);
    let found = counter
        .ask(move |engine| async move { engine.find_refund(request_id).map_err(|error| Problem::from(&error)) })
        .await??;
    let found = found.ok_or_else(|| Problem::not_found(&asked.request_id))?;
    Ok(Json(RefundView::of(&found)))
}

impl RefundView {
    fn of(known: &Refunded) -> RefundView {
        let Refunded { payment, refund } = known;
        RefundView {
            out_trade_no: payment.out_trade_no.to_string(),
            out_request_no: refund.out_request_no.clone(),
            status: refund.status,
            amount: refund.amount.to_string(),
            order_status: order_status(payment),
            refunded: payment.refunded_of(&refund.trade_no).to_string(),
            reason: refund.refused.as_ref().map(|why| format!("{} ({} {})", why.text, why.code, why.sub_code)),
            safe: match refund.status {
                RefundStatus::Init | RefundStatus::Processing => {
                    "wait: the same number is asked for. Do not refund in another way yet"
                }
                RefundStatus::Success => "the money is back",
                RefundStatus::Fail => {
                    "nothing went back; put the reason right, then try this refund again at the counter"
                }
            },
        }
    }

    fn is_known(&self) -> bool {
        match self.status {
            RefundStatus::Init | RefundStatus::Processing => false,
            RefundStatus::Success | RefundStatus::Fail => true,
        }
    }
}

/// A refund's click is another one than the payment's, even under the same name.
fn refund_request(text: &str) -> RequestId {
    request_id(&format!("refund\n{text}"))
}

fn refused_pin(error: &PinError) -> Problem {
    match error {
        PinError::Storage(error) => Problem::from(error),
        PinError::Wrong
        | PinError::LockedOut { .. }
        | PinError::NoManager
        | PinError::NoSuchOperator
        | PinError::NotAllowed
        | PinError::MustDiffer => Problem::forbidden(&error.to_string()),
    }
}
