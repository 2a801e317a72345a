//! Somebody restores yesterday's database. Headquarters notices; no new sales; what runs is carried to its end.

use crate::prelude::*;

#[tokio::test]
async fn a_restored_database_is_noticed_by_headquarters() {
    let mut shop = Shop::open().await;
    let first = shop.counter.collects(yuan("10.00")).await;
    shop.buyer.scans_and_pays(&first);
    shop.turn(seconds(4)).await;
    shop.counter.dies();
    let backup = shop.counter.folder().0.with_extension("backup");
    copy_folder(&shop.counter.folder().0, &backup);

    shop.counter.starts().await;
    let second = shop.counter.collects(yuan("20.00")).await;
    shop.buyer.scans_and_pays(&second);
    shop.turn(seconds(4)).await;
    shop.counter.dies();
    replaces_disk(&shop, &backup);
    shop.counter.starts().await;
    shop.turn(minutes(2)).await;

    let refused = shop.counter.collects_order(draft(new_click(), yuan("30.00"))).await;
    assert!(refused.unwrap_err().contains("differ from headquarters"));
    let state = shop.counter.asks(|engine| async move { engine.report_state().expect("readable") }).await;
    assert!(state.history_differs);
    let day = shop.counter.asks(|engine| async move { engine.business_day() }).await;
    assert_eq!(shop.hq.total(&day).await, yuan("30.00"), "headquarters forgets nothing");

    enrols_again(&mut shop).await;
    let third = shop.counter.collects(yuan("30.00")).await;
    assert!(third.out_trade_no.as_str().starts_with("S01T01_2_"), "a new epoch never mints an old number");
    shop.buyer.scans_and_pays(&third);
    shop.turn(seconds(4)).await;
    assert_eq!(shop.hq.total(&day).await, yuan("60.00"), "what was counted before is not counted again");
}

/// The backup is of the minute in which a sale waited for the gateway. What became of it is known to headquarters only.
#[tokio::test]
async fn a_sale_of_the_backup_gets_no_code_before_headquarters_has_answered() {
    let mut shop = Shop::open().await;
    let waiting = collects_without_gateway(&mut shop).await;
    shop.counter.dies();
    let backup = shop.counter.folder().0.with_extension("backup");
    copy_folder(&shop.counter.folder().0, &backup);
    shop.counter.starts().await;
    shop.turn(minutes(2)).await;
    let before = shop.calls(&waiting, "precreate");
    assert_eq!(before, 1, "headquarters has confirmed the records, and the sale went on");
    shop.counter.stops(&waiting).await;
    shop.turn(minutes(10)).await;
    assert_eq!(name(&shop.counter.payment(&waiting).await), "CLOSED");

    shop.counter.dies();
    shop.hq.goes_away().await;
    replaces_disk(&shop, &backup);
    shop.counter.starts().await;
    shop.turn(minutes(2)).await;
    assert_eq!(shop.calls(&waiting, "precreate"), before, "headquarters is silent");

    shop.hq.comes_back().await;
    shop.turn(minutes(3)).await;
    assert_eq!(shop.calls(&waiting, "precreate"), before, "and then it knows better");
    let state = shop.counter.asks(|engine| async move { engine.report_state().expect("readable") }).await;
    assert!(state.history_differs);
}

#[tokio::test]
async fn a_sale_of_an_earlier_run_waits_for_headquarters_and_then_goes_on() {
    let mut shop = Shop::open().await;
    let waiting = collects_without_gateway(&mut shop).await;
    shop.hq.goes_away().await;
    shop.counter.restarts().await;
    shop.turn(seconds(30)).await;
    assert_eq!(name(&shop.counter.payment(&waiting).await), "INIT");

    shop.hq.comes_back().await;
    shop.turn(minutes(1)).await;
    let shown = shop.counter.payment(&waiting).await;
    assert_eq!(name(&shown), "PRECREATED");
    shop.buyer.scans_and_pays(&shown);
    shop.turn(seconds(4)).await;
    assert_eq!((name(&shop.counter.payment(&waiting).await), shop.charges(&waiting)), ("SUCCESS", 1));
}

#[tokio::test]
async fn a_sale_that_waits_for_headquarters_can_be_stopped_and_the_next_one_waits_for_nobody() {
    let mut shop = Shop::open().await;
    let waiting = collects_without_gateway(&mut shop).await;
    shop.hq.goes_away().await;
    shop.counter.restarts().await;
    let stopped = shop.counter.stops(&waiting).await;
    shop.turn(seconds(4)).await;
    assert_eq!(name(&shop.counter.payment(&waiting).await), "CLOSED", "{stopped:?}");

    let next = shop.counter.collects(yuan("7.00")).await;
    assert_eq!(name(&next), "PRECREATED");
    shop.buyer.scans_and_pays(&next);
    shop.turn(seconds(4)).await;
    assert_eq!(name(&shop.counter.payment(&next).await), "SUCCESS");
    assert_eq!(shop.calls(&waiting, "precreate"), 0);
}

