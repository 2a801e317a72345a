//! `alipay.trade.cancel`: undoes a trade of the payment-code flow whose result is unknown. Closes it, or refunds it if it
//! was paid. Never used for QR codes.

use crate::{
    answer::AnswerError,
    said::{Said, Verdict},
};
use yidan_payment::{Evidence, Fen, OutTradeNo, PaidTrade, Refusal};

/// Alipay's list of refusals for this call, and "not exist", which it does not list. None of them proves anything.
const REFUSALS: &[&str] = &[
    "TRADE_NOT_EXIST",
    "INVALID_PARAMETER",
    "SELLER_BALANCE_NOT_ENOUGH",
    "REASON_TRADE_BEEN_FREEZEN",
    "TRADE_HAS_FINISHED",
    "TRADE_CANCEL_TIME_OUT",
    "REASON_TRADE_REFUND_FEE_ERR",
    "CANCEL_NOT_ALLOWED",
];

/// What an answer to cancel means. Only a checked signature counts.
///
/// `amount` is what was to be collected: the answer names none, and a refund by cancel always gives back everything.
pub(crate) fn read_cancel(said: &Said, out_trade_no: &OutTradeNo, amount: Fen) -> Result<Evidence, AnswerError> {
    match (said.verdict(), said.signed) {
        (Verdict::Done, true) => {
            said.require_echo(out_trade_no)?;
            read_action(said, amount)
        }
        (Verdict::BusinessNo, true) if REFUSALS.contains(&said.reason().as_str()) => {
            said.check_echo(out_trade_no)?;
            Ok(Evidence::CloseRefused(said.refusal()))
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

/// `action` is only there if the trade exists; without it nothing was undone, and nothing is proved.
fn read_action(said: &Said, amount: Fen) -> Result<Evidence, AnswerError> {
    if said.text("retry_flag") == Some("Y") {
        return Err(AnswerError::AskAgain);
    }
    match said.text("action") {
        Some("close") => Ok(Evidence::CloseAccepted),
        Some("refund") => {
            let trade_no = said.trade_no()?;
            Ok(Evidence::CancelRefunded(PaidTrade { trade_no, total: amount, receipt: amount, paid_at: None }))
        }
        Some(_) => Err(AnswerError::Missing("action")),
        None => {
            let text = "cancel found no trade to undo".to_owned();
            Ok(Evidence::CloseRefused(Refusal { code: "10000".to_owned(), sub_code: String::new(), text }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(node: &str, signed: bool) -> &'static str {
        let amount = Fen::parse("10").unwrap();
        match read_cancel(&Said::read(node, signed).unwrap(), &OutTradeNo::new("S01").unwrap(), amount) {
            Ok(Evidence::CloseAccepted) => "closed",
            Ok(Evidence::CloseRefused(_)) => "nothing",
            Ok(Evidence::CancelRefunded(paid)) if paid.total == amount => "refunded",
            Ok(other) => panic!("{other:?}"),
            Err(AnswerError::AskAgain) => "again",
            Err(_) => "unknown",
        }
    }

    #[test]
    fn every_answer_and_what_it_means() {
        let yes = |rest: &str| format!(r#"{{"code":"10000","msg":"Success","out_trade_no":"S01"{rest}}}"#);
        let no = |sub: &str| format!(r#"{{"code":"40004","sub_code":"{sub}"}}"#);
        for (node, expected) in [
            (yes(r#","retry_flag":"N","action":"close","trade_no":"T1""#), "closed"),
            (yes(r#","retry_flag":"N","action":"refund","trade_no":"T1""#), "refunded"),
            (yes(r#","retry_flag":"N""#), "nothing"),
            (yes(r#","retry_flag":"Y""#), "again"),
            (yes(r#","retry_flag":"N","action":"refund""#), "unknown"),
            (yes(r#","action":"dance","trade_no":"T1""#), "unknown"),
            (no("ACQ.TRADE_CANCEL_TIME_OUT"), "nothing"),
            (no("ACQ.REASON_TRADE_REFUND_FEE_ERR"), "nothing"),
            (no("AQC.SYSTEM_ERROR"), "unknown"),
            (no("ACQ.SYSTEM_ERROR"), "unknown"),
            (no("ACQ.NEVER_HEARD_OF"), "unknown"),
        ] {
            assert_eq!((outcome(&node, true), outcome(&node, false)), (expected, "unknown"), "{node}");
        }
    }
}
