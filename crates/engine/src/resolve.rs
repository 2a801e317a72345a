//! "I have paid": finds the order that the customer speaks of, asks the gateway live, and gives one verdict, why it is
//! believed, and the one thing that is safe to do.
//!
//! Must always hold: a screenshot proves nothing; goods are handed over only on the gateway's signed word; while it is
//! silent nobody concludes anything. Nothing here books money: the answer goes through the table like any other.

mod hint;

pub use hint::Hint;

use crate::ask::Asked;
use crate::database::Hit;
use crate::{Engine, Error};
use std::rc::Rc;
use std::time::Duration;
use yidan_payment::{Death, Fen, Payment, PaymentId, Status, StatusName, StoppedBy, UtcMs};

/// How long a customer and a cashier wait for a verdict.
const PATIENCE: Duration = Duration::from_secs(3);
/// Two orders of one customer lie no further apart.
const NEIGHBOURS: Duration = Duration::from_secs(2 * 3600);
/// More neighbours of the same amount than these are not asked for.
const MOST_NEIGHBOURS: usize = 4;

/// The answer to "I have paid".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The verdict.
    pub verdict: Verdict,
    /// The one thing that is safe to do.
    pub action: SafeAction,
    /// Why it is believed: who said what, and when.
    pub said: Vec<Said>,
    /// The order that was asked about; `None` if none or several fit.
    pub order: Option<Hit>,
    /// Every order that fits the hint, the newest first.
    pub hits: Vec<Hit>,
    /// How long the live question took; `None` if nothing was asked.
    pub took: Option<Duration>,
}

/// What is true about the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The money is on our account, for this order.
    Paid,
    /// No money came, and none can come.
    NotPaid,
    /// It may still be paid: the code lives, the buyer is typing, or its end is not proved.
    StillOpen,
    /// The money came on another order.
    PaidOnAnother,
    /// It was paid and all of it went back.
    GivenBack,
    /// Money came that does not fit; a person must decide.
    NeedsManager,
    /// The gateway gives no answer: nobody can tell.
    Unreachable,
    /// More than one order fits.
    SeveralFit,
    /// No order fits.
    NoneFits,
}

/// The one thing that is safe to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SafeAction {
    /// Hand over the goods of this payment's order.
    HandOver(PaymentId),
    /// Collect again, in place of this payment's order.
    CollectAgain(PaymentId),
    /// Collect under a new order: the sale of this one is over, its money came and went back.
    NewOrder(PaymentId),
    /// Show the code of this payment again: nobody has scanned it.
    ShowCode(PaymentId),
    /// Wait: it is asked for every few seconds.
    Wait(PaymentId),
    /// Ask once more. No goods, no second order.
    AskAgain(PaymentId),
    /// Let the manager decide the case.
    AskManager(PaymentId),
    /// Let the customer choose among the hits.
    Choose,
    /// Ask the customer for the merchant's order number in the Alipay bill.
    LookAtBill,
}

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Who says so.
    pub who: Who,
    /// What.
    pub what: What,
    /// When it was said, or happened.
    pub at: Option<UtcMs>,
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Alipay, just now, signed.
    Gateway,
    /// Our own records, which keep Alipay's signed statements.
    Records,
    /// The gateway's clock.
    Clock,
}

/// What is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The trade was paid; `at` is when. The amount is what came.
    Paid(Fen),
    /// So much of it went back.
    Refunded(Fen),
    /// There is no trade: nobody has scanned the code.
    NobodyScanned,
    /// The buyer has scanned and has not paid.
    WaitingForBuyer,
    /// The trade is closed without money.
    TradeClosed,
    /// The code ends, or ended, then.
    CodeEnds,
    /// After that moment no code of the number can be paid.
    DeadAfter,
    /// The cashier or the clock stopped it.
    Stopped(StoppedBy),
    /// The gateway refused the order: its own sentence.
    Refused(String),
    /// No usable answer: why.
    NoAnswer(String),
    /// What was known last.
    LastKnown(StatusName),
    /// The money came on this other order.
    OtherOrder(String),
}

