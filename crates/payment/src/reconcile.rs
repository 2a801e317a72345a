//! Reconciliation: the gateway's bill beside our own books, number by number.
//!
//! Must always hold: money is matched by number and trade, never by date or amount; the order of lines changes nothing;
//! a line that is read twice counts once. A bill is weaker than a signed answer: what is found here says what to ask and
//! whom to tell, and books nothing. Deliberately absent: files, days of the shop, and what is done about a difference.

use crate::{Fen, PaymentId, RefundStatus, TradeNo, UtcMs};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A trade paid this close to midnight may stand in the bill of either day (Alipay cuts by its own clocks).
pub const MIDNIGHT: Duration = Duration::from_secs(600);

/// One line of a bill.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BillRow {
    /// The merchant's number: ours, or that of another program.
    pub out_trade_no: String,
    /// Alipay's number.
    pub trade_no: TradeNo,
    /// What it is about.
    pub kind: RowKind,
    /// The refund's number.
    pub out_request_no: Option<String>,
    /// When it was finished.
    pub at: UtcMs,
    /// The order's amount in fen; negative on refunds.
    pub amount_fen: i64,
    /// Who minted the number, as far as it shows.
    pub whose: Whose,
}

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowKind {
    /// Money came.
    Trade,
    /// Money went back.
    Refund,
    /// Something that this program does not know.
    Other,
}

/// Who minted a number, as far as the number and the bill's columns show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    /// This terminal.
    Ours,
    /// Another terminal, which reconciles for itself.
    OtherTerminal,
    /// Another program.
    Stranger,
}

/// What our books say under one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OurBooks {
    /// The payment.
    pub pay_id: PaymentId,
    /// Its number.
    pub out_trade_no: String,
    /// The money that came; none unless a signed answer said so.
    pub receipts: Vec<OurReceipt>,
    /// When money was last booked, for receipts without the gateway's own time.
    pub booked_at: Option<UtcMs>,
    /// The money that went back or is on its way.
    pub refunds: Vec<OurRefund>,
    /// When the last refund moved money.
    pub refunded_at: Option<UtcMs>,
}

/// Money of ours that one trade brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OurReceipt {
    /// The trade.
    pub trade_no: TradeNo,
    /// The buyer's order total.
    pub total: Fen,
    /// When, by the gateway.
    pub paid_at: Option<UtcMs>,
}

/// Money of ours that went back, or is on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OurRefund {
    /// Of which trade.
    pub trade_no: TradeNo,
    /// The number of the refund; `None` while only the fact is known.
    pub out_request_no: Option<String>,
    /// How much.
    pub amount: Fen,
    /// Where it stands.
    pub status: RefundStatus,
}

/// From when until when (exclusive) a whole bill has been read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage(Vec<(UtcMs, UtcMs)>);

impl Coverage {
    /// Bills from a moment until another.
    #[must_use]
    pub fn of(mut periods: Vec<(UtcMs, UtcMs)>) -> Coverage {
        periods.sort_unstable();
        Coverage(periods)
    }

    /// Whether what happened at `moment` must stand in a bill that was read: if it was close to midnight, only once the
    /// next day's bill is in too.
    #[must_use]
    pub fn must_show(&self, moment: UtcMs) -> bool {
        self.holds(moment) && self.holds(moment.before(MIDNIGHT)) && self.holds(moment.after(MIDNIGHT))
    }

    fn holds(&self, moment: UtcMs) -> bool {
        let after = self.0.partition_point(|(begin, _)| *begin <= moment);
        after.checked_sub(1).and_then(|place| self.0.get(place)).is_some_and(|(_, end)| moment < *end)
    }
}

/// What was found under a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Bill and books say the same.
    Matched,
    /// A number of another terminal: not for us to say.
    OtherTerminal,
    /// The bill has money where our books have none.
    LocalNotPaid,
    /// A number that only this terminal can have minted, and our records do not know: they were restored, or are lost.
    Forgotten,
    /// Our books have money that no bill knows.
    ChannelMissing,
    /// Both know it, with different amounts.
    Amount,
    /// Our books have a refund that no bill knows.
    RefundMissing,
    /// The bill has a refund that our books do not have, or not as done.
    RefundExtra,
    /// A second trade under one number.
    Duplicate,
    /// Money under a number that none of our programs minted.
    UnknownTrade,
}

impl Class {
    /// Every class.
    pub const ALL: [Class; 10] = [
        Class::Matched,
        Class::OtherTerminal,
        Class::LocalNotPaid,
        Class::Forgotten,
        Class::ChannelMissing,
        Class::Amount,
        Class::RefundMissing,
        Class::RefundExtra,
        Class::Duplicate,
        Class::UnknownTrade,
    ];

