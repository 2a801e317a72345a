//! The sandbox's own time: the machine's clock plus an offset that tests and the control API turn.
//!
//! Every time the sandbox prints or compares comes from here; nothing else asks the system.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

/// Milliseconds since 1970-01-01 UTC.
pub type Millis = i64;

const BEIJING: Offset = Offset::constant(8);

/// A clock that can be turned in both directions while the sandbox runs.
#[derive(Clone, Debug)]
pub struct Clock {
    offset_ms: Arc<AtomicI64>,
}

impl Clock {
    pub fn new(offset_ms: Arc<AtomicI64>) -> Self {
        Self { offset_ms }
    }

    #[expect(clippy::disallowed_methods, reason = "the sandbox composes its own clock here, and nowhere else")]
    pub fn now(&self) -> Millis {
        Timestamp::now().as_millisecond().saturating_add(self.offset_ms.load(Ordering::SeqCst))
    }

    pub fn turn_to_offset(&self, offset_ms: i64) {
        self.offset_ms.store(offset_ms, Ordering::SeqCst);
    }

    pub fn offset_ms(&self) -> i64 {
        self.offset_ms.load(Ordering::SeqCst)
    }
}

/// Prints `2026-11-30 09:05:00` as a Beijing wall clock shows it.
pub fn beijing_text(at: Millis) -> String {
    print(at, BEIJING, "%Y-%m-%d %H:%M:%S")
}

/// Prints `2026-11-30 09:05:00.123`, the form Alipay uses for `gmt_refund` in notices.
pub fn beijing_text_with_fraction(at: Millis) -> String {
    format!("{}.{:03}", beijing_text(at), at.rem_euclid(1000))
}

/// Prints the Beijing calendar day as `20261130`.
pub fn beijing_day_digits(at: Millis) -> String {
    print(at, BEIJING, "%Y%m%d")
}

/// Prints the value of an HTTP `Date` header.
pub fn http_date(at: Millis) -> String {
    print(at, Offset::UTC, "%a, %d %b %Y %H:%M:%S GMT")
}

/// Reads a Beijing time with or without seconds; `None` if it is neither.
pub fn read_beijing(text: &str) -> Option<Millis> {
    ["%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"]
        .iter()
        .find_map(|form| DateTime::strptime(form, text).ok())
        .and_then(at_beijing)
}

/// The last millisecond of the Beijing day that holds `at`: what `1c` means.
pub fn end_of_beijing_day(at: Millis) -> Millis {
    const HOUR: Millis = 3_600_000;
    const DAY: Millis = 24 * HOUR;
    let into_day = (at + 8 * HOUR).rem_euclid(DAY);
    at - into_day + DAY - 1
}

fn at_beijing(wall: DateTime) -> Option<Millis> {
    BEIJING.to_timestamp(wall).ok().map(Timestamp::as_millisecond)
}

fn print(at: Millis, zone: Offset, form: &str) -> String {
    let instant = Timestamp::from_millisecond(at).unwrap_or(Timestamp::MAX);
    zone.to_datetime(instant).strftime(form).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beijing_is_eight_hours_ahead_and_reads_back() {
        let at = 1_796_000_000_000;
        assert_eq!(beijing_text(at), "2026-11-30 08:53:20");
        assert_eq!(read_beijing("2026-11-30 08:53:20"), Some(at));
        assert_eq!(read_beijing("2026-11-30 08:53"), Some(at - 20_000));
        assert_eq!(read_beijing("30.11.2026"), None);
    }

    #[test]
    fn the_day_ends_at_beijing_midnight() {
        let end = end_of_beijing_day(1_796_000_000_000);
        assert_eq!(beijing_text(end), "2026-11-30 23:59:59");
        assert_eq!(beijing_text(end + 1), "2026-12-01 00:00:00");
    }

    #[test]
    fn http_dates_are_in_greenwich_time() {
        assert_eq!(http_date(1_796_000_000_000), "Mon, 30 Nov 2026 00:53:20 GMT");
    }
}
