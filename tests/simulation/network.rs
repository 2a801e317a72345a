//! What happens to messages on their way: lost, doubled, late, unanswered after the effect.

use crate::faults::Outage;
use crate::gateway::{Gateway, Trade, end_of};
use crate::wire::{Ask, Call, HqAsk, HqReply, Reply, Said, Sent, Signer, What};
use crate::world::{Event, Held, Violation, World};
use std::time::Duration;
use tokio::sync::oneshot;
use yidan_payment::{Evidence, Fen, NoTrade, OutTradeNo, PaidTrade, Refund, RefundStatus, StatusName, UtcMs};

const HOUR: u64 = 3_600_000;
/// A `Date` has whole seconds, and is a while on its way.
const CLOCKS_DIFFER: Duration = Duration::from_secs(20);

impl World {
    /// Takes everything that has left the machines in this instant.
    pub(crate) fn send_all(&mut self) -> Held {
        for Sent { till, what } in self.wire.take() {
            match what {
                What::Sleep { until, wake } => {
                    self.push(until.saturating_sub(self.wire.now()), Event::Wake(wake));
                }
                What::Call { call, reply } => {
                    self.check_written(till, &call)?;
                    self.send_call(till, call, reply);
                }
                What::ToHq { signer, ask, reply } => self.send_to_headquarters(till, signer, ask, reply),
            }
        }
        Ok(())
    }

    fn send_call(&mut self, till: usize, call: Call, reply: oneshot::Sender<Reply>) {
        if self.goes_wrong(self.faults.call_twice, "call twice") {
            let later = self.chance.between(1, HOUR);
            self.push(later, Event::AtGateway { till, call: call.clone(), reply: None });
        }
        let is_cut_off = match self.outage {
            Some(Outage::Everything) => true,
            // Codes are made and paid, and nobody can ask what came of them.
            Some(Outage::Questions) => matches!(call.ask, Ask::Query),
            None => false,
        };
        if self.goes_wrong(if is_cut_off { 1000 } else { 0 }, "cut off") {
            return;
        }
        if self.goes_wrong(self.faults.call_lost, "call lost") {
            return;
        }
        let way = if self.goes_wrong(self.faults.call_late, "call late") {
            let most = self.chance.pick(&[60_000, 600_000, HOUR, 25 * HOUR]);
            self.chance.between(10_000, most)
        } else {
            self.way()
        };
        self.push(way, Event::AtGateway { till, call, reply: Some(reply) });
    }

    fn way(&mut self) -> u64 {
        if self.goes_wrong(self.faults.slow, "slow") {
            self.chance.between(200, 12_000)
        } else {
            self.chance.between(5, 120)
        }
    }

    /// A call arrives at the gateway.
    pub(crate) fn at_gateway(&mut self, till: usize, call: &Call, reply: Option<oneshot::Sender<Reply>>) -> Held {
        let said = if self.goes_wrong(self.faults.unavailable_before, "20000 before") {
            Said::Unavailable
        } else if self.goes_wrong(self.faults.limited, "40005") {
            Said::Limited
        } else {
            let was_returned = self.gateway.find_trade(&call.key()).is_some_and(Trade::is_returned);
            let said = self.gateway.answer(call, self.wire.utc());
            self.note_code_call(call, was_returned)?;
            self.check_reuse()?;
            self.check_refunds(&call.key())?;
            let said = self.contradict(till, call).unwrap_or(said);
            self.spoil(said)
        };
        tracing::debug!(now = self.wire.now(), till, number = call.number, ask = ?call.ask, ?said, "gateway");
        let Some(reply) = reply else { return Ok(()) };
        if self.goes_wrong(self.faults.answer_lost, "answer lost") {
            return Ok(());
        }
        let date = UtcMs(self.wire.utc().0 / 1000 * 1000);
        let date = (!self.goes_wrong(self.faults.no_date, "no date")).then_some(date);
        let way = self.way();
        self.push(way, Event::Answer { reply, content: Reply { date, said } });
        Ok(())
    }

