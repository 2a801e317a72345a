//! Money counts only if Alipay's signature says so, once per trade, whoever reports it.

use crate::house::House;
use crate::till::{alipay_says, paid};
use yidan_payment::{Account, Booked, CaseKind, Fen, StatusName, TradeNo};
use yidan_wire::{CaseState, DecisionState, EventKind, PaymentState, ReceiptState};

fn trade(text: &str) -> TradeNo {
    TradeNo::new(text).unwrap()
}

fn one_case(kind: &str) -> Vec<String> {
    vec![kind.to_owned()]
}

#[tokio::test]
async fn forged_evidence_is_stored_counted_nowhere_and_shown_as_a_case() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    let state = till.begin(1234);
    let mut forged = paid(&state, &trade("T1"), 1234);
    let proof = forged.proof.as_mut().unwrap();
    proof.text = proof.text.replace("\"msg\":\"Success\"", "\"msg\":\"Succes\"");
    till.write(EventKind::Paid, &forged);

    assert_eq!(till.send_all().await.unwrap().acked_seq, 2);

    assert_eq!(house.books().await, (0, 0, one_case("UNPROVED_PAYMENT")));
    let listed = house.get("/api/v1/payments").await;
    assert_eq!(
        (listed["payments"][0]["status"].as_str(), listed["payments"][0]["counted_fen"].as_i64()),
        (Some("SUCCESS"), Some(0))
    );
    let cases = house.get("/api/v1/cases").await;
    assert_eq!(
        (cases["cases"][0]["amount_fen"].as_i64(), cases["cases"][0]["trade_no"].as_str()),
        (Some(1234), Some("T1"))
    );
}

#[tokio::test]
async fn money_without_a_proof_of_just_this_payment_counts_nothing() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    let other = till.begin(1234);
    let state = till.begin(1234);
    let good = paid(&state, &trade("T1"), 1234);
    let elsewhere = Account("2021000199999999@127.0.0.1".into());
    for wrong in [
        PaymentState { proof: None, ..good.clone() },
        PaymentState { proof: Some(alipay_says(&other.out_trade_no, &trade("T1"), 1234)), ..good.clone() },
        PaymentState { proof: Some(alipay_says(&state.out_trade_no, &trade("T2"), 1234)), ..good.clone() },
        PaymentState { proof: Some(alipay_says(&state.out_trade_no, &trade("T1"), 1)), ..good.clone() },
        PaymentState { account: elsewhere, ..good.clone() },
    ] {
        till.write(EventKind::Paid, &wrong);
        till.send_all().await.unwrap();
        assert_eq!(house.books().await, (0, 0, one_case("UNPROVED_PAYMENT")));
    }

    till.write(EventKind::Noticed, &good);
    till.send_all().await.unwrap();
    assert_eq!(house.books().await, (1, 1234, vec![]), "proved later: it counts, and the case is settled");
}

#[tokio::test]
async fn success_without_any_money_is_a_case() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    let state = till.begin(100);
    till.write(EventKind::Paid, &PaymentState { status: StatusName::Success, ..state });
    till.send_all().await.unwrap();
    assert_eq!(house.books().await, (0, 0, one_case("UNPROVED_PAYMENT")));
}

#[tokio::test]
async fn a_trade_reported_by_two_terminals_counts_once() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    let sale = till.sell(1000);
    till.send_all().await.unwrap();
    let mut other = house.till("S02").await;
    let stolen = PaymentState { pay_id: other.begin(1000).pay_id, ..sale };
    other.write(EventKind::Paid, &stolen);

    other.send_all().await.unwrap();

    assert_eq!(house.books().await, (1, 1000, one_case("DUPLICATE_REPORT")));
    let totals = house.get("/api/v1/totals?day=2026-11-30").await;
    assert_eq!(
        (totals["by_store"][0]["net_fen"].as_i64(), totals["by_store"][1]["net_fen"].as_i64()),
        (Some(1000), Some(0))
    );
}

#[tokio::test]
async fn money_in_suspense_counts_when_a_person_recognises_it_and_only_if_it_was_proved() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    let state = till.begin(1000);
    let good = paid(&state, &trade("T1"), 1000);
    let late = CaseState { kind: CaseKind::LatePayment, trade_no: Some(trade("T1")), amount_fen: good.amount_fen };
    let suspended = PaymentState {
        status: StatusName::Suspense,
        receipts: good.receipts.iter().cloned().map(in_suspense).collect(),
        cases: vec![late],
        ..good.clone()
    };
    till.write(EventKind::Suspended, &suspended);
    till.send_all().await.unwrap();
    assert_eq!(house.books().await, (0, 0, one_case("LATE_PAYMENT")));
    assert_eq!(house.get("/api/v1/totals?day=2026-11-30").await["suspense_fen"], 1000);

    let recognised = DecisionState {
        kind: CaseKind::LatePayment,
        trade_no: Some(trade("T1")),
        decision: "RECOGNISE".into(),
        decided_by: "02".into(),
        note: None,
        is_resolved: true,
    };
    let mut decided = PaymentState { proof: None, decisions: vec![recognised], ..good };
    till.write(EventKind::Decided, &decided);
    till.send_all().await.unwrap();
    assert_eq!(house.books().await, (1, 1000, vec![]));

    let mut invented = decided.receipts[0].clone();
    (invented.receipt.trade_no, invented.receipt.total) = (trade("T2"), Fen::try_from(5).unwrap());
    decided.receipts.push(invented);
    till.write(EventKind::Decided, &decided);
    till.send_all().await.unwrap();
    assert_eq!(house.books().await, (1, 1000, one_case("UNPROVED_PAYMENT")));
}

fn in_suspense(mut reported: ReceiptState) -> ReceiptState {
    reported.receipt.booked = Booked::Suspense;
    reported
}
