//! `alipay.trade.precreate`: the text that is sent, and what its answer means.
//!
//! The text is made once, stored, and sent again byte for byte: one number, one amount, one text per code.

use crate::{
    answer::AnswerError,
    beijing::beijing_text,
    extra::ExtraContent,
    refusals::read_refusal,
    said::{Said, Verdict},
    subject::{clean_subject, cut, encode_passback},
};
use serde::Serialize;
use serde_json::{Map, Value};
use yidan_payment::{Evidence, OutTradeNo, PrecreateOrder};

/// What an answer to precreate means. A definite no needs no signature: the gateway cannot sign for a key it does not know,
/// and the worst a forged one can do is to stop a payment whose code nobody has seen.
pub(crate) fn read_precreate(said: &Said, out_trade_no: &OutTradeNo) -> Result<Evidence, AnswerError> {
    match (said.verdict(), said.signed) {
        (Verdict::Done, true) => read_qr_code(said, out_trade_no),
        (Verdict::BusinessNo, true) => read_refusal(said, out_trade_no),
        (Verdict::SetUpNo, true | false) => Ok(Evidence::Refused(said.refusal())),
        (Verdict::Done | Verdict::BusinessNo, false)
        | (Verdict::BuyerMustConfirm | Verdict::Limited | Verdict::Unknown, true | false) => Err(said.unclear()),
    }
}

fn read_qr_code(said: &Said, out_trade_no: &OutTradeNo) -> Result<Evidence, AnswerError> {
    said.require_echo(out_trade_no)?;
    let qr_code = said.text("qr_code").ok_or(AnswerError::Missing("qr_code"))?;
    Ok(Evidence::QrIssued { qr_code: qr_code.into() })
}

/// `biz_content` in the order it is written. Empty members are left out.
#[derive(Serialize)]
struct PrecreateContent<'a> {
    out_trade_no: &'a str,
    total_amount: String,
    subject: String,
    time_expire: String,
    qr_code_timeout_express: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    store_id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    terminal_id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    operator_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    passback_params: Option<String>,
    #[serde(flatten)]
    extra: &'a Map<String, Value>,
}

/// The exact `biz_content` of an order.
///
/// `time_expire` is in Beijing time and wins over every other limit; `subject` is cleaned of what Alipay does not take;
/// `store_id` (32), `terminal_id` (32) and `operator_id` (28), which only show in the bill, are cut to Alipay's lengths;
/// `passback_params` is percent-encoded, as Alipay demands.
#[must_use]
pub(crate) fn precreate_content(order: &PrecreateOrder, extra: &ExtraContent) -> String {
    let content = PrecreateContent {
        out_trade_no: order.out_trade_no.as_str(),
        total_amount: order.amount.to_string(),
        subject: clean_subject(&order.subject),
        time_expire: beijing_text(order.time_expire),
        qr_code_timeout_express: format!("{}m", order.qr_minutes),
        store_id: cut(&order.store_id, 32),
        terminal_id: cut(&order.terminal_id, 32),
        operator_id: cut(&order.operator_id, 28),
        passback_params: encode_passback(order.passback_params.as_deref()),
        extra: extra.members(),
    };
    serde_json::to_string(&content).expect("text members always make JSON")
}

#[cfg(test)]
mod tests {
    use super::*;
    use yidan_payment::{Fen, UtcMs};

    fn order() -> PrecreateOrder {
        PrecreateOrder {
            out_trade_no: OutTradeNo::new("S01").unwrap(),
            amount: Fen::parse("1234.5").unwrap(),
            subject: "奶茶/大".into(),
            time_expire: UtcMs(1_796_056_200_000),
            qr_minutes: 5,
            store_id: String::new(),
            terminal_id: "T1".into(),
            operator_id: "8f14e45f-ceea-467f-a0e6-d2a2c1b1a0f3".into(),
            passback_params: Some("terminal=3&x".into()),
        }
    }

