//! Headquarters over tables in memory: its decisions are those of `crates/hq`, its storage is not.

use crate::decide::chain::{Head, Line, Verdict, judge};
use crate::decide::claim::Claimed;
use crate::decide::money::{Ledger, Report, Reporter, Settles};
use crate::pushes::Streams;
use crate::seal;
use crate::till::name_of;
use crate::wire::{HqReply, Signer};
use std::collections::BTreeMap;
use yidan_payment::{Event, EventId, Evidence, Fen, Hash, PaymentId, TradeNo};
use yidan_wire::{Ack, Batch, Conflict, EventKind, Past, PastLine, PaymentState, Since};

/// So many lines are given back at once.
const PAGE: usize = 60;

/// One journal, as one enrolment of a till writes it.
#[derive(Clone, Default)]
struct Journal {
    events: Vec<Event>,
    names: BTreeMap<EventId, usize>,
}

/// A payment as its till last reported it.
#[derive(Clone)]
pub struct Shown {
    line: (i64, i64),
    /// By which terminal.
    pub terminal: usize,
    /// How it stands.
    pub state: PaymentState,
}

/// Everything headquarters has stored.
#[derive(Clone, Default)]
pub struct Headquarters {
    journals: BTreeMap<Signer, Journal>,
    /// Bills of other programs, by source and number: whose they are.
    pub(crate) claims: BTreeMap<(String, String), Claimed>,
    ledger: Ledger,
    pub(crate) payments: BTreeMap<String, Shown>,
    /// Enrolments of terminals that enrolled again: older keys are refused.
    pub(crate) enrolled: BTreeMap<usize, u32>,
    /// What its terminals are told.
    pub(crate) streams: Streams,
    /// Kinds of events that this program is too old to understand, until it is renewed.
    unknown: Vec<EventKind>,
    /// How often a history differed.
    pub conflicts: u64,
    /// Cases that headquarters found itself.
    pub findings: BTreeMap<(&'static str, PaymentId, Option<TradeNo>), String>,
}

impl Headquarters {
    /// An older program: what it does not understand is stored, and understood later.
    #[must_use]
    pub fn older(unknown: Vec<EventKind>) -> Headquarters {
        Headquarters { unknown, ..Headquarters::default() }
    }

    /// Takes a piece of a journal.
    pub fn receive(&mut self, signer: Signer, batch: &Batch) -> HqReply {
        let journal = self.journals.entry(signer).or_default();
        let head = journal.head();
        let known = journal.find_lines(&batch.events);
        match judge(head, &known, &batch.events) {
            Verdict::Follow { new, head } => {
                for event in new {
                    journal.names.insert(event.event_id, journal.events.len());
                    journal.events.push(event.clone());
                }
                for event in new {
                    self.project(signer, event);
                }
                HqReply::Acked(Ack { acked_seq: head.seq, head_hash: head.hash })
            }
            Verdict::Conflict { line, why } => {
                self.conflicts += 1;
                HqReply::Conflict(Conflict {
                    seq: line.seq,
                    acked_seq: head.seq,
                    head_hash: head.hash,
                    detail: why.to_string(),
                })
            }
        }
    }

    /// Gives a terminal back what it reported under earlier enrolments.
    #[must_use]
    pub fn history(&self, signer: Signer, since: Since) -> Past {
        let earlier = self.journals.iter().filter(|(of, _)| of.terminal == signer.terminal && of.epoch < signer.epoch);
        let lines = earlier.flat_map(|(of, journal)| journal.events.iter().map(|event| (of.epoch, event)));
        let mut wanted = lines.filter(|(epoch, event)| (*epoch, event.seq) > (since.epoch, since.seq));
        let page = wanted.by_ref().take(PAGE).map(|(epoch, event)| PastLine { epoch, event: event.clone() });
        Past { lines: page.collect(), more: wanted.next().is_some() }
    }

    /// A newer program is installed: what was not understood is read now.
    pub fn renew(&mut self) {
        let unknown = std::mem::take(&mut self.unknown);
        let waiting: Vec<_> = self
            .journals
            .iter()
            .flat_map(|(signer, journal)| journal.events.iter().map(|event| (*signer, event.clone())))
            .filter(|(_, event)| read_kind(event).is_some_and(|kind| unknown.contains(&kind)))
            .collect();
        for (signer, event) in waiting {
            self.project(signer, &event);
        }
    }

    /// The last line it has of a journal.
    #[must_use]
    pub fn head(&self, signer: Signer) -> i64 {
        self.journals.get(&signer).map_or(0, |journal| journal.head().seq)
    }

    /// The hash of the last line it has of a journal.
    #[must_use]
    pub fn hash(&self, signer: Signer) -> Hash {
        self.journals.get(&signer).map_or(Hash::ZERO, |journal| journal.head().hash)
    }

