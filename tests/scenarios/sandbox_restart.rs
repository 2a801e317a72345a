//! The gateway goes away in the middle and comes back. Its ledger is a file; our payment is a row.

use crate::prelude::*;

#[tokio::test]
async fn a_gateway_that_restarts_in_between_changes_nothing() {
    let mut shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("18.00")).await;
    shop.buyer.scans(&payment).expect("the phone scans");
    shop.turn(seconds(4)).await;

    shop.alipay.stop().await;
    shop.turn(seconds(10)).await;
    let doubt = shop.counter.contact(&payment).await;
    assert!(doubt.unanswered > 0 && doubt.trouble.is_some());
    assert_eq!(name(&shop.counter.payment(&payment).await), "PAYING");

    shop.alipay_restarts().await;
    shop.buyer.pays(&payment).expect("the phone pays");
    shop.turn(seconds(15)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    assert_eq!(shop.charges(&payment), 1);
    shop.books_agree(1, yuan("18.00")).await;
}

#[tokio::test]
async fn a_gateway_that_is_down_leaves_the_intent_and_the_same_number_is_used_later() {
    let mut shop = Shop::open().await;
    shop.alipay.stop().await;
    let payment = shop.counter.collects(yuan("18.00")).await;
    assert_eq!((name(&payment), &payment.qr_code), ("INIT", &None));

    shop.alipay_restarts().await;
    shop.turn(seconds(15)).await;

    let shown = shop.counter.payment(&payment).await;
    assert_eq!((name(&shown), &shown.out_trade_no), ("PRECREATED", &payment.out_trade_no));
}
