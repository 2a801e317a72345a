//! The shop's phone app gives money back behind the counter's back. It is found, booked as somebody else's, and told.

use crate::prelude::*;

#[tokio::test]
async fn all_of_it() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    shop.alipay.refund_elsewhere(payment.out_trade_no.as_str(), 10_000).expect("the app refunds");

    asks(&shop, &payment).await;

    let known = shop.counter.payment(&payment).await;
    assert_eq!((known.refunds.len(), known.refunds[0].origin), (1, RefundOrigin::Foreign));
    assert_eq!(known.refunds[0].out_request_no, None, "only the fact is known");
    assert_eq!(order_status(&shop, &payment).await, "REFUNDED");
    assert_eq!(shop.counter.cases().await, [CaseKind::RefundedElsewhere]);
    shop.refunds_agree(&payment, yuan("100.00")).await;

    let seen = Decision::Seen { note: "老板用手机退的".into() };
    shop.counter.decides(CaseKind::RefundedElsewhere, seen).await.expect("seen");
    assert_eq!(shop.counter.cases().await, []);
}

#[tokio::test]
async fn its_number_is_filled_in_later_and_makes_no_second_row() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    let number = shop.alipay.refund_elsewhere(payment.out_trade_no.as_str(), 10_000).expect("the app refunds");
    asks(&shop, &payment).await;

    asks_about(&shop, &payment, &number).await;

    let known = shop.counter.payment(&payment).await;
    assert_eq!((known.refunds.len(), &known.refunds[0].out_request_no), (1, &Some(number)));
    shop.refunds_agree(&payment, yuan("100.00")).await;
}

#[tokio::test]
async fn part_of_it_with_the_number_that_a_notice_names() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    let number = shop.alipay.refund_elsewhere(payment.out_trade_no.as_str(), 2_500).expect("the app refunds");

    asks_about(&shop, &payment, &number).await;

    let known = shop.counter.payment(&payment).await;
    assert_eq!((known.refunds[0].origin, known.refunds[0].amount), (RefundOrigin::Foreign, yuan("25.00")));
    assert_eq!(order_status(&shop, &payment).await, "PARTIALLY_REFUNDED");
    assert_eq!(shop.counter.cases().await, [CaseKind::RefundedElsewhere]);
    let too_much = shop.counter.tries_to_refund(new_request(), &payment, yuan("80.00")).await;
    assert!(too_much.unwrap_err().contains("not so much is left"));
    shop.refunds_agree(&payment, yuan("25.00")).await;
}

#[tokio::test]
async fn a_refund_notice_before_the_payment_is_known() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("100.00")).await;
    shop.buyer.scans_and_pays(&payment);
    let number = shop.alipay.refund_elsewhere(payment.out_trade_no.as_str(), 2_500).expect("the app refunds");

    asks_about(&shop, &payment, &number).await;

    let known = shop.counter.payment(&payment).await;
    assert_eq!((name(&known), known.refunds.len()), ("SUCCESS", 1));
    assert_eq!(order_status(&shop, &payment).await, "PARTIALLY_REFUNDED");
    shop.refunds_agree(&payment, yuan("25.00")).await;
}

#[tokio::test]
async fn a_question_that_found_no_answer_survives_a_restart() {
    let mut shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    let number = shop.alipay.refund_elsewhere(payment.out_trade_no.as_str(), 2_500).expect("the app refunds");
    shop.alipay.next_fault(Fault::once("alipay.trade.fastpay.refund.query", FaultKind::DropBefore));
    asks_about(&shop, &payment, &number).await;
    assert!(shop.counter.payment(&payment).await.refunds.is_empty());

    shop.counter.restarts().await;
    shop.turn(seconds(4)).await;

    assert_eq!(shop.counter.payment(&payment).await.refunds[0].amount, yuan("25.00"));
    shop.refunds_agree(&payment, yuan("25.00")).await;
}

#[tokio::test]
async fn all_of_it_while_a_refund_of_ours_is_lost_on_the_way() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    shop.alipay.next_fault(Fault::once("alipay.trade.refund", FaultKind::DropBefore));
    shop.counter.refunds(&payment, yuan("3.00")).await;
    let number = shop.alipay.refund_elsewhere(payment.out_trade_no.as_str(), 10_000).expect("the app refunds");

    asks(&shop, &payment).await;
    assert_eq!(shop.counter.payment(&payment).await.books().expect("balanced").refunded, yuan("97.00"));
    shop.turn(seconds(60)).await;

    let known = shop.counter.payment(&payment).await;
    let statuses: Vec<RefundStatus> = known.refunds.iter().map(|refund| refund.status).collect();
    assert_eq!(statuses, [RefundStatus::Fail, RefundStatus::Success], "ours was refused, and all is explained");
    shop.refunds_agree(&payment, yuan("100.00")).await;
    asks_about(&shop, &payment, &number).await;
    assert_eq!(shop.counter.payment(&payment).await.refunds[1].out_request_no, Some(number));
    shop.refunds_agree(&payment, yuan("100.00")).await;
}

async fn asks(shop: &Shop, payment: &Payment) {
    let pay_id = payment.pay_id;
    shop.counter
        .asks(move |engine| async move { engine.ask_now(pay_id).await.is_ok() })
        .await
        .then_some(())
        .expect("asked");
    shop.counter.rests().await;
}

async fn asks_about(shop: &Shop, payment: &Payment, number: &str) {
    let (pay_id, number) = (payment.pay_id, number.to_owned());
    let asked = shop.counter.asks(move |engine| async move { engine.ask_refund(pay_id, &number).await.is_ok() });
    asked.await.then_some(()).expect("asked");
    shop.counter.rests().await;
}
