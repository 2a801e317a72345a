//! Writes down what happened: payment, money, statement, cases and journal in one transaction, then tells it.

use crate::database::{self, NewEvent, RowError, WriteError};
use crate::ids::new_id;
use crate::{Engine, Error};
use rusqlite::Transaction;
use yidan_payment::{
    CaseKind, Evidence, Input, NewCase, Outcome, Payment, PaymentId, Proof, Proposal, Statement, Status, StatusName,
    Step, UtcMs, apply, order_status,
};
use yidan_wire::{Carry, CaseState, DecisionState, EventKind, PaymentState, ReceiptState};

/// What a line of the journal tells beside the payment's state.
pub(crate) struct News<'a> {
    pub(crate) kind: EventKind,
    pub(crate) opened: &'a [CaseState],
    pub(crate) decided: &'a [DecisionState],
    pub(crate) proof: Option<&'a Proof>,
}

impl News<'_> {
    pub(crate) fn of(kind: EventKind) -> News<'static> {
        News { kind, opened: &[], decided: &[], proof: None }
    }
}

/// What came of an input.
pub(crate) struct Recorded {
    /// What to do now.
    pub(crate) then: Step,
    /// Whether anything was written.
    pub(crate) changed: bool,
    /// The payment as it is now.
    pub(crate) payment: Payment,
}

impl Engine {
    /// Judges an input by the payment's row as it is now, and writes down what comes of it.
    pub(crate) fn record(
        &self,
        pay_id: PaymentId,
        input: &Input,
        statement: Option<&Statement>,
    ) -> Result<Recorded, Error> {
        let now = self.clock.now();
        let (recorded, refused, settled) = self.database.write("record what happened", |transaction| {
            let before = load(transaction, pay_id)?;
            let outcome = apply(&before, input, now);
            let changed = self.write_outcome(transaction, &before, &outcome, (input, statement, &[]), now)?;
            let settled = self.settle_sale(transaction, &before, &outcome.payment, now)?;
            let payment = if changed { load(transaction, pay_id)? } else { outcome.payment };
            Ok((Recorded { then: outcome.then, changed, payment }, outcome.refused, settled))
        })?;
        if let Some(why) = refused {
            return Err(why.into());
        }
        if recorded.changed {
            self.after_change(&recorded.payment);
            self.note_who_told(&recorded.payment, statement);
        }
        for other in settled {
            self.after_change(&other.payment);
            self.schedule.put(other.payment.pay_id, self.clock.elapsed(), Some(other.then));
        }
        Ok(recorded)
    }

    /// Writes down what is about to be sent.
    pub(crate) fn write_ahead(&self, before: &Payment, after: Payment, kind: EventKind) -> Result<(), Error> {
        let now = self.clock.now();
        self.database.write("write down a call", |transaction| {
            self.correct_day(transaction, before, now)?;
            self.save(transaction, before, &after, now)?;
            self.append(transaction, &after, &News::of(kind), now)
        })?;
        self.outbox.notify_one();
        Ok(())
    }

    /// Writes down what came of an input; says whether anything was written.
    pub(crate) fn write_outcome(
        &self,
        transaction: &Transaction<'_>,
        before: &Payment,
        outcome: &Outcome,
        (input, statement, decided): (&Input, Option<&Statement>, &[DecisionState]),
        now: UtcMs,
    ) -> Result<bool, WriteError> {
        let after = &outcome.payment;
        let opened = self.open_cases(transaction, after, &outcome.cases, now)?;
        if after == before && opened.is_empty() {
            return Ok(false);
        }
        after.books().map_err(|error| RowError::Unreadable(error.to_string()))?;
        self.save(transaction, before, after, now)?;
        if let Some(statement) = statement {
            database::keep_statement(transaction, after.pay_id, statement)?;
        }
        let proof = statement.filter(|statement| is_about_money(&statement.evidence)).map(|told| &told.proof);
        let kind = event_kind(before, after, input);
        let returned = database::resolve_returned(transaction, after, now)?;
        let decided = [decided, &returned].concat();
        self.append(transaction, after, &News { kind, opened: &opened, decided: &decided, proof }, now)?;
        Ok(true)
    }

