//! Alipay says by itself that money came. It comes once, ten times, late, in the wrong order, forged or never: the sale is
//! booked once, by what Alipay signed.

use crate::prelude::*;
use yidan_alipay::AppKey;
use yidan_engine::Noticed;
use yidan_payment::{Hash, PaymentId};

async fn shop() -> Shop {
    Shop::with().notices().opens().await
}

/// Events of this kind in the payment's timeline.
async fn count(shop: &Shop, payment: &Payment, kind: &str) -> usize {
    shop.counter.timeline(payment).await.iter().filter(|event| event.kind == kind).count()
}

/// Has the counter take the body of a notice.
async fn hears(shop: &Shop, body: String) -> Noticed {
    let heard = shop
        .counter
        .asks(|engine| async move { engine.hear_notice(body.as_bytes()).await.map_err(|error| error.to_string()) });
    let noticed = heard.await.expect("it is taken");
    shop.counter.rests().await;
    noticed
}

/// The paid notice that Alipay would send, held back; the buyer has paid.
async fn held_notice(shop: &Shop) -> (Payment, String) {
    shop.alipay.change_settings(|settings| settings.hold_notices = true);
    let payment = shop.counter.collects(yuan("12.34")).await;
    shop.buyer.scans_and_pays(&payment);
    let name = shop.alipay.notices(payment.out_trade_no.as_str())[0].notify_id.clone();
    (payment, name)
}

#[tokio::test]
async fn a_notice_books_the_sale_before_any_timer_asks() {
    let shop = shop().await;
    let payment = shop.counter.collects(yuan("12.34")).await;
    let asked = shop.calls(&payment, "query");
    shop.buyer.scans_and_pays(&payment);

    shop.told_of(&payment).await;

    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    assert_eq!(shop.calls(&payment, "query"), asked);
    shop.books_agree(1, yuan("12.34")).await;
    assert!(shop.hq.cases().await.is_empty(), "headquarters has proved it by the notice itself");
}

