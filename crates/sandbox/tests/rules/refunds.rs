//! Refunds: one number is one refund, and 10000 alone proves nothing.

use serde_json::{Value, json};
use yidan_sandbox::{BuyerRefusal, Fault, FaultKind};

use crate::merchant::{HOUR, Reply, Shop};

const REFUND: &str = "alipay.trade.refund";
const REFUND_QUERY: &str = "alipay.trade.fastpay.refund.query";

async fn refund(shop: &Shop, number: &str, request: Option<&str>, amount: &str) -> Reply {
    let mut biz = json!({"out_trade_no": number, "refund_amount": amount, "refund_reason": "洒了"});
    if let Some(request) = request {
        biz["out_request_no"] = Value::from(request);
    }
    shop.call(REFUND, biz).await
}

async fn refund_query(shop: &Shop, number: &str, request: &str) -> Reply {
    let biz = json!({"out_trade_no": number, "out_request_no": request, "query_options": ["gmt_refund_pay"]});
    shop.call(REFUND_QUERY, biz).await
}

#[tokio::test]
async fn refund_fee_is_the_sum_of_all_refunds_of_the_trade() {
    let shop = Shop::open().await;
    shop.sell("T1").await;

    let first = refund(&shop, "T1", Some("R1"), "2.34").await;
    let second = refund(&shop, "T1", Some("R2"), "10.00").await;

    assert!(first.is_genuine);
    assert_eq!(
        (first.text("fund_change"), first.text("refund_fee"), first.text("send_back_fee")),
        ("Y", "2.34", "2.34")
    );
    assert_eq!((second.text("refund_fee"), second.text("send_back_fee")), ("12.34", "10.00"));
    assert_eq!(shop.query("T1").await.text("trade_status"), "TRADE_CLOSED");
    assert_eq!(shop.sandbox.trade("T1").unwrap().refunded_fen, 1234);
}

#[tokio::test]
async fn the_same_number_and_amount_is_one_refund() {
    let shop = Shop::open().await;
    shop.sell("T1").await;
    refund(&shop, "T1", Some("R1"), "2.00").await;

    let again = refund(&shop, "T1", Some("R1"), "2.00").await;
    let other = refund(&shop, "T1", Some("R1"), "3.00").await;

    assert_eq!((again.code(), again.text("fund_change"), again.text("refund_fee")), ("10000", "N", "2.00"));
    assert_eq!(other.sub_code(), "ACQ.DISCORDANT_REPEAT_REQUEST");
    assert_eq!((other.text("refund_fee"), other.text("send_back_fee")), ("0.00", "0.00"));
    assert_eq!(shop.sandbox.trade("T1").unwrap().refunded_fen, 200);
    assert_eq!(shop.query("T1").await.text("trade_status"), "TRADE_SUCCESS");
}

#[tokio::test]
async fn without_a_number_only_the_whole_amount_can_be_refunded() {
    let shop = Shop::open().await;
    shop.sell("T1").await;

    assert_eq!(refund(&shop, "T1", None, "1.00").await.sub_code(), "ACQ.REFUND_AMT_NOT_EQUAL_TOTAL");
    assert_eq!(refund(&shop, "T1", None, "12.34").await.text("fund_change"), "Y");
    assert_eq!(refund(&shop, "T1", None, "12.34").await.text("fund_change"), "N");
    assert_eq!(refund_query(&shop, "T1", "T1").await.text("refund_status"), "REFUND_SUCCESS");
}

