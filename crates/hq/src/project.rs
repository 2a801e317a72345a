//! From lines of a journal to payments, money and cases.
//!
//! Everything written here can be computed again from the stored lines. A line that is not understood is left for a
//! later program; so is a payment whose words this program does not know.

use crate::claims::note_owner;
use crate::decide::money::{Ledger, Report, Reporter};
use crate::ingest::{
    CaseRow, PaymentRow, ReceiptRow, RefundRow, SettledRow, insert_cases, insert_refunds, load_receipts, load_refunds,
    settle_cases, upsert_payments, upsert_receipts,
};
use crate::instructions::note_outcome;
use crate::merchant::Merchant;
use crate::notify::note_reported;
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error as WordError, StrDeserializer};
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};
use yidan_payment::{Event, Evidence, TradeNo, UtcMs};
use yidan_wire::{EventKind, Instructed, PaymentState};

/// What lines say, as far as this program understands them.
#[derive(Default)]
pub struct Projected {
    lines: BTreeMap<i64, Projection>,
}

struct Projection {
    kind: EventKind,
    at: UtcMs,
    /// `None`: a line that speaks of no payment.
    state: Option<(PaymentState, Option<Evidence>)>,
    /// What became of an instruction.
    instructed: Option<Instructed>,
}

impl Projected {
    /// The numbers of the lines that are understood.
    pub fn numbers_of_lines(&self) -> impl Iterator<Item = i64> {
        self.lines.keys().copied()
    }

    /// Whether the line of this number is understood.
    #[must_use]
    pub fn understands(&self, seq: i64) -> bool {
        self.lines.contains_key(&seq)
    }

    /// The payment of which the line of this number speaks.
    #[must_use]
    pub fn find_payment(&self, seq: i64) -> Option<&PaymentState> {
        self.lines.get(&seq)?.state.as_ref().map(|(state, _)| state)
    }

    /// The numbers of all payments spoken of.
    #[must_use]
    pub fn numbers(&self) -> Vec<String> {
        let numbers: BTreeSet<String> = self.states().map(|(_, _, state)| state.out_trade_no.to_string()).collect();
        numbers.into_iter().collect()
    }

    fn states(&self) -> impl Iterator<Item = (i64, &Projection, &PaymentState)> {
        self.lines.iter().filter_map(|(seq, line)| Some((*seq, line, &line.state.as_ref()?.0)))
    }
}

/// Reads what lines say, and checks their proofs.
#[must_use]
pub fn read(merchant: &Merchant, events: &[Event]) -> Projected {
    let lines = events.iter().filter_map(|event| Some((event.seq, read_line(merchant, event)?)));
    Projected { lines: lines.collect() }
}

fn read_line(merchant: &Merchant, event: &Event) -> Option<Projection> {
    let word: StrDeserializer<'_, WordError> = event.kind.as_str().into_deserializer();
    let kind = EventKind::deserialize(word).ok()?;
    let mut instructed = None;
    let state = match kind {
        EventKind::Opened => None,
        EventKind::Instructed => {
            instructed = Some(serde_json::from_str(&event.payload).ok()?);
            None
        }
        EventKind::Collecting
        | EventKind::Asking
        | EventKind::CodeShown
        | EventKind::Scanned
        | EventKind::Paid
        | EventKind::Suspended
        | EventKind::Stopping
        | EventKind::Resumed
        | EventKind::Closed
        | EventKind::Refused
        | EventKind::Refunding
        | EventKind::Refunded
        | EventKind::Noticed
        | EventKind::Decided
        | EventKind::GivenBack => {
            let state: PaymentState = serde_json::from_str(&event.payload).ok()?;
            let evidence = read_evidence(merchant, &state);
            Some((state, evidence))
        }
    };
    Some(Projection { kind, at: event.at, state, instructed })
}

/// Only money needs proof here; and only the account of the merchant set here can have any.
fn read_evidence(merchant: &Merchant, state: &PaymentState) -> Option<Evidence> {
    let proof = state.proof.as_ref()?;
    let is_ours = state.account.0.split('@').next() == Some(merchant.app_id());
    if !is_ours || (state.receipts.is_empty() && state.refunds.is_empty()) {
        return None;
    }
    merchant.read_proof(proof, &state.out_trade_no)
}

