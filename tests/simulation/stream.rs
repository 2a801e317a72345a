//! The way from headquarters to a till: told late, twice, with gaps, or cut; and what headquarters wants done.

use crate::wire::{HqReply, Signer};
use crate::world::{Event, Held, Violation, World};
use tokio::sync::{mpsc, oneshot};
use yidan_payment::{Booked, Fen, RequestId, StatusName};
use yidan_wire::{Heard, Instruction, PaymentState, Push, PushId, Resolution, Told};

const SECOND: u64 = 1000;
const MOST_TRIES: u32 = 50;

/// A till that listens.
pub struct Ear {
    after: i64,
    line: mpsc::UnboundedSender<Vec<Push>>,
    /// The connection comes about with the first thing that is told.
    reply: Option<oneshot::Sender<HqReply>>,
}

impl World {
    /// A till wants to listen.
    pub(crate) fn listen(
        &mut self,
        (till, signer): (usize, Signer),
        heard: Heard,
        line: mpsc::UnboundedSender<Vec<Push>>,
        reply: Option<oneshot::Sender<HqReply>>,
    ) {
        let Some(reply) = reply else { return };
        self.hq.go_on(signer.terminal, heard);
        self.tills[till].ear = Some(Ear { after: heard.after, line, reply: Some(reply) });
        self.push(SECOND, Event::Pump { till });
    }

    /// Something was written into the stream of a terminal.
    fn ring(&mut self, terminal: usize) {
        for till in
            (0..self.tills.len()).filter(|till| self.tills[*till].setup.terminal == terminal).collect::<Vec<_>>()
        {
            let most = if self.goes_wrong(self.faults.told_late, "told late") { 90 * SECOND } else { 300 };
            let wait = self.side.between(20, most);
            self.push(wait, Event::Pump { till });
        }
    }

    /// Tells a till what it has not heard.
    pub(crate) fn pump(&mut self, till: usize) {
        let Some(mut ear) = self.tills[till].ear.take() else { return };
        let mut told = self.hq.list_after(self.tills[till].setup.terminal, ear.after);
        if told.is_empty() {
            self.tills[till].ear = Some(ear);
            return;
        }
        if self.goes_wrong(self.faults.stream_cut, "stream cut") {
            // The till notices, and comes again.
            return;
        }
        told.truncate(self.side.place(4) + 1);
        ear.after = told.last().map_or(ear.after, |push| push.seq);
        if self.goes_wrong(self.faults.told_twice, "told twice") {
            told.extend(told.clone());
        }
        if self.goes_wrong(self.faults.stream_cut, "told with a gap") {
            told.remove(0);
        }
        let is_there = ear.reply.take().is_none_or(|reply| reply.send(HqReply::Heard).is_ok());
        if is_there && ear.line.send(told).is_ok() {
            self.tills[till].ear = Some(ear);
            self.push(200, Event::Pump { till });
        }
    }

    /// A notice comes to headquarters, and comes again if it could not be kept.
    pub(crate) fn notice_at_headquarters(&mut self, till: usize, body: String, tries: u32) {
        if self.goes_wrong(self.faults.hq_broken, "headquarters' database") {
            if tries < MOST_TRIES {
                let wait = self.side.between(5 * SECOND, 120 * SECOND);
                self.push(wait, Event::Notice { till, body, tries: tries + 1 });
            }
            return;
        }
        let (id, terminals) = (self.new_push(), self.tills.len());
        if let (_, Some(terminal)) = self.hq.take_notice(&body, id, terminals) {
            self.counts.add("notice told by headquarters");
            self.ring(terminal);
        }
    }

    fn new_push(&mut self) -> PushId {
        PushId::new(uuid::Uuid::from_u64_pair(self.side.draw(), self.side.draw()))
    }

    /// Somebody at headquarters wants something done.
    pub(crate) fn headquarters_instructs(&mut self) {
        if self.is_calm {
            return;
        }
        let wait = self.side.between(20 * SECOND, 200 * SECOND);
        self.push(wait, Event::HqInstructs);
        let known = self.hq.payments.len();
        let at = self.side.place(known);
        let Some(shown) = self.hq.payments.values().nth(at) else { return };
        let (terminal, state) = (shown.terminal, shown.state.clone());
        let instruction = self.draw_instruction(&state);
        tracing::debug!(now = self.wire.now(), terminal, ?instruction, "headquarters instructs");
        self.counts.add("instructions");
        let id = self.new_push();
        self.wished_at.insert(RequestId::new(id.uuid()), self.wire.now());
        self.hq.tell(terminal, id, Told::Instruction { instruction });
        self.ring(terminal);
    }

    fn draw_instruction(&mut self, state: &PaymentState) -> Instruction {
        let (out_trade_no, by) = (state.out_trade_no.clone(), "boss".to_owned());
        let in_suspense = state.receipts.iter().find(|of| of.receipt.booked == Booked::Suspense);
        if let Some(of) = in_suspense {
            self.decided.insert(state.pay_id);
            let resolution = if self.side.happens(500) { Resolution::Recognise } else { Resolution::Refund };
            return Instruction::Resolve { out_trade_no, trade_no: of.receipt.trade_no.clone(), resolution, by };
        }
        let third = Fen::from_fen(state.amount_fen.as_fen() / 3).ok();
        let customer = state.subject.strip_prefix("goods ").and_then(|text| text.parse::<usize>().ok());
        match (state.status, third, customer) {
            (StatusName::Success, Some(amount_fen), Some(customer)) if self.side.happens(300) => {
                let here = &mut self.customers[customer];
                here.wished_there = here.wished_there.plus(amount_fen).unwrap_or(Fen::MAX);
                Instruction::Refund { out_trade_no, amount_fen, reason: "headquarters".into(), by }
            }
            _ => Instruction::Ask { out_trade_no },
        }
    }

    /// What headquarters wanted was done, or refused, once.
    pub(crate) fn check_instructions(&self) -> Held {
        // A till that has forgotten what it did does it again, with what headquarters gave back.
        let forgets = self.tills.iter().any(|till| till.is_forked);
        match self.hq.wrongly_followed().find(|(_, times)| *times == 0 || !forgets) {
            None => Ok(()),
            Some((id, times)) => Err(Violation(format!("instruction {id} was followed {times} times"))),
        }
    }

    /// Whether every till has heard everything.
    pub(crate) fn is_all_heard(&self) -> bool {
        self.tills.iter().all(|till| self.hq.is_heard(till.setup.terminal))
    }
}
