//! Notices of the gateway, however they come: by headquarters' push, or handed in.
//!
//! Must always hold: the signature is checked here, whoever checked it before. *Paid*, with our number and amount, is
//! evidence like an answer. Every other notice is kept and is only a reason to ask.

use crate::gateway::SignedNotice;
use crate::{Engine, Error};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use yidan_payment::{Evidence, Input, Payment, PaymentId, Statement, Step};

/// What came of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noticed {
    /// Not signed by the gateway, or not for this app and seller. Nothing was done.
    NotOurs,
    /// Signed, but this database has no payment of that number.
    NoPayment,
    /// It brought money, or money that was known.
    Paid(PaymentId),
    /// The gateway was asked, or will be as soon as it answers.
    Asked(PaymentId),
}

/// Payments that must be asked about until the gateway answers, as in the database.
pub(crate) struct Asks(RefCell<BTreeSet<PaymentId>>);

impl Asks {
    pub(crate) fn of(all: Vec<PaymentId>) -> Asks {
        Asks(RefCell::new(all.into_iter().collect()))
    }

    pub(crate) fn contains(&self, pay_id: PaymentId) -> bool {
        self.0.borrow().contains(&pay_id)
    }

    pub(crate) fn list(&self) -> Vec<PaymentId> {
        self.0.borrow().iter().copied().collect()
    }
}

impl Engine {
    /// Takes the body of a notice as it came. May be repeated, in any order.
    ///
    /// # Errors
    /// [`Error::Storage`]: then take it again later.
    pub async fn hear_notice(self: &Rc<Self>, body: &[u8]) -> Result<Noticed, Rc<Error>> {
        let notice = match self.gateway.read_notice(body).await {
            Ok(notice) => notice,
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "a notice was not believed");
                return Ok(Noticed::NotOurs);
            }
        };
        let Some(pay_id) = self.database.find_by_out_trade_no(&notice.out_trade_no)? else {
            tracing::error!(out_trade_no = %notice.out_trade_no, "a notice about a payment that is not in this database");
            return Ok(Noticed::NoPayment);
        };
        let payment = self.database.load_payment(pay_id)?;
        match self.read_paid(&payment, &notice) {
            Some(statement) => {
                let recorded = self.record(pay_id, &Input::Told(statement.evidence.clone()), Some(&statement))?;
                if recorded.then != Step::Rest {
                    self.advance_with(pay_id, recorded.then).await?;
                }
                Ok(Noticed::Paid(pay_id))
            }
            None => {
                self.ask_until_answered(pay_id, Some(&notice.proof)).await?;
                if let Some(number) = notice.refund.and_then(|hint| hint.out_request_no) {
                    self.ask_refund(pay_id, &number).await?;
                }
                Ok(Noticed::Asked(pay_id))
            }
        }
    }

    /// A notice that is evidence by itself.
    fn read_paid(&self, payment: &Payment, notice: &SignedNotice) -> Option<Statement> {
        match &notice.evidence {
            Some(Evidence::Paid(paid)) if paid.total != payment.amount => {
                let (told, ours) = (paid.total, payment.amount);
                tracing::error!(out_trade_no = %payment.out_trade_no, %told, %ours, "a notice tells of another amount");
                None
            }
            // A refund's notice says once more that the trade was paid: what it means is the refund.
            Some(Evidence::Paid(paid)) if notice.refund.is_none() && self.is_ours(payment) => {
                let (evidence, asked_at) = (Evidence::Paid(paid.clone()), self.clock.now());
                Some(Statement { evidence, proof: notice.proof.clone(), asked_at, answered_at: None })
            }
            Some(_) | None => None,
        }
    }

    /// Asks the gateway about a payment; if it does not answer, again and again, also after a restart.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub(crate) async fn ask_until_answered(
        self: &Rc<Self>,
        pay_id: PaymentId,
        why: Option<&yidan_payment::Proof>,
    ) -> Result<Payment, Rc<Error>> {
        self.database.save_ask(pay_id, why, self.clock.now())?;
        self.asks.0.borrow_mut().insert(pay_id);
        self.ask_now(pay_id).await
    }

    /// Keeps the question about a payment until the gateway has answered it.
    pub(crate) fn keep_ask(&self, pay_id: PaymentId) -> Result<(), Error> {
        self.database.save_ask(pay_id, None, self.clock.now())?;
        self.asks.0.borrow_mut().insert(pay_id);
        Ok(())
    }

    /// Strikes out a question that the gateway has answered; says whether it must be asked again.
    pub(crate) fn is_still_to_ask(&self, pay_id: PaymentId) -> bool {
        if !self.asks.contains(pay_id) {
            return false;
        }
        let contact = self.contacts.of(pay_id);
        if contact.answered_at.is_none() || contact.unanswered + contact.limited > 0 {
            return true;
        }
        // If it stays in the database it is asked once more after the next start.
        if self.database.forget_ask(pay_id).is_ok() {
            self.asks.0.borrow_mut().remove(&pay_id);
        }
        false
    }
}
