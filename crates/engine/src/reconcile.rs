//! Reconciliation at the counter: a day's bill is read and kept, compared with our books, and what differs is asked for.
//!
//! Must always hold: a bill line books no money by itself; every action is durable by itself and may be done again, so
//! that it may be interrupted anywhere; a second run finds nothing to do. Begin with [`Engine::plan_bill`].

mod forgotten;
mod settle;

pub use settle::Settlement;

use crate::database::{self, BillDayRow, LineRow, Scope, Sides, key_of};
use crate::{Engine, Error, business_day};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;
use yidan_alipay::{Bill, BillAnswer, BillDay, BillError, BillKind, BillLine, FetchError, read_beijing};
use yidan_payment::{BillRow, CaseKind, Class, Finding, MIDNIGHT, PaymentId, RowKind, UtcMs, WATCH, Whose, reconcile};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Why there is no bill to compare with.
#[derive(Debug, thiserror::Error)]
pub enum BillTrouble {
    /// The file is damaged, changed, or about something else. Nothing of it was kept.
    #[error("the bill is refused")]
    Refused(#[source] BillError),
    /// The gateway did not give it. Try again.
    #[error("the bill could not be fetched")]
    NotFetched(#[source] FetchError),
    /// It begins or ends in the middle of a day: what it lacks would look like missing money.
    #[error("the bill does not cover whole days; download it again for whole days")]
    PartOfADay,
    /// Today, or a day to come.
    #[error("{0} is not over yet; its bill is made the next morning, about nine")]
    NotOver(String),
    /// Not a day.
    #[error("a day is written like 2026-11-29")]
    NoDay,
    /// The gateway has none; or says that nothing happened although our books say otherwise.
    #[error("Alipay has no bill of {0} yet; it is made the next morning, about nine")]
    NotReady(String),
    /// The account may not ask for bills, or the question is wrong: the gateway's sentence.
    #[error("Alipay refuses to give the bill: {0}")]
    NotAllowed(String),
    /// No bill of this day was read.
    #[error("the bill of {0} was not read yet")]
    NotRead(String),
    /// The database.
    #[error("{sentence}")]
    Engine {
        /// What could not be done, and what to do.
        sentence: String,
    },
}

impl From<Error> for BillTrouble {
    fn from(error: Error) -> BillTrouble {
        BillTrouble::Engine { sentence: error.to_string() }
    }
}

/// A shared error of a run; it was logged where it happened.
impl From<Rc<Error>> for BillTrouble {
    fn from(error: Rc<Error>) -> BillTrouble {
        BillTrouble::Engine { sentence: error.to_string() }
    }
}

/// What differs between a day's bill and our books, and what will be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BillPlan {
    /// The bill.
    pub day: BillDayRow,
    /// What differs and was not acted upon yet.
    pub differences: Vec<Difference>,
    /// How many lines say the same as our books.
    pub matched: usize,
    /// Money of other terminals: how many numbers, and how much in fen. They reconcile for themselves.
    pub elsewhere: (usize, i64),
    /// Differences that were acted upon before: with a case, or told to a person.
    pub settled: Vec<Finding>,
    /// Payments that ended without a trade and are asked for once more now that the bill is in.
    pub ask_again: Vec<PaymentId>,
    /// How the bill's day splits into business days.
    pub bridge: Vec<BridgeDay>,
    /// Whether the next day's bill is in too, so that nothing near midnight is open.
    pub is_next_day_in: bool,
}

/// One difference, and what will be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs.
    pub finding: Finding,
    /// What will be done.
    pub action: Action,
}

/// What is done about a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Ask the gateway for the trade; its signed answer books what is true.
    AskTrade,
    /// Ask the gateway for the refund.
    AskRefund,
    /// Ask for a number that our records lost, and write it down again if the gateway confirms it.
    WriteDownAgain,
    /// Ask first, then open a case of this kind.
    OpenCase(CaseKind),
    /// Tell a person: no payment of ours is concerned.
    TellAPerson,
}

