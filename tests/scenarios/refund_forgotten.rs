//! A restored database has forgotten a refund. Its number is asked for before it is used again, and nobody pays twice.

use crate::prelude::*;

#[tokio::test]
async fn it_is_found_and_the_operator_is_told_before_anything_is_sent() {
    let mut shop = Shop::with().without_headquarters().opens().await;
    let payment = paid(&shop, "100.00").await;
    shop.counter.refunds(&payment, yuan("30.00")).await;
    let click = new_request();
    forgets(&mut shop, &payment).await;
    assert!(shop.counter.payment(&payment).await.refunds.is_empty(), "yesterday's records know of no refund");

    let told = shop.counter.tries_to_refund(click, &payment, yuan("30.00")).await.expect("written down");

    assert_eq!((told.refund.status, shop.calls(&payment, "refund")), (RefundStatus::Fail, 1));
    assert!(told.refund.refused.is_some_and(|why| why.text.contains("30.00")), "what was found");
    let found = &told.payment.refunds[1];
    assert_eq!((found.origin, found.status), (RefundOrigin::Found, RefundStatus::Success));
    assert_eq!(found.out_request_no, Some(format!("{}R1", payment.out_trade_no)));
    assert_eq!(order_status(&shop, &payment).await, "PARTIALLY_REFUNDED");

    // The customer returns something else: the operator, who knows now, goes on under the next number.
    let second = shop.counter.retries_refund(click).await.expect("tried");
    assert_eq!(second.refund.status, RefundStatus::Success);
    assert_eq!(second.refund.out_request_no, Some(format!("{}R2", payment.out_trade_no)));
    let trade = shop.alipay.trade(payment.out_trade_no.as_str()).expect("a trade");
    assert_eq!(trade.refunded_fen, 6_000);
}

#[tokio::test]
async fn a_full_refund_that_was_forgotten_is_never_made_again() {
    let mut shop = Shop::with().without_headquarters().opens().await;
    let payment = paid(&shop, "100.00").await;
    shop.counter.refunds(&payment, yuan("100.00")).await;
    forgets(&mut shop, &payment).await;
    let click = new_request();

    let told = shop.counter.tries_to_refund(click, &payment, yuan("100.00")).await.expect("written down");
    let again = shop.counter.retries_refund(click).await;

    assert_eq!(told.refund.status, RefundStatus::Fail);
    assert!(again.unwrap_err().contains("not so much is left"));
    assert_eq!(order_status(&shop, &payment).await, "REFUNDED");
    assert_eq!(shop.calls(&payment, "refund"), 1);
}

/// Yesterday's records come back: everything about refunds of this payment is gone.
async fn forgets(shop: &mut Shop, payment: &Payment) {
    shop.counter.dies();
    let path = shop.counter.folder().0.join("yidan.db");
    let records = rusqlite::Connection::open(path).expect("the file opens");
    let pay_id = payment.pay_id.to_string();
    records.execute("delete from refunds where pay_id = ?1", [&pay_id]).expect("forgotten");
    records.execute("update orders set status = 'PAID'", []).expect("forgotten");
    drop(records);
    shop.counter.starts().await;
}
