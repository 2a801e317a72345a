//! Takes back what this terminal had written and its records have lost: headquarters kept it.
//!
//! Must always hold: what is given back never undoes what is known here. Money is added, never removed; moments that keep
//! a code payable only rise; a payment only moves towards its end. No new sale begins before everything is here.

mod join;

use self::join::join;
use crate::database::{self, OrderRow, WriteError};
use crate::record::News;
use crate::{Database, Engine, Error, Hq, HqError};
use rusqlite::Transaction;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;
use yidan_payment::{
    CaseKind, Intent, Method, NewCase, Payment, PaymentId, QrCode, Status, StatusName, Step, StoppedBy, UtcMs,
};
use yidan_wire::{CaseState, EventKind, Past, PastLine, PaymentState, Since};

const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Where to go on; there only while something is missing.
pub(crate) const SINCE: &str = "hq.history_since";
/// Stands for a code that was shown and whose text is lost. The gateway tells it again for the same bytes.
const LOST_CODE: &str = "yidan:this-code-is-asked-for-again";

/// How taking back goes.
pub(crate) struct Recovery {
    since: Cell<Option<Since>>,
    busy: Cell<bool>,
    /// What has come back in this run, to be asked about in the end.
    touched: RefCell<BTreeSet<PaymentId>>,
    /// Live payments of an earlier run: the file may be an old one, and headquarters has not said yet that it knows no more.
    unconfirmed: RefCell<BTreeSet<PaymentId>>,
}

impl Recovery {
    pub(crate) fn load(database: &Database) -> Result<Recovery, Error> {
        let since: Option<Since> = database.find_setting(SINCE)?.and_then(|text| serde_json::from_str(&text).ok());
        Ok(Recovery {
            since: Cell::new(since),
            busy: Cell::new(since.is_some()),
            touched: RefCell::default(),
            unconfirmed: RefCell::default(),
        })
    }

    pub(crate) fn is_open(&self) -> bool {
        self.since.get().is_some()
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.busy.get()
    }

    /// Whether headquarters may know more of a payment than this file: no new code of it until it has answered.
    pub(crate) fn is_unconfirmed(&self, pay_id: PaymentId) -> bool {
        self.unconfirmed.borrow().contains(&pay_id)
    }

    pub(crate) fn doubt(&self, pay_id: PaymentId) {
        self.unconfirmed.borrow_mut().insert(pay_id);
    }
}

impl Engine {
    /// Whether new sales and refunds may begin: these records are whole.
    pub(crate) fn check_records(&self) -> Result<(), Error> {
        if self.report.history_differs() {
            return Err(Error::HistoryDiffers);
        }
        if self.recovery.is_open() {
            return Err(Error::Recovering);
        }
        Ok(())
    }

    /// Takes back page by page, until everything is here.
    pub(crate) async fn keep_recovering(self: Rc<Self>) {
        let Some(hq) = &self.hq else { return std::future::pending().await };
        let mut failures = 0;
        while let Some(since) = self.recovery.since.get() {
            self.recovery.busy.set(true);
            match self.recover_once(hq.as_ref(), since).await {
                Ok(()) => failures = 0,
                Err(why) => {
                    tracing::warn!(why, "could not take back what headquarters keeps; trying again");
                    self.recovery.busy.set(false);
                    self.rested.notify_waiters();
                    let pause = SHORTEST_PAUSE * 2_u32.saturating_pow(failures);
                    failures = failures.saturating_add(1).min(6);
                    self.clock.sleep(pause.min(LONGEST_PAUSE)).await;
                }
            }
        }
        self.recovery.busy.set(false);
        self.rested.notify_waiters();
        std::future::pending().await
    }

    async fn recover_once(&self, hq: &dyn Hq, since: Since) -> Result<(), String> {
        let past = hq.history(since).await.map_err(|error: HqError| error.to_string())?;
        let next = past.lines.last().filter(|_| past.more).map(|line| Since { epoch: line.epoch, seq: line.event.seq });
        let touched = self.take_back(&past, next).map_err(|error| error.to_string())?;
        self.recovery.since.set(next);
        tracing::info!(lines = past.lines.len(), payments = touched.len(), "taken back from headquarters");
        touched.iter().for_each(|pay_id| self.tell(*pay_id));
        self.recovery.touched.borrow_mut().extend(touched);
        if next.is_none() {
            self.resume_touched();
        }
        self.outbox.notify_one();
        Ok(())
    }

    /// Headquarters has said that these records are whole: what waited for that goes on.
    pub(crate) fn resume_confirmed(&self) {
        for pay_id in self.recovery.unconfirmed.take() {
            let begins = self.database.load_payment(pay_id).is_ok_and(|payment| payment.status == Status::Init);
            if begins {
                self.schedule.put(pay_id, self.clock.elapsed(), None);
            }
        }
    }

