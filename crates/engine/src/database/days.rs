//! The money of one business day, added up by SQLite.

use super::{Database, RowError};
use crate::Error;
use rusqlite::{Connection, params};
use yidan_payment::{Fen, UtcMs};

/// The money of one business day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayBooks {
    /// How many receipts pay for sales.
    pub count: i64,
    /// Their sum.
    pub gross: Fen,
    /// What went back of them, whenever it did.
    pub refunded: Fen,
    /// Payments of orders of the day that have no last word, or wait for a person.
    pub unsure_count: i64,
    /// What those orders ask for.
    pub unsure: Fen,
    /// Hours with money, in order.
    pub by_hour: Vec<HourBooks>,
}

/// The money of one hour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HourBooks {
    /// 0–23, in Beijing.
    pub hour: i64,
    /// How many receipts.
    pub count: i64,
    /// Their sum.
    pub gross: Fen,
}

/// Money that came to be known only after its business day was over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriorDay {
    /// The day that the money counts for.
    pub business_day: String,
    /// How many receipts.
    pub count: i64,
    /// Their sum.
    pub gross: Fen,
}

impl Database {
    /// Money booked in `[begin, end)` that counts for a business day before `business_day`, by day.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub(crate) fn list_prior_days(&self, business_day: &str, begin: UtcMs, end: UtcMs) -> Result<Vec<PriorDay>, Error> {
        self.read("look for money of earlier days", |connection| {
            let mut statement = connection.prepare_cached(
                "select r.business_day, count(*), sum(r.total_fen) from payments p join receipts r using (pay_id)
                 where p.booked_at_ms >= ?2 and p.booked_at_ms < ?3 and r.business_day < ?1 and r.booked = 'RECOGNISED'
                 group by r.business_day order by r.business_day",
            )?;
            statement
                .query_and_then(params![business_day, begin.0, end.0], |row| {
                    Ok(PriorDay { business_day: row.get(0)?, count: row.get(1)?, gross: fen(row.get(2)?)? })
                })?
                .collect()
        })
    }

    /// Adds up one business day, `YYYY-MM-DD`.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn load_day(&self, business_day: &str) -> Result<DayBooks, Error> {
        self.read("add up a day", |connection| {
            let by_hour = load_hours(connection, business_day)?;
            let (unsure_count, unsure) = count_and_sum(
                connection,
                "select count(*), coalesce(sum(p.amount_fen), 0) from orders o join payments p using (order_id)
                 where o.business_day = ?1
                   and p.status in ('INIT', 'PRECREATED', 'PAYING', 'CLOSING', 'SUSPENSE')",
                business_day,
            )?;
            let (count, gross) = count_and_sum(
                connection,
                "select count(*), coalesce(sum(total_fen), 0) from receipts
                 where business_day = ?1 and booked = 'RECOGNISED'",
                business_day,
            )?;
            let (_, refunded) = count_and_sum(
                connection,
                "select count(*), coalesce(sum(f.amount_fen), 0)
                 from refunds f join receipts r on r.pay_id = f.pay_id and r.trade_no = f.trade_no
                 where r.business_day = ?1 and r.booked = 'RECOGNISED' and f.status = 'SUCCESS'",
                business_day,
            )?;
            Ok(DayBooks { count, gross, refunded, unsure_count, unsure, by_hour })
        })
    }
}

fn load_hours(connection: &Connection, business_day: &str) -> Result<Vec<HourBooks>, RowError> {
    let mut statement = connection.prepare_cached(
        "select (coalesce(r.paid_at_ms, (select coalesce(p.booked_at_ms, p.created_at_ms) from payments p
                                         where p.pay_id = r.pay_id)) / 3600000 + 8) % 24 as hour,
                count(*), sum(r.total_fen)
         from receipts r
         where r.business_day = ?1 and r.booked = 'RECOGNISED' group by hour order by hour",
    )?;
    statement
        .query_and_then(params![business_day], |row| {
            Ok(HourBooks { hour: row.get(0)?, count: row.get(1)?, gross: fen(row.get(2)?)? })
        })?
        .collect()
}

fn count_and_sum(connection: &Connection, sql: &str, business_day: &str) -> Result<(i64, Fen), RowError> {
    let (count, sum) =
        connection.prepare_cached(sql)?.query_row([business_day], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok((count, fen(sum)?))
}

fn fen(sum: i64) -> Result<Fen, RowError> {
    Fen::from_fen(sum).map_err(|error| RowError::Unreadable(error.to_string()))
}
