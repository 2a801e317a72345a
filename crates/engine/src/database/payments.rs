//! Payments with their receipts and refunds: read whole, written by version.

use super::refunds::{list_refunds, release_number, save_refund};
use super::{Database, RowError, WriteError, parse};
use crate::Error;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde::de::value::StrDeserializer;
use std::sync::LazyLock;
use yidan_payment::{
    Account, Booked, Fen, Hash, Method, OutTradeNo, Payment, PaymentId, QrCode, Receipt, RefundId, SaleId, Statement,
    Status, StoppedBy, TradeNo, UtcMs,
};

const COLUMNS: &str = "pay_id, order_id, sale_id, method, account, out_trade_no, amount_fen, status, reason, trade_no, \
                       trade_seen, request_body, qr_code, code_expires_at_ms, stopped_by, close_sent_at_ms, \
                       precreated_at_ms, dead_after_ms, watch_at_ms, booked_at_ms, version, created_at_ms, \
                       body_expires_at_ms";
/// Most payments have no money yet: whether any is there is asked along, and only then it is read.
static BY_ID: LazyLock<String> = LazyLock::new(|| {
    format!(
        "select {COLUMNS}, exists (select 1 from receipts r where r.pay_id = p.pay_id),
                exists (select 1 from refunds f where f.pay_id = p.pay_id)
         from payments p where pay_id = ?1"
    )
});

pub(crate) fn insert_payment(transaction: &Transaction<'_>, payment: &Payment) -> Result<(), WriteError> {
    transaction
        .prepare_cached(
            "insert into payments (pay_id, order_id, sale_id, channel, method, account, out_trade_no, amount_fen, status,
                                   trade_seen, version, created_at_ms, updated_at_ms)
             values (?1, ?2, ?3, 'ALIPAY', ?4, ?5, ?6, ?7, ?8, 0, ?9, ?10, ?10)",
        )?
        .execute(params![
            payment.pay_id.to_string(),
            payment.order_id.to_string(),
            payment.sale_id.to_string(),
            word(&payment.method),
            payment.account.0,
            payment.out_trade_no.as_str(),
            payment.amount.as_fen(),
            payment.status.name().as_str(),
            payment.version,
            payment.created_at.0,
        ])?;
    Ok(())
}

/// Takes a buyer's code for a payment, by its hash. A code that was taken before is refused.
pub(crate) fn insert_code(transaction: &Transaction<'_>, hash: Hash, pay_id: PaymentId) -> Result<(), WriteError> {
    let taken = transaction
        .prepare_cached("insert into buyer_codes (code_hash, pay_id) values (?1, ?2) on conflict do nothing")?
        .execute(params![hash.to_string(), pay_id.to_string()])?;
    if taken == 0 {
        return Err(WriteError::Refused(Error::CodeUsed));
    }
    Ok(())
}

/// Writes a changed payment over the version it was read as. Zero rows means that somebody was faster.
pub(crate) fn save_payment(
    transaction: &Transaction<'_>,
    before: &Payment,
    after: &Payment,
    now: UtcMs,
    new_refund_id: impl Fn() -> RefundId,
    business_day: impl Fn(UtcMs) -> String,
) -> Result<(), WriteError> {
    let changed = transaction
        .prepare_cached(
            "update payments set status = ?3, reason = ?4, trade_no = ?5, trade_seen = ?6, request_body = ?7, qr_code = ?8,
                 code_expires_at_ms = ?9, stopped_by = ?10, close_sent_at_ms = ?11, precreated_at_ms = ?12,
                 dead_after_ms = ?13, watch_at_ms = ?14, booked_at_ms = ?15, body_expires_at_ms = ?17, version = version + 1, updated_at_ms = ?16
             where pay_id = ?1 and version = ?2",
        )?
        .execute(params![
            before.pay_id.to_string(),
            before.version,
            after.status.name().as_str(),
            after.status.reason(),
            after.trade_no.as_ref().map(TradeNo::as_str),
            after.trade_seen,
            after.request_body,
            after.qr_code.as_ref().map(QrCode::as_str),
            ms(after.code_expires_at),
            after.stopped_by.as_ref().map(word),
            ms(after.close_sent_at),
            ms(after.precreated_at),
            ms(after.dead_after),
            ms(after.watch_at),
            ms(after.booked_at),
            now.0,
            ms(after.body_expires_at),
        ])?;
    if changed == 0 {
        return Err(RowError::Raced.into());
    }
    for receipt in after.receipts.iter().filter(|receipt| !before.receipts.contains(receipt)) {
        save_receipt(transaction, after, receipt, &business_day(receipt.paid_at.unwrap_or(now)))?;
    }
    let changed =
        || after.refunds.iter().enumerate().filter(|(place, refund)| before.refunds.get(*place) != Some(*refund));
    // A number may pass from one refund to another: all are let go before one is taken.
    for (position, _) in changed() {
        release_number(transaction, after.pay_id, position)?;
    }
    for (position, refund) in changed() {
        save_refund(transaction, after.pay_id, position, refund, new_refund_id())?;
    }
    Ok(())
}

