//! Money goes back: refunds in parts, questions about them, and cancel.

use crate::pair::{Pair, out_trade_no, refund, yuan};
use serde_json::{Value, json};
use yidan_alipay::{RefundOutcome, RefundQueryOutcome};
use yidan_payment::{Evidence, TradeNo};

const REFUNDED: &str = "S01T02_20261130_000003";
const UNSCANNED: &str = "S01T02_20261130_000004";
const UNPAID: &str = "S01T02_20261130_000005";
const CANCELLED: &str = "S01T02_20261130_000006";

/// Two parts, the first again, its number with another amount, too much, then the rest; the notices of all of them.
pub async fn refunded(pair: &mut Pair) {
    let trade_no = pair.sell(REFUNDED, "10.00").await;
    assert_eq!(pair.notice(REFUNDED).await["trade_status"], "TRADE_SUCCESS");
    moved(pair, ("S01R1", "3.00"), "3.00", "TRADE_SUCCESS").await;
    let part = asked(pair, &trade_no, "S01R1", "3.00").await;
    assert_eq!((&part["refund_status"], &part["refund_amount"]), (&json!("REFUND_SUCCESS"), &json!("3.00")));

    moved(pair, ("S01R2", "2.00"), "5.00", "TRADE_SUCCESS").await;
    repeated(pair, &trade_no).await;
    refused(pair, &trade_no, ("S01R1", "4.00"), "ACQ.DISCORDANT_REPEAT_REQUEST").await;
    refused(pair, &trade_no, ("S01R3", "5.01"), "ACQ.REASON_TRADE_REFUND_FEE_ERR").await;
    let unknown = asked(pair, &trade_no, "S01R3", "5.01").await;
    assert_eq!((&unknown["code"], unknown.get("refund_status")), (&json!("10000"), None));

    moved(pair, ("S01R4", "5.00"), "10.00", "TRADE_CLOSED").await;
    assert_eq!(pair.query(REFUNDED).await["trade_status"], "TRADE_CLOSED");
}

async fn send(pair: &mut Pair, (out_request_no, amount): (&str, &str)) -> Value {
    let content = json!({ "out_trade_no": REFUNDED, "out_request_no": out_request_no, "refund_amount": amount });
    pair.sdk.call("alipay.trade.refund", &content, None).await
}

/// The SDK gives a part back. `in_all` is what went back on this trade so far, in the answer and in the notice.
async fn moved(pair: &mut Pair, part: (&str, &str), in_all: &str, status: &str) {
    let answer = send(pair, part).await;
    assert_eq!((&answer["code"], &answer["fund_change"]), (&json!("10000"), &json!("Y")), "{answer}");
    assert_eq!(answer["refund_fee"], in_all, "{answer}");
    let notice = pair.notice(REFUNDED).await;
    assert_eq!((&notice["out_biz_no"], &notice["refund_fee"]), (&json!(part.0), &json!(in_all)));
    assert_eq!(notice["trade_status"], status);
    pair.try_to_forge(&notice).await;
}

/// The same refund again moves nothing, whoever sends it.
async fn repeated(pair: &mut Pair, trade_no: &TradeNo) {
    let again = send(pair, ("S01R1", "3.00")).await;
    assert_eq!((&again["code"], &again["fund_change"]), (&json!("10000"), &json!("N")), "{again}");
    assert_eq!(again["refund_fee"], "5.00", "{again}");
    let (order, _) = refund(REFUNDED, trade_no, "S01R1", "3.00");
    assert_eq!(pair.ours.refund(&order).await.unwrap().outcome, RefundOutcome::NothingMoved);
}

async fn refused(pair: &mut Pair, trade_no: &TradeNo, part: (&str, &str), sub_code: &str) {
    let answer = send(pair, part).await;
    assert_eq!((&answer["code"], &answer["sub_code"]), (&json!("40004"), &json!(sub_code)), "{answer}");
    let (order, _) = refund(REFUNDED, trade_no, part.0, part.1);
    let ours = pair.ours.refund(&order).await.unwrap().outcome;
    assert!(matches!(&ours, RefundOutcome::Refused(refusal) if refusal.sub_code == sub_code), "{ours:?}");
}

/// Both ask about a refund. Returns the SDK's answer.
async fn asked(pair: &mut Pair, trade_no: &TradeNo, out_request_no: &str, amount: &str) -> Value {
    let content = json!({ "out_trade_no": REFUNDED, "out_request_no": out_request_no });
    let answer = pair.sdk.call("alipay.trade.fastpay.refund.query", &content, None).await;
    let (_, question) = refund(REFUNDED, trade_no, out_request_no, amount);
    let told = match pair.ours.refund_query(&question).await.unwrap().outcome {
        RefundQueryOutcome::Refunded(fact) => Some(fact.amount),
        RefundQueryOutcome::NotRefunded { stated: None } => None,
        other @ (RefundQueryOutcome::NotRefunded { stated: Some(_) } | RefundQueryOutcome::NoTrade(_)) => {
            panic!("{other:?}, but the SDK was told {answer}")
        }
    };
    assert_eq!(told, answer["refund_amount"].as_str().map(yuan), "{answer}");
    answer
}

/// Nothing to undo, a trade that is open, and one that is paid.
pub async fn cancelled(pair: &mut Pair) {
    pair.precreate(UNSCANNED, "10.00").await;
    let nothing = pair.ask("cancel", UNSCANNED).await;
    assert_eq!((&nothing["code"], nothing.get("action")), (&json!("10000"), None), "{nothing}");
    assert!(matches!(cancelled_by_us(pair, UNSCANNED).await, Evidence::CloseRefused(_)));

    pair.precreate(UNPAID, "10.00").await;
    pair.sandbox.control("scan", &json!({ "out_trade_no": UNPAID, "buyer": "bob" })).await;
    let open = pair.ask("cancel", UNPAID).await;
    assert_eq!((&open["code"], &open["action"]), (&json!("10000"), &json!("close")), "{open}");
    assert_eq!(cancelled_by_us(pair, UNPAID).await, Evidence::CloseAccepted);
    assert_eq!(pair.query(UNPAID).await["trade_status"], "TRADE_CLOSED");

    pair.sell(CANCELLED, "10.00").await;
    assert_eq!(pair.notice(CANCELLED).await["trade_status"], "TRADE_SUCCESS");
    let paid = pair.ask("cancel", CANCELLED).await;
    assert_eq!((&paid["code"], &paid["action"]), (&json!("10000"), &json!("refund")), "{paid}");
    let notice = pair.notice(CANCELLED).await;
    assert_eq!((&notice["trade_status"], &notice["refund_fee"]), (&json!("TRADE_CLOSED"), &json!("10.00")));
    let ours = cancelled_by_us(pair, CANCELLED).await;
    assert!(matches!(&ours, Evidence::CancelRefunded(paid) if paid.total == yuan("10.00")), "{ours:?}");
    assert_eq!(pair.query(CANCELLED).await["trade_status"], "TRADE_CLOSED");
}

async fn cancelled_by_us(pair: &Pair, number: &str) -> Evidence {
    pair.ours.cancel(&out_trade_no(number), yuan("10.00")).await.unwrap().evidence
}
