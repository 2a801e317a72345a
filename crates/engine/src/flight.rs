//! Single flight: one run per payment at a time; later callers wait for its result.

use crate::Error;
use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, Shared};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use yidan_payment::{Payment, PaymentId};

/// What a run ends with; shared by all who wait.
pub(crate) type Landing = Result<Payment, Rc<Error>>;
type Flight = Shared<LocalBoxFuture<'static, Landing>>;

/// The runs under way.
#[derive(Default)]
pub(crate) struct Flights {
    all: RefCell<BTreeMap<PaymentId, Flight>>,
}

impl Flights {
    /// The run under way for a payment.
    pub(crate) fn find(&self, pay_id: PaymentId) -> Option<Flight> {
        self.all.borrow().get(&pay_id).cloned()
    }

    /// Whether a run is under way for a payment.
    pub(crate) fn is_flying(&self, pay_id: PaymentId) -> bool {
        self.all.borrow().contains_key(&pay_id)
    }

    /// Starts a run; whoever awaits it drives it.
    pub(crate) fn start(&self, pay_id: PaymentId, run: LocalBoxFuture<'static, Landing>) -> Flight {
        let flight = run.shared();
        self.all.borrow_mut().insert(pay_id, flight.clone());
        flight
    }

    pub(crate) fn land(&self, pay_id: PaymentId) {
        self.all.borrow_mut().remove(&pay_id);
    }

    /// Lets every run go.
    pub(crate) fn clear(&self) {
        let all = self.all.take();
        drop(all);
    }

    /// Whether nothing is under way.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.borrow().is_empty()
    }
}
