//! What happens when a number is used again, and when its time is over.

use serde_json::json;
use yidan_sandbox::{BuyerRefusal, RefuseReuse, TimeoutFrom};

use crate::merchant::{HOUR, MINUTE, PRECREATE, Shop, beijing};

#[tokio::test]
async fn a_code_is_not_a_trade() {
    let shop = Shop::open().await;
    shop.precreate("T1").await;

    let reply = shop.query("T1").await;

    assert!(reply.is_genuine);
    assert_eq!((reply.code(), reply.sub_code()), ("40004", "ACQ.TRADE_NOT_EXIST"));
    let text = String::from_utf8(reply.body).unwrap();
    assert!(text.contains(
        r#""buyer_pay_amount":"0.00","invoice_amount":"0.00","out_trade_no":"T1","point_amount":"0.00","receipt_amount":"0.00"}"#
    ));
    assert!(shop.sandbox.trade("T1").is_none());
}

#[tokio::test]
async fn an_unscanned_number_gives_several_codes_and_at_most_one_trade() {
    let shop = Shop::open().await;
    let first = shop.precreate("T1").await.text("qr_code").to_owned();
    let second = shop.precreate("T1").await.text("qr_code").to_owned();
    assert_ne!(first, second);
    assert_eq!(shop.sandbox.latest_qr("T1").as_ref(), Some(&second));

    shop.sandbox.scan(&first, "amy").unwrap();
    let other = shop.sandbox.scan(&second, "bob");
    let same = shop.sandbox.scan(&second, "amy").unwrap();
    shop.sandbox.pay("T1", "amy").unwrap();
    let late = shop.sandbox.scan(&second, "bob");

    assert!(matches!(other, Err(BuyerRefusal::AnotherBuyer)));
    assert_eq!(shop.sandbox.trade("T1").unwrap().trade_no, same.trade_no);
    assert!(matches!(late, Err(BuyerRefusal::AlreadyPaid)));
    assert_eq!(shop.sandbox.charges("T1"), 1);
}

#[tokio::test]
async fn an_unscanned_number_may_come_back_with_another_amount_and_both_codes_are_payable() {
    let shop = Shop::open().await;
    let dear = shop.precreate("T1").await.text("qr_code").to_owned();
    let biz = json!({"out_trade_no": "T1", "total_amount": "1.00", "subject": "奶茶"});
    let cheap = shop.call(PRECREATE, biz).await.text("qr_code").to_owned();

    let scanned = shop.sandbox.scan(&dear, "amy").unwrap();
    let other = shop.sandbox.scan(&cheap, "amy");

    assert_eq!(scanned.total_fen, 1234);
    assert!(matches!(other, Err(BuyerRefusal::ContextInconsistent)));
}

#[tokio::test]
async fn a_number_in_use_is_answered_by_its_trade() {
    let shop = Shop::open().await;
    shop.precreate("T1").await;
    shop.sandbox.scan("T1", "amy").unwrap();
    let changed = json!({"out_trade_no": "T1", "total_amount": "1.00", "subject": "奶茶"});

    assert_eq!(shop.precreate("T1").await.code(), "10000");
    assert_eq!(shop.call(PRECREATE, changed).await.sub_code(), "ACQ.CONTEXT_INCONSISTENT");
    shop.sandbox.pay("T1", "amy").unwrap();
    assert_eq!(shop.precreate("T1").await.sub_code(), "ACQ.TRADE_HAS_SUCCESS");
    shop.precreate("T2").await;
    shop.sandbox.scan("T2", "amy").unwrap();
    shop.close("T2").await;
    assert_eq!(shop.precreate("T2").await.sub_code(), "ACQ.TRADE_HAS_CLOSE");
}

#[tokio::test]
async fn reuse_can_be_refused_only_at_the_scan() {
    let shop = Shop::open().await;
    shop.sandbox.change_settings(|settings| settings.refuse_reuse = RefuseReuse::AtScan);
    shop.sell("T1").await;

    let code = shop.precreate("T1").await.text("qr_code").to_owned();

    assert!(matches!(shop.sandbox.scan(&code, "amy"), Err(BuyerRefusal::AlreadyPaid)));
    assert_eq!(shop.sandbox.charges("T1"), 1);
}

