//! Refunds: written down, asked for, sent, and asked for until known. The table (`yidan_payment::apply`) books them.
//!
//! Must always hold: a number is durable before its first byte leaves, and asked for before it is first sent; a retry is
//! the same number and amount; what one click wished for is one refund. Deliberately absent: any amount from an answer to
//! the refund call itself, since `refund_fee` is cumulative.

use crate::contact::Contact;
use crate::database::{WriteError, find_refund_request};
use crate::record::load;
use crate::{Act, Approval, Engine, Error};
use rusqlite::Transaction;
use std::rc::Rc;
use std::time::Duration;
use yidan_alipay::{RefundOrder, RefundQuestion};
use yidan_payment::{
    Booked, Evidence, Fen, Input, Outcome, Payment, PaymentId, Refund, RefundStatus, RefundWish, Refunding, RequestId,
    Statement, Status, Step, TradeNo, UtcMs, WishRefused, apply,
};
use yidan_wire::EventKind;

const PAUSE: Duration = Duration::from_secs(3);
const SLOWEST: Duration = Duration::from_secs(60);
/// A refund that somebody told us about and the gateway does not know is asked about for so long.
const TOLD_PATIENCE: Duration = Duration::from_secs(3600);

/// What is to go back.
#[derive(Debug)]
pub struct NewRefund {
    /// Minted once per draft of a refund, never per click.
    pub request_id: RequestId,
    /// Of which payment.
    pub pay_id: PaymentId,
    /// Of which trade; `None`: the one that made the payment SUCCESS.
    pub trade_no: Option<TradeNo>,
    /// How much.
    pub amount: Fen,
    /// Why; the buyer may read it.
    pub reason: String,
    /// What had gone back when the person looked. If it is more by now, somebody else was faster and nothing is done.
    /// `None`: not compared.
    pub seen_refunded: Option<Fen>,
    /// [`Act::Refund`] of this payment and amount.
    pub approval: Approval,
}

/// What came of a wish: look at the refund's status. SUCCESS: the money is back. INIT or PROCESSING: not known yet, and
/// asked for until it is. FAIL: refused for good, for the reason in `refused`; [`Engine::retry_refund`] tries again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refunded {
    /// The payment afterwards.
    pub payment: Payment,
    /// The refund.
    pub refund: Refund,
}

impl Engine {
    /// Gives money back: one refund, however often it is clicked.
    ///
    /// Returns when the money is back or refused, or when the gateway gives no usable answer for now: the wish is durable
    /// in any case and is carried to its end.
    ///
    /// # Errors
    /// [`Error::ContentChanged`] if the click is known with other content; [`Error::NotApproved`];
    /// [`WishRefused::MoreThanIsLeft`], [`WishRefused::RefundUnderWay`], [`WishRefused::NoSuchMoney`],
    /// [`WishRefused::NotNow`]; [`Error::HistoryDiffers`]; [`Error::Storage`].
    pub async fn refund(self: &Rc<Self>, wanted: NewRefund) -> Result<Refunded, Rc<Error>> {
        let request_id = wanted.request_id;
        let pay_id = self.write_refund(&wanted).map_err(Rc::new)?;
        self.finish_refund(pay_id, request_id).await
    }

    /// Tries a refused refund again, under its number.
    ///
    /// # Errors
    /// As [`Engine::refund`]; [`WishRefused::NotNow`] if it was not refused.
    pub async fn retry_refund(
        self: &Rc<Self>,
        request_id: RequestId,
        approval: Approval,
    ) -> Result<Refunded, Rc<Error>> {
        let known =
            self.find_refund(request_id).map_err(Rc::new)?.ok_or_else(|| Rc::new(WishRefused::NotNow.into()))?;
        let Refunded { payment, refund } = known;
        let act = Act::Refund { pay_id: payment.pay_id, amount: refund.amount };
        approval.check(act).map_err(Rc::new)?;
        let number = refund.out_request_no.unwrap_or_default();
        let retry = Input::Retry { out_request_no: number, approver_id: approval.approved_by().to_owned() };
        self.record(payment.pay_id, &retry, None).map_err(Rc::new)?;
        self.finish_refund(payment.pay_id, request_id).await
    }