    /// A validly signed answer that contradicts what the till was told before: a replica that lags, a broken machine.
    fn contradict(&mut self, till: usize, call: &Call) -> Option<Said> {
        let (vanishes, lies) = (self.faults.trade_vanishes, self.faults.other_answer);
        if self.is_calm || vanishes + lies == 0 || !matches!(call.ask, Ask::Query) {
            return None;
        }
        // Without a trade nobody was told anything yet.
        self.gateway.find_trade(&call.key())?;
        let database = self.tills[till].running.as_ref()?.engine.database();
        let pay_id = database.find_by_out_trade_no(&OutTradeNo::new(call.number.clone()).ok()?).ok()??;
        let payment = database.load_payment(pay_id).ok()?;
        let is_plain = payment.status.name() == StatusName::Success && payment.refunds.is_empty();
        let receipt = payment.receipts.first().filter(|_| is_plain);
        if let Some(receipt) = receipt {
            let total = receipt.total.plus(Fen::from_fen(1).ok()?)?;
            let paid = PaidTrade { trade_no: receipt.trade_no.clone(), total, receipt: total, paid_at: None };
            return self.goes_wrong(lies, "other amount later").then(|| Gateway::say(call, &Evidence::Paid(paid)));
        }
        let nothing = Evidence::NoTrade(NoTrade { asked_at: UtcMs(0), answered_at: None });
        let vanishes = payment.trade_seen && self.goes_wrong(vanishes, "trade vanishes");
        vanishes.then(|| Gateway::say(call, &nothing))
    }

    /// The effect is there, the answer says nothing, or nobody can tell who wrote it.
    fn spoil(&mut self, said: Said) -> Said {
        if self.goes_wrong(self.faults.unavailable_after, "20000 after") {
            return Said::Unavailable;
        }
        match said {
            Said::Signed { text, signature } if self.goes_wrong(self.faults.forged, "forged answer") => {
                let text = self.forge(&text);
                Said::Signed { text, signature }
            }
            Said::Signed { .. } | Said::Unavailable | Said::Limited => said,
        }
    }

    /// Somebody on the way says that it was paid.
    fn forge(&mut self, text: &str) -> String {
        let number = text.split('\n').next().unwrap_or_default();
        format!(
            "{number}\n{{\"Paid\":{{\"trade_no\":\"99{}\",\"total\":100,\"receipt\":100,\"paid_at\":null}}}}",
            self.chance.below(1_000_000)
        )
    }

    fn send_to_headquarters(&mut self, till: usize, signer: Signer, ask: HqAsk, reply: oneshot::Sender<HqReply>) {
        if self.wire.now() < self.tills[till].hq_is_gone_until {
            return;
        }
        if self.goes_wrong(self.faults.report_twice, "report twice") {
            let later = self.chance.between(1, HOUR);
            self.push(later, Event::AtHq { till, signer, ask: ask.clone(), reply: None });
        }
        if self.goes_wrong(self.faults.report_lost, "report lost") {
            return;
        }
        let way = self.way();
        self.push(way, Event::AtHq { till, signer, ask, reply: Some(reply) });
    }

