//! The buyer scans and walks away. The trade is closed by the gateway when its time is up; only that is proof.

use crate::prelude::*;

#[tokio::test]
async fn a_scanned_trade_that_nobody_pays_ends_by_the_gateways_word() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("9.90")).await;
    shop.buyer.scans(&payment).expect("the phone scans");
    shop.turn(seconds(4)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "PAYING");

    shop.turn(minutes(6)).await;

    let closed = shop.counter.payment(&payment).await;
    assert_eq!(closed.status, Status::Closed(Death::TradeClosed));
    assert_eq!(shop.charges(&payment), 0);
    shop.books_agree(0, Fen::ZERO).await;
}

#[tokio::test]
async fn a_scanned_trade_is_closed_on_the_cashiers_wish_and_only_the_query_proves_it() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("9.90")).await;
    shop.buyer.scans(&payment).expect("the phone scans");
    shop.turn(seconds(4)).await;

    let stopping = shop.counter.stops(&payment).await;
    assert_eq!(name(&stopping), "CLOSING");
    shop.turn(seconds(4)).await;

    assert_eq!(shop.calls(&payment, "close"), 1);
    assert_eq!(shop.counter.payment(&payment).await.status, Status::Closed(Death::TradeClosed));
    assert!(shop.buyer.pays(&payment).is_err());
    shop.books_agree(0, Fen::ZERO).await;
}
