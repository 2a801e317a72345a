//! How the talk with the gateway goes, per payment. Only for screens and pauses; nothing here decides about money.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;
use yidan_payment::{PaymentId, UtcMs};

/// How the talk about one payment goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contact {
    /// Since when the present call waits (elapsed time).
    pub asking_since: Option<Duration>,
    /// When this payment was first asked about in this run (elapsed time).
    pub first_asked: Option<Duration>,
    /// When the last usable answer came.
    pub answered_at: Option<UtcMs>,
    /// How long that call took.
    pub took: Option<Duration>,
    /// Calls of this run.
    pub asked: u32,
    /// Calls in a row without a usable answer.
    pub unanswered: u32,
    /// Calls in a row that the gateway asked us to make more slowly.
    pub limited: u32,
    /// Why the last call brought nothing: a sentence without secrets.
    pub trouble: Option<String>,
    /// What the gateway said when it refused a buyer's code: its own sentence.
    pub refused: Option<String>,
    /// When the scan was first seen (elapsed time).
    pub scanned_at: Option<Duration>,
}

/// The talk about every payment of this run.
#[derive(Default)]
pub(crate) struct Contacts {
    all: RefCell<BTreeMap<PaymentId, Contact>>,
    last: RefCell<Contact>,
    /// By whom a talk is being listened to: it is not forgotten meanwhile.
    held: RefCell<BTreeMap<PaymentId, u32>>,
}

impl Contacts {
    pub(crate) fn of(&self, pay_id: PaymentId) -> Contact {
        self.all.borrow().get(&pay_id).cloned().unwrap_or_default()
    }

    /// The last talk about anything: what the status bar shows.
    pub(crate) fn last(&self) -> Contact {
        self.last.borrow().clone()
    }

    pub(crate) fn forget(&self, pay_id: PaymentId) {
        if !self.held.borrow().contains_key(&pay_id) {
            self.all.borrow_mut().remove(&pay_id);
        }
    }

    /// Listens to the talk about a payment from now on: what was said before, and until [`Contacts::let_go`] nothing is
    /// forgotten.
    pub(crate) fn hold(&self, pay_id: PaymentId) -> Contact {
        *self.held.borrow_mut().entry(pay_id).or_default() += 1;
        self.of(pay_id)
    }

    /// Stops listening; says how the talk went. `is_over`: nobody will ask about this payment again.
    pub(crate) fn let_go(&self, pay_id: PaymentId, is_over: bool) -> Contact {
        let contact = self.of(pay_id);
        let mut held = self.held.borrow_mut();
        match held.get(&pay_id).copied() {
            Some(listeners) if listeners > 1 => _ = held.insert(pay_id, listeners - 1),
            Some(_) | None => _ = held.remove(&pay_id),
        }
        drop(held);
        if is_over {
            self.forget(pay_id);
        }
        contact
    }

    pub(crate) fn change(&self, pay_id: PaymentId, change: impl FnOnce(&mut Contact)) {
        let mut all = self.all.borrow_mut();
        let contact = all.entry(pay_id).or_default();
        change(contact);
        self.last.replace(contact.clone());
    }
}
