//! `alipay.trade.close`: closes a trade that was not paid. Never refunds: a paid trade refuses it.
//!
//! The QR flow never uses `cancel`, which refunds a trade that was paid a moment ago.

use crate::{
    answer::AnswerError,
    said::{Said, Verdict},
};
use yidan_payment::{Evidence, OutTradeNo};

/// Alipay's list of refusals for this call. None of them proves anything; each is a reason to ask.
const REFUSALS: &[&str] = &[
    "TRADE_NOT_EXIST",
    "TRADE_STATUS_ERROR",
    "INVALID_PARAMETER",
    "REASON_TRADE_STATUS_INVALID",
    "REASON_ILLEGAL_STATUS",
];

/// What an answer to close means. Only a checked signature counts.
pub(crate) fn read_close(said: &Said, out_trade_no: &OutTradeNo) -> Result<Evidence, AnswerError> {
    match (said.verdict(), said.signed) {
        (Verdict::Done, true) => {
            said.require_echo(out_trade_no)?;
            Ok(Evidence::CloseAccepted)
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
            _,
        ) => Err(said.unclear()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(node: &str, signed: bool) -> &'static str {
        match read_close(&Said::read(node, signed).unwrap(), &OutTradeNo::new("S01").unwrap()) {
            Ok(Evidence::CloseAccepted) => "accepted",
            Ok(Evidence::CloseRefused(_)) => "refused",
            Ok(other) => panic!("{other:?}"),
            Err(AnswerError::Limited) => "limited",
            Err(_) => "unknown",
        }
    }

    #[test]
    fn every_answer_and_what_it_means() {
        let no = |code: &str, sub: &str| format!(r#"{{"code":"{code}","sub_code":"{sub}"}}"#);
        for (node, signed) in [
            (r#"{"code":"10000","out_trade_no":"S01","trade_no":"T1"}"#.into(), "accepted"),
            (r#"{"code":"10000","out_trade_no":"S02","trade_no":"T1"}"#.into(), "unknown"),
            (no("40004", "ACQ.TRADE_NOT_EXIST"), "refused"),
            (no("40004", "ACQ.TRADE_STATUS_ERROR"), "refused"),
            (no("40004", "ACQ.REASON_TRADE_STATUS_INVALID"), "refused"),
            (no("40004", "ACQ.REASON_ILLEGAL_STATUS"), "refused"),
            (no("40004", "ACQ.INVALID_PARAMETER"), "refused"),
            (no("40004", "ACQ.SYSTEM_ERROR"), "unknown"),
            (no("40004", "ACQ.NEVER_HEARD_OF"), "unknown"),
            (no("40002", "isv.invalid-signature"), "unknown"),
            (no("20000", "aop.unknow-error"), "unknown"),
        ] {
            assert_eq!((outcome(&node, true), outcome(&node, false)), (signed, "unknown"), "{node}");
        }
        assert_eq!(outcome(&no("40005", "isv.app-call-limited"), false), "limited");
    }
}