/// The records are older than a bill's payment; headquarters has not answered a report yet, and is asked for the bill.
#[tokio::test]
async fn a_bill_that_the_records_have_lost_is_not_opened_again() {
    let mut shop = Shop::open().await;
    let origin = Origin::Bill { source: "pos".into(), external_ref: "A-1".into() };
    let bill = || NewOrder { origin: origin.clone(), ..draft(new_click(), yuan("12.50")) };
    shop.counter.dies();
    let backup = shop.counter.folder().0.with_extension("backup");
    copy_folder(&shop.counter.folder().0, &backup);
    shop.counter.starts().await;
    assert!(shop.counter.collects_order(bill()).await.is_ok());
    shop.turn(seconds(4)).await;

    shop.counter.dies();
    shop.hq.goes_away().await;
    replaces_disk(&shop, &backup);
    shop.counter.starts().await;
    shop.hq.comes_back().await;
    let refused = shop.counter.collects_order(bill()).await;

    assert!(refused.unwrap_err().contains("differ from headquarters"));
    assert!(shop.counter.orders().await.is_empty());
}

/// A power cut lost a sale that a copy of the disk still has, and the cashier pressed again. Then the copy is put back.
#[tokio::test]
async fn a_click_that_made_two_sales_belongs_to_the_one_that_headquarters_knows() {
    let mut shop = Shop::open().await;
    let click = new_click();
    shop.hq.goes_away().await;
    shop.counter.dies();
    let [before, copy] = ["before", "copy"].map(|name| shop.counter.folder().0.with_extension(name));
    copy_folder(&shop.counter.folder().0, &before);
    shop.alipay.stop().await;
    shop.counter.starts().await;
    let lost = shop.counter.clicks(click, yuan("10.00")).await;
    shop.counter.dies();
    copy_folder(&shop.counter.folder().0, &copy);

    replaces_disk(&shop, &before);
    shop.alipay_restarts().await;
    shop.hq.comes_back().await;
    shop.counter.starts().await;
    let paid = shop.counter.clicks(click, yuan("10.00")).await;
    assert_ne!(paid.out_trade_no, lost.out_trade_no);
    shop.buyer.scans_and_pays(&paid);
    shop.turn(minutes(1)).await;
    shop.counter.dies();
    replaces_disk(&shop, &copy);
    shop.counter.starts().await;
    shop.turn(minutes(2)).await;
    enrols_again(&mut shop).await;
    shop.turn(minutes(2)).await;

    assert_eq!(name(&shop.counter.payment(&paid).await), "SUCCESS", "it was given back");
    let again = shop.counter.clicks(click, yuan("10.00")).await;
    assert_eq!(again.out_trade_no, paid.out_trade_no, "the customer is not charged once more");
}

fn replaces_disk(shop: &Shop, copy: &std::path::Path) {
    std::fs::remove_dir_all(&shop.counter.folder().0).expect("the disk is replaced");
    copy_folder(copy, &shop.counter.folder().0);
}

/// The gateway is away when the program starts, so that it does not even know the time: nothing was sent.
async fn collects_without_gateway(shop: &mut Shop) -> Payment {
    shop.counter.dies();
    shop.alipay.stop().await;
    shop.counter.starts().await;
    let waiting = shop.counter.collects(yuan("10.00")).await;
    assert_eq!((name(&waiting), &waiting.request_body), ("INIT", &None));
    shop.counter.rests().await;
    shop.alipay_restarts().await;
    waiting
}

/// What an administrator does: a new code for the same terminal.
async fn enrols_again(shop: &mut Shop) {
    shop.counter.dies();
    let code = shop.hq.reads_out_a_code_for("S01T01").await;
    let (folder, lock) = (shop.counter.folder().clone(), yidan_engine::Lock::Demo);
    let setup = yidan::enrol::enrol(&folder, &lock, &shop.hq.url(), &code, shop.clock.now()).await.expect("enrolled");
    assert_eq!(setup.epoch, 2);
    let again = yidan::enrol::enrol(&folder, &lock, &shop.hq.url(), &code, shop.clock.now()).await.expect("repeatable");
    assert_eq!(again, setup, "the answer was lost; the same code brings the same");
    shop.counter.starts().await;
}

#[tokio::test]
async fn a_cloned_database_that_went_on_is_a_fork_and_nothing_of_it_is_counted() {
    let mut shop = Shop::open().await;
    shop.hq.goes_away().await;
    shop.counter.dies();
    let clone = shop.counter.folder().0.with_extension("clone");
    copy_folder(&shop.counter.folder().0, &clone);
    shop.counter.starts().await;
    shop.hq.comes_back().await;
    let payment = shop.counter.collects(yuan("10.00")).await;
    shop.buyer.scans_and_pays(&payment);
    shop.turn(minutes(2)).await;
    shop.counter.dies();

    replaces_disk(&shop, &clone);
    shop.hq.goes_away().await;
    shop.counter.starts().await;
    let forked = shop.counter.collects(yuan("99.00")).await;
    shop.hq.comes_back().await;
    shop.turn(minutes(3)).await;

    let state = shop.counter.asks(|engine| async move { engine.report_state().expect("readable") }).await;
    assert!(state.history_differs);
    shop.buyer.scans_and_pays(&forked);
    shop.turn(seconds(4)).await;
    assert_eq!(name(&shop.counter.payment(&forked).await), "SUCCESS", "what was started is carried to its end");
    assert_eq!(shop.hq.find_status(&forked).await, None);
}
