//! Answers that other people's software took for a failure: each goes over real HTTP and keeps its meaning.
//!
//! The case files leave out what does not matter to them; the numbers that every real answer has are filled in here.

use crate::fixtures::{Gateway, json, settings, signed};
use serde_json::{Value, json as object};
use yidan_alipay::{Client, RefundOrder};
use yidan_payment::{Evidence, Fen, GatewayError, OutTradeNo, Statement, TradeNo, UtcMs};

fn number() -> OutTradeNo {
    OutTradeNo::new("S01").unwrap()
}

fn filled(answer: &Value) -> String {
    let mut node = object!({ "out_trade_no": "S01", "trade_no": "T1" });
    node.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
    node.to_string()
}

async fn asking(call: &str, answer: &Value) -> Result<Statement, GatewayError> {
    let member = format!("alipay_trade_{call}_response");
    let gateway = Gateway::answering(vec![Some(signed(&member, &filled(answer)))]);
    let client = Client::new(settings(&gateway.url), || UtcMs(0)).unwrap();
    match call {
        "precreate" => client.precreate(&number(), "{}").await,
        "close" => client.close(&number()).await,
        "cancel" => client.cancel(&number(), Fen::parse("10").unwrap()).await,
        "refund" => return refunding(&client).await,
        _ => client.query(&number()).await,
    }
}

/// A refund that says something would be a surprise here.
async fn refunding(client: &Client) -> Result<Statement, GatewayError> {
    let order = RefundOrder {
        trade_no: TradeNo::new("T1").unwrap(),
        out_trade_no: number(),
        out_request_no: "S01R1".into(),
        amount: Fen::parse("3").unwrap(),
        reason: String::new(),
        operator_id: String::new(),
    };
    Err(client.refund(&order).await.unwrap_err())
}

#[tokio::test]
async fn st1_not_scanned_yet_is_not_a_failure() {
    let case = json("cases/state/ST1_query_before_scan.json");
    let mut seen = Vec::new();
    for answer in case["query_answers"].as_array().unwrap() {
        let evidence = asking("query", answer).await.unwrap().evidence;
        let names = [
            ("WAITING", matches!(evidence, Evidence::NoTrade(_))),
            ("WAITING (scanned)", matches!(evidence, Evidence::WaitBuyerPay(_))),
            ("PAID", matches!(evidence, Evidence::Paid(_))),
        ];
        seen.push(names.into_iter().find(|(_, is_so)| *is_so).unwrap().0);
    }
    assert_eq!(object!(seen), case["expect_states"]);
}

#[tokio::test]
async fn st2_busy_and_system_errors_are_unknown() {
    for case in json("cases/state/ST2_unknown_answers.json")["cases"].as_array().unwrap() {
        let told = asking(case["call"].as_str().unwrap(), &case["answer"]).await;
        assert!(matches!(told, Err(GatewayError::Unanswered(_))), "{case}");
    }
}

#[tokio::test]
async fn st4_a_cancel_that_refunded_is_a_payment_and_a_refund() {
    let mut answer = json("cases/state/ST4_cancel_refunded.json")["cancel_answer"].clone();
    answer["out_trade_no"] = "S01".into();
    let evidence = asking("cancel", &answer).await.unwrap().evidence;
    assert!(matches!(evidence, Evidence::CancelRefunded(paid) if paid.total == Fen::parse("10").unwrap()));
}

#[tokio::test]
async fn st6_a_refused_close_is_a_reason_to_ask() {
    let case = json("cases/state/ST6_close_refused.json");
    let refused = asking("close", &case["close_answer"]).await.unwrap().evidence;
    assert!(matches!(refused, Evidence::CloseRefused(_)));
    assert!(matches!(asking("query", &case["then_query"]).await.unwrap().evidence, Evidence::Paid(_)));
}

#[tokio::test]
async fn st8_and_st10_a_trade_of_this_number_exists() {
    for file in ["ST8_precreate_already_paid", "ST10_precreate_closed"] {
        let case = json(&format!("cases/state/{file}.json"));
        let evidence = asking("precreate", &case["precreate_answer"]).await.unwrap().evidence;
        assert!(matches!(evidence, Evidence::RefusedTradeExists(_)), "{file}");
    }
}

#[tokio::test]
async fn st11_a_closed_trade_was_paid_or_not() {
    let case = json("cases/state/ST11_trade_closed_two_meanings.json");
    let mut seen = Vec::new();
    for one in case["cases"].as_array().unwrap() {
        seen.push(matches!(asking("query", &one["query"]).await.unwrap().evidence, Evidence::TradeClosedPaid(_)));
    }
    // The third says nothing of a payment: what is known locally makes it an alarm, not the answer.
    assert_eq!(seen, [false, true, false]);
}

#[tokio::test]
async fn st12_codes_nobody_knows_never_become_a_failure() {
    for answer in json("cases/state/ST12_unknown_codes.json")["answers"].as_array().unwrap() {
        let told = asking("query", answer).await;
        let is_paid = told.as_ref().is_ok_and(|told| matches!(told.evidence, Evidence::Paid(_)));
        assert!(is_paid || matches!(told, Err(GatewayError::Unanswered(_))), "{answer}");
        assert_eq!(is_paid, answer["code"] == 10000, "{answer}");
    }
}
