//! `alipay.trade.query`: what became of a number.

use crate::{
    answer::AnswerError,
    said::{Moments, Said, Verdict},
};
use yidan_payment::{Evidence, OutTradeNo};

/// What an answer to a query means. Only a checked signature counts, in either direction.
pub(crate) fn read_query(said: &Said, out_trade_no: &OutTradeNo, moments: Moments) -> Result<Evidence, AnswerError> {
    match (said.verdict(), said.signed) {
        (Verdict::Done, true) => {
            said.require_echo(out_trade_no)?;
            said.trade()
        }
        (Verdict::BusinessNo, true) if said.reason() == "TRADE_NOT_EXIST" => {
            said.check_echo(out_trade_no)?;
            Ok(said.no_trade(moments))
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
    use yidan_payment::{Fen, NoTrade, PaidTrade, SeenTrade, TradeNo, UtcMs};

    const MOMENTS: Moments = Moments { asked_at: UtcMs(7), answered_at: Some(UtcMs(8)) };

    fn read(node: &str, signed: bool) -> Result<Evidence, AnswerError> {
        read_query(&Said::read(node, signed).unwrap(), &OutTradeNo::new("S01").unwrap(), MOMENTS)
    }

    fn fen(text: &str) -> Fen {
        Fen::parse(text).unwrap()
    }

    #[test]
    fn every_trade_status_and_what_it_means() {
        let trade_no = TradeNo::new("T1").unwrap();
        let seen = SeenTrade { trade_no: trade_no.clone(), total: fen("10") };
        let paid = PaidTrade { trade_no, total: fen("10"), receipt: fen("10"), paid_at: None };
        let at = Some(UtcMs(1_796_056_200_000));
        for (members, expected) in [
            (r#""trade_status":"WAIT_BUYER_PAY","receipt_amount":"0.00""#, Evidence::WaitBuyerPay(seen.clone())),
            (r#""trade_status":"TRADE_SUCCESS""#, Evidence::Paid(paid.clone())),
            (
                r#""trade_status":"TRADE_SUCCESS","receipt_amount":"9.50","send_pay_date":"2026-12-01 00:30:00""#,
                Evidence::Paid(PaidTrade { receipt: fen("9.5"), paid_at: at, ..paid.clone() }),
            ),
            (r#""trade_status":"TRADE_FINISHED","receipt_amount":"0.00""#, Evidence::Paid(paid.clone())),
            (r#""trade_status":"TRADE_CLOSED","buyer_pay_amount":"0.00""#, Evidence::TradeClosed(seen)),
            (r#""trade_status":"TRADE_CLOSED","buyer_pay_amount":"10.00""#, Evidence::TradeClosedPaid(paid.clone())),
            (
                r#""trade_status":"TRADE_CLOSED","send_pay_date":"2026-12-01 00:30:00""#,
                Evidence::TradeClosedPaid(PaidTrade { paid_at: at, ..paid.clone() }),
            ),
            (r#""trade_status":"TRADE_CLOSED","gmt_refund":"?""#, Evidence::TradeClosedPaid(paid)),
        ] {
            let node =
                format!(r#"{{"code":"10000","out_trade_no":"S01","trade_no":"T1","total_amount":"10.00",{members}}}"#);
            assert_eq!(read(&node, true).unwrap(), expected, "{node}");
            assert!(matches!(read(&node, false), Err(AnswerError::Unsigned { .. })), "{node}");
        }
    }

    #[test]
    fn no_trade_needs_a_signature_and_our_number() {
        let node = r#"{"code":"40004","sub_code":"ACQ.TRADE_NOT_EXIST","out_trade_no":"S01","receipt_amount":"0.00"}"#;
        let no_trade = NoTrade { asked_at: UtcMs(7), answered_at: Some(UtcMs(8)) };
        assert_eq!(read(node, true).unwrap(), Evidence::NoTrade(no_trade));
        assert!(matches!(read(node, false), Err(AnswerError::Unsigned { .. })));
        assert!(matches!(read(&node.replace("S01", "S02"), true), Err(AnswerError::OtherNumber)));
    }

    #[test]
    fn everything_else_is_unknown() {
        for node in [
            r#"{"code":"10000","msg":"Success"}"#,
            r#"{"code":"10000","out_trade_no":"S01"}"#,
            r#"{"code":"10000","out_trade_no":"S01","trade_no":"T1","total_amount":"10.00","trade_status":"TRADE_NEW"}"#,
            r#"{"code":"10000","out_trade_no":"S01","trade_no":"T1","trade_status":"TRADE_SUCCESS"}"#,
            r#"{"code":"10000","out_trade_no":"S01","total_amount":"10.00","trade_status":"TRADE_SUCCESS"}"#,
            r#"{"code":"10000","out_trade_no":"S01","trade_no":"T1","total_amount":1e1,"trade_status":"TRADE_SUCCESS"}"#,
            r#"{"code":"10000","out_trade_no":"S02","trade_no":"T1","total_amount":"10.00","trade_status":"TRADE_SUCCESS"}"#,
            r#"{"code":"40004","sub_code":"ACQ.SYSTEM_ERROR"}"#,
            r#"{"code":"40004","sub_code":"ACQ.INVALID_PARAMETER"}"#,
            r#"{"code":"40002","sub_code":"isv.invalid-timestamp"}"#,
            r#"{"code":"20000","sub_code":"isp.unknow-error"}"#,
            r#"{"code":"40003","sub_code":"isv.missing-signature-config"}"#,
        ] {
            assert!(read(node, true).is_err() && read(node, false).is_err(), "{node}");
        }
        assert!(matches!(read(r#"{"code":"40005"}"#, false), Err(AnswerError::Limited)));
    }
}