    /// The word stored in databases.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Class::Matched => "MATCHED",
            Class::OtherTerminal => "OTHER_TERMINAL",
            Class::LocalNotPaid => "LOCAL_NOT_PAID",
            Class::Forgotten => "FORGOTTEN",
            Class::ChannelMissing => "CHANNEL_MISSING",
            Class::Amount => "AMOUNT",
            Class::RefundMissing => "REFUND_MISSING",
            Class::RefundExtra => "REFUND_EXTRA",
            Class::Duplicate => "DUPLICATE",
            Class::UnknownTrade => "UNKNOWN_TRADE",
        }
    }

    /// The class with this word, if there is one.
    #[must_use]
    pub fn find(word: &str) -> Option<Class> {
        Class::ALL.into_iter().find(|class| class.as_str() == word)
    }

    /// Whether bill and books say different things about our own money.
    #[must_use]
    pub fn is_difference(self) -> bool {
        match self {
            Class::Matched | Class::OtherTerminal => false,
            Class::LocalNotPaid
            | Class::Forgotten
            | Class::ChannelMissing
            | Class::Amount
            | Class::RefundMissing
            | Class::RefundExtra
            | Class::Duplicate
            | Class::UnknownTrade => true,
        }
    }
}

/// One thing that bill and books say, together or against each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The merchant's number.
    pub out_trade_no: String,
    /// What was found.
    pub class: Class,
    /// Whose money.
    pub trade_no: TradeNo,
    /// Which refund.
    pub out_request_no: Option<String>,
    /// Our payment, if there is one.
    pub pay_id: Option<PaymentId>,
    /// What the bill says, in fen; negative for money that went back.
    pub bill_fen: Option<i64>,
    /// What our books say, in fen; negative for money that went back.
    pub our_fen: Option<i64>,
    /// When, by the bill or else by our books.
    pub at: Option<UtcMs>,
}

/// Puts lines of bills beside our books.
///
/// `rows`: every line known of the numbers in question, from whatever bills. `books`: our payments of those numbers, and
/// those whose money must stand in a bill. Sorted by number.
#[must_use]
pub fn reconcile(coverage: &Coverage, rows: &[BillRow], books: &[OurBooks]) -> Vec<Finding> {
    // A set, so that neither order nor repetition matters.
    let mut numbers: BTreeMap<&str, BTreeSet<&BillRow>> = BTreeMap::new();
    for row in rows {
        numbers.entry(&row.out_trade_no).or_default().insert(row);
    }
    let known: BTreeMap<&str, &OurBooks> = books.iter().map(|book| (book.out_trade_no.as_str(), book)).collect();
    let nothing = BTreeSet::new();
    let mut findings = Vec::new();
    for (number, rows) in &numbers {
        match known.get(number) {
            Some(book) => findings.extend(compare(coverage, rows, book)),
            None => findings.extend(judge_unknown(rows)),
        }
    }
    for (number, book) in &known {
        if !numbers.contains_key(number) {
            findings.extend(compare(coverage, &nothing, book));
        }
    }
    findings.sort_unstable();
    findings
}

/// A number that our records do not have: one finding, whatever it did.
fn judge_unknown(rows: &BTreeSet<&BillRow>) -> Option<Finding> {
    let first = rows.iter().find(|row| row.kind == RowKind::Trade).or_else(|| rows.first())?;
    let class = match first.whose {
        Whose::Ours => Class::Forgotten,
        Whose::OtherTerminal => Class::OtherTerminal,
        Whose::Stranger => Class::UnknownTrade,
    };
    Some(Finding {
        out_trade_no: first.out_trade_no.clone(),
        class,
        trade_no: first.trade_no.clone(),
        out_request_no: None,
        pay_id: None,
        bill_fen: Some(first.amount_fen),
        our_fen: None,
        at: Some(first.at),
    })
}

fn compare(coverage: &Coverage, rows: &BTreeSet<&BillRow>, book: &OurBooks) -> Vec<Finding> {
    let mut comparison = Comparison { book, findings: Vec::new(), used: BTreeSet::new() };
    // A refund without a number takes what those with numbers have left.
    let (unnumbered, named): (Vec<&BillRow>, Vec<&BillRow>) =
        rows.iter().partition(|row| row.kind == RowKind::Refund && row.out_request_no.is_none());
    for row in named.into_iter().chain(unnumbered) {
        match row.kind {
            RowKind::Trade => comparison.take_trade(row),
            RowKind::Refund => comparison.take_refund(row),
            RowKind::Other => comparison.find(Class::UnknownTrade, row, None),
        }
    }
    comparison.take_what_no_bill_has(coverage, rows);
    comparison.findings
}

struct Comparison<'a> {
    book: &'a OurBooks,
    findings: Vec<Finding>,
    /// Places of our refunds that a line of the bill has spoken for.
    used: BTreeSet<usize>,
}

