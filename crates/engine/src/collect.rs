//! Collecting: an order and its payment become durable, then the loop carries them on.
//!
//! Must always hold: the same click, bill or screen never makes a second payment.

use crate::database::{self, OrderRow, WriteError};
use crate::ids::{bill_number, new_id, typed_number};
use crate::record::News;
use crate::{Engine, Error};
use rusqlite::Transaction;
use std::rc::Rc;
use std::time::Duration;
use yidan_payment::{
    Fen, Hash, Intent, Method, OrderId, OrderStatus, OutTradeNo, Payment, PaymentId, RequestId, SaleId, Status, UtcMs,
};
use yidan_wire::EventKind;

/// What is to be collected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewOrder {
    /// Minted once per draft, never per click.
    pub request_id: RequestId,
    /// How much.
    pub amount: Fen,
    /// What the buyer reads; the shop's usual word if empty.
    pub subject: String,
    /// Who collects.
    pub operator_id: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where an order comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Typed at this counter's screen, which has one current payment at a time.
    Counter {
        /// The cashier was asked, and says that this is another customer than the one whose equal amount is still closing.
        another_customer: bool,
    },
    /// A bill of another program.
    Bill {
        /// Which program.
        source: String,
        /// Its number.
        external_ref: String,
    },
    /// Once more, after a payment of the sale has surely ended without money.
    Again {
        /// The order to replace.
        replaces: OrderId,
    },
}

/// What came of a click.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Collected {
    /// The payment; its code may be on the way.
    Payment(Box<Payment>),
    /// The same amount is still closing. Ask once: the same customer (resume it), or another?
    SameAmountClosing(Box<Payment>),
}

impl Engine {
    /// Collects an order: one payment, whatever is clicked twice.
    ///
    /// Returns when the code is known, or when the gateway gives no answer for now: the intent is durable in any case.
    ///
    /// # Errors
    /// [`Error::ContentChanged`] or [`Error::BillChanged`] if the click or the bill is known with other content;
    /// [`Error::BillOwned`], [`Error::NoClaim`] or [`Error::SourceNotOurs`] if the bill is not this terminal's;
    /// [`Error::HistoryDiffers`], [`Error::Recovering`]; [`Error::StillPayable`]; [`Error::Storage`].
    pub async fn collect(self: &Rc<Self>, order: NewOrder) -> Result<Collected, Rc<Error>> {
        let order = tidy(order).map_err(Rc::new)?;
        let pay_id = match self.find_or_claim(&order).await? {
            Some(Collected::SameAmountClosing(payment)) => return Ok(Collected::SameAmountClosing(payment)),
            Some(Collected::Payment(known)) if known.status != Status::Init => return Ok(Collected::Payment(known)),
            Some(Collected::Payment(known)) => known.pay_id,
            None => self.write_intent(&order, None).map_err(Rc::new)?,
        };
        Ok(Collected::Payment(Box::new(self.advance(pay_id).await?)))
    }

    /// The payment that this order has already; if it has none, its bill is this terminal's when this returns.
    pub(crate) async fn find_or_claim(&self, order: &NewOrder) -> Result<Option<Collected>, Rc<Error>> {
        let known = match self.find_known(order)? {
            // While headquarters was asked, the same bill may have been clicked again.
            None => {
                self.claim_bill(order).await?;
                self.find_known(order)?
            }
            known => known,
        };
        Ok(known)
    }

    /// The payment that this order has already, or that stands in its way.
    fn find_known(&self, order: &NewOrder) -> Result<Option<Collected>, Error> {
        if let Some((known, pay_id)) = self.database.find_by_request(order.request_id)? {
            if known.content_hash != content_hash(order) {
                tracing::error!(request_id = %order.request_id, "the same click with other content");
                return Err(Error::ContentChanged { request_id: order.request_id.to_string() });
            }
            return self.known(pay_id);
        }
        match &order.origin {
            Origin::Counter { another_customer } => self.find_current(order.amount, *another_customer),
            Origin::Bill { source, external_ref } => self.find_bill(order, source, external_ref),
            Origin::Again { replaces } => self.find_again(*replaces),
        }
    }

    fn known(&self, pay_id: PaymentId) -> Result<Option<Collected>, Error> {
        Ok(Some(Collected::Payment(Box::new(self.database.load_payment(pay_id)?))))
    }

