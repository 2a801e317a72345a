//! A computer's disk is replaced by yesterday's copy, or by an empty one; headquarters' by yesterday's. What was forgotten
//! comes back from the other side; nobody is charged twice, no number is used twice, the totals are the same.

use crate::prelude::*;
use std::path::Path;

/// What an administrator does: a new code for the same terminal.
async fn enrols_again(shop: &mut Shop) {
    shop.counter.dies();
    let code = shop.hq.reads_out_a_code_for("S01T01").await;
    let (folder, lock) = (shop.counter.folder().clone(), yidan_engine::Lock::Demo);
    yidan::enrol::enrol(&folder, &lock, &shop.hq.url(), &code, shop.clock.now()).await.expect("enrolled");
    shop.counter.starts().await;
}

fn copy(from: &Path, to: &Path) {
    let _nothing_there = std::fs::remove_dir_all(to);
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("readable") {
        let entry = entry.expect("readable");
        std::fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
    }
}

fn backs_up(shop: &mut Shop) -> std::path::PathBuf {
    shop.counter.dies();
    let backup = shop.counter.folder().0.with_extension("backup");
    copy(&shop.counter.folder().0, &backup);
    backup
}

#[tokio::test]
async fn payments_made_since_the_backup_come_back_and_their_money_is_found() {
    let mut shop = Shop::open().await;
    let before = shop.counter.collects(yuan("10.00")).await;
    shop.buyer.scans_and_pays(&before);
    shop.turn(seconds(4)).await;
    let backup = backs_up(&mut shop);
    shop.counter.starts().await;
    let paid = shop.counter.collects(yuan("20.00")).await;
    shop.buyer.scans_and_pays(&paid);
    shop.turn(seconds(4)).await;
    let shown = shop.counter.collects(yuan("30.00")).await;
    shop.turn(seconds(4)).await;

    shop.counter.dies();
    copy(&backup, &shop.counter.folder().0);
    shop.buyer.scans_and_pays(&shown);
    shop.counter.starts().await;
    shop.turn(minutes(2)).await;
    assert_eq!(shop.counter.orders().await.len(), 1, "it has forgotten");
    enrols_again(&mut shop).await;
    shop.turn(seconds(8)).await;

    assert_eq!(name(&shop.counter.payment(&paid).await), "SUCCESS");
    let found = shop.counter.payment(&shown).await;
    assert_eq!((name(&found), shop.charges(&shown)), ("SUCCESS", 1), "the money that nobody knew of");
    let new = shop.counter.collects(yuan("40.00")).await;
    assert!(new.out_trade_no.as_str().starts_with("S01T01_2_"));
    shop.buyer.scans_and_pays(&new);
    shop.turn(seconds(4)).await;
    shop.books_agree(4, yuan("100.00")).await;
    assert!(shop.hq.cases().await.iter().all(|kind| kind == "OTHER_HISTORY"), "{:?}", shop.hq.cases().await);
}

#[tokio::test]
async fn a_code_that_was_shown_before_the_restore_is_shown_again_on_its_number() {
    let mut shop = Shop::open().await;
    let backup = backs_up(&mut shop);
    shop.counter.starts().await;
    let shown = shop.counter.collects(yuan("30.00")).await;
    shop.counter.dies();
    copy(&backup, &shop.counter.folder().0);
    shop.counter.starts().await;
    shop.turn(seconds(61)).await;

    enrols_again(&mut shop).await;
    shop.turn(seconds(4)).await;

    let again = shop.counter.payment(&shown).await;
    assert_eq!((name(&again), &again.out_trade_no), ("PRECREATED", &shown.out_trade_no));
    assert_eq!(
        again.qr_code.expect("a code").as_str(),
        shop.alipay.latest_qr(shown.out_trade_no.as_str()).expect("one")
    );
    assert!(again.dead_after >= shown.dead_after, "what may still be paid stays payable");
}

#[tokio::test]
async fn an_empty_computer_is_given_everything() {
    let mut shop = Shop::open().await;
    let paid = shop.counter.collects(yuan("20.00")).await;
    shop.buyer.scans_and_pays(&paid);
    shop.turn(seconds(4)).await;
    shop.counter.dies();
    std::fs::remove_dir_all(&shop.counter.folder().0).expect("the disk is dead");
    let sandbox_url = format!("http://{}", shop.alipay.address());
    yidan::demo::prepare(shop.counter.folder(), &sandbox_url, shop.clock.now()).await.expect("a new computer");
    shop.counter.starts().await;

    enrols_again(&mut shop).await;

    let known = shop.counter.payment(&paid).await;
    assert_eq!((name(&known), known.books().expect("balanced").recognised), ("SUCCESS", yuan("20.00")));
    shop.books_agree(1, yuan("20.00")).await;
}

#[tokio::test]
async fn headquarters_restored_from_yesterday_is_told_again() {
    let mut shop = Shop::open().await;
    let first = shop.counter.collects(yuan("10.00")).await;
    shop.buyer.scans_and_pays(&first);
    shop.turn(seconds(4)).await;
    shop.hq.backs_up().await;
    let second = shop.counter.collects(yuan("20.00")).await;
    shop.buyer.scans_and_pays(&second);
    shop.turn(seconds(4)).await;
    shop.books_agree(2, yuan("30.00")).await;

    shop.hq.is_restored().await;
    shop.turn(minutes(2)).await;

    shop.books_agree(2, yuan("30.00")).await;
    let state = shop.counter.asks(|engine| async move { engine.report_state().expect("readable") }).await;
    assert!(!state.history_differs && state.waiting == 0, "{state:?}");
}
