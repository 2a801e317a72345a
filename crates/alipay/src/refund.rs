//! `alipay.trade.refund` and `alipay.trade.fastpay.refund.query`: giving money back, and asking whether it went.
//!
//! Must always hold: 10000 is not "refunded". The refund call says it with `fund_change=Y`, the query with
//! `refund_status=REFUND_SUCCESS`; `refund_fee` is cumulative and never an amount of one refund. A retry sends the same
//! number and the same amount, and the gateway refunds once.

use crate::{
    answer::AnswerError,
    said::{Said, Verdict},
    subject::cut,
};
use serde::Serialize;
use yidan_payment::{Fen, OutTradeNo, Proof, RefundFact, Refusal, TradeNo, UtcMs};

/// Which money to give back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundOrder {
    /// Of which trade: a number of ours may have brought money on more than one.
    pub trade_no: TradeNo,
    /// The number of the payment, which the answer echoes.
    pub out_trade_no: OutTradeNo,
    /// The number of this refund, for life. At most 64 characters.
    pub out_request_no: String,
    /// How much.
    pub amount: Fen,
    /// Why; the buyer may read it. Cut to 256 characters.
    pub reason: String,
    /// Who; cut to 28 characters.
    pub operator_id: String,
}

/// Which refund to ask about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundQuestion {
    /// Of which trade.
    pub trade_no: TradeNo,
    /// The number of the payment, which the answer echoes.
    pub out_trade_no: OutTradeNo,
    /// The number of the refund.
    pub out_request_no: String,
}

impl RefundQuestion {
    /// Whether the answer speaks of this refund, or of none.
    pub(crate) fn is_answered_by(&self, outcome: &RefundQueryOutcome) -> bool {
        match outcome {
            RefundQueryOutcome::Refunded(fact) => {
                fact.trade_no == self.trade_no && fact.out_request_no.as_deref() == Some(&self.out_request_no)
            }
            RefundQueryOutcome::NotRefunded { .. } | RefundQueryOutcome::NoTrade(_) => true,
        }
    }
}

/// What the gateway said to a refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefundOutcome {
    /// This call moved the money.
    Moved(RefundFact),
    /// Nothing moved *now*: it moved before, or it will not. Only the refund query can tell.
    NothingMoved,
    /// A no. The number stays: a refund query at least ten seconds later must agree.
    Refused(Refusal),
}

/// What the gateway said to a question about a refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefundQueryOutcome {
    /// The money is back.
    Refunded(RefundFact),
    /// Not known under this number, not done, or failed. Trust it at least ten seconds after the refund was sent. With an
    /// amount stated it is neither yes nor no: ask again.
    NotRefunded {
        /// An amount without `REFUND_SUCCESS`.
        stated: Option<Fen>,
    },
    /// There is no such trade.
    NoTrade(Refusal),
}

/// A verified answer about a refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundStatement<Outcome> {
    /// What it says.
    pub outcome: Outcome,
    /// How it is proved. Only the proof of a refund *query* names the refund's number and amount.
    pub proof: Proof,
    /// When we asked, by the clock corrected to the gateway's.
    pub asked_at: UtcMs,
    /// The `Date` of the answer.
    pub answered_at: Option<UtcMs>,
}

/// What a shop can do about a refused refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundTrouble {
    /// Put money into the merchant's account and send the same number again.
    BalanceTooLow,
    /// The trade is finished: Alipay refunds it no longer. Give the money back another way.
    TooLate,
    /// Read the gateway's sentence.
    Other,
}

/// Sorts a refusal of a refund.
#[must_use]
pub fn refund_trouble(refusal: &Refusal) -> RefundTrouble {
    match refusal.sub_code.trim_start_matches("ACQ.") {
        "SELLER_BALANCE_NOT_ENOUGH" => RefundTrouble::BalanceTooLow,
        "TRADE_HAS_FINISHED" => RefundTrouble::TooLate,
        _other => RefundTrouble::Other,
    }
}

