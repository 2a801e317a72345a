//! "I have paid": what a customer shows or says becomes one verdict.

use super::{Shared, ask, read};
use crate::view::{CommandError, ResolveView, show_latest, show_resolved};
use std::rc::Rc;
use yidan_engine::{Engine, Error, Hint};

/// Finds orders for what a customer shows or says, and asks the gateway about one: the chosen one, or the only one that
/// fits. Without a word it offers the last orders.
#[tauri::command]
pub async fn resolve(hint: String, pay_id: Option<String>, till: Shared<'_>) -> Result<ResolveView, CommandError> {
    let pay_id = pay_id.as_deref().map(read).transpose()?;
    let hint = Hint { text: hint, pay_id };
    let look = move |engine: Rc<Engine>| async move {
        if hint.text.trim().is_empty() && hint.pay_id.is_none() {
            return Ok(show_latest(&engine)?);
        }
        match engine.resolve(&hint).await {
            Ok(resolved) => Ok(show_resolved(&engine, resolved)?),
            // Half typed, or no number, amount or time: nothing fits, and the screen says so.
            Err(error) if matches!(*error, Error::BadInput(_)) => Ok(ResolveView { hits: Vec::new(), verdict: None }),
            Err(error) => Err(error.into()),
        }
    };
    ask(&till, look).await
}
