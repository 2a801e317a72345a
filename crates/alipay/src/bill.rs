//! One day's bill as Alipay writes it: every trade and every refund that was finished that day.
//!
//! Must always hold: a bill is whole or refused. It ends with its end line, its rows add up to its own totals, and no
//! number in it was changed by a spreadsheet. Columns are found by name. The text is read row by row, as bytes: in GBK
//! no second byte is a comma, a quote or a line end. The buyer's column is never read.

use crate::{beijing::read_beijing, bill_day::BillDay, bill_totals::Totals};
use csv::ByteRecord;
use encoding_rs::{Encoding, GB18030, UTF_8};
use std::{borrow::Cow, io::BufRead};
use yidan_payment::{TradeNo, UtcMs};

const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";
const LIST_END: &str = "业务明细列表结束";

/// A day's bill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bill {
    /// The account it is about (the merchant's number and `0156`), as the bill states it.
    pub account: Option<String>,
    /// From when (inclusive).
    pub begin: Option<UtcMs>,
    /// Until when (exclusive).
    pub end: Option<UtcMs>,
    /// Trades and refunds, in the order of the file.
    pub lines: Vec<BillLine>,
    /// What they add up to.
    pub totals: Totals,
}

/// One trade, or one refund of a trade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BillLine {
    /// Alipay's number; a refund carries the one of its trade.
    pub trade_no: TradeNo,
    /// The merchant's number: ours, or that of another program of the same merchant.
    pub out_trade_no: String,
    /// The number of the refund.
    pub out_request_no: Option<String>,
    /// What happened.
    pub kind: BillKind,
    /// What was sold.
    pub subject: String,
    /// When it was finished; by this the bill's day is cut.
    pub finished_at: UtcMs,
    /// The merchant's store number.
    pub store_id: String,
    /// The merchant's till number.
    pub terminal_id: String,
    /// The order's amount in fen; negative on refunds.
    pub order_fen: i64,
    /// What the merchant received, in fen; negative on refunds.
    pub receipt_fen: i64,
    /// What the merchant gave as a discount, in fen; negative on refunds.
    pub merchant_discount_fen: i64,
    /// The fee in fen: negative when it was taken, positive when it was given back.
    pub fee_fen: i64,
}

/// What a line of the bill is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BillKind {
    /// 交易
    Trade,
    /// 退款
    Refund,
    /// A kind that this program does not know, in Alipay's word. A person must look at it.
    Other(String),
}

