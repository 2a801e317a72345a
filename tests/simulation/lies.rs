//! A counter that was tampered with lies to headquarters. Nothing of it may count.

use crate::headquarters::Headquarters;
use crate::wire::HqReply;
use crate::world::{Held, Violation, World};
use yidan_payment::{Event, EventId, Fen, PaymentId, Receipt, TradeNo, UtcMs};
use yidan_wire::{Batch, EventKind, PaymentState};

impl World {
    /// Tells headquarters another history, a changed line, and money that nobody paid.
    pub(crate) fn lie_to_headquarters(&mut self) -> Held {
        let Some(running) = &self.tills[0].running else { return Ok(()) };
        let database = running.engine.database();
        let Ok(head) = database.load_head() else { return Ok(()) };
        let Ok(Some(last)) = database.find_event(head.seq) else { return Ok(()) };
        let epoch = self.tills[0].setup.epoch;
        let other = Event::next(last.seq, last.event_id, last.kind.clone(), UtcMs(1), "{}".into(), last.prev_hash);
        expect_conflict(&mut self.hq, epoch, other, "took another line under a number that it knows")?;
        let changed = Event { payload: "{}".into(), ..last.clone() };
        expect_conflict(&mut self.hq, epoch, changed, "took a line that was changed")?;
        let Ok(mut state) = serde_json::from_str::<PaymentState>(&last.payload) else { return Ok(()) };
        let before: Vec<_> = self.hq.receipts().map(|(trade_no, _)| trade_no.clone()).collect();
        state.receipts.push(invented());
        state.pay_id = PaymentId::new(uuid::Uuid::from_u128(7));
        let payload = serde_json::to_string(&state).expect("a state is JSON");
        let event_id = EventId::new(uuid::Uuid::from_u128(8));
        let fake = Event::next(head.seq + 1, event_id, EventKind::Paid.as_str().into(), UtcMs(1), payload, head.hash);
        self.hq.receive(0, epoch, &Batch { head_seq: fake.seq, events: vec![fake] });
        let after: Vec<_> = self.hq.receipts().map(|(trade_no, _)| trade_no.clone()).collect();
        if after == before { Ok(()) } else { Err(Violation("headquarters counts money without proof".into())) }
    }
}

fn invented() -> yidan_wire::ReceiptState {
    let total = Fen::from_fen(100_000).expect("an amount");
    yidan_wire::ReceiptState {
        receipt: Receipt {
            trade_no: TradeNo::new("invented").expect("letters are a number"),
            total,
            receipt: total,
            paid_at: None,
            booked: yidan_payment::Booked::Recognised,
            sale_id: None,
        },
        business_day: "2026-11-30".into(),
    }
}

fn expect_conflict(hq: &mut Headquarters, epoch: u32, line: Event, otherwise: &str) -> Held {
    match hq.receive(0, epoch, &Batch { head_seq: line.seq, events: vec![line] }) {
        HqReply::Conflict(_) => Ok(()),
        HqReply::Acked(_) | HqReply::Broken => Err(Violation(format!("headquarters {otherwise}"))),
    }
}
