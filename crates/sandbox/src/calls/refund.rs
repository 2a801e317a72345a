//! `alipay.trade.refund` and `alipay.trade.fastpay.refund.query`.
//!
//! One `out_request_no` of one trade is one refund, however often it is asked for. `refund_fee` is the sum of all of
//! them. `code` 10000 alone never means "refunded".

use super::{Stop, invalid_parameter, named_trade, refuse, trade_not_exist};
use crate::answer::Answer;
use crate::biz::Biz;
use crate::buyer::{logon_id, user_id};
use crate::clock::beijing_text;
use crate::ledger::{Refund, Trade, TradeStatus};
use crate::money::{read_price, yuan};
use crate::notice::{Happening, announce};
use crate::platform::Turn;

pub fn refund(turn: &Turn<'_>, biz: &Biz) -> Result<Answer, Stop> {
    decide(turn, biz).map_err(state_no_money)
}

fn decide(turn: &Turn<'_>, biz: &Biz) -> Result<Answer, Stop> {
    let amount_fen = biz
        .text("refund_amount")
        .and_then(|text| read_price(&text))
        .ok_or_else(|| invalid_parameter("refund_amount"))?;
    let trade = named_trade(turn, biz)?.ok_or_else(|| Stop::Refused(trade_not_exist()))?;
    let number = request_number(biz, &trade, amount_fen)?;
    if let Some(known) = turn.records.find_refund(&trade.trade_no, &number)? {
        return repeat(&trade, &known, amount_fen);
    }
    refuse_status(&trade)?;
    if amount_fen > trade.total_fen - trade.refunded_fen {
        return Err(refuse("ACQ.REASON_TRADE_REFUND_FEE_ERR", "退款金额无效"));
    }
    if turn.settings.seller_is_broke {
        return Err(refuse("ACQ.SELLER_BALANCE_NOT_ENOUGH", "商户的支付宝账户中无足够的资金进行退款"));
    }
    let refund =
        Refund { out_request_no: number, amount_fen, reason: biz.text("refund_reason"), refunded_at: turn.now };
    let refunded_fen = give_back(turn, &trade, &refund)?;
    Ok(refunded(&trade, "Y", refunded_fen, &refund))
}

/// Moves the money and tells the merchant. Returns the sum of all refunds of the trade.
pub fn give_back(turn: &Turn<'_>, trade: &Trade, refund: &Refund) -> Result<i64, rusqlite::Error> {
    turn.records.add_refund(&trade.trade_no, refund)?;
    let refunded_fen = trade.refunded_fen + refund.amount_fen;
    if refunded_fen == trade.total_fen {
        turn.records.close_trade(trade, turn.now, None)?;
    }
    announce(turn, &trade.trade_no, &Happening::Refunded(refund))?;
    Ok(refunded_fen)
}

/// Without an `out_request_no` the trade's own number serves, but only for the whole amount.
fn request_number(biz: &Biz, trade: &Trade, amount_fen: i64) -> Result<String, Stop> {
    match biz.text("out_request_no") {
        Some(number) if number.len() > 64 => Err(invalid_parameter("out_request_no")),
        Some(number) => Ok(number),
        None if amount_fen != trade.total_fen => {
            Err(refuse("ACQ.REFUND_AMT_NOT_EQUAL_TOTAL", "撤销或退款金额与订单金额不一致"))
        }
        None => Ok(trade.out_trade_no.clone()),
    }
}

fn repeat(trade: &Trade, known: &Refund, amount_fen: i64) -> Result<Answer, Stop> {
    if known.amount_fen != amount_fen {
        return Err(refuse("ACQ.DISCORDANT_REPEAT_REQUEST", "请求信息不一致"));
    }
    Ok(refunded(trade, "N", trade.refunded_fen, known))
}

fn refuse_status(trade: &Trade) -> Result<(), Stop> {
    match trade.status {
        TradeStatus::WaitBuyerPay => Err(refuse("ACQ.TRADE_STATUS_ERROR", "交易状态不合法")),
        TradeStatus::TradeFinished => Err(refuse("ACQ.TRADE_HAS_FINISHED", "交易已完结")),
        TradeStatus::TradeClosed if trade.paid_at.is_none() => Err(refuse("ACQ.TRADE_HAS_CLOSE", "交易已经关闭")),
        TradeStatus::TradeClosed | TradeStatus::TradeSuccess => Ok(()),
    }
}

fn refunded(trade: &Trade, fund_change: &str, refunded_fen: i64, refund: &Refund) -> Answer {
    Answer::success()
        .with("buyer_logon_id", logon_id(&trade.buyer))
        .with("buyer_user_id", user_id(&trade.buyer))
        .with("fund_change", fund_change)
        .with("gmt_refund_pay", beijing_text(refund.refunded_at))
        .with("out_trade_no", trade.out_trade_no.as_str())
        .with("refund_fee", yuan(refunded_fen))
        .with("send_back_fee", yuan(refund.amount_fen))
        .with("trade_no", trade.trade_no.as_str())
}

/// Alipay states zero amounts beside a refusal.
fn state_no_money(stop: Stop) -> Stop {
    match stop {
        Stop::Refused(answer) => Stop::Refused(answer.with("refund_fee", "0.00").with("send_back_fee", "0.00")),
        Stop::Ledger(cause) => Stop::Ledger(cause),
    }
}

/// An unknown refund number is a success with nothing in it.
pub fn query(turn: &Turn<'_>, biz: &Biz) -> Result<Answer, Stop> {
    let number = biz.text("out_request_no").ok_or_else(|| invalid_parameter("out_request_no"))?;
    let trade = named_trade(turn, biz)?.ok_or_else(|| Stop::Refused(trade_not_exist()))?;
    let Some(refund) = turn.records.find_refund(&trade.trade_no, &number)? else {
        return Ok(Answer::success());
    };
    let paid_back_at = biz.asks_for("gmt_refund_pay").then(|| beijing_text(refund.refunded_at));
    Ok(Answer::success()
        .with_some("gmt_refund_pay", paid_back_at)
        .with("out_request_no", number)
        .with("out_trade_no", trade.out_trade_no)
        .with("refund_amount", yuan(refund.amount_fen))
        .with_some("refund_reason", refund.reason)
        .with("refund_status", "REFUND_SUCCESS")
        .with("send_back_fee", yuan(refund.amount_fen))
        .with("total_amount", yuan(trade.total_fen))
        .with("trade_no", trade.trade_no))
}
