//! A refund is refused. It has failed only when the gateway also says, ten seconds later, that nothing went back.

use crate::prelude::*;

#[tokio::test]
async fn without_money_on_the_account_it_is_tried_again_under_its_number() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    shop.alipay.change_settings(|settings| settings.seller_is_broke = true);
    let click = new_request();

    let refused = shop.counter.tries_to_refund(click, &payment, yuan("30.00")).await.expect("written down");
    assert_eq!(refused.refund.status, RefundStatus::Processing, "a refusal alone proves nothing");
    assert!(refused.refund.refused.is_some_and(|refusal| refusal.sub_code.contains("SELLER_BALANCE_NOT_ENOUGH")));
    shop.turn(seconds(8)).await;
    assert_eq!(shop.counter.payment(&payment).await.refunds[0].status, RefundStatus::Processing);
    shop.turn(seconds(8)).await;
    let failed = shop.counter.payment(&payment).await;
    assert_eq!(failed.refunds[0].status, RefundStatus::Fail);
    assert_eq!(order_status(&shop, &payment).await, "PAID");
    shop.refunds_agree(&payment, Fen::ZERO).await;

    shop.alipay.change_settings(|settings| settings.seller_is_broke = false);
    let again = shop.counter.retries_refund(click).await.expect("tried again");

    assert_eq!(again.refund.status, RefundStatus::Success);
    assert_eq!(again.refund.out_request_no, Some(format!("{}R1", payment.out_trade_no)));
    shop.counter.rests().await;
    shop.refunds_agree(&payment, yuan("30.00")).await;
}

#[tokio::test]
async fn a_retry_is_counted_against_what_is_left_now() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    shop.alipay.change_settings(|settings| settings.seller_is_broke = true);
    let click = new_request();
    shop.counter.tries_to_refund(click, &payment, yuan("60.00")).await.expect("written down");
    shop.turn(seconds(20)).await;
    shop.alipay.change_settings(|settings| settings.seller_is_broke = false);
    shop.counter.refunds(&payment, yuan("50.00")).await;

    let refused = shop.counter.retries_refund(click).await;

    assert!(refused.unwrap_err().contains("not so much is left"));
    shop.counter.rests().await;
    shop.refunds_agree(&payment, yuan("50.00")).await;
}

#[tokio::test]
async fn after_the_refund_window_it_fails_and_says_why() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    let days = u64::from(shop.alipay.settings().refund_days);
    shop.jump(hours(24 * (days + 1))).await;

    shop.counter.refunds(&payment, yuan("30.00")).await;
    shop.turn(seconds(20)).await;

    let failed = shop.counter.payment(&payment).await.refunds.remove(0);
    assert_eq!(failed.status, RefundStatus::Fail);
    assert!(failed.refused.is_some_and(|refusal| refusal.sub_code.contains("FINISHED")));
    assert_eq!(order_status(&shop, &payment).await, "PAID");
}

#[tokio::test]
async fn money_that_has_not_come_cannot_go_back() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("10.00")).await;

    let refused = shop.counter.tries_to_refund(new_request(), &payment, yuan("10.00")).await;

    assert!(refused.is_err());
    assert_eq!(shop.calls(&payment, "refund"), 0);
}
