//! Cases: what a person must decide or know. The same one is open at most once.

use super::{Database, RowError, WriteError, parse};
use crate::Error;
use rusqlite::{Row, Transaction, params};
use yidan_payment::{CaseId, CaseKind, Fen, NewCase, PaymentId, Proposal, TradeNo, UtcMs};

/// A case as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseRow {
    /// Its name.
    pub case_id: CaseId,
    /// What happened.
    pub kind: CaseKind,
    /// To which payment.
    pub pay_id: PaymentId,
    /// Whose money.
    pub trade_no: Option<TradeNo>,
    /// How much.
    pub amount: Fen,
    /// What is proposed.
    pub proposal: String,
    /// When it was opened.
    pub opened_at: UtcMs,
    /// Until when it must be decided.
    pub due_at: UtcMs,
}

/// Opens a case unless the same one is open; says whether it did.
pub(crate) fn open_case(
    transaction: &Transaction<'_>,
    case_id: CaseId,
    pay_id: PaymentId,
    case: &NewCase,
    proposal: Proposal,
    (opened_at, due_at): (UtcMs, UtcMs),
) -> Result<bool, WriteError> {
    let opened = transaction
        .prepare_cached(
            "insert into cases (case_id, kind, pay_id, trade_no, amount_fen, proposal, owner, opened_at_ms, due_at_ms, status)
             values (?1, ?2, ?3, ?4, ?5, ?6, 'store manager', ?7, ?8, 'OPEN')
             on conflict (kind, coalesce(trade_no, pay_id)) where status = 'OPEN' do nothing",
        )?
        .execute(params![
            case_id.to_string(),
            case.kind.as_str(),
            pay_id.to_string(),
            case.trade_no.as_ref().map(TradeNo::as_str),
            case.amount.as_fen(),
            proposal_word(proposal),
            opened_at.0,
            due_at.0,
        ])?;
    Ok(opened == 1)
}

fn proposal_word(proposal: Proposal) -> &'static str {
    match proposal {
        Proposal::Recognise => "RECOGNISE",
        Proposal::Refund => "REFUND",
        Proposal::KeepOrRefund => "KEEP_OR_REFUND",
        Proposal::Look => "LOOK",
    }
}

impl Database {
    /// Every open case, the oldest first.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_open_cases(&self) -> Result<Vec<CaseRow>, Error> {
        self.read("list the cases", |connection| {
            let mut statement = connection.prepare_cached(
                "select case_id, kind, pay_id, trade_no, amount_fen, proposal, opened_at_ms, due_at_ms
                 from cases where status = 'OPEN' order by opened_at_ms, case_id",
            )?;
            statement.query_and_then([], read_case)?.collect()
        })
    }

    /// The newest open case of a payment.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn find_open_case_of(&self, pay_id: PaymentId) -> Result<Option<CaseRow>, Error> {
        self.read("find a case", |connection| {
            let mut statement = connection.prepare_cached(
                "select case_id, kind, pay_id, trade_no, amount_fen, proposal, opened_at_ms, due_at_ms
                 from cases where status = 'OPEN' and pay_id = ?1 order by opened_at_ms desc, case_id desc limit 1",
            )?;
            statement.query_and_then([pay_id.to_string()], read_case)?.next().transpose()
        })
    }
}

fn read_case(row: &Row<'_>) -> Result<CaseRow, RowError> {
    let kind: String = row.get(1)?;
    let trade_no: Option<String> = row.get(3)?;
    Ok(CaseRow {
        case_id: parse(&row.get::<_, String>(0)?)?,
        kind: CaseKind::find(&kind).ok_or_else(|| RowError::Unreadable(kind))?,
        pay_id: parse(&row.get::<_, String>(2)?)?,
        trade_no: trade_no.map(TradeNo::new).transpose().map_err(|error| RowError::Unreadable(error.to_string()))?,
        amount: Fen::from_fen(row.get(4)?).map_err(|error| RowError::Unreadable(error.to_string()))?,
        proposal: row.get(5)?,
        opened_at: UtcMs(row.get(6)?),
        due_at: UtcMs(row.get(7)?),
    })
}