/// Why a bill is refused as a whole.
#[derive(Debug, thiserror::Error)]
pub enum BillError {
    /// The file could not be read, or is damaged.
    #[error("the bill cannot be read")]
    Unreadable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A web page, or a file of another kind.
    #[error("this is not a bill of Alipay")]
    NotABill,
    /// Numbers like `2.02611E+27`, times without seconds.
    #[error("the file was changed by a spreadsheet (row {0}): download it again and do not open it")]
    ChangedBySpreadsheet(usize),
    /// A column that must be there is not.
    #[error("the bill has no column {0}")]
    NoColumn(&'static str),
    /// A row that cannot be understood.
    #[error("row {row} of the bill has no usable {column}")]
    BadRow {
        /// Counted from the first row of the file, comments included.
        row: usize,
        /// Which column.
        column: &'static str,
    },
    /// It stops before its end line and totals.
    #[error("the bill is cut off")]
    CutOff,
    /// The rows do not add up to the bill's own totals.
    #[error("the rows do not add up to the bill's own totals")]
    WrongTotals,
    /// It is about another day than the one asked for.
    #[error("the bill is about another day")]
    OtherDay,
    /// It is about another merchant's account.
    #[error("the bill is about another account")]
    OtherAccount,
    /// More than a bill ever holds, or a hostile archive.
    #[error("the archive is not one that Alipay makes: {0}")]
    HostileArchive(&'static str),
}

impl Bill {
    /// Reads the detail file of a bill (业务明细): GBK or UTF-8, CRLF or LF.
    ///
    /// # Errors
    /// See [`BillError`]. No row of a refused bill is used.
    pub fn read(mut text: impl BufRead) -> Result<Bill, BillError> {
        let charset = find_charset(text.fill_buf().map_err(unreadable)?);
        let mut rows = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
        let mut reader = Reader { charset, bill: Bill::default(), columns: None, stated: Vec::new(), is_ended: false };
        let mut row = ByteRecord::new();
        let mut number = 0;
        while rows.read_byte_record(&mut row).map_err(unreadable)? {
            number += 1;
            reader.take(&row, number)?;
        }
        reader.finish()
    }
}

impl Bill {
    /// Checks that a bill is about a merchant's account (its number begins the account's), as far as it says.
    ///
    /// # Errors
    /// [`BillError::OtherAccount`].
    pub fn check_account(&self, seller_id: &str) -> Result<(), BillError> {
        match &self.account {
            Some(account) if !account.starts_with(seller_id) => Err(BillError::OtherAccount),
            Some(_) | None => Ok(()),
        }
    }

    /// Checks that a bill is about a day, as far as it says.
    ///
    /// # Errors
    /// [`BillError::OtherDay`].
    pub fn check_day(&self, day: BillDay) -> Result<(), BillError> {
        match self.begin {
            Some(begin) if BillDay::of(begin) != day => Err(BillError::OtherDay),
            Some(_) | None => Ok(()),
        }
    }
}

fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> BillError {
    BillError::Unreadable(Box::new(error))
}

/// Real bills are GBK. One that begins as UTF-8 was saved again by some program.
fn find_charset(begin: &[u8]) -> &'static Encoding {
    let is_utf8 = begin.starts_with(UTF8_MARK) || begin.starts_with("#支付宝".as_bytes());
    if is_utf8 { UTF_8 } else { GB18030 }
}

struct Reader {
    charset: &'static Encoding,
    bill: Bill,
    columns: Option<Columns>,
    stated: Vec<String>,
    is_ended: bool,
}

impl Reader {
    fn take(&mut self, record: &ByteRecord, row: usize) -> Result<(), BillError> {
        let first = self.decode(record.get(0).unwrap_or_default());
        let first = first.trim_start_matches('\u{feff}');
        if first.starts_with('#') {
            let text = self.decode(record.as_slice()).into_owned();
            self.take_comment(&text);
            return Ok(());
        }
        match &self.columns {
            None => self.columns = Some(self.find_columns(record)?),
            Some(columns) => {
                let bill_line = columns.read(&|index| self.field(record, index), row)?;
                self.bill.totals.add(&bill_line);
                self.bill.lines.push(bill_line);
            }
        }
        Ok(())
    }

    fn take_comment(&mut self, text: &str) {
        if text.contains(LIST_END) {
            self.is_ended = true;
        } else if let Some(account) = bracketed(text, "账号") {
            self.bill.account = Some(account.to_owned());
        } else if text.contains("起始日期") {
            self.bill.begin = bracketed(text, "起始日期").and_then(read_chinese_date);
            self.bill.end = bracketed(text, "终止日期").and_then(read_chinese_date);
        } else if text.contains("合计") {
            self.stated.push(text.to_owned());
        }
    }

    fn find_columns(&self, row: &ByteRecord) -> Result<Columns, BillError> {
        let name = |index| self.field(row, index).replace('（', "(").replace('）', ")");
        Columns::find(&(0..row.len()).map(name).collect::<Vec<_>>())
    }

    fn field(&self, row: &ByteRecord, index: usize) -> String {
        self.decode(row.get(index).unwrap_or_default()).trim().to_owned()
    }

    fn decode<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        self.charset.decode_without_bom_handling(bytes).0
    }

    fn finish(self) -> Result<Bill, BillError> {
        if self.columns.is_none() {
            return Err(BillError::NotABill);
        }
        if !self.is_ended {
            return Err(BillError::CutOff);
        }
        self.bill.totals.check(&self.stated)?;
        Ok(self.bill)
    }
}

/// `#账号：[2088…0156]`
fn bracketed<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(name)?.1.split_once('[')?;
    Some(rest.split_once(']')?.0)
}

/// `2026年11月29日 00:00:00`
fn read_chinese_date(text: &str) -> Option<UtcMs> {
    read_beijing(&text.replace(['年', '月'], "-").replace('日', ""))
}

/// Where the columns stand that this program reads.
struct Columns {
    trade_no: usize,
    out_trade_no: usize,
    kind: usize,
    finished_at: usize,
    order: usize,
    receipt: usize,
    subject: Option<usize>,
    store_id: Option<usize>,
    terminal_id: Option<usize>,
    out_request_no: Option<usize>,
    merchant_discount: Option<usize>,
    fee: Option<usize>,
}

