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
    /// Calls in a row without a usable answer.
    pub unanswered: u32,
    /// Calls in a row that the gateway asked us to make more slowly.
    pub limited: u32,
    /// Why the last call brought nothing: a sentence without secrets.
    pub trouble: Option<String>,
    /// When the scan was first seen (elapsed time).
    pub scanned_at: Option<Duration>,
}

/// The talk about every payment of this run.
#[derive(Default)]
pub(crate) struct Contacts {
    all: RefCell<BTreeMap<PaymentId, Contact>>,
    last: RefCell<Contact>,
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
        self.all.borrow_mut().remove(&pay_id);
    }

    pub(crate) fn change(&self, pay_id: PaymentId, change: impl FnOnce(&mut Contact)) {
        let mut all = self.all.borrow_mut();
        let contact = all.entry(pay_id).or_default();
        change(contact);
        self.last.replace(contact.clone());
    }
}