#[tokio::test]
async fn a_lost_notice_is_made_good_by_the_query() {
    let shop = shop().await;
    let (payment, notify_id) = held_notice(&shop).await;

    shop.turn(seconds(4)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");

    shop.alipay.send_notice(&notify_id);
    shop.told_of(&payment).await;
    assert_eq!(count(&shop, &payment, "paid").await, 1, "what comes late changes nothing");
    shop.books_agree(1, yuan("12.34")).await;
}

#[tokio::test]
async fn ten_notices_advance_once() {
    let shop = shop().await;
    shop.alipay.change_settings(|settings| settings.notify_copies = 10);
    let payment = shop.counter.collects(yuan("12.34")).await;
    shop.buyer.scans_and_pays(&payment);

    shop.told_of(&payment).await;

    let notices = shop.alipay.notices(payment.out_trade_no.as_str());
    assert_eq!((notices.len(), notices[0].tries), (1, 10));
    assert_eq!(count(&shop, &payment, "paid").await, 1);
    shop.books_agree(1, yuan("12.34")).await;
}

#[tokio::test]
async fn a_notice_and_an_answer_at_once_book_one_receipt() {
    let shop = shop().await;
    let payment = shop.counter.collects(yuan("12.34")).await;
    let pay_id = payment.pay_id;
    shop.buyer.scans_and_pays(&payment);
    let asked = shop.counter.asks(move |engine| async move { engine.ask_now(pay_id).await.map(|_| ()).map_err(drop) });

    let (asked, ()) = tokio::join!(asked, shop.told_of(&payment));

    assert_eq!(asked, Ok(()));
    assert_eq!(count(&shop, &payment, "paid").await, 1);
    shop.books_agree(1, yuan("12.34")).await;
}

/// NT22: a full refund arrives as TRADE_CLOSED; it is no unpaid, closed trade.
#[tokio::test]
async fn the_notice_of_a_refund_may_come_before_that_of_the_payment() {
    let shop = shop().await;
    let (payment, paid) = held_notice(&shop).await;
    shop.alipay.refund_elsewhere(payment.out_trade_no.as_str(), 1234).expect("the shop's phone app refunds");
    let notices = shop.alipay.notices(payment.out_trade_no.as_str());
    let refund = notices.iter().find(|notice| notice.out_biz_no.is_some()).expect("a refund's notice");

    shop.alipay.send_notice(&refund.notify_id);
    shop.told_of_one(&payment, &refund.notify_id).await;

    let known = shop.counter.payment(&payment).await;
    let books = known.books().expect("balanced");
    assert_eq!((name(&known), books.received, books.refunded), ("SUCCESS", yuan("12.34"), yuan("12.34")));
    shop.alipay.send_notice(&paid);
    shop.told_of_one(&payment, &paid).await;
    assert_eq!(shop.counter.payment(&payment).await.books().expect("balanced"), books);
    assert_eq!(count(&shop, &payment, "paid").await, 1);
}

/// NT20: a refund of a part arrives as TRADE_SUCCESS once more; it is no second payment.
#[tokio::test]
async fn the_notice_of_a_partial_refund_books_that_refund_and_no_payment() {
    let shop = shop().await;
    let payment = shop.counter.collects(yuan("10.00")).await;
    shop.buyer.scans_and_pays(&payment);
    shop.told_of(&payment).await;

    shop.alipay.refund_elsewhere(payment.out_trade_no.as_str(), 300).expect("the shop's phone app refunds");
    shop.told_of(&payment).await;

    let known = shop.counter.payment(&payment).await;
    let books = known.books().expect("balanced");
    assert_eq!((known.receipts.len(), books.received, books.refunded), (1, yuan("10.00"), yuan("3.00")));
    assert_eq!(shop.counter.cases().await, [CaseKind::RefundedElsewhere]);
    assert_eq!(count(&shop, &payment, "paid").await, 1);
    shop.refunds_agree(&payment, yuan("3.00")).await;
}

#[tokio::test]
async fn headquarters_may_have_money_given_back_once() {
    let shop = shop().await;
    let payment = shop.counter.collects(yuan("10.00")).await;
    shop.buyer.scans_and_pays(&payment);
    shop.told_of(&payment).await;
    let wanted = serde_json::json!({
        "act": "refund", "terminal_id": "S01T01", "out_trade_no": payment.out_trade_no, "amount_fen": 400, "reason": "坏了",
    });

    shop.hq.instructs(&wanted).await;
    let told = shop.hq.last_told().await;
    shop.told(told).await;

    shop.refunds_agree(&payment, yuan("4.00")).await;
    let too_much = serde_json::json!({
        "act": "refund", "terminal_id": "S01T01", "out_trade_no": payment.out_trade_no, "amount_fen": 700, "reason": "坏了",
    });
    shop.hq.instructs(&too_much).await;
    let told = shop.hq.last_told().await;
    shop.told(told).await;
    shop.refunds_agree(&payment, yuan("4.00")).await;
    let answered = shop.hq.get("/api/v1/instructions").await;
    assert_eq!(answered["instructions"][0]["outcome"], "REFUSED", "the terminal's own rules hold");
}

#[tokio::test]
async fn an_earlier_decision_at_the_terminal_wins() {
    let shop = shop().await;
    let payment = shop.counter.collects(yuan("12.34")).await;
    shop.counter.stops(&payment).await;
    shop.jump(hours(1)).await;
    shop.turn(seconds(8)).await;
    hears(&shop, signed(&shop, &payment, "12.34", &shop.alipay.app_id())).await;
    let trade_no = shop.counter.payment(&payment).await.trade_no.expect("a trade");
    let wanted = serde_json::json!({
        "act": "resolve", "terminal_id": "S01T01", "out_trade_no": payment.out_trade_no, "trade_no": trade_no,
        "resolution": "recognise",
    });

    shop.hq.instructs(&wanted).await;
    shop.told(1).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    shop.hq.instructs(&wanted).await;
    shop.told(2).await;
    shop.everything_is_reported().await;

    let answered = shop.hq.get("/api/v1/instructions").await;
    let outcomes = [&answered["instructions"][1]["outcome"], &answered["instructions"][0]["outcome"]];
    assert_eq!(outcomes, ["DONE", "REFUSED"]);
    assert!(shop.counter.cases().await.is_empty());
}

#[tokio::test]
async fn a_changed_notice_is_refused_by_headquarters_and_by_the_counter() {
    let shop = shop().await;
    let payment = shop.counter.collects(yuan("12.34")).await;
    shop.buyer.scans_and_pays(&payment);
    shop.told_of(&payment).await;
    let other = shop.counter.collects(yuan("56.78")).await;
    let genuine = shop.hq.notices(&payment).remove(0);
    let forged = genuine.replace(payment.out_trade_no.as_str(), other.out_trade_no.as_str());

    assert_eq!(shop.hq.is_notified(&forged).await, "fail");
    assert_eq!(hears(&shop, forged).await, Noticed::NotOurs);

    assert_eq!(name(&shop.counter.payment(&other).await), "PRECREATED");
}

/// Signed, but for one cent, or for somebody else's app: no change, and the gateway is asked for the truth.
#[tokio::test]
async fn a_notice_of_another_amount_or_app_books_nothing() {
    let shop = shop().await;
    let payment = shop.counter.collects(yuan("500.00")).await;
    let cent = signed(&shop, &payment, "0.01", &shop.alipay.app_id());
    let strange = signed(&shop, &payment, "500.00", "2021999999999999");

    assert_eq!(hears(&shop, cent).await, Noticed::Asked(payment.pay_id));
    assert_eq!(hears(&shop, strange).await, Noticed::NotOurs);

    assert_eq!(name(&shop.counter.payment(&payment).await), "PRECREATED");
    shop.buyer.scans_and_pays(&payment);
    shop.told_of(&payment).await;
    shop.books_agree(1, yuan("500.00")).await;
}

#[tokio::test]
async fn money_for_a_payment_that_is_over_comes_by_notice_and_is_kept_aside() {
    let shop = shop().await;
    let payment = shop.counter.collects(yuan("12.34")).await;
    shop.counter.stops(&payment).await;
    shop.jump(hours(1)).await;
    shop.turn(seconds(8)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "CLOSED");

    let late = signed(&shop, &payment, "12.34", &shop.alipay.app_id());
    assert_eq!(hears(&shop, late).await, Noticed::Paid(payment.pay_id));

    assert_eq!(name(&shop.counter.payment(&payment).await), "SUSPENSE");
    assert_eq!(shop.counter.cases().await, [CaseKind::LatePayment]);
}

/// A question that a notice raised outlives silence and restarts.
#[tokio::test]
async fn what_a_notice_makes_us_ask_is_asked_until_the_gateway_answers() {
    let mut shop = shop().await;
    let (payment, _) = held_notice(&shop).await;
    shop.turn(seconds(4)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    let body = signed(&shop, &payment, "0.01", &shop.alipay.app_id());
    shop.alipay.next_fault(Fault::once("alipay.trade.query", FaultKind::DropBefore));
    let asked = shop.calls(&payment, "query");

    assert_eq!(hears(&shop, body).await, Noticed::Asked(payment.pay_id));
    shop.counter.restarts().await;
    shop.turn(seconds(2)).await;

    assert!(shop.calls(&payment, "query") > asked, "asked again after the restart");
    let again = shop.calls(&payment, "query");
    shop.counter.restarts().await;
    assert_eq!(shop.calls(&payment, "query"), again, "and no more, once it was answered");
}

#[tokio::test]
async fn timers_ask_less_often_only_while_notices_come_first() {
    let shop = shop().await;
    for _ in 0..3 {
        let payment = shop.counter.collects(yuan("1.00")).await;
        shop.buyer.scans_and_pays(&payment);
        shop.told_of(&payment).await;
    }
    let payment = shop.counter.collects(yuan("2.00")).await;
    shop.turn(seconds(6)).await;
    let asked = shop.calls(&payment, "query");

    shop.turn(seconds(12)).await;
    assert_eq!(shop.calls(&payment, "query") - asked, 2);

    shop.alipay.change_settings(|settings| settings.hold_notices = true);
    shop.buyer.scans_and_pays(&payment);
    shop.turn(seconds(6)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    let slow = shop.counter.collects(yuan("3.00")).await;
    let asked = shop.calls(&slow, "query");
    shop.turn(seconds(12)).await;
    assert_eq!(shop.calls(&slow, "query") - asked, 4, "the last money was told of by an answer");
}

#[tokio::test]
async fn an_instruction_to_ask_is_followed_once_and_answered() {
    let shop = shop().await;
    let (payment, _) = held_notice(&shop).await;
    let wanted = serde_json::json!({"act": "ask", "terminal_id": "S01T01", "out_trade_no": payment.out_trade_no});

    shop.hq.instructs(&wanted).await;
    let nobody = serde_json::json!({"act": "ask", "terminal_id": "S01T01", "out_trade_no": "A1"});
    shop.hq.instructs(&nobody).await;
    shop.told(2).await;

    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    let answered = shop.hq.get("/api/v1/instructions").await;
    let outcomes = [&answered["instructions"][1]["outcome"], &answered["instructions"][0]["outcome"]];
    assert_eq!(outcomes, ["DONE", "REFUSED"]);
    assert_eq!(answered["instructions"][0]["detail"], "there is no payment A1");
}

/// A notice as Alipay would sign it, with words that Alipay would never use.
fn signed(shop: &Shop, payment: &Payment, amount: &str, app_id: &str) -> String {
    let key = shop.alipay_key();
    let key = AppKey::parse(&key).expect("the sandbox's key");
    let (number, seller_id) = (payment.out_trade_no.as_str(), shop.alipay.seller_id());
    let trade_no = trade_of(payment.pay_id);
    let mut fields = vec![
        ("app_id", app_id),
        ("notify_id", "n1"),
        ("out_trade_no", number),
        ("receipt_amount", amount),
        ("seller_id", &seller_id),
        ("total_amount", amount),
        ("trade_no", &trade_no),
        ("trade_status", "TRADE_SUCCESS"),
    ];
    let text: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let sign = key.sign(text.join("&").as_bytes());
    fields.extend([("sign", sign.as_str()), ("sign_type", "RSA2")]);
    let url = reqwest::Url::parse_with_params("http://x/", fields).expect("an address");
    url.query().expect("a form").to_owned()
}

fn trade_of(pay_id: PaymentId) -> String {
    let digits = Hash::of(pay_id.to_string().as_bytes()).to_string();
    let digits: String = digits.chars().filter(char::is_ascii_digit).take(12).collect();
    format!("2026113022001400{digits}")
}
