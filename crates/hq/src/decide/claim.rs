//! To which terminal a bill of another program belongs.
//!
//! Must always hold: a bill has one owner, the terminal that opened it first, and one amount and subject. The same claim
//! gets the same answer until a payment of the bill is reported: a terminal does not ask for what its records have, so
//! whoever still asks has lost them.

use yidan_payment::Fen;
use yidan_wire::{Claim, WhyNot};

/// A claim as it was made first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// By which terminal.
    pub terminal_id: String,
    /// With which amount.
    pub amount: Fen,
    /// With which subject.
    pub subject: String,
}

/// Judges a claim against the first one of that bill; `None`: it is granted. `is_reported`: its owner has told of a payment.
#[must_use]
pub fn judge(first: &Claimed, terminal_id: &str, claim: &Claim, is_reported: bool) -> Option<WhyNot> {
    if first.terminal_id != terminal_id {
        return Some(WhyNot::Owned);
    }
    let is_same = first.amount == claim.amount_fen && first.subject == claim.subject;
    if !is_same {
        return Some(WhyNot::Changed);
    }
    is_reported.then_some(WhyNot::Reported)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bill_has_one_owner_and_one_amount() {
        let fen = |fen| Fen::from_fen(fen).unwrap();
        let first = Claimed { terminal_id: "S01T01".into(), amount: fen(1000), subject: "午餐".into() };
        let claim = |fen_of: i64, subject: &str| Claim {
            source: "pos".into(),
            external_ref: "A-1".into(),
            amount_fen: fen(fen_of),
            subject: subject.into(),
        };
        for is_reported in [false, true] {
            assert_eq!(judge(&first, "S01T02", &claim(1000, "午餐"), is_reported), Some(WhyNot::Owned));
            assert_eq!(judge(&first, "S01T01", &claim(1001, "午餐"), is_reported), Some(WhyNot::Changed));
            assert_eq!(judge(&first, "S01T01", &claim(1000, "晚餐"), is_reported), Some(WhyNot::Changed));
        }
        assert_eq!(judge(&first, "S01T01", &claim(1000, "午餐"), false), None);
        assert_eq!(judge(&first, "S01T01", &claim(1000, "午餐"), true), Some(WhyNot::Reported));
    }
}
