//! Bills as they were read, what our books say about their numbers, and which differences are settled.

use super::payments::{fen, read_word, trade_no};
use super::{Database, RowError, WriteError, parse};
use crate::Error;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use std::collections::BTreeMap;
use yidan_payment::{Coverage, OurBooks, OurReceipt, OurRefund, PaymentId, RowKind, TradeNo, UtcMs};

/// A day's bill that was read, and what it adds up to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BillDayRow {
    /// Which day, in Beijing.
    pub bill_day: String,
    /// Whether it was fetched from the gateway; else somebody imported a file.
    pub is_fetched: bool,
    /// When the day begins.
    pub begin: UtcMs,
    /// When it ends.
    pub end: UtcMs,
    /// When it was read.
    pub read_at: UtcMs,
    /// How many trades.
    pub trade_count: i64,
    /// Σ of their amounts, in fen.
    pub trade_fen: i64,
    /// How many refunds.
    pub refund_count: i64,
    /// Σ of their amounts, in fen; negative.
    pub refund_fen: i64,
    /// What the merchant received, refunds taken off, in fen.
    pub receipt_fen: i64,
    /// Fees in fen; negative when taken.
    pub fee_fen: i64,
}

impl BillDayRow {
    /// What is left for the merchant, in fen: received less refunded less fees.
    #[must_use]
    pub fn net_fen(&self) -> i64 {
        self.receipt_fen + self.fee_fen
    }
}

/// One line of a bill as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineRow {
    pub(crate) kind: RowKind,
    pub(crate) trade_no: TradeNo,
    pub(crate) out_trade_no: String,
    pub(crate) out_request_no: Option<String>,
    pub(crate) finished_at: UtcMs,
    pub(crate) order_fen: i64,
    pub(crate) receipt_fen: i64,
    pub(crate) fee_fen: i64,
    pub(crate) subject: String,
    pub(crate) store_id: String,
    pub(crate) terminal_id: String,
}

/// What stands beside each other: lines of bills, and our books of their numbers.
pub(crate) struct Sides {
    pub(crate) coverage: Coverage,
    pub(crate) lines: Vec<LineRow>,
    pub(crate) books: Vec<OurBooks>,
}

/// Which numbers to put beside each other.
pub(crate) enum Scope<'a> {
    /// Everything in a day's bill, and all money of ours that must stand in it.
    Day {
        bill_day: &'a str,
        begin: UtcMs,
        end: UtcMs,
        /// Whose bill it is: money of other accounts stands in other bills.
        account: String,
        /// Business days that money of that day may count for.
        business_days: (String, String),
    },
    /// One number.
    Number(&'a str),
}

/// Replaces a day's bill.
pub(crate) fn save_bill_day(
    transaction: &Transaction<'_>,
    day: &BillDayRow,
    lines: &[&LineRow],
) -> Result<(), WriteError> {
    transaction.execute("delete from bill_lines where bill_day = ?1", [&day.bill_day])?;
    transaction.execute("delete from bill_days where bill_day = ?1", [&day.bill_day])?;
    transaction.execute(
        "insert into bill_days (bill_day, origin, begin_ms, end_ms, read_at_ms, trade_count, trade_fen, refund_count,
                                refund_fen, receipt_fen, fee_fen)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            day.bill_day,
            if day.is_fetched { "FETCHED" } else { "IMPORTED" },
            day.begin.0,
            day.end.0,
            day.read_at.0,
            day.trade_count,
            day.trade_fen,
            day.refund_count,
            day.refund_fen,
            day.receipt_fen,
            day.fee_fen,
        ],
    )?;
    let mut statement = transaction.prepare_cached(
        "insert into bill_lines (bill_day, line, kind, trade_no, out_trade_no, out_request_no, finished_at_ms, order_fen,
                                 receipt_fen, fee_fen, subject, store_id, terminal_id)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    )?;
    for (line, place) in lines.iter().zip(1_i64..) {
        statement.execute(params![
            day.bill_day,
            place,
            kind_word(line.kind),
            line.trade_no.as_str(),
            line.out_trade_no,
            line.out_request_no,
            line.finished_at.0,
            line.order_fen,
            line.receipt_fen,
            line.fee_fen,
            line.subject,
            line.store_id,
            line.terminal_id,
        ])?;
    }
    Ok(())
}

