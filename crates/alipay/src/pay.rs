//! `alipay.trade.pay`: collects with the code that the buyer's phone shows.
//!
//! The code lives about a minute and works once. It is sent, never stored and never shown.

use crate::{
    answer::AnswerError,
    extra::ExtraContent,
    refusals::read_refusal,
    said::{Said, Verdict},
    subject::{clean_subject, cut, encode_passback},
};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt;
use yidan_payment::{Evidence, Fen, OutTradeNo};
use zeroize::Zeroizing;

/// The code on the buyer's phone.
pub struct AuthCode(Zeroizing<String>);

/// Not a payment code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a payment code has 16 to 24 digits and begins with 25 to 30")]
pub struct AuthCodeError;

impl AuthCode {
    /// Takes what the scanner typed: 16–24 digits beginning with 25–30, or a face code (`fp` and 35 characters).
    ///
    /// # Errors
    /// [`AuthCodeError`] for everything else, such as the barcode of a bottle.
    pub fn parse(scanned: &str) -> Result<AuthCode, AuthCodeError> {
        let code = scanned.trim();
        match is_payment_code(code) || is_face_code(code) {
            true => Ok(AuthCode(Zeroizing::new(code.to_owned()))),
            false => Err(AuthCodeError),
        }
    }

    /// The code itself: to be sent, and hashed so that it is used once.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.0
    }
}

fn is_payment_code(code: &str) -> bool {
    let begins_right = ["25", "26", "27", "28", "29", "30"].iter().any(|begin| code.starts_with(begin));
    begins_right && (16..=24).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_face_code(code: &str) -> bool {
    code.len() == 37 && code.starts_with("fp") && code.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

impl fmt::Debug for AuthCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AuthCode(•••)")
    }
}

/// What to collect with a buyer's code.
#[derive(Debug)]
pub struct PayOrder {
    /// Our number.
    pub out_trade_no: OutTradeNo,
    /// What to collect.
    pub amount: Fen,
    /// What the buyer reads; cleaned before it is sent.
    pub subject: String,
    /// The buyer's code.
    pub auth_code: AuthCode,
    /// How long the buyer may take to confirm, in minutes.
    pub timeout_minutes: u32,
    /// The merchant's own store number, shown in the bill.
    pub store_id: String,
    /// The merchant's own till number.
    pub terminal_id: String,
    /// The cashier, shown in the bill.
    pub operator_id: String,
    /// Comes back with every notice.
    pub passback_params: Option<String>,
}

#[derive(Serialize)]
struct PayContent<'a> {
    out_trade_no: &'a str,
    scene: &'static str,
    auth_code: &'a str,
    total_amount: String,
    subject: String,
    timeout_express: String,
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

/// The `biz_content` of an order. Wiped when dropped: it holds the buyer's code.
pub(crate) fn pay_content(order: &PayOrder, extra: &ExtraContent) -> Zeroizing<String> {
    let content = PayContent {
        out_trade_no: order.out_trade_no.as_str(),
        scene: "bar_code",
        auth_code: order.auth_code.secret(),
        total_amount: order.amount.to_string(),
        subject: clean_subject(&order.subject),
        timeout_express: format!("{}m", order.timeout_minutes),
        store_id: cut(&order.store_id, 32),
        terminal_id: cut(&order.terminal_id, 32),
        operator_id: cut(&order.operator_id, 28),
        passback_params: encode_passback(order.passback_params.as_deref()),
        extra: extra.members(),
    };
    Zeroizing::new(serde_json::to_string(&content).expect("text members always make JSON"))
}

/// What an answer to pay means. Only a checked signature counts, in either direction.
pub(crate) fn read_pay(said: &Said, out_trade_no: &OutTradeNo) -> Result<Evidence, AnswerError> {
    match (said.verdict(), said.signed) {
        (Verdict::Done, true) => {
            said.require_echo(out_trade_no)?;
            said.paid().map(Evidence::Paid)
        }
        (Verdict::BuyerMustConfirm, true) => {
            said.require_echo(out_trade_no)?;
            said.seen().map(Evidence::WaitBuyerPay)
        }
        (Verdict::BusinessNo, true) => read_refusal(said, out_trade_no),
        (Verdict::SetUpNo, true) => Ok(Evidence::Refused(said.refusal())),
        (Verdict::Done | Verdict::BuyerMustConfirm | Verdict::BusinessNo | Verdict::SetUpNo, false)
        | (Verdict::Limited | Verdict::Unknown, true | false) => Err(said.unclear()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(node: &str, signed: bool) -> &'static str {
        match read_pay(&Said::read(node, signed).unwrap(), &OutTradeNo::new("S01").unwrap()) {
            Ok(Evidence::Paid(_)) => "paid",
            Ok(Evidence::WaitBuyerPay(_)) => "waiting",
            Ok(Evidence::Refused(_)) => "refused",
            Ok(Evidence::RefusedTradeExists(_)) => "trade exists",
            Ok(other) => panic!("{other:?}"),
            Err(AnswerError::Limited) => "limited",
            Err(_) => "unknown",
        }
    }

    #[test]
    fn every_answer_and_what_it_means() {
        let trade = |code: &str| {
            format!(
                r#"{{"code":"{code}","out_trade_no":"S01","trade_no":"T1","total_amount":"10.00","receipt_amount":"10.00"}}"#
            )
        };
        let no = |code: &str, sub: &str| format!(r#"{{"code":"{code}","sub_code":"{sub}"}}"#);
        for (node, expected) in [
            (trade("10000"), "paid"),
            (trade("10000").replace("S01", "S02"), "unknown"),
            (trade("10003"), "waiting"),
            (no("10003", ""), "unknown"),
            (no("40004", "ACQ.PAYMENT_AUTH_CODE_INVALID"), "refused"),
            (no("40004", "ACQ.BUYER_BALANCE_NOT_ENOUGH"), "refused"),
            (no("40004", "ACQ.TRADE_HAS_SUCCESS"), "trade exists"),
            (no("40004", "ACQ.SYSTEM_ERROR"), "unknown"),
            (no("40004", "ACQ.NEVER_HEARD_OF"), "unknown"),
            (no("40006", "isv.insufficient-isv-permissions"), "refused"),
            (no("20000", "isp.unknow-error"), "unknown"),
        ] {
            assert_eq!((outcome(&node, true), outcome(&node, false)), (expected, "unknown"), "{node}");
        }
        assert_eq!(outcome(&no("40005", "isv.app-call-limited"), false), "limited");
    }

    #[test]
    fn a_code_is_told_from_the_barcode_of_a_bottle() {
        for ok in ["2812345678901234", "300000000000000000000000", " 28763443825664394\n"] {
            assert!(AuthCode::parse(ok).is_ok(), "{ok}");
        }
        assert!(AuthCode::parse(&format!("fp{}", "a".repeat(35))).is_ok());
        for bad in ["6901028075763", "3112345678901234", "281234567890123", "28123456789012345678901x", ""] {
            assert_eq!(AuthCode::parse(bad).unwrap_err(), AuthCodeError, "{bad}");
        }
        assert_eq!(format!("{:?}", AuthCode::parse("2812345678901234").unwrap()), "AuthCode(•••)");
    }
}
