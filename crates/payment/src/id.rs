//! Names of things: what kind of thing a uuid or a number stands for is part of its type.

use serde::{Deserialize, Serialize};
use std::{fmt, marker::PhantomData, str::FromStr};
use uuid::Uuid;

/// A uuid that says what it names. `Ids` (handed in by the program) makes them; nothing here does.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct Id<Kind> {
    uuid: Uuid,
    #[serde(skip)]
    kind: PhantomData<fn() -> Kind>,
}

/// Kinds of [`Id`].
pub mod kind {
    /// A sale: an order and everything that replaces it.
    pub enum Sale {}
    /// An order: what is to be collected.
    pub enum Order {}
    /// A payment: the collection of one order through one channel.
    pub enum Payment {}
    /// One line of the terminal's journal.
    pub enum Event {}
    /// One draft of a sale: minted at the first digit typed, never per click.
    pub enum Request {}
    /// A case: money or a contradiction that a person decides.
    pub enum Case {}
    /// A refund.
    pub enum Refund {}
}

/// Names a sale.
pub type SaleId = Id<kind::Sale>;
/// Names an order.
pub type OrderId = Id<kind::Order>;
/// Names a payment.
pub type PaymentId = Id<kind::Payment>;
/// Names an event.
pub type EventId = Id<kind::Event>;
/// Names a draft.
pub type RequestId = Id<kind::Request>;
/// Names a case.
pub type CaseId = Id<kind::Case>;
/// Names a refund.
pub type RefundId = Id<kind::Refund>;

impl<Kind> Id<Kind> {
    /// Takes a uuid as the name of a thing of this kind.
    #[must_use]
    pub const fn new(uuid: Uuid) -> Self {
        Id { uuid, kind: PhantomData }
    }

    /// The bare uuid.
    #[must_use]
    pub const fn uuid(self) -> Uuid {
        self.uuid
    }
}

impl<Kind> Clone for Id<Kind> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<Kind> Copy for Id<Kind> {}
impl<Kind> PartialEq for Id<Kind> {
    fn eq(&self, other: &Self) -> bool {
        self.uuid == other.uuid
    }
}
impl<Kind> Eq for Id<Kind> {}
impl<Kind> PartialOrd for Id<Kind> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<Kind> Ord for Id<Kind> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.uuid.cmp(&other.uuid)
    }
}
impl<Kind> std::hash::Hash for Id<Kind> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.uuid.hash(state);
    }
}
impl<Kind> fmt::Display for Id<Kind> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.uuid.fmt(f)
    }
}
impl<Kind> fmt::Debug for Id<Kind> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.uuid.fmt(f)
    }
}
impl<Kind> FromStr for Id<Kind> {
    type Err = uuid::Error;
    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        Uuid::parse_str(text).map(Id::new)
    }
}

/// Our number of a payment, sent to Alipay as `out_trade_no`: minted once, never reused.
///
/// Alipay takes 1–64 of `[A-Za-z0-9_]` (`alipay.trade.precreate`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OutTradeNo(String);

/// Alipay's number of a trade. Exists only after the buyer scanned.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TradeNo(String);

/// A text that cannot be a number of this kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} must be 1 to 64 letters, digits or underscores")]
pub struct NumberError {
    what: &'static str,
}

impl OutTradeNo {
    /// # Errors
    /// Anything but 1–64 of `[A-Za-z0-9_]`.
    pub fn new(text: impl Into<String>) -> Result<Self, NumberError> {
        check_number(text.into(), "out_trade_no").map(OutTradeNo)
    }

    /// The number as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TradeNo {
    /// # Errors
    /// Anything but 1–64 of `[A-Za-z0-9_]`.
    pub fn new(text: impl Into<String>) -> Result<Self, NumberError> {
        check_number(text.into(), "trade_no").map(TradeNo)
    }

    /// The number as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn check_number(text: String, what: &'static str) -> Result<String, NumberError> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if text.is_empty() || text.len() > 64 || !text.bytes().all(allowed) {
        return Err(NumberError { what });
    }
    Ok(text)
}

impl fmt::Display for OutTradeNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl fmt::Display for TradeNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl TryFrom<String> for OutTradeNo {
    type Error = NumberError;
    fn try_from(text: String) -> Result<Self, NumberError> {
        OutTradeNo::new(text)
    }
}
impl TryFrom<String> for TradeNo {
    type Error = NumberError;
    fn try_from(text: String) -> Result<Self, NumberError> {
        TradeNo::new(text)
    }
}
impl From<OutTradeNo> for String {
    fn from(number: OutTradeNo) -> String {
        number.0
    }
}
impl From<TradeNo> for String {
    fn from(number: TradeNo) -> String {
        number.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_alipay_takes() {
        for ok in ["S01T02_20261130_000001", "a", &"A".repeat(64)] {
            assert!(OutTradeNo::new(ok).is_ok(), "{ok}");
        }
        for bad in ["", &"A".repeat(65), "S01-001", "订单1", "a b", "a/b", "a.b", "a'b"] {
            assert!(OutTradeNo::new(bad).is_err(), "{bad}");
        }
    }
}