impl Database {
    /// A day's bill, if it was read.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn find_bill_day(&self, bill_day: &str) -> Result<Option<BillDayRow>, Error> {
        Ok(self.list_bill_days()?.into_iter().find(|day| day.bill_day == bill_day))
    }

    /// Whether a day's bill was read.
    pub(crate) fn is_bill_in(&self, bill_day: &str) -> Result<bool, Error> {
        self.read("look for a bill", |connection| {
            let mut statement = connection.prepare_cached("select 1 from bill_days where bill_day = ?1")?;
            Ok(statement.exists([bill_day])?)
        })
    }

    /// The days whose bills were read, the newest first.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_bill_days(&self) -> Result<Vec<BillDayRow>, Error> {
        self.read("list the bills", |connection| {
            let mut statement = connection.prepare_cached(
                "select bill_day, origin, begin_ms, end_ms, read_at_ms, trade_count, trade_fen, refund_count, refund_fen,
                        receipt_fen, fee_fen
                 from bill_days order by bill_day desc",
            )?;
            statement.query_and_then([], read_bill_day)?.collect()
        })
    }

    /// Payments that ended without a trade, whose last code was surely over in `[begin, end)`, and that nobody has asked
    /// for since that day's bill came. `life`: how long a code may live.
    pub(crate) fn list_to_ask_again(
        &self,
        (begin, end): (UtcMs, UtcMs),
        life: std::time::Duration,
    ) -> Result<Vec<PaymentId>, Error> {
        self.read("list payments to ask for again", |connection| {
            let mut statement = connection.prepare_cached(
                "select p.pay_id from payments p
                 where p.status in ('CLOSED', 'FAIL') and p.trade_seen = 0
                   and p.precreated_at_ms >= ?1 and p.precreated_at_ms < ?2
                   and not exists (select 1 from bill_asked_again a where a.pay_id = p.pay_id)
                 order by p.precreated_at_ms",
            )?;
            let range = params![begin.before(life).0, end.before(life).0];
            statement.query_and_then(range, |row| parse(&row.get::<_, String>(0)?))?.collect()
        })
    }

    /// Reads what is to be compared.
    pub(crate) fn load_sides(&self, scope: &Scope<'_>) -> Result<Sides, Error> {
        self.read("compare a bill with the books", |connection| {
            choose_numbers(connection, scope)?;
            Ok(Sides {
                coverage: load_coverage(connection)?,
                lines: list_lines(connection)?,
                books: list_books(connection)?,
            })
        })
    }
}

/// What was sold under a number, as the bill has it.
pub(crate) fn find_bill_subject(connection: &Connection, out_trade_no: &str) -> Result<Option<String>, RowError> {
    let mut statement =
        connection.prepare_cached("select subject from bill_lines where out_trade_no = ?1 order by line limit 1")?;
    Ok(statement.query_row([out_trade_no], |row| row.get(0)).optional()?)
}

/// Puts the numbers in question where the queries below find them.
fn choose_numbers(connection: &Connection, scope: &Scope<'_>) -> Result<(), RowError> {
    connection.execute_batch(
        "create temp table if not exists numbers (out_trade_no text primary key) strict, without rowid;
         delete from numbers;",
    )?;
    match scope {
        Scope::Number(number) => {
            connection.execute("insert into numbers values (?1)", [number])?;
        }
        Scope::Day { bill_day, begin, end, account, business_days: (first, last) } => {
            connection.execute(
                "insert into numbers
                 select out_trade_no from bill_lines where bill_day = ?1
                 union
                 select p.out_trade_no from receipts r join payments p using (pay_id)
                 where r.business_day between ?4 and ?5 and p.account = ?6
                   and coalesce(r.paid_at_ms, p.booked_at_ms) >= ?2 and coalesce(r.paid_at_ms, p.booked_at_ms) < ?3
                 union
                 select p.out_trade_no from journal j join payments p using (pay_id)
                 where j.kind = 'refunded' and j.at_ms >= ?2 and j.at_ms < ?3 and p.account = ?6",
                params![bill_day, begin.0, end.0, first, last, account],
            )?;
        }
    }
    Ok(())
}

fn load_coverage(connection: &Connection) -> Result<Coverage, RowError> {
    let mut statement = connection.prepare_cached("select begin_ms, end_ms from bill_days")?;
    let days = statement.query_and_then([], |row| Ok::<_, RowError>((UtcMs(row.get(0)?), UtcMs(row.get(1)?))))?;
    Ok(Coverage::of(days.collect::<Result<_, _>>()?))
}