    #[test]
    fn the_text_holds_what_is_set_and_nothing_empty() {
        let extra = ExtraContent::parse(r#"{"product_code":"QR_CODE_OFFLINE"}"#).unwrap();
        assert_eq!(
            precreate_content(&order(), &extra),
            r#"{"out_trade_no":"S01","total_amount":"1234.50","subject":"奶茶／大","time_expire":"2026-12-01 00:30:00","qr_code_timeout_express":"5m","terminal_id":"T1","operator_id":"8f14e45f-ceea-467f-a0e6-d2a2","passback_params":"terminal%3D3%26x","product_code":"QR_CODE_OFFLINE"}"#
        );
    }

    /// One letter per outcome: the table is read from left to right.
    fn outcome(node: &str, signed: bool) -> &'static str {
        let said = Said::read(node, signed).unwrap();
        match read_precreate(&said, &order().out_trade_no) {
            Ok(Evidence::QrIssued { .. }) => "code",
            Ok(Evidence::Refused(_)) => "refused",
            Ok(Evidence::RefusedTradeExists(_)) => "trade exists",
            Ok(other) => panic!("{other:?}"),
            Err(AnswerError::Limited) => "limited",
            Err(_) => "unknown",
        }
    }

    #[test]
    fn every_answer_and_what_it_means() {
        let no = |code: &str, sub: &str| format!(r#"{{"code":"{code}","msg":"m","sub_code":"{sub}","sub_msg":"s"}}"#);
        let code = r#"{"code":"10000","msg":"Success","out_trade_no":"S01","qr_code":"https:\/\/qr.alipay.com\/bax"}"#;
        for (node, signed, unsigned) in [
            (code.into(), "code", "unknown"),
            (code.replace("S01", "S02"), "unknown", "unknown"),
            (r#"{"code":10000,"out_trade_no":"S01","qr_code":"https://qr.alipay.com/bax"}"#.into(), "code", "unknown"),
            (r#"{"code":"10000","msg":"Success","out_trade_no":"S01"}"#.into(), "unknown", "unknown"),
            (no("40004", "ACQ.TRADE_HAS_SUCCESS"), "trade exists", "unknown"),
            (no("40004", "ACQ.TRADE_HAS_CLOSE"), "trade exists", "unknown"),
            (no("40004", "ACQ.CONTEXT_INCONSISTENT"), "trade exists", "unknown"),
            (no("40004", "ACQ.TRADE_BUYER_NOT_MATCH"), "trade exists", "unknown"),
            (no("40004", "ACQ.EXIST_FORBIDDEN_WORD"), "refused", "unknown"),
            (no("40004", "ACQ.BEYOND_PER_RECEIPT_SINGLE_RESTRICTION"), "refused", "unknown"),
            (no("40004", "ACQ.SYSTEM_ERROR"), "unknown", "unknown"),
            (no("40004", "ACQ.NEVER_HEARD_OF"), "unknown", "unknown"),
            (no("40004", ""), "unknown", "unknown"),
            (no("20001", "aop.invalid-auth-token"), "refused", "refused"),
            (no("40001", "isv.missing-app-id"), "refused", "refused"),
            (no("40002", "isv.invalid-signature"), "refused", "refused"),
            (no("40002", "isv.invalid-timestamp"), "refused", "refused"),
            (no("40003", "isv.missing-signature-config"), "refused", "refused"),
            (no("40006", "isv.insufficient-isv-permissions"), "refused", "refused"),
            (no("40005", "isv.app-call-limited"), "limited", "limited"),
            (no("20000", "isp.unknow-error"), "unknown", "unknown"),
            (no("20000", "aop.ACQ.SYSTEM_ERROR"), "unknown", "unknown"),
            (no("10003", ""), "unknown", "unknown"),
            (no("99999", "X.NEW"), "unknown", "unknown"),
        ] {
            assert_eq!((outcome(&node, true), outcome(&node, false)), (signed, unsigned), "{node}");
        }
    }
}
