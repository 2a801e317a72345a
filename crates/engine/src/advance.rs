//! The one loop that moves payments. A click, a timer, a restart and a push from headquarters all end here.

use crate::flight::Landing;
use crate::record::Recorded;
use crate::{Engine, Error};
use futures_util::FutureExt;
use std::rc::Rc;
use std::time::Duration;
use yidan_payment::{
    GatewayError, Input, Method, Payment, PaymentId, PrecreateOrder, Source, Statement, Status, StatusName, Step,
    next_step,
};
use yidan_wire::EventKind;

/// A gateway that answers in circles is asked again by the timer, not in a loop.
const MOST_CALLS: usize = 6;

impl Engine {
    /// Moves a payment as far as it can go now.
    ///
    /// Safe to call at any time and any number of times. One gateway call at a time per payment: whoever comes while one
    /// is under way waits for its result.
    ///
    /// # Errors
    /// Only of the database: an unreachable gateway leaves the payment as it is.
    pub async fn advance(self: &Rc<Self>, pay_id: PaymentId) -> Result<Payment, Rc<Error>> {
        match self.flights.find(pay_id) {
            Some(flight) => flight.await,
            None => self.fly(pay_id, None).await,
        }
    }

    /// As [`Engine::advance`], but begins with `first`, after the run under way.
    pub(crate) async fn advance_with(self: &Rc<Self>, pay_id: PaymentId, first: Step) -> Landing {
        while let Some(flight) = self.flights.find(pay_id) {
            flight.await?;
        }
        self.fly(pay_id, Some(first)).await
    }

    async fn fly(self: &Rc<Self>, pay_id: PaymentId, first: Option<Step>) -> Landing {
        let engine = Rc::clone(self);
        self.launch(pay_id, async move { engine.run(pay_id, first).await }).await
    }

    /// Starts a run; nobody else runs this payment until it has landed.
    pub(crate) async fn launch(
        self: &Rc<Self>,
        pay_id: PaymentId,
        run: impl Future<Output = Result<Payment, Error>> + 'static,
    ) -> Landing {
        let engine = Rc::clone(self);
        let run = async move {
            let landing = run.await.map_err(Rc::new);
            engine.flights.land(pay_id);
            engine.plan(pay_id, landing.as_ref().ok());
            engine.rested.notify_waiters();
            landing
        };
        self.flights.start(pay_id, run.boxed_local()).await
    }

    /// The payment first, then its refunds: only money that has come can go back.
    pub(crate) async fn run(&self, pay_id: PaymentId, first: Option<Step>) -> Result<Payment, Error> {
        let payment = self.run_until_rest(pay_id, first).await?;
        if payment.status.is_live() {
            return Ok(payment);
        }
        self.carry_refunds(payment).await
    }

    async fn run_until_rest(&self, pay_id: PaymentId, first: Option<Step>) -> Result<Payment, Error> {
        let (mut payment, mut step) = (self.database.load_payment(pay_id)?, first);
        for _ in 0..MOST_CALLS {
            let now = step.unwrap_or_else(|| next_step(&payment, self.clock.now(), self.clock.is_known()));
            let Some(answer) = self.take_step(&payment, now).await? else { return Ok(payment) };
            match answer {
                Ok(statement) => (payment, step) = self.hear(&payment, &statement)?,
                // Unknown: the payment stays as it is, the timer asks again, the screen says why.
                Err(_) => return self.database.load_payment(pay_id),
            }
            if step.is_none() {
                break;
            }
        }
        Ok(payment)
    }

    /// One call, written down before it is sent; `None` if there is nothing to call.
    async fn take_step(&self, payment: &Payment, step: Step) -> Result<Option<Result<Statement, GatewayError>>, Error> {
        if !self.is_ours(payment) {
            tracing::error!(out_trade_no = %payment.out_trade_no, account = %payment.account.0, "this payment belongs to other keys");
            return Ok(None);
        }
        let out_trade_no = &payment.out_trade_no;
        let call = match step {
            Step::Rest | Step::QueryRefunds => return Ok(None),
            Step::Precreate => match self.write_precreate(payment)? {
                Some(body) => return Ok(Some(self.call(payment, self.gateway.precreate(out_trade_no, &body)).await)),
                None => return Ok(None),
            },
            Step::Query => self.gateway.query(out_trade_no),
            Step::Close if payment.status.name() == StatusName::Success => return Ok(None),
            Step::Close => {
                self.write_close(payment)?;
                match payment.method {
                    // `close` never moves money; `cancel` would give back a payment made in the same second.
                    Method::Qr => self.gateway.close(out_trade_no),
                    // What may have been charged without the buyer's doing is undone whatever became of it.
                    Method::BuyerCode => self.gateway.cancel(out_trade_no, payment.amount),
                }
            }
        };
        Ok(Some(self.call(payment, call).await))
    }

