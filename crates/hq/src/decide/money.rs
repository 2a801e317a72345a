//! What a reported payment may count.
//!
//! Must always hold: money counts only if headquarters has checked Alipay's signed statement itself, and a trade counts
//! once, whoever reports it. What is reported without proof is counted nowhere and becomes a case. Afterwards a terminal
//! may say how its proved money is booked; it can never make more of it.

use super::proof::proves_refund;
use std::collections::{BTreeMap, BTreeSet};
use yidan_payment::{
    Booked, CaseKind, Evidence, Fen, PaidTrade, PaymentId, Receipt, Refund, RefundStatus, StatusName, TradeNo, UtcMs,
};
use yidan_wire::{EventKind, PaymentState, ReceiptState};

/// Which terminal reports, by the key that signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reporter {
    /// The terminal.
    pub terminal_id: String,
    /// The store its enrolment code was bound to.
    pub store_id: String,
}

/// Where a line stands in all that its terminal ever wrote: epoch, then number.
pub type LineNo = (i64, i64);

/// One line of a journal, as far as money is concerned.
pub struct Report<'a> {
    /// Who says so.
    pub reporter: &'a Reporter,
    /// Epoch and number of the line.
    pub line: LineNo,
    /// What happened.
    pub kind: EventKind,
    /// When the line was written.
    pub at: UtcMs,
    /// The payment afterwards.
    pub state: &'a PaymentState,
    /// What the line's proof says; `None` if there is none, or if headquarters could not verify it for this payment.
    pub proved: Option<&'a Evidence>,
}

/// Money that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedReceipt {
    /// Who reported it first.
    pub reporter: Reporter,
    /// Which payment it came for.
    pub pay_id: PaymentId,
    /// What the buyer paid.
    pub total: Fen,
    /// The merchant's share.
    pub receipt: Fen,
    /// When, by the gateway; by the terminal if the gateway did not say.
    pub paid_at: UtcMs,
    /// The day it counts for.
    pub business_day: String,
    /// As what the terminal has booked it.
    pub booked: Booked,
    /// By which line. A later one wins, in whatever order they are read.
    pub booked_by: LineNo,
}

/// Money that went back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedRefund {
    /// Who reported it first.
    pub reporter: Reporter,
    /// Of which payment.
    pub pay_id: PaymentId,
    /// How much.
    pub amount: Fen,
    /// When it was written down.
    pub at: UtcMs,
    /// The day it counts for.
    pub business_day: String,
}

/// Names a refund: its trade, and its number, which is empty while only the fact is known.
pub type RefundName = (TradeNo, String);

/// What headquarters itself finds wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// A terminal says paid and does not prove it.
    UnprovedPayment,
    /// A terminal says refunded and does not prove it.
    UnprovedRefund,
    /// Two payments claim the same trade.
    DuplicateReport,
    /// A terminal's history is not the one known.
    OtherHistory,
    /// Alipay told of money, and no terminal reports it.
    UnreportedMoney,
}

impl Finding {
    /// The word stored in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Finding::UnprovedPayment => "UNPROVED_PAYMENT",
            Finding::UnprovedRefund => "UNPROVED_REFUND",
            Finding::DuplicateReport => "DUPLICATE_REPORT",
            Finding::OtherHistory => "OTHER_HISTORY",
            Finding::UnreportedMoney => "UNREPORTED_MONEY",
        }
    }
}

/// A case to open, unless the same one is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCase {
    /// The word of its kind.
    pub kind: &'static str,
    /// Whether headquarters found it itself.
    pub found_here: bool,
    /// Of which payment.
    pub pay_id: PaymentId,
    /// Its number.
    pub out_trade_no: String,
    /// Whose money.
    pub trade_no: Option<TradeNo>,
    /// How much.
    pub amount: Fen,
}

/// Cases of one trade that are settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Of which payment.
    pub pay_id: PaymentId,
    /// Whose money.
    pub trade_no: Option<TradeNo>,
    /// Which of them.
    pub what: Settles,
}

/// Which cases are settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settles {
    /// All that the terminal had reported: the money is back.
    AllReported,
    /// One kind that the terminal had reported: it was decided there.
    Reported(CaseKind),
    /// What headquarters had found, and no longer holds.
    Found(Finding),
}

/// The money of the trades in question, and what changed in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// What counts, by trade.
    pub receipts: BTreeMap<TradeNo, CountedReceipt>,
    /// What went back.
    pub refunds: BTreeMap<RefundName, CountedRefund>,
    /// Receipts to write.
    pub changed_receipts: BTreeSet<TradeNo>,
    /// Refunds to write.
    pub new_refunds: BTreeSet<RefundName>,
    /// Trades whose refund without a number is made of others now.
    pub explained_sums: BTreeSet<TradeNo>,
    /// Cases to open.
    pub cases: Vec<NewCase>,
    /// Cases to settle.
    pub settled: Vec<Settled>,
}

