//! `alipay.trade.precreate`: makes a code. Makes no trade: that is the buyer's scan.

use super::{Stop, invalid_parameter, refuse};
use crate::answer::Answer;
use crate::biz::{Biz, Span};
use crate::clock::{Millis, read_beijing};
use crate::config::{RefuseReuse, TimeoutFrom};
use crate::ledger::{Session, TradeStatus};
use crate::money::read_price;
use crate::platform::Turn;
use crate::request::Call;

/// No code lives longer, whatever was asked for.
const LONGEST_CODE_MS: Millis = 2 * 3_600_000;

pub fn precreate(turn: &Turn<'_>, call: &Call) -> Result<Answer, Stop> {
    let mut session = read_terms(turn, call)?;
    if turn.settings.refuse_reuse == RefuseReuse::AtPrecreate {
        refuse_reuse(turn, &session)?;
    }
    session.qr_code = turn.records.draw_qr_code()?;
    turn.records.add_session(&session)?;
    Ok(Answer::success().with("out_trade_no", session.out_trade_no).with("qr_code", session.qr_code))
}

/// What precreate and pay have in common: number, amount, subject, times. The code is still empty.
pub fn read_terms(turn: &Turn<'_>, call: &Call) -> Result<Session, Stop> {
    let biz = &call.biz;
    let out_trade_no = read_number(biz)?;
    let total_fen =
        biz.text("total_amount").and_then(|text| read_price(&text)).ok_or_else(|| invalid_parameter("total_amount"))?;
    let subject =
        biz.text("subject").filter(|text| text.chars().count() <= 256).ok_or_else(|| invalid_parameter("subject"))?;
    let time_expire = read_time_expire(biz, turn.now)?;
    let timeout = read_span(biz, "timeout_express")?;
    let qr_timeout = read_span(biz, "qr_code_timeout_express")?;
    let timeout_ends = timeout
        .filter(|_| time_expire.is_none() && turn.settings.timeout_express_from == TimeoutFrom::Precreate)
        .map(|span| span.end_from(turn.now));
    let ends = [time_expire, timeout_ends, qr_timeout.map(|span| span.end_from(turn.now))];
    let longest = turn.now + LONGEST_CODE_MS;
    Ok(Session {
        qr_code: String::new(),
        out_trade_no,
        total_fen,
        subject,
        biz: biz.json(),
        notify_url: call.notify_url.clone(),
        charset: call.charset.text().to_owned(),
        is_cert_mode: call.is_cert_mode,
        created_at: turn.now,
        qr_expires_at: ends.into_iter().flatten().fold(longest, Millis::min),
        time_expire,
        timeout_express: biz.text("timeout_express"),
    })
}

fn read_number(biz: &Biz) -> Result<String, Stop> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    biz.text("out_trade_no")
        .filter(|number| number.len() <= 64 && number.bytes().all(is_allowed))
        .ok_or_else(|| invalid_parameter("out_trade_no"))
}

fn read_time_expire(biz: &Biz, now: Millis) -> Result<Option<Millis>, Stop> {
    let Some(text) = biz.text("time_expire") else {
        return Ok(None);
    };
    let end = read_beijing(&text).ok_or_else(|| invalid_parameter("time_expire"))?;
    if end <= now {
        return Err(refuse("ACQ.NOW_TIME_AFTER_EXPIRE_TIME_ERROR", "当前时间已超过允许支付的时间"));
    }
    Ok(Some(end))
}

fn read_span(biz: &Biz, name: &'static str) -> Result<Option<Span>, Stop> {
    match biz.text(name) {
        None => Ok(None),
        Some(text) => Span::read(&text).map(Some).ok_or_else(|| invalid_parameter(name)),
    }
}

/// A number that carries a trade can only be shown again to the same buyer with the same terms.
pub fn refuse_reuse(turn: &Turn<'_>, session: &Session) -> Result<(), Stop> {
    let Some(trade) = turn.records.find_trade(&session.out_trade_no)? else {
        return Ok(());
    };
    match trade.status {
        TradeStatus::TradeSuccess | TradeStatus::TradeFinished => Err(refuse("ACQ.TRADE_HAS_SUCCESS", "交易已被支付")),
        TradeStatus::TradeClosed => Err(refuse("ACQ.TRADE_HAS_CLOSE", "交易已经关闭")),
        TradeStatus::WaitBuyerPay if (trade.total_fen, &trade.subject) != (session.total_fen, &session.subject) => {
            Err(refuse("ACQ.CONTEXT_INCONSISTENT", "交易信息被篡改"))
        }
        TradeStatus::WaitBuyerPay => Ok(()),
    }
}
