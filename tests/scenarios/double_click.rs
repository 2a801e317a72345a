//! A cashier clicks twice, holds the key down, clicks again after three seconds. One order, one call, one code.

use crate::prelude::*;

#[tokio::test]
async fn two_clicks_at_once_make_one_payment_and_one_call() {
    let shop = Shop::open().await;
    let click = new_click();

    let (first, second) =
        tokio::join!(shop.counter.clicks(click, yuan("38.50")), shop.counter.clicks(click, yuan("38.50")),);

    assert_eq!(first.pay_id, second.pay_id);
    assert_eq!(first.qr_code, second.qr_code);
    assert!(first.qr_code.is_some());
    assert_eq!(shop.calls(&first, "precreate"), 1);
    assert_eq!(shop.counter.orders().await.len(), 1);
}

#[tokio::test]
async fn a_key_held_down_makes_one_payment() {
    let shop = Shop::open().await;
    let click = new_click();
    let presses = (0..12).map(|_| shop.counter.clicks(click, yuan("38.50")));

    let payments = futures_util::future::join_all(presses).await;

    assert!(payments.iter().all(|payment| payment.pay_id == payments[0].pay_id));
    assert_eq!(shop.calls(&payments[0], "precreate"), 1);
    assert_eq!(shop.counter.orders().await.len(), 1);
}

#[tokio::test]
async fn a_click_three_seconds_later_shows_the_same_code_even_with_another_draft() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("38.50")).await;
    shop.turn(seconds(3)).await;

    let again = shop.counter.collects(yuan("38.50")).await;

    assert_eq!((again.pay_id, &again.qr_code), (payment.pay_id, &payment.qr_code));
    assert_eq!(shop.calls(&payment, "precreate"), 1);
    shop.buyer.scans_and_pays(&payment);
    shop.turn(seconds(4)).await;
    shop.books_agree(1, yuan("38.50")).await;
}

#[tokio::test]
async fn the_same_click_with_another_amount_is_refused() {
    let shop = Shop::open().await;
    let click = new_click();
    let payment = shop.counter.clicks(click, yuan("38.50")).await;

    let refused = shop.counter.collects_order(draft(click, yuan("39.50"))).await;

    assert!(refused.unwrap_err().contains("used before for another order"));
    assert_eq!(shop.counter.payment(&payment).await.amount, yuan("38.50"));
    assert_eq!(shop.counter.orders().await.len(), 1);
}
