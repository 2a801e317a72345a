//! Listens to headquarters: notices and instructions, each handled once and then acknowledged.
//!
//! Must always hold: what is acknowledged is handled durably. Without headquarters nothing is missed, only later: the
//! timers ask anyway. Headquarters' word never moves money: Alipay's signature does, or a person's rules at this terminal.

use crate::{Act, Approval, CaseRow, Decision, Engine, Error, Hq, HqError, NewRefund};
use futures_util::StreamExt;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Notify;
use yidan_payment::{EventId, Fen, OutTradeNo, PaymentId, RequestId, Source, TradeNo};
use yidan_wire::{Heard, Instructed, Instruction, InstructionOutcome, Push, PushId, Resolution, Told};

const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Headquarters gives a sign of life three times as often.
const QUIET: Duration = Duration::from_secs(35);
/// So many payments in a row must have been told of by push before the timers ask less often.
const TRUSTED: u32 = 3;

/// How listening goes.
pub(crate) struct Ear {
    heard: Cell<Heard>,
    is_connected: Cell<bool>,
    /// Something that was told is being handled.
    busy: Cell<bool>,
    failures: Cell<u32>,
    /// Payments in a row whose money a push told of first.
    streak: Cell<u32>,
    moved: Notify,
}

impl Ear {
    pub(crate) fn of(heard: Heard) -> Ear {
        Ear {
            heard: Cell::new(heard),
            is_connected: Cell::default(),
            busy: Cell::default(),
            failures: Cell::default(),
            streak: Cell::default(),
            moved: Notify::new(),
        }
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.busy.get()
    }

    /// Whether money is told of by push, as long as it is.
    pub(crate) fn is_trusted(&self) -> bool {
        self.is_connected.get() && self.streak.get() >= TRUSTED
    }

    /// A payment got its money: who told of it first?
    pub(crate) fn note_success(&self, source: Source) {
        self.streak.set(if source == Source::Notify { self.streak.get().saturating_add(1) } else { 0 });
    }
}

impl Engine {
    /// Whether headquarters can tell this terminal something right now.
    #[must_use]
    pub fn is_listening(&self) -> bool {
        self.ear.is_connected.get()
    }

    /// Waits until everything up to a number of headquarters' stream is handled.
    pub async fn heard(&self, seq: i64) {
        while self.ear.heard.get().after < seq {
            self.ear.moved.notified().await;
        }
    }

    /// Listens to headquarters, for ever. Without headquarters it does nothing.
    pub(crate) async fn keep_listening(self: Rc<Self>) {
        let Some(hq) = &self.hq else { return std::future::pending().await };
        loop {
            let ended = self.listen(hq.as_ref()).await;
            self.ear.is_connected.set(false);
            self.ear.busy.set(false);
            self.rested.notify_waiters();
            self.clock.sleep(self.pause_after(ended)).await;
        }
    }

    fn pause_after(&self, ended: Result<(), HqError>) -> Duration {
        let failures = self.ear.failures.get();
        match ended {
            Ok(()) => {
                self.ear.failures.set(0);
                SHORTEST_PAUSE
            }
            Err(error) => {
                self.ear.failures.set(failures.saturating_add(1));
                if failures == 0 {
                    tracing::warn!(error = &error as &dyn std::error::Error, "cannot listen to headquarters");
                }
                (SHORTEST_PAUSE * 2_u32.saturating_pow(failures.min(6))).min(LONGEST_PAUSE)
            }
        }
    }

    /// Until the connection ends.
    async fn listen(self: &Rc<Self>, hq: &dyn Hq) -> Result<(), HqError> {
        let mut stream = hq.listen(self.ear.heard.get()).await?;
        self.ear.is_connected.set(true);
        self.ear.failures.set(0);
        loop {
            let told = tokio::select! {
                biased;
                told = stream.next() => told,
                () = self.clock.sleep(QUIET) => None,
            };
            let Some(told) = told else { return Ok(()) };
            let told = told?;
            self.ear.busy.set(!told.is_empty());
            for push in &told {
                self.take(push).await?;
            }
            if !told.is_empty() {
                hq.acknowledge(self.ear.heard.get()).await?;
            }
            self.ear.busy.set(false);
            self.rested.notify_waiters();
        }
    }

    /// Handles one thing that was told. What is repeated is passed over; what is missing is asked for by listening anew.
    async fn take(self: &Rc<Self>, push: &Push) -> Result<(), HqError> {
        let heard = self.ear.heard.get().after;
        if push.seq <= heard {
            return Ok(());
        }
        if push.seq > heard + 1 {
            return Err(HqError::Unanswered(format!("number {} came after {heard}", push.seq).into()));
        }
        // An old copy of the records does not know what was wanted and done before.
        if matches!(push.what, Told::Instruction { .. }) && !self.is_compared().await {
            return Err(HqError::Unanswered("an instruction waits until these records are compared".into()));
        }
        if let Err(error) = self.handle(push).await {
            tracing::error!(
                push.seq,
                error = error.as_ref() as &dyn std::error::Error,
                "could not handle what was told"
            );
            // It is told again.
            return Err(HqError::Unanswered("what headquarters told could not be handled".into()));
        }
        self.ear.heard.set(Heard { after: push.seq, id: Some(push.id) });
        self.ear.moved.notify_waiters();
        Ok(())
    }

