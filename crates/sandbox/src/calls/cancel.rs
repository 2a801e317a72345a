//! `alipay.trade.cancel`: undoes whatever there is. Closes an unpaid trade, refunds a paid one in full.

use super::refund::give_back;
use super::{Stop, named_trade, refuse, trade_not_exist};
use crate::answer::Answer;
use crate::biz::Biz;
use crate::clock::{Millis, beijing_text};
use crate::ledger::{Refund, Trade, TradeStatus};
use crate::notice::{Happening, announce};
use crate::platform::Turn;

const CANCEL_WINDOW_MS: Millis = 24 * 3_600_000;

pub fn cancel(turn: &Turn<'_>, biz: &Biz) -> Result<Answer, Stop> {
    let Some(trade) = named_trade(turn, biz)? else {
        return nothing_to_cancel(biz);
    };
    if let Some(action) = &trade.cancelled {
        return Ok(cancelled(&trade, action));
    }
    match trade.status {
        TradeStatus::WaitBuyerPay => {
            turn.records.close_trade(&trade, turn.now, Some("close"))?;
            announce(turn, &trade.trade_no, &Happening::Closed)?;
            Ok(cancelled(&trade, "close"))
        }
        TradeStatus::TradeFinished => Err(refuse("ACQ.TRADE_HAS_FINISHED", "交易已完结")),
        TradeStatus::TradeClosed if trade.paid_at.is_none() => Ok(cancelled(&trade, "close")),
        TradeStatus::TradeClosed | TradeStatus::TradeSuccess if trade.refunded_fen > 0 => {
            Err(refuse("ACQ.REASON_TRADE_REFUND_FEE_ERR", "退款金额无效"))
        }
        TradeStatus::TradeClosed | TradeStatus::TradeSuccess => refund_all(turn, &trade),
    }
}

/// An unknown merchant number is a success with nothing done; an unknown `trade_no` is an error.
fn nothing_to_cancel(biz: &Biz) -> Result<Answer, Stop> {
    if biz.text("trade_no").is_some() {
        return Ok(trade_not_exist());
    }
    Ok(Answer::success().with_some("out_trade_no", biz.text("out_trade_no")).with("retry_flag", "N"))
}

fn refund_all(turn: &Turn<'_>, trade: &Trade) -> Result<Answer, Stop> {
    if turn.now > trade.created_at + CANCEL_WINDOW_MS {
        return Err(refuse("ACQ.TRADE_CANCEL_TIME_OUT", "超过撤销时间范围"));
    }
    let refund = Refund {
        out_request_no: trade.out_trade_no.clone(),
        amount_fen: trade.total_fen,
        reason: None,
        refunded_at: turn.now,
    };
    turn.records.close_trade(trade, turn.now, Some("refund"))?;
    give_back(turn, trade, &refund)?;
    Ok(cancelled(trade, "refund").with("gmt_refund_pay", beijing_text(turn.now)))
}

fn cancelled(trade: &Trade, action: &str) -> Answer {
    Answer::success()
        .with("action", action)
        .with("out_trade_no", trade.out_trade_no.as_str())
        .with("retry_flag", "N")
        .with("trade_no", trade.trade_no.as_str())
}