impl Engine {
    /// Answers "I have paid".
    ///
    /// # Errors
    /// [`Error::BadInput`] if the hint is empty or says nothing; [`Error::NoSuchPayment`]; [`Error::Storage`].
    pub async fn resolve(self: &Rc<Self>, hint: &Hint) -> Result<Resolved, Rc<Error>> {
        let hits = self.find_hits(hint).map_err(Rc::new)?;
        match hits.as_slice() {
            [] => Ok(nothing_asked(Verdict::NoneFits, SafeAction::LookAtBill, hits)),
            [_] => self.judge(hits).await,
            [..] => Ok(nothing_asked(Verdict::SeveralFit, SafeAction::Choose, hits)),
        }
    }

    async fn judge(self: &Rc<Self>, hits: Vec<Hit>) -> Result<Resolved, Rc<Error>> {
        let began = self.clock.elapsed();
        let Some(hit) = hits.first().cloned() else {
            return Ok(nothing_asked(Verdict::NoneFits, SafeAction::LookAtBill, hits));
        };
        let asked = self.ask_within(hit.pay_id, PATIENCE).await?;
        let mut resolved = Resolved {
            verdict: Verdict::Unreachable,
            action: SafeAction::AskAgain(hit.pay_id),
            said: what_was_said(&asked),
            order: Some(hit.clone()),
            hits,
            took: None,
        };
        (resolved.verdict, resolved.action) = judge_payment(&asked, self.clock.now());
        if matches!(resolved.verdict, Verdict::NotPaid | Verdict::StillOpen) {
            self.look_next_door(&hit, &asked.payment, &mut resolved).await?;
        }
        resolved.order = Some(self.database.load_hit(hit.pay_id)?);
        resolved.took = Some(self.clock.elapsed().saturating_sub(began));
        Ok(resolved)
    }

    /// The customer may have paid an older code: another order of the sale, or one of the same amount that was stopped.
    async fn look_next_door(
        self: &Rc<Self>,
        hit: &Hit,
        payment: &Payment,
        resolved: &mut Resolved,
    ) -> Result<(), Rc<Error>> {
        let (from, until) = (hit.created_at.before(NEIGHBOURS), hit.created_at.after(NEIGHBOURS));
        let near = self.database.list_hits_by_amount(Some(hit.amount), from, until)?;
        let mut asked = 0;
        for other in near.into_iter().filter(|other| other.pay_id != hit.pay_id) {
            let before = self.database.load_payment(other.pay_id)?;
            if before.sale_id != payment.sale_id && before.stopped_by.is_none() && !is_over_unpaid(&before.status) {
                continue;
            }
            let brought = match before.receipts.is_empty() && asked < MOST_NEIGHBOURS {
                true => {
                    asked += 1;
                    self.ask_within(other.pay_id, PATIENCE).await?.payment
                }
                false => before,
            };
            if let Some(receipt) = brought.receipts.first().filter(|_| !left_of(&brought).is_zero()) {
                let (paid, at) = (What::Paid(receipt.total), receipt.paid_at);
                resolved.said.push(Said { who: Who::Records, what: What::OtherOrder(other.order_no), at });
                resolved.said.push(Said { who: Who::Gateway, what: paid, at });
                resolved.verdict = Verdict::PaidOnAnother;
                resolved.action = match brought.status {
                    Status::Success(_) => SafeAction::HandOver(brought.pay_id),
                    Status::Init
                    | Status::Precreated
                    | Status::Paying
                    | Status::Closing
                    | Status::Closed(_)
                    | Status::Fail(_)
                    | Status::Suspense => SafeAction::AskManager(brought.pay_id),
                };
                return Ok(());
            }
        }
        Ok(())
    }
}

fn nothing_asked(verdict: Verdict, action: SafeAction, hits: Vec<Hit>) -> Resolved {
    Resolved { verdict, action, said: Vec::new(), order: None, hits, took: None }
}

