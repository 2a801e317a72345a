//! Alipay's times: text in Beijing time, whatever zone the computer is in. No zone database is needed: GMT+8, no summer time.

use jiff::{
    Timestamp,
    civil::{Date, DateTime},
    fmt::rfc2822,
    tz::Offset,
};
use yidan_payment::UtcMs;

const BEIJING: Offset = Offset::constant(8);

/// `yyyy-MM-dd HH:mm:ss` in Beijing.
#[must_use]
pub fn beijing_text(moment: UtcMs) -> String {
    BEIJING.to_datetime(to_timestamp(moment)).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// The day it is in Beijing.
pub(crate) fn beijing_date(moment: UtcMs) -> Date {
    BEIJING.to_datetime(to_timestamp(moment)).date()
}

fn to_timestamp(moment: UtcMs) -> Timestamp {
    Timestamp::from_millisecond(moment.0).unwrap_or(Timestamp::MAX)
}

/// Reads `yyyy-MM-dd HH:mm:ss`, with or without a fraction (`gmt_refund` has one). `None` if it is anything else.
#[must_use]
pub fn read_beijing(text: &str) -> Option<UtcMs> {
    let moment = DateTime::strptime("%Y-%m-%d %H:%M:%S%.f", text).ok()?;
    BEIJING.to_timestamp(moment).ok().map(|timestamp| UtcMs(timestamp.as_millisecond()))
}

/// Reads the `Date` header of an answer (whole seconds).
pub(crate) fn read_http_date(text: &str) -> Option<UtcMs> {
    rfc2822::parse(text).ok().map(|date| UtcMs(date.timestamp().as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-30T16:30:00Z
    const EVENING: UtcMs = UtcMs(1_796_056_200_000);

    #[test]
    fn midnight_in_beijing_is_another_day_than_in_london() {
        assert_eq!(beijing_text(EVENING), "2026-12-01 00:30:00");
    }

    #[test]
    fn what_is_written_reads_back() {
        assert_eq!(read_beijing("2026-12-01 00:30:00"), Some(EVENING));
        assert_eq!(read_beijing("2015-04-28 15:45:57.320"), Some(UtcMs(1_430_207_157_320)));
        assert_eq!(read_beijing("2026-12-01"), None);
        assert_eq!(read_beijing("2026-13-01 00:30:00"), None);
    }

    #[test]
    fn the_date_of_an_answer_is_read() {
        assert_eq!(read_http_date("Mon, 30 Nov 2026 16:30:00 GMT"), Some(EVENING));
        assert_eq!(read_http_date("yesterday"), None);
    }
}
