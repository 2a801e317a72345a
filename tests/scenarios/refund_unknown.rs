//! The gateway gave the money back, or did not, and the answer is lost. It is asked for, under the same number.

use crate::prelude::*;

const REFUND: &str = "alipay.trade.refund";
const QUERY: &str = "alipay.trade.fastpay.refund.query";

#[tokio::test]
async fn the_lost_answer_to_a_full_refund_is_asked_for() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    shop.alipay.next_fault(Fault::once(REFUND, FaultKind::LoseAnswer));

    let unknown = shop.counter.refunds(&payment, yuan("100.00")).await;
    assert_eq!(unknown.refund.status, RefundStatus::Processing);
    assert_eq!(order_status(&shop, &payment).await, "REFUNDING");
    shop.turn(seconds(4)).await;

    let known = shop.counter.payment(&payment).await;
    assert_eq!((known.refunds.len(), known.refunds[0].status), (1, RefundStatus::Success));
    assert_eq!(shop.calls(&payment, "refund"), 1, "it was not sent again");
    shop.refunds_agree(&payment, yuan("100.00")).await;
}

#[tokio::test]
async fn a_refund_that_never_arrived_is_sent_again_under_its_number() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    shop.alipay.next_fault(Fault::once(REFUND, FaultKind::DropBefore));
    let click = new_request();

    let unknown = shop.counter.tries_to_refund(click, &payment, yuan("3.00")).await.expect("written down");
    let again = shop.counter.tries_to_refund(click, &payment, yuan("3.00")).await.expect("the same");
    assert_eq!((unknown.refund.status, again.refund.status), (RefundStatus::Processing, RefundStatus::Processing));
    shop.turn(seconds(14)).await;

    let known = shop.counter.payment(&payment).await;
    assert_eq!((known.refunds.len(), known.refunds[0].status), (1, RefundStatus::Success));
    assert_eq!(known.refunds[0].out_request_no, Some(format!("{}R1", payment.out_trade_no)));
    assert_eq!(shop.calls(&payment, "refund"), 2);
    shop.refunds_agree(&payment, yuan("3.00")).await;
}

#[tokio::test]
async fn every_unusable_answer_leaves_the_refund_unknown_until_it_is_known() {
    let nonsense = [
        FaultKind::LoseAnswer,
        FaultKind::DropBefore,
        FaultKind::Unavailable20000,
        FaultKind::SystemErrorBefore,
        FaultKind::SystemErrorAfter,
        FaultKind::BadSignature,
        FaultKind::TamperedBody,
        FaultKind::EmptyOk,
        FaultKind::Unsigned,
        FaultKind::FundChangeN,
        FaultKind::Limited40005,
    ];
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    for (count, kind) in nonsense.into_iter().enumerate() {
        shop.alipay.next_fault(Fault::once(REFUND, kind));

        let unknown = shop.counter.refunds(&payment, yuan("1.00")).await;
        assert!(unknown.refund.status != RefundStatus::Fail, "{kind:?}");
        shop.turn(seconds(60)).await;

        let known = shop.counter.payment(&payment).await;
        assert!(known.refunds.iter().all(|refund| refund.status == RefundStatus::Success), "{kind:?}");
        assert_eq!(known.refunds.len(), count + 1, "{kind:?}");
    }
    shop.refunds_agree(&payment, yuan("11.00")).await;
}

#[tokio::test]
async fn nothing_is_sent_before_the_gateway_was_asked_about_the_number() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    shop.alipay.next_fault(Fault { method: Some(QUERY.into()), kind: FaultKind::DropBefore, times: 3 });

    let waiting = shop.counter.refunds(&payment, yuan("5.00")).await;
    assert_eq!((waiting.refund.status, shop.calls(&payment, "refund")), (RefundStatus::Init, 0));
    shop.turn(seconds(40)).await;

    assert_eq!(shop.counter.payment(&payment).await.refunds[0].status, RefundStatus::Success);
    shop.refunds_agree(&payment, yuan("5.00")).await;
}

#[tokio::test]
async fn money_that_moved_without_a_proof_is_proved_later() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    shop.counter.refunds(&payment, yuan("1.00")).await;
    // The question before the sending is answered, the one after it is not.
    shop.alipay.next_fault(Fault { method: Some(QUERY.into()), kind: FaultKind::NoDateHeader, times: 1 });
    shop.alipay.next_fault(Fault { method: Some(QUERY.into()), kind: FaultKind::DropBefore, times: 1 });

    let moved = shop.counter.refunds(&payment, yuan("5.00")).await;
    assert_eq!((moved.refund.status, moved.refund.proved), (RefundStatus::Success, false));
    shop.turn(seconds(8)).await;

    assert!(shop.counter.payment(&payment).await.refunds.iter().all(|refund| refund.proved));
    shop.refunds_agree(&payment, yuan("6.00")).await;
}

#[tokio::test]
async fn a_till_that_dies_at_any_moment_of_a_refund_makes_one_refund() {
    // Cut before and after each of the three calls; the last one dies after everything.
    let cuts = [(QUERY, FaultKind::DropBefore), (REFUND, FaultKind::DropBefore), (REFUND, FaultKind::LoseAnswer)];
    for (method, kind) in cuts {
        let mut shop = Shop::open().await;
        let payment = paid(&shop, "100.00").await;
        shop.alipay.next_fault(Fault::once(method, kind));
        let click = new_request();
        shop.counter.tries_to_refund(click, &payment, yuan("30.00")).await.expect("written down");

        shop.counter.restarts().await;
        shop.turn(seconds(15)).await;

        let again = shop.counter.tries_to_refund(click, &payment, yuan("30.00")).await.expect("known");
        assert_eq!(again.refund.status, RefundStatus::Success, "{method} {kind:?}");
        assert_eq!(again.payment.refunds.len(), 1);
        shop.refunds_agree(&payment, yuan("30.00")).await;
    }
}
