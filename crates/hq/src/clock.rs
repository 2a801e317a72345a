//! What time it is. Handed in, so that a test can turn it.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{self, TimeZone};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use yidan_payment::UtcMs;

/// Tells the time.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> UtcMs + Send + Sync>);

impl Clock {
    /// The clock of this machine.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    pub fn of_system() -> Clock {
        Clock::of(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            UtcMs(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
        })
    }

    /// A clock that a test turns.
    pub fn of(now: impl Fn() -> UtcMs + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(now))
    }

    /// Now.
    #[must_use]
    pub fn now(&self) -> UtcMs {
        self.0()
    }
}

/// The hour of the day in China (UTC+8, no summer time).
#[must_use]
pub fn hour_in_china(at: UtcMs) -> i64 {
    i64::from(in_china(at).hour())
}

/// The calendar day in China, `YYYY-MM-DD`.
#[must_use]
pub fn day_in_china(at: UtcMs) -> String {
    in_china(at).date().to_string()
}

fn in_china(at: UtcMs) -> DateTime {
    let at = Timestamp::from_millisecond(at.0).unwrap_or(Timestamp::MAX);
    TimeZone::fixed(tz::offset(8)).to_datetime(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_day_begins_at_sixteen_utc() {
        assert_eq!(day_in_china(UtcMs(1_796_054_399_999)), "2026-11-30");
        assert_eq!(hour_in_china(UtcMs(1_796_054_399_999)), 23);
        assert_eq!(day_in_china(UtcMs(1_796_054_400_000)), "2026-12-01");
        assert_eq!(hour_in_china(UtcMs(1_796_054_400_000)), 0);
        assert_eq!(day_in_china(UtcMs(951_782_400_000)), "2000-02-29");
    }
}
