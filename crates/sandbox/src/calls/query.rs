//! `alipay.trade.query`: the truth about a trade. A code that nobody scanned has none.

use serde_json::json;

use super::{Stop, named_trade, trade_not_exist};
use crate::answer::Answer;
use crate::biz::Biz;
use crate::buyer::{logon_id, user_id};
use crate::clock::beijing_text;
use crate::ledger::Trade;
use crate::money::yuan;
use crate::platform::Turn;

pub fn query(turn: &Turn<'_>, biz: &Biz) -> Result<Answer, Stop> {
    match named_trade(turn, biz)? {
        Some(trade) => Ok(describe(&trade)),
        None => Ok(nothing_there(biz)),
    }
}

/// Alipay states zero amounts beside `ACQ.TRADE_NOT_EXIST`.
fn nothing_there(biz: &Biz) -> Answer {
    trade_not_exist()
        .with("buyer_pay_amount", "0.00")
        .with("invoice_amount", "0.00")
        .with_some("out_trade_no", biz.text("out_trade_no"))
        .with("point_amount", "0.00")
        .with("receipt_amount", "0.00")
        .with_some("trade_no", biz.text("trade_no"))
}

fn describe(trade: &Trade) -> Answer {
    let terms = Biz::read(&trade.biz).unwrap_or_default();
    let paid = trade.paid_at.map_or(0, |_| trade.total_fen);
    Answer::success()
        .with("buyer_logon_id", logon_id(&trade.buyer))
        .with("buyer_pay_amount", yuan(paid))
        .with("buyer_user_id", user_id(&trade.buyer))
        .with("buyer_user_type", "PRIVATE")
        .with_some("ext_infos", trade.cancelled.as_ref().map(|_| r#"{"action":"cancel"}"#))
        .with_some("fund_bill_list", trade.paid_at.map(|_| fund_bill_list(paid)))
        .with("invoice_amount", yuan(paid))
        .with("out_trade_no", trade.out_trade_no.as_str())
        .with_some("passback_params", terms.text("passback_params"))
        .with("point_amount", "0.00")
        .with("receipt_amount", yuan(paid))
        .with_some("send_pay_date", trade.paid_at.map(beijing_text))
        .with_some("store_id", terms.text("store_id"))
        .with("subject", trade.subject.as_str())
        .with_some("terminal_id", terms.text("terminal_id"))
        .with("total_amount", yuan(trade.total_fen))
        .with("trade_no", trade.trade_no.as_str())
        .with("trade_status", trade.status.text())
}

/// In answers the member is `fund_channel`; in notices it is `fundChannel`.
pub fn fund_bill_list(fen: i64) -> serde_json::Value {
    json!([{ "amount": yuan(fen), "fund_channel": "ALIPAYACCOUNT" }])
}
