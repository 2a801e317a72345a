//! Orders: what is to be collected.

use super::{Database, RowError, WriteError, parse};
use crate::Error;
use rusqlite::{Connection, Row, Transaction, params};
use std::sync::LazyLock;
use yidan_payment::{Fen, Hash, OrderId, OrderStatus, PaymentId, RequestId, SaleId, StatusName, UtcMs};

/// An order as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderRow {
    /// Its name.
    pub order_id: OrderId,
    /// The sale it belongs to.
    pub sale_id: SaleId,
    /// The number a person reads; unique.
    pub order_no: String,
    /// `counter`, or the program it came from.
    pub source: String,
    /// That program's number.
    pub external_ref: Option<String>,
    /// How many orders this bill had before.
    pub attempt: i64,
    /// What is to be collected.
    pub amount: Fen,
    /// What the buyer reads.
    pub subject: String,
    /// Who collects.
    pub operator_id: String,
    /// The day it counts for.
    pub business_day: String,
    /// Running number of the day.
    pub day_seq: i64,
    /// The click that made it.
    pub request_id: RequestId,
    /// Hash of what was clicked.
    pub content_hash: Hash,
    /// The order it replaces.
    pub replaces: Option<OrderId>,
    /// When it was written down.
    pub created_at: UtcMs,
}

/// Which orders to find.
#[derive(Clone, Debug, Default)]
pub struct OrderSearch {
    /// Of one day, or of all days.
    pub business_day: Option<String>,
    /// Part of a number, of the subject, or an amount in yuan; empty finds all.
    pub text: String,
    /// Whose payment stands so.
    pub statuses: Vec<StatusName>,
    /// Only orders of which money went back or is going back.
    pub only_refunded: bool,
    /// Written down before this moment.
    pub before: Option<UtcMs>,
    /// At most so many.
    pub limit: i64,
}

const COLUMNS: &str = "order_id, sale_id, order_no, source, external_ref, attempt, amount_fen, subject, operator_id, \
                       business_day, day_seq, request_id, content_hash, replaces_order_id, created_at_ms";
static BY_ID: LazyLock<String> = LazyLock::new(|| format!("select {COLUMNS} from orders where order_id = ?1"));

pub(crate) fn insert_order(
    transaction: &Transaction<'_>,
    order: &OrderRow,
    status: OrderStatus,
) -> Result<(), WriteError> {
    transaction
        .prepare_cached(&format!(
            "insert into orders ({COLUMNS}, status)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)"
        ))?
        .execute(params![
            order.order_id.to_string(),
            order.sale_id.to_string(),
            order.order_no,
            order.source,
            order.external_ref,
            order.attempt,
            order.amount.as_fen(),
            order.subject,
            order.operator_id,
            order.business_day,
            order.day_seq,
            order.request_id.to_string(),
            order.content_hash.to_string(),
            order.replaces.map(|id| id.to_string()),
            order.created_at.0,
            status.as_str(),
        ])?;
    Ok(())
}

/// The order's status follows from its payment, in the same transaction.
pub(crate) fn save_order_status(
    transaction: &Transaction<'_>,
    order_id: OrderId,
    status: OrderStatus,
) -> Result<(), WriteError> {
    transaction
        .prepare_cached("update orders set status = ?2 where order_id = ?1 and status <> ?2")?
        .execute(params![order_id.to_string(), status.as_str()])?;
    Ok(())
}

/// Moves an order to another day, under a number of that day.
pub(crate) fn move_to_day(
    transaction: &Transaction<'_>,
    order_id: OrderId,
    business_day: &str,
    day_seq: i64,
    order_no: &str,
) -> Result<(), WriteError> {
    transaction
        .prepare_cached("update orders set business_day = ?2, day_seq = ?3, order_no = ?4 where order_id = ?1")?
        .execute(params![order_id.to_string(), business_day, day_seq, order_no])?;
    Ok(())
}

/// The next running number of a day.
pub(crate) fn next_day_seq(connection: &Connection, business_day: &str) -> Result<i64, RowError> {
    let last: Option<i64> = connection
        .prepare_cached("select max(day_seq) from orders where business_day = ?1")?
        .query_row([business_day], |row| row.get(0))?;
    // After a restore, running numbers of that day go on above what may have been given away.
    let floor = super::settings::find_setting(connection, "day_seq_floor")?;
    let floor = floor.as_deref().and_then(|floor| floor.split_once(' ')).filter(|(day, _)| *day == business_day);
    let floor: i64 = floor.map_or(Ok(0), |(_, number)| parse(number))?;
    Ok(last.unwrap_or(0).max(floor) + 1)
}

/// Whether a running number of a day is given away.
pub(crate) fn is_day_seq_taken(connection: &Connection, business_day: &str, day_seq: i64) -> Result<bool, RowError> {
    let mut statement = connection.prepare_cached("select 1 from orders where business_day = ?1 and day_seq = ?2")?;
    Ok(statement.exists(params![business_day, day_seq])?)
}

/// Takes a click from the order that has it here; that order goes by its own number from now on.
pub(crate) fn take_click(transaction: &Transaction<'_>, request_id: RequestId) -> Result<(), RowError> {
    let mut statement = transaction.prepare_cached("update orders set request_id = order_id where request_id = ?1")?;
    statement.execute([request_id.to_string()])?;
    Ok(())
}

