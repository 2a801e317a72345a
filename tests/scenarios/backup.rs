//! A backup while the counter sells, and what happens when an old one comes back.

use crate::prelude::*;
use std::path::PathBuf;
use yidan::restore::restore;
use yidan_engine::{BackupError, Database, OpenError, back_up, back_up_daily};

#[tokio::test]
async fn a_backup_is_made_while_the_counter_sells_and_holds_everything_and_no_key() {
    let shop = Shop::open().await;
    let file = backup_file(&shop);
    paid(&shop, "10.00").await;

    let (made, sold) = tokio::join!(
        tokio::task::spawn_blocking({
            let (folder, file) = (shop.counter.folder().0.clone(), file.clone());
            move || back_up(&folder, &file).expect("a backup")
        }),
        paid(&shop, "20.00"),
    );

    assert!(made.expect("done").head_seq >= 4);
    assert_eq!(name(&shop.counter.payment(&sold).await), "SUCCESS");
    let secrets = yidan_engine::open_keys(&shop.counter.folder().keys(), &yidan_engine::Lock::Demo).expect("the keys");
    let bytes = std::fs::read(&file).expect("readable");
    let key = secrets.app_private_key.lines().find(|line| line.len() > 40).expect("a line of the key");
    assert!(!bytes.windows(40).any(|window| window == &key.as_bytes()[..40]), "no key in a backup");
}

#[tokio::test]
async fn a_restore_is_refused_while_the_counter_runs_and_for_a_file_that_is_no_backup() {
    let mut shop = Shop::with().without_headquarters().opens().await;
    let file = backup_file(&shop);
    back_up(&shop.counter.folder().0, &file).expect("a backup");
    let folder = shop.counter.folder().clone();

    let refused = restore(&folder, &file, shop.clock.now()).unwrap_err();
    assert!(matches!(refused.downcast_ref(), Some(BackupError::Open(OpenError::InUse { .. }))), "{refused:#}");

    shop.counter.dies();
    let mut bytes = std::fs::read(&file).expect("readable");
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096].fill(0x5a);
    let damaged = file.with_extension("damaged");
    std::fs::write(&damaged, bytes).expect("written");
    let refused = restore(&folder, &damaged, shop.clock.now()).unwrap_err();
    assert!(matches!(refused.downcast_ref(), Some(BackupError::Damaged { .. })), "{refused:#}");
    shop.counter.starts().await;
}

/// Yesterday's backup comes back, without headquarters: no number is used again, what was lost is found with the bill.
#[tokio::test]
async fn after_a_restore_no_number_is_used_again_and_the_forgotten_money_is_found() {
    let mut shop = Shop::with().without_headquarters().opens().await;
    let file = backup_file(&shop);
    let kept_sale = paid(&shop, "10.00").await;
    back_up(&shop.counter.folder().0, &file).expect("a backup");
    let forgotten = paid(&shop, "20.00").await;
    let running = shop.counter.collects(yuan("30.00")).await;
    shop.counter.dies();
    let folder = shop.counter.folder().clone();

    let restored = restore(&folder, &file, shop.clock.now()).expect("restored");
    assert_eq!((restored.epoch, restored.must_enrol), (2, false));
    let kept = restored.kept.expect("the old records");
    assert!(kept.is_file(), "the replaced file is kept");
    shop.counter.starts().await;
    shop.buyer.scans_and_pays(&running);
    let new = paid(&shop, "40.00").await;

    assert!(new.out_trade_no.as_str().starts_with("S0101_2_"), "a new epoch: {}", new.out_trade_no);
    let orders = shop.counter.orders().await;
    let numbers: Vec<_> = orders.iter().map(|(order, _)| &order.order_no[order.order_no.len() - 4..]).collect();
    assert_eq!(numbers, ["1001", "0001"], "no number of a slip is given away twice");

    let day = yidan_engine::business_day(shop.clock.now(), 0);
    shop.jump(hours(22)).await;
    let settled = shop
        .counter
        .asks(move |engine| async move {
            engine.fetch_bill(&day).await.expect("a bill");
            engine.settle_bill(&day).await.expect("settled")
        })
        .await;
    assert_eq!(settled.booked.len(), 2, "what was sold and what was paid after the backup");
    let orders = shop.counter.orders().await;
    let mut sold: Vec<String> = orders.iter().map(|(order, _)| order.amount.to_string()).collect();
    sold.sort();
    assert_eq!(sold, ["10.00", "20.00", "30.00", "40.00"]);
    assert_eq!(shop.alipay.charged_total_fen(), 10_000);
    for payment in [&kept_sale, &forgotten, &running, &new] {
        assert_eq!(shop.charges(payment), 1);
    }
}

