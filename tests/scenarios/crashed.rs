//! The till dies at the worst moments. A restart calls the same loop: the same number, the same code, one charge.

use crate::prelude::*;

#[tokio::test]
async fn after_the_intent() {
    let mut shop = Shop::open().await;
    shop.alipay.next_fault(Fault::once("alipay.trade.precreate", FaultKind::DropBefore));
    let payment = shop.counter.collects(yuan("8.00")).await;
    assert_eq!(name(&payment), "INIT");

    shop.counter.restarts().await;
    shop.turn(seconds(4)).await;

    ends_paid_once(&shop, &payment).await;
}

#[tokio::test]
async fn after_the_code_the_same_code_comes_back() {
    let mut shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("8.00")).await;

    shop.counter.restarts().await;

    let current = shop.counter.asks(|engine| async move { engine.list_live_at_counter().expect("readable") }).await;
    assert_eq!((current.len(), &current[0].qr_code), (1, &payment.qr_code));
    ends_paid_once(&shop, &payment).await;
}

#[tokio::test]
async fn after_the_scan() {
    let mut shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("8.00")).await;
    shop.buyer.scans(&payment).expect("the phone scans");
    shop.turn(seconds(4)).await;

    shop.counter.restarts().await;

    assert_eq!(name(&shop.counter.payment(&payment).await), "PAYING");
    shop.buyer.pays(&payment).expect("the phone pays");
    shop.turn(seconds(4)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    shop.books_agree(1, yuan("8.00")).await;
}

#[tokio::test]
async fn after_the_payment_the_restart_finds_it() {
    let mut shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("8.00")).await;
    shop.counter.dies();
    shop.buyer.scans_and_pays(&payment);
    shop.jump(hours(10)).await;

    shop.counter.starts().await;

    let paid = shop.counter.payment(&payment).await;
    assert_eq!(name(&paid), "SUCCESS");
    assert_eq!(shop.charges(&payment), 1);
    let code_day = shop.hq.find_status(&payment).await;
    assert_eq!(code_day.as_deref(), Some("SUCCESS"));
}

#[tokio::test]
async fn a_second_program_on_the_folder_is_refused() {
    let shop = Shop::open().await;

    let refused = yidan_engine::Database::open(&shop.counter.folder().0);

    assert!(matches!(refused, Err(yidan_engine::OpenError::InUse { .. })));
}

async fn ends_paid_once(shop: &Shop, payment: &Payment) {
    let shown = shop.counter.payment(payment).await;
    assert_eq!((name(&shown), &shown.out_trade_no), ("PRECREATED", &payment.out_trade_no));
    shop.buyer.scans_and_pays(&shown);
    shop.turn(seconds(4)).await;
    assert_eq!(name(&shop.counter.payment(payment).await), "SUCCESS");
    assert_eq!(shop.charges(payment), 1);
    shop.books_agree(1, payment.amount).await;
}
