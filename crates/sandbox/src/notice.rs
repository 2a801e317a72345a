//! Writes down what Alipay would tell the merchant, in the same transaction as the thing it tells.
//!
//! Sending is elsewhere. A trade without a `notify_url` is never announced.

use serde_json::{Map, Value};

use crate::biz::Biz;
use crate::buyer::{logon_id, user_id};
use crate::clock::{beijing_text, beijing_text_with_fraction};
use crate::ledger::{Notice, Refund, Sql, Trade};
use crate::money::yuan;
use crate::platform::Turn;

/// What happened to a trade.
#[derive(Debug)]
pub enum Happening<'a> {
    Waiting,
    Paid,
    Closed,
    Finished,
    Refunded(&'a Refund),
}

impl Happening<'_> {
    fn is_announced(&self, turn: &Turn<'_>) -> bool {
        match self {
            Self::Waiting => turn.settings.wait_notices,
            Self::Paid | Self::Finished => true,
            Self::Closed => turn.settings.closed_notices,
            Self::Refunded(_) => turn.settings.refund_notices,
        }
    }

    fn out_biz_no(&self) -> Option<&str> {
        match self {
            Self::Refunded(refund) => Some(&refund.out_request_no),
            Self::Waiting | Self::Paid | Self::Closed | Self::Finished => None,
        }
    }
}

/// Queues the notice about a trade as it stands now.
pub fn announce(turn: &Turn<'_>, trade_no: &str, happening: &Happening<'_>) -> Sql<()> {
    let Some(trade) = turn.records.find_trade_by_trade_no(trade_no)? else {
        return Ok(());
    };
    let Some(url) = trade.notify_url.clone().filter(|_| happening.is_announced(turn)) else {
        return Ok(());
    };
    turn.records.add_notice(&Notice {
        notify_id: turn.records.draw_notify_id(turn.now)?,
        out_trade_no: trade.out_trade_no.clone(),
        trade_status: trade.status.text().to_owned(),
        out_biz_no: happening.out_biz_no().map(str::to_owned),
        url,
        charset: trade.charset.clone(),
        is_cert_mode: trade.is_cert_mode,
        parameters: Value::Object(parameters(turn, &trade, happening)).to_string(),
        created_at: turn.now,
        next_at: (!turn.settings.hold_notices).then_some(turn.now),
        failures: 0,
    })
}

fn parameters(turn: &Turn<'_>, trade: &Trade, happening: &Happening<'_>) -> Map<String, Value> {
    let biz = Biz::read(&trade.biz).unwrap_or_default();
    let mut pairs = vec![
        ("notify_type", "trade_status_sync".to_owned()),
        ("version", "1.0".to_owned()),
        ("charset", trade.charset.clone()),
        ("app_id", turn.merchant.app_id.clone()),
        ("auth_app_id", turn.merchant.app_id.clone()),
        ("seller_id", turn.merchant.seller_id.clone()),
        ("seller_email", "seller@sandbox.com".to_owned()),
        ("trade_no", trade.trade_no.clone()),
        ("out_trade_no", trade.out_trade_no.clone()),
        ("buyer_id", user_id(&trade.buyer)),
        ("buyer_logon_id", logon_id(&trade.buyer)),
        ("trade_status", trade.status.text().to_owned()),
        ("total_amount", yuan(trade.total_fen)),
        ("subject", trade.subject.clone()),
        ("gmt_create", beijing_text(trade.created_at)),
    ];
    pairs.extend(biz.text("body").map(|text| ("body", text)));
    pairs.extend(biz.text("passback_params").map(|text| ("passback_params", text)));
    pairs.extend(money(trade));
    pairs.extend(trade.closed_at.map(|at| ("gmt_close", beijing_text(at))));
    if let Happening::Refunded(refund) = happening {
        pairs.push(("out_biz_no", refund.out_request_no.clone()));
        pairs.push(("refund_fee", yuan(trade.refunded_fen)));
        pairs.push(("send_back_fee", yuan(refund.amount_fen)));
        pairs.push(("gmt_refund", beijing_text_with_fraction(refund.refunded_at)));
    }
    pairs.into_iter().map(|(name, value)| (name.to_owned(), Value::String(value))).collect()
}

/// In notices the member of `fund_bill_list` is `fundChannel`; in answers it is `fund_channel`.
fn money(trade: &Trade) -> Vec<(&'static str, String)> {
    let Some(paid_at) = trade.paid_at else {
        return Vec::new();
    };
    let amount = yuan(trade.total_fen);
    vec![
        ("gmt_payment", beijing_text(paid_at)),
        ("receipt_amount", amount.clone()),
        ("buyer_pay_amount", amount.clone()),
        ("invoice_amount", amount.clone()),
        ("point_amount", yuan(0)),
        ("fund_bill_list", format!(r#"[{{"amount":"{amount}","fundChannel":"ALIPAYACCOUNT"}}]"#)),
    ]
}