#[tokio::test]
async fn no_code_lives_longer_than_two_hours() {
    let shop = Shop::open().await;
    let code = shop.precreate("T1").await.text("qr_code").to_owned();

    shop.turn_clock(2 * HOUR + 1_000);

    assert!(matches!(shop.sandbox.scan(&code, "amy"), Err(BuyerRefusal::CodeExpired)));
    assert_eq!(shop.query("T1").await.sub_code(), "ACQ.TRADE_NOT_EXIST");
}

#[tokio::test]
async fn a_code_dies_after_its_own_timeout() {
    let shop = Shop::open().await;
    let biz = json!({"out_trade_no": "T1", "total_amount": "1.00", "subject": "x", "qr_code_timeout_express": "5m"});
    let code = shop.call(PRECREATE, biz).await.text("qr_code").to_owned();

    shop.turn_clock(5 * MINUTE + 1_000);

    assert!(matches!(shop.sandbox.scan(&code, "amy"), Err(BuyerRefusal::CodeExpired)));
}

#[tokio::test]
async fn an_unpaid_trade_closes_when_time_expire_passes_and_cannot_be_paid() {
    let shop = Shop::open().await;
    let end = beijing(shop.now() + 5 * MINUTE);
    let biz = json!({"out_trade_no": "T1", "total_amount": "1.00", "subject": "x", "time_expire": end, "timeout_express": "15d"});
    shop.call(PRECREATE, biz).await;
    shop.sandbox.scan("T1", "amy").unwrap();

    shop.turn_clock(5 * MINUTE + 1_000);

    assert!(matches!(shop.sandbox.pay("T1", "amy"), Err(BuyerRefusal::NumberClosed)));
    assert_eq!(shop.query("T1").await.text("trade_status"), "TRADE_CLOSED");
    assert_eq!(shop.sandbox.charges("T1"), 0);
}

#[tokio::test]
async fn a_time_expire_in_the_past_is_refused() {
    let shop = Shop::open().await;
    let past = beijing(shop.now() - MINUTE);
    let biz = json!({"out_trade_no": "T1", "total_amount": "1.00", "subject": "x", "time_expire": past});

    let reply = shop.call(PRECREATE, biz).await;

    assert_eq!(reply.sub_code(), "ACQ.NOW_TIME_AFTER_EXPIRE_TIME_ERROR");
}

#[tokio::test]
async fn timeout_express_runs_from_the_precreate_or_from_the_scan() {
    for (from, status) in [(TimeoutFrom::Precreate, "TRADE_CLOSED"), (TimeoutFrom::Scan, "WAIT_BUYER_PAY")] {
        let shop = Shop::open().await;
        shop.sandbox.change_settings(|settings| settings.timeout_express_from = from);
        let biz = json!({"out_trade_no": "T1", "total_amount": "1.00", "subject": "x", "timeout_express": "10m"});
        shop.call(PRECREATE, biz).await;
        shop.turn_clock(6 * MINUTE);
        shop.sandbox.scan("T1", "amy").unwrap();
        shop.turn_clock(6 * MINUTE);

        assert_eq!(shop.query("T1").await.text("trade_status"), status, "{from:?}");
    }
}

#[tokio::test]
async fn nonsense_in_a_precreate_is_refused_by_name() {
    let shop = Shop::open().await;
    let good = json!({"out_trade_no": "T1", "total_amount": "1.00", "subject": "x"});
    let cases = [
        ("out_trade_no", json!("T-1")),
        ("out_trade_no", json!("1".repeat(65))),
        ("total_amount", json!("0.001")),
        ("total_amount", json!("0")),
        ("subject", json!("")),
        ("subject", json!("字".repeat(257))),
        ("timeout_express", json!("1.5h")),
        ("time_expire", json!("soon")),
    ];
    for (name, value) in cases {
        let mut biz = good.clone();
        biz[name] = value;
        let reply = shop.call(PRECREATE, biz).await;
        assert_eq!(reply.sub_code(), "ACQ.INVALID_PARAMETER", "{name}");
        assert!(reply.text("sub_msg").contains(name), "{name}");
    }
    assert!(shop.sandbox.sessions().is_empty());
}
