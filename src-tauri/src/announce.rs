//! Tells the windows what changed: on every change of the engine, and every second while something counts down.
//!
//! Timers live here and not in the pages, so that a reloaded page shows the same as before.

use crate::till::Till;
use crate::view::{CounterView, CustomerView, PaymentView, show_customer};
use crate::window::{CUSTOMER, MAIN};
use std::sync::Arc;
use std::time::Duration;
use tauri::{AppHandle, Emitter};
use tokio::sync::broadcast::{self, error::RecvError};
use yidan_payment::PaymentId;

/// While something counts down or an answer is awaited.
const COUNTING: Duration = Duration::from_secs(1);
/// Otherwise only the lamps may change.
const RESTING: Duration = Duration::from_secs(5);

/// What was last told.
#[derive(Default)]
struct Told {
    counter: Option<CounterView>,
    customer: Option<CustomerView>,
}

/// Tells for as long as the program runs.
pub async fn announce(app: AppHandle, till: Arc<Till>) {
    let mut news = till.news();
    let mut changes: Option<broadcast::Receiver<PaymentId>> = None;
    let mut told = Told::default();
    loop {
        if changes.is_none() {
            changes = till.counter().ok().map(|counter| counter.changes());
        }
        if let Ok(counter) = till.look().await {
            told.tell(&app, counter);
        }
        let pause = if told.is_counting() { COUNTING } else { RESTING };
        tokio::select! {
            turned = news.changed() => if turned.is_err() { return },
            ended = next_change(&mut changes) => if ended { changes = None },
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// Waits for a change of a payment; says whether the engine is gone.
async fn next_change(changes: &mut Option<broadcast::Receiver<PaymentId>>) -> bool {
    match changes {
        // Whatever was missed is read anyway.
        Some(changes) => matches!(changes.recv().await, Err(RecvError::Closed)),
        None => std::future::pending().await,
    }
}

impl Told {
    fn tell(&mut self, app: &AppHandle, counter: CounterView) {
        let customer = show_customer(&counter);
        for payment in shown(&counter) {
            if self.find(payment).is_none_or(|before| is_news(before, payment)) {
                send(app, MAIN, "payment-changed", payment);
            }
        }
        if self.counter.as_ref().is_none_or(|before| at_rest(before) != at_rest(&counter)) {
            send(app, MAIN, "counter-changed", &counter);
        }
        let still = |view: &CustomerView| CustomerView { now_ms: 0, ..view.clone() };
        if self.customer.as_ref().is_none_or(|before| still(before) != still(&customer)) {
            send(app, CUSTOMER, "customer-changed", &customer);
        }
        (self.counter, self.customer) = (Some(counter), Some(customer));
    }

    fn find(&self, payment: &PaymentView) -> Option<&PaymentView> {
        shown(self.counter.as_ref()?).find(|before| before.pay_id == payment.pay_id)
    }

    fn is_counting(&self) -> bool {
        let waits = self.counter.as_ref().is_some_and(|counter| {
            shown(counter).any(PaymentView::is_ticking) || counter.recovering > 0 || counter.status.hq.waiting > 0
        });
        waits || self.customer.as_ref().is_some_and(|customer| customer.seconds_left.is_some())
    }
}

fn shown(counter: &CounterView) -> impl Iterator<Item = &PaymentView> {
    counter.current.iter().chain(&counter.pinned)
}

/// A running payment is told every second; a resting one only when it changed.
fn is_news(before: &PaymentView, now: &PaymentView) -> bool {
    now.is_ticking() || PaymentView { now_ms: now.now_ms, ..before.clone() } != *now
}

/// The counter without what changes by itself, and without what `payment-changed` carries.
fn at_rest(counter: &CounterView) -> CounterView {
    let mut still = counter.clone();
    still.status.now_ms = 0;
    for payment in still.current.iter_mut().chain(&mut still.pinned) {
        payment.now_ms = 0;
        payment.seconds_left = None;
        payment.contact.since_ms = 0;
        payment.contact.last_answer_at_ms = None;
    }
    still
}

fn send<T: serde::Serialize + Clone>(app: &AppHandle, window: &str, event: &str, view: &T) {
    if let Err(error) = app.emit_to(window, event, view) {
        tracing::warn!(%error, event, "a window was not told");
    }
}
