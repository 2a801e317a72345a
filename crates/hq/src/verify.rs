//! Checks an exported journal: numbers, chain, hashes, and Alipay's signature under all money. Believes nobody but the
//! merchant file: not headquarters, not the terminal.

use crate::export::ExportedLine;
use crate::merchant::Merchant;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::BufRead;
use yidan_payment::{Event, Hash, check_chain};
use yidan_wire::{EventKind, PaymentState};

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Every journal in the file, whole from its first line.
    pub journals: Vec<VerifiedJournal>,
    /// Lines that tell of money and carry Alipay's signed statement of it.
    pub proved: usize,
    /// Lines that tell of money and do not.
    pub unproved: Vec<Unproved>,
}

/// One journal: a terminal under one enrolment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerifiedJournal {
    /// Whose.
    pub terminal_id: String,
    /// Under which enrolment.
    pub epoch: i64,
    /// Lines 1 to this, without a gap.
    pub lines: i64,
    /// The hash of the last one: the same at the terminal means the same history.
    pub head_hash: Hash,
}

/// A line about money that nobody has signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unproved {
    /// Whose.
    pub terminal_id: String,
    /// Under which enrolment.
    pub epoch: i64,
    /// Its number.
    pub seq: i64,
    /// Our number of the payment.
    pub out_trade_no: String,
}

/// Why a file is no journal.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The file.
    #[error("cannot read the file")]
    Read(#[from] std::io::Error),
    /// Not what `export` writes.
    #[error("line {number} of the file is not an exported line")]
    NotALine {
        /// Which.
        number: usize,
        /// Why.
        #[source]
        cause: serde_json::Error,
    },
    /// Somebody changed it, or a part is missing.
    #[error("terminal {terminal_id}, epoch {epoch}")]
    Broken {
        /// Whose journal.
        terminal_id: String,
        /// Under which enrolment.
        epoch: i64,
        /// Where.
        #[source]
        cause: yidan_payment::ChainError,
    },
}

/// Checks a file.
///
/// # Errors
/// [`VerifyError`] at the first line that does not follow. Money without proof is no error: it is told.
pub fn verify(file: impl BufRead, merchant: &Merchant) -> Result<Verified, VerifyError> {
    let mut heads: BTreeMap<(String, i64), (i64, Hash)> = BTreeMap::new();
    let mut verified = Verified::default();
    for (number, text) in (1..).zip(file.lines()) {
        let line: ExportedLine =
            serde_json::from_str(&text?).map_err(|cause| VerifyError::NotALine { number, cause })?;
        let name = (line.terminal_id.clone(), line.epoch);
        let head = heads.get(&name).copied().unwrap_or((0, Hash::ZERO));
        let head = check_chain(head, std::slice::from_ref(&line.event)).map_err(|cause| VerifyError::Broken {
            terminal_id: line.terminal_id.clone(),
            epoch: line.epoch,
            cause,
        })?;
        heads.insert(name, head);
        match judge_money(&line.event, merchant) {
            None => {}
            Some((true, _)) => verified.proved += 1,
            Some((false, out_trade_no)) => {
                let ExportedLine { terminal_id, epoch, event } = line;
                verified.unproved.push(Unproved { terminal_id, epoch, seq: event.seq, out_trade_no });
            }
        }
    }
    verified.journals = heads
        .into_iter()
        .map(|((terminal_id, epoch), (lines, head_hash))| VerifiedJournal { terminal_id, epoch, lines, head_hash })
        .collect();
    Ok(verified)
}

/// Whether a line that tells of new money proves it; nothing if it tells of none.
fn judge_money(event: &Event, merchant: &Merchant) -> Option<(bool, String)> {
    let about_money = [EventKind::Paid, EventKind::Suspended, EventKind::Refunded].map(EventKind::as_str);
    if !about_money.contains(&event.kind.as_str()) {
        return None;
    }
    let state: PaymentState = serde_json::from_str(&event.payload).ok()?;
    let is_proved = state.proof.as_ref().is_some_and(|proof| merchant.read_proof(proof, &state.out_trade_no).is_some());
    Some((is_proved, state.out_trade_no.to_string()))
}
