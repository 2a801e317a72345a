//! Goods come back, managers decide, and the shop's phone app gives money back behind the till.

use crate::customer::Step;
use crate::gateway::Trade;
use crate::till::{Act, Came};
use crate::world::{Event, Held, Till, Violation, World};
use yidan_engine::Decision;
use yidan_payment::{CaseKind, Fen, OutTradeNo, RefundStatus, RequestId, StatusName};

const SECOND: u64 = 1000;

impl World {
    /// What a manager does for a customer who wants money back.
    pub(crate) fn refund_act(&mut self, customer: usize, step: Step) -> Option<Act> {
        let here = &self.customers[customer];
        let (pay_id, till) = (here.payment?, here.till);
        let database = self.tills[till].running.as_ref()?.engine.database();
        let payment = database.load_payment(pay_id).ok()?;
        if payment.status.name() != StatusName::Success {
            return None;
        }
        let (in_full, is_other_manager) = if let Step::Refund { in_full } = step {
            (in_full, false)
        } else if matches!(step, Step::RefundByOther) {
            (true, true)
        } else {
            return None;
        };
        let third = Fen::from_fen(payment.amount.as_fen() / 3).ok()?;
        let first = (self.new_name(), if in_full { payment.amount } else { third });
        let (draft, amount) = *self.customers[customer].refund.get_or_insert(first);
        // Two managers look at the same goods, each with a draft of their own.
        let request_id = if is_other_manager { self.new_name() } else { draft };
        self.customers[customer].wished = amount;
        self.wished_at.entry(request_id).or_insert(self.wire.now());
        Some(Act::GiveBack { pay_id, request_id, amount })
    }

    /// Somebody wants money back from a till that may have forgotten that it gave some.
    pub(crate) fn refund_again(&mut self, customer: usize) -> Option<Act> {
        let here = &self.customers[customer];
        let (pay_id, till) = (here.payment?, here.till);
        let payment = self.tills[till].running.as_ref()?.engine.database().load_payment(pay_id).ok()?;
        let amount = Fen::from_fen(payment.amount.as_fen() / 3).ok()?;
        if payment.status.name() != StatusName::Success {
            return None;
        }
        let request_id = self.new_name();
        self.wished_at.insert(request_id, self.wire.now());
        let here = &mut self.customers[customer];
        here.wished_there = here.wished_there.plus(amount)?;
        Some(Act::GiveBack { pay_id, request_id, amount })
    }

    fn new_name(&mut self) -> RequestId {
        RequestId::new(uuid::Uuid::from_u64_pair(self.chance.draw(), self.chance.draw()))
    }

    /// A refund that was refused is tried again; one that could not be asked for is clicked again.
    pub(crate) fn refund_came(&mut self, customer: usize, act: &Act, came: &Came) {
        let (Act::GiveBack { request_id, .. } | Act::RetryRefund { request_id }) = act else { return };
        if matches!(came, Came::Refund(RefundStatus::Fail)) && self.chance.happens(700) {
            let wait = self.chance.between(5 * SECOND, 120 * SECOND);
            self.push(wait, Event::Step { customer, step: Step::RetryRefund(*request_id) });
        }
    }

    /// The phone app gives money back; the till hears of it by a notice, which is repeated until it was heard.
    pub(crate) fn refund_elsewhere(&mut self, customer: usize, in_full: bool) {
        let Some((_, key)) = self.customers[customer].scanned.first().cloned() else { return };
        if self.is_calm {
            return;
        }
        let now = self.wire.utc();
        if let Some(number) = self.gateway.refund_elsewhere(&key, in_full, now) {
            self.counts.add("refund elsewhere");
            let wait = self.chance.between(SECOND, 300 * SECOND);
            let till = self.customers[customer].till;
            self.send_refund_notice(till, &key, &number);
            self.push(wait, Event::RefundNotice { customer, key, number });
        }
    }

    /// A notice about a refund is heard, lost or repeated.
    pub(crate) fn refund_notice(&mut self, customer: usize, key: String, number: String) {
        let wait = self.chance.between(5 * SECOND, 200 * SECOND);
        let text = key.split('/').next_back().unwrap_or_default();
        let out_trade_no = OutTradeNo::new(text).ok();
        let till = self.find_till_of(text).unwrap_or_else(|| self.original_of(self.customers[customer].till));
        let act = self.tills[till].running.as_ref().filter(|_| !self.tills[till].has_other_keys).and_then(|running| {
            let pay_id = running.engine.database().find_by_out_trade_no(&out_trade_no?).ok()??;
            Some(Act::AskRefund { pay_id, key: key.clone(), number: number.clone() })
        });
        match (act, self.tills[till].running.as_mut()) {
            (Some(act), Some(running)) => running.act(customer, act),
            (_, _) => self.push(wait, Event::RefundNotice { customer, key, number }),
        }
    }

