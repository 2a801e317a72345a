//! Writes bills as Alipay does: a zip with GBK names holding GBK tables, numbers and times ending in a tab.
//!
//! Rows come from the ledger alone. A refund is a row of its own with negative amounts. Codes nobody scanned and trades
//! nobody paid do not appear.

use std::io::{Cursor, Write as _};

use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderValue, Response, header};
use serde::Deserialize;
use zip::ZipWriter;
use zip::result::ZipResult;
use zip::write::SimpleFileOptions;

use crate::bill_account;
use crate::bill_period::BillPeriod;
use crate::bill_trade;
use crate::charset::Charset;
use crate::clock::{Millis, beijing_text};
use crate::gateway::page;
use crate::ledger::{Refund, Sql, Trade};
use crate::platform::{Platform, Turn};
use std::sync::Arc;

/// A download address is good for so long.
const LINK_MS: Millis = 30_000;

#[derive(Debug, Deserialize)]
pub struct Download {
    token: String,
}

/// One movement of money, in the order it happened.
#[derive(Debug)]
pub struct Movement {
    pub trade: Trade,
    /// `None`: the payment itself.
    pub refund: Option<Refund>,
    pub at: Millis,
}

/// A table of a bill: its name and its lines.
#[derive(Debug)]
pub struct Table {
    pub name: String,
    pub lines: Vec<String>,
}

/// Serves a bill once its address was asked for. An old address gets a page, as at Alipay, not an error status.
pub async fn download(State(platform): State<Arc<Platform>>, Query(wanted): Query<Download>) -> Response<Body> {
    match platform.turn(|turn| write(turn, &wanted.token)) {
        Ok(Some(zip)) => attachment(zip),
        Ok(None) => page(Charset::Gbk, Charset::Gbk.encode_text("下载超时，请重新获取账单下载地址")),
        Err(cause) => {
            tracing::error!(%cause, "the bill cannot be read from the ledger");
            page(Charset::Gbk, Charset::Gbk.encode_text("系统繁忙，请稍后再试"))
        }
    }
}

fn write(turn: &Turn<'_>, token: &str) -> Sql<Option<Vec<u8>>> {
    let Some(link) = turn.records.find_bill_link(token)?.filter(|link| turn.now <= link.made_at + LINK_MS) else {
        return Ok(None);
    };
    let Some(period) = BillPeriod::read(&link.bill_date) else {
        return Ok(None);
    };
    let movements = movements(turn, period)?;
    let prefix = format!("{}0156_{}_", turn.merchant.seller_id, link.bill_date.replace('-', ""));
    let head = head(turn, period);
    let tables = match link.bill_type.as_str() {
        "signcustomer" => bill_account::tables(&prefix, &head, &movements, turn.now),
        _trade => bill_trade::tables(&prefix, &head, &movements, turn.now),
    };
    Ok(Some(zip(&tables).expect("a zip in memory can be written")))
}

fn movements(turn: &Turn<'_>, period: BillPeriod) -> Sql<Vec<Movement>> {
    let mut movements = Vec::new();
    for trade in turn.records.list_paid_between(period.start, period.end)? {
        movements.push(Movement { at: trade.paid_at.unwrap_or_default(), trade, refund: None });
    }
    for (trade_no, refund) in turn.records.list_refunds_between(period.start, period.end)? {
        if let Some(trade) = turn.records.find_trade_by_trade_no(&trade_no)? {
            movements.push(Movement { at: refund.refunded_at, trade, refund: Some(refund) });
        }
    }
    movements.sort_by_key(|movement| movement.at);
    Ok(movements)
}

/// The lines above every table but its title: whose account, from when to when.
fn head(turn: &Turn<'_>, period: BillPeriod) -> [String; 2] {
    [
        format!("#账号：[{}0156]", turn.merchant.seller_id),
        format!("#起始日期：[{}]   终止日期：[{}]", chinese_time(period.start), chinese_time(period.end)),
    ]
}

/// `2026年10月03日 00:00:00`.
pub fn chinese_time(at: Millis) -> String {
    let text = beijing_text(at);
    format!("{}年{}月{}日{}", &text[..4], &text[5..7], &text[8..10], &text[10..])
}

/// Ends in a tab, so that spreadsheets keep it as text.
pub fn as_text(value: &str) -> String {
    format!("{}\t", value)
}

/// Quotes a free text that would break the table.
pub fn as_cell(value: &str) -> String {
    if value.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", value.replace('"', "\"\"").replace(['\n', '\r'], " "));
    }
    value.to_owned()
}

fn zip(tables: &[Table]) -> ZipResult<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for table in tables {
        let name = Charset::Gbk.encode_text(&table.name);
        writer.start_file_with_options(SimpleFileOptions::default().name(&name))?;
        let text: String = table.lines.iter().map(|line| format!("{line}\r\n")).collect();
        writer.write_all(&Charset::Gbk.encode_text(&text))?;
    }
    Ok(writer.finish()?.into_inner())
}

fn attachment(zip: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::from(zip));
    let kind = HeaderValue::from_static("application/octet-stream;charset=GBK");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
