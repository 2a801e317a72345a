//! Finding the order that a customer speaks of: by any of its numbers or their last digits, by amount, by time. Each way
//! has an index, so that a million payments make no difference.

use super::payments::fen;
use super::{Database, RowError, parse};
use crate::Error;
use rusqlite::{Connection, Row, params};
use yidan_payment::{Fen, OrderId, PaymentId, StatusName, UtcMs};

/// One order that may be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its payment.
    pub pay_id: PaymentId,
    /// The order.
    pub order_id: OrderId,
    /// The number a person reads.
    pub order_no: String,
    /// The caller's number, if another program asked for it.
    pub external_ref: Option<String>,
    /// What was sold.
    pub subject: String,
    /// How much.
    pub amount: Fen,
    /// When it was written down.
    pub created_at: UtcMs,
    /// Where the payment stands.
    pub status: StatusName,
    /// Whether the whole number was given, not only its end.
    pub is_whole: bool,
}

/// Fewer digits than these fit too many orders.
pub(crate) const FEWEST_DIGITS: usize = 4;
const MOST_HITS: i64 = 20;

const COLUMNS: &str =
    "p.pay_id, o.order_id, o.order_no, o.external_ref, o.subject, o.amount_fen, o.created_at_ms, p.status";

/// Numbers by their last four characters, the newest first: each is an index.
const BY_ENDING: [&str; 5] = [
    "orders o join payments p using (order_id)
     where substr(o.order_no, -4) = substr(?1, -4) and substr(o.order_no, -length(?1)) = ?1
     order by o.created_at_ms desc",
    "payments p join orders o using (order_id)
     where substr(p.out_trade_no, -4) = substr(?1, -4) and substr(p.out_trade_no, -length(?1)) = ?1
     order by p.created_at_ms desc",
    "payments p join orders o using (order_id)
     where substr(p.trade_no, -4) = substr(?1, -4) and substr(p.trade_no, -length(?1)) = ?1
     order by p.created_at_ms desc",
    "orders o join payments p using (order_id)
     where o.external_ref is not null and substr(o.external_ref, -4) = substr(?1, -4)
       and substr(o.external_ref, -length(?1)) = ?1
     order by o.created_at_ms desc",
    // Money of a second trade stands only here.
    "receipts r join payments p using (pay_id) join orders o using (order_id) where r.trade_no = ?1",
];

impl Database {
    /// Orders whose number, trade number or caller's number ends so, the newest first. If it is the whole number of one,
    /// only those.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_hits_by_number(&self, ending: &str) -> Result<Vec<Hit>, Error> {
        self.read("find an order by its number", |connection| {
            let mut hits = Vec::new();
            for place in BY_ENDING {
                let sql = format!("select {COLUMNS}, ?1 in (o.order_no, p.out_trade_no, coalesce(p.trade_no, ''), coalesce(o.external_ref, '')) from {place} limit ?2");
                list(connection, &sql, params![ending, MOST_HITS], &mut hits)?;
            }
            if hits.iter().any(|hit| hit.is_whole) {
                hits.retain(|hit| hit.is_whole);
            }
            Ok(newest_first(hits))
        })
    }

    /// Orders of an amount (or of any), written down in `[from, until)`, the newest first.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_hits_by_amount(&self, amount: Option<Fen>, from: UtcMs, until: UtcMs) -> Result<Vec<Hit>, Error> {
        self.read("find an order by amount and time", |connection| {
            let mut hits = Vec::new();
            match amount {
                Some(amount) => list(
                    connection,
                    &format!(
                        "select {COLUMNS}, 0 from orders o join payments p using (order_id)
                         where o.amount_fen = ?1 and o.created_at_ms >= ?2 and o.created_at_ms < ?3
                         order by o.created_at_ms desc limit ?4"
                    ),
                    params![amount.as_fen(), from.0, until.0, MOST_HITS],
                    &mut hits,
                )?,
                None => list(
                    connection,
                    &format!(
                        "select {COLUMNS}, 0 from orders o join payments p using (order_id)
                         where o.created_at_ms >= ?1 and o.created_at_ms < ?2 order by o.created_at_ms desc limit ?3"
                    ),
                    params![from.0, until.0, MOST_HITS],
                    &mut hits,
                )?,
            }
            Ok(newest_first(hits))
        })
    }

    /// The order of a payment, as a hit.
    ///
    /// # Errors
    /// [`Error::NoSuchPayment`]; [`Error::Storage`].
    pub fn load_hit(&self, pay_id: PaymentId) -> Result<Hit, Error> {
        let found = self.read("read an order", |connection| {
            let sql = format!("select {COLUMNS}, 1 from payments p join orders o using (order_id) where p.pay_id = ?1");
            let mut hits = Vec::new();
            list(connection, &sql, params![pay_id.to_string()], &mut hits)?;
            Ok(hits.pop())
        })?;
        found.ok_or(Error::NoSuchPayment(pay_id))
    }
}

fn list(
    connection: &Connection,
    sql: &str,
    parameters: impl rusqlite::Params,
    hits: &mut Vec<Hit>,
) -> Result<(), RowError> {
    let mut statement = connection.prepare_cached(sql)?;
    for hit in statement.query_and_then(parameters, read_hit)? {
        hits.push(hit?);
    }
    Ok(())
}

fn newest_first(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by_key(|hit| (std::cmp::Reverse(hit.created_at), hit.pay_id));
    hits.dedup_by_key(|hit| hit.pay_id);
    hits.truncate(usize::try_from(MOST_HITS).unwrap_or(usize::MAX));
    hits
}

fn read_hit(row: &Row<'_>) -> Result<Hit, RowError> {
    let status: String = row.get(7)?;
    Ok(Hit {
        pay_id: parse(&row.get::<_, String>(0)?)?,
        order_id: parse(&row.get::<_, String>(1)?)?,
        order_no: row.get(2)?,
        external_ref: row.get(3)?,
        subject: row.get(4)?,
        amount: fen(row.get(5)?)?,
        created_at: UtcMs(row.get(6)?),
        status: StatusName::find(&status).ok_or_else(|| RowError::Unreadable(status))?,
        is_whole: row.get(8)?,
    })
}
