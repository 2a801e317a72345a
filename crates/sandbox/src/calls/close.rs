//! `alipay.trade.close`: ends an unpaid trade. Never moves money.

use super::{Stop, named_trade, refuse, trade_not_exist};
use crate::answer::Answer;
use crate::biz::Biz;
use crate::config::{CloseBeforeScan, CloseOfClosed};
use crate::ledger::{Trade, TradeStatus};
use crate::notice::{Happening, announce};
use crate::platform::Turn;

pub fn close(turn: &Turn<'_>, biz: &Biz) -> Result<Answer, Stop> {
    let Some(trade) = named_trade(turn, biz)? else {
        latch_unscanned(turn, biz)?;
        return Ok(trade_not_exist());
    };
    match trade.status {
        TradeStatus::WaitBuyerPay => {
            turn.records.close_trade(&trade, turn.now, None)?;
            announce(turn, &trade.trade_no, &Happening::Closed)?;
            Ok(closed(&trade))
        }
        TradeStatus::TradeClosed if turn.settings.close_of_closed == CloseOfClosed::Succeed => Ok(closed(&trade)),
        TradeStatus::TradeClosed | TradeStatus::TradeSuccess | TradeStatus::TradeFinished => {
            Err(refuse("ACQ.TRADE_STATUS_ERROR", "交易状态不合法"))
        }
    }
}

/// Nobody knows for certain what a close does to a code that was not scanned. Both worlds can be had.
fn latch_unscanned(turn: &Turn<'_>, biz: &Biz) -> Result<(), Stop> {
    match (turn.settings.close_before_scan, biz.text("out_trade_no")) {
        (CloseBeforeScan::Latch, Some(number)) => Ok(turn.records.latch(&number)?),
        (CloseBeforeScan::Latch, None) | (CloseBeforeScan::NoEffect, _) => Ok(()),
    }
}

fn closed(trade: &Trade) -> Answer {
    Answer::success().with("out_trade_no", trade.out_trade_no.as_str()).with("trade_no", trade.trade_no.as_str())
}
