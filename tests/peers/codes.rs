//! The counter scans the code on the buyer's phone.

use crate::pair::{Pair, SUBJECT};
use serde_json::{Value, json};

const PAID: &str = "S01T02_20261130_000007";
const ASKED: &str = "S01T02_20261130_000008";
const POOR: &str = "S01T02_20261130_000009";

/// One pays at once, one types a password first, one has no money; and a code is good for one payment.
pub async fn taken(pair: &mut Pair) {
    let code = shown(pair, "pays").await;
    let paid = take(pair, PAID, &code).await;
    assert_eq!((&paid["code"], &paid["total_amount"]), (&json!("10000"), &json!("12.34")), "{paid}");
    let notice = pair.notice(PAID).await;
    assert_eq!((&notice["trade_status"], &notice["trade_no"]), (&json!("TRADE_SUCCESS"), &paid["trade_no"]));
    assert_eq!(pair.query(PAID).await["trade_no"], paid["trade_no"]);

    let used = take(pair, ASKED, &code).await;
    assert_eq!((&used["code"], &used["sub_code"]), (&json!("40004"), &json!("ACQ.PAYMENT_AUTH_CODE_INVALID")));
    assert_eq!(pair.query(ASKED).await["sub_code"], "ACQ.TRADE_NOT_EXIST");

    let code = shown(pair, "asks_password").await;
    let waiting = take(pair, ASKED, &code).await;
    assert_eq!(waiting["code"], "10003", "{waiting}");
    assert_eq!(pair.query(ASKED).await["trade_status"], "WAIT_BUYER_PAY");
    pair.sandbox.control("pay", &json!({ "out_trade_no": ASKED, "buyer": "amy" })).await;
    assert_eq!(pair.query(ASKED).await["trade_status"], "TRADE_SUCCESS");

    let code = shown(pair, "has_no_money").await;
    let poor = take(pair, POOR, &code).await;
    assert_eq!((&poor["code"], &poor["sub_code"]), (&json!("40004"), &json!("ACQ.BUYER_BALANCE_NOT_ENOUGH")));
    assert_eq!(pair.query(POOR).await["sub_code"], "ACQ.TRADE_NOT_EXIST");
}

async fn shown(pair: &Pair, outcome: &str) -> String {
    let told = pair.sandbox.control("code", &json!({ "buyer": "amy", "outcome": outcome })).await;
    told["auth_code"].as_str().unwrap().to_owned()
}

async fn take(pair: &mut Pair, number: &str, auth_code: &str) -> Value {
    let content = json!({
        "out_trade_no": number,
        "scene": "bar_code",
        "auth_code": auth_code,
        "subject": SUBJECT,
        "total_amount": "12.34",
    });
    let notify_url = pair.sandbox.notify_url();
    pair.sdk.call("alipay.trade.pay", &content, Some(&notify_url)).await
}
