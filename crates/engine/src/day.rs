//! The business day, in Beijing time whatever the PC's zone.

use crate::database::PriorDay;
use crate::{Engine, Error};
use std::time::Duration;
use yidan_alipay::read_beijing;
use yidan_payment::UtcMs;

/// Beijing has no daylight saving time.
const BEIJING_MS: i64 = 8 * 3_600_000;

/// The day (`YYYY-MM-DD`) that a moment counts for, if days begin `starts_at_min` minutes after midnight in Beijing.
#[must_use]
pub fn business_day(at: UtcMs, starts_at_min: u32) -> String {
    let local = at.0.saturating_add(BEIJING_MS).saturating_sub(i64::from(starts_at_min) * 60_000);
    match jiff::Timestamp::from_millisecond(local) {
        Ok(moment) => moment.to_zoned_datetime(jiff::tz::TimeZone::UTC).date().to_string(),
        // Beyond year 9999 there is no day to name; such a moment only comes from a broken clock.
        Err(_) => "9999-12-31".into(),
    }
}

impl Engine {
    /// Money that was booked on a business day and counts for an earlier one. A day that was closed never changes: such
    /// money prints as "prior day" on the day it came to be known.
    ///
    /// # Errors
    /// [`Error::BadInput`] if it is no day; [`Error::Storage`].
    pub fn list_prior_days(&self, business_day: &str) -> Result<Vec<PriorDay>, Error> {
        let midnight = read_beijing(&format!("{business_day} 00:00:00"));
        let midnight = midnight.ok_or_else(|| Error::BadInput("a day is written like 2026-11-29".into()))?;
        let begin = midnight.after(Duration::from_secs(u64::from(self.place().day_starts_at_min) * 60));
        self.database.list_prior_days(business_day, begin, begin.after(Duration::from_secs(24 * 3600)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn midnight_is_in_beijing() {
        let at = |text: &str| UtcMs(text.parse::<jiff::Timestamp>().unwrap().as_millisecond());
        assert_eq!(business_day(at("2026-11-29T15:59:59Z"), 0), "2026-11-29");
        assert_eq!(business_day(at("2026-11-29T16:00:00Z"), 0), "2026-11-30");
        assert_eq!(business_day(at("2026-11-30T15:59:59Z"), 0), "2026-11-30");
    }

    #[test]
    fn tz2_totals_of_days_are_cut_in_beijing() {
        let case = include_str!("../../../tests/fixtures/cases/tz/TZ2_day_totals.json");
        let case: serde_json::Value = serde_json::from_str(case).unwrap();
        let mut totals = std::collections::BTreeMap::<String, i64>::new();
        for order in case["orders"].as_array().unwrap() {
            let paid: jiff::Timestamp = order["paid"].as_str().unwrap().parse().unwrap();
            *totals.entry(business_day(UtcMs(paid.as_millisecond()), 0)).or_default() += order["fen"].as_i64().unwrap();
        }
        assert_eq!(serde_json::to_value(totals).unwrap(), case["expect"]);
    }

    #[test]
    fn a_night_shop_may_start_its_day_later() {
        let at = |text: &str| UtcMs(text.parse::<jiff::Timestamp>().unwrap().as_millisecond());
        assert_eq!(business_day(at("2026-11-30T19:59:59Z"), 240), "2026-11-30");
        assert_eq!(business_day(at("2026-11-30T20:00:00Z"), 240), "2026-12-01");
    }
}
