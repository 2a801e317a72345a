//! "I have paid", says the customer. One verdict, why, and the one thing that is safe to do.

use crate::prelude::*;
use serde_json::Value;
use yidan_engine::{Hint, Resolved, SafeAction, Verdict, What, Who};

#[tokio::test]
async fn paid_money_is_found_by_any_number_by_amount_and_by_time() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "38.50").await;
    let order = shop.counter.orders().await[0].0.clone();
    let trade_no = shop.counter.payment(&payment).await.trade_no.expect("a trade").to_string();
    let beijing = (shop.clock.now().0 / 60_000 + 8 * 60).rem_euclid(24 * 60);
    let out_trade_no = payment.out_trade_no.to_string();
    let hints = [
        out_trade_no.clone(),
        out_trade_no[out_trade_no.len() - 4..].to_uppercase(),
        trade_no.clone(),
        trade_no[trade_no.len() - 6..].to_owned(),
        order.order_no.clone(),
        order.order_no[order.order_no.len() - 4..].to_owned(),
        "38.5".to_owned(),
        format!("¥38.50 {:02}:{:02}", beijing / 60, beijing % 60),
    ];
    for hint in hints {
        let resolved = asks(&shop, &hint).await;

        assert_eq!(resolved.verdict, Verdict::Paid, "{hint}");
        assert_eq!(resolved.action, SafeAction::HandOver(payment.pay_id), "{hint}");
        assert_eq!(resolved.said[0].who, Who::Gateway, "asked just now: {hint}");
        assert_eq!(resolved.said[0].what, What::Paid(yuan("38.50")), "{hint}");
    }
}

/// The timer has not looked yet; the question itself finds the money and books it.
#[tokio::test]
async fn money_that_nobody_has_looked_for_yet_is_found_by_asking() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("12.00")).await;
    shop.buyer.scans_and_pays(&payment);

    let resolved = asks(&shop, "12.00").await;

    assert_eq!((resolved.verdict, resolved.action), (Verdict::Paid, SafeAction::HandOver(payment.pay_id)));
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
}

#[tokio::test]
async fn nobody_has_scanned_the_code_lives_and_is_shown_again() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("12.00")).await;

    let resolved = asks(&shop, "12.00").await;

    assert_eq!((resolved.verdict, resolved.action), (Verdict::StillOpen, SafeAction::ShowCode(payment.pay_id)));
    assert_eq!((resolved.said[0].who, &resolved.said[0].what), (Who::Gateway, &What::NobodyScanned));
}

#[tokio::test]
async fn a_buyer_who_types_the_password_is_waited_for() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("12.00")).await;
    shop.buyer.scans(&payment).expect("the phone scans");

    let resolved = asks(&shop, "12.00").await;

    assert_eq!((resolved.verdict, resolved.action), (Verdict::StillOpen, SafeAction::Wait(payment.pay_id)));
    assert_eq!((resolved.said[0].who, &resolved.said[0].what), (Who::Gateway, &What::WaitingForBuyer));
}

#[tokio::test]
async fn a_code_that_has_ended_with_proof_is_collected_again() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("12.00")).await;
    shop.turn(minutes(8)).await;

    let resolved = asks(&shop, "12.00").await;

    assert_eq!((resolved.verdict, resolved.action), (Verdict::NotPaid, SafeAction::CollectAgain(payment.pay_id)));
}

/// The cashier stopped one order and opened another; the customer had a picture of the old code.
#[tokio::test]
async fn money_on_the_stopped_order_next_door_is_found() {
    let shop = Shop::open().await;
    let old = shop.counter.collects(yuan("38.50")).await;
    shop.counter.stops(&old).await;
    let order = NewOrder { origin: Origin::Counter { another_customer: true }, ..draft(new_click(), yuan("38.50")) };
    let Ok(Collected::Payment(new)) = shop.counter.collects_order(order).await else { panic!("a second order") };
    shop.buyer.scans_and_pays(&old);

    let several = asks(&shop, "38.50").await;
    assert_eq!((several.verdict, several.action, several.hits.len()), (Verdict::SeveralFit, SafeAction::Choose, 2));
    let chosen = chooses(&shop, &new).await;

    assert_eq!((chosen.verdict, chosen.action), (Verdict::PaidOnAnother, SafeAction::HandOver(old.pay_id)));
    assert!(chosen.said.iter().any(|said| matches!(said.what, What::OtherOrder(_))));
    assert_eq!(name(&shop.counter.payment(&old).await), "SUCCESS");
}

