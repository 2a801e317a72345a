//! `alipay.trade.pay`: the merchant scans the buyer's payment code. The trade begins with the call.

use super::precreate::{read_terms, refuse_reuse};
use super::query::fund_bill_list;
use super::{Stop, invalid_parameter, refuse};
use crate::answer::Answer;
use crate::biz::Biz;
use crate::buyer::{begin, logon_id, user_id};
use crate::clock::beijing_text;
use crate::ledger::{BuyerCode, CodeOutcome, Session, Trade};
use crate::money::yuan;
use crate::notice::{Happening, announce};
use crate::platform::Turn;
use crate::request::Call;

pub fn pay(turn: &Turn<'_>, call: &Call) -> Result<Answer, Stop> {
    let terms = read_terms(turn, call)?;
    refuse_reuse(turn, &terms)?;
    let code = usable_code(turn, &call.biz)?;
    turn.records.use_buyer_code(&code.auth_code)?;
    match code.outcome {
        CodeOutcome::HasNoMoney => Err(refuse("ACQ.BUYER_BALANCE_NOT_ENOUGH", "买家余额不足")),
        CodeOutcome::AsksPassword => Ok(waiting(&open_trade(turn, &terms, &code)?)),
        CodeOutcome::Pays => charge(turn, &open_trade(turn, &terms, &code)?),
    }
}

fn usable_code(turn: &Turn<'_>, biz: &Biz) -> Result<BuyerCode, Stop> {
    let auth_code = biz.text("auth_code").ok_or_else(|| invalid_parameter("auth_code"))?;
    turn.records.find_buyer_code(&auth_code)?.filter(|code| !code.is_used && turn.now < code.expires_at).ok_or_else(
        || refuse("ACQ.PAYMENT_AUTH_CODE_INVALID", "支付失败，获取顾客账户信息失败，请顾客刷新付款码后重新收款"),
    )
}

/// A second code for a number that is still waiting must be the same buyer's.
fn open_trade(turn: &Turn<'_>, terms: &Session, code: &BuyerCode) -> Result<Trade, Stop> {
    match turn.records.find_trade(&terms.out_trade_no)? {
        Some(trade) if trade.buyer != code.buyer => Err(refuse("ACQ.TRADE_BUYER_NOT_MATCH", "交易买家不匹配")),
        Some(trade) => Ok(trade),
        None => Ok(begin(turn, terms, &code.buyer)?),
    }
}

fn charge(turn: &Turn<'_>, trade: &Trade) -> Result<Answer, Stop> {
    turn.records.charge(trade, turn.now)?;
    announce(turn, &trade.trade_no, &Happening::Paid)?;
    let amount = yuan(trade.total_fen);
    Ok(Answer::success()
        .with("buyer_logon_id", logon_id(&trade.buyer))
        .with("buyer_pay_amount", amount.as_str())
        .with("buyer_user_id", user_id(&trade.buyer))
        .with("buyer_user_type", "PRIVATE")
        .with("fund_bill_list", fund_bill_list(trade.total_fen))
        .with("gmt_payment", beijing_text(turn.now))
        .with("invoice_amount", amount.as_str())
        .with("out_trade_no", trade.out_trade_no.as_str())
        .with("point_amount", "0.00")
        .with("receipt_amount", amount.as_str())
        .with("total_amount", amount.as_str())
        .with("trade_no", trade.trade_no.as_str()))
}

fn waiting(trade: &Trade) -> Answer {
    let mut answer = Answer::success();
    answer.code = "10003";
    answer.msg = "order success pay inprocess";
    answer
        .with("buyer_logon_id", logon_id(&trade.buyer))
        .with("buyer_user_id", user_id(&trade.buyer))
        .with("out_trade_no", trade.out_trade_no.as_str())
        .with("total_amount", yuan(trade.total_fen))
        .with("trade_no", trade.trade_no.as_str())
}
