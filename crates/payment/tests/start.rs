//! Payments to start a test from, and the words with which a test says what is special about one.
//!
//! The story behind all of them: 10.00 yuan; the precreate was sent at [`SENT`], its code ends 300 s later, and it is
//! now 60 s after the precreate.

use std::time::Duration;
use yidan_payment::{
    Account, Booked, Death, Evidence, Fen, Input, Intent, Method, NoRefund, NoTrade, OrderId, OutTradeNo, PaidTrade,
    Payment, PaymentId, Receipt, Refund, RefundFact, RefundOrigin, RefundStatus, RefundWish, Refusal, RequestId,
    SaleId, SeenTrade, Status, StatusName, StoppedBy, TradeNo, UtcMs,
};

/// When the precreate was sent.
pub const SENT: UtcMs = UtcMs(1_796_000_000_000);
/// When the input arrives.
pub const NOW: UtcMs = UtcMs(SENT.0 + 60_000);
/// The order's amount: 10.00 yuan.
pub const AMOUNT: i64 = 1_000;

/// The moment `seconds` after the precreate was sent.
pub fn at(seconds: i64) -> UtcMs {
    UtcMs(SENT.0 + seconds * 1_000)
}

pub fn fen(amount: i64) -> Fen {
    Fen::from_fen(amount).unwrap()
}

pub fn trade(number: &str) -> TradeNo {
    TradeNo::new(number).unwrap()
}

pub fn refusal(sub_code: &str) -> Refusal {
    Refusal { code: "40004".into(), sub_code: sub_code.into(), text: "交易失败".into() }
}

/// A payment that was just written down: nothing was sent.
pub fn fresh() -> Payment {
    let uuid = uuid::Uuid::from_u128(1);
    let intent = Intent {
        pay_id: PaymentId::new(uuid),
        order_id: OrderId::new(uuid),
        sale_id: SaleId::new(uuid),
        method: Method::Qr,
        account: Account("2021000100000001@openapi.alipay.com".into()),
        out_trade_no: OutTradeNo::new("S01T02_20261130_000100").unwrap(),
        amount: fen(AMOUNT),
        created_at: at(-1),
    };
    Payment { version: 1, ..intent.begin() }
}

/// A payment as it usually is in this status.
pub fn usual(name: StatusName) -> Payment {
    let sent = fresh().before_precreate(SENT, "{\"bytes\":1}".into(), at(300), Duration::from_secs(300));
    let qr_code = Some("https://qr.alipay.com/old".into());
    let shown = Payment { qr_code, code_expires_at: sent.body_expires_at, ..sent.clone() };
    let with_trade = Payment { trade_no: Some(trade("T1")), trade_seen: true, ..shown.clone() };
    let reason = |of: Status| of.reason();
    match name {
        StatusName::Init => sent,
        StatusName::Precreated => Payment { status: Status::Precreated, ..shown },
        StatusName::Paying => Payment { status: Status::Paying, ..with_trade },
        StatusName::Closing => Payment { status: Status::Closing, ..shown },
        StatusName::Success => paid(with_trade, "SUCCESS", Booked::Recognised),
        StatusName::Closed => Payment { status: Status::Closed(Death::NobodyScanned), ..shown },
        StatusName::Fail => {
            let why = reason(Status::Fail(refusal("isv.invalid-signature")));
            Payment { status: Status::from_row("FAIL", None, why.as_deref()).unwrap(), ..sent }
        }
        StatusName::Suspense => paid(with_trade, "SUSPENSE", Booked::Suspense),
    }
}

fn paid(payment: Payment, word: &str, booked: Booked) -> Payment {
    Payment {
        status: Status::from_row(word, payment.trade_no.as_ref(), None).unwrap(),
        receipts: vec![receipt("T1", AMOUNT, booked)],
        booked_at: Some(at(30)),
        ..payment
    }
}

pub fn receipt(number: &str, total: i64, booked: Booked) -> Receipt {
    Receipt {
        trade_no: trade(number),
        total: fen(total),
        receipt: fen(total),
        paid_at: Some(at(30)),
        booked,
        sale_id: None,
    }
}

pub fn refund(number: &str, amount: i64, status: RefundStatus) -> Refund {
    let proved = status == RefundStatus::Success;
    Refund { proved, ..Refund::new(trade("T1"), Some(number.to_owned()), fen(amount), RefundOrigin::Ours, status) }
}

/// Who wants money back.
pub fn wish() -> RefundWish {
    RefundWish {
        request_id: RequestId::new(uuid::Uuid::from_u128(7)),
        reason: "退货".into(),
        operator_id: "01".into(),
        approver_id: "02".into(),
        asked_at: NOW,
    }
}

/// An operator wants money of the sale back.
pub fn refund_wish(number: &str, out_request_no: &str, amount: i64) -> Input {
    let (trade_no, out_request_no) = (trade(number), out_request_no.to_owned());
    Input::Refund { trade_no, out_request_no, amount: fen(amount), wish: wish() }
}

