//! Refunds as other programs got them wrong, from public bug reports; the inputs are in tests/fixtures/cases/refund.

use crate::prelude::*;
use serde_json::Value;

const REFUND: &str = "alipay.trade.refund";
const QUERY: &str = "alipay.trade.fastpay.refund.query";

fn read(name: &str) -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).expect("a case")).expect("JSON")
}

fn fen(value: &Value) -> Fen {
    Fen::from_fen(value.as_i64().expect("fen")).expect("not negative")
}

#[tokio::test]
async fn rf1_a_time_out_and_a_second_click_send_the_same_number() {
    let case = read("refund/RF1_timeout.json");
    assert!(case["expect"].as_str().expect("a rule").contains("never R2"));
    let shop = Shop::open().await;
    let payment = paid(&shop, "10.00").await;
    shop.alipay.next_fault(Fault::once(REFUND, FaultKind::DropBefore));
    let click = new_request();

    let first = shop.counter.tries_to_refund(click, &payment, yuan("3.00")).await.expect("written down");
    assert_eq!(first.refund.status, RefundStatus::Processing);
    shop.counter.tries_to_refund(click, &payment, yuan("3.00")).await.expect("the same");
    // Pressed again as a new refund: the first one is not over.
    let other = shop.counter.tries_to_refund(new_request(), &payment, yuan("3.00")).await;
    assert!(other.unwrap_err().contains("under way"));
    shop.turn(seconds(15)).await;

    let known = shop.counter.payment(&payment).await;
    assert_eq!((known.refunds.len(), known.refunds[0].status), (1, RefundStatus::Success));
    assert_eq!(known.refunds[0].out_request_no, Some(format!("{}R1", payment.out_trade_no)));
    shop.refunds_agree(&payment, yuan("3.00")).await;
}

#[tokio::test]
async fn rf2_and_rf3_each_refund_is_its_own_amount_and_a_repeat_is_no_second_one() {
    let case = read("refund/RF2_cumulative.json");
    let shop = Shop::open().await;
    let payment = paid(&shop, &fen(&case["order_fen"]).to_string()).await;
    for (at, answer) in case["answers"].as_array().expect("answers").iter().enumerate() {
        if at == 0 {
            // The answer to the first one is lost: its repetition is answered with fund_change N.
            assert_eq!(read("refund/RF3_fund_change_N.json")["events"][1]["answer"]["fund_change"], "N");
            shop.alipay.next_fault(Fault::once(REFUND, FaultKind::LoseAnswer));
        }
        shop.counter.refunds(&payment, yuan(answer["asked"].as_str().expect("yuan"))).await;
        shop.turn(seconds(15)).await;
    }

    let refunds = shop.counter.payment(&payment).await.refunds;
    let amounts: Vec<Fen> = refunds.iter().map(|refund| refund.amount).collect();
    assert_eq!(amounts, [fen(&case["expect"]["R1"]), fen(&case["expect"]["R2"])]);
    shop.refunds_agree(&payment, fen(&case["expect"]["total"])).await;
}

#[tokio::test]
async fn rf3_without_a_change_of_funds_the_query_decides() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    shop.alipay.next_fault(Fault::once(REFUND, FaultKind::FundChangeN));

    let accepted = shop.counter.refunds(&payment, yuan("30.00")).await;
    assert_eq!(accepted.refund.status, RefundStatus::Processing, "10000 is not \"refunded\"");
    shop.turn(seconds(15)).await;

    assert_eq!(shop.counter.payment(&payment).await.refunds[0].status, RefundStatus::Success);
    shop.refunds_agree(&payment, yuan("30.00")).await;
}

#[tokio::test]
async fn rf4_a_query_of_an_unknown_number_says_nothing_about_money() {
    assert!(read("refund/RF4_query_unknown_request.json")["expect"].as_str().expect("a rule").contains("NOT refunded"));
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    let pay_id = payment.pay_id;

    let asked = shop.counter.asks(move |engine| async move { engine.ask_refund(pay_id, "R9").await.is_ok() });
    assert!(asked.await);

    assert!(shop.counter.payment(&payment).await.refunds.is_empty());
    assert_eq!(order_status(&shop, &payment).await, "PAID");
}

