//! What an answer says, read leniently: unknown members are ignored, numbers may come as strings, lists may be missing.
//!
//! Must always hold: a text that could mean "no" and "unknown" is *unknown*. Money is read from digits, never from a float.

use crate::{answer::AnswerError, beijing::read_beijing, members::Members};
use std::collections::BTreeMap;
use yidan_payment::{Evidence, Fen, NoTrade, OutTradeNo, PaidTrade, Refusal, SeenTrade, TradeNo, UtcMs};

/// The fields of an answer or of a notice, and whether a checked signature stands behind them.
#[derive(Clone)]
pub(crate) struct Said {
    fields: BTreeMap<String, String>,
    /// A checked signature, not merely a `sign` member.
    pub signed: bool,
}

/// What the `code` of an answer means for every call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// 10000: the call was done. What it did stands in the other fields.
    Done,
    /// 10003: the buyer must confirm on the phone.
    BuyerMustConfirm,
    /// 40004 with a sub code: a no that depends on the call.
    BusinessNo,
    /// 20001, 40001–40003, 40006: keys, certificates, contract, parameters. Nothing was done.
    SetUpNo,
    /// 40005: too many calls. Nothing was done.
    Limited,
    /// 20000, system errors, and every code this program does not know: anything may have happened.
    Unknown,
}

/// When a question was asked, and the `Date` of its answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments {
    pub asked_at: UtcMs,
    pub answered_at: Option<UtcMs>,
}

impl Said {
    /// Reads the node of an answer.
    pub fn read(node: &str, signed: bool) -> Result<Said, AnswerError> {
        let members = Members::parse(node).ok_or(AnswerError::NotAlipay)?;
        Ok(Said { fields: members.texts(), signed })
    }

    /// Takes the fields of a notice whose signature was checked.
    pub fn notice(fields: BTreeMap<String, String>) -> Said {
        Said { fields, signed: true }
    }

    pub fn verdict(&self) -> Verdict {
        if self.is_system_error() {
            return Verdict::Unknown;
        }
        match self.text("code") {
            Some("10000") => Verdict::Done,
            Some("10003") => Verdict::BuyerMustConfirm,
            Some("40004") => Verdict::BusinessNo,
            Some("20001" | "40001" | "40002" | "40003" | "40006") => Verdict::SetUpNo,
            Some("40005") => Verdict::Limited,
            Some(_) | None => Verdict::Unknown,
        }
    }

    /// `ACQ.SYSTEM_ERROR`, `AQC.SYSTEM_ERROR`, `aop.ACQ.SYSTEM_ERROR`, `isp.unknow-error`, `aop.unknow-error`: all are in use.
    fn is_system_error(&self) -> bool {
        matches!(self.reason().as_str(), "SYSTEM_ERROR" | "UNKNOW_ERROR" | "UNKNOWN_ERROR")
    }

    /// The sub code without its prefix, in one spelling: `ACQ.TRADE_NOT_EXIST` → `TRADE_NOT_EXIST`.
    pub fn reason(&self) -> String {
        self.text("sub_code")
            .unwrap_or_default()
            .rsplit('.')
            .next()
            .unwrap_or_default()
            .replace('-', "_")
            .to_ascii_uppercase()
    }

    pub fn refusal(&self) -> Refusal {
        let text = self.text("sub_msg").or_else(|| self.text("msg")).unwrap_or_default();
        Refusal {
            code: self.text("code").unwrap_or_default().to_owned(),
            sub_code: self.text("sub_code").unwrap_or_default().to_owned(),
            text: text.chars().take(1000).collect(),
        }
    }

    /// The answer as an error: it says neither yes nor no, or says it without a signature.
    pub fn unclear(&self) -> AnswerError {
        let Refusal { code, sub_code, text } = self.refusal();
        match self.verdict() {
            Verdict::Limited => AnswerError::Limited,
            Verdict::Done | Verdict::BusinessNo if !self.signed => AnswerError::Unsigned { code, sub_code, text },
            Verdict::Done | Verdict::BuyerMustConfirm | Verdict::BusinessNo | Verdict::SetUpNo | Verdict::Unknown => {
                AnswerError::Unclear { code, sub_code, text }
            }
        }
    }

