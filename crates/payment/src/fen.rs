//! Money: integer fen, never a float.
//!
//! Text becomes money in one place, here, and strictly: what a person could have meant in two ways is refused.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An amount of money in fen (1/100 yuan).
///
/// Never negative; may be zero (an answer of the gateway may say `0.00`), but an amount to *collect* never is: see [`Fen::parse`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "i64")]
pub struct Fen(i64);

/// Why a text is not an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// Not digits with at most one point and two decimals.
    #[error("the amount must be digits like 12, 12.5 or 12.50")]
    NotAnAmount,
    /// More precise than one fen.
    #[error("the amount may have at most two decimals")]
    TooManyDecimals,
    /// 0, 0.0 or 0.00.
    #[error("the amount must be more than 0")]
    Zero,
    /// Above what Alipay takes for one order.
    #[error("the amount must not be more than 100,000,000.00")]
    TooLarge,
    /// Below zero.
    #[error("the amount must not be negative")]
    Negative,
}

impl Fen {
    /// No money.
    pub const ZERO: Fen = Fen(0);
    /// The most that Alipay takes for one order: 100,000,000.00 yuan (`total_amount` of `alipay.trade.precreate`).
    pub const MAX: Fen = Fen(10_000_000_000);

    /// Reads an amount to collect, in yuan: `12`, `12.5`, `12.50`.
    ///
    /// # Errors
    /// Everything else is refused: signs, exponents, separators, full-width digits, a missing digit on either side of
    /// the point, a third decimal, zero, and more than [`Fen::MAX`].
    pub fn parse(text: &str) -> Result<Fen, FenError> {
        match Fen::parse_stated(text)? {
            Fen::ZERO => Err(FenError::Zero),
            amount => Ok(amount),
        }
    }

    /// Reads an amount that somebody else states, in yuan: like [`Fen::parse`], but zero is an amount.
    ///
    /// # Errors
    /// As [`Fen::parse`], except [`FenError::Zero`].
    pub fn parse_stated(text: &str) -> Result<Fen, FenError> {
        let (yuan, decimals) = match text.split_once('.') {
            Some((yuan, decimals)) => (yuan, Some(decimals)),
            None => (text, None),
        };
        let cents = decimals.map_or(Ok(0), parse_decimals)?;
        if yuan.starts_with('-') {
            return Err(FenError::Negative);
        }
        if !is_digits(yuan) {
            return Err(FenError::NotAnAmount);
        }
        yuan.parse::<i64>()
            .ok()
            .and_then(|yuan| yuan.checked_mul(100))
            .and_then(|fen| fen.checked_add(cents))
            .filter(|fen| *fen <= Fen::MAX.0)
            .map(Fen)
            .ok_or(FenError::TooLarge)
    }

    /// Takes an amount that is already in fen.
    ///
    /// # Errors
    /// [`FenError::Negative`] below zero.
    pub fn from_fen(fen: i64) -> Result<Fen, FenError> {
        if fen < 0 {
            return Err(FenError::Negative);
        }
        Ok(Fen(fen))
    }

    /// The amount in fen.
    #[must_use]
    pub fn as_fen(self) -> i64 {
        self.0
    }

    /// Whether there is no money.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The sum, or `None` beyond what an `i64` holds.
    #[must_use]
    pub fn plus(self, other: Fen) -> Option<Fen> {
        self.0.checked_add(other.0).map(Fen)
    }

    /// What is left, or `None` if `other` is more.
    #[must_use]
    pub fn minus(self, other: Fen) -> Option<Fen> {
        self.0.checked_sub(other.0).filter(|rest| *rest >= 0).map(Fen)
    }

    /// Adds up amounts; `None` beyond what an `i64` holds.
    pub fn sum(amounts: impl IntoIterator<Item = Fen>) -> Option<Fen> {
        amounts.into_iter().try_fold(Fen::ZERO, Fen::plus)
    }
}

/// Two decimals at most: `5` is 50 fen, `05` is 5 fen.
fn parse_decimals(decimals: &str) -> Result<i64, FenError> {
    if !is_digits(decimals) {
        return Err(FenError::NotAnAmount);
    }
    match decimals.len() {
        1 => decimals.parse::<i64>().map(|tenths| tenths * 10),
        2 => decimals.parse::<i64>(),
        _ => return Err(FenError::TooManyDecimals),
    }
    .map_err(|_| FenError::NotAnAmount)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Yuan with exactly two decimals and no separators, as it travels: `12.50`.
impl fmt::Display for Fen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

impl TryFrom<i64> for Fen {
    type Error = FenError;
    fn try_from(fen: i64) -> Result<Fen, FenError> {
        Fen::from_fen(fen)
    }
}

impl From<Fen> for i64 {
    fn from(amount: Fen) -> i64 {
        amount.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn amounts_a_cashier_types() {
        for (text, fen) in [
            ("12", 1200),
            ("12.5", 1250),
            ("12.50", 1250),
            ("0.01", 1),
            ("0.1", 10),
            ("00.10", 10),
            ("19.99", 1999),
            ("100000000.00", 10_000_000_000),
            ("21474836.48", 2_147_483_648),
        ] {
            assert_eq!(Fen::parse(text).map(Fen::as_fen), Ok(fen), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_its_reason() {
        for (text, reason) in [
            ("", FenError::NotAnAmount),
            ("  ", FenError::NotAnAmount),
            (".", FenError::NotAnAmount),
            (".5", FenError::NotAnAmount),
            ("5.", FenError::NotAnAmount),
            ("+1", FenError::NotAnAmount),
            ("-1", FenError::Negative),
            ("-0.01", FenError::Negative),
            ("1e2", FenError::NotAnAmount),
            ("1,000", FenError::NotAnAmount),
            ("1 000", FenError::NotAnAmount),
            ("１２.３４", FenError::NotAnAmount),
            ("0.001", FenError::TooManyDecimals),
            ("1.2.3", FenError::NotAnAmount),
            ("0", FenError::Zero),
            ("0.00", FenError::Zero),
            ("100000000.01", FenError::TooLarge),
            ("999999999999999999999999999999", FenError::TooLarge),
        ] {
            assert_eq!(Fen::parse(text), Err(reason), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(fen in 1..=10_000_000_000_i64) {
            let amount = Fen::from_fen(fen).unwrap();
            prop_assert_eq!(Fen::parse(&amount.to_string()), Ok(amount));
        }
    }
}
