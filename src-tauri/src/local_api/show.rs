//! A bill as other programs see it: what is known, and what is safe to do.

use serde::Serialize;
use yidan_engine::{Contact, Engine, Error, OrderRow};
use yidan_payment::{Payment, PaymentId, Status, StatusName, UtcMs};

/// A bill, now.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BillView {
    order_id: Option<String>,
    order_no: String,
    out_trade_no: String,
    status: StatusName,
    /// Yuan.
    amount: String,
    /// Yuan that came, all trades together.
    received: String,
    trade_no: Option<String>,
    /// The text to show as a QR code; only while it may be scanned.
    qr_code: Option<String>,
    code_expires_at_ms: Option<i64>,
    /// What is known, for a person.
    known: &'static str,
    /// What is safe to do.
    safe: &'static str,
    /// Why the gateway refused, if it did: its own sentence and code.
    reason: Option<String>,
    /// Why the gateway's last answer could not be used, if so.
    trouble: Option<String>,
    #[serde(skip)]
    source: String,
}

impl BillView {
    /// Whether the gateway has answered about this bill at all.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.status != StatusName::Init
    }

    /// Whether the bill came from this source.
    #[must_use]
    pub fn is_of(&self, source: &str) -> bool {
        self.source == source
    }
}

/// Shows a payment as a bill.
///
/// # Errors
/// [`Error::NoSuchPayment`]; [`Error::Storage`].
pub fn show_bill(engine: &Engine, pay_id: PaymentId) -> Result<BillView, Error> {
    let payment = engine.database().load_payment(pay_id)?;
    let order = engine.database().load_order(payment.order_id)?;
    Ok(view(&payment, order, &engine.contact(pay_id), engine.now()))
}

fn view(payment: &Payment, order: OrderRow, contact: &Contact, now: UtcMs) -> BillView {
    let (known, safe) = words(payment, contact, now);
    let shows_code = payment.status == Status::Precreated && !payment.is_code_over(now);
    let received = yidan_payment::Fen::sum(payment.receipts.iter().map(|receipt| receipt.total)).unwrap_or_default();
    BillView {
        order_id: order.external_ref,
        order_no: order.order_no,
        out_trade_no: payment.out_trade_no.to_string(),
        status: payment.status.name(),
        amount: payment.amount.to_string(),
        received: received.to_string(),
        trade_no: payment.trade_no.as_ref().map(ToString::to_string),
        qr_code: payment.qr_code.as_ref().filter(|_| shows_code).map(|code| code.as_str().to_owned()),
        code_expires_at_ms: payment.code_expires_at.filter(|_| shows_code).map(|end| end.0),
        known,
        safe,
        reason: refusal(payment),
        trouble: contact.trouble.clone(),
        source: order.source,
    }
}

fn refusal(payment: &Payment) -> Option<String> {
    match &payment.status {
        Status::Fail(refusal) => Some(format!("{} ({} {})", refusal.text, refusal.code, refusal.sub_code)),
        Status::Init
        | Status::Precreated
        | Status::Paying
        | Status::Closing
        | Status::Success(_)
        | Status::Closed(_)
        | Status::Suspense => None,
    }
}

fn words(payment: &Payment, contact: &Contact, now: UtcMs) -> (&'static str, &'static str) {
    match payment.status {
        _ if payment.status.is_live() && contact.trouble.is_some() => (
            "the gateway gives no usable answer; the result is unknown",
            "wait: the same number is asked again. Do not collect this bill in another way yet",
        ),
        Status::Init => ("the order is written down", "wait for the code, or stop"),
        Status::Precreated if payment.is_code_over(now) => (
            "the code has ended; nobody has paid",
            "wait: it is closed within two minutes, then it may be collected again",
        ),
        Status::Precreated => ("the code is ready; nobody has paid", "show the code, refresh it, or stop"),
        Status::Paying => ("the buyer has scanned and has not paid yet", "wait; do not hand over the goods yet"),
        Status::Closing => (
            "it was stopped; the code may still be paid until its end is proved",
            "serve the next customer; do not collect this bill again yet",
        ),
        Status::Success(_) => ("paid: Alipay's signature was checked", "hand over the goods"),
        Status::Closed(_) => ("no money came, and none can come", "the bill may be collected again"),
        Status::Fail(_) => {
            ("the gateway refused; no code was shown and no money came", "correct the reason, then collect again")
        }
        Status::Suspense => ("money came that does not fit", "ask the store manager to decide the case"),
    }
}