fn save_receipt(
    transaction: &Transaction<'_>,
    payment: &Payment,
    receipt: &Receipt,
    business_day: &str,
) -> Result<(), WriteError> {
    transaction
        .prepare_cached(
            "insert into receipts (account, trade_no, pay_id, total_fen, receipt_fen, paid_at_ms, business_day, booked, sale_id)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
             on conflict (account, trade_no) do update set booked = excluded.booked, sale_id = excluded.sale_id
             where pay_id = excluded.pay_id",
        )?
        .execute(params![
            payment.account.0,
            receipt.trade_no.as_str(),
            payment.pay_id.to_string(),
            receipt.total.as_fen(),
            receipt.receipt.as_fen(),
            ms(receipt.paid_at),
            business_day,
            word(&receipt.booked),
            receipt.sale_id.map(|id| id.to_string()),
        ])?;
    Ok(())
}

/// Keeps a statement as received. That it is known says nothing about its effect.
pub(crate) fn keep_statement(
    transaction: &Transaction<'_>,
    pay_id: PaymentId,
    statement: &Statement,
) -> Result<(), WriteError> {
    transaction
        .prepare_cached(
            "insert into evidence (pay_id, source, hash, text, signature, cert_sn, asked_at_ms, answered_at_ms)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) on conflict do nothing",
        )?
        .execute(params![
            pay_id.to_string(),
            statement.proof.source.as_str(),
            Hash::of(statement.proof.text.as_bytes()).to_string(),
            statement.proof.text,
            statement.proof.signature,
            statement.proof.cert_sn,
            statement.asked_at.0,
            ms(statement.answered_at),
        ])?;
    Ok(())
}

pub(crate) fn find_payment(connection: &Connection, pay_id: PaymentId) -> Result<Option<Payment>, RowError> {
    let read = |row: &Row<'_>| Ok::<_, RowError>((read_payment(row)?, row.get(23)?, row.get(24)?));
    let found = connection.prepare_cached(&BY_ID)?.query_and_then([pay_id.to_string()], read)?.next().transpose()?;
    let Some((mut payment, has_receipts, has_refunds)) = found else { return Ok(None) };
    if has_receipts {
        payment.receipts = list_receipts(connection, pay_id)?;
    }
    if has_refunds {
        payment.refunds = list_refunds(connection, pay_id)?;
    }
    Ok(Some(payment))
}

fn list_receipts(connection: &Connection, pay_id: PaymentId) -> Result<Vec<Receipt>, RowError> {
    let mut statement = connection.prepare_cached(
        "select trade_no, total_fen, receipt_fen, paid_at_ms, booked, sale_id from receipts where pay_id = ?1 order by trade_no",
    )?;
    statement
        .query_and_then([pay_id.to_string()], |row| {
            Ok(Receipt {
                trade_no: trade_no(row.get(0)?)?,
                total: fen(row.get(1)?)?,
                receipt: fen(row.get(2)?)?,
                paid_at: row.get::<_, Option<i64>>(3)?.map(UtcMs),
                booked: read_word::<Booked>(row, 4)?,
                sale_id: row.get::<_, Option<String>>(5)?.as_deref().map(parse).transpose()?,
            })
        })?
        .collect()
}

