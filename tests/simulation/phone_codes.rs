//! Collecting with the code on the buyer's phone: the gateway's side of `pay` and `cancel`, and who shows codes when.

use crate::chance::Chance;
use crate::customer::{Plot, Step};
use crate::gateway::{Gateway, Label, Trade, TradeState, paid_of, refusal, seen_of};
use crate::till::Act;
use crate::wire::{Ask, Call};
use crate::world::{Held, Violation, World};
use std::time::Duration;
use yidan_engine::NewOrder;
use yidan_payment::{Evidence, Fen, OutTradeNo, Status, UtcMs};

const SECOND: u64 = 1000;
/// A code on a phone is good for so long, and a while longer by the gateway's own clock.
const CODE_LIFE: Duration = Duration::from_secs(60);

/// A code that a phone shows.
#[derive(Clone, Debug)]
pub struct PhoneCode {
    buyer: u64,
    good_until: UtcMs,
    /// The buyer must type the password first.
    asks: bool,
    is_used: bool,
}

/// What is paid with a phone's code.
#[derive(Clone, Debug)]
pub struct WithCode {
    /// How much.
    pub amount: Fen,
    /// The code.
    pub code: String,
    /// How long the buyer has.
    pub life: Duration,
    /// What the bill shows.
    pub label: Label,
}

impl Gateway {
    /// A phone shows a code.
    pub fn show_code(&mut self, code: String, buyer: u64, asks: bool, now: UtcMs) {
        let good_until = now.after(CODE_LIFE).after(self.lateness());
        self.phone_codes.insert(code, PhoneCode { buyer, good_until, asks, is_used: false });
    }

    pub(crate) fn pay_with_code(&mut self, number: &str, with: &WithCode, now: UtcMs) -> Evidence {
        self.tidy(number, now);
        if let Some(trade) = self.find_trade(number) {
            return match trade.state {
                TradeState::Paid => Evidence::RefusedTradeExists(refusal("ACQ.TRADE_HAS_SUCCESS")),
                TradeState::Closed => Evidence::RefusedTradeExists(refusal("ACQ.TRADE_HAS_CLOSE")),
                TradeState::Waiting => Evidence::WaitBuyerPay(seen_of(trade)),
            };
        }
        let known = self.phone_codes.get_mut(&with.code).filter(|code| !code.is_used && now <= code.good_until);
        let Some(code) = known else {
            return Evidence::Refused(refusal("ACQ.PAYMENT_AUTH_CODE_INVALID"));
        };
        code.is_used = true;
        let (buyer, asks) = (code.buyer, code.asks);
        self.set_label(number, with.label.clone());
        self.open_trade(number, with.amount, buyer, now.after(with.life));
        if asks {
            return self
                .find_trade(number)
                .map_or(Evidence::CloseAccepted, |trade| Evidence::WaitBuyerPay(seen_of(trade)));
        }
        self.pay(number, buyer, now);
        self.find_trade(number).map_or(Evidence::CloseAccepted, |trade| Evidence::Paid(paid_of(trade)))
    }

    /// Closes the trade, or gives all of it back if it was paid. Without a trade it does nothing.
    pub(crate) fn cancel(&mut self, key: &str, now: UtcMs) -> Evidence {
        self.tidy(key, now);
        let number = key.split('/').next_back().unwrap_or_default().to_owned();
        let Some(trade) = self.find_trade_mut(key) else {
            return Evidence::CloseRefused(refusal("ACQ.TRADE_NOT_EXIST"));
        };
        match trade.state {
            TradeState::Waiting => {
                trade.state = TradeState::Closed;
                Evidence::CloseAccepted
            }
            TradeState::Paid => {
                trade.give_rest_back(&number, now);
                Evidence::CancelRefunded(paid_of(trade))
            }
            TradeState::Closed => Evidence::CloseRefused(refusal("ACQ.TRADE_STATUS_ERROR")),
        }
    }
}

impl Trade {
    /// Whether everything went back, so that nobody is charged.
    pub(crate) fn is_returned(&self) -> bool {
        self.state == TradeState::Paid && self.returns.total() == self.total
    }
}

impl Plot {
    /// Shows a code and pays, hesitates, or never pays; the cashier scans twice, stops, asks, and tries again.
    #[must_use]
    pub fn with_code(chance: &mut Chance) -> Plot {
        let mut plot = Plot::default();
        let mut at = |most: u64, step: Step, into: &mut Vec<(u64, Step)>| into.push((chance.below(most), step));
        at(SECOND, Step::ShowCode(0), &mut plot.on_arrival);
        at(40 * SECOND, Step::Pay(0), &mut plot.on_arrival);
        at(300 * SECOND, Step::AgainWithCode(1), &mut plot.on_closed);
        at(400 * SECOND, Step::Pay(1), &mut plot.on_closed);
        if chance.happens(300) {
            plot.on_arrival.push((chance.below(3 * SECOND), Step::ShowCode(0)));
        }
        if chance.happens(350) {
            let most = chance.pick(&[500, 5 * SECOND, 60 * SECOND, 150 * SECOND]);
            plot.on_arrival.push((chance.below(most), Step::Stop));
        }
        if chance.happens(200) {
            plot.on_arrival.push((chance.below(100 * SECOND), Step::Ask));
            plot.on_arrival.push((chance.below(100 * SECOND), Step::Click));
        }
        if chance.happens(100) {
            plot.on_arrival
                .push((chance.between(30 * SECOND, 90 * SECOND), Step::Refund { in_full: chance.happens(500) }));
        }
        plot
    }
}

