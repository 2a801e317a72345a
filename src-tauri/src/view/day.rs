//! The money of a day.

use serde::Serialize;
use ts_rs::TS;
use yidan_engine::{Engine, Error};
use yidan_payment::Fen;

/// The totals of one business day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct DayTotals {
    pub day: String,
    pub count: i64,
    pub gross: String,
    pub refunds: String,
    pub net: String,
    /// Payments of that day without a last word.
    pub unsure_count: i64,
    pub unsure_amount: String,
    pub by_hour: Vec<HourTotals>,
}

/// The money of one hour in Beijing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct HourTotals {
    pub hour: i64,
    pub count: i64,
    pub gross: String,
}

/// Shows a day, today without a name.
///
/// # Errors
/// [`Error::Storage`].
pub fn show_day(engine: &Engine, day: Option<String>) -> Result<DayTotals, Error> {
    let day = day.unwrap_or_else(|| engine.business_day());
    let books = engine.database().load_day(&day)?;
    let net = books.gross.minus(books.refunded).unwrap_or(Fen::ZERO);
    let by_hour = books
        .by_hour
        .iter()
        .map(|hour| HourTotals { hour: hour.hour, count: hour.count, gross: hour.gross.to_string() })
        .collect();
    Ok(DayTotals {
        day,
        count: books.count,
        gross: books.gross.to_string(),
        refunds: books.refunded.to_string(),
        net: net.to_string(),
        unsure_count: books.unsure_count,
        unsure_amount: books.unsure.to_string(),
        by_hour,
    })
}
