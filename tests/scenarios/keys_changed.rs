//! Somebody wants other keys in the middle of a payment. Only the payment's own account may ask about it.

use crate::prelude::*;
use yidan::setup::{Setup, install};

#[tokio::test]
async fn keys_are_not_changed_while_a_payment_lives() {
    let mut shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("5.00")).await;
    shop.counter.dies();

    let refused = change_keys(&shop);
    assert!(refused.unwrap_err().contains("still running"), "only its own keys may ask about it");

    shop.counter.starts().await;
    shop.buyer.scans_and_pays(&payment);
    shop.turn(seconds(4)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    shop.counter.dies();
    assert_eq!(change_keys(&shop), Ok(()));
}

fn change_keys(shop: &Shop) -> Result<(), String> {
    let folder = shop.counter.folder();
    let database = yidan_engine::Database::open(&folder.0).expect("the folder opens");
    let lock = yidan_engine::Lock::Demo;
    let secrets = yidan_engine::open_keys(&folder.keys(), &lock).expect("the keys");
    let before = Setup::find(&database).expect("readable").expect("set up");
    let other = Setup { app_id: "2021000199999999".into(), ..before };
    install(&database, folder, &other, &secrets, &lock, shop.clock.now()).map_err(|error| error.to_string())
}
