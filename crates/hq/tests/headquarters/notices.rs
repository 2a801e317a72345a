//! Alipay's notices come in, are kept before they are answered, and go to the terminal they belong to.

use crate::house::House;
use crate::till::{Till, notice};
use reqwest::StatusCode;
use std::time::Duration;
use yidan_wire::Told;

const PAID: &[u8] = include_bytes!("../../../../tests/fixtures/cases/notify/NT1.body");

async fn send(house: &House, body: impl Into<reqwest::Body>) -> (StatusCode, String) {
    let answer = house.client.post(house.address("/pay/alipay/notify")).body(body).send().await.unwrap();
    (answer.status(), answer.text().await.unwrap())
}

#[tokio::test]
async fn a_notice_of_ours_is_answered_with_seven_bytes_and_told_to_its_terminal() {
    let house = House::open().await;
    let till = house.till("S01").await;
    let body = notice("S01T01_1_261130_0001_00ff", "2026113022001400000000000100", 1000, &[]);

    assert_eq!(send(&house, body.clone()).await, (StatusCode::OK, "success".into()));

    let told = till.listen(0).await.next().await.unwrap();
    assert_eq!((told.seq, told.what), (1, Told::Notice { body }));
}

/// NT24: the same notice several times, also in parallel.
#[tokio::test]
async fn ten_copies_of_a_notice_are_answered_alike_and_told_once() {
    let house = House::open().await;
    let till = house.till("S01").await;
    let body = notice("S01T01_1_261130_0001_00ff", "2026113022001400000000000100", 1000, &[]);

    let answers = futures_util::future::join_all((0..10).map(|_| send(&house, body.clone()))).await;

    assert!(answers.iter().all(|answer| *answer == (StatusCode::OK, "success".into())), "{answers:?}");
    assert_eq!(house.terminal(&till).await["push_seq"], 1);
}

/// NT16 and the like: signed by nobody, or for somebody else.
#[tokio::test]
async fn what_is_not_ours_is_answered_fail_and_reaches_nobody() {
    let house = House::open().await;
    let till = house.till("S01").await;
    let other_app = include_bytes!("../../../../tests/fixtures/cases/notify/NT16a.body");
    let unsigned = include_bytes!("../../../../tests/fixtures/cases/notify/NT13a.body");
    let strangers = include_bytes!("../../../../tests/fixtures/cases/notify/NT13c.body");
    for body in [other_app.as_slice(), unsigned, strangers, b"", b"\xff\x00", b"a=1&a=2"] {
        assert_eq!(send(&house, body.to_vec()).await, (StatusCode::OK, "fail".into()));
    }
    assert_eq!(send(&house, vec![b'a'; 70_000]).await, (StatusCode::PAYLOAD_TOO_LARGE, "fail".into()));
    assert_eq!(house.terminal(&till).await["push_seq"], 0);
    assert_eq!(house.get("/api/v1/unreported").await["unreported"], serde_json::json!([]));
}

#[tokio::test]
async fn a_notice_that_names_no_terminal_of_ours_is_kept_all_the_same() {
    let house = House::open().await;
    house.till("S01").await;

    assert_eq!(send(&house, PAID.to_vec()).await.1, "success");

    let waiting = house.get("/api/v1/unreported").await;
    assert_eq!(waiting["unreported"][0]["out_trade_no"], "S01T02_20261130_000100");
    assert_eq!(waiting["unreported"][0]["terminal_id"], "");
}

#[tokio::test]
async fn a_bill_of_another_program_finds_its_terminal_by_what_was_sent_along() {
    let house = House::open().await;
    let (first, second) = (house.till("S01").await, house.till("S01").await);
    let body = notice("X0123456789", "2026113022001400000000000100", 1000, &[("passback_params", "S01T02-1")]);

    assert_eq!(send(&house, body).await.1, "success");

    assert_eq!(house.terminal(&first).await["push_seq"], 0);
    assert_eq!(house.terminal(&second).await["push_seq"], 1);
}

#[tokio::test]
async fn money_that_was_told_of_waits_for_its_terminal_and_is_a_case_after_ten_minutes() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    let sale = till.begin(1000);
    let trade_no = Till::trade_of(&sale);
    assert_eq!(send(&house, notice(sale.out_trade_no.as_str(), trade_no.as_str(), 1000, &[])).await.1, "success");

    let waiting = house.get("/api/v1/unreported").await;
    assert_eq!(waiting["unreported"][0]["amount_fen"], 1000);
    assert_eq!(waiting["unreported"][0]["terminal_id"], till.terminal_id.as_str());
    assert_eq!(house.books().await, (0, 0, vec![]), "told of is not reported");

    house.turn_clock(Duration::from_mins(10));
    house.until(async |house| house.books().await.2 == ["UNREPORTED_MONEY"]).await;

    till.pay(&sale);
    till.now = house.now();
    till.send_all().await.unwrap();
    assert_eq!(house.books().await, (1, 1000, vec![]), "the case is settled by itself");
    assert_eq!(house.get("/api/v1/unreported").await["unreported"], serde_json::json!([]));
}

#[tokio::test]
async fn money_that_was_reported_before_its_notice_came_waits_for_nobody() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    let sale = till.sell(1000);
    till.send_all().await.unwrap();

    let trade_no = Till::trade_of(&sale);
    assert_eq!(send(&house, notice(sale.out_trade_no.as_str(), trade_no.as_str(), 1000, &[])).await.1, "success");

    assert_eq!(house.get("/api/v1/unreported").await["unreported"], serde_json::json!([]));
}

/// A refund that comes back as a notice tells of no new money: NT20 says TRADE_SUCCESS once more.
#[tokio::test]
async fn the_notice_of_a_refund_is_told_like_any_other() {
    let house = House::open().await;
    let till = house.till("S01").await;
    let refund = [("out_biz_no", "R1"), ("refund_fee", "3.00"), ("gmt_refund", "2026-11-30 21:00:00.123")];

    send(&house, notice("S01T01_1_261130_0001_00ff", "2026113022001400000000000100", 1000, &refund)).await;

    assert!(matches!(till.listen(0).await.next().await.unwrap().what, Told::Notice { .. }));
}
