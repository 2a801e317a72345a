//! The cashier stops and thinks again: the same code comes back while that is safe.

use crate::prelude::*;

#[tokio::test]
async fn a_stopped_payment_is_resumed_with_the_same_code_and_paid() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("15.00")).await;
    shop.counter.stops(&payment).await;
    shop.turn(seconds(10)).await;

    let resumed = shop.counter.resumes(&payment).await.expect("it can be resumed");

    assert_eq!((name(&resumed), &resumed.qr_code), ("PRECREATED", &payment.qr_code));
    assert_eq!(shop.calls(&payment, "close"), 0, "an unscanned code cannot be closed by any call");
    shop.buyer.scans_and_pays(&payment);
    shop.turn(seconds(4)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    assert!(shop.counter.cases().await.is_empty(), "it was no longer stopped");
    shop.books_agree(1, yuan("15.00")).await;
}

#[tokio::test]
async fn a_code_that_has_ended_is_not_resumed() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("15.00")).await;
    shop.counter.stops(&payment).await;
    shop.turn(minutes(5)).await;
    shop.turn(seconds(5)).await;

    assert!(shop.counter.resumes(&payment).await.unwrap_err().contains("cannot be shown again"));
    assert_eq!(name(&shop.counter.payment(&payment).await), "CLOSING");
}

#[tokio::test]
async fn an_equal_amount_that_is_still_closing_asks_once_whose_it_is() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("15.00")).await;
    shop.counter.stops(&payment).await;

    let asked = shop.counter.collects_order(draft(new_click(), yuan("15.00"))).await;
    assert!(matches!(asked, Ok(Collected::SameAmountClosing(closing)) if closing.pay_id == payment.pay_id));

    let other = NewOrder { origin: Origin::Counter { another_customer: true }, ..draft(new_click(), yuan("15.00")) };
    let Ok(Collected::Payment(second)) = shop.counter.collects_order(other).await else { panic!("another customer") };
    assert_ne!(second.sale_id, payment.sale_id);
    shop.buyer.scans_and_pays(&second);
    shop.turn(minutes(7)).await;
    assert_eq!(name(&shop.counter.payment(&second).await), "SUCCESS");
    assert_eq!(shop.counter.payment(&payment).await.status, Status::Closed(Death::NobodyScanned));
    shop.books_agree(1, yuan("15.00")).await;
}