impl Ledger {
    /// Books one reported line.
    pub fn book(&mut self, report: &Report<'_>) {
        for receipt in &report.state.receipts {
            self.book_receipt(report, receipt);
        }
        for refund in told(report.state) {
            self.explain_sum(report, &refund.trade_no);
            self.book_refund(report, refund);
        }
        self.settle(report);
        for case in &report.state.cases {
            self.open(report, case.kind.as_str(), false, case.trade_no.as_ref(), case.amount_fen);
        }
        if claims_money(report.state.status) && report.state.receipts.is_empty() {
            self.find(report, Finding::UnprovedPayment, None, report.state.amount_fen);
        }
    }

    fn book_receipt(&mut self, report: &Report<'_>, reported: &ReceiptState) {
        let receipt = &reported.receipt;
        let is_proved = report.proved.and_then(Evidence::paid_trade).is_some_and(|paid| proves(paid, receipt));
        match self.receipts.get_mut(&receipt.trade_no) {
            Some(known) if !is_same_payment(&known.reporter, known.pay_id, report) => {
                self.find(report, Finding::DuplicateReport, Some(&receipt.trade_no), receipt.total);
            }
            Some(known) if known.total == receipt.total => {
                if known.booked != receipt.booked && report.line > known.booked_by {
                    (known.booked, known.booked_by) = (receipt.booked, report.line);
                    self.changed_receipts.insert(receipt.trade_no.clone());
                }
            }
            None if is_proved => self.count(report, reported),
            Some(_) | None => {
                self.find(report, Finding::UnprovedPayment, Some(&receipt.trade_no), receipt.total);
            }
        }
    }

    fn count(&mut self, report: &Report<'_>, reported: &ReceiptState) {
        let receipt = &reported.receipt;
        let proved = report.proved.and_then(Evidence::paid_trade);
        let counted = CountedReceipt {
            reporter: report.reporter.clone(),
            pay_id: report.state.pay_id,
            total: receipt.total,
            // What the merchant gets is taken from the proof, like everything else about money.
            receipt: proved.map_or(receipt.receipt, |paid| paid.receipt),
            paid_at: proved.and_then(|paid| paid.paid_at).unwrap_or(report.at),
            business_day: reported.business_day.clone(),
            booked: receipt.booked,
            booked_by: report.line,
        };
        self.receipts.insert(receipt.trade_no.clone(), counted);
        self.changed_receipts.insert(receipt.trade_no.clone());
        self.settle_finding(report, Finding::UnprovedPayment, &receipt.trade_no);
    }

    fn book_refund(&mut self, report: &Report<'_>, refund: &Refund) {
        let name = name_of(refund);
        match self.refunds.get(&name) {
            Some(known) if known.amount == refund.amount => {}
            Some(_) | None if self.is_older_telling(report, refund) => {}
            None if self.is_refund_proved(report, refund) => {
                let counted = CountedRefund {
                    reporter: report.reporter.clone(),
                    pay_id: report.state.pay_id,
                    amount: refund.amount,
                    at: report.at,
                    business_day: report.state.business_day.clone(),
                };
                self.refunds.insert(name.clone(), counted);
                self.new_refunds.insert(name);
                self.settle_finding(report, Finding::UnprovedRefund, &refund.trade_no);
            }
            Some(_) | None => {
                self.find(report, Finding::UnprovedRefund, Some(&refund.trade_no), refund.amount);
            }
        }
    }

    /// A refund that is told without its number is known already, perhaps with it: a terminal that was given back its
    /// past tells what it knew in between.
    fn is_older_telling(&self, report: &Report<'_>, refund: &Refund) -> bool {
        let told: BTreeSet<RefundName> =
            told(report.state).map(name_of).filter(|(_, number)| !number.is_empty()).collect();
        let untold = self.refunds.iter().filter(|(name, _)| name.0 == refund.trade_no && !told.contains(name));
        let known = Fen::sum(untold.map(|(_, known)| known.amount));
        refund.out_request_no.is_none() && known.is_some_and(|known| known >= refund.amount)
    }

    /// What is known only as a sum gets its numbers, all at once or one by one: the same money, never more.
    fn explain_sum(&mut self, report: &Report<'_>, trade_no: &TradeNo) {
        let unnamed = (trade_no.clone(), String::new());
        let is_part = |name: &RefundName| name.0 == *trade_no && (*name == unnamed || !self.refunds.contains_key(name));
        let parts: Vec<(RefundName, Fen)> = told(report.state)
            .map(|refund| (name_of(refund), refund.amount))
            .filter(|(name, _)| is_part(name))
            .collect();
        let Some(sum) = self.refunds.get(&unnamed).cloned() else { return };
        let is_explained = Fen::sum(parts.iter().map(|(_, amount)| *amount)) == Some(sum.amount);
        if !is_explained || parts.iter().all(|(name, _)| *name == unnamed) {
            return;
        }
        self.refunds.remove(&unnamed);
        self.new_refunds.remove(&unnamed);
        self.explained_sums.insert(trade_no.clone());
        for (name, amount) in parts {
            self.refunds.insert(name.clone(), CountedRefund { amount, ..sum.clone() });
            self.new_refunds.insert(name);
        }
        self.settle_finding(report, Finding::UnprovedRefund, trade_no);
    }