    /// Every one is asked about, for what was known is old: but only once everything is here. In the middle of its past, a
    /// payment would take money that came after another had followed it.
    fn resume_touched(&self) {
        for pay_id in self.recovery.touched.take() {
            match self.database.load_payment(pay_id) {
                Ok(payment) => self.resume_given(&payment),
                // It is read again before it is asked about.
                Err(_) => self.schedule.put(pay_id, self.clock.elapsed(), Some(Step::Query)),
            }
        }
    }

    fn resume_given(&self, payment: &Payment) {
        let is_code_lost = payment.qr_code.as_ref().is_some_and(|code| code.as_str() == LOST_CODE);
        let first = match payment.status {
            Status::Precreated if is_code_lost && !payment.is_code_over(self.now()) => Some(Step::Precreate),
            Status::Init
            | Status::Precreated
            | Status::Paying
            | Status::Closing
            | Status::Success(_)
            | Status::Closed(_)
            | Status::Fail(_)
            | Status::Suspense => Some(Step::Query),
        };
        self.schedule.put(payment.pay_id, self.clock.elapsed(), first);
    }

    /// One page, and how far it reaches: all or nothing.
    fn take_back(&self, past: &Past, next: Option<Since>) -> Result<BTreeSet<PaymentId>, Error> {
        let now = self.clock.now();
        self.database.write("take back what was forgotten", |transaction| {
            let mut touched: BTreeMap<PaymentId, Vec<CaseState>> = BTreeMap::new();
            for line in &past.lines {
                if let Some((pay_id, opened)) = self.try_line(transaction, line, now)? {
                    touched.entry(pay_id).or_default().extend(opened);
                }
            }
            for (pay_id, opened) in &touched {
                let payment = crate::record::load(transaction, *pay_id)?;
                let news = News { opened, ..News::of(EventKind::GivenBack) };
                self.append(transaction, &payment, &news, now)?;
            }
            let touched = touched.into_keys().collect();
            database::save_or_forget(transaction, SINCE, next.map(|next| text_of(&next)).as_deref())?;
            Ok(touched)
        })
    }

    /// A line that contradicts what is here is left out, loudly: headquarters keeps it, and it must not hold up the rest.
    fn try_line(
        &self,
        transaction: &Transaction<'_>,
        line: &PastLine,
        now: UtcMs,
    ) -> Result<Option<Taken>, WriteError> {
        transaction.execute_batch("savepoint line")?;
        let taken = self.take_line(transaction, line, now);
        match taken {
            Ok(taken) => {
                transaction.execute_batch("release line")?;
                Ok(taken)
            }
            Err(error) => {
                let why: &dyn std::error::Error = &error;
                tracing::error!(line.epoch, line.event.seq, error = why, "a line could not be taken back");
                transaction.execute_batch("rollback to line; release line")?;
                Ok(None)
            }
        }
    }

    /// A line about a payment, unless this journal has it. Answers with the payment if that brought anything.
    fn take_line(
        &self,
        transaction: &Transaction<'_>,
        line: &PastLine,
        now: UtcMs,
    ) -> Result<Option<Taken>, WriteError> {
        if database::is_event_known(transaction, line.event.event_id)? {
            return Ok(None);
        }
        // Lines about no payment are not needed to go on with anything.
        let Ok(state) = serde_json::from_str::<PaymentState>(&line.event.payload) else { return Ok(None) };
        let before = match database::find_payment_by_number(transaction, &state.out_trade_no)? {
            Some(pay_id) => crate::record::load(transaction, pay_id)?,
            None => self.insert_forgotten(transaction, &state)?,
        };
        let given = read_payment(&state, &before)?;
        let after = join(&before, &given);
        after.books().map_err(|error| database::RowError::Unreadable(error.to_string()))?;
        if after != before {
            self.save(transaction, &before, &after, now)?;
        }
        database::take_back_cases(transaction, before.pay_id, &state, line.event.at, || {
            crate::ids::new_id(self.ids.as_ref())
        })?;
        if let Some(proof) = &state.proof {
            database::keep_proof(transaction, before.pay_id, proof, line.event.at)?;
        }
        let opened = self.open_cases(transaction, &after, &paid_after_stop(&before, &given), now)?;
        Ok(Some((before.pay_id, opened)))
    }

