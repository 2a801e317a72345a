//! Collecting with the code on the buyer's phone: pay, ask, and undo what stays unknown.
//!
//! Must always hold: a code is sent once, by whoever wrote down that it is sent, and everybody else asks; a code is used
//! for one payment (its hash is unique) and is neither stored nor logged. "No such trade" proves nothing before the buyer's
//! time is surely over. Deliberately absent: a second sending.

use crate::collect::tidy;
use crate::record::load;
use crate::{Collected, Engine, Error, NewOrder};
use std::rc::Rc;
use std::time::Duration;
use yidan_alipay::{AuthCode, PayOrder};
use yidan_payment::{Evidence, Hash, Input, Method, Payment, PaymentId, Status, apply};

/// How long a buyer may take to confirm, in minutes.
pub const CODE_MINUTES: u32 = 2;

/// What came of a scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeCollected {
    /// The payment: paid, or waiting for the buyer's password, or not known yet.
    Payment(Box<Payment>),
    /// A payment of this screen or sale still lives, and the code was not sent. Stop that one first, if the cashier wants
    /// to switch; when it has ended without money, the sale can be collected again.
    SwitchFrom(Box<Payment>),
}

impl Engine {
    /// Collects an order with a buyer's code: one payment, one sending, whatever is scanned twice.
    ///
    /// # Errors
    /// [`Error::CodeUsed`] if the code was taken for another payment; otherwise as [`Engine::collect`].
    pub async fn collect_with_code(
        self: &Rc<Self>,
        order: NewOrder,
        code: AuthCode,
    ) -> Result<CodeCollected, Rc<Error>> {
        let order = tidy(order).map_err(Rc::new)?;
        if let Some(known) = self.find_or_claim(&order).await? {
            let (Collected::Payment(known) | Collected::SameAmountClosing(known)) = known;
            return self.look_at(known).await;
        }
        let hash = Hash::of(code.secret().as_bytes());
        let pay_id = self.write_intent(&order, Some(hash)).map_err(Rc::new)?;
        while let Some(flight) = self.flights.find(pay_id) {
            flight.await?;
        }
        let engine = Rc::clone(self);
        let paid = self.launch(pay_id, async move {
            engine.send_code(pay_id, code).await?;
            engine.run(pay_id, None).await
        });
        Ok(CodeCollected::Payment(Box::new(paid.await?)))
    }

    /// Nothing is sent for a payment that is known: a code of ours was sent, and a QR code must be stopped first.
    async fn look_at(self: &Rc<Self>, known: Box<Payment>) -> Result<CodeCollected, Rc<Error>> {
        match known.method {
            Method::Qr if known.status.is_live() => Ok(CodeCollected::SwitchFrom(known)),
            Method::Qr => Ok(CodeCollected::Payment(known)),
            Method::BuyerCode => Ok(CodeCollected::Payment(Box::new(self.advance(known.pay_id).await?))),
        }
    }

    async fn send_code(&self, pay_id: PaymentId, code: AuthCode) -> Result<(), Error> {
        let payment = self.database.load_payment(pay_id)?;
        if !self.clock.is_known() {
            // The end of the buyer's time is a moment of the gateway's clock, so that is asked for first.
            if let Ok(told) = self.call(&payment, self.gateway.query(&payment.out_trade_no)).await {
                self.hear(&payment, &told)?;
            }
        }
        if !self.clock.is_known() {
            return self.stop_unsent_code(pay_id);
        }
        let Some(payment) = self.write_sending(pay_id)? else { return Ok(()) };
        let order = self.pay_order(&payment, code)?;
        if let Ok(told) = self.call(&payment, self.gateway.pay(&order)).await {
            if let Evidence::Refused(refusal) = &told.evidence {
                self.contacts.change(pay_id, |contact| contact.refused = Some(refusal.text.clone()));
            }
            self.hear(&payment, &told)?;
        }
        Ok(())
    }

    /// That the code is sent is durable before it is sent; `None` if somebody else was faster, or it was stopped.
    fn write_sending(&self, pay_id: PaymentId) -> Result<Option<Payment>, Error> {
        let now = self.now();
        let input = Input::SendCode { timeout: Duration::from_secs(u64::from(CODE_MINUTES) * 60) };
        let sending = self.database.write("write down that a code is sent", |transaction| {
            let before = load(transaction, pay_id)?;
            self.correct_day(transaction, &before, now)?;
            let outcome = apply(&before, &input, now);
            if outcome.refused.is_some() {
                return Ok(None);
            }
            self.write_outcome(transaction, &before, &outcome, (&input, None, &[]), now)?;
            Ok(Some(outcome.payment))
        })?;
        let Some(sent) = sending else { return Ok(None) };
        self.after_change(&sent);
        self.database.load_payment(sent.pay_id).map(Some)
    }

    fn pay_order(&self, payment: &Payment, auth_code: AuthCode) -> Result<PayOrder, Error> {
        let order = self.database.load_order(payment.order_id)?;
        Ok(PayOrder {
            out_trade_no: payment.out_trade_no.clone(),
            amount: payment.amount,
            subject: order.subject,
            auth_code,
            timeout_minutes: CODE_MINUTES,
            store_id: self.place.store_id.clone(),
            terminal_id: self.place.terminal_id.clone(),
            operator_id: order.operator_id,
            passback_params: Some(self.passback()),
        })
    }

    /// A code that was not sent is lost with the program, or is too old: nothing can come of it.
    pub(crate) fn stop_unsent_code(&self, pay_id: PaymentId) -> Result<(), Error> {
        let payment = self.database.load_payment(pay_id)?;
        match (&payment.status, payment.method) {
            (Status::Init, Method::BuyerCode) => self.record(pay_id, &Input::ClockPassed, None).map(|_| ()),
            (
                Status::Init
                | Status::Precreated
                | Status::Paying
                | Status::Closing
                | Status::Success(_)
                | Status::Closed(_)
                | Status::Fail(_)
                | Status::Suspense,
                Method::Qr | Method::BuyerCode,
            ) => Ok(()),
        }
    }
}
