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
    std::fs::remove_dir_all(&shop.counter.folder().0).expect("the disk is replaced");
    copy_folder(&backup, &shop.counter.folder().0);
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

    std::fs::remove_dir_all(&shop.counter.folder().0).expect("the disk is replaced");
    copy_folder(&clone, &shop.counter.folder().0);
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
