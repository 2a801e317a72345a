//! The two verbs that stop a sale.

use serde_json::json;
use yidan_sandbox::{BuyerRefusal, CloseBeforeScan, CloseOfClosed};

use crate::merchant::{CANCEL, HOUR, Shop};

#[tokio::test]
async fn a_close_before_the_scan_is_refused_and_has_one_of_two_effects() {
    for effect in [CloseBeforeScan::Latch, CloseBeforeScan::NoEffect] {
        let shop = Shop::open().await;
        shop.sandbox.close_before_scan(effect);
        let code = shop.precreate("T1").await.text("qr_code").to_owned();

        assert_eq!(shop.close("T1").await.sub_code(), "ACQ.TRADE_NOT_EXIST");
        let scanned = shop.sandbox.scan(&code, "amy");

        match effect {
            CloseBeforeScan::Latch => assert!(matches!(scanned, Err(BuyerRefusal::NumberClosed))),
            CloseBeforeScan::NoEffect => assert_eq!(scanned.unwrap().total_fen, 1234),
        }
    }
}

#[tokio::test]
async fn a_latched_number_still_gets_codes_that_nobody_can_pay() {
    let shop = Shop::open().await;
    shop.sandbox.close_before_scan(CloseBeforeScan::Latch);
    shop.precreate("T1").await;
    shop.close("T1").await;

    let again = shop.precreate("T1").await;

    assert_eq!(again.code(), "10000");
    assert!(matches!(shop.sandbox.scan(again.text("qr_code"), "amy"), Err(BuyerRefusal::NumberClosed)));
}

#[tokio::test]
async fn close_ends_an_unpaid_trade_and_never_a_paid_one() {
    let shop = Shop::open().await;
    shop.precreate("T1").await;
    shop.sandbox.scan("T1", "amy").unwrap();
    let closed = shop.close("T1").await;
    assert_eq!(closed.code(), "10000");
    assert_eq!(closed.text("trade_no"), shop.sandbox.trade("T1").unwrap().trade_no);
    assert!(matches!(shop.sandbox.pay("T1", "amy"), Err(BuyerRefusal::NumberClosed)));

    shop.sell("T2").await;

    assert_eq!(shop.close("T2").await.sub_code(), "ACQ.TRADE_STATUS_ERROR");
    assert_eq!(shop.query("T2").await.text("trade_status"), "TRADE_SUCCESS");
}

#[tokio::test]
async fn closing_a_closed_trade_is_refused_or_accepted_as_switched() {
    let shop = Shop::open().await;
    shop.precreate("T1").await;
    shop.sandbox.scan("T1", "amy").unwrap();
    shop.close("T1").await;
    assert_eq!(shop.close("T1").await.sub_code(), "ACQ.TRADE_STATUS_ERROR");

    shop.sandbox.change_settings(|settings| settings.close_of_closed = CloseOfClosed::Succeed);

    assert_eq!(shop.close("T1").await.code(), "10000");
}

#[tokio::test]
async fn a_cancel_before_the_scan_succeeds_without_an_action() {
    let shop = Shop::open().await;
    let code = shop.precreate("T1").await.text("qr_code").to_owned();

    let reply = shop.cancel("T1").await;

    assert_eq!((reply.code(), reply.text("retry_flag")), ("10000", "N"));
    assert!(reply.fields.get("action").is_none());
    assert!(shop.sandbox.scan(&code, "amy").is_ok());
    let unknown = shop.call(CANCEL, json!({"trade_no": "2026113022001400000000000000"})).await;
    assert_eq!(unknown.sub_code(), "ACQ.TRADE_NOT_EXIST");
}

#[tokio::test]
async fn a_cancel_closes_an_unpaid_trade_and_says_so_again() {
    let shop = Shop::open().await;
    shop.precreate("T1").await;
    shop.sandbox.scan("T1", "amy").unwrap();

    for _ in 0..2 {
        assert_eq!(shop.cancel("T1").await.text("action"), "close");
    }

    let trade = shop.query("T1").await;
    assert_eq!(trade.text("trade_status"), "TRADE_CLOSED");
    assert_eq!(trade.text("ext_infos"), r#"{"action":"cancel"}"#);
}

#[tokio::test]
async fn a_cancel_refunds_a_paid_trade_in_full_and_once() {
    let shop = Shop::open().await;
    shop.sell("T1").await;

    for _ in 0..2 {
        assert_eq!(shop.cancel("T1").await.text("action"), "refund");
    }

    let trade = shop.sandbox.trade("T1").unwrap();
    assert_eq!((trade.refunded_fen, trade.charges), (1234, 1));
    assert_eq!(trade.status, "TRADE_CLOSED");
    assert!(!shop.query("T1").await.text("send_pay_date").is_empty());
}

#[tokio::test]
async fn a_paid_trade_can_be_cancelled_for_24_hours() {
    let shop = Shop::open().await;
    shop.sell("T1").await;
    shop.turn_clock(24 * HOUR + 60_000);

    assert_eq!(shop.cancel("T1").await.sub_code(), "ACQ.TRADE_CANCEL_TIME_OUT");
    assert_eq!(shop.sandbox.trade("T1").unwrap().refunded_fen, 0);
}