    /// The payment of a terminal that a trade brought money for.
    #[must_use]
    pub fn find_payment_of(&self, terminal: usize, trade_no: &TradeNo) -> Option<&PaymentState> {
        let counted = self.ledger.receipts.get(trade_no)?;
        let is_it = |state: &&PaymentState| state.pay_id == counted.pay_id;
        let is_till = counted.reporter.terminal_id == name_of(terminal);
        self.payments.values().map(|shown| &shown.state).find(is_it).filter(|_| is_till)
    }

    /// The money that counts, by trade.
    pub fn receipts(&self) -> impl Iterator<Item = (&TradeNo, Fen)> {
        self.ledger.receipts.iter().map(|(trade_no, counted)| (trade_no, counted.total))
    }

    /// What went back of a trade, as it counts.
    #[must_use]
    pub fn refunded(&self, trade_no: &TradeNo) -> Fen {
        let of_trade = self.ledger.refunds.iter().filter(|((of, _), _)| of == trade_no);
        Fen::sum(of_trade.map(|(_, counted)| counted.amount)).unwrap_or(Fen::MAX)
    }

    /// The payment of a number, as last reported.
    #[must_use]
    pub fn find_payment(&self, number: &str) -> Option<&PaymentState> {
        self.payments.get(number).map(|shown| &shown.state)
    }

    /// The newest payment that was reported of a bill.
    #[must_use]
    pub fn find_payment_of_bill(&self, source: &str, external_ref: &str) -> Option<&PaymentState> {
        let is_it =
            |state: &&PaymentState| state.source == source && state.external_ref.as_deref() == Some(external_ref);
        self.payments.values().map(|shown| &shown.state).filter(is_it).max_by_key(|state| state.created_at)
    }

    /// The terminal that reported a payment.
    #[must_use]
    pub fn find_terminal(&self, number: &str) -> Option<usize> {
        self.payments.get(number).map(|shown| shown.terminal)
    }

    fn project(&mut self, signer: Signer, event: &Event) {
        let Some(kind) = read_kind(event).filter(|kind| !self.unknown.contains(kind)) else { return };
        if kind == EventKind::Instructed
            && let Ok(told) = serde_json::from_str(&event.payload)
        {
            return self.note_outcome(&told, event.event_id);
        }
        let Ok(state) = serde_json::from_str::<PaymentState>(&event.payload) else { return };
        let proved = read_evidence(&state);
        tracing::debug!(?signer, seq = event.seq, ?kind, ?proved, refunds = ?state.refunds, number = %state.out_trade_no, "booked");
        let reporter = Reporter { terminal_id: name_of(signer.terminal), store_id: "S1".into() };
        let line = (i64::from(signer.epoch), event.seq);
        self.note_owner(&reporter.terminal_id, kind, &state);
        self.ledger.book(&Report {
            reporter: &reporter,
            line,
            kind,
            at: event.at,
            state: &state,
            proved: proved.as_ref(),
        });
        for case in self.ledger.cases.drain(..).filter(|case| case.found_here) {
            self.findings.insert((case.kind, case.pay_id, case.trade_no), case.out_trade_no);
        }
        // What was found before its proof came is settled by the proof.
        for settled in self.ledger.settled.drain(..) {
            if let Settles::Found(finding) = settled.what {
                self.findings.remove(&(finding.as_str(), settled.pay_id, settled.trade_no));
            }
        }
        let number = state.out_trade_no.to_string();
        if self.payments.get(&number).is_none_or(|known| known.line < line) {
            self.payments.insert(number, Shown { line, terminal: signer.terminal, state });
        }
    }
}

impl Journal {
    fn head(&self) -> Head {
        self.events.last().map_or(Head { seq: 0, hash: Hash::ZERO }, |event| Head { seq: event.seq, hash: event.hash })
    }

    /// The lines that are stored under a number or a name of these events.
    fn find_lines(&self, events: &[Event]) -> Vec<Line> {
        let by_seq = events.iter().filter_map(|event| usize::try_from(event.seq - 1).ok());
        let by_name = events.iter().filter_map(|event| self.names.get(&event.event_id).copied());
        let lines = by_seq.chain(by_name).filter_map(|at| self.events.get(at));
        lines.map(|event| Line { seq: event.seq, event_id: event.event_id, hash: event.hash }).collect()
    }
}

fn read_kind(event: &Event) -> Option<EventKind> {
    serde_json::from_value(serde_json::Value::String(event.kind.clone())).ok()
}

/// Only money needs proof here.
fn read_evidence(state: &PaymentState) -> Option<Evidence> {
    if state.receipts.is_empty() && state.refunds.is_empty() {
        return None;
    }
    seal::read_proof(state.proof.as_ref()?, state.out_trade_no.as_str())
}