    /// A field that is there and not empty.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// An amount that may be missing.
    pub fn amount(&self, name: &'static str) -> Result<Option<Fen>, AnswerError> {
        self.text(name).map(|text| Fen::parse_stated(text).map_err(|_| AnswerError::Missing(name))).transpose()
    }

    /// An echoed number must be ours.
    pub fn check_echo(&self, out_trade_no: &OutTradeNo) -> Result<(), AnswerError> {
        match self.text("out_trade_no") {
            Some(echo) if echo != out_trade_no.as_str() => Err(AnswerError::OtherNumber),
            Some(_) | None => Ok(()),
        }
    }

    /// A yes must echo our number.
    pub fn require_echo(&self, out_trade_no: &OutTradeNo) -> Result<(), AnswerError> {
        self.text("out_trade_no").ok_or(AnswerError::Missing("out_trade_no"))?;
        self.check_echo(out_trade_no)
    }

    /// "No such trade", as far as the moments let it prove anything.
    pub fn no_trade(&self, moments: Moments) -> Evidence {
        Evidence::NoTrade(NoTrade { asked_at: moments.asked_at, answered_at: moments.answered_at })
    }

    /// The fact behind `trade_status`, in an answer to a query and in a notice alike.
    pub fn trade(&self) -> Result<Evidence, AnswerError> {
        match self.text("trade_status") {
            Some("WAIT_BUYER_PAY") => self.seen().map(Evidence::WaitBuyerPay),
            Some("TRADE_SUCCESS" | "TRADE_FINISHED") => self.paid().map(Evidence::Paid),
            Some("TRADE_CLOSED") if self.was_paid()? => self.paid().map(Evidence::TradeClosedPaid),
            Some("TRADE_CLOSED") => self.seen().map(Evidence::TradeClosed),
            Some(_) | None => Err(AnswerError::Missing("trade_status")),
        }
    }

    pub fn seen(&self) -> Result<SeenTrade, AnswerError> {
        Ok(SeenTrade { trade_no: self.trade_no()?, total: self.total()? })
    }

    /// `receipt_amount` is the merchant's share. Old sandboxes state it as `0.00` on trades that were paid: then, and if
    /// it is missing, the share is the total.
    pub fn paid(&self) -> Result<PaidTrade, AnswerError> {
        let total = self.total()?;
        let receipt = self.amount("receipt_amount")?.filter(|share| !share.is_zero()).unwrap_or(total);
        let paid_at = ["send_pay_date", "gmt_payment"].into_iter().find_map(|name| read_beijing(self.text(name)?));
        Ok(PaidTrade { trade_no: self.trade_no()?, total, receipt, paid_at })
    }

    /// A closed trade was paid once (and refunded in full) if anything in it says so.
    fn was_paid(&self) -> Result<bool, AnswerError> {
        let has_date = ["send_pay_date", "gmt_payment", "gmt_refund"].into_iter().any(|name| self.text(name).is_some());
        let mut has_money = false;
        for name in ["buyer_pay_amount", "receipt_amount", "point_amount"] {
            has_money |= self.amount(name)?.is_some_and(|amount| !amount.is_zero());
        }
        Ok(has_date || has_money)
    }

    pub fn trade_no(&self) -> Result<TradeNo, AnswerError> {
        let text = self.text("trade_no").ok_or(AnswerError::Missing("trade_no"))?;
        TradeNo::new(text).map_err(|_| AnswerError::Missing("trade_no"))
    }

    fn total(&self) -> Result<Fen, AnswerError> {
        self.amount("total_amount")?.ok_or(AnswerError::Missing("total_amount"))
    }
}