    /// Asks about a refund that somebody told us about (a notice's `out_biz_no`, a line of a bill). The question is
    /// durable when this is called and is asked until it is answered; only the answer books anything.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn ask_refund(self: &Rc<Self>, pay_id: PaymentId, out_request_no: &str) -> Result<Payment, Rc<Error>> {
        self.database.keep_refund_question(pay_id, out_request_no, self.now()).map_err(Rc::new)?;
        // The payment first: it may not be known yet that it was paid.
        self.advance_with(pay_id, Step::Query).await
    }

    /// The refund that this click made.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn find_refund(&self, request_id: RequestId) -> Result<Option<Refunded>, Error> {
        let found = self.database.read("find a refund", |connection| find_refund_request(connection, request_id))?;
        let Some(pay_id) = found else { return Ok(None) };
        let payment = self.database.load_payment(pay_id)?;
        let is_it = |refund: &&Refund| refund.wish.as_ref().is_some_and(|wish| wish.request_id == request_id);
        let refund = payment.refunds.iter().find(is_it).cloned();
        Ok(refund.map(|refund| Refunded { payment, refund }))
    }

    pub(crate) async fn finish_refund(
        self: &Rc<Self>,
        pay_id: PaymentId,
        request_id: RequestId,
    ) -> Result<Refunded, Rc<Error>> {
        let is_open = |known: &Option<Refunded>| known.as_ref().is_some_and(|known| known.refund.is_under_way());
        if is_open(&self.find_refund(request_id).map_err(Rc::new)?) {
            self.advance_with(pay_id, Step::QueryRefunds).await?;
        }
        let known = self.find_refund(request_id).map_err(Rc::new)?;
        known.ok_or_else(|| Rc::new(Error::NoSuchPayment(pay_id)))
    }

    /// The wish, durable before anything is sent; or the one that this click made before.
    fn write_refund(&self, wanted: &NewRefund) -> Result<PaymentId, Error> {
        wanted.approval.check(Act::Refund { pay_id: wanted.pay_id, amount: wanted.amount })?;
        let written = self.database.write("write down a refund", |transaction| {
            match find_refund_request(transaction, wanted.request_id)? {
                Some(pay_id) => self.check_same_refund(&load(transaction, pay_id)?, wanted).map(|()| None),
                None => self.insert_refund(transaction, wanted).map(Some),
            }
        })?;
        if let Some(outcome) = written {
            self.after_refund_written(&outcome);
        }
        Ok(wanted.pay_id)
    }

    fn check_same_refund(&self, payment: &Payment, wanted: &NewRefund) -> Result<(), WriteError> {
        let is_same = payment.pay_id == wanted.pay_id
            && payment.refunds.iter().any(|refund| {
                refund.wish.as_ref().is_some_and(|wish| wish.request_id == wanted.request_id)
                    && refund.amount == wanted.amount
                    && wanted.trade_no.as_ref().is_none_or(|trade_no| *trade_no == refund.trade_no)
            });
        if is_same {
            return Ok(());
        }
        tracing::error!(out_trade_no = %payment.out_trade_no, request_id = %wanted.request_id, "the same click with other content");
        Err(WriteError::Refused(Error::ContentChanged { request_id: wanted.request_id.to_string() }))
    }

    fn insert_refund(&self, transaction: &Transaction<'_>, wanted: &NewRefund) -> Result<Outcome, WriteError> {
        let refuse = |why: Error| Err(WriteError::Refused(why));
        self.check_records()?;
        let before = load(transaction, wanted.pay_id)?;
        let Some(trade_no) = wanted.trade_no.clone().or_else(|| paying_trade(&before)) else {
            return refuse(WishRefused::NotNow.into());
        };
        if !self.is_ours(&before) {
            return refuse(WishRefused::NotNow.into());
        }
        if wanted.seen_refunded.is_some_and(|seen| seen != before.refunded_of(&trade_no)) {
            return refuse(WishRefused::RefundUnderWay.into());
        }
        let now = self.now();
        let input = Input::Refund {
            trade_no,
            out_request_no: before.next_refund_number(Booked::Recognised),
            amount: wanted.amount,
            wish: RefundWish {
                request_id: wanted.request_id,
                reason: wanted.reason.trim().to_owned(),
                operator_id: wanted.approval.asked_by().to_owned(),
                approver_id: wanted.approval.approved_by().to_owned(),
                asked_at: now,
            },
        };
        let outcome = apply(&before, &input, now);
        if let Some(why) = outcome.refused {
            return refuse(why.into());
        }
        self.write_outcome(transaction, &before, &outcome, (&input, None, &[]), now)?;
        Ok(outcome)
    }

    /// Whatever happens to the run that follows, this refund is carried on.
    pub(crate) fn after_refund_written(&self, outcome: &Outcome) {
        self.schedule.put(outcome.payment.pay_id, self.clock.elapsed() + PAUSE, None);
        self.after_change(&outcome.payment);
    }

    /// Carries every refund of a payment as far as it can go now.
    pub(crate) async fn carry_refunds(&self, payment: Payment) -> Result<Payment, Error> {
        let pay_id = payment.pay_id;
        if !self.is_ours(&payment) {
            return Ok(payment);
        }
        for (place, what) in payment.refunds_to_ask() {
            match what {
                Refunding::Settle => self.settle_refund(pay_id, place).await?,
                Refunding::Prove => self.prove_refund(pay_id, place).await?,
                Refunding::ProveByTrade => self.prove_by_trade(pay_id).await?,
            }
        }
        if count_failed(&self.database.load_payment(pay_id)?) > count_failed(&payment) {
            // It may have explained a part of a closing that somebody else made.
            self.keep_ask(pay_id)?;
            self.prove_by_trade(pay_id).await?;
        }
        for (number, since) in self.database.list_refund_questions(pay_id)? {
            self.ask_about(pay_id, &number, since).await?;
        }
        self.database.load_payment(pay_id)
    }

    async fn settle_refund(&self, pay_id: PaymentId, place: usize) -> Result<(), Error> {
        let payment = self.database.load_payment(pay_id)?;
        let Some(question) = question_of(&payment, place) else { return Ok(()) };
        let Ok(told) = self.call(&payment, self.gateway.refund_query(&question)).await else { return Ok(()) };
        if let Evidence::NotRefunded(answer) = &told.evidence
            && payment.may_send_refund(place, answer)
        {
            return self.send_refund(&payment, place).await;
        }
        self.hear_refund(pay_id, &told)
    }

    async fn send_refund(&self, payment: &Payment, place: usize) -> Result<(), Error> {
        let (Some(order), Some(question)) = (order_of(payment, place), question_of(payment, place)) else {
            return Ok(());
        };
        self.write_ahead(payment, payment.before_refund(place, self.now()), EventKind::Refunding)?;
        let Ok(told) = self.call(payment, self.gateway.refund(&order)).await else { return Ok(()) };
        if let Evidence::RefundRefused { .. } = told.evidence {
            return self.hear_refund(payment.pay_id, &told);
        }
        // Only the refund query names number and amount, for those who believe nobody.
        match self.call(payment, self.gateway.refund_query(&question)).await {
            Ok(Statement { evidence: Evidence::NotRefunded(_), .. }) | Err(_) => {
                self.hear_refund(payment.pay_id, &told)
            }
            Ok(proved) => self.hear_refund(payment.pay_id, &proved),
        }
    }

    /// Hears nothing but the proof: the refund is booked already.
    async fn prove_refund(&self, pay_id: PaymentId, place: usize) -> Result<(), Error> {
        let payment = self.database.load_payment(pay_id)?;
        let Some(question) = question_of(&payment, place) else { return Ok(()) };
        match self.call(&payment, self.gateway.refund_query(&question)).await {
            Ok(told) => self.hear_refund(pay_id, &told),
            Err(_) => Ok(()),
        }
    }

    async fn prove_by_trade(&self, pay_id: PaymentId) -> Result<(), Error> {
        let payment = self.database.load_payment(pay_id)?;
        match self.call(&payment, self.gateway.query(&payment.out_trade_no)).await {
            Ok(told) => self.hear_refund(pay_id, &told),
            Err(_) => Ok(()),
        }
    }

    /// Asks about a refund that we only heard of. Whose it is, its number says.
    async fn ask_about(&self, pay_id: PaymentId, number: &str, since: UtcMs) -> Result<(), Error> {
        let payment = self.database.load_payment(pay_id)?;
        let Some(trade_no) = payment.trade_no.clone().filter(|_| !payment.receipts.is_empty()) else { return Ok(()) };
        let question =
            RefundQuestion { trade_no, out_trade_no: payment.out_trade_no.clone(), out_request_no: number.to_owned() };
        let Ok(told) = self.call(&payment, self.gateway.refund_query(&question)).await else { return Ok(()) };
        if let Evidence::NotRefunded(answer) = &told.evidence
            && answer.asked_at < since.after(TOLD_PATIENCE)
        {
            return Ok(());
        }
        self.hear_refund(pay_id, &name_owner(&payment, told))?;
        self.database.drop_refund_question(pay_id, number)
    }

    fn hear_refund(&self, pay_id: PaymentId, told: &Statement) -> Result<(), Error> {
        self.record(pay_id, &Input::Told(told.evidence.clone()), Some(told)).map(|_| ())
    }

    /// How long to wait before a payment's refunds are asked for again; `None` if none needs it.
    pub(crate) fn refund_pause(&self, payment: &Payment, contact: &Contact) -> Option<Duration> {
        let open = payment.refunds_to_ask();
        let tries = open.iter().filter_map(|(place, _)| payment.refunds.get(*place)).map(|refund| refund.tries).max();
        // If it cannot be read, that was logged; the next look at the payment tries again.
        let is_told = self.database.list_refund_questions(payment.pay_id).is_ok_and(|told| !told.is_empty());
        if open.is_empty() && !is_told {
            return None;
        }
        let slower = tries.unwrap_or(1).max(contact.unanswered).max(contact.limited * 4).clamp(1, 20);
        Some((PAUSE * slower).min(SLOWEST))
    }
}

