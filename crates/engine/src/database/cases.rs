//! Cases: what a person must decide or know. The same one is open at most once.

use super::{Database, RowError, WriteError, parse};
use crate::Error;
use rusqlite::{Connection, Row, Transaction, params};
use yidan_payment::{CaseId, CaseKind, Fen, NewCase, Payment, PaymentId, Proposal, Receipt, TradeNo, UtcMs};
use yidan_wire::DecisionState;

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
    /// Who must decide it.
    pub owner: String,
    /// Whether something is left to be done.
    pub is_open: bool,
    /// `RECOGNISE`, `REFUND`, `KEEP` or `SEEN`. Money that goes back keeps a decided case open until it is back.
    pub decision: Option<String>,
    /// Who approved the decision, and when.
    pub decided: Option<(String, UtcMs)>,
    /// What they wrote.
    pub note: Option<String>,
    /// How it ended: the decision, or `GIVEN_BACK`.
    pub resolution: Option<String>,
    /// Who ended it, and when. `gateway`: the money went back by itself.
    pub resolved: Option<(String, UtcMs)>,
}

/// A statement of the gateway that was kept, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceRow {
    /// Which call or notice.
    pub source: String,
    /// SHA-256 of the text.
    pub hash: String,
    /// When we asked.
    pub asked_at: UtcMs,
    /// The `Date` of the answer.
    pub answered_at: Option<UtcMs>,
}

const COLUMNS: &str = "case_id, kind, pay_id, trade_no, amount_fen, proposal, opened_at_ms, due_at_ms, owner, status, \
                       decision, decided_by, decided_at_ms, note, resolution, resolved_by, resolved_at_ms";

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

/// Resolves the cases of money that has gone back, all of it, and tells which.
pub(crate) fn resolve_returned(
    transaction: &Transaction<'_>,
    payment: &Payment,
    now: UtcMs,
) -> Result<Vec<DecisionState>, WriteError> {
    let is_back = |receipt: &&Receipt| payment.refunded_of(&receipt.trade_no) == receipt.total;
    let mut resolved = Vec::new();
    for receipt in payment.receipts.iter().filter(is_back) {
        let mut statement = transaction.prepare_cached(
            "update cases set status = 'RESOLVED', resolution = 'GIVEN_BACK', resolved_at_ms = ?3,
                 resolved_by = coalesce(decided_by, 'gateway')
             where status = 'OPEN' and pay_id = ?1 and trade_no = ?2
               and kind in ('LATE_PAYMENT', 'AMOUNT_MISMATCH', 'DUPLICATE_PAYMENT', 'PAID_AFTER_STOP')
             returning kind, resolved_by, note",
        )?;
        let of_trade = params![payment.pay_id.to_string(), receipt.trade_no.as_str(), now.0];
        let read = |row: &Row<'_>| {
            let kind: String = row.get(0)?;
            Ok::<_, RowError>(DecisionState {
                kind: CaseKind::find(&kind).ok_or_else(|| RowError::Unreadable(kind))?,
                trade_no: Some(receipt.trade_no.clone()),
                decision: "GIVEN_BACK".to_owned(),
                decided_by: row.get(1)?,
                note: row.get(2)?,
                is_resolved: true,
            })
        };
        for case in statement.query_and_then(of_trade, read)? {
            resolved.push(case?);
        }
    }
    Ok(resolved)
}

pub(super) fn proposal_word(proposal: Proposal) -> &'static str {
    match proposal {
        Proposal::Recognise => "RECOGNISE",
        Proposal::Refund => "REFUND",
        Proposal::KeepOrRefund => "KEEP_OR_REFUND",
        Proposal::Look => "LOOK",
    }
}

/// What was decided on a case.
pub(crate) struct DecisionRow<'a> {
    pub(crate) decision: &'a str,
    pub(crate) by: &'a str,
    pub(crate) note: Option<&'a str>,
    pub(crate) at: UtcMs,
    /// Whether nothing is left to be done.
    pub(crate) is_resolved: bool,
}

/// Writes a decision down.
pub(crate) fn save_decision(
    transaction: &Transaction<'_>,
    case_id: CaseId,
    decided: &DecisionRow<'_>,
) -> Result<(), WriteError> {
    let status = if decided.is_resolved { "RESOLVED" } else { "OPEN" };
    transaction
        .prepare_cached(
            "update cases set decision = ?2, decided_by = ?3, decided_at_ms = ?4, note = ?5, status = ?6,
                 resolution = iif(?6 = 'RESOLVED', ?2, null), resolved_by = iif(?6 = 'RESOLVED', ?3, null),
                 resolved_at_ms = iif(?6 = 'RESOLVED', ?4, null)
             where case_id = ?1 and status = 'OPEN'",
        )?
        .execute(params![case_id.to_string(), decided.decision, decided.by, decided.at.0, decided.note, status])?;
    Ok(())
}