/// A refused refund is tried again.
pub fn retry(out_request_no: &str) -> Input {
    Input::Retry { out_request_no: out_request_no.into(), approver_id: "03".into() }
}

/// The gateway says no to a refund.
pub fn refused_refund(out_request_no: &str) -> Evidence {
    let refusal = refusal("ACQ.SELLER_BALANCE_NOT_ENOUGH");
    Evidence::RefundRefused { out_request_no: out_request_no.into(), refusal }
}

/// A refund query, so many seconds after the start, that names no money.
pub fn no_refund(out_request_no: &str, seconds: i64) -> Evidence {
    Evidence::NotRefunded(NoRefund { out_request_no: out_request_no.into(), asked_at: at(seconds) })
}

/// Money in suspense pays for a sale.
pub fn recognise(number: &str) -> Input {
    Input::Recognise { trade_no: trade(number), new_sale_id: SaleId::new(uuid::Uuid::from_u128(8)) }
}

/// Money in suspense goes back.
pub fn give_back(number: &str, out_request_no: &str) -> Input {
    Input::Return { trade_no: trade(number), out_request_no: out_request_no.into(), wish: wish() }
}

/// Changes the usual payment as the words of a table say. Words are separated by commas.
pub fn given(mut payment: Payment, words: &str) -> Payment {
    for word in words.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        change(&mut payment, word);
    }
    payment
}

fn change(payment: &mut Payment, word: &str) {
    match word {
        "no QR" => payment.qr_code = None,
        "QR" => payment.qr_code = Some("https://qr.alipay.com/old".into()),
        "buyer code" => (payment.method, payment.qr_code) = (Method::BuyerCode, None),
        "nothing sent" => *payment = Payment { status: payment.status.clone(), ..fresh() },
        "no trade" => (payment.trade_seen, payment.trade_no) = (false, None),
        "trade T1" => (payment.trade_seen, payment.trade_no) = (true, Some(trade("T1"))),
        "by person" => payment.stopped_by = Some(StoppedBy::Person),
        "by sale" => payment.stopped_by = Some(StoppedBy::Sale),
        "by clock" => payment.stopped_by = Some(StoppedBy::Clock),
        "close 4 s ago" => payment.close_sent_at = Some(UtcMs(NOW.0 - 4_999)),
        "close 5 s ago" => payment.close_sent_at = Some(UtcMs(NOW.0 - 5_000)),
        "code over" => (payment.code_expires_at, payment.body_expires_at) = (Some(NOW), Some(NOW)),
        "watched" => payment.watch_at = Some(at(130 * 60)),
        "sent 3 h ago" => payment.precreated_at = Some(at(-3 * 3600)),
        "booked 12.00" => payment.receipts.iter_mut().for_each(|receipt| receipt.total = fen(1_200)),
        "extra T2" if payment.receipts.is_empty() => {}
        "extra T2" => payment.receipts.push(receipt("T2", AMOUNT, Booked::Suspense)),
        "R1 3.00 processing" => add_refund(payment, 300, RefundStatus::Processing),
        "R1 3.00 back" => add_refund(payment, 300, RefundStatus::Success),
        "R1 10.00 sent" => add_refund(payment, 1_000, RefundStatus::Processing),
        "R1 10.00 back" => add_refund(payment, 1_000, RefundStatus::Success),
        "R1 10.00 refused" => add_refund(payment, 1_000, RefundStatus::Fail),
        unknown => panic!("no such word: {unknown:?}"),
    }
}

/// Only money that came can go back.
fn add_refund(payment: &mut Payment, amount: i64, status: RefundStatus) {
    if !payment.receipts.is_empty() {
        payment.refunds.push(refund("R1", amount, status));
    }
}

pub fn told(evidence: Evidence) -> Input {
    Input::Told(evidence)
}

pub fn qr_issued() -> Input {
    told(Evidence::QrIssued { qr_code: "https://qr.alipay.com/new".into() })
}

/// "No such trade", asked and answered that many seconds after the precreate. `None`: without a `Date`.
pub fn no_trade(asked: i64, answered: Option<i64>) -> Input {
    told(Evidence::NoTrade(NoTrade { asked_at: at(asked), answered_at: answered.map(at) }))
}

pub fn waiting(number: &str, total: i64) -> Input {
    told(Evidence::WaitBuyerPay(SeenTrade { trade_no: trade(number), total: fen(total) }))
}

pub fn closed(number: &str) -> Input {
    told(Evidence::TradeClosed(SeenTrade { trade_no: trade(number), total: fen(AMOUNT) }))
}

pub fn paid_trade(number: &str, total: i64) -> PaidTrade {
    PaidTrade { trade_no: trade(number), total: fen(total), receipt: fen(total), paid_at: Some(at(50)) }
}

pub fn paid_by(number: &str, total: i64) -> Input {
    told(Evidence::Paid(paid_trade(number, total)))
}

pub fn refund_fact(number: &str, out_request_no: &str, amount: i64) -> RefundFact {
    RefundFact { trade_no: trade(number), out_request_no: Some(out_request_no.into()), amount: fen(amount) }
}