pub(crate) fn load_order(connection: &Connection, order_id: OrderId) -> Result<OrderRow, RowError> {
    connection
        .prepare_cached(&BY_ID)?
        .query_and_then([order_id.to_string()], read_order)?
        .next()
        .unwrap_or_else(|| Err(RowError::Unreadable(format!("there is no order {order_id}"))))
}

impl Database {
    /// The order of a payment.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn load_order(&self, order_id: OrderId) -> Result<OrderRow, Error> {
        self.read("read an order", |connection| load_order(connection, order_id))
    }

    /// The order that this click made, and its payment.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn find_by_request(&self, request_id: RequestId) -> Result<Option<(OrderRow, PaymentId)>, Error> {
        self.find_order("o.request_id = ?1", &[&request_id.to_string()])
    }

    /// The newest order of another program's bill, and its payment.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn find_by_bill(&self, source: &str, external_ref: &str) -> Result<Option<(OrderRow, PaymentId)>, Error> {
        self.find_order("o.source = ?1 and o.external_ref = ?2", &[&source, &external_ref])
    }

    /// The order that replaces this one, and its payment.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn find_replacement(&self, order_id: OrderId) -> Result<Option<(OrderRow, PaymentId)>, Error> {
        self.find_order("o.replaces_order_id = ?1", &[&order_id.to_string()])
    }

    /// Orders of a day, or of all days, the newest first, and their payments.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_orders(
        &self,
        business_day: Option<&str>,
        text: &str,
        before: Option<UtcMs>,
        limit: i64,
    ) -> Result<Vec<(OrderRow, PaymentId)>, Error> {
        let like = format!("%{}%", text.replace(['%', '_'], ""));
        let before = before.map_or(i64::MAX, |before| before.0);
        self.list(
            "(?1 is null or o.business_day = ?1) and o.created_at_ms < ?2
             and (?3 = '%%' or o.order_no like ?3 or o.subject like ?3 or p.out_trade_no like ?3 or p.trade_no like ?3
                  or o.external_ref like ?3)
             order by o.created_at_ms desc, o.order_id desc limit ?4",
            params![business_day, before, like, limit],
        )
    }

    /// Orders that fit, the newest first, and their payments.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn search_orders(&self, search: &OrderSearch) -> Result<Vec<(OrderRow, PaymentId)>, Error> {
        let like = format!("%{}%", search.text.replace(['%', '_'], ""));
        let fen = Fen::parse(&search.text).map(Fen::as_fen).unwrap_or(-1);
        let words: Vec<&str> = search.statuses.iter().map(|status| status.as_str()).collect();
        let before = search.before.map_or(i64::MAX, |before| before.0);
        self.list(
            "(?1 is null or o.business_day = ?1) and o.created_at_ms < ?2
             and (?3 = '%%' or o.order_no like ?3 or o.subject like ?3 or p.out_trade_no like ?3 or p.trade_no like ?3
                  or o.external_ref like ?3 or o.amount_fen = ?4)
             and instr(?5, ',' || p.status || ',') > 0
             and (not ?7 or o.status in ('REFUNDING', 'PARTIALLY_REFUNDED', 'REFUNDED'))
             order by o.created_at_ms desc, o.order_id desc limit ?6",
            params![
                search.business_day,
                before,
                like,
                fen,
                format!(",{},", words.join(",")),
                search.limit,
                search.only_refunded
            ],
        )
    }

    fn find_order(
        &self,
        condition: &str,
        parameters: &[&dyn rusqlite::ToSql],
    ) -> Result<Option<(OrderRow, PaymentId)>, Error> {
        let rows = self.list(&format!("{condition} order by o.attempt desc limit 1"), parameters)?;
        Ok(rows.into_iter().next())
    }

    fn list(&self, condition: &str, parameters: &[&dyn rusqlite::ToSql]) -> Result<Vec<(OrderRow, PaymentId)>, Error> {
        let columns = COLUMNS.split(", ").map(|column| format!("o.{}", column.trim())).collect::<Vec<_>>().join(", ");
        self.read("find orders", |connection| {
            let mut statement = connection.prepare_cached(&format!(
                "select {columns}, p.pay_id from orders o join payments p using (order_id) where {condition}"
            ))?;
            statement
                .query_and_then(parameters, |row| Ok((read_order(row)?, parse(&row.get::<_, String>(15)?)?)))?
                .collect()
        })
    }
}

fn read_order(row: &Row<'_>) -> Result<OrderRow, RowError> {
    let text = |column: usize| row.get::<_, String>(column);
    let replaces: Option<String> = row.get(13)?;
    Ok(OrderRow {
        order_id: parse(&text(0)?)?,
        sale_id: parse(&text(1)?)?,
        order_no: text(2)?,
        source: text(3)?,
        external_ref: row.get(4)?,
        attempt: row.get(5)?,
        amount: Fen::from_fen(row.get(6)?).map_err(|error| RowError::Unreadable(error.to_string()))?,
        subject: text(7)?,
        operator_id: text(8)?,
        business_day: text(9)?,
        day_seq: row.get(10)?,
        request_id: parse(&text(11)?)?,
        content_hash: parse(&text(12)?)?,
        replaces: replaces.as_deref().map(parse).transpose()?,
        created_at: UtcMs(row.get(14)?),
    })
}