/// Alipay's list of refusals for a refund. What is not listed is unknown.
const REFUSALS: &[&str] = &[
    "INVALID_PARAMETER",
    "SELLER_BALANCE_NOT_ENOUGH",
    "REFUND_AMT_NOT_EQUAL_TOTAL",
    "REASON_TRADE_BEEN_FREEZEN",
    "TRADE_NOT_EXIST",
    "TRADE_HAS_FINISHED",
    "TRADE_STATUS_ERROR",
    "DISCORDANT_REPEAT_REQUEST",
    "REASON_TRADE_REFUND_FEE_ERR",
    "TRADE_NOT_ALLOW_REFUND",
    "REFUND_FEE_ERROR",
    "TRADE_HAS_CLOSE",
    "BUYER_NOT_EXIST",
    "BUYER_ENABLE_STATUS_FORBID",
    "BUYER_ERROR",
    "REASON_TRADE_STATUS_INVALID",
    "NOT_ALLOW_PARTIAL_REFUND",
    "ONLINE_TRADE_VOUCHER_NOT_ALLOW_REFUND",
    "CURRENCY_NOT_SUPPORT",
    "ALLOC_AMOUNT_VALIDATE_ERROR",
    "USER_NOT_MATCH_ERR",
    "TRADE_SETTLE_ERROR",
    "REFUND_CHARGE_ERROR",
    "ENTERPRISE_PAY_BIZ_ERROR",
    "REFUND_ACCOUNT_NOT_EXIST",
    "CUSTOMER_VALIDATE_ERROR",
    "REFUND_ROYALTY_PAYEE_ACCOUNT_NOT_EXIST",
    "REFUNDALLOC_UNAUTH_LIMIT",
];

/// What an answer to a refund means. Only a checked signature counts, in either direction.
pub(crate) fn read_refund(said: &Said, order: &RefundOrder) -> Result<RefundOutcome, AnswerError> {
    let reason = said.reason();
    match (said.verdict(), said.signed) {
        (Verdict::Done, true) => read_fund_change(said, order),
        (Verdict::BusinessNo, true) if REFUSALS.contains(&reason.as_str()) || reason.starts_with("OVERDRAFT_") => {
            said.check_echo(&order.out_trade_no)?;
            Ok(RefundOutcome::Refused(said.refusal()))
        }
        (
            Verdict::Done
            | Verdict::BusinessNo
            | Verdict::BuyerMustConfirm
            | Verdict::SetUpNo
            | Verdict::Limited
            | Verdict::Unknown,
            true | false,
        ) => Err(said.unclear()),
    }
}

fn read_fund_change(said: &Said, order: &RefundOrder) -> Result<RefundOutcome, AnswerError> {
    said.require_echo(&order.out_trade_no)?;
    let trade_no = said.trade_no()?;
    if trade_no != order.trade_no {
        return Err(AnswerError::OtherNumber);
    }
    match said.text("fund_change") {
        Some("Y") => {
            let out_request_no = Some(order.out_request_no.clone());
            Ok(RefundOutcome::Moved(RefundFact { trade_no, out_request_no, amount: order.amount }))
        }
        Some(_) | None => Ok(RefundOutcome::NothingMoved),
    }
}

/// What an answer to a question about a refund means. Only a checked signature counts.
pub(crate) fn read_refund_query(said: &Said, out_trade_no: &OutTradeNo) -> Result<RefundQueryOutcome, AnswerError> {
    match (said.verdict(), said.signed) {
        (Verdict::Done, true) => {
            said.check_echo(out_trade_no)?;
            read_refund_status(said, out_trade_no)
        }
        (Verdict::BusinessNo, true) if said.reason() == "TRADE_NOT_EXIST" => {
            said.check_echo(out_trade_no)?;
            Ok(RefundQueryOutcome::NoTrade(said.refusal()))
        }
        (
            Verdict::Done
            | Verdict::BusinessNo
            | Verdict::BuyerMustConfirm
            | Verdict::SetUpNo
            | Verdict::Limited
            | Verdict::Unknown,
            true | false,
        ) => Err(said.unclear()),
    }
}

/// An unknown number is answered 10000 with nearly nothing in it, so only a yes must echo our number.
fn read_refund_status(said: &Said, out_trade_no: &OutTradeNo) -> Result<RefundQueryOutcome, AnswerError> {
    let stated = said.amount("refund_amount")?.filter(|amount| !amount.is_zero());
    match (said.text("refund_status"), stated) {
        (Some("REFUND_SUCCESS"), Some(amount)) => {
            said.require_echo(out_trade_no)?;
            let out_request_no = said.text("out_request_no").ok_or(AnswerError::Missing("out_request_no"))?.to_owned();
            let fact = RefundFact { trade_no: said.trade_no()?, out_request_no: Some(out_request_no), amount };
            Ok(RefundQueryOutcome::Refunded(fact))
        }
        (Some("REFUND_SUCCESS"), None) => Err(AnswerError::Missing("refund_amount")),
        (Some(_) | None, stated) => Ok(RefundQueryOutcome::NotRefunded { stated }),
    }
}

#[derive(Serialize)]
struct RefundContent<'a> {
    trade_no: &'a str,
    refund_amount: String,
    out_request_no: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    refund_reason: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    operator_id: &'a str,
}

pub(crate) fn refund_content(order: &RefundOrder) -> String {
    let content = RefundContent {
        trade_no: order.trade_no.as_str(),
        refund_amount: order.amount.to_string(),
        out_request_no: &order.out_request_no,
        refund_reason: cut(&order.reason, 256),
        operator_id: cut(&order.operator_id, 28),
    };
    serde_json::to_string(&content).expect("text members always make JSON")
}

