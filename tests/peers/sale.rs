//! A code is made, scanned, paid, asked for and closed.

use crate::pair::{Pair, SUBJECT, out_trade_no};
use serde_json::{Value, json};
use yidan_payment::Evidence;

const PAID: &str = "S01T02_20261130_000001";
const CLOSED: &str = "S01T02_20261130_000002";

/// Precreate, ask, scan, ask, pay, ask; then the notice, and a close that comes too late.
pub async fn paid(pair: &mut Pair) {
    let made = pair.precreate(PAID, "12.34").await;
    assert_eq!(made["code"], "10000", "{made}");
    let qr_code = made["qr_code"].as_str().unwrap();
    assert!(qr_code.starts_with("https://qr.alipay.com/"), "{qr_code}");

    let before = pair.query(PAID).await;
    assert_eq!((&before["code"], &before["sub_code"]), (&json!("40004"), &json!("ACQ.TRADE_NOT_EXIST")));

    let scanned = pair.sandbox.control("scan", &json!({ "qr_code": qr_code, "buyer": "amy" })).await;
    let waiting = pair.query(PAID).await;
    assert_eq!((&waiting["code"], &waiting["trade_status"]), (&json!("10000"), &json!("WAIT_BUYER_PAY")));
    assert_eq!((&waiting["trade_no"], &waiting["total_amount"]), (&scanned["trade_no"], &json!("12.34")));

    pair.sandbox.control("pay", &json!({ "out_trade_no": PAID, "buyer": "amy" })).await;
    let paid = pair.query(PAID).await;
    assert_eq!((&paid["trade_status"], &paid["total_amount"]), (&json!("TRADE_SUCCESS"), &json!("12.34")));

    let notice = pair.notice(PAID).await;
    assert_eq!(notice["trade_status"], "TRADE_SUCCESS");
    assert_eq!((&notice["subject"], &notice["total_amount"]), (&json!(SUBJECT), &json!("12.34")));
    pair.try_to_forge(&notice).await;

    let late = pair.ask("close", PAID).await;
    assert_eq!((&late["code"], &late["sub_code"]), (&json!("40004"), &json!("ACQ.TRADE_STATUS_ERROR")));
    let ours = pair.ours.close(&out_trade_no(PAID)).await.unwrap().evidence;
    assert!(matches!(ours, Evidence::CloseRefused(refusal) if late["sub_code"] == refusal.sub_code));
}

/// A trade that nobody has paid is closed.
pub async fn closed(pair: &mut Pair) {
    pair.precreate(CLOSED, "0.01").await;
    pair.sandbox.control("scan", &json!({ "out_trade_no": CLOSED, "buyer": "bob" })).await;
    let closed = pair.ask("close", CLOSED).await;
    assert_eq!((&closed["code"], &closed["out_trade_no"]), (&json!("10000"), &json!(CLOSED)));
    assert_eq!(pair.query(CLOSED).await["trade_status"], "TRADE_CLOSED");
}

/// The SDK really checks: what is signed wrongly, or changed after it was signed, it refuses.
pub async fn deceived(pair: &mut Pair) {
    for kind in ["bad_signature", "tampered_body"] {
        pair.sandbox.control("fault", &json!({ "method": "alipay.trade.query", "kind": kind, "times": 2 })).await;
        let answer = pair.ask("query", PAID).await;
        assert!(answer["refused"].is_string(), "{kind}: {answer}");
        pair.ours.query(&out_trade_no(PAID)).await.expect_err(kind);
        let next = pair.query(PAID).await;
        assert_eq!(next["trade_status"], Value::from("TRADE_SUCCESS"), "the fault is over");
    }
}
