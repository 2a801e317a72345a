//! A sale has two payments, one after the other. Money on the earlier one settles the sale: the later one is stopped, and
//! nobody is charged twice.

use crate::prelude::*;

/// A closed payment that can still be paid: its code was renewed by a program that we do not know.
pub async fn closed_but_payable(shop: &Shop) -> Payment {
    let payment = shop.counter.collects(yuan("45.00")).await;
    shop.turn(minutes(7)).await;
    assert_eq!(shop.counter.payment(&payment).await.status, Status::Closed(Death::NobodyScanned));
    another_client_precreates(shop, &payment).await;
    payment
}

#[tokio::test]
async fn late_money_stops_the_payment_that_replaced_it_even_if_the_till_dies_at_that_moment() {
    let mut shop = Shop::open().await;
    let first = closed_but_payable(&shop).await;
    let second = shop.counter.collects_again(&first).await.expect("the sale can be collected again");
    shop.buyer.scans_and_pays(&first);

    asks_about(&shop, &first).await;
    shop.counter.restarts().await;

    assert_eq!(name(&shop.counter.payment(&first).await), "SUSPENSE");
    assert_eq!(shop.counter.cases().await, [CaseKind::LatePayment]);
    let stopped = shop.counter.payment(&second).await;
    assert_eq!((name(&stopped), stopped.stopped_by), ("CLOSING", Some(StoppedBy::Sale)));
    assert!(shop.counter.resumes(&second).await.is_err(), "the sale has its money");

    shop.turn(minutes(7)).await;
    assert!(!shop.counter.payment(&second).await.status.is_live());
    let again = shop.counter.collects_again(&second).await;
    assert!(again.unwrap_err().contains("may still be paid, or is paid"), "a person decides about the money first");
    assert_eq!(shop.charges(&first) + shop.charges(&second), 1);
}

/// The slow watch: a closed payment is asked once more, 2 h 10 min after its last code was made.
#[tokio::test]
async fn money_that_comes_after_the_close_is_found_by_the_slow_watch() {
    let shop = Shop::open().await;
    let payment = closed_but_payable(&shop).await;
    shop.buyer.scans_and_pays(&payment);

    shop.jump(hours(3)).await;

    assert_eq!(name(&shop.counter.payment(&payment).await), "SUSPENSE");
    assert_eq!(shop.counter.cases().await, [CaseKind::LatePayment]);
    assert_eq!(shop.hq.cases().await, ["LATE_PAYMENT"]);
}

async fn asks_about(shop: &Shop, payment: &Payment) {
    let pay_id = payment.pay_id;
    shop.counter.asks(move |engine| async move { engine.ask_now(pay_id).await.expect("readable") }).await;
}

/// Another program with the merchant's keys makes a new code on our number.
async fn another_client_precreates(shop: &Shop, payment: &Payment) {
    let client = another_client(shop).await;
    let body = payment.request_body.clone().expect("what was sent");
    let end = yidan_alipay::beijing_text(shop.clock.now().after(minutes(60)));
    let start = body.find("\"time_expire\":\"").expect("an end") + 15;
    let later = format!("{}{end}{}", &body[..start], &body[start + end.len()..]);
    let answer = client.precreate(&payment.out_trade_no, &later).await.expect("a signed answer");
    assert!(matches!(answer.evidence, yidan_payment::Evidence::QrIssued { .. }), "{:?}", answer.evidence);
}
