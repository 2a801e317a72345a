//! Money goes back once, whoever clicks how often.

use crate::prelude::*;

#[tokio::test]
async fn part_of_the_money_and_then_the_rest() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;

    let first = shop.counter.refunds(&payment, yuan("30.00")).await;
    assert_eq!(first.refund.status, RefundStatus::Success);
    assert_eq!(first.refund.out_request_no, Some(format!("{}R1", payment.out_trade_no)));
    assert_eq!(order_status(&shop, &payment).await, "PARTIALLY_REFUNDED");
    shop.counter.rests().await;
    shop.refunds_agree(&payment, yuan("30.00")).await;
    let second = shop.counter.refunds(&payment, yuan("70.00")).await;

    assert_eq!(second.refund.out_request_no, Some(format!("{}R2", payment.out_trade_no)));
    assert_eq!(order_status(&shop, &payment).await, "REFUNDED");
    shop.counter.rests().await;
    shop.refunds_agree(&payment, yuan("100.00")).await;
    let wish = second.refund.wish.expect("who and why");
    assert_eq!((wish.operator_id.is_empty(), wish.reason.as_str()), (false, "顾客退货"));
}

#[tokio::test]
async fn two_clicks_at_once_make_one_refund_and_one_call() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    let click = new_request();

    let (first, second) = tokio::join!(
        shop.counter.tries_to_refund(click, &payment, yuan("30.00")),
        shop.counter.tries_to_refund(click, &payment, yuan("30.00")),
    );

    assert_eq!(first.expect("refunded").refund, second.expect("refunded").refund);
    assert_eq!(shop.calls(&payment, "refund"), 1);
    shop.counter.rests().await;
    shop.refunds_agree(&payment, yuan("30.00")).await;
}

#[tokio::test]
async fn the_same_click_with_another_amount_is_refused() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    let click = new_request();
    shop.counter.tries_to_refund(click, &payment, yuan("30.00")).await.expect("refunded");

    let refused = shop.counter.tries_to_refund(click, &payment, yuan("31.00")).await;

    assert!(refused.unwrap_err().contains("used before"));
    shop.counter.rests().await;
    shop.refunds_agree(&payment, yuan("30.00")).await;
}

#[tokio::test]
async fn two_managers_at_once_make_one_refund() {
    for amount in ["30.00", "100.00"] {
        let shop = Shop::open().await;
        let payment = paid(&shop, "100.00").await;
        shop.counter.takes_on_a_cashier(Fen::ZERO).await;

        let (first, second) = tokio::join!(
            shop.counter.tries_to_refund(new_request(), &payment, yuan(amount)),
            shop.counter.tries_to_refund(new_request(), &payment, yuan(amount)),
        );

        assert_eq!(first.is_ok() as u8 + second.is_ok() as u8, 1, "one of them is told that the other was faster");
        shop.counter.rests().await;
        shop.refunds_agree(&payment, yuan(amount)).await;
    }
}

#[tokio::test]
async fn not_a_fen_more_than_came() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "10.00").await;

    assert!(shop.counter.tries_to_refund(new_request(), &payment, Fen::ZERO).await.is_err());
    for (amount, sent) in [("10.01", 0), ("1.00", 1), ("9.01", 1), ("9.00", 2)] {
        let result = shop.counter.tries_to_refund(new_request(), &payment, yuan(amount)).await;
        assert_eq!(shop.calls(&payment, "refund"), sent, "{amount}: {result:?}");
    }

    shop.counter.rests().await;
    shop.refunds_agree(&payment, yuan("10.00")).await;
}
