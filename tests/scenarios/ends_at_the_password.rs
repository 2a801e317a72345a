//! The time of a code ends while the buyer types the password. Our clock does not decide what became of it.

use crate::prelude::*;

const QUERY: &str = "alipay.trade.query";

/// Scanned ten seconds before its time ends; the counter knows.
async fn scanned_late(shop: &Shop) -> Payment {
    let payment = shop.counter.collects(yuan("45.00")).await;
    shop.turn(minutes(5) - seconds(10)).await;
    shop.buyer.scans(&payment).expect("the phone scans");
    shop.turn(seconds(4)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "PAYING");
    payment
}

#[tokio::test]
async fn the_password_came_in_time_and_the_counter_learns_it_after_the_time_has_ended() {
    let shop = Shop::open().await;
    let payment = scanned_late(&shop).await;
    shop.alipay.next_fault(Fault { times: 10_000, ..Fault::once(QUERY, FaultKind::DropBefore) });

    shop.buyer.pays(&payment).expect("the phone pays in the last second");
    shop.turn(minutes(10)).await;
    let waiting = shop.counter.payment(&payment).await;
    assert!(waiting.status.is_live(), "nobody has said how it ended: {:?}", waiting.status);

    shop.alipay.clear_faults();
    shop.turn(minutes(1)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    assert_eq!(shop.charges(&payment), 1);
    shop.books_agree(1, yuan("45.00")).await;
}

#[tokio::test]
async fn the_password_came_too_late_and_the_phone_says_so() {
    let shop = Shop::open().await;
    let payment = scanned_late(&shop).await;

    shop.turn(seconds(10)).await;
    assert!(shop.buyer.pays(&payment).is_err(), "the trade has ended");
    shop.turn(minutes(1)).await;

    assert_eq!(shop.counter.payment(&payment).await.status, Status::Closed(Death::TradeClosed));
    assert_eq!(shop.charges(&payment), 0);
    shop.books_agree(0, Fen::ZERO).await;
}

#[tokio::test]
async fn st10_a_later_code_for_a_trade_that_has_ended_makes_a_new_number_only_after_proof() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("45.00")).await;
    shop.turn(minutes(5) - seconds(10)).await;
    shop.alipay.next_fault(Fault { times: 10_000, ..Fault::once(QUERY, FaultKind::DropBefore) });
    shop.buyer.scans(&payment).expect("the phone scans");
    shop.turn(seconds(30)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "PRECREATED", "the scan was not seen");

    let refused = shop.counter.makes_a_new_code(&payment).await.expect("it was asked for");
    assert_eq!(shop.calls(&payment, "precreate"), 2, "TRADE_HAS_CLOSE");
    assert_eq!(refused.qr_code, payment.qr_code);
    assert!(refused.status.is_live(), "a refusal is no proof: {:?}", refused.status);
    assert!(shop.counter.collects_again(&payment).await.is_err(), "no second number before proof");

    shop.alipay.clear_faults();
    shop.turn(minutes(1)).await;
    assert_eq!(shop.counter.payment(&payment).await.status, Status::Closed(Death::TradeClosed));
    let again = shop.counter.collects_again(&payment).await.expect("a new payment of the same sale");
    assert_eq!(again.sale_id, payment.sale_id);
    assert_ne!(again.out_trade_no, payment.out_trade_no);
    shop.buyer.scans_and_pays(&again);
    shop.turn(seconds(4)).await;
    assert_eq!(shop.counter.payment(&payment).await.status, Status::Closed(Death::TradeClosed), "the old one stays");
    shop.books_agree(1, yuan("45.00")).await;
}