impl World {
    /// Some customers show a code instead of scanning one; some do so while a code of ours lives.
    pub(crate) fn show_codes(&mut self, plot: Plot) -> Plot {
        if !self.side.happens(self.faults.phone_codes) {
            return plot;
        }
        if self.side.happens(250) {
            let mut plot = plot;
            plot.on_code.push((self.side.below(60 * SECOND), Step::ShowCode(3)));
            plot.on_closed.push((self.side.below(60 * SECOND), Step::AgainWithCode(3)));
            plot.on_closed.push((self.side.below(90 * SECOND), Step::Pay(3)));
            return plot;
        }
        Plot::with_code(&mut self.side)
    }

    /// The cashier scans what a phone shows.
    pub(crate) fn scan_phone(&mut self, customer: usize, phone: u64, again: bool) -> Option<Act> {
        let order = if again { self.again_order(customer)? } else { self.code_order(customer)? };
        // Two scans of one picture bring one code.
        let minute = self.wire.now() / 60_000;
        let code = format!("28{customer:05}{phone}{minute:010}");
        let buyer = crate::shop::buyer_of(customer, phone);
        let asks = self.side.happens(400);
        if !self.gateway.phone_codes.contains_key(&code) {
            let now = self.wire.utc();
            self.gateway.show_code(code.clone(), buyer, asks, now);
        }
        self.counts.add("phone codes");
        Some(Act::WithCode { order, code })
    }

    fn code_order(&mut self, customer: usize) -> Option<NewOrder> {
        let here = &self.customers[customer];
        // A draft that was made once more belongs to another order.
        let is_known = here.payment.is_some() && here.bill.is_none() && here.requests.len() > 1;
        (!here.paid_cash && !is_known && here.scanned.is_empty()).then(|| self.order_of(customer))
    }

    fn again_order(&mut self, customer: usize) -> Option<NewOrder> {
        if let Act::Collect(order) = self.again(customer)? { Some(order) } else { None }
    }

    /// A call with a code has arrived: whose phone it is, and whether the money came or went back.
    pub(crate) fn note_code_call(&mut self, call: &Call, was_returned: bool) -> Held {
        let key = call.key();
        let Some(trade) = self.gateway.find_trade(&key) else { return Ok(()) };
        let (buyer, paid_at, is_returned) = (trade.buyer, trade.paid_at, trade.is_returned());
        let customer = usize::try_from(buyer / 8).unwrap_or(0);
        let here = &mut self.customers[customer];
        if matches!(call.ask, Ask::Pay(_)) && !here.scanned.iter().any(|(_, number)| *number == key) {
            here.scanned.push((buyer % 8, key.clone()));
            return if paid_at.is_some() { self.charged(customer, &key) } else { Ok(()) };
        }
        if matches!(call.ask, Ask::Cancel) && is_returned && !was_returned {
            here.charges = here.charges.saturating_sub(1);
            self.counts.add("given back by cancel");
        }
        Ok(())
    }

    /// A code is sent once, and that it is sent is written down before, with the end of the buyer's time.
    pub(crate) fn check_code_written(&mut self, till: usize, number: &OutTradeNo, with: &WithCode) -> Held {
        let end = self.wire.utc().after(with.life);
        let here = &mut self.tills[till];
        here.sent.insert(number.to_string());
        if here.bodies.insert(number.to_string(), "code".into()).is_some() {
            return Err(Violation(format!("a code was sent twice for {number}")));
        }
        let Some(running) = here.running.as_ref().filter(|_| !here.machine.disk.borrow().is_dead()) else {
            return Ok(());
        };
        let database = running.engine.database();
        let Ok(Some(pay_id)) = database.find_by_out_trade_no(number) else {
            return Err(Violation(format!("{number} was sent before it was written down")));
        };
        let Ok(payment) = database.load_payment(pay_id) else { return Ok(()) };
        let is_written = payment.status != Status::Init && payment.dead_after.is_some_and(|dead| dead > end);
        if is_written {
            Ok(())
        } else {
            Err(Violation(format!("{number}: a code was sent, and that was not written down before")))
        }
    }

    /// The gateway has taken this customer's money.
    pub(crate) fn charged(&mut self, customer: usize, key: &str) -> Held {
        tracing::debug!(now = self.wire.now(), customer, key, "charged");
        self.counts.add("charges");
        self.customers[customer].charges += 1;
        self.send_notices(self.customers[customer].till, key);
        self.check_charged_once(customer)
    }
}
