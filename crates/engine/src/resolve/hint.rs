//! What a customer can say about an order: a number or its end, an amount, about when. In any order, in one line.

use crate::database::{FEWEST_DIGITS, Hit};
use crate::{Engine, Error};
use std::time::Duration;
use yidan_payment::{Fen, PaymentId, UtcMs};

/// What is known of the order in question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hint {
    /// As typed or scanned: a number, its last digits (four at least), an amount (`38.5`), a time (`14:33`), or several.
    pub text: String,
    /// One of the hits, chosen.
    pub pay_id: Option<PaymentId>,
}

/// A customer's clock, and memory.
const ABOUT: Duration = Duration::from_secs(15 * 60);
/// An amount without a time is looked for this far back.
const LATELY: Duration = Duration::from_secs(24 * 3600);
/// Everything that was ever written down.
const NEVER: UtcMs = UtcMs(0);

/// The hint, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
struct Clues {
    ending: Option<String>,
    amount: Option<Fen>,
    /// Minutes after midnight in Beijing.
    minute: Option<i64>,
}

impl Engine {
    /// Every order that fits, the newest first. Asks nobody.
    ///
    /// # Errors
    /// [`Error::BadInput`] if the hint says nothing; [`Error::NoSuchPayment`]; [`Error::Storage`].
    pub fn find_hits(&self, hint: &Hint) -> Result<Vec<Hit>, Error> {
        if let Some(pay_id) = hint.pay_id {
            return Ok(vec![self.database.load_hit(pay_id)?]);
        }
        let clues = read_clues(&hint.text)?;
        let now = self.clock.now();
        let around = clues.minute.map(|minute| around(minute, now));
        let Some(ending) = &clues.ending else {
            let (from, until) = around.unwrap_or((now.before(LATELY), now.after(ABOUT)));
            return self.database.list_hits_by_amount(clues.amount, from, until);
        };
        let mut hits = self.database.list_hits_by_number(ending)?;
        if hits.is_empty() && ending.to_ascii_lowercase() != *ending {
            hits = self.database.list_hits_by_number(&ending.to_ascii_lowercase())?;
        }
        if hits.is_empty()
            && let Ok(amount) = Fen::parse(ending)
        {
            // Four digits may be yuan after all.
            let (from, until) = around.unwrap_or((now.before(LATELY), now.after(ABOUT)));
            return self.database.list_hits_by_amount(Some(amount), from, until);
        }
        let (from, until) = around.unwrap_or((NEVER, UtcMs(i64::MAX)));
        hits.retain(|hit| clues.amount.is_none_or(|amount| hit.amount == amount));
        hits.retain(|hit| hit.created_at >= from && hit.created_at < until);
        Ok(hits)
    }
}

fn read_clues(text: &str) -> Result<Clues, Error> {
    let mut clues = Clues::default();
    for word in text.split_whitespace() {
        let bare = word.trim_start_matches(['¥', '￥']);
        if word.contains([':', '：']) {
            clues.minute = Some(read_minute(word).ok_or_else(|| cannot_read(word))?);
        } else if bare != word || bare.contains('.') || bare.len() < FEWEST_DIGITS {
            let amount = Fen::parse(bare).map_err(|_| cannot_read(word))?;
            clues.amount = Some(amount);
        } else if bare.bytes().all(|byte| byte.is_ascii_graphic()) || bare.chars().all(char::is_alphanumeric) {
            clues.ending = Some(bare.to_owned());
        } else {
            return Err(cannot_read(word));
        }
    }
    match clues == Clues::default() {
        true => Err(Error::BadInput("type a number, its last four digits, an amount or a time".into())),
        false => Ok(clues),
    }
}

fn cannot_read(word: &str) -> Error {
    Error::BadInput(format!("{word:?} is no number of an order, no amount like 38.50 and no time like 14:33"))
}

/// `14:33`, or with the full-width colon of a Chinese keyboard.
fn read_minute(word: &str) -> Option<i64> {
    let (hour, minute) = word.split_once([':', '：'])?;
    let (hour, minute): (i64, i64) = (hour.parse().ok()?, minute.parse().ok()?);
    ((0..24).contains(&hour) && (0..60).contains(&minute)).then_some(hour * 60 + minute)
}

/// The last time that a Beijing clock showed this minute, give or take.
fn around(minute: i64, now: UtcMs) -> (UtcMs, UtcMs) {
    const DAY_MS: i64 = 86_400_000;
    let ahead = minute * 60_000 - (now.0 + 8 * 3_600_000).rem_euclid(DAY_MS);
    let at = UtcMs(now.0 + ahead);
    // A customer's clock may be a little ahead of ours.
    let at = if at > now.after(ABOUT) { UtcMs(at.0 - DAY_MS) } else { at };
    (at.before(ABOUT), at.after(ABOUT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clues(text: &str) -> (Option<String>, Option<i64>, Option<i64>) {
        let clues = read_clues(text).unwrap();
        (clues.ending, clues.amount.map(Fen::as_fen), clues.minute)
    }

    #[test]
    fn a_line_is_taken_apart() {
        assert_eq!(clues("0231"), (Some("0231".into()), None, None));
        assert_eq!(clues("38.5 14:33"), (None, Some(3850), Some(873)));
        assert_eq!(clues("14：05 ¥1280"), (None, Some(128_000), Some(845)));
        assert_eq!(clues("38"), (None, Some(3800), None));
        assert_eq!(clues("T01-20261130-0231 5.00"), (Some("T01-20261130-0231".into()), Some(500), None));
        for nothing in ["", "  ", "a b", "24:00", "1.234", "0.00"] {
            assert!(read_clues(nothing).is_err(), "{nothing:?}");
        }
    }

    #[test]
    fn a_time_is_the_last_one_of_that_name() {
        // 2026-11-30 14:40 in Beijing.
        let now = UtcMs(1_796_020_800_000);
        let at = |minute: i64| around(minute, now).0.after(ABOUT).0 - now.0;
        assert_eq!(at(14 * 60 + 33), -7 * 60_000);
        assert_eq!(at(14 * 60 + 50), 10 * 60_000, "the customer's clock is ahead");
        assert_eq!(at(20 * 60), (20 * 60 - 14 * 60 - 40 - 24 * 60) * 60_000, "yesterday");
    }
}
