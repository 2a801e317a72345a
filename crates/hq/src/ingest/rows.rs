//! The rows of what is projected, as they go into the database: many at once, as one JSON text.

use crate::clock::hour_in_china;
use crate::decide::money::{CountedReceipt, CountedRefund, Finding, NewCase, RefundName, Reporter, Settled, Settles};
use crate::identity::Terminal;
use serde::Serialize;
use sqlx::any::AnyRow;
use sqlx::{ColumnIndex, Row as _};
use std::str::FromStr;
use uuid::Uuid;
use yidan_payment::{Booked, TradeNo, UtcMs};
use yidan_wire::PaymentState;

/// A payment as it was last reported.
#[derive(Serialize)]
pub struct PaymentRow<'a> {
    pub terminal_id: &'a str,
    pub store_id: &'a str,
    pub epoch: i64,
    pub seq: i64,
    pub changed_at: UtcMs,
    pub state: &'a PaymentState,
}

/// Money that counts.
#[derive(Serialize)]
pub struct ReceiptRow<'a> {
    pub trade_no: &'a TradeNo,
    pub terminal_id: &'a str,
    pub store_id: &'a str,
    pub pay_id: String,
    pub total_fen: i64,
    pub receipt_fen: i64,
    pub business_day: &'a str,
    pub hour: i64,
    pub paid_at: UtcMs,
    pub booked: Booked,
    pub booked_epoch: i64,
    pub booked_seq: i64,
}

impl<'a> ReceiptRow<'a> {
    pub fn of(trade_no: &'a TradeNo, counted: &'a CountedReceipt) -> ReceiptRow<'a> {
        ReceiptRow {
            trade_no,
            terminal_id: &counted.reporter.terminal_id,
            store_id: &counted.reporter.store_id,
            pay_id: counted.pay_id.to_string(),
            total_fen: counted.total.into(),
            receipt_fen: counted.receipt.into(),
            business_day: &counted.business_day,
            hour: hour_in_china(counted.paid_at),
            paid_at: counted.paid_at,
            booked: counted.booked,
            booked_epoch: counted.booked_by.0,
            booked_seq: counted.booked_by.1,
        }
    }
}

/// Money that went back.
#[derive(Serialize)]
pub struct RefundRow<'a> {
    pub trade_no: &'a TradeNo,
    pub out_request_no: &'a str,
    pub terminal_id: &'a str,
    pub store_id: &'a str,
    pub pay_id: String,
    pub amount_fen: i64,
    pub business_day: &'a str,
    pub at_ms: UtcMs,
    pub hour: i64,
}

impl<'a> RefundRow<'a> {
    pub fn of((trade_no, out_request_no): &'a RefundName, counted: &'a CountedRefund) -> RefundRow<'a> {
        RefundRow {
            trade_no,
            out_request_no,
            terminal_id: &counted.reporter.terminal_id,
            store_id: &counted.reporter.store_id,
            pay_id: counted.pay_id.to_string(),
            amount_fen: counted.amount.into(),
            business_day: &counted.business_day,
            at_ms: counted.at,
            hour: hour_in_china(counted.at),
        }
    }
}

/// A case to open.
#[derive(Serialize)]
pub struct CaseRow<'a> {
    pub case_id: Uuid,
    pub kind: &'a str,
    pub found_by: &'a str,
    pub terminal_id: &'a str,
    pub store_id: &'a str,
    pub pay_id: String,
    pub out_trade_no: &'a str,
    pub trade_no: &'a str,
    pub amount_fen: i64,
    pub detail: &'a str,
    pub opened_at: UtcMs,
}

impl<'a> CaseRow<'a> {
    pub fn of(case: &'a NewCase, reporter: &'a Reporter, now: UtcMs) -> CaseRow<'a> {
        CaseRow {
            case_id: Uuid::now_v7(),
            kind: case.kind,
            found_by: if case.found_here { "HQ" } else { "TERMINAL" },
            terminal_id: &reporter.terminal_id,
            store_id: &reporter.store_id,
            pay_id: case.pay_id.to_string(),
            out_trade_no: &case.out_trade_no,
            trade_no: case.trade_no.as_ref().map_or("", TradeNo::as_str),
            amount_fen: case.amount.into(),
            detail: "",
            opened_at: now,
        }
    }

    /// A case about a whole terminal.
    pub fn about_terminal(finding: Finding, terminal: &'a Terminal, detail: &'a str, now: UtcMs) -> CaseRow<'a> {
        CaseRow {
            case_id: Uuid::now_v7(),
            kind: finding.as_str(),
            found_by: "HQ",
            terminal_id: &terminal.terminal_id,
            store_id: &terminal.store_id,
            pay_id: String::new(),
            out_trade_no: "",
            trade_no: "",
            amount_fen: 0,
            detail,
            opened_at: now,
        }
    }
}

/// Cases of one trade that are settled.
#[derive(Serialize)]
pub struct SettledRow<'a> {
    pub pay_id: String,
    pub trade_no: Option<&'a TradeNo>,
    pub found_by: &'static str,
    /// Empty: every kind.
    pub kind: &'static str,
    pub resolution: &'static str,
}

impl<'a> SettledRow<'a> {
    pub fn of(settled: &'a Settled) -> SettledRow<'a> {
        let (found_by, kind, resolution) = match settled.what {
            Settles::Found(finding) => ("HQ", finding.as_str(), "PROVED_LATER"),
            Settles::Reported(kind) => ("TERMINAL", kind.as_str(), "DECIDED_AT_TERMINAL"),
            Settles::AllReported => ("TERMINAL", "", "DECIDED_AT_TERMINAL"),
        };
        let trade_no = settled.trade_no.as_ref();
        SettledRow { pay_id: settled.pay_id.to_string(), trade_no, found_by, kind, resolution }
    }
}

/// Reads a text column as what it stands for. What this program does not know is an error, never a default.
pub fn read<T, I>(row: &AnyRow, column: I) -> Result<T, sqlx::Error>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
    I: ColumnIndex<AnyRow>,
{
    let text: String = row.try_get(column)?;
    text.parse().map_err(|error| sqlx::Error::Decode(Box::new(error)))
}