pub(crate) fn refund_query_content(question: &RefundQuestion) -> String {
    let RefundQuestion { trade_no, out_request_no, .. } = question;
    serde_json::json!({ "trade_no": trade_no.as_str(), "out_request_no": out_request_no }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order() -> RefundOrder {
        RefundOrder {
            trade_no: TradeNo::new("T1").unwrap(),
            out_trade_no: OutTradeNo::new("S01").unwrap(),
            out_request_no: "S01R1".into(),
            amount: Fen::parse("20").unwrap(),
            reason: "退货".into(),
            operator_id: String::new(),
        }
    }

    #[test]
    fn the_text_of_a_refund() {
        let text = r#"{"trade_no":"T1","refund_amount":"20.00","out_request_no":"S01R1","refund_reason":"退货"}"#;
        assert_eq!(refund_content(&order()), text);
    }

    fn refund(node: &str, signed: bool) -> &'static str {
        match read_refund(&Said::read(node, signed).unwrap(), &order()) {
            Ok(RefundOutcome::Moved(fact)) if fact.amount == order().amount => "moved",
            Ok(RefundOutcome::Moved(fact)) => panic!("{fact:?}"),
            Ok(RefundOutcome::NothingMoved) => "ask",
            Ok(RefundOutcome::Refused(_)) => "refused",
            Err(_) => "unknown",
        }
    }

    #[test]
    fn every_answer_to_a_refund() {
        let yes = |rest: &str| format!(r#"{{"code":"10000","out_trade_no":"S01","trade_no":"T1"{rest}}}"#);
        let no = |code: &str, sub: &str| format!(r#"{{"code":"{code}","sub_code":"{sub}","refund_fee":"0.00"}}"#);
        for (node, expected) in [
            (yes(r#","fund_change":"Y","refund_fee":"50.00""#), "moved"),
            (yes(r#","fund_change":"N","refund_fee":"50.00""#), "ask"),
            (yes(""), "ask"),
            (yes(r#","fund_change":"Y""#).replace("T1", "T2"), "unknown"),
            (yes(r#","fund_change":"Y""#).replace("S01", "S02"), "unknown"),
            (no("40004", "ACQ.SELLER_BALANCE_NOT_ENOUGH"), "refused"),
            (no("40004", "ACQ.DISCORDANT_REPEAT_REQUEST"), "refused"),
            (no("40004", "ACQ.SYSTEM_ERROR"), "unknown"),
            (no("40004", "ACQ.NEVER_HEARD_OF"), "unknown"),
            (no("40002", "isv.invalid-signature"), "unknown"),
            (no("20000", "aop.unknow-error"), "unknown"),
        ] {
            assert_eq!((refund(&node, true), refund(&node, false)), (expected, "unknown"), "{node}");
        }
    }

    fn query(node: &str, signed: bool) -> &'static str {
        match read_refund_query(&Said::read(node, signed).unwrap(), &order().out_trade_no) {
            Ok(RefundQueryOutcome::Refunded(_)) => "refunded",
            Ok(RefundQueryOutcome::NotRefunded { stated: None }) => "not refunded",
            Ok(RefundQueryOutcome::NotRefunded { stated: Some(_) }) => "unclear",
            Ok(RefundQueryOutcome::NoTrade(_)) => "no trade",
            Err(_) => "unknown",
        }
    }

    #[test]
    fn every_answer_to_a_question_about_a_refund() {
        let yes = |rest: &str| format!(r#"{{"code":"10000","out_trade_no":"S01","out_request_no":"S01R1"{rest}}}"#);
        let no = |sub: &str| format!(r#"{{"code":"40004","sub_code":"{sub}"}}"#);
        for (node, expected) in [
            (yes(r#","trade_no":"T1","refund_amount":"20.00","refund_status":"REFUND_SUCCESS""#), "refunded"),
            (yes(r#","trade_no":"T1","refund_amount":"20.00""#), "unclear"),
            (yes(r#","trade_no":"T1","refund_status":"REFUND_SUCCESS""#), "unknown"),
            (yes(""), "not refunded"),
            (r#"{"code":"10000","msg":"Success"}"#.into(), "not refunded"),
            (
                yes(r#","trade_no":"T1","refund_amount":"20.00","refund_status":"REFUND_SUCCESS""#)
                    .replace("S01\"", "S02\""),
                "unknown",
            ),
            (no("ACQ.TRADE_NOT_EXIST"), "no trade"),
            (no("TRADE_NOT_EXIST"), "no trade"),
            (no("ACQ.SYSTEM_ERROR"), "unknown"),
        ] {
            assert_eq!((query(&node, true), query(&node, false)), (expected, "unknown"), "{node}");
        }
    }
}
