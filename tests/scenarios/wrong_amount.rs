//! A verified amount that is not the order's. It is refused as payment, kept as money, and a person is asked.

use crate::prelude::*;

#[tokio::test]
async fn money_of_another_amount_is_kept_aside_with_a_case() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("38.50")).await;
    shop.buyer.scans_and_pays(&payment);
    shop.alipay.next_fault(Fault::once("alipay.trade.query", FaultKind::WrongAmount(3580)));

    shop.turn(seconds(4)).await;

    let kept = shop.counter.payment(&payment).await;
    assert_eq!(name(&kept), "SUSPENSE");
    let books = kept.books().expect("balanced");
    assert_eq!((books.received, books.recognised, books.suspense), (yuan("35.80"), Fen::ZERO, yuan("35.80")));
    assert_eq!(shop.counter.cases().await, [CaseKind::AmountMismatch]);
    assert_eq!(shop.hq.cases().await, ["AMOUNT_MISMATCH"]);
    let day = shop.counter.asks(|engine| async move { engine.business_day() }).await;
    assert_eq!(shop.hq.total(&day).await, Fen::ZERO, "money in suspense is no turnover");
}

#[tokio::test]
async fn a_trade_that_asks_another_amount_is_closed_before_it_is_paid() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("38.50")).await;
    shop.buyer.scans(&payment).expect("the phone scans");
    shop.alipay.next_fault(Fault::once("alipay.trade.query", FaultKind::WrongAmount(3580)));

    shop.turn(seconds(8)).await;

    assert_eq!(shop.calls(&payment, "close"), 1);
    assert_eq!(shop.counter.payment(&payment).await.status, Status::Closed(Death::TradeClosed));
    assert_eq!(shop.counter.cases().await, [CaseKind::AmountMismatch]);
    assert!(shop.buyer.pays(&payment).is_err());
}