    /// Judges a statement; says how the payment stands now and what to do next, or nothing if it brought no news.
    pub(crate) fn hear(&self, payment: &Payment, statement: &Statement) -> Result<(Payment, Option<Step>), Error> {
        let input = Input::Told(statement.evidence.clone());
        let Recorded { payment, then, changed } = self.record(payment.pay_id, &input, Some(statement))?;
        let next = match then {
            Step::Rest => None,
            // A question that brought no news is not asked again at once; a refused call is followed by a question.
            Step::Query if !changed && statement.proof.source == Source::Query => None,
            Step::Query | Step::Precreate | Step::Close | Step::QueryRefunds => Some(then),
        };
        Ok((payment, next))
    }

    /// What is sent, and until when it can be paid, is durable before a byte leaves.
    fn write_precreate(&self, payment: &Payment) -> Result<Option<String>, Error> {
        let may_collect = match payment.status {
            Status::Init | Status::Precreated => self.clock.is_known(),
            Status::Paying
            | Status::Closing
            | Status::Success(_)
            | Status::Closed(_)
            | Status::Fail(_)
            | Status::Suspense => false,
        };
        if !may_collect {
            return Ok(None);
        }
        let now = self.clock.now();
        let life = Duration::from_secs(u64::from(self.limits.code_min) * 60);
        let (body, time_expire) = match (&payment.request_body, payment.body_expires_at) {
            (Some(body), Some(time_expire)) => (body.clone(), time_expire),
            // What the lost records sent before is still to come, or to be asked for: another text would be a second code.
            (Some(_) | None, _) if self.check_records().is_err() || self.recovery.is_unconfirmed(payment.pay_id) => {
                return Ok(None);
            }
            (Some(_) | None, _) => {
                let order = self.precreate_order(payment, now.after(life))?;
                (self.gateway.precreate_body(&order), order.time_expire)
            }
        };
        self.write_ahead(payment, payment.before_precreate(now, body.clone(), time_expire, life), EventKind::Asking)?;
        Ok(Some(body))
    }

    fn precreate_order(&self, payment: &Payment, time_expire: yidan_payment::UtcMs) -> Result<PrecreateOrder, Error> {
        let order = self.database.load_order(payment.order_id)?;
        Ok(PrecreateOrder {
            out_trade_no: payment.out_trade_no.clone(),
            amount: payment.amount,
            subject: order.subject,
            // The gateway takes whole seconds.
            time_expire: yidan_payment::UtcMs(time_expire.0 / 1000 * 1000),
            qr_minutes: self.limits.code_min,
            store_id: self.place.store_id.clone(),
            terminal_id: self.place.terminal_id.clone(),
            operator_id: order.operator_id,
            passback_params: Some(self.passback()),
        })
    }

    /// Comes back with every notice: which terminal it is for.
    pub(crate) fn passback(&self) -> String {
        format!("{}{}-{}", self.place.store_id, self.place.terminal_id, self.place.epoch)
    }

    fn write_close(&self, payment: &Payment) -> Result<(), Error> {
        self.write_ahead(payment, payment.before_close(self.clock.now()), EventKind::Asking)
    }

    pub(crate) async fn call(
        &self,
        payment: &Payment,
        answer: crate::gateway::Answer<'_>,
    ) -> Result<Statement, GatewayError> {
        let (began, knew_time) = (self.clock.elapsed(), self.clock.is_known());
        self.contacts.change(payment.pay_id, |contact| {
            contact.asking_since = Some(began);
            contact.asked = contact.asked.saturating_add(1);
            contact.first_asked.get_or_insert(began);
        });
        let answer = answer.await;
        let (now, took) = (self.clock.now(), self.clock.elapsed().saturating_sub(began));
        self.contacts.change(payment.pay_id, |contact| {
            contact.asking_since = None;
            match &answer {
                Ok(_) => {
                    (contact.answered_at, contact.took) = (Some(now), Some(took));
                    (contact.unanswered, contact.limited, contact.trouble) = (0, 0, None);
                }
                Err(GatewayError::Limited) => contact.limited += 1,
                Err(GatewayError::NotSent(source) | GatewayError::Unanswered(source)) => {
                    contact.unanswered += 1;
                    contact.trouble = Some(source.to_string());
                }
            }
        });
        if !knew_time && self.clock.is_known() {
            self.schedule_watched();
        }
        if let Err(error) = &answer {
            self.tell_trouble(payment, error);
        }
        answer
    }
    /// Once per silence, not once per try.
    fn tell_trouble(&self, payment: &Payment, error: &GatewayError) {
        if self.contacts.of(payment.pay_id).unanswered == 1 {
            let why = std::error::Error::source(error).map(ToString::to_string);
            tracing::warn!(out_trade_no = %payment.out_trade_no, why, "{error}");
        }
        self.tell(payment.pay_id);
    }
}