/// The part of a bill's day that counts for one business day, as far as it is this terminal's money.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BridgeDay {
    /// The business day.
    pub business_day: String,
    /// How many trades.
    pub count: usize,
    /// Σ of their amounts, in fen.
    pub fen: i64,
    /// Σ of refunds, in fen; negative.
    pub refund_fen: i64,
}

/// Reads a bill as it was downloaded: the zip, or the detail file out of it. Needs no engine, so that a long one can be
/// read elsewhere.
///
/// # Errors
/// [`BillTrouble::Refused`].
pub fn read_bill(bytes: &[u8]) -> Result<Bill, BillTrouble> {
    let bill = if bytes.starts_with(b"PK") { Bill::read_archive(bytes) } else { Bill::read(bytes) };
    bill.map_err(BillTrouble::Refused)
}

impl Engine {
    /// Fetches the bill of a day from the gateway and keeps it.
    ///
    /// # Errors
    /// See [`BillTrouble`]; nothing was kept.
    pub async fn fetch_bill(self: &Rc<Self>, day: &str) -> Result<BillDayRow, BillTrouble> {
        let bill_day = BillDay::parse(day).map_err(|_| BillTrouble::NoDay)?;
        let (begin, end) = self.over_day(day)?;
        match self.gateway.fetch_bill(bill_day).await.map_err(BillTrouble::NotFetched)? {
            BillAnswer::Ready(bill) => {
                let kept = self.keep_bill(&bill, true)?;
                kept.into_iter().find(|kept| kept.bill_day == day).ok_or(BillTrouble::Refused(BillError::OtherDay))
            }
            // Believed only if our own books say the same.
            BillAnswer::NoTrades if !self.has_money_between(day, begin, end)? => Ok(self.keep_day(day, &[], true)?),
            // The same words mean "not yet" and "never"; by noon there is a bill if there ever is one.
            BillAnswer::NotReady(Some(_))
                if self.clock.now() >= end.after(DAY / 2) && !self.has_money_between(day, begin, end)? =>
            {
                Ok(self.keep_day(day, &[], true)?)
            }
            BillAnswer::NoTrades | BillAnswer::NotReady(_) => Err(BillTrouble::NotReady(day.into())),
            BillAnswer::Refused(refusal) => Err(BillTrouble::NotAllowed(refusal.text)),
        }
    }

    /// Keeps a bill that somebody downloaded; returns the days it covers. A day that is read again replaces itself.
    ///
    /// # Errors
    /// See [`BillTrouble`]; nothing was kept.
    pub fn import_bill(&self, bill: &Bill) -> Result<Vec<BillDayRow>, BillTrouble> {
        self.keep_bill(bill, false)
    }

    fn keep_bill(&self, bill: &Bill, is_fetched: bool) -> Result<Vec<BillDayRow>, BillTrouble> {
        if let Some(seller_id) = self.gateway.seller_id() {
            bill.check_account(&seller_id).map_err(BillTrouble::Refused)?;
        }
        let mut by_day: BTreeMap<String, Vec<LineRow>> = BTreeMap::new();
        for day in self.whole_days(bill)? {
            by_day.insert(day, Vec::new());
        }
        for line in &bill.lines {
            let day = by_day.get_mut(&business_day(line.finished_at, 0));
            day.ok_or(BillTrouble::Refused(BillError::OtherDay))?.push(line_row(line));
        }
        by_day.iter().map(|(day, lines)| self.keep_day(day, lines, is_fetched)).collect()
    }

    /// The days that a bill covers. One that does not say so covers the day of its lines, if that is one.
    fn whole_days(&self, bill: &Bill) -> Result<Vec<String>, BillTrouble> {
        let (Some(begin), Some(end)) = (bill.begin, bill.end) else { return Err(BillTrouble::PartOfADay) };
        let mut days = Vec::new();
        let mut at = begin;
        while at < end {
            let day = business_day(at, 0);
            let (starts, ends) = self.over_day(&day)?;
            // Some exports end a second before midnight.
            if starts != at || ends.before(Duration::from_secs(1)) > end {
                return Err(BillTrouble::PartOfADay);
            }
            days.push(day);
            at = ends;
        }
        Ok(days)
    }