/// Writes what the lines change, in a handful of statements whatever their number.
///
/// # Errors
/// If the database refuses.
pub async fn write(
    db: &mut AnyConnection,
    merchant: &Merchant,
    reporter: &Reporter,
    epoch: i64,
    projected: &Projected,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let mut last = BTreeMap::new();
    for (seq, line, state) in projected.states() {
        let (terminal_id, store_id) = (reporter.terminal_id.as_str(), reporter.store_id.as_str());
        let changed_at = line.at;
        last.insert(state.pay_id, PaymentRow { terminal_id, store_id, epoch, seq, changed_at, state });
    }
    let rows: Vec<PaymentRow<'_>> = last.into_values().collect();
    if !rows.is_empty() {
        upsert_payments(db, &rows).await?;
    }
    for line in projected.lines.values() {
        if let Some(told) = &line.instructed {
            note_outcome(db, &reporter.terminal_id, told, line.at).await?;
        }
        if let Some((state, _)) = line.state.as_ref().filter(|_| line.kind == EventKind::Collecting) {
            note_owner(db, reporter, state, line.at).await?;
        }
    }
    let mut ledger = load(db, merchant.app_id(), projected).await?;
    for (seq, line) in &projected.lines {
        if let Some((state, evidence)) = &line.state {
            let line_no = (epoch, *seq);
            ledger.book(&Report {
                reporter,
                line: line_no,
                kind: line.kind,
                at: line.at,
                state,
                proved: evidence.as_ref(),
            });
        }
    }
    save(db, merchant.app_id(), reporter, &ledger, now).await
}

async fn load(db: &mut AnyConnection, account: &str, projected: &Projected) -> Result<Ledger, sqlx::Error> {
    let trades: BTreeSet<&TradeNo> = projected.states().flat_map(|(_, _, state)| trades_of(state)).collect();
    if trades.is_empty() {
        return Ok(Ledger::default());
    }
    let trades: Vec<&TradeNo> = trades.into_iter().collect();
    let receipts = load_receipts(db, account, &trades).await?.into_iter().collect();
    let refunds = load_refunds(db, account, &trades).await?.into_iter().collect();
    Ok(Ledger { receipts, refunds, ..Ledger::default() })
}

fn trades_of(state: &PaymentState) -> impl Iterator<Item = &TradeNo> {
    let of_refunds = state.refunds.iter().map(|refund| &refund.trade_no);
    state.receipts.iter().map(|reported| &reported.receipt.trade_no).chain(of_refunds)
}

async fn save(
    db: &mut AnyConnection,
    account: &str,
    reporter: &Reporter,
    ledger: &Ledger,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let changed = ledger.changed_receipts.iter().filter_map(|name| ledger.receipts.get_key_value(name));
    let receipts: Vec<ReceiptRow<'_>> = changed.map(|(name, counted)| ReceiptRow::of(name, counted)).collect();
    if !receipts.is_empty() {
        upsert_receipts(db, account, &receipts).await?;
        note_reported(db, ledger.changed_receipts.iter(), now).await?;
    }
    for trade_no in &ledger.explained_sums {
        sqlx::query("delete from refunds where account = $1 and trade_no = $2 and out_request_no = ''")
            .bind(account)
            .bind(trade_no.as_str())
            .execute(&mut *db)
            .await?;
    }
    let new = ledger.new_refunds.iter().filter_map(|name| ledger.refunds.get_key_value(name));
    let refunds: Vec<RefundRow<'_>> = new.map(|(name, counted)| RefundRow::of(name, counted)).collect();
    if !refunds.is_empty() {
        insert_refunds(db, account, &refunds).await?;
    }
    let settled: Vec<SettledRow<'_>> = ledger.settled.iter().map(SettledRow::of).collect();
    if !settled.is_empty() {
        settle_cases(db, &reporter.terminal_id, &settled, now).await?;
    }
    let cases: Vec<CaseRow<'_>> = ledger.cases.iter().map(|case| CaseRow::of(case, reporter, now)).collect();
    if !cases.is_empty() {
        insert_cases(db, &cases).await?;
    }
    Ok(())
}
