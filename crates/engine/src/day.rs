//! The business day, in Beijing time whatever the PC's zone.

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
    fn a_night_shop_may_start_its_day_later() {
        let at = |text: &str| UtcMs(text.parse::<jiff::Timestamp>().unwrap().as_millisecond());
        assert_eq!(business_day(at("2026-11-30T19:59:59Z"), 240), "2026-11-30");
        assert_eq!(business_day(at("2026-11-30T20:00:00Z"), 240), "2026-12-01");
    }
}
