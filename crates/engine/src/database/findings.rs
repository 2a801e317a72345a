//! Differences between bills and books that were acted upon, or wait for a person. Each is acted upon once.

use super::payments::trade_no;
use super::{Database, RowError, WriteError, parse};
use crate::Error;
use rusqlite::{Row, Transaction, params};
use std::collections::BTreeSet;
use yidan_payment::{Class, Finding, PaymentId, TradeNo, UtcMs};

/// A difference that was acted upon, or waits for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingRow {
    /// What was found.
    pub finding: Finding,
    /// In which day's bill.
    pub bill_day: String,
    /// When it was found.
    pub found_at: UtcMs,
    /// Until when a person must look.
    pub due_at: UtcMs,
    /// Whether it waits for a person. What has a case waits there.
    pub is_open: bool,
    /// What a person decided.
    pub resolution: Option<String>,
}

/// What makes a difference the same one.
pub(crate) type FindingKey = (&'static str, String, TradeNo, Option<String>);

/// What a difference is known by.
pub(crate) fn key_of(finding: &Finding) -> FindingKey {
    (finding.class.as_str(), finding.out_trade_no.clone(), finding.trade_no.clone(), finding.out_request_no.clone())
}

/// Remembers that a difference was acted upon. `waits`: a person must look, and no case of a payment says so.
pub(crate) fn keep_finding(
    transaction: &Transaction<'_>,
    bill_day: &str,
    finding: &Finding,
    waits: bool,
    (found_at, due_at): (UtcMs, UtcMs),
) -> Result<(), WriteError> {
    let (done, status) = if waits { ("TOLD", "OPEN") } else { ("CASE", "RESOLVED") };
    transaction
        .prepare_cached(
            "insert into bill_findings (class, out_trade_no, trade_no, out_request_no, pay_id, bill_day, bill_fen, our_fen,
                                        done, found_at_ms, due_at_ms, owner, status, resolution)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'store manager', ?12, ?13)
             on conflict do nothing",
        )?
        .execute(params![
            finding.class.as_str(),
            finding.out_trade_no,
            finding.trade_no.as_str(),
            finding.out_request_no.as_deref().unwrap_or_default(),
            finding.pay_id.map(|id| id.to_string()),
            bill_day,
            finding.bill_fen,
            finding.our_fen,
            done,
            found_at.0,
            due_at.0,
            status,
            (!waits).then_some("case"),
        ])?;
    Ok(())
}

/// Remembers that a payment was asked for again.
pub(crate) fn keep_asked_again(
    transaction: &Transaction<'_>,
    bill_day: &str,
    pay_id: PaymentId,
    at: UtcMs,
) -> Result<(), WriteError> {
    transaction
        .prepare_cached(
            "insert into bill_asked_again (pay_id, bill_day, asked_at_ms) values (?1, ?2, ?3) on conflict do nothing",
        )?
        .execute(params![pay_id.to_string(), bill_day, at.0])?;
    Ok(())
}

/// A person has looked at a difference that belongs to no payment. Zero rows: somebody was faster, or it never waited.
pub(crate) fn resolve_finding(
    transaction: &Transaction<'_>,
    finding: &Finding,
    resolution: &str,
    operator_id: &str,
    at: UtcMs,
) -> Result<bool, WriteError> {
    let changed = transaction
        .prepare_cached(
            "update bill_findings set status = 'RESOLVED', resolution = ?5, resolved_by = ?6, resolved_at_ms = ?7
             where class = ?1 and out_trade_no = ?2 and trade_no = ?3 and out_request_no = ?4 and status = 'OPEN'",
        )?
        .execute(params![
            finding.class.as_str(),
            finding.out_trade_no,
            finding.trade_no.as_str(),
            finding.out_request_no.as_deref().unwrap_or_default(),
            resolution,
            operator_id,
            at.0,
        ])?;
    Ok(changed == 1)
}

impl Database {
    /// Differences that wait for a person and belong to no payment of ours, the oldest first.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_open_findings(&self) -> Result<Vec<FindingRow>, Error> {
        self.list_findings("status = 'OPEN' order by found_at_ms, out_trade_no", &[])
    }

    /// Every difference of a day's bill that was acted upon.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_findings_of(&self, bill_day: &str) -> Result<Vec<FindingRow>, Error> {
        self.list_findings("bill_day = ?1 order by out_trade_no, class", &[&bill_day])
    }

    /// Which of these differences were acted upon already.
    pub(crate) fn list_settled(&self, findings: &[Finding]) -> Result<BTreeSet<FindingKey>, Error> {
        self.read("list settled differences", |connection| {
            let mut statement = connection.prepare_cached(
                "select 1 from bill_findings
                 where class = ?1 and out_trade_no = ?2 and trade_no = ?3 and out_request_no = ?4",
            )?;
            let mut settled = BTreeSet::new();
            for finding in findings {
                let number = finding.out_request_no.as_deref().unwrap_or_default();
                let key = params![finding.class.as_str(), finding.out_trade_no, finding.trade_no.as_str(), number];
                if statement.exists(key)? {
                    settled.insert(key_of(finding));
                }
            }
            Ok(settled)
        })
    }

    fn list_findings(&self, condition: &str, parameters: &[&dyn rusqlite::ToSql]) -> Result<Vec<FindingRow>, Error> {
        self.read("list differences", |connection| {
            let mut statement = connection.prepare_cached(&format!(
                "select class, out_trade_no, trade_no, out_request_no, pay_id, bill_fen, our_fen, bill_day, found_at_ms,
                        due_at_ms, status, resolution
                 from bill_findings where {condition}"
            ))?;
            statement.query_and_then(parameters, read_finding)?.collect()
        })
    }
}

fn read_finding(row: &Row<'_>) -> Result<FindingRow, RowError> {
    let class: String = row.get(0)?;
    let number: String = row.get(3)?;
    let pay_id: Option<String> = row.get(4)?;
    let finding = Finding {
        out_trade_no: row.get(1)?,
        class: Class::find(&class).ok_or_else(|| RowError::Unreadable(class))?,
        trade_no: trade_no(row.get(2)?)?,
        out_request_no: Some(number).filter(|number| !number.is_empty()),
        pay_id: pay_id.as_deref().map(parse).transpose()?,
        bill_fen: row.get(5)?,
        our_fen: row.get(6)?,
        at: None,
    };
    Ok(FindingRow {
        finding,
        bill_day: row.get(7)?,
        found_at: UtcMs(row.get(8)?),
        due_at: UtcMs(row.get(9)?),
        is_open: row.get::<_, String>(10)? == "OPEN",
        resolution: row.get(11)?,
    })
}