    /// The till whose records have a number: a bill may be another till's than the customer's.
    fn find_till_of(&self, number: &str) -> Option<usize> {
        let number = OutTradeNo::new(number).ok()?;
        let has = |till: &Till| {
            let running = till.running.as_ref().filter(|_| !till.is_clone)?;
            running.engine.database().find_by_out_trade_no(&number).ok()?
        };
        self.tills.iter().position(|till| has(till).is_some())
    }

    /// If it was not heard, it comes again.
    pub(crate) fn notice_came(&mut self, customer: usize, act: &Act, came: &Came) {
        let Act::AskRefund { key, number, .. } = act else { return };
        if matches!(came, Came::Refused) {
            self.push(10 * SECOND, Event::RefundNotice { customer, key: key.clone(), number: number.clone() });
        } else {
            self.on_bill.remove(&(key.clone(), number.clone()));
        }
    }

    /// The day's bill is in, and everything that was still on its way has arrived: each refund in it is asked about. A
    /// refund that failed, and was done after all by a copy of the call that came late, is only found here.
    pub(crate) fn bill(&mut self) {
        for call in self.take_late_calls() {
            self.gateway.answer(&call, self.wire.utc());
        }
        let numbers = |(key, trade): (&String, &Trade)| {
            let customer = usize::try_from(trade.buyer / 8).unwrap_or(0);
            let lines = trade.returns.numbers().map(|number| (customer, key.clone(), number.clone()));
            lines.collect::<Vec<_>>()
        };
        let lines: Vec<_> = self.gateway.paid().flat_map(numbers).collect();
        for (customer, key, number) in lines {
            self.on_bill.insert((key.clone(), number.clone()));
            self.push(SECOND, Event::RefundNotice { customer, key, number });
        }
        self.bill_is_in = true;
    }

    /// A manager looks at the cases.
    pub(crate) fn manager_looks(&mut self, till: usize) {
        if self.is_calm {
            return;
        }
        self.push(180 * SECOND, Event::ManagerLooks { till });
        let Some(running) = &self.tills[till].running else { return };
        let cases = running.engine.database().list_open_cases().unwrap_or_default();
        for case in cases {
            if !self.chance.happens(300) {
                continue;
            }
            let refunds = self.chance.happens(500);
            let decision = match case.kind {
                CaseKind::PaidAfterStop if !refunds => Decision::Keep,
                CaseKind::LatePayment | CaseKind::AmountMismatch | CaseKind::DuplicatePayment if !refunds => {
                    Decision::Recognise
                }
                CaseKind::PaidAfterStop
                | CaseKind::LatePayment
                | CaseKind::AmountMismatch
                | CaseKind::DuplicatePayment => Decision::Refund,
                CaseKind::Contradiction
                | CaseKind::TradeVanished
                | CaseKind::ClosedButAlive
                | CaseKind::ChannelMissing
                | CaseKind::RefundedElsewhere => Decision::Seen { note: "looked at".into() },
            };
            self.decided.insert(case.pay_id);
            self.counts.add("decisions");
            if let Some(running) = &mut self.tills[till].running {
                running.act(0, Act::Decide { case_id: case.case_id, decision });
            }
        }
    }

    /// What our tills gave back is what somebody wished to give back.
    pub(crate) fn check_refunds(&mut self, key: &str) -> Held {
        let Some(trade) = self.gateway.find_trade(key) else { return Ok(()) };
        let Some(here) = usize::try_from(trade.buyer / 8).ok().and_then(|customer| self.customers.get(customer)) else {
            return Ok(());
        };
        let of_number = key.split('/').next_back().and_then(|number| self.owners.get(number));
        let mut concerned = of_number.into_iter().chain(&here.payment);
        let is_decided = concerned.any(|pay_id| self.decided.contains(pay_id)) || here.met_lawlessness;
        let wished = here.wished.plus(here.wished_there).unwrap_or(Fen::MAX);
        if trade.returns.ours > wished && !is_decided {
            return Err(Violation(format!("{key}: {} was given back, {wished} was wished", trade.returns.ours)));
        }
        Ok(())
    }
}