/// Whether it ended without money of its own.
fn is_over_unpaid(status: &Status) -> bool {
    match status {
        Status::Closed(_) | Status::Fail(_) | Status::Suspense => true,
        Status::Init | Status::Precreated | Status::Paying | Status::Closing | Status::Success(_) => false,
    }
}

/// What has come and not gone back.
fn left_of(payment: &Payment) -> Fen {
    payment.books().ok().and_then(|books| books.recognised.plus(books.suspense)).unwrap_or(Fen::ZERO)
}

fn judge_payment(asked: &Asked, now: UtcMs) -> (Verdict, SafeAction) {
    let payment = &asked.payment;
    let pay_id = payment.pay_id;
    match (&payment.status, asked.answered_at) {
        (Status::Success(_), _) if left_of(payment).is_zero() => (Verdict::GivenBack, SafeAction::NewOrder(pay_id)),
        // Booked on the gateway's signed word, whether it answers now or not.
        (Status::Success(_), _) => (Verdict::Paid, SafeAction::HandOver(pay_id)),
        (Status::Suspense, _) => (Verdict::NeedsManager, SafeAction::AskManager(pay_id)),
        (
            Status::Init | Status::Precreated | Status::Paying | Status::Closing | Status::Closed(_) | Status::Fail(_),
            None,
        ) => (Verdict::Unreachable, SafeAction::AskAgain(pay_id)),
        (Status::Closed(_) | Status::Fail(_), Some(_)) => (Verdict::NotPaid, SafeAction::CollectAgain(pay_id)),
        (Status::Precreated, Some(_)) if !payment.is_code_over(now) => {
            (Verdict::StillOpen, SafeAction::ShowCode(pay_id))
        }
        (Status::Init | Status::Precreated | Status::Paying | Status::Closing, Some(_)) => {
            (Verdict::StillOpen, SafeAction::Wait(pay_id))
        }
    }
}

/// Who said what, the strongest first.
fn what_was_said(asked: &Asked) -> Vec<Said> {
    let payment = &asked.payment;
    let (who, at) = match asked.answered_at {
        Some(at) => (Who::Gateway, Some(at)),
        None => (Who::Records, payment.booked_at),
    };
    let mut said = Vec::new();
    if let Some(trouble) = &asked.trouble {
        said.push(Said { who: Who::Gateway, what: What::NoAnswer(trouble.clone()), at: None });
        said.push(Said { who: Who::Records, what: What::LastKnown(payment.status.name()), at: None });
    }
    for receipt in &payment.receipts {
        said.push(Said { who, what: What::Paid(receipt.total), at: receipt.paid_at.or(at) });
        let back = payment.refunded_of(&receipt.trade_no);
        if !back.is_zero() {
            said.push(Said { who, what: What::Refunded(back), at: None });
        }
    }
    if payment.receipts.is_empty() && asked.trouble.is_none() {
        said.extend(what_became(payment).map(|what| Said { who, what, at }));
    }
    if let Some(by) = payment.stopped_by {
        said.push(Said { who: Who::Records, what: What::Stopped(by), at: None });
    }
    if payment.receipts.is_empty() {
        said.extend(payment.code_expires_at.map(|at| Said { who: Who::Clock, what: What::CodeEnds, at: Some(at) }));
        said.extend(payment.dead_after.map(|at| Said { who: Who::Clock, what: What::DeadAfter, at: Some(at) }));
    }
    said
}

fn what_became(payment: &Payment) -> Option<What> {
    match &payment.status {
        Status::Paying => Some(What::WaitingForBuyer),
        Status::Closing if payment.trade_seen => Some(What::WaitingForBuyer),
        Status::Closed(Death::TradeClosed) => Some(What::TradeClosed),
        Status::Closed(Death::NobodyScanned | Death::NeverShown)
        | Status::Init
        | Status::Precreated
        | Status::Closing => Some(What::NobodyScanned),
        Status::Fail(refusal) => Some(What::Refused(refusal.text.clone())),
        Status::Success(_) | Status::Suspense => None,
    }
}
