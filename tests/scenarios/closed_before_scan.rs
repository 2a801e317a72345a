//! Another client of the same merchant closes our number before anybody scanned. Alipay has been seen to do two things.

use crate::prelude::*;

#[tokio::test]
async fn under_a_latch_the_scan_is_refused_and_the_payment_ends_without_money() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("7.00")).await;
    shop.alipay.close_before_scan(CloseBeforeScan::Latch);
    another_client_closes(&shop, &payment).await;

    assert!(shop.buyer.scans(&payment).is_err(), "the phone says that the trade was closed");
    shop.turn(minutes(8)).await;

    assert!(!shop.counter.payment(&payment).await.status.is_live());
    assert_ne!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    assert_eq!(shop.charges(&payment), 0);
    shop.books_agree(0, Fen::ZERO).await;
}

#[tokio::test]
async fn without_an_effect_the_scan_pays() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("7.00")).await;
    shop.alipay.close_before_scan(CloseBeforeScan::NoEffect);
    another_client_closes(&shop, &payment).await;

    shop.buyer.scans_and_pays(&payment);
    shop.turn(seconds(4)).await;

    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    shop.books_agree(1, yuan("7.00")).await;
}

async fn another_client_closes(shop: &Shop, payment: &Payment) {
    let answer = another_client(shop).await.close(&payment.out_trade_no).await.expect("a signed answer");
    assert!(matches!(answer.evidence, yidan_payment::Evidence::CloseRefused(_)), "{:?}", answer.evidence);
}
