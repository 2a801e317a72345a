//! Money that goes back. The PIN travels once, is checked in the engine, and is never logged; amounts are read anew here.

use super::{Shared, ask, read};
use crate::view::{
    Approver, CommandError, ErrorKind, Pin, RefundDraft, RefundView, RetryDraft, list_approvers, show_refund,
};
use std::rc::Rc;
use yidan_engine::{Act, Approval, Engine, NewRefund, Refunded, Signature};
use yidan_payment::Fen;

/// Everybody whose PIN can count.
#[tauri::command]
pub async fn approvers(till: Shared<'_>) -> Result<Vec<Approver>, CommandError> {
    till.counter()?.ask(|engine| async move { Ok(list_approvers(&engine)?) }).await?
}

/// Gives money back: one refund, however often it is clicked. What the gateway says is in the answer.
#[tauri::command]
pub async fn refund(draft: RefundDraft, till: Shared<'_>) -> Result<RefundView, CommandError> {
    let bad = |_| CommandError::plain(ErrorKind::BadAmount);
    let amount = Fen::parse(&draft.amount).map_err(bad)?;
    let seen_refunded = Fen::parse_stated(&draft.seen_refunded).map_err(bad)?;
    let (request_id, pay_id) = (read(&draft.click)?, read(&draft.pay_id)?);
    let refund = move |engine: Rc<Engine>| async move {
        let approval = approve(&engine, Act::Refund { pay_id, amount }, &draft.approver, &draft.pin)?;
        let wanted = NewRefund {
            request_id,
            pay_id,
            trade_no: None,
            amount,
            reason: draft.reason,
            seen_refunded: Some(seen_refunded),
            approval,
        };
        show(&engine, &engine.refund(wanted).await?)
    };
    ask(&till, refund).await
}

/// Sends a refused refund again, under its number. How much, the record says.
#[tauri::command]
pub async fn retry_refund(draft: RetryDraft, till: Shared<'_>) -> Result<RefundView, CommandError> {
    let request_id = read(&draft.refund_id)?;
    let retry = move |engine: Rc<Engine>| async move {
        let known = engine.find_refund(request_id)?.ok_or(CommandError::plain(ErrorKind::NotNow))?;
        let act = Act::Refund { pay_id: known.payment.pay_id, amount: known.refund.amount };
        let approval = approve(&engine, act, &draft.approver, &draft.pin)?;
        show(&engine, &engine.retry_refund(request_id, approval).await?)
    };
    ask(&till, retry).await
}

/// Lets `approver` agree to one act. Whoever stands at the screen asks for it.
pub(super) fn approve(engine: &Engine, act: Act, approver: &str, pin: &Pin) -> Result<Approval, CommandError> {
    let at_screen = engine.database().find_operator()?.map(|operator| operator.operator_id).unwrap_or_default();
    let who = Signature { asked_by: &at_screen, approved_by: approver, pin: pin.digits() };
    Ok(engine.authorise(act, who)?)
}

fn show(engine: &Engine, refunded: &Refunded) -> Result<RefundView, CommandError> {
    Ok(show_refund(engine, &refunded.refund)?)
}