#[tokio::test]
async fn rf8_two_equal_refunds_that_were_both_wanted_have_two_numbers() {
    let case = read("refund/RF8_request_no.json");
    let wanted = case["sequence"].as_array().expect("two").len();
    let shop = Shop::open().await;
    let payment = paid(&shop, "10.00").await;

    for _ in 0..wanted {
        shop.counter.refunds(&payment, yuan("1.00")).await;
    }

    let refunds = shop.counter.payment(&payment).await.refunds;
    let numbers: std::collections::BTreeSet<_> = refunds.iter().map(|refund| &refund.out_request_no).collect();
    assert_eq!((numbers.len(), numbers.contains(&None)), (wanted, false));
    shop.counter.rests().await;
    shop.refunds_agree(&payment, yuan("2.00")).await;
}

#[tokio::test]
async fn rf10_too_little_on_the_account_fails_with_a_reason_and_deducts_nothing() {
    let case = read("refund/RF10_balance.json");
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    shop.alipay.change_settings(|settings| settings.seller_is_broke = true);

    shop.counter.refunds(&payment, yuan("30.00")).await;
    shop.turn(seconds(15)).await;

    let failed = shop.counter.payment(&payment).await.refunds.remove(0);
    let why = failed.refused.expect("a stated reason");
    assert_eq!(
        (failed.status, Some(why.sub_code.as_str())),
        (RefundStatus::Fail, case["answers"][0]["sub_code"].as_str())
    );
    assert_eq!(order_status(&shop, &payment).await, "PAID");
    shop.refunds_agree(&payment, Fen::ZERO).await;
}

/// The platform refunded, and the till died before it could write that down: at every call of a refund.
#[tokio::test]
async fn rf14_a_refund_that_could_not_be_written_down_is_found_after_the_restart() {
    assert!(
        read("refund/RF14_db_failure.json")["expect"].as_str().expect("a rule").contains("not sent under a new number")
    );
    for (method, skipped) in [(QUERY, 0), (REFUND, 0), (QUERY, 1)] {
        let mut shop = Shop::open().await;
        let payment = paid(&shop, "100.00").await;
        for _ in 0..skipped {
            shop.alipay.next_fault(Fault::once(method, FaultKind::NoDateHeader));
        }
        shop.alipay.next_fault(Fault::once(method, FaultKind::Delay(1_500)));
        let click = new_request();
        let before = shop.calls(&payment, &method["alipay.trade.".len()..]);
        {
            let refunding = shop.counter.tries_to_refund(click, &payment, yuan("3.00"));
            let called = until(|| shop.calls(&payment, &method["alipay.trade.".len()..]) > before + skipped);
            tokio::select! {
                early = refunding => panic!("it was answered: {early:?}"),
                () = called => {}
            }
        }

        shop.counter.restarts().await;
        shop.turn(seconds(15)).await;

        let known = shop.counter.tries_to_refund(click, &payment, yuan("3.00")).await.expect("known");
        assert_eq!(known.refund.status, RefundStatus::Success, "{method}");
        assert_eq!(known.payment.refunds.len(), 1);
        assert_eq!(known.refund.out_request_no, Some(format!("{}R1", payment.out_trade_no)));
        shop.counter.rests().await;
        shop.refunds_agree(&payment, yuan("3.00")).await;
    }
}

/// The same for a payment: the number that was written before the first call is the number after the restart.
#[tokio::test]
async fn st13_a_time_out_at_precreate_and_a_restart_keep_the_number() {
    assert!(
        read("state/ST13_precreate_timeout.json")["expect"].as_str().expect("a rule").contains("out_trade_no=A again")
    );
    let mut shop = Shop::open().await;
    shop.alipay.next_fault(Fault::once("alipay.trade.precreate", FaultKind::DropBefore));
    let click = new_click();
    let payment = shop.counter.clicks(click, yuan("10.00")).await;

    shop.counter.restarts().await;
    let again = shop.counter.clicks(click, yuan("10.00")).await;
    shop.turn(seconds(4)).await;

    assert_eq!(again.out_trade_no, payment.out_trade_no);
    assert_eq!((shop.counter.orders().await.len(), shop.alipay.sessions().len()), (1, 1), "one payable code");
}

/// Waits for something that another thread does.
async fn until(condition: impl Fn() -> bool) {
    while !condition() {
        tokio::task::yield_now().await;
    }
}
