//! The day or month a bill covers, and when Alipay has it ready.

use crate::clock::{Millis, read_beijing};

const HOUR: Millis = 3_600_000;
const DAY: Millis = 24 * HOUR;

/// From `start` until just before `end`, Beijing days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BillPeriod {
    pub start: Millis,
    pub end: Millis,
    /// Nine in the morning after a day; the fourth of the next month after a month.
    pub ready_at: Millis,
}

impl BillPeriod {
    /// Reads `2026-11-30` or `2026-11`.
    pub fn read(text: &str) -> Option<Self> {
        match text.len() {
            10 => Self::day(text),
            7 => Self::month(text),
            _ => None,
        }
    }

    fn day(text: &str) -> Option<Self> {
        let start = read_beijing(&format!("{text} 00:00:00"))?;
        Some(Self { start, end: start + DAY, ready_at: start + DAY + 9 * HOUR })
    }

    fn month(text: &str) -> Option<Self> {
        let (year, month) = text.split_once('-')?;
        let (year, month): (u32, u32) = (year.parse().ok()?, month.parse().ok()?);
        let (next_year, next_month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
        let start = read_beijing(&format!("{year:04}-{month:02}-01 00:00:00"))?;
        let end = read_beijing(&format!("{next_year:04}-{next_month:02}-01 00:00:00"))?;
        Some(Self { start, end, ready_at: end + 3 * DAY })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::beijing_text;

    #[test]
    fn days_and_months_are_beijing_time_and_end_where_the_next_begins() {
        let day = BillPeriod::read("2026-11-30").unwrap();
        assert_eq!(beijing_text(day.start), "2026-11-30 00:00:00");
        assert_eq!(beijing_text(day.end), "2026-12-01 00:00:00");
        assert_eq!(beijing_text(day.ready_at), "2026-12-01 09:00:00");
        let month = BillPeriod::read("2026-12").unwrap();
        assert_eq!(beijing_text(month.end), "2027-01-01 00:00:00");
        for refused in ["", "2026", "2026-13", "2026-02-30", "20261130"] {
            assert_eq!(BillPeriod::read(refused), None, "{refused}");
        }
    }
}