fn list_lines(connection: &Connection) -> Result<Vec<LineRow>, RowError> {
    let mut statement = connection.prepare_cached(
        "select l.kind, l.trade_no, l.out_trade_no, l.out_request_no, l.finished_at_ms, l.order_fen, l.receipt_fen,
                l.fee_fen, l.subject, l.store_id, l.terminal_id
         from numbers n join bill_lines l using (out_trade_no)",
    )?;
    statement
        .query_and_then([], |row| {
            let kind: String = row.get(0)?;
            Ok(LineRow {
                kind: KINDS.into_iter().find(|known| kind_word(*known) == kind).ok_or(RowError::Unreadable(kind))?,
                trade_no: trade_no(row.get(1)?)?,
                out_trade_no: row.get(2)?,
                out_request_no: row.get(3)?,
                finished_at: UtcMs(row.get(4)?),
                order_fen: row.get(5)?,
                receipt_fen: row.get(6)?,
                fee_fen: row.get(7)?,
                subject: row.get(8)?,
                store_id: row.get(9)?,
                terminal_id: row.get(10)?,
            })
        })?
        .collect()
}

const KINDS: [RowKind; 3] = [RowKind::Trade, RowKind::Refund, RowKind::Other];

fn kind_word(kind: RowKind) -> &'static str {
    match kind {
        RowKind::Trade => "TRADE",
        RowKind::Refund => "REFUND",
        RowKind::Other => "OTHER",
    }
}

fn list_books(connection: &Connection) -> Result<Vec<OurBooks>, RowError> {
    let mut books = BTreeMap::new();
    let mut statement = connection.prepare_cached(
        "select p.pay_id, p.out_trade_no, p.booked_at_ms from numbers n join payments p using (out_trade_no)",
    )?;
    for book in statement.query_and_then([], read_book)? {
        let book = book?;
        books.insert(book.pay_id, book);
    }
    let mut statement = connection.prepare_cached(
        "select p.pay_id, r.trade_no, r.total_fen, r.paid_at_ms
         from numbers n join payments p using (out_trade_no) join receipts r using (pay_id) order by r.trade_no",
    )?;
    for receipt in statement.query_and_then([], read_receipt)? {
        let (pay_id, receipt) = receipt?;
        books.entry(pay_id).and_modify(|book: &mut OurBooks| book.receipts.push(receipt));
    }
    let mut statement = connection.prepare_cached(
        "select p.pay_id, f.trade_no, f.out_request_no, f.amount_fen, f.status,
                (select max(j.at_ms) from journal j where j.pay_id = p.pay_id and j.kind = 'refunded')
         from numbers n join payments p using (out_trade_no) join refunds f using (pay_id) order by p.pay_id, f.position",
    )?;
    for refund in statement.query_and_then([], read_refund)? {
        let (pay_id, refund, refunded_at) = refund?;
        books.entry(pay_id).and_modify(|book| {
            book.refunds.push(refund);
            book.refunded_at = refunded_at;
        });
    }
    Ok(books.into_values().collect())
}

fn read_book(row: &Row<'_>) -> Result<OurBooks, RowError> {
    Ok(OurBooks {
        pay_id: parse(&row.get::<_, String>(0)?)?,
        out_trade_no: row.get(1)?,
        receipts: Vec::new(),
        booked_at: row.get::<_, Option<i64>>(2)?.map(UtcMs),
        refunds: Vec::new(),
        refunded_at: None,
    })
}

fn read_receipt(row: &Row<'_>) -> Result<(PaymentId, OurReceipt), RowError> {
    let receipt = OurReceipt {
        trade_no: trade_no(row.get(1)?)?,
        total: fen(row.get(2)?)?,
        paid_at: row.get::<_, Option<i64>>(3)?.map(UtcMs),
    };
    Ok((parse(&row.get::<_, String>(0)?)?, receipt))
}

fn read_refund(row: &Row<'_>) -> Result<(PaymentId, OurRefund, Option<UtcMs>), RowError> {
    let refund = OurRefund {
        trade_no: trade_no(row.get(1)?)?,
        out_request_no: row.get(2)?,
        amount: fen(row.get(3)?)?,
        status: read_word(row, 4)?,
    };
    Ok((parse(&row.get::<_, String>(0)?)?, refund, row.get::<_, Option<i64>>(5)?.map(UtcMs)))
}

fn read_bill_day(row: &Row<'_>) -> Result<BillDayRow, RowError> {
    Ok(BillDayRow {
        bill_day: row.get(0)?,
        is_fetched: row.get::<_, String>(1)? == "FETCHED",
        begin: UtcMs(row.get(2)?),
        end: UtcMs(row.get(3)?),
        read_at: UtcMs(row.get(4)?),
        trade_count: row.get(5)?,
        trade_fen: row.get(6)?,
        refund_count: row.get(7)?,
        refund_fen: row.get(8)?,
        receipt_fen: row.get(9)?,
        fee_fen: row.get(10)?,
    })
}