    /// A report or a question arrives at headquarters.
    pub(crate) fn at_headquarters(
        &mut self,
        till: usize,
        signer: Signer,
        ask: &HqAsk,
        reply: Option<oneshot::Sender<HqReply>>,
    ) -> Held {
        let newest = self.hq.enrolled.get(&signer.terminal).copied().unwrap_or(signer.epoch);
        let content = if signer.epoch < newest {
            HqReply::Refused
        } else if self.goes_wrong(self.faults.hq_broken, "headquarters' database") {
            HqReply::Broken
        } else {
            match ask {
                HqAsk::Listen(heard, line) => {
                    self.listen((till, signer), *heard, line.clone(), reply);
                    return Ok(());
                }
                HqAsk::Heard(heard) => {
                    self.hq.hear(signer.terminal, *heard);
                    HqReply::Heard
                }
                HqAsk::Report(batch) => self.hq.receive(signer, batch),
                HqAsk::History(since) => HqReply::Past(self.hq.history(signer, *since)),
                HqAsk::Claim(claim) if self.is_claim_lost(till, claim) => return Ok(()),
                HqAsk::Claim(claim) => self.hq.claim(signer.terminal, claim),
            }
        };
        if let HqReply::Conflict(conflict) = &content
            && !self.tills[till].is_forked
        {
            return Err(Violation(format!("headquarters knows another history of till {till}: {}", conflict.detail)));
        }
        let Some(reply) = reply else { return Ok(()) };
        if self.goes_wrong(self.faults.report_lost, "ack lost") {
            return Ok(());
        }
        let way = self.way();
        self.push(way, Event::HqAnswer { reply, content });
        Ok(())
    }

    /// Written down before it is sent: what leaves is in the row, and so is the moment after which no code can be paid.
    fn check_written(&mut self, till: usize, call: &Call) -> Held {
        let body = match &call.ask {
            Ask::Precreate(body) => body,
            Ask::Refund { number, .. } => return self.check_refund_written(till, call, number),
            Ask::Pay(with) => {
                let number = OutTradeNo::new(call.number.clone()).expect("the engine sends numbers");
                return self.check_code_written(till, &number, with);
            }
            Ask::Query | Ask::Close | Ask::Cancel | Ask::RefundQuery { .. } => return Ok(()),
        };
        let out_trade_no = OutTradeNo::new(call.number.clone()).expect("the engine sends numbers");
        let now = self.wire.utc();
        let here = &mut self.tills[till];
        here.sent.insert(call.number.clone());
        let last = here.bodies.insert(call.number.clone(), body.clone());
        let lives = |last: &String| last != body && end_of(last).is_some_and(|end| end > now.after(CLOCKS_DIFFER));
        if last.as_ref().is_some_and(lives) {
            return Err(Violation(format!("{} was sent with another text while its code lives", call.number)));
        }
        let Some(running) = &here.running else { return Ok(()) };
        if here.machine.disk.borrow().is_dead() {
            return Ok(());
        }
        let database = running.engine.database();
        let Ok(Some(pay_id)) = database.find_by_out_trade_no(&out_trade_no) else {
            return Err(Violation(format!("{} was sent before it was written down", call.number)));
        };
        let Ok(payment) = database.load_payment(pay_id) else { return Ok(()) };
        let is_written = payment.request_body.as_ref() == Some(body)
            && payment.dead_after.is_some_and(|dead| end_of(body).is_some_and(|end| dead > end));
        if is_written {
            return Ok(());
        }
        Err(Violation(format!("{} was sent, and what was sent was not written down before", call.number)))
    }

    fn check_refund_written(&self, till: usize, call: &Call, number: &str) -> Held {
        let here = &self.tills[till];
        let Some(running) = here.running.as_ref().filter(|_| !here.machine.disk.borrow().is_dead()) else {
            return Ok(());
        };
        let database = running.engine.database();
        let out_trade_no = OutTradeNo::new(call.number.clone()).expect("the engine sends numbers");
        let Ok(Some(pay_id)) = database.find_by_out_trade_no(&out_trade_no) else { return Ok(()) };
        let Ok(payment) = database.load_payment(pay_id) else { return Ok(()) };
        let is_it = |refund: &&Refund| refund.out_request_no.as_deref() == Some(number);
        let refund = payment.refunds.iter().find(is_it);
        if refund.is_some_and(|refund| refund.status == RefundStatus::Processing && refund.sent_at.is_some()) {
            return Ok(());
        }
        Err(Violation(format!("refund {number} was sent before it was written down")))
    }
}
