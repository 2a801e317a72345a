//! What each method does, as Alipay's documents and observed behaviour say. Pure rules over one turn of the ledger.

mod bill;
mod cancel;
mod certificate;
mod close;
mod pay;
mod precreate;
mod query;
pub mod refund;

use crate::answer::Answer;
use crate::biz::Biz;
use crate::ledger::{Sql, Trade};
use crate::platform::Turn;
use crate::request::Call;

pub const PRECREATE: &str = "alipay.trade.precreate";
pub const QUERY: &str = "alipay.trade.query";
pub const CLOSE: &str = "alipay.trade.close";
pub const CANCEL: &str = "alipay.trade.cancel";
pub const REFUND: &str = "alipay.trade.refund";
const REFUND_QUERY: &str = "alipay.trade.fastpay.refund.query";
const PAY: &str = "alipay.trade.pay";
const BILL_URL: &str = "alipay.data.dataservice.bill.downloadurl.query";
const CERTIFICATE: &str = "alipay.open.app.alipaycert.download";

/// Every method the gateway knows.
pub const METHODS: &[&str] = &[PRECREATE, QUERY, CLOSE, CANCEL, REFUND, REFUND_QUERY, PAY, BILL_URL, CERTIFICATE];

/// Why a rule ended early.
pub enum Stop {
    /// The answer is a refusal. What was written so far stays.
    Refused(Answer),
    Ledger(rusqlite::Error),
}

impl From<rusqlite::Error> for Stop {
    fn from(cause: rusqlite::Error) -> Self {
        Self::Ledger(cause)
    }
}

/// Carries a checked call out and words its result.
pub fn carry_out(turn: &Turn<'_>, call: &Call) -> Sql<Answer> {
    let ruling = match call.method.as_str() {
        PRECREATE => precreate::precreate(turn, call),
        QUERY => query::query(turn, &call.biz),
        CLOSE => close::close(turn, &call.biz),
        CANCEL => cancel::cancel(turn, &call.biz),
        REFUND => refund::refund(turn, &call.biz),
        REFUND_QUERY => refund::query(turn, &call.biz),
        PAY => pay::pay(turn, call),
        BILL_URL => bill::query_url(turn, &call.biz),
        CERTIFICATE => certificate::download(turn, &call.biz),
        unknown => Ok(Answer::failed("40002", "Invalid Arguments", "isv.invalid-method", unknown)),
    };
    match ruling {
        Ok(answer) | Err(Stop::Refused(answer)) => Ok(answer),
        Err(Stop::Ledger(cause)) => Err(cause),
    }
}

fn refuse(sub_code: &str, sub_msg: &str) -> Stop {
    Stop::Refused(Answer::refused(sub_code, sub_msg))
}

fn invalid_parameter(what: &str) -> Stop {
    refuse("ACQ.INVALID_PARAMETER", &format!("参数无效：{what}"))
}

/// The trade a call names; `trade_no` wins if both are given.
fn named_trade(turn: &Turn<'_>, biz: &Biz) -> Result<Option<Trade>, Stop> {
    match (biz.text("trade_no"), biz.text("out_trade_no")) {
        (Some(trade_no), _) => Ok(turn.records.find_trade_by_trade_no(&trade_no)?),
        (None, Some(out_trade_no)) => Ok(turn.records.find_trade(&out_trade_no)?),
        (None, None) => Err(invalid_parameter("out_trade_no 与 trade_no 不能同时为空")),
    }
}

fn trade_not_exist() -> Answer {
    Answer::refused("ACQ.TRADE_NOT_EXIST", "交易不存在")
}
