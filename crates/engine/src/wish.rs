//! What the cashier may want of a running payment. A wish is durable before it is followed, and never makes money.

use crate::database::has_money;
use crate::{Engine, Error};
use std::rc::Rc;
use yidan_payment::{Input, Payment, PaymentId, Step, WishRefused};

impl Engine {
    /// Stops: the payment is CLOSING when this returns; the proof that no money can come is fetched afterwards.
    ///
    /// # Errors
    /// [`yidan_payment::WishRefused::AlreadyPaid`]; [`Error::Storage`].
    pub fn stop(&self, pay_id: PaymentId) -> Result<Payment, Error> {
        let recorded = self.record(pay_id, &Input::Stop, None)?;
        self.schedule.put(pay_id, self.clock.elapsed(), Some(recorded.then));
        Ok(recorded.payment)
    }

    /// Goes on with the same code after a stop, while that is safe.
    ///
    /// # Errors
    /// [`yidan_payment::WishRefused::NotResumable`]; [`Error::Storage`].
    pub fn resume(&self, pay_id: PaymentId) -> Result<Payment, Error> {
        let payment = self.database.load_payment(pay_id)?;
        let is_settled = self
            .database
            .read("look for money of the sale", |connection| has_money(connection, payment.sale_id, Some(pay_id)))?;
        if is_settled {
            return Err(WishRefused::NotResumable.into());
        }
        let recorded = self.record(pay_id, &Input::Resume, None)?;
        self.schedule.put(pay_id, self.clock.elapsed(), None);
        Ok(recorded.payment)
    }

    /// Asks the gateway about a payment once more, whatever its state.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn ask_now(self: &Rc<Self>, pay_id: PaymentId) -> Result<Payment, Rc<Error>> {
        self.advance_with(pay_id, Step::Query).await
    }

    /// Asks for the same code again: the same bytes, the same number, and it ends no later.
    ///
    /// # Errors
    /// [`yidan_payment::WishRefused::NotNow`]; [`Error::Storage`].
    pub async fn refresh(self: &Rc<Self>, pay_id: PaymentId) -> Result<Payment, Rc<Error>> {
        let recorded = self.record(pay_id, &Input::Refresh, None)?;
        self.advance_with(pay_id, recorded.then).await
    }

    /// Asks for a later code on the same number, once the old one has ended.
    ///
    /// # Errors
    /// [`yidan_payment::WishRefused::NotNow`]; [`Error::Storage`].
    pub async fn new_code(self: &Rc<Self>, pay_id: PaymentId) -> Result<Payment, Rc<Error>> {
        let recorded = self.record(pay_id, &Input::NewCode, None)?;
        self.advance_with(pay_id, recorded.then).await
    }
}
