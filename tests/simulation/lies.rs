//! A counter that was tampered with lies to headquarters. Nothing of it may count.

use crate::headquarters::Headquarters;
use crate::wire::{HqReply, Signer};
use crate::world::{Held, Violation, World};
use yidan_payment::{Event, EventId, Fen, PaymentId, Receipt, Refund, RefundOrigin, RefundStatus, TradeNo, UtcMs};
use yidan_wire::{Batch, EventKind, PaymentState};

impl World {
    /// Tells headquarters another history, a changed line, and money that nobody paid.
    pub(crate) fn lie_to_headquarters(&mut self) -> Held {
        let Some(running) = &self.tills[0].running else { return Ok(()) };
        let database = running.engine.database();
        let Ok(head) = database.load_head() else { return Ok(()) };
        let Ok(Some(last)) = database.find_event(head.seq) else { return Ok(()) };
        let signer = self.tills[0].setup.signer();
        let other = Event::next(last.seq, last.event_id, last.kind.clone(), UtcMs(1), "{}".into(), last.prev_hash);
        expect_conflict(&mut self.hq, signer, other, "took another line under a number that it knows")?;
        let changed = Event { payload: "{}".into(), ..last.clone() };
        expect_conflict(&mut self.hq, signer, changed, "took a line that was changed")?;
        let Ok(mut state) = serde_json::from_str::<PaymentState>(&last.payload) else { return Ok(()) };
        state.receipts.push(invented("invented"));
        state.pay_id = PaymentId::new(uuid::Uuid::from_u128(7));
        self.say(signer, EventKind::Paid, 8, &state);
        self.lend_proof(signer)?;
        self.invent_refund(signer)
    }

    /// Alipay's own word about a small sum, said to be about a large one.
    fn lend_proof(&mut self, signer: Signer) -> Held {
        if let Some(mut state) = self.find_proved() {
            state.receipts.push(invented("lent"));
            self.say(signer, EventKind::Paid, 10, &state);
        }
        let is_made_up = |trade_no: &TradeNo| ["invented", "lent"].contains(&trade_no.as_str());
        if self.hq.receipts().any(|(trade_no, _)| is_made_up(trade_no)) {
            return Err(Violation("headquarters counts money without proof".into()));
        }
        Ok(())
    }

    /// What the first till once said with the proof of money.
    fn find_proved(&self) -> Option<PaymentState> {
        let events = self.tills[0].running.as_ref()?.engine.database().list_events_after(0, usize::MAX >> 1).ok()?;
        let states = events.iter().filter(|event| event.kind == EventKind::Paid.as_str());
        states
            .filter_map(|event| serde_json::from_str::<PaymentState>(&event.payload).ok())
            .find(|state| state.proof.is_some() && state.receipts.len() == 1)
    }

    /// The next line of a journal, made up.
    fn say(&mut self, signer: Signer, kind: EventKind, name: u128, state: &PaymentState) {
        let payload = serde_json::to_string(state).expect("a state is JSON");
        let (seq, event_id) = (self.hq.head(signer) + 1, EventId::new(uuid::Uuid::from_u128(name)));
        let fake = Event::next(seq, event_id, kind.as_str().into(), UtcMs(1), payload, self.hq.hash(signer));
        self.hq.receive(signer, &Batch { head_seq: seq, events: vec![fake] });
    }

    /// Says that money of a real sale went back.
    fn invent_refund(&mut self, signer: Signer) -> Held {
        let kept = |trade_no: &TradeNo| self.hq.refunded(trade_no).is_zero();
        let Some(trade_no) = self.hq.receipts().map(|(trade_no, _)| trade_no.clone()).find(kept) else { return Ok(()) };
        let Some(mut state) = self.hq.find_payment_of(signer.terminal, &trade_no).cloned() else { return Ok(()) };
        let Some(amount) = state.receipts.first().map(|reported| reported.receipt.total) else { return Ok(()) };
        let (origin, status) = (RefundOrigin::Ours, RefundStatus::Success);
        state.refunds.push(Refund::new(trade_no.clone(), Some("invented".into()), amount, origin, status));
        state.proof = None;
        self.say(signer, EventKind::Refunded, 9, &state);
        if self.hq.refunded(&trade_no).is_zero() {
            return Ok(());
        }
        Err(Violation("headquarters counts a refund without proof".into()))
    }
}

fn invented(trade_no: &str) -> yidan_wire::ReceiptState {
    let total = Fen::from_fen(100_000).expect("an amount");
    yidan_wire::ReceiptState {
        receipt: Receipt {
            trade_no: TradeNo::new(trade_no).expect("letters are a number"),
            total,
            receipt: total,
            paid_at: None,
            booked: yidan_payment::Booked::Recognised,
            sale_id: None,
        },
        business_day: "2026-11-30".into(),
    }
}

fn expect_conflict(hq: &mut Headquarters, signer: Signer, line: Event, otherwise: &str) -> Held {
    match hq.receive(signer, &Batch { head_seq: line.seq, events: vec![line] }) {
        HqReply::Conflict(_) => Ok(()),
        HqReply::Acked(_)
        | HqReply::Granted(_)
        | HqReply::NotGranted(_)
        | HqReply::Heard
        | HqReply::Past(_)
        | HqReply::Refused
        | HqReply::Broken => Err(Violation(format!("headquarters {otherwise}"))),
    }
}