/// The same backup comes back twice: the second time must not mint the numbers of the first.
#[tokio::test]
async fn every_restore_begins_a_new_epoch() {
    let mut shop = Shop::with().without_headquarters().opens().await;
    let file = backup_file(&shop);
    back_up(&shop.counter.folder().0, &file).expect("a backup");
    shop.counter.dies();
    let folder = shop.counter.folder().clone();

    let epochs: Vec<u32> = (0..3)
        .map(|n| restore(&folder, &file, yidan_payment::UtcMs(shop.clock.now().0 + n)).expect("restored").epoch)
        .collect();

    assert_eq!(epochs, [2, 3, 4]);
    let left: Vec<String> = std::fs::read_dir(&folder.0)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("restoring") || name.ends_with("-wal") || name.ends_with("-shm"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

#[tokio::test]
async fn with_headquarters_a_restored_counter_sells_nothing_before_it_has_enrolled_again() {
    let mut shop = Shop::open().await;
    let file = backup_file(&shop);
    back_up(&shop.counter.folder().0, &file).expect("a backup");
    shop.counter.dies();
    let folder = shop.counter.folder().clone();
    // Nothing was sold since: headquarters alone would see no difference.
    assert!(restore(&folder, &file, shop.clock.now()).expect("restored").must_enrol);
    shop.hq.goes_away().await;
    shop.counter.starts().await;

    let refused = shop.counter.collects_order(draft(new_click(), yuan("1.00"))).await;
    assert!(refused.unwrap_err().contains("enrol this terminal again"));

    shop.hq.comes_back().await;
    shop.counter.dies();
    let code = shop.hq.reads_out_a_code_for("S01T01").await;
    let lock = yidan_engine::Lock::Demo;
    yidan::enrol::enrol(&folder, &lock, &shop.hq.url(), &code, shop.clock.now()).await.expect("enrolled");
    shop.counter.starts().await;
    let sold = paid(&shop, "1.00").await;
    assert!(sold.out_trade_no.as_str().starts_with("S01T01_2_"));
}

#[tokio::test]
async fn a_backup_is_made_once_a_day_and_the_oldest_go() {
    let shop = Shop::with().without_headquarters().opens().await;
    let folder = shop.counter.folder().0.clone();

    for day in 1..=20 {
        assert!(back_up_daily(&folder, &format!("2026-11-{day:02}")).expect("a backup").is_some());
        assert!(back_up_daily(&folder, &format!("2026-11-{day:02}")).expect("looked").is_none());
    }

    let mut kept: Vec<String> = std::fs::read_dir(folder.join(yidan_engine::BACKUPS))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    kept.sort();
    assert_eq!(kept.len(), yidan_engine::KEPT_DAYS);
    assert_eq!((kept[0].as_str(), kept[13].as_str()), ("yidan-2026-11-07.db", "yidan-2026-11-20.db"));
}

/// Whoever copies only the main file loses what still stands in the log. A backup does not.
#[tokio::test]
async fn db2_a_backup_holds_what_still_stands_in_the_write_ahead_log() {
    let shop = Shop::with().without_headquarters().opens().await;
    let case = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/cases/storage/DB2_wal"));
    let log = std::fs::metadata(case.join("pos.db-wal")).expect("the case").len();
    assert!(log > 0, "the case is a file whose sales stand in its log");
    paid(&shop, "3.00").await;
    let folder = shop.counter.folder().0.clone();
    assert!(std::fs::metadata(folder.join("yidan.db-wal")).expect("a log").len() > 0);

    let made = back_up(&folder, &backup_file(&shop)).expect("a backup");

    let elsewhere = tempfile::tempdir().expect("a folder");
    std::fs::copy(&made.path, elsewhere.path().join("yidan.db")).expect("a copy");
    let database = Database::open(elsewhere.path()).expect("it opens");
    assert_eq!(database.list_orders(None, "", None, 10).expect("orders").len(), 1);
    assert_eq!(database.load_head().expect("a head").seq, made.head_seq);
}

fn backup_file(shop: &Shop) -> PathBuf {
    shop.counter.folder().0.with_extension("backup.db")
}
