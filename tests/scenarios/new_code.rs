//! Nobody scans until the code ends. A later code goes on the same number, and both count as payable.

use crate::prelude::*;

#[tokio::test]
async fn a_code_that_ran_out_is_renewed_on_the_same_number_and_paid() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("38.50")).await;
    shop.turn(minutes(5)).await;
    shop.turn(seconds(5)).await;

    let renewed = shop.counter.makes_a_new_code(&payment).await.expect("a later code");

    assert_eq!((name(&renewed), &renewed.out_trade_no), ("PRECREATED", &payment.out_trade_no));
    assert_ne!(renewed.qr_code, payment.qr_code);
    assert!(renewed.dead_after > payment.dead_after, "both codes count as payable");
    assert!(renewed.code_expires_at > payment.code_expires_at);
    shop.buyer.scans_and_pays(&renewed);
    shop.turn(seconds(4)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    assert_eq!(shop.charges(&payment), 1);
    shop.books_agree(1, yuan("38.50")).await;
}

#[tokio::test]
async fn a_later_code_whose_answer_was_lost_is_asked_for_again_and_never_shown_as_the_old_one() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("38.50")).await;
    shop.turn(minutes(5)).await;
    shop.turn(seconds(2)).await;
    shop.alipay.next_fault(Fault::once("alipay.trade.precreate", FaultKind::LoseAnswer));

    let lost = shop.counter.makes_a_new_code(&payment).await.expect("it was asked for");
    assert_eq!((&lost.qr_code, lost.code_expires_at), (&payment.qr_code, payment.code_expires_at));
    assert!(lost.body_expires_at > lost.code_expires_at);
    shop.turn(seconds(4)).await;

    let shown = shop.counter.payment(&payment).await;
    assert_ne!(shown.qr_code, payment.qr_code);
    assert_eq!((shown.code_expires_at, &shown.request_body), (lost.body_expires_at, &lost.request_body));
    shop.buyer.scans_and_pays(&shown);
    shop.turn(seconds(4)).await;
    shop.books_agree(1, yuan("38.50")).await;
}

#[tokio::test]
async fn a_code_that_still_lives_is_not_renewed_but_refreshed_with_the_same_bytes() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("38.50")).await;
    shop.turn(minutes(1)).await;

    let refused = shop.counter.makes_a_new_code(&payment).await;
    let refreshed = shop.counter.refreshes(&payment).await.expect("the same bytes again");

    assert!(refused.is_err());
    assert_eq!(refreshed.request_body, payment.request_body);
    assert_eq!(refreshed.code_expires_at, payment.code_expires_at, "a refresh never extends");
    assert_eq!(shop.calls(&payment, "precreate"), 2);
}

#[tokio::test]
async fn a_code_nobody_scanned_is_closed_only_when_it_is_surely_dead_and_can_be_collected_again() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("38.50")).await;
    shop.turn(minutes(5)).await;
    shop.turn(seconds(60)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "PRECREATED", "not dead yet");

    shop.turn(seconds(60)).await;
    let closed = shop.counter.payment(&payment).await;
    assert_eq!(closed.status, Status::Closed(Death::NobodyScanned));

    let again = shop.counter.collects_again(&payment).await.expect("a new order of the same sale");
    assert_eq!(again.sale_id, payment.sale_id);
    assert_ne!(again.out_trade_no, payment.out_trade_no);
    shop.buyer.scans_and_pays(&again);
    shop.turn(seconds(4)).await;
    shop.books_agree(1, yuan("38.50")).await;
}

#[tokio::test]
async fn a_payment_that_may_still_be_paid_cannot_be_replaced() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("38.50")).await;

    let refused = shop.counter.collects_again(&payment).await;

    assert!(refused.unwrap_err().contains("may still be paid"));
    assert_eq!(shop.counter.orders().await.len(), 1);
}