    /// The order and the payment as they were when they were first written down.
    fn insert_forgotten(&self, transaction: &Transaction<'_>, state: &PaymentState) -> Result<Payment, WriteError> {
        let carry = &state.carry;
        // Its number of the day may have been given away since.
        let is_taken = database::is_day_seq_taken(transaction, &state.business_day, carry.day_seq)?;
        let day_seq = if is_taken { database::next_day_seq(transaction, &state.business_day)? } else { carry.day_seq };
        let order_no = if is_taken { self.order_no(&state.business_day, day_seq) } else { state.order_no.clone() };
        let attempt = match &state.external_ref {
            Some(external_ref) => database::next_attempt(transaction, &state.source, external_ref)?,
            None => 0,
        };
        let order = OrderRow {
            order_id: state.order_id,
            sale_id: state.sale_id,
            order_no,
            source: state.source.clone(),
            external_ref: state.external_ref.clone(),
            attempt,
            amount: state.amount_fen,
            subject: state.subject.clone(),
            operator_id: carry.operator_id.clone(),
            business_day: state.business_day.clone(),
            day_seq,
            request_id: carry.request_id,
            content_hash: carry.content_hash,
            replaces: database::find_replaced(transaction, carry.replaces_order_id)?,
            created_at: state.created_at,
        };
        // The click may have made another order here, if the records are a copy from before a power cut: clicked once more,
        // it leads to the order that headquarters knows.
        database::take_click(transaction, order.request_id)?;
        database::insert_order(transaction, &order, state.order_status)?;
        let payment = begun(state);
        database::insert_payment(transaction, &payment)?;
        tracing::warn!(out_trade_no = %payment.out_trade_no, "a forgotten payment came back");
        Ok(payment)
    }
}

/// A payment that a line was about, and the cases that were opened because of it.
type Taken = (PaymentId, Vec<CaseState>);

/// One side stopped it, and did not know that the other had its money: somebody may have taken cash.
fn paid_after_stop(here: &Payment, given: &Payment) -> Vec<NewCase> {
    let paid = match (is_stopped(here), is_stopped(given)) {
        (true, false) => given,
        (false, true) => here,
        (true, true) | (false, false) => return Vec::new(),
    };
    let Status::Success(money) = &paid.status else { return Vec::new() };
    if paid.stopped_by.is_some() {
        return Vec::new();
    }
    let amount = paid.find_receipt(money.trade_no()).map_or(paid.amount, |receipt| receipt.total);
    vec![NewCase { kind: CaseKind::PaidAfterStop, trade_no: Some(money.trade_no().clone()), amount }]
}

fn is_stopped(payment: &Payment) -> bool {
    let is_over = [StatusName::Closing, StatusName::Closed].contains(&payment.status.name());
    is_over && payment.stopped_by.is_some_and(|by| by != StoppedBy::Clock)
}

/// Notes from where headquarters must give back, when a terminal enrols again. `before`: the epoch whose journal these
/// records have.
pub(crate) fn since(before: Option<u32>, acked_seq: i64, epoch: u32) -> Option<Since> {
    match before {
        // The same enrolment once more, after a lost answer.
        Some(before) if before == epoch => None,
        Some(before) => Some(Since { epoch: before, seq: acked_seq }),
        None if epoch > 1 => Some(Since { epoch: 0, seq: 0 }),
        None => None,
    }
}

pub(crate) fn text_of(since: &Since) -> String {
    serde_json::to_string(since).expect("two numbers always make JSON")
}

fn begun(state: &PaymentState) -> Payment {
    let intent = Intent {
        pay_id: state.pay_id,
        order_id: state.order_id,
        sale_id: state.sale_id,
        method: state.method,
        account: state.account.clone(),
        out_trade_no: state.out_trade_no.clone(),
        amount: state.amount_fen,
        created_at: state.created_at,
    };
    intent.begin()
}

/// The payment as a line tells it, under the name it has here.
fn read_payment(state: &PaymentState, here: &Payment) -> Result<Payment, WriteError> {
    let (carry, is_qr) = (&state.carry, state.method == Method::Qr);
    let status = Status::from_row(state.status.as_str(), state.trade_no.as_ref(), state.reason.as_deref())
        .map_err(|error| database::RowError::Unreadable(error.to_string()))?;
    Ok(Payment {
        status,
        trade_no: state.trade_no.clone(),
        trade_seen: carry.trade_seen,
        request_body: carry.request_body.clone(),
        // What was sent may have been shown, and the line that says so may be lost.
        qr_code: carry.code_expires_at.or(carry.dead_after).filter(|_| is_qr).map(|_| QrCode::from(LOST_CODE)),
        body_expires_at: carry.body_expires_at,
        code_expires_at: carry.code_expires_at,
        stopped_by: state.stopped_by,
        close_sent_at: carry.close_sent_at,
        precreated_at: carry.precreated_at,
        dead_after: carry.dead_after,
        watch_at: carry.watch_at,
        booked_at: carry.booked_at,
        receipts: state.receipts.iter().map(|reported| reported.receipt.clone()).collect(),
        refunds: state.refunds.clone(),
        ..here.clone()
    })
}