/// Another customer's money of the same amount is not this customer's.
#[tokio::test]
async fn another_customer_who_paid_the_same_amount_does_not_count() {
    let shop = Shop::open().await;
    paid(&shop, "38.50").await;
    let mine = shop.counter.collects(yuan("38.50")).await;

    let chosen = chooses(&shop, &mine).await;

    assert_eq!((chosen.verdict, chosen.action), (Verdict::StillOpen, SafeAction::ShowCode(mine.pay_id)));
}

#[tokio::test]
async fn while_the_gateway_is_silent_nobody_concludes_anything() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("12.00")).await;
    shop.buyer.scans_and_pays(&payment);
    shop.alipay.next_fault(Fault { times: 1_000, ..Fault::once("alipay.trade.query", FaultKind::DropBefore) });

    let resolved = asks(&shop, "12.00").await;
    assert_eq!((resolved.verdict, resolved.action), (Verdict::Unreachable, SafeAction::AskAgain(payment.pay_id)));
    assert!(matches!(resolved.said[0].what, What::NoAnswer(_)), "{:?}", resolved.said);

    shop.alipay.clear_faults();
    assert_eq!(asks(&shop, "12.00").await.verdict, Verdict::Paid);
    shop.alipay.next_fault(Fault { times: 1_000, ..Fault::once("alipay.trade.query", FaultKind::DropBefore) });
    let booked = asks(&shop, "12.00").await;
    assert_eq!(booked.verdict, Verdict::Paid, "what was signed once stays true");
    assert_eq!((booked.said[0].who, booked.said.last().map(|said| said.who)), (Who::Gateway, Some(Who::Records)));
}

#[tokio::test]
async fn money_that_does_not_fit_is_for_the_manager_and_money_that_went_back_is_collected_again() {
    let shop = Shop::open().await;
    let back = paid(&shop, "9.00").await;
    shop.alipay.refund_elsewhere(back.out_trade_no.as_str(), 900).expect("the phone app refunds");
    let resolved = asks(&shop, "9.00").await;
    assert_eq!((resolved.verdict, resolved.action), (Verdict::GivenBack, SafeAction::NewOrder(back.pay_id)));

    assert_eq!(asks(&shop, "0987").await.verdict, Verdict::NoneFits);
    let nonsense = shop.counter.asks(|engine| async move { engine.resolve(&Hint::default()).await.is_err() }).await;
    assert!(nonsense);
}

#[tokio::test]
async fn other_programs_ask_the_same_question() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "38.50").await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/pay/resolve", listener.local_addr().expect("an address"));
    tokio::spawn(yidan::local_api::serve(listener, "a-token-of-another-program".into(), shop.counter.handle()));
    let get = |question: &str| {
        let request = reqwest::Client::new().get(format!("{url}?{question}"));
        async { request.bearer_auth("a-token-of-another-program").send().await.expect("an answer") }
    };

    let answer: Value = get("q=38.50").await.json().await.expect("JSON");

    assert_eq!((&answer["verdict"], &answer["action"]), (&"paid".into(), &"hand-over".into()));
    assert_eq!(answer["actionPayId"], payment.pay_id.to_string());
    assert_eq!(answer["said"][0]["who"], "gateway");
    assert_eq!(get("q=").await.status(), reqwest::StatusCode::BAD_REQUEST);
    assert_eq!(get("payId=nobody").await.status(), reqwest::StatusCode::BAD_REQUEST);
}

async fn asks(shop: &Shop, text: &str) -> Resolved {
    resolves(shop, Hint { text: text.into(), pay_id: None }).await
}

async fn chooses(shop: &Shop, payment: &Payment) -> Resolved {
    resolves(shop, Hint { text: String::new(), pay_id: Some(payment.pay_id) }).await
}

async fn resolves(shop: &Shop, hint: Hint) -> Resolved {
    let answer = shop
        .counter
        .asks(move |engine| async move { engine.resolve(&hint).await.map_err(|error| error.to_string()) })
        .await;
    answer.expect("an answer")
}
