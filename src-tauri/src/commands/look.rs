//! Looking: nothing here changes anything.

use super::{Shared, read};
use crate::view::{
    CaseLine, CommandError, CounterView, CustomerView, DayTotals, OrderDetail, OrderLine, OrderQuery, SelfTestView,
    StatusView, list_lines, show_customer, show_day, show_detail,
};

/// The whole counter. Waits until it is open, or as far as it goes without a person.
#[tauri::command]
pub async fn boot(till: Shared<'_>) -> Result<CounterView, CommandError> {
    till.opened().await;
    till.look().await
}

/// The line at the bottom.
#[tauri::command]
pub async fn status(till: Shared<'_>) -> Result<StatusView, CommandError> {
    Ok(till.look().await?.status)
}

/// What the last look at everything found.
#[tauri::command]
pub async fn self_test(till: Shared<'_>) -> Result<SelfTestView, CommandError> {
    Ok(till.self_test())
}

/// Looks at everything once more, in the background.
#[tauri::command]
pub async fn want_self_test(till: Shared<'_>) -> Result<(), CommandError> {
    till.counter()?;
    till.want_self_test();
    Ok(())
}

/// What the customer may see.
#[tauri::command]
pub async fn customer_view(till: Shared<'_>) -> Result<CustomerView, CommandError> {
    till.opened().await;
    Ok(show_customer(&till.look().await?))
}

/// Orders that fit, the newest first.
#[tauri::command]
pub async fn list_orders(query: OrderQuery, till: Shared<'_>) -> Result<Vec<OrderLine>, CommandError> {
    till.counter()?.ask(move |engine| async move { Ok(list_lines(&engine, &query)?) }).await?
}

/// One order with its story.
#[tauri::command]
pub async fn order_detail(pay_id: String, till: Shared<'_>) -> Result<OrderDetail, CommandError> {
    let pay_id = read(&pay_id)?;
    till.counter()?.ask(move |engine| async move { Ok(show_detail(&engine, pay_id)?) }).await?
}

/// The money of a day; today's without a name.
#[tauri::command]
pub async fn day_totals(day: Option<String>, till: Shared<'_>) -> Result<DayTotals, CommandError> {
    till.counter()?.ask(move |engine| async move { Ok(show_day(&engine, day)?) }).await?
}

/// Every open case.
#[tauri::command]
pub async fn list_cases(till: Shared<'_>) -> Result<Vec<CaseLine>, CommandError> {
    till.counter()?.ask(|engine| async move { Ok(crate::view::list_cases(&engine)?) }).await?
}