    pub(crate) fn save(
        &self,
        transaction: &Transaction<'_>,
        before: &Payment,
        after: &Payment,
        now: UtcMs,
    ) -> Result<(), WriteError> {
        let new_refund_id = || new_id(self.ids.as_ref());
        database::save_payment(transaction, before, after, now, new_refund_id, |at| self.day_of(at))?;
        database::save_order_status(transaction, after.order_id, order_status(after))
    }

    pub(crate) fn open_cases(
        &self,
        transaction: &Transaction<'_>,
        payment: &Payment,
        cases: &[NewCase],
        now: UtcMs,
    ) -> Result<Vec<CaseState>, WriteError> {
        let mut opened = Vec::new();
        for case in cases {
            let proposal = proposal_for(transaction, payment, case.kind)?;
            let due = now.after(self.limits.case_due);
            let case_id = new_id(self.ids.as_ref());
            if database::open_case(transaction, case_id, payment.pay_id, case, proposal, (now, due))? {
                tracing::warn!(out_trade_no = %payment.out_trade_no, kind = case.kind.as_str(), "a case was opened");
                opened.push(CaseState { kind: case.kind, trade_no: case.trade_no.clone(), amount_fen: case.amount });
            }
        }
        Ok(opened)
    }

    /// Appends the full state after a change to the journal.
    pub(crate) fn append(
        &self,
        transaction: &Transaction<'_>,
        payment: &Payment,
        news: &News<'_>,
        now: UtcMs,
    ) -> Result<(), WriteError> {
        let order = database::load_order(transaction, payment.order_id)?;
        let state = self.state_of(payment, order, news, now);
        let payload = serde_json::to_string(&state).map_err(|error| RowError::Unreadable(error.to_string()))?;
        let event_id = new_id(self.ids.as_ref());
        let event = NewEvent { event_id, kind: news.kind.as_str(), pay_id: Some(payment.pay_id), at: now, payload };
        database::append(transaction, event)
    }

    fn state_of(&self, payment: &Payment, order: database::OrderRow, news: &News<'_>, now: UtcMs) -> PaymentState {
        let receipts = payment.receipts.iter().map(|receipt| ReceiptState {
            receipt: receipt.clone(),
            business_day: self.day_of(receipt.paid_at.unwrap_or(now)),
        });
        PaymentState {
            pay_id: payment.pay_id,
            order_id: payment.order_id,
            sale_id: payment.sale_id,
            order_no: order.order_no,
            source: order.source,
            external_ref: order.external_ref,
            subject: order.subject,
            business_day: order.business_day,
            method: payment.method,
            account: payment.account.clone(),
            out_trade_no: payment.out_trade_no.clone(),
            amount_fen: payment.amount,
            status: payment.status.name(),
            order_status: order_status(payment),
            trade_no: payment.trade_no.clone(),
            stopped_by: payment.stopped_by,
            reason: payment.status.reason(),
            receipts: receipts.collect(),
            refunds: payment.refunds.clone(),
            cases: news.opened.to_vec(),
            decisions: news.decided.to_vec(),
            proof: news.proof.cloned(),
            created_at: payment.created_at,
            carry: Carry {
                request_id: order.request_id,
                content_hash: order.content_hash,
                operator_id: order.operator_id,
                day_seq: order.day_seq,
                replaces_order_id: order.replaces,
                trade_seen: payment.trade_seen,
                request_body: payment.request_body.clone(),
                body_expires_at: payment.body_expires_at,
                code_expires_at: payment.code_expires_at,
                close_sent_at: payment.close_sent_at,
                precreated_at: payment.precreated_at,
                dead_after: payment.dead_after,
                watch_at: payment.watch_at,
                booked_at: payment.booked_at,
            },
        }
    }

    /// First money wins: in the transaction that books it, the sale's other payments are stopped.
    pub(crate) fn settle_sale(
        &self,
        transaction: &Transaction<'_>,
        before: &Payment,
        after: &Payment,
        now: UtcMs,
    ) -> Result<Vec<Outcome>, WriteError> {
        if before.receipts.len() == after.receipts.len() {
            return Ok(Vec::new());
        }
        let others = database::list_live_of_sale(transaction, after.sale_id)?;
        let stopped = others.into_iter().map(|other| {
            let payment = load(transaction, other)?;
            let outcome = apply(&payment, &Input::SaleSettled, now);
            self.write_outcome(transaction, &payment, &outcome, (&Input::SaleSettled, None, &[]), now)?;
            Ok(outcome)
        });
        stopped.collect()
    }

