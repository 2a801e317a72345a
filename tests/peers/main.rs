//! Other people's programs sell in the sandbox: three SDKs that are used against the real Alipay, each with its own
//! signature check on, against the real program over real HTTP.
//!
//! If they all accept it, the sandbox speaks Alipay's language and not only ours. Nothing is skipped: an SDK that is not
//! installed is a failure (`make target/peers/ready` installs them).

#![cfg(test)]

mod ours;
mod sandbox;
mod sdk;

use sandbox::Sandbox;
use sdk::Sdk;
use serde_json::{Value, json};

#[tokio::test]
async fn alipays_own_sdk_for_node_sells_in_the_sandbox() {
    let sandbox = Sandbox::start().await;
    let sdk = Sdk::start("node", "node.mjs", &sandbox).await;
    sell(sandbox, sdk).await;
}

#[tokio::test]
async fn alipays_own_sdk_for_python_sells_in_the_sandbox() {
    let sandbox = Sandbox::start().await;
    let sdk = Sdk::start("target/peers/official/bin/python", "official.py", &sandbox).await;
    sell(sandbox, sdk).await;
}

#[tokio::test]
async fn the_communitys_sdk_for_python_sells_in_the_sandbox() {
    let sandbox = Sandbox::start().await;
    let sdk = Sdk::start("target/peers/community/bin/python", "community.py", &sandbox).await;
    sell(sandbox, sdk).await;
}

/// A subject with everything that is hard to carry: Chinese, a blank, a plus and a bare percent sign.
const SUBJECT: &str = "豆浆+油条 100%";

async fn sell(mut sandbox: Sandbox, mut sdk: Sdk) {
    paid(&mut sandbox, &mut sdk).await;
    closed(&sandbox, &mut sdk).await;
    deceived(&sandbox, &mut sdk).await;
}

/// Precreate, ask, scan, ask, pay, ask; then the notice, and a close that comes too late.
async fn paid(sandbox: &mut Sandbox, sdk: &mut Sdk) {
    let number = "S01T02_20261130_000001";
    let made = sdk.precreate(number, SUBJECT, "12.34", &sandbox.notify_url()).await;
    assert_eq!(made["code"], "10000", "{made}");
    let qr_code = made["qr_code"].as_str().unwrap();
    assert!(qr_code.starts_with("https://qr.alipay.com/"), "{qr_code}");

    let before = sdk.ask("query", number).await;
    assert_eq!((&before["code"], &before["sub_code"]), (&json!("40004"), &json!("ACQ.TRADE_NOT_EXIST")));

    let scanned = sandbox.control("scan", &json!({ "qr_code": qr_code, "buyer": "amy" })).await;
    let waiting = sdk.ask("query", number).await;
    assert_eq!((&waiting["code"], &waiting["trade_status"]), (&json!("10000"), &json!("WAIT_BUYER_PAY")));
    assert_eq!((&waiting["trade_no"], &waiting["total_amount"]), (&scanned["trade_no"], &json!("12.34")));

    sandbox.control("pay", &json!({ "out_trade_no": number, "buyer": "amy" })).await;
    let paid = sdk.ask("query", number).await;
    assert_eq!((&paid["trade_status"], &paid["total_amount"]), (&json!("TRADE_SUCCESS"), &json!("12.34")));

    let notice = sandbox.next_notice(|fields| fields["trade_status"] == "TRADE_SUCCESS").await;
    assert_eq!((&notice["subject"], &notice["total_amount"]), (&json!(SUBJECT), &json!("12.34")));
    assert_eq!(sdk.verify(&notice).await, json!({ "genuine": true }));
    let mut forged = notice.clone();
    forged["total_amount"] = json!("99.99");
    assert_eq!(sdk.verify(&forged).await, json!({ "genuine": false }));

    let late = sdk.ask("close", number).await;
    assert_eq!((&late["code"], &late["sub_code"]), (&json!("40004"), &json!("ACQ.TRADE_STATUS_ERROR")));
}

/// A trade that nobody has paid is closed.
async fn closed(sandbox: &Sandbox, sdk: &mut Sdk) {
    let number = "S01T02_20261130_000002";
    sdk.precreate(number, SUBJECT, "0.01", &sandbox.notify_url()).await;
    sandbox.control("scan", &json!({ "out_trade_no": number, "buyer": "bob" })).await;
    let closed = sdk.ask("close", number).await;
    assert_eq!((&closed["code"], &closed["out_trade_no"]), (&json!("10000"), &json!(number)));
    assert_eq!(sdk.ask("query", number).await["trade_status"], "TRADE_CLOSED");
}

/// The SDK really checks: what is signed wrongly, or changed after it was signed, it refuses.
async fn deceived(sandbox: &Sandbox, sdk: &mut Sdk) {
    for kind in ["bad_signature", "tampered_body"] {
        sandbox.control("fault", &json!({ "method": "alipay.trade.query", "kind": kind })).await;
        let answer = sdk.ask("query", "S01T02_20261130_000001").await;
        assert!(answer["refused"].is_string(), "{kind}: {answer}");
        let next = sdk.ask("query", "S01T02_20261130_000001").await;
        assert_eq!(next["trade_status"], Value::from("TRADE_SUCCESS"), "the fault is over");
    }
}
