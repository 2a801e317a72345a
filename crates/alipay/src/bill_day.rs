//! The days by which bills are cut.

use crate::beijing::beijing_date;
use jiff::civil::Date;
use std::fmt;
use yidan_payment::UtcMs;

/// A day in Beijing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BillDay(Date);

/// Not a day like `2026-11-29`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a bill's day is written like 2026-11-29")]
pub struct BillDayError;

impl BillDay {
    /// Reads `yyyy-MM-dd`.
    ///
    /// # Errors
    /// [`BillDayError`] for everything else.
    pub fn parse(text: &str) -> Result<BillDay, BillDayError> {
        let day = Date::strptime("%Y-%m-%d", text).map_err(|_| BillDayError)?;
        if day.to_string() != text {
            return Err(BillDayError);
        }
        Ok(BillDay(day))
    }

    /// The day of a moment.
    #[must_use]
    pub fn of(moment: UtcMs) -> BillDay {
        BillDay(beijing_date(moment))
    }
}

impl fmt::Display for BillDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_written_in_full() {
        assert_eq!(BillDay::parse("2026-11-29").unwrap().to_string(), "2026-11-29");
        for bad in ["20261129", "2026-11", "2026-11-31", "2026-1-2", "", "2026-11-29 "] {
            assert_eq!(BillDay::parse(bad), Err(BillDayError), "{bad}");
        }
    }
}
