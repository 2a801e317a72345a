//! Headquarters is away during a sale, and every event is sent more than once. Sales go on; nothing is doubled or lost.

use crate::prelude::*;

#[tokio::test]
async fn sales_go_on_without_headquarters_and_it_hears_of_them_later() {
    let mut shop = Shop::open().await;
    shop.hq.goes_away().await;
    let payment = shop.counter.collects(yuan("66.00")).await;
    shop.buyer.scans_and_pays(&payment);
    shop.turn(seconds(4)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    shop.jump(hours(24)).await;

    shop.hq.comes_back().await;
    shop.turn(minutes(2)).await;

    assert_eq!(shop.hq.find_status(&payment).await.as_deref(), Some("SUCCESS"));
    let state = shop.counter.asks(|engine| async move { engine.report_state().expect("readable") }).await;
    assert_eq!((state.waiting, state.failures), (0, 0));
}

#[tokio::test]
async fn every_event_sent_three_times_is_counted_once() {
    let mut shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("66.00")).await;
    shop.buyer.scans_and_pays(&payment);
    shop.turn(seconds(4)).await;

    for _ in 0..2 {
        shop.counter.dies();
        forget_what_was_acknowledged(&shop);
        shop.counter.starts().await;
    }

    shop.books_agree(1, yuan("66.00")).await;
    assert!(shop.hq.cases().await.is_empty());
}

#[tokio::test]
async fn without_a_headquarters_nothing_waits() {
    let shop = Shop::with().without_headquarters().opens().await;
    let payment = shop.counter.collects(yuan("66.00")).await;
    shop.buyer.scans_and_pays(&payment);
    shop.turn(seconds(4)).await;

    let state = shop.counter.asks(|engine| async move { engine.report_state().expect("readable") }).await;
    assert_eq!((state.is_on, state.waiting), (false, 0));
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
}

fn forget_what_was_acknowledged(shop: &Shop) {
    let database = rusqlite::Connection::open(shop.counter.folder().0.join("yidan.db")).expect("the file");
    let forgotten = database.execute("delete from settings where name = 'hq.acked_seq'", []).expect("a setting");
    assert_eq!(forgotten, 1);
}
