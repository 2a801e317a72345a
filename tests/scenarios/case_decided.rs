//! Money that does not fit waits for a person, who decides once. The books are equal before and after.

use crate::first_money_wins::closed_but_payable;
use crate::prelude::*;

/// A cashier stopped it, and the phone paid in the same moment.
async fn paid_after_stop(shop: &Shop) -> Payment {
    let payment = shop.counter.collects(yuan("26.00")).await;
    shop.buyer.scans(&payment).expect("the phone scans");
    shop.turn(seconds(4)).await;
    shop.buyer.pays(&payment).expect("the phone pays");
    shop.counter.stops(&payment).await;
    shop.turn(seconds(4)).await;
    assert_eq!(shop.counter.cases().await, [CaseKind::PaidAfterStop]);
    shop.counter.payment(&payment).await
}

#[tokio::test]
async fn a_manager_took_cash_after_the_stop_and_gives_the_money_back() {
    let shop = Shop::open().await;
    let payment = paid_after_stop(&shop).await;
    let case = shop.counter.open_cases().await.remove(0);
    assert_eq!((case.amount, case.proposal.as_str()), (yuan("26.00"), "KEEP_OR_REFUND"));

    let decided = shop.counter.decides_case(&case, Decision::Refund).await.expect("decided");

    assert!(!decided.is_open, "the money is back: {decided:?}");
    assert_eq!(order_status(&shop, &payment).await, "REFUNDED");
    shop.counter.rests().await;
    shop.refunds_agree(&payment, yuan("26.00")).await;
}

#[tokio::test]
async fn the_goods_were_handed_over_and_the_money_is_kept() {
    let shop = Shop::open().await;
    let payment = paid_after_stop(&shop).await;
    let case = shop.counter.open_cases().await.remove(0);

    let decided = shop.counter.decides_case(&case, Decision::Keep).await.expect("decided");
    let second = shop.counter.decides_case(&case, Decision::Refund).await;

    assert_eq!((decided.is_open, decided.resolution.as_deref()), (false, Some("KEEP")));
    assert!(second.unwrap_err().contains("decided already: KEEP"), "the second is told the first");
    assert_eq!(order_status(&shop, &payment).await, "PAID");
    shop.counter.rests().await;
    shop.refunds_agree(&payment, Fen::ZERO).await;
    shop.books_agree(1, yuan("26.00")).await;
}

#[tokio::test]
async fn late_money_of_an_unpaid_sale_is_recognised() {
    let shop = Shop::open().await;
    let payment = late_money(&shop).await;

    shop.counter.decides(CaseKind::LatePayment, Decision::Recognise).await.expect("decided");

    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    assert_eq!(order_status(&shop, &payment).await, "PAID");
    shop.counter.rests().await;
    assert_eq!(shop.counter.cases().await, []);
    shop.books_agree(1, yuan("45.00")).await;
    assert_eq!(shop.hq.cases().await, [""; 0]);
}

#[tokio::test]
async fn late_money_goes_back_under_a_number_of_its_own() {
    let shop = Shop::open().await;
    let payment = late_money(&shop).await;
    shop.alipay.next_fault(Fault::once("alipay.trade.refund", FaultKind::LoseAnswer));

    let decided = shop.counter.decides(CaseKind::LatePayment, Decision::Refund).await.expect("decided");
    assert!(decided.is_open, "until the money is back");
    let twice = shop.counter.decides_case(&decided, Decision::Recognise).await;
    assert!(twice.unwrap_err().contains("decided already: REFUND"));
    shop.turn(seconds(4)).await;

    let back = shop.counter.payment(&payment).await;
    assert_eq!(back.refunds[0].out_request_no, Some(format!("{}RX1", payment.out_trade_no)));
    assert_eq!((back.refunds.len(), back.refunds[0].status), (1, RefundStatus::Success));
    assert!(back.books().expect("balanced").suspense.is_zero());
    assert_eq!(shop.counter.cases().await, []);
    shop.suspense_went_back(&payment, yuan("45.00")).await;
}

#[tokio::test]
async fn an_operator_cannot_refund_money_in_suspense() {
    let shop = Shop::open().await;
    let payment = late_money(&shop).await;

    let refused = shop.counter.tries_to_refund(new_request(), &payment, yuan("1.00")).await;

    assert!(refused.is_err());
    assert_eq!(shop.calls(&payment, "refund"), 0);
}

#[tokio::test]
async fn late_money_is_not_recognised_while_another_payment_of_the_sale_lives() {
    let shop = Shop::open().await;
    let first = closed_but_payable(&shop).await;
    let second = shop.counter.collects_again(&first).await.expect("collected again");
    shop.buyer.scans_and_pays(&first);
    let pay_id = first.pay_id;
    shop.counter.asks(move |engine| async move { engine.ask_now(pay_id).await.expect("readable") }).await;

    let early = shop.counter.decides(CaseKind::LatePayment, Decision::Recognise).await;
    assert!(early.unwrap_err().contains("may still be paid"));
    shop.turn(minutes(7)).await;
    assert!(!shop.counter.payment(&second).await.status.is_live());
    shop.counter.decides(CaseKind::LatePayment, Decision::Recognise).await.expect("decided");

    assert_eq!(name(&shop.counter.payment(&first).await), "SUCCESS");
    assert_eq!(shop.charges(&first) + shop.charges(&second), 1);
}

#[tokio::test]
async fn a_refund_that_failed_may_be_decided_again_under_the_same_number() {
    let shop = Shop::open().await;
    let payment = late_money(&shop).await;
    shop.alipay.change_settings(|settings| settings.seller_is_broke = true);
    let decided = shop.counter.decides(CaseKind::LatePayment, Decision::Refund).await.expect("decided");
    shop.turn(seconds(20)).await;
    assert_eq!(shop.counter.payment(&payment).await.refunds[0].status, RefundStatus::Fail);

    shop.alipay.change_settings(|settings| settings.seller_is_broke = false);
    let again = shop.counter.decides_case(&decided, Decision::Refund).await.expect("decided again");

    assert!(!again.is_open);
    let back = shop.counter.payment(&payment).await;
    assert_eq!((back.refunds.len(), back.refunds[0].status), (1, RefundStatus::Success));
    shop.counter.rests().await;
    shop.suspense_went_back(&payment, yuan("45.00")).await;
}

/// Money that came after the payment was over.
async fn late_money(shop: &Shop) -> Payment {
    let payment = closed_but_payable(shop).await;
    shop.buyer.scans_and_pays(&payment);
    shop.jump(hours(3)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUSPENSE");
    shop.counter.payment(&payment).await
}
