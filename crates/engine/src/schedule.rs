//! When which payment is asked for next. One scheduler for all; it follows elapsed time, never the PC's clock.

use crate::contact::Contact;
use crate::{Engine, Error};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Notify;
use yidan_payment::{Input, Method, Payment, PaymentId, Status, Step};

const WHILE_CODE_SHOWS: Duration = Duration::from_secs(3);
/// While money is told of by headquarters before a timer asks.
const WHILE_PUSH_IS_FASTER: Duration = Duration::from_secs(6);
const AFTER_SCAN: Duration = Duration::from_secs(2);
const SOON_AFTER_SCAN: Duration = Duration::from_secs(20);
const SLOWEST: Duration = Duration::from_secs(60);
const FOREIGN: Duration = Duration::from_secs(3600);
const SLOWEST_UNANSWERED: Duration = Duration::from_secs(12);

/// What is due, and with which step it begins.
#[derive(Default)]
pub(crate) struct Schedule {
    due: RefCell<BTreeMap<PaymentId, (Duration, Option<Step>)>>,
    changed: Notify,
}

impl Schedule {
    /// Asks for a payment at `at` (elapsed time).
    pub(crate) fn put(&self, pay_id: PaymentId, at: Duration, first: Option<Step>) {
        self.due.borrow_mut().insert(pay_id, (at, first));
        self.changed.notify_one();
    }

    fn remove(&self, pay_id: PaymentId) {
        self.due.borrow_mut().remove(&pay_id);
    }

    fn take_due(&self, now: Duration) -> Vec<(PaymentId, Option<Step>)> {
        let mut due = self.due.borrow_mut();
        let ready: Vec<_> =
            due.iter().filter(|(_, (at, _))| *at <= now).map(|(pay_id, (_, first))| (*pay_id, *first)).collect();
        for (pay_id, _) in &ready {
            due.remove(pay_id);
        }
        ready
    }

    pub(crate) fn next(&self) -> Option<Duration> {
        self.due.borrow().values().map(|(at, _)| *at).min()
    }
}

impl Engine {
    /// Asks for every payment when it is due, for ever.
    pub(crate) async fn keep_asking(self: Rc<Self>) {
        let mut runs = FuturesUnordered::new();
        loop {
            for (pay_id, first) in self.schedule.take_due(self.clock.elapsed()) {
                runs.push(Rc::clone(&self).ask(pay_id, first));
            }
            let next = self.schedule.next().unwrap_or_else(|| self.clock.elapsed() + SLOWEST);
            tokio::select! {
                biased;
                Some(()) = runs.next(), if !runs.is_empty() => {}
                () = self.clock.sleep_until(next) => {}
                () = self.schedule.changed.notified() => {}
            }
        }
    }

    async fn ask(self: Rc<Self>, pay_id: PaymentId, first: Option<Step>) {
        let outcome = match (self.stop_if_idle(pay_id), first) {
            (Ok(Some(step)), _) | (Ok(None), Some(step)) if step != Step::Rest => self.advance_with(pay_id, step).await,
            (Ok(_), _) => self.advance(pay_id).await,
            (Err(error), _) => Err(Rc::new(error)),
        };
        if let Err(error) = outcome {
            let error: &dyn std::error::Error = error.as_ref();
            tracing::error!(%pay_id, error, "could not go on with a payment; trying again");
            self.schedule.put(pay_id, self.clock.elapsed() + SLOWEST_UNANSWERED, first);
        }
    }

    /// Nothing usable was heard for so long after the last code ended that the clock stops the payment.
    fn stop_if_idle(&self, pay_id: PaymentId) -> Result<Option<Step>, Error> {
        let payment = self.database.load_payment(pay_id)?;
        let idle = self.limits.idle;
        let is_over = match payment.body_expires_at {
            // A buyer who has not confirmed by then cannot any more.
            Some(end) if payment.method == Method::BuyerCode => self.clock.is_known() && self.clock.now() >= end,
            Some(end) => self.clock.is_known() && self.clock.now() >= end.after(idle),
            // Nothing was sent yet, so only elapsed time is sure.
            None => self.contacts.of(pay_id).first_asked.is_some_and(|at| self.clock.elapsed() >= at + idle),
        };
        match payment.status {
            Status::Init | Status::Precreated | Status::Paying if is_over => {
                Ok(Some(self.record(pay_id, &Input::ClockPassed, None)?.then))
            }
            Status::Init
            | Status::Precreated
            | Status::Paying
            | Status::Closing
            | Status::Success(_)
            | Status::Closed(_)
            | Status::Fail(_)
            | Status::Suspense => Ok(None),
        }
    }

    /// After a run: when this payment is asked for next, if at all.
    pub(crate) fn plan(&self, pay_id: PaymentId, payment: Option<&Payment>) {
        let now = self.clock.elapsed();
        let Some(payment) = payment else {
            return self.schedule.put(pay_id, now + SLOWEST_UNANSWERED, None);
        };
        let contact = self.contacts.of(pay_id);
        let refunds = self.refund_pause(payment, &contact).map(|pause| now + pause);
        match (payment.status.is_live(), payment.watch_at) {
            // Other keys cannot ask about it; a person put them there, and a person must put the old ones back.
            (_, _) if !self.is_ours(payment) => self.schedule.put(pay_id, now + FOREIGN, None),
            (true, _) => {
                self.is_still_to_ask(pay_id);
                let wait = pause(payment, &contact, now, self.ear.is_trusted());
                self.schedule.put(pay_id, now + wait, None);
            }
            (false, _) if self.is_still_to_ask(pay_id) => {
                self.schedule.put(pay_id, now + again(&contact), Some(Step::Query));
            }
            (false, Some(at)) => {
                let watch = self.elapsed_at(at).max(now + again(&contact));
                self.schedule.put(pay_id, refunds.map_or(watch, |at| at.min(watch)), None);
            }
            (false, None) => match refunds {
                Some(at) => self.schedule.put(pay_id, at, None),
                None => {
                    self.schedule.remove(pay_id);
                    self.contacts.forget(pay_id);
                }
            },
        }
    }
}

/// What is over is asked again without haste.
fn again(contact: &Contact) -> Duration {
    SLOWEST * contact.unanswered.saturating_add(contact.limited).clamp(1, 30)
}

fn pause(payment: &Payment, contact: &Contact, now: Duration, push_is_faster: bool) -> Duration {
    let usual = match payment.status {
        Status::Paying if contact.scanned_at.is_some_and(|at| now < at + SOON_AFTER_SCAN) => AFTER_SCAN,
        Status::Precreated | Status::Paying if push_is_faster => WHILE_PUSH_IS_FASTER,
        Status::Init
        | Status::Precreated
        | Status::Paying
        | Status::Closing
        | Status::Success(_)
        | Status::Closed(_)
        | Status::Fail(_)
        | Status::Suspense => WHILE_CODE_SHOWS,
    };
    if contact.limited > 0 {
        return (usual * 2_u32.saturating_pow(contact.limited.min(5))).min(SLOWEST);
    }
    (usual * contact.unanswered.max(1)).min(SLOWEST_UNANSWERED)
}