    /// From when until when a day goes; refused if it is not over.
    pub(crate) fn over_day(&self, day: &str) -> Result<(UtcMs, UtcMs), BillTrouble> {
        let begin = read_beijing(&format!("{day} 00:00:00")).ok_or(BillTrouble::NoDay)?;
        let end = begin.after(DAY);
        if end > self.clock.now() {
            return Err(BillTrouble::NotOver(day.into()));
        }
        Ok((begin, end))
    }

    fn keep_day(&self, day: &str, lines: &[LineRow], is_fetched: bool) -> Result<BillDayRow, BillTrouble> {
        let (begin, end) = self.over_day(day)?;
        let lines: Vec<&LineRow> = lines.iter().collect();
        let read_at = self.clock.now();
        let row = add_up(day, (begin, end), &lines, is_fetched, read_at);
        let payload = serde_json::json!({
            "bill_day": day, "trades": row.trade_count, "trade_fen": row.trade_fen, "refunds": row.refund_count,
            "refund_fen": row.refund_fen, "fee_fen": row.fee_fen, "fetched": is_fetched,
        });
        let event_id = crate::ids::new_id(self.ids.as_ref());
        self.database.write("keep a bill", |transaction| {
            database::save_bill_day(transaction, &row, &lines)?;
            let event = database::NewEvent {
                event_id,
                kind: "bill-read",
                pay_id: None,
                at: read_at,
                payload: payload.to_string(),
            };
            database::append(transaction, event)
        })?;
        self.outbox.notify_one();
        tracing::info!(bill_day = day, lines = lines.len(), "a bill was read");
        Ok(row)
    }

    fn has_money_between(&self, day: &str, begin: UtcMs, end: UtcMs) -> Result<bool, Error> {
        let sides = self.database.load_sides(&self.scope(day, begin, end))?;
        Ok(sides.books.iter().any(|book| !book.receipts.is_empty()))
    }

    /// Compares a day's bill with our books and says what will be done about each difference. Changes nothing.
    ///
    /// # Errors
    /// [`BillTrouble::NotRead`]; [`BillTrouble::Engine`].
    pub fn plan_bill(&self, day: &str) -> Result<BillPlan, BillTrouble> {
        let row = self.database.find_bill_day(day)?.ok_or_else(|| BillTrouble::NotRead(day.into()))?;
        let sides = self.database.load_sides(&self.scope(day, row.begin.before(MIDNIGHT), row.end))?;
        let findings = self.compare(&sides);
        let differing: Vec<Finding> = findings.iter().filter(|found| found.class.is_difference()).cloned().collect();
        let known = self.database.list_settled(&differing)?;
        let (settled, new): (Vec<_>, Vec<_>) =
            differing.into_iter().partition(|finding| known.contains(&key_of(finding)));
        let of_class = |class| findings.iter().filter(move |found| found.class == class);
        let elsewhere = of_class(Class::OtherTerminal).map(|found| found.bill_fen.unwrap_or(0));
        Ok(BillPlan {
            matched: of_class(Class::Matched).count(),
            elsewhere: (elsewhere.clone().count(), elsewhere.sum()),
            differences: new.into_iter().filter_map(to_difference).collect(),
            settled,
            ask_again: self.database.list_to_ask_again((row.begin, row.end), WATCH)?,
            bridge: self.bridge(&row, &sides),
            is_next_day_in: self.database.list_bill_days()?.iter().any(|next| next.begin == row.end),
            day: row,
        })
    }