impl Columns {
    fn find(names: &[String]) -> Result<Columns, BillError> {
        let find = |name: &str| names.iter().position(|found| found == name);
        if find("支付宝交易号").is_none() {
            return Err(BillError::NotABill);
        }
        let must = |name: &'static str| find(name).ok_or(BillError::NoColumn(name));
        Ok(Columns {
            trade_no: must("支付宝交易号")?,
            out_trade_no: must("商户订单号")?,
            kind: must("业务类型")?,
            finished_at: must("完成时间")?,
            order: must("订单金额(元)")?,
            receipt: must("商家实收(元)")?,
            subject: find("商品名称"),
            store_id: find("门店编号"),
            terminal_id: find("终端号"),
            out_request_no: find("退款批次号/请求号"),
            merchant_discount: find("商家优惠(元)"),
            fee: find("服务费(元)"),
        })
    }

    fn read(&self, field: &impl Fn(usize) -> String, row: usize) -> Result<BillLine, BillError> {
        let optional = |column: Option<usize>| column.map(field).unwrap_or_default();
        let (trade_no, out_trade_no) = (field(self.trade_no), field(self.out_trade_no));
        if is_scientific(&trade_no) || is_scientific(&out_trade_no) {
            return Err(BillError::ChangedBySpreadsheet(row));
        }
        let bad = |column| BillError::BadRow { row, column };
        let fen = |column: usize, name| read_fen(&field(column)).ok_or(bad(name));
        let optional_fen = |column: Option<usize>, name| match optional(column).as_str() {
            "" => Ok(0),
            text => read_fen(text).ok_or(bad(name)),
        };
        let finished_at = field(self.finished_at);
        Ok(BillLine {
            trade_no: TradeNo::new(trade_no).map_err(|_| bad("支付宝交易号"))?,
            out_trade_no,
            out_request_no: Some(optional(self.out_request_no)).filter(|number| !number.is_empty()),
            kind: read_kind(field(self.kind)),
            subject: optional(self.subject),
            finished_at: read_beijing(&finished_at).ok_or_else(|| unusable_time(&finished_at, row))?,
            store_id: optional(self.store_id),
            terminal_id: optional(self.terminal_id),
            order_fen: fen(self.order, "订单金额")?,
            receipt_fen: fen(self.receipt, "商家实收")?,
            merchant_discount_fen: optional_fen(self.merchant_discount, "商家优惠")?,
            fee_fen: optional_fen(self.fee, "服务费")?,
        })
    }
}

fn read_kind(text: String) -> BillKind {
    match text.as_str() {
        "交易" => BillKind::Trade,
        "退款" => BillKind::Refund,
        _ => BillKind::Other(text),
    }
}

/// `2.02611E+27`: a spreadsheet took a number of 28 digits for an amount.
fn is_scientific(text: &str) -> bool {
    text.to_ascii_uppercase().contains("E+") && text.starts_with(|c: char| c.is_ascii_digit())
}

/// `2026/11/29 8:13`: a spreadsheet again.
fn unusable_time(text: &str, row: usize) -> BillError {
    match text.contains('/') {
        true => BillError::ChangedBySpreadsheet(row),
        false => BillError::BadRow { row, column: "完成时间" },
    }
}

/// An amount in yuan with at most two decimals, perhaps negative.
pub(crate) fn read_fen(text: &str) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let (yuan, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(yuan) || !is_digits(decimals) || decimals.len() > 2 {
        return None;
    }
    let cents: i64 = format!("{decimals:0<2}").parse().ok()?;
    Some(sign * (yuan.parse::<i64>().ok()? * 100 + cents))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_in_a_bill() {
        for (text, fen) in [("1.00", 100), ("-38.80", -3880), ("0", 0), ("19.9", 1990), ("-0.01", -1), ("0.00", 0)] {
            assert_eq!(read_fen(text), Some(fen), "{text}");
        }
        for bad in ["", "-", "1e2", "1,000.00", "0.001", "1.", ".5", "--1", "9999999999999999"] {
            assert_eq!(read_fen(bad), None, "{bad}");
        }
    }
}
