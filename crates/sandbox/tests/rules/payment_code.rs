//! `alipay.trade.pay`: the merchant scans the buyer's code.

use serde_json::json;
use yidan_sandbox::CodeOutcome;

use crate::merchant::{MINUTE, Reply, Shop};

async fn pay(shop: &Shop, number: &str, code: &str) -> Reply {
    let biz = json!({"out_trade_no": number, "total_amount": "12.34", "subject": "奶茶", "scene": "bar_code", "auth_code": code});
    shop.call("alipay.trade.pay", biz).await
}

#[tokio::test]
async fn a_code_is_charged_at_once_and_only_once() {
    let shop = Shop::open().await;
    let code = shop.sandbox.buyer_code("amy", CodeOutcome::Pays);

    let paid = pay(&shop, "P1", &code).await;
    let repeated = pay(&shop, "P1", &code).await;
    let reused = pay(&shop, "P2", &code).await;

    assert!(paid.is_genuine);
    assert_eq!((paid.code(), paid.text("total_amount"), paid.text("receipt_amount")), ("10000", "12.34", "12.34"));
    assert_eq!(paid.text("gmt_payment").len(), 19);
    assert_eq!(repeated.sub_code(), "ACQ.TRADE_HAS_SUCCESS");
    assert_eq!(reused.sub_code(), "ACQ.PAYMENT_AUTH_CODE_INVALID");
    assert_eq!((shop.sandbox.charges("P1"), shop.sandbox.charges("P2")), (1, 0));
}

#[tokio::test]
async fn a_code_dies_after_a_minute() {
    let shop = Shop::open().await;
    let code = shop.sandbox.buyer_code("amy", CodeOutcome::Pays);
    shop.turn_clock(MINUTE);

    assert_eq!(pay(&shop, "P1", &code).await.sub_code(), "ACQ.PAYMENT_AUTH_CODE_INVALID");
    assert!(shop.sandbox.trade("P1").is_none());
}

#[tokio::test]
async fn a_password_makes_the_merchant_wait_for_the_phone() {
    let shop = Shop::open().await;
    let (status, shown) = shop.control("code", json!({"buyer": "amy", "outcome": "asks_password"})).await;
    assert_eq!(status, 200);

    let waiting = pay(&shop, "P1", shown["auth_code"].as_str().unwrap()).await;

    assert_eq!((waiting.code(), waiting.text("msg")), ("10003", "order success pay inprocess"));
    assert_eq!(shop.query("P1").await.text("trade_status"), "WAIT_BUYER_PAY");
    shop.sandbox.pay("P1", "amy").unwrap();
    assert_eq!(shop.query("P1").await.text("trade_status"), "TRADE_SUCCESS");
}

#[tokio::test]
async fn a_waiting_number_takes_a_second_code_only_of_the_same_buyer() {
    let shop = Shop::open().await;
    let first = shop.sandbox.buyer_code("amy", CodeOutcome::AsksPassword);
    pay(&shop, "P1", &first).await;

    let others = shop.sandbox.buyer_code("bob", CodeOutcome::Pays);
    let own = shop.sandbox.buyer_code("amy", CodeOutcome::Pays);

    assert_eq!(pay(&shop, "P1", &others).await.sub_code(), "ACQ.TRADE_BUYER_NOT_MATCH");
    assert_eq!(pay(&shop, "P1", &own).await.code(), "10000");
    assert_eq!(shop.sandbox.charges("P1"), 1);
}

#[tokio::test]
async fn an_empty_wallet_is_a_refusal_without_a_trade() {
    let shop = Shop::open().await;
    let code = shop.sandbox.buyer_code("amy", CodeOutcome::HasNoMoney);

    assert_eq!(pay(&shop, "P1", &code).await.sub_code(), "ACQ.BUYER_BALANCE_NOT_ENOUGH");
    assert_eq!(shop.query("P1").await.sub_code(), "ACQ.TRADE_NOT_EXIST");
}
