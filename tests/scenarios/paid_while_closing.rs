//! The money comes in the last second, while we are closing. Money wins over our wish to stop.

use crate::prelude::*;

#[tokio::test]
async fn close_refused_because_it_was_just_paid_becomes_success_with_a_case() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("26.00")).await;
    shop.buyer.scans(&payment).expect("the phone scans");
    shop.turn(seconds(4)).await;
    shop.buyer.pays(&payment).expect("the phone pays");

    shop.counter.stops(&payment).await;
    shop.turn(seconds(4)).await;

    let paid = shop.counter.payment(&payment).await;
    assert_eq!(name(&paid), "SUCCESS");
    assert_eq!(shop.calls(&payment, "close"), 1);
    assert_eq!(shop.counter.cases().await, [CaseKind::PaidAfterStop]);
    assert_eq!(shop.hq.cases().await, ["PAID_AFTER_STOP"]);
    assert_eq!(shop.charges(&payment), 1);
    shop.books_agree(1, yuan("26.00")).await;
}

#[tokio::test]
async fn stopped_then_the_phone_completes() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("26.00")).await;
    assert_eq!(name(&shop.counter.stops(&payment).await), "CLOSING");
    shop.turn(seconds(10)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "CLOSING", "the code may still be paid");

    shop.buyer.scans_and_pays(&payment);
    shop.turn(seconds(4)).await;

    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    let cases = shop.counter.open_cases().await;
    assert_eq!((cases[0].kind, cases[0].amount), (CaseKind::PaidAfterStop, yuan("26.00")));
    assert_eq!(cases.len(), 1);
    shop.books_agree(1, yuan("26.00")).await;
}

#[tokio::test]
async fn a_payment_that_is_paid_is_not_stopped_any_more() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("26.00")).await;
    shop.buyer.scans_and_pays(&payment);
    shop.turn(seconds(4)).await;

    let refused = shop.counter.tries_to_stop(&payment).await;

    assert!(refused.unwrap_err().contains("already paid"));
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
}