    /// A screen has one current payment: while its code may be shown, a click shows it again.
    fn find_current(&self, amount: Fen, another_customer: bool) -> Result<Option<Collected>, Error> {
        let mut closing = None;
        for pay_id in self.database.list_in_the_way(COUNTER, amount)? {
            let payment = self.database.load_payment(pay_id)?;
            match payment.status {
                Status::Init | Status::Precreated | Status::Paying => {
                    return Ok(Some(Collected::Payment(Box::new(payment))));
                }
                Status::Closing if payment.amount == amount => closing = Some(payment),
                Status::Closing | Status::Success(_) | Status::Closed(_) | Status::Fail(_) | Status::Suspense => {}
            }
        }
        Ok(closing.filter(|_| !another_customer).map(|payment| Collected::SameAmountClosing(Box::new(payment))))
    }

    /// Live payments of this counter's screen, the oldest first.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_live_at_counter(&self) -> Result<Vec<Payment>, Error> {
        let live = self.database.list_live_from(COUNTER)?;
        live.into_iter().map(|pay_id| self.database.load_payment(pay_id)).collect()
    }

    fn find_bill(&self, order: &NewOrder, source: &str, external_ref: &str) -> Result<Option<Collected>, Error> {
        let Some((known, pay_id)) = self.database.find_by_bill(source, external_ref)? else { return Ok(None) };
        if known.amount != order.amount || known.subject != order.subject {
            tracing::error!(source, external_ref, "the same bill with another amount or subject");
            return Err(Error::BillChanged { external_ref: external_ref.into() });
        }
        let payment = self.database.load_payment(pay_id)?;
        Ok(match payment.status {
            // It ended without money, and this is a new click: collect the bill again.
            Status::Closed(_) | Status::Fail(_) => None,
            Status::Init
            | Status::Precreated
            | Status::Paying
            | Status::Closing
            | Status::Success(_)
            | Status::Suspense => Some(Collected::Payment(Box::new(payment))),
        })
    }

    fn find_again(&self, replaces: OrderId) -> Result<Option<Collected>, Error> {
        match self.database.find_replacement(replaces)? {
            Some((_, pay_id)) => self.known(pay_id),
            None => Ok(None),
        }
    }

    /// The order and its payment, durable before anything is sent.
    pub(crate) fn write_intent(&self, order: &NewOrder, code_hash: Option<Hash>) -> Result<PaymentId, Error> {
        self.check_records()?;
        let now = self.clock.now();
        let replaced = self.find_replaced(order)?;
        let payment = self.database.write("write down the order", |transaction| {
            if let Some(replaced) = &replaced {
                refuse_if_payable(transaction, replaced.sale_id)?;
            }
            let row = self.new_order(transaction, order, replaced.as_ref(), now)?;
            let method = if code_hash.is_some() { Method::BuyerCode } else { Method::Qr };
            let payment = self.new_payment(&row, method)?;
            database::insert_order(transaction, &row, OrderStatus::Created)?;
            database::insert_payment(transaction, &payment)?;
            if let Some(hash) = code_hash {
                database::insert_code(transaction, hash, payment.pay_id)?;
            }
            self.append(transaction, &payment, &News::of(EventKind::Collecting), now)?;
            Ok(payment)
        })?;
        tracing::info!(out_trade_no = %payment.out_trade_no, "collecting");
        // Whatever happens to the call that follows, this payment is asked for.
        self.schedule.put(payment.pay_id, self.clock.elapsed() + FIRST_LOOK, None);
        self.tell(payment.pay_id);
        self.outbox.notify_one();
        Ok(payment.pay_id)
    }

    /// The order to be replaced, if there is one: only after it has surely ended without money.
    fn find_replaced(&self, order: &NewOrder) -> Result<Option<OrderRow>, Error> {
        let replaced = match &order.origin {
            Origin::Counter { .. } => None,
            Origin::Bill { source, external_ref } => self.database.find_by_bill(source, external_ref)?,
            Origin::Again { replaces } => {
                self.database.find_by_request(self.database.load_order(*replaces)?.request_id)?
            }
        };
        let Some((row, pay_id)) = replaced else { return Ok(None) };
        match self.database.load_payment(pay_id)?.status {
            Status::Closed(_) | Status::Fail(_) => Ok(Some(row)),
            Status::Init
            | Status::Precreated
            | Status::Paying
            | Status::Closing
            | Status::Success(_)
            | Status::Suspense => Err(Error::StillPayable),
        }
    }

    fn new_order(
        &self,
        transaction: &Transaction<'_>,
        order: &NewOrder,
        replaced: Option<&OrderRow>,
        now: UtcMs,
    ) -> Result<OrderRow, WriteError> {
        let business_day = self.day_of(now);
        let day_seq = database::next_day_seq(transaction, &business_day)?;
        let ids = self.ids.as_ref();
        let (source, external_ref) = match (&order.origin, replaced) {
            (Origin::Bill { source, external_ref }, _) => (source.clone(), Some(external_ref.clone())),
            (Origin::Again { .. }, Some(row)) => (row.source.clone(), row.external_ref.clone()),
            (Origin::Counter { .. } | Origin::Again { .. }, _) => (COUNTER.into(), None),
        };
        Ok(OrderRow {
            order_id: new_id(ids),
            sale_id: replaced.map_or_else(|| SaleId::new(ids.uuid()), |row| row.sale_id),
            order_no: self.order_no(&business_day, day_seq),
            source,
            external_ref,
            attempt: replaced.map_or(0, |row| row.attempt + 1),
            amount: order.amount,
            subject: order.subject.clone(),
            operator_id: order.operator_id.clone(),
            business_day,
            day_seq,
            request_id: order.request_id,
            content_hash: content_hash(order),
            replaces: replaced.map(|row| row.order_id),
            created_at: now,
        })
    }

    pub(crate) fn order_no(&self, business_day: &str, day_seq: i64) -> String {
        format!("{}-{}-{day_seq:04}", self.place.terminal_id, business_day.replace('-', ""))
    }

    /// An order written down while only the PC's clock was known moves to the day that the gateway's clock says, before
    /// anything of it is sent.
    pub(crate) fn correct_day(
        &self,
        transaction: &Transaction<'_>,
        payment: &Payment,
        now: UtcMs,
    ) -> Result<(), WriteError> {
        let order = database::load_order(transaction, payment.order_id)?;
        let business_day = self.day_of(now);
        if payment.precreated_at.is_some() || order.business_day == business_day {
            return Ok(());
        }
        let day_seq = database::next_day_seq(transaction, &business_day)?;
        let order_no = self.order_no(&business_day, day_seq);
        database::move_to_day(transaction, payment.order_id, &business_day, day_seq, &order_no)
    }

    fn new_payment(&self, order: &OrderRow, method: Method) -> Result<Payment, WriteError> {
        let intent = Intent {
            pay_id: new_id(self.ids.as_ref()),
            order_id: order.order_id,
            sale_id: order.sale_id,
            method,
            account: self.gateway.account(),
            out_trade_no: self.mint_number(order)?,
            amount: order.amount,
            created_at: order.created_at,
        };
        Ok(intent.begin())
    }

    fn mint_number(&self, order: &OrderRow) -> Result<OutTradeNo, WriteError> {
        let number = match &order.external_ref {
            Some(external_ref) => bill_number(&self.place.store_id, &order.source, external_ref, order.attempt),
            None => typed_number(&self.place, &order.business_day, order.day_seq, self.ids.random()),
        };
        number.map_err(|error| WriteError::Refused(Error::BadInput(error.to_string())))
    }
}