impl Database {
    /// Reads a payment with its money.
    ///
    /// # Errors
    /// [`Error::NoSuchPayment`]; [`Error::Storage`].
    pub fn load_payment(&self, pay_id: PaymentId) -> Result<Payment, Error> {
        self.read("read a payment", |connection| find_payment(connection, pay_id))?.ok_or(Error::NoSuchPayment(pay_id))
    }

    /// Payments that may still bring money, the oldest first.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_live(&self) -> Result<Vec<PaymentId>, Error> {
        self.list_ids(
            "select pay_id from payments where status in ('INIT', 'PRECREATED', 'PAYING', 'CLOSING') order by created_at_ms",
            &[],
        )
    }

    /// Those of them whose order came from `source`, the oldest first.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub(crate) fn list_live_from(&self, source: &str) -> Result<Vec<PaymentId>, Error> {
        self.list_ids(
            "select p.pay_id from payments p join orders o using (order_id)
             where p.status in ('INIT', 'PRECREATED', 'PAYING', 'CLOSING') and o.source = ?1 order by p.created_at_ms",
            &[&source],
        )
    }

    /// Those of them that may stand in the way of a new order of this amount, the oldest first: those that are closing
    /// do so only for the same amount.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub(crate) fn list_in_the_way(&self, source: &str, amount: Fen) -> Result<Vec<PaymentId>, Error> {
        self.list_ids(
            "select p.pay_id from payments p join orders o using (order_id)
             where p.status in ('INIT', 'PRECREATED', 'PAYING', 'CLOSING') and o.source = ?1
                   and (p.status <> 'CLOSING' or p.amount_fen = ?2) order by p.created_at_ms",
            &[&source, &amount.as_fen()],
        )
    }

    /// Payments that are over and must be asked once more, and when.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_watched(&self) -> Result<Vec<(PaymentId, UtcMs)>, Error> {
        self.read("list watched payments", |connection| {
            let mut statement = connection.prepare_cached(
                "select pay_id, watch_at_ms from payments where watch_at_ms is not null order by watch_at_ms",
            )?;
            statement.query_and_then([], |row| Ok((parse(&row.get::<_, String>(0)?)?, UtcMs(row.get(1)?))))?.collect()
        })
    }

    /// The payment with this number of ours.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn find_by_out_trade_no(&self, out_trade_no: &OutTradeNo) -> Result<Option<PaymentId>, Error> {
        let found = self.list_ids("select pay_id from payments where out_trade_no = ?1", &[&out_trade_no.as_str()])?;
        Ok(found.into_iter().next())
    }

    /// Payments whose books contradict themselves. Always empty, unless this program is wrong.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_unbalanced(&self) -> Result<Vec<PaymentId>, Error> {
        self.list_ids("select pay_id from books_that_do_not_balance", &[])
    }

    fn list_ids(&self, sql: &str, parameters: &[&dyn rusqlite::ToSql]) -> Result<Vec<PaymentId>, Error> {
        self.read("list payments", |connection| {
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_and_then(parameters, |row| parse(&row.get::<_, String>(0)?))?.collect()
        })
    }
}

/// Live payments of a sale.
pub(crate) fn list_live_of_sale(connection: &Connection, sale_id: SaleId) -> Result<Vec<PaymentId>, RowError> {
    connection
        .prepare_cached(
            "select pay_id from payments where sale_id = ?1 and status in ('INIT', 'PRECREATED', 'PAYING', 'CLOSING')",
        )?
        .query_and_then([sale_id.to_string()], |row| parse(&row.get::<_, String>(0)?))?
        .collect()
}