    async fn handle(self: &Rc<Self>, push: &Push) -> Result<(), Rc<Error>> {
        let heard = Heard { after: push.seq, id: Some(push.id) };
        match &push.what {
            Told::Notice { body } => {
                let noticed = self.hear_notice(body.as_bytes()).await?;
                tracing::debug!(push.seq, ?noticed, "a notice by way of headquarters");
                Ok(self.database.save_heard(heard)?)
            }
            Told::Instruction { .. } if self.database.is_instructed(push.id)? => Ok(self.database.save_heard(heard)?),
            Told::Instruction { instruction } => {
                let (outcome, detail) = self.follow(push.id, instruction).await?;
                tracing::info!(id = %push.id, ?instruction, ?outcome, detail, "headquarters' instruction");
                let told = Instructed { id: push.id, outcome, detail };
                let event_id = EventId::new(self.ids.uuid());
                self.database.save_instructed(push, &told, event_id, self.clock.now())?;
                self.outbox.notify_one();
                Ok(())
            }
            Told::Unknown => {
                tracing::warn!(push.seq, "headquarters says something that a newer program understands");
                Ok(self.database.save_heard(heard)?)
            }
        }
    }

    /// Does what is wanted under this terminal's own rules.
    async fn follow(
        self: &Rc<Self>,
        id: PushId,
        wanted: &Instruction,
    ) -> Result<(InstructionOutcome, String), Rc<Error>> {
        let done = match wanted {
            Instruction::Unknown => return Ok((InstructionOutcome::NotUnderstood, String::new())),
            Instruction::Ask { out_trade_no } => self.follow_ask(out_trade_no).await,
            Instruction::Resolve { out_trade_no, trade_no, resolution, by } => {
                self.follow_resolve(out_trade_no, trade_no, *resolution, by).await
            }
            Instruction::Refund { out_trade_no, amount_fen, reason, by } => {
                self.follow_refund(id, out_trade_no, (*amount_fen, reason), by).await
            }
        };
        match done {
            Ok(()) => Ok((InstructionOutcome::Done, String::new())),
            // Only the database may be tried again; everything else is this terminal's answer.
            Err(error) if matches!(*error, Error::Storage { .. }) => Err(error),
            Err(error) => Ok((InstructionOutcome::Refused, error.to_string())),
        }
    }

    async fn follow_ask(self: &Rc<Self>, out_trade_no: &OutTradeNo) -> Result<(), Rc<Error>> {
        let pay_id = self.load_by_number(out_trade_no)?;
        self.ask_until_answered(pay_id, None).await.map(|_| ())
    }

    async fn follow_resolve(
        self: &Rc<Self>,
        out_trade_no: &OutTradeNo,
        trade_no: &TradeNo,
        resolution: Resolution,
        by: &str,
    ) -> Result<(), Rc<Error>> {
        let pay_id = self.load_by_number(out_trade_no)?;
        let is_it = |case: &CaseRow| case.pay_id == pay_id && case.trade_no.as_ref() == Some(trade_no);
        let Some(case) = self.database.list_open_cases()?.into_iter().find(is_it) else {
            return Err(Rc::new(Error::BadInput(format!("nothing is open about trade {}", trade_no.as_str()))));
        };
        let decision = match resolution {
            Resolution::Recognise => Decision::Recognise,
            Resolution::Refund => Decision::Refund,
        };
        let approval = Approval::of_headquarters(Act::Decide(case.case_id), by);
        let (wanted, we) = (decision.as_str(), approval.approved_by().to_owned());
        match self.decide(case.case_id, decision, approval).await {
            Ok(_) => Ok(()),
            // Decided by this very instruction, before a crash.
            Err(error) if matches!(&*error, Error::AlreadyDecided { decision, by, .. } if *decision == wanted && *by == we) => {
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// The instruction's name is the click: told twice, it is one refund.
    async fn follow_refund(
        self: &Rc<Self>,
        id: PushId,
        out_trade_no: &OutTradeNo,
        (amount, reason): (Fen, &str),
        by: &str,
    ) -> Result<(), Rc<Error>> {
        let pay_id = self.load_by_number(out_trade_no)?;
        let wanted = NewRefund {
            request_id: RequestId::new(id.uuid()),
            pay_id,
            trade_no: None,
            amount,
            reason: reason.to_owned(),
            seen_refunded: None,
            approval: Approval::of_headquarters(Act::Refund { pay_id, amount }, by),
        };
        self.refund(wanted).await.map(|_| ())
    }

    fn load_by_number(&self, out_trade_no: &OutTradeNo) -> Result<PaymentId, Error> {
        let found = self.database.find_by_out_trade_no(out_trade_no)?;
        found.ok_or_else(|| Error::BadInput(format!("there is no payment {out_trade_no}")))
    }
}
