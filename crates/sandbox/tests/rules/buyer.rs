//! What the customer's phone can and cannot do.

use yidan_sandbox::BuyerRefusal;

use crate::merchant::{HOUR, QUERY, Shop};
use serde_json::json;

#[tokio::test]
async fn a_scan_makes_the_trade_and_a_payment_charges_once() {
    let shop = Shop::open().await;
    shop.precreate("T1").await;
    assert!(matches!(shop.sandbox.pay("T1", "amy"), Err(BuyerRefusal::NotScanned)));

    let scanned = shop.sandbox.scan("T1", "amy").unwrap();
    let waiting = shop.query("T1").await;
    let paid = shop.sandbox.pay("T1", "amy").unwrap();
    let again = shop.sandbox.pay("T1", "amy");
    let success = shop.call(QUERY, json!({"trade_no": paid.trade_no})).await;

    assert_eq!(scanned.trade_no, paid.trade_no);
    assert_eq!(paid.trade_no.len(), 28);
    assert_eq!(waiting.text("trade_status"), "WAIT_BUYER_PAY");
    assert_eq!((waiting.text("total_amount"), waiting.text("receipt_amount")), ("12.34", "0.00"));
    assert!(waiting.fields.get("send_pay_date").is_none());
    assert_eq!(success.text("trade_status"), "TRADE_SUCCESS");
    assert_eq!((success.text("total_amount"), success.text("receipt_amount")), ("12.34", "12.34"));
    assert_eq!(success.fields["fund_bill_list"][0]["fund_channel"], "ALIPAYACCOUNT");
    assert_eq!(success.text("buyer_logon_id"), "amy***@sandbox.com");
    assert!(matches!(again, Err(BuyerRefusal::AlreadyPaid)));
    assert_eq!(shop.sandbox.charges("T1"), 1);
    assert_eq!(shop.sandbox.charged_total_fen(), 1234);
}

#[tokio::test]
async fn leaving_keeps_the_trade_and_the_same_buyer_may_come_back() {
    let shop = Shop::open().await;
    shop.precreate("T1").await;
    let first = shop.sandbox.scan("T1", "amy").unwrap();

    shop.sandbox.leave("T1", "amy").unwrap();

    assert_eq!(shop.query("T1").await.text("trade_status"), "WAIT_BUYER_PAY");
    assert!(matches!(shop.sandbox.leave("T1", "bob"), Err(BuyerRefusal::AnotherBuyer)));
    assert_eq!(shop.sandbox.scan("T1", "amy").unwrap(), first);
}

#[tokio::test]
async fn only_the_buyer_who_scanned_can_pay() {
    let shop = Shop::open().await;
    shop.precreate("T1").await;
    shop.sandbox.scan("T1", "amy").unwrap();

    assert!(matches!(shop.sandbox.pay("T1", "bob"), Err(BuyerRefusal::AnotherBuyer)));
    assert_eq!(shop.sandbox.charges("T1"), 0);
}

#[tokio::test]
async fn unknown_codes_and_the_seller_as_buyer_are_refused() {
    let shop = Shop::open().await;
    shop.precreate("T1").await;
    let seller = shop.sandbox.seller_id();

    assert!(matches!(shop.sandbox.scan("https://qr.alipay.com/bax0", "amy"), Err(BuyerRefusal::UnknownCode)));
    assert!(matches!(shop.sandbox.scan("T1", &seller), Err(BuyerRefusal::BuyerIsSeller)));
}

#[tokio::test]
async fn a_paid_trade_is_finished_after_the_refund_window() {
    let shop = Shop::open().await;
    shop.sell("T1").await;

    shop.turn_clock(366 * 24 * HOUR);

    assert_eq!(shop.query("T1").await.text("trade_status"), "TRADE_FINISHED");
}