impl Comparison<'_> {
    fn take_trade(&mut self, row: &BillRow) {
        let receipt = self.book.receipts.iter().find(|receipt| receipt.trade_no == row.trade_no);
        let is_first = !self.findings.iter().any(|finding| finding.class == Class::LocalNotPaid);
        match receipt.map(|receipt| receipt.total.as_fen()) {
            Some(ours) if ours == row.amount_fen => self.find(Class::Matched, row, Some(ours)),
            Some(ours) => self.find(Class::Amount, row, Some(ours)),
            None if self.book.receipts.is_empty() && is_first => self.find(Class::LocalNotPaid, row, None),
            None => self.find(Class::Duplicate, row, None),
        }
    }

    fn take_refund(&mut self, row: &BillRow) {
        let knows_trade = self.book.receipts.iter().any(|receipt| receipt.trade_no == row.trade_no);
        let Some(place) = self.find_refund(row) else {
            let is_asked = self.findings.iter().any(|finding| finding.class == Class::LocalNotPaid);
            return match (knows_trade, is_asked) {
                (true, _) => self.find(Class::RefundExtra, row, None),
                // The payment comes first: once its money is booked, the next comparison finds its refunds.
                (false, true) => {}
                (false, false) => self.find(Class::LocalNotPaid, row, None),
            };
        };
        self.used.insert(place);
        let Some(ours) = self.book.refunds.get(place) else { return };
        let our_fen = Some(-ours.amount.as_fen());
        let is_numbered = ours.out_request_no.is_some() || row.out_request_no.is_none();
        match (ours.status, our_fen == Some(row.amount_fen)) {
            (RefundStatus::Success, true) if is_numbered => self.find(Class::Matched, row, our_fen),
            (RefundStatus::Success, false) => self.find(Class::Amount, row, our_fen),
            (RefundStatus::Success | RefundStatus::Init | RefundStatus::Processing | RefundStatus::Fail, _) => {
                self.find(Class::RefundExtra, row, our_fen);
            }
        }
    }

    /// The refund of this number; else the same money of which only the fact is known, or a line without a number.
    fn find_refund(&self, row: &BillRow) -> Option<usize> {
        let free = || {
            let refunds = self.book.refunds.iter().enumerate();
            refunds.filter(|(place, refund)| refund.trade_no == row.trade_no && !self.used.contains(place))
        };
        let same_number =
            |refund: &OurRefund| refund.out_request_no.is_some() && refund.out_request_no == row.out_request_no;
        let same_money = |refund: &OurRefund| {
            refund.status == RefundStatus::Success
                && -refund.amount.as_fen() == row.amount_fen
                && (refund.out_request_no.is_none() || row.out_request_no.is_none())
        };
        let found = free().find(|(_, refund)| same_number(refund));
        found.or_else(|| free().find(|(_, refund)| same_money(refund))).map(|(place, _)| place)
    }

    fn take_what_no_bill_has(&mut self, coverage: &Coverage, rows: &BTreeSet<&BillRow>) {
        let in_a_bill =
            |trade_no: &TradeNo| rows.iter().any(|row| row.kind == RowKind::Trade && row.trade_no == *trade_no);
        for receipt in &self.book.receipts {
            let at = receipt.paid_at.or(self.book.booked_at);
            if !in_a_bill(&receipt.trade_no) && at.is_some_and(|at| coverage.must_show(at)) {
                self.miss(Class::ChannelMissing, &receipt.trade_no, None, receipt.total.as_fen(), at);
            }
        }
        let at = self.book.refunded_at;
        for (place, refund) in self.book.refunds.iter().enumerate() {
            let is_done = refund.status == RefundStatus::Success && refund.amount != Fen::ZERO;
            if is_done && !self.used.contains(&place) && at.is_some_and(|at| coverage.must_show(at)) {
                let number = refund.out_request_no.clone();
                self.miss(Class::RefundMissing, &refund.trade_no, number, -refund.amount.as_fen(), at);
            }
        }
    }

    fn find(&mut self, class: Class, row: &BillRow, our_fen: Option<i64>) {
        self.findings.push(Finding {
            out_trade_no: self.book.out_trade_no.clone(),
            class,
            trade_no: row.trade_no.clone(),
            out_request_no: row.out_request_no.clone(),
            pay_id: Some(self.book.pay_id),
            bill_fen: Some(row.amount_fen),
            our_fen,
            at: Some(row.at),
        });
    }

    fn miss(&mut self, class: Class, trade_no: &TradeNo, number: Option<String>, our_fen: i64, at: Option<UtcMs>) {
        self.findings.push(Finding {
            out_trade_no: self.book.out_trade_no.clone(),
            class,
            trade_no: trade_no.clone(),
            out_request_no: number,
            pay_id: Some(self.book.pay_id),
            bill_fen: None,
            our_fen: Some(our_fen),
            at,
        });
    }
}
