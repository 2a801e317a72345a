//! A day's bill: fetched or imported, compared, and carried out when somebody wants it.

use super::{Shared, ask};
use crate::view::{BillPage, BillReview, CommandError, ErrorKind, show_bill, show_plan, show_settlement};
use std::rc::Rc;
use tauri::ipc::{InvokeBody, Request};
use yidan_engine::{Engine, read_bill};

/// What is known of the bill of a day.
#[tauri::command]
pub async fn bill_page(day: String, till: Shared<'_>) -> Result<BillPage, CommandError> {
    let look = move |engine: Rc<Engine>| async move { Ok(show_bill(&engine, &day)?) };
    till.counter()?.ask(look).await?
}

/// Fetches the bill of a day from Alipay and compares it.
#[tauri::command]
pub async fn fetch_bill(day: String, till: Shared<'_>) -> Result<BillReview, CommandError> {
    let fetch = move |engine: Rc<Engine>| async move {
        engine.fetch_bill(&day).await?;
        review(&engine, &day)
    };
    ask(&till, fetch).await
}

/// Reads a bill that somebody downloaded: the bytes are the body, the day that is looked at is a header. A file of other
/// days shows the first of them.
#[tauri::command]
pub async fn import_bill(request: Request<'_>, till: Shared<'_>) -> Result<BillReview, CommandError> {
    let InvokeBody::Raw(bytes) = request.body() else { return Err(CommandError::plain(ErrorKind::BadBill)) };
    let day = request.headers().get("day").and_then(|day| day.to_str().ok()).unwrap_or_default().to_owned();
    let bytes = bytes.clone();
    // A long bill takes a second: the engine's thread goes on meanwhile.
    let read = tokio::task::spawn_blocking(move || read_bill(&bytes)).await;
    let bill = read.map_err(|_| CommandError::plain(ErrorKind::BadBill))??;
    let import = move |engine: Rc<Engine>| async move {
        let days = engine.import_bill(&bill)?;
        let shown = days.iter().find(|read| read.bill_day == day).or(days.first());
        let shown = shown.map(|read| read.bill_day.clone()).ok_or(CommandError::plain(ErrorKind::BadBill))?;
        review(&engine, &shown)
    };
    ask(&till, import).await
}

/// Does what the plan says. Asking is all it does by itself; what is done is not found again.
#[tauri::command]
pub async fn apply_bill(day: String, till: Shared<'_>) -> Result<BillReview, CommandError> {
    let apply = move |engine: Rc<Engine>| async move {
        let settlement = engine.settle_bill(&day).await?;
        let after = engine.plan_bill(&day)?;
        Ok(show_settlement(&engine, &settlement, &after)?)
    };
    ask(&till, apply).await
}

fn review(engine: &Engine, day: &str) -> Result<BillReview, CommandError> {
    let plan = engine.plan_bill(day)?;
    Ok(show_plan(engine, &plan)?)
}