    /// Pushes that come before the timers' questions make these less frequent.
    fn note_who_told(&self, payment: &Payment, statement: Option<&Statement>) {
        if let (Status::Success(_), Some(told)) = (&payment.status, statement)
            && matches!(told.evidence, Evidence::Paid(_))
        {
            self.ear.note_success(told.proof.source);
        }
    }

    /// After the commit: screens, headquarters, timers.
    pub(crate) fn after_change(&self, payment: &Payment) {
        tracing::info!(out_trade_no = %payment.out_trade_no, status = payment.status.name().as_str(), "payment changed");
        if payment.status == Status::Paying {
            let now = self.clock.elapsed();
            self.contacts.change(payment.pay_id, |contact| _ = contact.scanned_at.get_or_insert(now));
        }
        self.tell(payment.pay_id);
        self.outbox.notify_one();
    }
}

pub(crate) fn load(transaction: &Transaction<'_>, pay_id: PaymentId) -> Result<Payment, WriteError> {
    let payment = database::find_payment(transaction, pay_id)?;
    payment.ok_or(WriteError::Refused(Error::NoSuchPayment(pay_id)))
}

/// Late money of an unpaid sale may pay for it; of a paid sale it goes back.
fn proposal_for(transaction: &Transaction<'_>, payment: &Payment, kind: CaseKind) -> Result<Proposal, WriteError> {
    if kind == CaseKind::LatePayment && database::is_sale_paid(transaction, payment)? {
        return Ok(Proposal::Refund);
    }
    Ok(kind.proposal())
}

/// Headquarters checks the statements that money depends on; a code is nobody's business but the customer's.
fn is_about_money(evidence: &Evidence) -> bool {
    match evidence {
        Evidence::Paid(_)
        | Evidence::TradeClosedPaid(_)
        | Evidence::CancelRefunded(_)
        | Evidence::RefundedOurs(_)
        | Evidence::RefundedElsewhere(_)
        | Evidence::RefundMoved(_)
        | Evidence::TradeClosed(_) => true,
        Evidence::QrIssued { .. }
        | Evidence::Refused(_)
        | Evidence::RefusedTradeExists(_)
        | Evidence::NoTrade(_)
        | Evidence::WaitBuyerPay(_)
        | Evidence::RefundAccepted { .. }
        | Evidence::RefundRefused { .. }
        | Evidence::NotRefunded(_)
        | Evidence::CloseAccepted
        | Evidence::CloseRefused(_) => false,
    }
}

fn event_kind(before: &Payment, after: &Payment, input: &Input) -> EventKind {
    let is_decision = matches!(input, Input::Recognise { .. } | Input::Return { .. });
    let is_wish = matches!(input, Input::Refund { .. } | Input::Retry { .. });
    let is_resume = matches!(input, Input::Resume);
    let is_same = before.status.name() == after.status.name();
    match after.status.name() {
        _ if is_decision => EventKind::Decided,
        _ if is_wish => EventKind::Refunding,
        _ if matches!(input, Input::SendCode { .. }) => EventKind::Asking,
        StatusName::Success if !is_same => EventKind::Paid,
        StatusName::Suspense if !is_same => EventKind::Suspended,
        StatusName::Success | StatusName::Suspense if before.receipts != after.receipts => EventKind::Suspended,
        StatusName::Success | StatusName::Suspense if before.refunds != after.refunds => EventKind::Refunded,
        StatusName::Precreated if is_resume => EventKind::Resumed,
        StatusName::Precreated if before.qr_code != after.qr_code || !is_same => EventKind::CodeShown,
        StatusName::Paying if !is_same => EventKind::Scanned,
        StatusName::Closing if !is_same => EventKind::Stopping,
        StatusName::Closed if !is_same => EventKind::Closed,
        StatusName::Fail if !is_same => EventKind::Refused,
        StatusName::Init
        | StatusName::Precreated
        | StatusName::Paying
        | StatusName::Closing
        | StatusName::Success
        | StatusName::Closed
        | StatusName::Fail
        | StatusName::Suspense => EventKind::Noticed,
    }
}
