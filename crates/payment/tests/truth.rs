//! What really happened: the other side of a random world. It knows codes, one trade, money and refunds, and answers
//! questions about them truthfully; answers may be late, lost or repeated, but that is the world's doing.

use crate::start::{fen, refund_fact, refusal, told, trade};
use yidan_payment::{Evidence, Input, NoTrade, PaidTrade, SeenTrade, UtcMs};

/// Repeatable chance (splitmix64).
pub struct Dice(u64);

impl Dice {
    pub fn of(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    pub fn ms(&mut self, bound: u64) -> i64 {
        i64::try_from(self.below(bound)).unwrap()
    }

    pub fn pick(&mut self, bound: usize) -> usize {
        usize::try_from(self.below(u64::try_from(bound).unwrap())).unwrap()
    }

    pub fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }
}

/// A trade as it really is.
pub struct Trade {
    pub number: &'static str,
    pub total: i64,
    pub paid: bool,
    pub closed: bool,
    /// Number, amount, and whether the counter made it.
    pub refunds: Vec<(String, i64, bool)>,
}

impl Trade {
    pub fn refunded(&self) -> i64 {
        self.refunds.iter().map(|(_, amount, _)| amount).sum()
    }

    pub fn left(&self) -> i64 {
        if self.paid { self.total - self.refunded() } else { 0 }
    }
}

/// The gateway's own ledger of one number.
pub struct Truth {
    /// What the buyer is asked to pay.
    pub total: i64,
    /// Every code that was made, and until when it can really be scanned.
    pub codes: Vec<(String, i64)>,
    /// After a close before the scan, later scans are refused. Some gateways do that, some do not.
    pub latches: bool,
    latched: bool,
    /// Every precreate is refused: wrong keys.
    pub refuses: bool,
    /// At most one, unless the world is one that cannot be.
    pub trades: Vec<Trade>,
}

impl Truth {
    pub fn of(dice: &mut Dice) -> Truth {
        let total = if dice.percent(90) { 1_000 } else { 1_200 };
        let (latches, refuses) = (dice.percent(50), dice.percent(4));
        Truth { total, codes: Vec::new(), latches, latched: false, refuses, trades: Vec::new() }
    }

    /// Makes a code. `end` is the latest moment at which it may be scanned.
    pub fn precreate(&mut self, end: i64) -> Input {
        if self.refuses {
            return told(Evidence::Refused(refusal("isv.invalid-signature")));
        }
        if !self.trades.is_empty() {
            return told(Evidence::RefusedTradeExists(refusal("ACQ.TRADE_HAS_SUCCESS")));
        }
        let qr_code = format!("https://qr.alipay.com/{}", self.codes.len());
        self.codes.push((qr_code.clone(), end));
        told(Evidence::QrIssued { qr_code: qr_code.into() })
    }

    /// The buyer scans a code that somebody has seen.
    pub fn scan(&mut self, seen: &[String], now: i64) {
        let alive = self.codes.iter().any(|(code, end)| *end >= now && seen.contains(code));
        if alive && self.trades.is_empty() && !self.latched {
            self.add("T1");
        }
    }

    pub fn add(&mut self, number: &'static str) {
        self.trades.push(Trade { number, total: self.total, paid: false, closed: false, refunds: Vec::new() });
    }

    /// The buyer pays the last trade, if that is still possible; the notice of it.
    pub fn pay(&mut self) -> Option<Input> {
        let trade = self.trades.last_mut().filter(|trade| !trade.paid && !trade.closed)?;
        trade.paid = true;
        Some(told(Evidence::Paid(money(trade))))
    }

    /// Gives money back. Ours is refused if there is less; a person at the merchant's own page takes what there is.
    pub fn refund(&mut self, trade_no: &str, number: &str, amount: i64, ours: bool) -> bool {
        let Some(trade) = self.trades.iter_mut().find(|trade| trade.number == trade_no && trade.left() > 0) else {
            return false;
        };
        if ours && amount > trade.left() {
            return false;
        }
        let amount = amount.min(trade.left());
        trade.refunds.push((number.to_owned(), amount, ours));
        true
    }

    /// An unpaid trade ends with its code.
    pub fn end_unpaid(&mut self) {
        self.trades.iter_mut().filter(|trade| !trade.paid).for_each(|trade| trade.closed = true);
    }

    pub fn close(&mut self) -> Input {
        match self.trades.last_mut() {
            None => {
                self.latched = self.latches;
                told(Evidence::CloseRefused(refusal("ACQ.TRADE_NOT_EXIST")))
            }
            Some(trade) if trade.paid || trade.closed => {
                told(Evidence::CloseRefused(refusal("ACQ.TRADE_STATUS_ERROR")))
            }
            Some(trade) => {
                trade.closed = true;
                told(Evidence::CloseAccepted)
            }
        }
    }

    /// What a query says (of one of the trades, if there are two). `signs`: whether a closed trade that was paid says so.
    pub fn query(&self, at: usize, asked_at: i64, answered_at: Option<i64>, signs: bool) -> Input {
        let Some(trade) = self.trades.get(at) else {
            let (asked_at, answered_at) = (UtcMs(asked_at), answered_at.map(UtcMs));
            return told(Evidence::NoTrade(NoTrade { asked_at, answered_at }));
        };
        let seen = SeenTrade { trade_no: crate::start::trade(trade.number), total: fen(trade.total) };
        told(match (trade.paid, trade.closed) {
            (true, _) if trade.left() > 0 => Evidence::Paid(money(trade)),
            (true, _) if signs => Evidence::TradeClosedPaid(money(trade)),
            (true, _) | (false, true) => Evidence::TradeClosed(seen),
            (false, false) => Evidence::WaitBuyerPay(seen),
        })
    }

    /// What the refund queries say.
    pub fn query_refunds(&self) -> Vec<Input> {
        let of = |trade: &Trade, (number, amount, ours): &(String, i64, bool)| {
            let fact = refund_fact(trade.number, number, *amount);
            told(if *ours { Evidence::RefundedOurs(fact) } else { Evidence::RefundedElsewhere(fact) })
        };
        self.trades.iter().flat_map(|trade| trade.refunds.iter().map(|refund| of(trade, refund))).collect()
    }

    pub fn received(&self) -> i64 {
        self.trades.iter().filter(|trade| trade.paid).map(|trade| trade.total).sum()
    }

    pub fn refunded(&self) -> i64 {
        self.trades.iter().map(Trade::refunded).sum()
    }

    /// Whether money can still come although nothing forbidden happens: an open trade, or a code that can be scanned.
    pub fn can_be_paid(&self, seen: &[String], now: i64) -> bool {
        match self.trades.last() {
            Some(trade) => !trade.paid && !trade.closed,
            None => !self.latched && self.codes.iter().any(|(code, end)| *end >= now && seen.contains(code)),
        }
    }
}

fn money(of: &Trade) -> PaidTrade {
    PaidTrade { trade_no: trade(of.number), total: fen(of.total), receipt: fen(of.total), paid_at: None }
}
