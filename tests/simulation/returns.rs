//! Money that the gateway gives back: one effect per number, never more than came.

use crate::gateway::{Gateway, Trade, TradeState, refusal};
use std::collections::BTreeMap;
use yidan_payment::{Evidence, Fen, NoRefund, RefundFact, TradeNo, UtcMs};

/// What went back of one trade.
#[derive(Clone, Debug, Default)]
pub struct Returns {
    by_number: BTreeMap<String, (Fen, UtcMs)>,
    /// What our tills asked for.
    pub ours: Fen,
}

impl Returns {
    /// The numbers of all refunds.
    pub fn numbers(&self) -> impl Iterator<Item = &String> {
        self.by_number.keys()
    }

    /// Every refund: number, amount, and when.
    pub fn all(&self) -> impl Iterator<Item = (&String, Fen, UtcMs)> {
        self.by_number.iter().map(|(number, (amount, at))| (number, *amount, *at))
    }

    /// When the money of a number went back.
    #[must_use]
    pub fn moved_at(&self, number: &str) -> Option<UtcMs> {
        self.by_number.get(number).map(|(_, at)| *at)
    }

    /// All of it.
    #[must_use]
    pub fn total(&self) -> Fen {
        Fen::sum(self.by_number.values().map(|(amount, _)| *amount)).unwrap_or(Fen::MAX)
    }
}

impl Gateway {
    pub(crate) fn refund(
        &mut self,
        (key, trade_no): (&str, &TradeNo),
        number: &str,
        amount: Fen,
        now: UtcMs,
    ) -> Evidence {
        let refused = |why: &str| Evidence::RefundRefused { out_request_no: number.into(), refusal: refusal(why) };
        let is_empty = self.has_no_money;
        let Some(trade) = self.find_trade_mut(key).filter(|trade| trade.trade_no == *trade_no) else {
            return refused("ACQ.TRADE_NOT_EXIST");
        };
        match trade.returns.by_number.get(number) {
            Some((known, _)) if *known == amount => return Evidence::RefundAccepted { out_request_no: number.into() },
            Some(_) => return refused("ACQ.DISCORDANT_REPEAT_REQUEST"),
            None => {}
        }
        if is_empty {
            return refused("ACQ.SELLER_BALANCE_NOT_ENOUGH");
        }
        if trade.give_back(number, amount, now) {
            trade.returns.ours = trade.returns.ours.plus(amount).unwrap_or(Fen::MAX);
            return Evidence::RefundMoved(fact(trade_no, number, amount));
        }
        refused(if trade.state == TradeState::Paid {
            "ACQ.REASON_TRADE_REFUND_FEE_ERR"
        } else {
            "ACQ.TRADE_STATUS_ERROR"
        })
    }

    pub(crate) fn refund_query(&self, key: &str, trade_no: &TradeNo, number: &str) -> Evidence {
        let trade = self.find_trade(key).filter(|trade| trade.trade_no == *trade_no);
        match trade.and_then(|trade| trade.returns.by_number.get(number)) {
            Some((amount, _)) => Evidence::RefundedOurs(fact(trade_no, number, *amount)),
            None => Evidence::NotRefunded(NoRefund { out_request_no: number.into(), asked_at: UtcMs(0) }),
        }
    }

    /// Somebody gives money back with the shop's phone app. Returns the number of that refund.
    pub fn refund_elsewhere(&mut self, key: &str, in_full: bool, now: UtcMs) -> Option<String> {
        let trade = self.find_trade_mut(key)?;
        let left = trade.total.minus(trade.returns.total())?;
        let amount = if in_full { left } else { Fen::from_fen(left.as_fen() / 3).ok()? };
        let number = format!("APP{}", trade.trade_no);
        (!amount.is_zero() && trade.give_back(&number, amount, now)).then_some(number)
    }
}

impl Trade {
    /// Everything that is left goes back under a number.
    pub(crate) fn give_rest_back(&mut self, number: &str, now: UtcMs) {
        let left = self.total.minus(self.returns.total()).unwrap_or(Fen::ZERO);
        if !left.is_zero() {
            self.give_back(number, left, now);
        }
    }

    fn give_back(&mut self, number: &str, amount: Fen, now: UtcMs) -> bool {
        let fits = self.returns.total().plus(amount).is_some_and(|sum| sum <= self.total);
        let may = self.state == TradeState::Paid && fits && !self.returns.by_number.contains_key(number);
        if may {
            self.returns.by_number.insert(number.into(), (amount, now));
        }
        may
    }
}

fn fact(trade_no: &TradeNo, number: &str, amount: Fen) -> RefundFact {
    RefundFact { trade_no: trade_no.clone(), out_request_no: Some(number.into()), amount }
}