    fn scope<'a>(&self, bill_day: &'a str, begin: UtcMs, end: UtcMs) -> Scope<'a> {
        let business_days = (self.day_of(begin), self.day_of(end));
        Scope::Day { bill_day, begin, end, account: self.gateway.account().0, business_days }
    }

    fn compare(&self, sides: &Sides) -> Vec<Finding> {
        let rows: Vec<BillRow> = sides.lines.iter().map(|line| self.bill_row(line)).collect();
        reconcile(&sides.coverage, &rows, &sides.books)
    }

    fn bill_row(&self, line: &LineRow) -> BillRow {
        BillRow {
            out_trade_no: line.out_trade_no.clone(),
            trade_no: line.trade_no.clone(),
            kind: line.kind,
            out_request_no: line.out_request_no.clone(),
            at: line.finished_at,
            amount_fen: line.order_fen,
            whose: self.whose(line),
        }
    }

    /// Who minted a number. We send our place with every precreate, and the bill shows it; a number that another program
    /// made up in our shape would still have to be confirmed by the gateway before it is written down.
    fn whose(&self, line: &LineRow) -> Whose {
        let is_our_shape = forgotten::read_number(&line.out_trade_no).is_some();
        let is_our_place = line.store_id == self.place.store_id && line.terminal_id == self.place.terminal_id;
        match (is_our_shape, is_our_place) {
            (true, true) => Whose::Ours,
            (true, false) => Whose::OtherTerminal,
            (false, _) => Whose::Stranger,
        }
    }

    /// How the bill's day splits into business days, for the money that is ours.
    fn bridge(&self, row: &BillDayRow, sides: &Sides) -> Vec<BridgeDay> {
        let ours: std::collections::BTreeSet<&str> =
            sides.books.iter().map(|book| book.out_trade_no.as_str()).collect();
        let mut days: BTreeMap<String, BridgeDay> = BTreeMap::new();
        let in_bill = |line: &&LineRow| line.finished_at >= row.begin && line.finished_at < row.end;
        for line in sides.lines.iter().filter(in_bill).filter(|line| ours.contains(line.out_trade_no.as_str())) {
            let business_day = self.day_of(line.finished_at);
            let day = days.entry(business_day.clone()).or_insert(BridgeDay { business_day, ..BridgeDay::default() });
            match line.kind {
                RowKind::Trade => {
                    day.count += 1;
                    day.fen += line.order_fen;
                }
                RowKind::Refund => day.refund_fen += line.order_fen,
                RowKind::Other => {}
            }
        }
        days.into_values().collect()
    }
}

fn to_difference(finding: Finding) -> Option<Difference> {
    let action = match finding.class {
        Class::Matched | Class::OtherTerminal => return None,
        Class::LocalNotPaid => Action::AskTrade,
        Class::Forgotten => Action::WriteDownAgain,
        Class::ChannelMissing => Action::OpenCase(CaseKind::ChannelMissing),
        Class::Amount => Action::OpenCase(CaseKind::AmountMismatch),
        Class::Duplicate => Action::OpenCase(CaseKind::DuplicatePayment),
        Class::RefundMissing | Class::RefundExtra => Action::AskRefund,
        Class::UnknownTrade => Action::TellAPerson,
    };
    Some(Difference { finding, action })
}

fn add_up(day: &str, (begin, end): (UtcMs, UtcMs), lines: &[&LineRow], is_fetched: bool, read_at: UtcMs) -> BillDayRow {
    let of = |kind: RowKind| lines.iter().filter(move |line| line.kind == kind);
    let count = |kind| i64::try_from(of(kind).count()).unwrap_or(i64::MAX);
    BillDayRow {
        bill_day: day.into(),
        is_fetched,
        begin,
        end,
        read_at,
        trade_count: count(RowKind::Trade),
        trade_fen: of(RowKind::Trade).map(|line| line.order_fen).sum(),
        refund_count: count(RowKind::Refund),
        refund_fen: of(RowKind::Refund).map(|line| line.order_fen).sum(),
        receipt_fen: lines.iter().map(|line| line.receipt_fen).sum(),
        fee_fen: lines.iter().map(|line| line.fee_fen).sum(),
    }
}

fn line_row(line: &BillLine) -> LineRow {
    LineRow {
        kind: match line.kind {
            BillKind::Trade => RowKind::Trade,
            BillKind::Refund => RowKind::Refund,
            BillKind::Other(_) => RowKind::Other,
        },
        trade_no: line.trade_no.clone(),
        out_trade_no: line.out_trade_no.clone(),
        out_request_no: line.out_request_no.clone(),
        finished_at: line.finished_at,
        order_fen: line.order_fen,
        receipt_fen: line.receipt_fen,
        fee_fen: line.fee_fen,
        subject: line.subject.clone(),
        store_id: line.store_id.clone(),
        terminal_id: line.terminal_id.clone(),
    }
}