fn count_failed(payment: &Payment) -> usize {
    payment.refunds.iter().filter(|refund| refund.status == RefundStatus::Fail).count()
}

/// A refund whose number is not of our making was made elsewhere.
fn name_owner(payment: &Payment, told: Statement) -> Statement {
    if let Evidence::RefundedOurs(fact) = &told.evidence
        && !fact.out_request_no.as_deref().is_some_and(|number| payment.is_own_refund(number))
    {
        return Statement { evidence: Evidence::RefundedElsewhere(fact.clone()), ..told };
    }
    told
}

/// The trade whose money pays for the sale.
fn paying_trade(payment: &Payment) -> Option<TradeNo> {
    match &payment.status {
        Status::Success(money) => Some(money.trade_no().clone()),
        Status::Init
        | Status::Precreated
        | Status::Paying
        | Status::Closing
        | Status::Closed(_)
        | Status::Fail(_)
        | Status::Suspense => None,
    }
}

fn question_of(payment: &Payment, place: usize) -> Option<RefundQuestion> {
    let refund = payment.refunds.get(place)?;
    let (trade_no, out_request_no) = (refund.trade_no.clone(), refund.out_request_no.clone()?);
    Some(RefundQuestion { trade_no, out_trade_no: payment.out_trade_no.clone(), out_request_no })
}

fn order_of(payment: &Payment, place: usize) -> Option<RefundOrder> {
    let refund = payment.refunds.get(place)?;
    let wish = refund.wish.as_ref()?;
    Some(RefundOrder {
        trade_no: refund.trade_no.clone(),
        out_trade_no: payment.out_trade_no.clone(),
        out_request_no: refund.out_request_no.clone()?,
        amount: refund.amount,
        reason: wish.reason.clone(),
        operator_id: wish.operator_id.clone(),
    })
}
