//! Asking live, and knowing whether an answer came.

use crate::{Contact, Engine, Error};
use futures_util::future::{Either, select};
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;
use yidan_payment::{Payment, PaymentId, Step, UtcMs};

/// What a live question brought.
pub(crate) struct Asked {
    /// The payment afterwards.
    pub(crate) payment: Payment,
    /// When the gateway gave a usable answer; `None` if it did not.
    pub(crate) answered_at: Option<UtcMs>,
    /// Why there is no usable answer: a sentence without secrets.
    pub(crate) trouble: Option<String>,
}

impl Engine {
    /// Asks the gateway about a payment now, whatever its state, and says whether it answered.
    pub(crate) async fn ask_live(self: &Rc<Self>, pay_id: PaymentId) -> Result<Asked, Rc<Error>> {
        let before = self.contacts.hold(pay_id);
        let asked = self.ask_now(pay_id).await;
        self.hear_out(&before, pay_id, asked)
    }

    /// Asks about a refund by its number, and says whether the gateway answered. Without a number the trade is all that
    /// can be asked for.
    pub(crate) async fn ask_refund_live(
        self: &Rc<Self>,
        pay_id: PaymentId,
        number: Option<&str>,
    ) -> Result<Asked, Rc<Error>> {
        let Some(number) = number else { return self.ask_live(pay_id).await };
        let before = self.contacts.hold(pay_id);
        let asked = self.ask_refund(pay_id, number).await;
        self.hear_out(&before, pay_id, asked)
    }

    /// As [`Engine::ask_live`], but waits no longer than `patience`: the question itself goes on.
    pub(crate) async fn ask_within(self: &Rc<Self>, pay_id: PaymentId, patience: Duration) -> Result<Asked, Rc<Error>> {
        let before = self.contacts.hold(pay_id);
        // The scheduler drives it, so that nobody who goes away leaves it half done.
        self.schedule.put(pay_id, self.clock.elapsed(), Some(Step::Query));
        let mut patience = pin!(self.clock.sleep(patience));
        loop {
            let landed = pin!(self.rested.notified());
            let now = self.contacts.of(pay_id);
            if now.asked > before.asked && !self.flights.is_flying(pay_id) {
                break;
            }
            match select(landed, patience.as_mut()).await {
                Either::Left(_) => {}
                Either::Right(_) => break,
            }
        }
        let payment = self.database.load_payment(pay_id).map_err(Rc::new);
        self.hear_out(&before, pay_id, payment)
    }

    fn hear_out(
        &self,
        before: &Contact,
        pay_id: PaymentId,
        asked: Result<Payment, Rc<Error>>,
    ) -> Result<Asked, Rc<Error>> {
        let is_over = asked.as_ref().is_ok_and(|payment| !payment.status.is_live() && payment.watch_at.is_none());
        let after = self.contacts.let_go(pay_id, is_over && !self.flights.is_flying(pay_id));
        let payment = asked?;
        let trouble = find_trouble(before, &after, self.is_ours(&payment));
        let answered_at = after.answered_at.filter(|_| trouble.is_none());
        Ok(Asked { payment, answered_at, trouble })
    }
}

fn find_trouble(before: &Contact, after: &Contact, is_ours: bool) -> Option<String> {
    if !is_ours {
        return Some("this payment was made with other keys; only those may ask about it".into());
    }
    if after.limited > 0 {
        return Some("the gateway asks for fewer calls".into());
    }
    match (&after.trouble, after.asked == before.asked) {
        (Some(trouble), _) => Some(trouble.clone()),
        (None, false) if after.asking_since.is_none() => None,
        (None, true | false) => Some("the gateway has not answered yet".into()),
    }
}
