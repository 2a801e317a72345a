//! Rows that are taken back from headquarters.

use super::{RowError, WriteError, parse};
use crate::database::settings::save_setting;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use yidan_payment::{CaseId, EventId, Hash, OrderId, OutTradeNo, PaymentId, Proof, TradeNo, UtcMs};
use yidan_wire::PaymentState;

const DUE_MS: i64 = 24 * 3_600_000;

/// Whether this journal has a line.
pub(crate) fn is_event_known(connection: &Connection, event_id: EventId) -> Result<bool, RowError> {
    let mut statement = connection.prepare_cached("select 1 from journal where event_id = ?1")?;
    Ok(statement.exists([event_id.to_string()])?)
}

pub(crate) fn find_payment_by_number(
    connection: &Connection,
    out_trade_no: &OutTradeNo,
) -> Result<Option<PaymentId>, RowError> {
    let found: Option<String> = connection
        .prepare_cached("select pay_id from payments where out_trade_no = ?1")?
        .query_row([out_trade_no.as_str()], |row| row.get(0))
        .optional()?;
    found.as_deref().map(parse).transpose()
}

/// How many orders a bill had before.
pub(crate) fn next_attempt(connection: &Connection, source: &str, external_ref: &str) -> Result<i64, RowError> {
    let next = connection
        .prepare_cached("select coalesce(max(attempt) + 1, 0) from orders where source = ?1 and external_ref = ?2")?
        .query_row([source, external_ref], |row| row.get(0))?;
    Ok(next)
}

/// The order that was replaced, if it is here and nothing else has replaced it.
pub(crate) fn find_replaced(connection: &Connection, replaced: Option<OrderId>) -> Result<Option<OrderId>, RowError> {
    let Some(order_id) = replaced else { return Ok(None) };
    let mut statement = connection.prepare_cached(
        "select 1 from orders o where o.order_id = ?1
         and not exists (select 1 from orders other where other.replaces_order_id = o.order_id)",
    )?;
    Ok(statement.exists([order_id.to_string()])?.then_some(order_id))
}

/// Opens and resolves cases as a line tells, once.
pub(crate) fn take_back_cases(
    transaction: &Transaction<'_>,
    pay_id: PaymentId,
    state: &PaymentState,
    at: UtcMs,
    new_case_id: impl Fn() -> CaseId,
) -> Result<(), WriteError> {
    for case in &state.cases {
        transaction
            .prepare_cached(
                "insert into cases (case_id, kind, pay_id, trade_no, amount_fen, proposal, owner, opened_at_ms, due_at_ms,
                                    status)
                 select ?1, ?2, ?3, ?4, ?5, ?6, 'store manager', ?7, ?8, 'OPEN'
                 where not exists (select 1 from cases where kind = ?2 and pay_id = ?3 and opened_at_ms = ?7)
                 on conflict (kind, coalesce(trade_no, pay_id)) where status = 'OPEN' do nothing",
            )?
            .execute(params![
                new_case_id().to_string(),
                case.kind.as_str(),
                pay_id.to_string(),
                case.trade_no.as_ref().map(TradeNo::as_str),
                case.amount_fen.as_fen(),
                super::cases::proposal_word(case.kind.proposal()),
                at.0,
                at.0 + DUE_MS,
            ])?;
    }
    for decided in state.decisions.iter().filter(|decided| decided.is_resolved) {
        transaction
            .prepare_cached(
                "update cases set status = 'RESOLVED', resolution = ?4, resolved_by = ?5, resolved_at_ms = ?6, note = ?7
                 where kind = ?1 and pay_id = ?2 and trade_no is ?3 and status = 'OPEN' and opened_at_ms <= ?6",
            )?
            .execute(params![
                decided.kind.as_str(),
                pay_id.to_string(),
                decided.trade_no.as_ref().map(TradeNo::as_str),
                decided.decision,
                decided.decided_by,
                at.0,
                decided.note,
            ])?;
    }
    Ok(())
}

/// Keeps a signed text as it was received.
pub(crate) fn keep_proof(
    transaction: &Transaction<'_>,
    pay_id: PaymentId,
    proof: &Proof,
    at: UtcMs,
) -> Result<(), WriteError> {
    transaction
        .prepare_cached(
            "insert into evidence (pay_id, source, hash, text, signature, cert_sn, asked_at_ms)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7) on conflict do nothing",
        )?
        .execute(params![
            pay_id.to_string(),
            proof.source.as_str(),
            Hash::of(proof.text.as_bytes()).to_string(),
            proof.text,
            proof.signature,
            proof.cert_sn,
            at.0
        ])?;
    Ok(())
}

pub(crate) fn save_or_forget(transaction: &Transaction<'_>, name: &str, value: Option<&str>) -> Result<(), WriteError> {
    match value {
        Some(value) => save_setting(transaction, name, value),
        None => {
            transaction.prepare_cached("delete from settings where name = ?1")?.execute([name])?;
            Ok(())
        }
    }
}
