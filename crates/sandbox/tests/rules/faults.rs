//! Every fault does what it says: to the answer and, above all, to the money.

use std::time::Duration;

use serde_json::json;
use yidan_sandbox::{Fault, FaultKind};

use crate::merchant::{CANCEL, CLOSE, PRECREATE, QUERY, Shop};

#[tokio::test]
async fn a_lost_answer_has_its_effect_and_no_bytes() {
    let shop = Shop::open().await;
    shop.sandbox.next_fault(Fault::once(PRECREATE, FaultKind::LoseAnswer));

    let lost = shop.try_call(PRECREATE, json!({"out_trade_no": "T1", "total_amount": "1.00", "subject": "x"})).await;

    assert!(lost.is_err());
    assert_eq!(shop.sandbox.sessions().len(), 1);
    assert_eq!(shop.sandbox.calls("T1", PRECREATE), 1);
}

#[tokio::test]
async fn a_call_dropped_before_has_no_effect() {
    let shop = Shop::open().await;
    shop.precreate("T1").await;
    shop.sandbox.scan("T1", "amy").unwrap();
    shop.sandbox.next_fault(Fault::once(CLOSE, FaultKind::DropBefore));

    assert!(shop.try_call(CLOSE, json!({"out_trade_no": "T1"})).await.is_err());

    assert_eq!(shop.sandbox.trade("T1").unwrap().status, "WAIT_BUYER_PAY");
    assert_eq!(shop.close("T1").await.code(), "10000");
}

#[tokio::test]
async fn a_delayed_answer_has_its_effect_before_the_client_gives_up() {
    let shop = Shop::open().await;
    shop.precreate("T1").await;
    shop.sandbox.scan("T1", "amy").unwrap();
    shop.sandbox.next_fault(Fault::once(CLOSE, FaultKind::Delay(60_000)));

    let gave_up = tokio::time::timeout(Duration::from_millis(300), shop.close("T1")).await;

    assert!(gave_up.is_err());
    assert_eq!(shop.sandbox.trade("T1").unwrap().status, "TRADE_CLOSED");
}

#[tokio::test]
async fn system_errors_before_and_after_differ_only_in_the_effect() {
    for (kind, status) in
        [(FaultKind::SystemErrorBefore, "WAIT_BUYER_PAY"), (FaultKind::SystemErrorAfter, "TRADE_CLOSED")]
    {
        let shop = Shop::open().await;
        shop.precreate("T1").await;
        shop.sandbox.scan("T1", "amy").unwrap();
        shop.sandbox.next_fault(Fault::once(CLOSE, kind));

        let reply = shop.close("T1").await;

        assert!(reply.is_genuine);
        assert_eq!((reply.code(), reply.sub_code()), ("40004", "ACQ.SYSTEM_ERROR"));
        assert_eq!(shop.sandbox.trade("T1").unwrap().status, status);
    }
}

#[tokio::test]
async fn unavailable_and_limited_have_no_effect() {
    let shop = Shop::open().await;
    shop.sandbox.next_fault(Fault::once(PRECREATE, FaultKind::Unavailable20000));
    shop.sandbox.next_fault(Fault::once(PRECREATE, FaultKind::Limited40005));

    let unavailable = shop.precreate("T1").await;
    let limited = shop.precreate("T1").await;

    assert_eq!((unavailable.code(), unavailable.sub_code()), ("20000", "isp.unknow-error"));
    assert_eq!((limited.code(), limited.sub_code()), ("40005", "isv.app-call-limited"));
    assert!(shop.sandbox.sessions().is_empty());
}

#[tokio::test]
async fn spoiled_answers_do_not_verify() {
    let shop = Shop::open().await;
    shop.precreate("T1").await;
    shop.sandbox.scan("T1", "amy").unwrap();
    for kind in [FaultKind::BadSignature, FaultKind::TamperedBody, FaultKind::Unsigned] {
        shop.sandbox.next_fault(Fault::once(QUERY, kind));

        let reply = shop.query("T1").await;

        assert!(!reply.is_genuine, "{kind:?}");
        assert_eq!(reply.is_signed, kind != FaultKind::Unsigned);
        let lie = if kind == FaultKind::TamperedBody { "TRADE_SUCCESS" } else { "WAIT_BUYER_PAY" };
        assert_eq!(reply.text("trade_status"), lie);
    }
    assert!(shop.query("T1").await.is_genuine);
}

#[tokio::test]
async fn empty_and_html_answers_are_http_200() {
    let shop = Shop::open().await;
    shop.sandbox.next_fault(Fault::once(QUERY, FaultKind::EmptyOk));
    shop.sandbox.next_fault(Fault::once(QUERY, FaultKind::GbkHtml));

    let empty = shop.query("T1").await;
    let html = shop.query("T1").await;

    assert!(empty.body.is_empty());
    assert_eq!(empty.headers["content-type"], "text/html;charset=GBK");
    assert!(encoding_rs::GBK.decode(&html.body).0.contains("系统繁忙"));
}

#[tokio::test]
async fn a_wrong_amount_is_signed_and_charges_nothing_else() {
    let shop = Shop::open().await;
    shop.sell("T1").await;
    shop.sandbox.next_fault(Fault::once(QUERY, FaultKind::WrongAmount(999)));

    let reply = shop.query("T1").await;

    assert!(reply.is_genuine);
    assert_eq!(reply.text("total_amount"), "9.99");
    assert_eq!(shop.sandbox.charged_total_fen(), 1234);
}

#[tokio::test]
async fn a_cancel_asks_to_be_repeated_as_often_as_wanted() {
    let shop = Shop::open().await;
    shop.sell("T1").await;
    shop.sandbox.next_fault(Fault { method: Some(CANCEL.to_owned()), kind: FaultKind::RetryFlagY, times: 2 });

    let flags = [shop.cancel("T1").await, shop.cancel("T1").await, shop.cancel("T1").await]
        .map(|reply| reply.text("retry_flag").to_owned());

    assert_eq!(flags, ["Y", "Y", "N"]);
    assert_eq!(shop.sandbox.trade("T1").unwrap().refunded_fen, 1234);
}

#[tokio::test]
async fn an_answer_may_come_without_a_date() {
    let shop = Shop::open().await;
    shop.sandbox.next_fault(Fault::once(QUERY, FaultKind::NoDateHeader));

    let without = shop.query("T1").await;
    let with = shop.query("T1").await;

    assert!(without.is_genuine);
    assert!(without.headers.get("date").is_none());
    assert!(with.headers.get("date").is_some());
}