/// The case of this name.
pub(crate) fn find_case(connection: &Connection, case_id: CaseId) -> Result<Option<CaseRow>, RowError> {
    connection
        .prepare_cached(&format!("select {COLUMNS} from cases where case_id = ?1"))?
        .query_and_then([case_id.to_string()], read_case)?
        .next()
        .transpose()
}

impl Database {
    /// Every open case, the oldest first.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_open_cases(&self) -> Result<Vec<CaseRow>, Error> {
        self.list_cases_where("status = 'OPEN' order by opened_at_ms, case_id", &[])
    }

    /// Cases that are over, the newest first, at most `limit`.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_resolved_cases(&self, limit: i64) -> Result<Vec<CaseRow>, Error> {
        self.list_cases_where("status = 'RESOLVED' order by resolved_at_ms desc, case_id desc limit ?1", &[&limit])
    }

    /// Every case of a payment, the oldest first.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_cases_of(&self, pay_id: PaymentId) -> Result<Vec<CaseRow>, Error> {
        self.list_cases_where("pay_id = ?1 order by opened_at_ms, case_id", &[&pay_id.to_string()])
    }

    /// The newest open case of a payment.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn find_open_case_of(&self, pay_id: PaymentId) -> Result<Option<CaseRow>, Error> {
        let open = "status = 'OPEN' and pay_id = ?1 order by opened_at_ms desc, case_id desc limit 1";
        Ok(self.list_cases_where(open, &[&pay_id.to_string()])?.into_iter().next())
    }

    /// A case.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn find_case(&self, case_id: CaseId) -> Result<Option<CaseRow>, Error> {
        self.read("read a case", |connection| find_case(connection, case_id))
    }

    /// What the gateway said about a payment, in the order in which it was asked.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_evidence_of(&self, pay_id: PaymentId) -> Result<Vec<EvidenceRow>, Error> {
        self.read("read the evidence", |connection| {
            let mut statement = connection.prepare_cached(
                "select source, hash, asked_at_ms, answered_at_ms from evidence where pay_id = ?1 order by asked_at_ms",
            )?;
            let read = |row: &Row<'_>| {
                let answered_at = row.get::<_, Option<i64>>(3)?.map(UtcMs);
                Ok(EvidenceRow { source: row.get(0)?, hash: row.get(1)?, asked_at: UtcMs(row.get(2)?), answered_at })
            };
            statement.query_and_then([pay_id.to_string()], read)?.collect()
        })
    }

    fn list_cases_where(&self, condition: &str, parameters: &[&dyn rusqlite::ToSql]) -> Result<Vec<CaseRow>, Error> {
        self.read("list the cases", |connection| {
            let mut statement = connection.prepare_cached(&format!("select {COLUMNS} from cases where {condition}"))?;
            statement.query_and_then(parameters, read_case)?.collect()
        })
    }
}

fn read_case(row: &Row<'_>) -> Result<CaseRow, RowError> {
    let kind: String = row.get(1)?;
    let trade_no: Option<String> = row.get(3)?;
    let signed = |by: usize, at: usize| {
        let by: Option<String> = row.get(by)?;
        let at: Option<i64> = row.get(at)?;
        Ok::<_, RowError>(by.zip(at.map(UtcMs)))
    };
    Ok(CaseRow {
        case_id: parse(&row.get::<_, String>(0)?)?,
        kind: CaseKind::find(&kind).ok_or_else(|| RowError::Unreadable(kind))?,
        pay_id: parse(&row.get::<_, String>(2)?)?,
        trade_no: trade_no.map(TradeNo::new).transpose().map_err(|error| RowError::Unreadable(error.to_string()))?,
        amount: Fen::from_fen(row.get(4)?).map_err(|error| RowError::Unreadable(error.to_string()))?,
        proposal: row.get(5)?,
        opened_at: UtcMs(row.get(6)?),
        due_at: UtcMs(row.get(7)?),
        owner: row.get(8)?,
        is_open: row.get::<_, String>(9)? == "OPEN",
        decision: row.get(10)?,
        decided: signed(11, 12)?,
        note: row.get(13)?,
        resolution: row.get(14)?,
        resolved: signed(15, 16)?,
    })
}
