//! Before the shop opens: `yidan check` looks at keys, certificates, clock and network, and asks one signed question.

use crate::prelude::*;
use yidan::check::{Lamp, check};
use yidan::setup::{CertificateFiles, Setup, install};
use yidan_engine::{Database, Lock, open_keys};

#[tokio::test]
async fn what_is_right_is_green_down_to_a_signed_answer() {
    let mut shop = Shop::open().await;
    shop.counter.dies();

    let lamps = look(&shop).await;

    assert!(lamps.iter().all(|lamp| lamp.ok), "{lamps:?}");
    assert_eq!(lamps.iter().map(|lamp| lamp.what).collect::<Vec<_>>(), ["records", "keys", "gateway"]);
}

#[tokio::test]
async fn a_gateway_that_is_away_or_somebody_else_is_red() {
    let mut shop = Shop::open().await;
    shop.counter.dies();
    shop.alipay.next_fault(Fault::once("alipay.trade.query", FaultKind::GbkHtml));
    assert!(!gateway_lamp(&look(&shop).await).ok);
    shop.alipay.next_fault(Fault::once("alipay.trade.query", FaultKind::BadSignature));
    assert!(!gateway_lamp(&look(&shop).await).ok);

    shop.alipay.stop().await;
    assert!(!gateway_lamp(&look(&shop).await).ok);
}

#[tokio::test]
async fn a_shop_with_certificates_is_green_and_sells() {
    let mut shop = Shop::open().await;
    shop.counter.dies();
    let files = CertificateFiles {
        app: shop.alipay.app_cert_pem(),
        alipay: shop.alipay.alipay_cert_pem(),
        root: shop.alipay.alipay_root_cert_pem(),
    };
    set_up(&shop, |before| Setup { alipay_public_key: String::new(), certificates: Some(files), ..before })
        .expect("the certificates fit the key");

    let lamps = look(&shop).await;
    assert!(lamps.iter().any(|lamp| lamp.what == "certificate" && lamp.detail.contains("days left")), "{lamps:?}");
    assert!(gateway_lamp(&lamps).ok, "{lamps:?}");

    shop.counter.starts().await;
    let payment = shop.counter.collects(yuan("12.50")).await;
    shop.buyer.scans_and_pays(&payment);
    shop.turn(seconds(4)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    shop.books_agree(1, yuan("12.50")).await;
}

#[tokio::test]
async fn the_own_public_key_in_alipays_box_is_refused_at_once() {
    let mut shop = Shop::open().await;
    shop.counter.dies();
    let secrets = open_keys(&shop.counter.folder().keys(), &Lock::Demo).expect("the keys");
    let own = yidan_alipay::AppKey::parse(&secrets.app_private_key).expect("a key").public_text();

    let refused = set_up(&shop, |before| Setup { alipay_public_key: own, ..before });

    assert!(refused.unwrap_err().contains("own public key"));
}

fn set_up(shop: &Shop, change: impl FnOnce(Setup) -> Setup) -> Result<(), String> {
    let folder = shop.counter.folder();
    let database = Database::open(&folder.0).expect("the folder opens");
    let secrets = open_keys(&folder.keys(), &Lock::Demo).expect("the keys");
    let setup = change(Setup::find(&database).expect("readable").expect("set up"));
    install(&database, folder, &setup, &secrets, &Lock::Demo, shop.clock.now()).map_err(|error| format!("{error:#}"))
}

async fn look(shop: &Shop) -> Vec<Lamp> {
    let clock = shop.clock.clone();
    check(shop.counter.folder(), &Lock::Demo, move || clock.now()).await.expect("there is something to look at")
}

fn gateway_lamp(lamps: &[Lamp]) -> &Lamp {
    lamps.iter().find(|lamp| lamp.what == "gateway").expect("a lamp for the gateway")
}