#[tokio::test]
async fn what_cannot_be_refunded_is_refused_by_name() {
    let shop = Shop::open().await;
    shop.sell("T1").await;
    assert_eq!(refund(&shop, "T1", Some("R1"), "12.35").await.sub_code(), "ACQ.REASON_TRADE_REFUND_FEE_ERR");
    assert_eq!(refund(&shop, "T0", Some("R1"), "1.00").await.sub_code(), "ACQ.TRADE_NOT_EXIST");
    assert_eq!(refund(&shop, "T1", Some("R1"), "1.001").await.sub_code(), "ACQ.INVALID_PARAMETER");
    shop.sandbox.change_settings(|settings| settings.seller_is_broke = true);
    assert_eq!(refund(&shop, "T1", Some("R1"), "1.00").await.sub_code(), "ACQ.SELLER_BALANCE_NOT_ENOUGH");
    shop.sandbox.change_settings(|settings| settings.seller_is_broke = false);
    shop.precreate("T2").await;
    shop.sandbox.scan("T2", "amy").unwrap();
    assert_eq!(refund(&shop, "T2", Some("R1"), "1.00").await.sub_code(), "ACQ.TRADE_STATUS_ERROR");
    shop.close("T2").await;
    assert_eq!(refund(&shop, "T2", Some("R1"), "1.00").await.sub_code(), "ACQ.TRADE_HAS_CLOSE");
    shop.turn_clock(366 * 24 * HOUR);
    assert_eq!(refund(&shop, "T1", Some("R1"), "1.00").await.sub_code(), "ACQ.TRADE_HAS_FINISHED");
    assert_eq!(shop.sandbox.trade("T1").unwrap().refunded_fen, 0);
}

#[tokio::test]
async fn an_unknown_refund_is_a_success_that_says_nothing() {
    let shop = Shop::open().await;
    shop.sell("T1").await;
    refund(&shop, "T1", Some("R1"), "2.00").await;

    let known = refund_query(&shop, "T1", "R1").await;
    let unknown = refund_query(&shop, "T1", "R2").await;

    assert_eq!((known.text("refund_status"), known.text("refund_amount")), ("REFUND_SUCCESS", "2.00"));
    assert_eq!((known.text("refund_reason"), known.text("total_amount")), ("洒了", "12.34"));
    assert_eq!(known.text("gmt_refund_pay").len(), 19);
    assert_eq!(unknown.code(), "10000");
    assert!(unknown.fields.get("refund_status").is_none());
    assert_eq!(refund_query(&shop, "T0", "R1").await.sub_code(), "ACQ.TRADE_NOT_EXIST");
}

#[tokio::test]
async fn a_refund_that_answers_fund_change_n_moved_nothing() {
    let shop = Shop::open().await;
    shop.sell("T1").await;
    shop.sandbox.next_fault(Fault::once(REFUND, FaultKind::FundChangeN));

    let reply = refund(&shop, "T1", Some("R1"), "2.00").await;

    assert_eq!((reply.code(), reply.text("fund_change")), ("10000", "N"));
    assert!(refund_query(&shop, "T1", "R1").await.fields.get("refund_status").is_none());
}

#[tokio::test]
async fn after_a_partial_refund_a_cancel_is_refused() {
    let shop = Shop::open().await;
    shop.sell("T1").await;
    refund(&shop, "T1", Some("R1"), "2.00").await;

    assert_eq!(shop.cancel("T1").await.sub_code(), "ACQ.REASON_TRADE_REFUND_FEE_ERR");
    assert_eq!(shop.sandbox.trade("T1").unwrap().refunded_fen, 200);
}

#[tokio::test]
async fn the_shop_may_refund_behind_the_cashiers_back() {
    let shop = Shop::open().await;
    shop.sell("T1").await;

    let request = shop.sandbox.refund_elsewhere("T1", 1000).unwrap();
    let too_much = shop.sandbox.refund_elsewhere("T1", 235);
    let (status, _) = shop.control("refund", json!({"out_trade_no": "T1", "amount_fen": 234})).await;

    assert_eq!(refund_query(&shop, "T1", &request).await.text("refund_amount"), "10.00");
    assert!(matches!(too_much, Err(BuyerRefusal::NothingToRefund)));
    assert_eq!(status, 200);
    assert_eq!(shop.query("T1").await.text("trade_status"), "TRADE_CLOSED");
}