    /// A refund counts if its receipt counts for this payment, if not more goes back than came, and if Alipay says so.
    fn is_refund_proved(&self, report: &Report<'_>, refund: &Refund) -> bool {
        let Some(receipt) = self.receipts.get(&refund.trade_no) else { return false };
        let known = self.refunds.iter().filter(|((trade_no, _), _)| *trade_no == refund.trade_no);
        let after = Fen::sum(known.map(|(_, known)| known.amount).chain([refund.amount]));
        let fits = after.is_some_and(|after| after <= receipt.total);
        let all = Fen::sum(moved(report.state, &refund.trade_no)).is_some_and(|sum| sum == receipt.total);
        fits && is_same_payment(&receipt.reporter, receipt.pay_id, report)
            && report.proved.is_some_and(|evidence| proves_refund(evidence, refund, all))
    }

    /// What was decided at the terminal, and suspense money that was given back, needs nobody any more.
    fn settle(&mut self, report: &Report<'_>) {
        let pay_id = report.state.pay_id;
        for decided in report.state.decisions.iter().filter(|decided| decided.is_resolved) {
            let (trade_no, what) = (decided.trade_no.clone(), Settles::Reported(decided.kind));
            self.settled.push(Settled { pay_id, trade_no, what });
        }
        for ReceiptState { receipt, .. } in &report.state.receipts {
            let back = Fen::sum(moved(report.state, &receipt.trade_no));
            if receipt.booked == Booked::Suspense && back.is_some_and(|back| back == receipt.total) {
                let trade_no = Some(receipt.trade_no.clone());
                self.settled.push(Settled { pay_id, trade_no, what: Settles::AllReported });
            }
        }
    }

    fn settle_finding(&mut self, report: &Report<'_>, finding: Finding, trade_no: &TradeNo) {
        let is_it = |case: &NewCase| {
            case.kind == finding.as_str()
                && case.pay_id == report.state.pay_id
                && case.trade_no.as_ref() == Some(trade_no)
        };
        self.cases.retain(|case| !is_it(case));
        let (pay_id, trade_no) = (report.state.pay_id, Some(trade_no.clone()));
        self.settled.push(Settled { pay_id, trade_no, what: Settles::Found(finding) });
    }

    fn find(&mut self, report: &Report<'_>, finding: Finding, trade_no: Option<&TradeNo>, amount: Fen) {
        self.open(report, finding.as_str(), true, trade_no, amount);
    }

    fn open(&mut self, report: &Report<'_>, kind: &'static str, here: bool, trade_no: Option<&TradeNo>, amount: Fen) {
        self.cases.push(NewCase {
            kind,
            found_here: here,
            pay_id: report.state.pay_id,
            out_trade_no: report.state.out_trade_no.to_string(),
            trade_no: trade_no.cloned(),
            amount,
        });
    }
}

/// The same payment, also after its terminal enrolled again.
fn is_same_payment(reporter: &Reporter, pay_id: PaymentId, report: &Report<'_>) -> bool {
    reporter.terminal_id == report.reporter.terminal_id && pay_id == report.state.pay_id
}

fn claims_money(status: StatusName) -> bool {
    match status {
        StatusName::Success | StatusName::Suspense => true,
        StatusName::Init
        | StatusName::Precreated
        | StatusName::Paying
        | StatusName::Closing
        | StatusName::Closed
        | StatusName::Fail => false,
    }
}

fn proves(paid: &PaidTrade, receipt: &Receipt) -> bool {
    paid.trade_no == receipt.trade_no && paid.total == receipt.total
}

/// What the payment says went back.
fn told(state: &PaymentState) -> impl Iterator<Item = &Refund> {
    state.refunds.iter().filter(|refund| refund.status == RefundStatus::Success)
}

/// What the payment says went back of one trade.
fn moved<'a>(state: &'a PaymentState, trade_no: &'a TradeNo) -> impl Iterator<Item = Fen> + 'a {
    told(state).filter(move |refund| refund.trade_no == *trade_no).map(|refund| refund.amount)
}

fn name_of(refund: &Refund) -> RefundName {
    (refund.trade_no.clone(), refund.out_request_no.clone().unwrap_or_default())
}
