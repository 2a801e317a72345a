//! Yesterday's bill comes by itself in the morning. Nothing is done about it before somebody says so.

use crate::prelude::*;
use yidan_engine::{BillTrouble, PlannedFetch};

const BILL: &str = "alipay.data.dataservice.bill.downloadurl.query";

#[tokio::test]
async fn yesterdays_bill_is_in_before_ten_and_waits_for_a_person() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    shop.alipay.refund_elsewhere(payment.out_trade_no.as_str(), 2_500).expect("the app refunds");
    let day = yidan_engine::business_day(shop.clock.now(), 0);

    shop.jump(hours(20)).await;
    assert_eq!(days_in(&shop).await, Vec::<String>::new(), "it is eight in the morning");
    assert!(
        planned(&shop, &day).await.is_some_and(|planned| planned.failed.is_none() && planned.at > shop.clock.now())
    );
    shop.jump(hours(2)).await;

    assert_eq!(days_in(&shop).await, std::slice::from_ref(&day));
    assert!(planned(&shop, &day).await.is_none());
    shop.jump(hours(1)).await;
    assert!(shop.counter.payment(&payment).await.refunds.is_empty(), "the bill alone asks nothing");
    assert!(shop.counter.cases().await.is_empty());
    let for_till = day.clone();
    let plan = shop.counter.asks(move |engine| async move { engine.plan_bill(&for_till) }).await.expect("a plan");
    assert_eq!(plan.differences.len(), 1);
}

#[tokio::test]
async fn a_bill_that_does_not_come_is_tried_again_and_the_screen_can_say_so() {
    let shop = Shop::open().await;
    paid(&shop, "12.00").await;
    let day = yidan_engine::business_day(shop.clock.now(), 0);
    shop.alipay.next_fault(Fault { times: 10_000, ..Fault::once(BILL, FaultKind::DropBefore) });

    shop.jump(hours(22)).await;
    let tried = planned(&shop, &day).await.expect("it is still wanted");
    let failed = tried.failed.expect("it was tried");
    assert!(matches!(*failed.why, BillTrouble::NotFetched(_)));
    assert_eq!(tried.at, failed.at.after(minutes(20)));
    shop.jump(minutes(10)).await;
    assert_eq!(planned(&shop, &day).await.map(|planned| planned.at), Some(tried.at), "not before its time");

    shop.alipay.clear_faults();
    shop.jump(minutes(11)).await;
    assert_eq!(days_in(&shop).await, std::slice::from_ref(&day));
    assert!(planned(&shop, &day).await.is_none());
}

#[tokio::test]
async fn days_on_which_the_till_was_off_are_fetched_too_the_oldest_first() {
    let mut shop = Shop::open().await;
    paid(&shop, "8.00").await;
    let first = yidan_engine::business_day(shop.clock.now(), 0);
    shop.counter.dies();
    shop.jump(hours(75)).await;
    shop.counter.starts().await;
    assert_eq!(days_in(&shop).await, Vec::<String>::new(), "what the PC takes for the time is not believed");

    paid(&shop, "9.00").await;
    shop.jump(minutes(1)).await;
    let days = days_in(&shop).await;

    assert_eq!(days.len(), 3, "{days:?}");
    assert_eq!(days.last(), Some(&first), "none before the till's first day");
}

/// The shop was closed: the gateway says "no bill" all day long, which also means "not yet".
#[tokio::test]
async fn that_there_is_no_bill_is_believed_at_noon_if_the_books_are_empty_too() {
    let shop = Shop::open().await;
    paid(&shop, "8.00").await;
    let first = yidan_engine::business_day(shop.clock.now(), 0);
    let is_in = |days: Vec<String>, day: &str| days.iter().any(|known| known == day);
    shop.jump(hours(24)).await;
    let empty = yidan_engine::business_day(shop.clock.now(), 0);
    assert_ne!(first, empty);

    shop.jump(hours(22)).await;
    assert!(!is_in(days_in(&shop).await, &empty), "ten in the morning");
    shop.jump(hours(3)).await;

    assert!(is_in(days_in(&shop).await, &empty));
}

async fn days_in(shop: &Shop) -> Vec<String> {
    let days = shop.counter.asks(|engine| async move { engine.database().list_bill_days() }).await.expect("readable");
    days.into_iter().map(|day| day.bill_day).collect()
}

async fn planned(shop: &Shop, day: &str) -> Option<PlannedFetch> {
    let day = day.to_owned();
    shop.counter
        .asks(move |engine| async move { engine.planned_fetch(&day).map_err(|error| error.to_string()) })
        .await
        .expect("readable")
}