/// A new order of a sale only if no other can bring money, and none has brought any that is still there.
fn refuse_if_payable(transaction: &Transaction<'_>, sale_id: SaleId) -> Result<(), WriteError> {
    let live = database::list_live_of_sale(transaction, sale_id)?;
    if !live.is_empty() || database::has_money(transaction, sale_id, None)? {
        return Err(WriteError::Refused(Error::StillPayable));
    }
    Ok(())
}

/// A payment is asked for this long after it was written down, if nothing else has done so.
const FIRST_LOOK: Duration = Duration::from_secs(3);
/// Orders typed at this counter's screen.
pub(crate) const COUNTER: &str = "counter";
const LONGEST_SUBJECT: usize = 120;
const LONGEST_REF: usize = 64;

pub(crate) fn tidy(mut order: NewOrder) -> Result<NewOrder, Error> {
    order.subject = order.subject.trim().to_owned();
    if order.subject.is_empty() {
        order.subject = "商品".into();
    }
    if order.subject.chars().count() > LONGEST_SUBJECT {
        return Err(Error::BadInput(format!("the subject may have at most {LONGEST_SUBJECT} characters")));
    }
    if order.amount.is_zero() {
        return Err(Error::BadInput(yidan_payment::FenError::Zero.to_string()));
    }
    if let Origin::Bill { source, external_ref } = &order.origin {
        let fits = |text: &str| !text.trim().is_empty() && text.len() <= LONGEST_REF;
        if !fits(source) || !fits(external_ref) || source == COUNTER {
            return Err(Error::BadInput(format!("the order's number must have 1 to {LONGEST_REF} characters")));
        }
    }
    Ok(order)
}

/// What makes two clicks the same: everything the customer would notice.
fn content_hash(order: &NewOrder) -> Hash {
    let origin = match &order.origin {
        Origin::Counter { .. } => COUNTER.to_owned(),
        Origin::Bill { source, external_ref } => format!("bill\n{source}\n{external_ref}"),
        Origin::Again { replaces } => format!("again\n{replaces}"),
    };
    Hash::of(format!("{}\n{origin}\n{}", order.amount.as_fen(), order.subject).as_bytes())
}