/// Whether money has come and not gone back on any payment of the sale but `except`.
pub(crate) fn has_money(connection: &Connection, sale_id: SaleId, except: Option<PaymentId>) -> Result<bool, RowError> {
    let found: Option<i64> = connection
        .prepare_cached(
            "select 1 from payments p where p.sale_id = ?1 and p.pay_id is not ?2 and (
                 p.status = 'SUCCESS'
                 or (p.status = 'SUSPENSE'
                     and (select coalesce(sum(r.total_fen), 0) from receipts r where r.pay_id = p.pay_id)
                       > (select coalesce(sum(f.amount_fen), 0) from refunds f
                          where f.pay_id = p.pay_id and f.status = 'SUCCESS')))
             limit 1",
        )?
        .query_row(params![sale_id.to_string(), except.map(|id| id.to_string())], |row| row.get(0))
        .optional()?;
    Ok(found.is_some())
}

/// Whether another payment of the sale has been paid.
pub(crate) fn is_sale_paid(connection: &Connection, payment: &Payment) -> Result<bool, RowError> {
    let paid: Option<i64> = connection
        .prepare_cached("select 1 from payments where sale_id = ?1 and pay_id <> ?2 and status = 'SUCCESS' limit 1")?
        .query_row(params![payment.sale_id.to_string(), payment.pay_id.to_string()], |row| row.get(0))
        .optional()?;
    Ok(paid.is_some())
}

fn read_payment(row: &Row<'_>) -> Result<Payment, RowError> {
    let text = |column: usize| row.get::<_, String>(column);
    let id = |column: usize| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
    let moment = |column: usize| Ok::<_, RowError>(row.get::<_, Option<i64>>(column)?.map(UtcMs));
    let trade_no = row.get::<_, Option<String>>(9)?.map(trade_no).transpose()?;
    let reason: Option<String> = row.get(8)?;
    Ok(Payment {
        pay_id: parse(id(0)?)?,
        order_id: parse(id(1)?)?,
        sale_id: parse(id(2)?)?,
        method: read_word::<Method>(row, 3)?,
        account: Account(text(4)?),
        out_trade_no: OutTradeNo::new(text(5)?).map_err(|error| RowError::Unreadable(error.to_string()))?,
        amount: fen(row.get(6)?)?,
        status: Status::from_row(&text(7)?, trade_no.as_ref(), reason.as_deref())
            .map_err(|error| RowError::Unreadable(error.to_string()))?,
        trade_no,
        trade_seen: row.get(10)?,
        request_body: row.get(11)?,
        qr_code: row.get::<_, Option<String>>(12)?.map(QrCode::from),
        body_expires_at: moment(22)?,
        code_expires_at: moment(13)?,
        stopped_by: row.get::<_, Option<String>>(14)?.map(|_| read_word::<StoppedBy>(row, 14)).transpose()?,
        close_sent_at: moment(15)?,
        precreated_at: moment(16)?,
        dead_after: moment(17)?,
        watch_at: moment(18)?,
        booked_at: moment(19)?,
        receipts: Vec::new(),
        refunds: Vec::new(),
        version: row.get(20)?,
        created_at: UtcMs(row.get(21)?),
    })
}

/// The word that serde writes for a plain enum.
pub(super) fn word<T: serde::Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(error) => error.to_string(),
    }
}

pub(super) fn read_word<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<T, RowError> {
    let word = row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?;
    let read = T::deserialize(StrDeserializer::<serde::de::value::Error>::new(word));
    read.map_err(|_| RowError::Unreadable(word.to_owned()))
}

pub(super) fn ms(moment: Option<UtcMs>) -> Option<i64> {
    moment.map(|moment| moment.0)
}

pub(super) fn fen(value: i64) -> Result<Fen, RowError> {
    Fen::from_fen(value).map_err(|error| RowError::Unreadable(error.to_string()))
}

pub(super) fn trade_no(text: String) -> Result<TradeNo, RowError> {
    TradeNo::new(text).map_err(|error| RowError::Unreadable(error.to_string()))
}
