//! Refunds as rows: one per wish or per fact, never deleted; and what somebody told us to ask about.

use super::payments::{fen, ms, read_word, trade_no, word};
use super::{Database, RowError, WriteError, parse};
use crate::Error;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use yidan_payment::{PaymentId, Refund, RefundId, RefundOrigin, RefundStatus, RefundWish, Refusal, RequestId, UtcMs};

/// Writes the refund at this place of its payment.
pub(super) fn save_refund(
    transaction: &Transaction<'_>,
    pay_id: PaymentId,
    position: usize,
    refund: &Refund,
    refund_id: RefundId,
) -> Result<(), WriteError> {
    let wish = refund.wish.as_ref();
    let refused = refund.refused.as_ref().map(serde_json::to_string).transpose();
    transaction
        .prepare_cached(
            "insert into refunds (refund_id, pay_id, trade_no, out_request_no, amount_fen, origin, status, position,
                                  request_id, reason, operator_id, approver_id, asked_at_ms, sent_at_ms, tries, refused, proved)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
             on conflict (pay_id, position) do update set out_request_no = excluded.out_request_no,
                 amount_fen = excluded.amount_fen, origin = excluded.origin, status = excluded.status,
                 sent_at_ms = excluded.sent_at_ms, tries = excluded.tries, refused = excluded.refused, approver_id = excluded.approver_id, proved = excluded.proved",
        )?
        .execute(params![
            refund_id.to_string(),
            pay_id.to_string(),
            refund.trade_no.as_str(),
            refund.out_request_no,
            refund.amount.as_fen(),
            word(&refund.origin),
            word(&refund.status),
            i64::try_from(position).unwrap_or(i64::MAX),
            wish.map(|wish| wish.request_id.to_string()),
            wish.map(|wish| wish.reason.as_str()),
            wish.map(|wish| wish.operator_id.as_str()),
            wish.map(|wish| wish.approver_id.as_str()),
            wish.map(|wish| wish.asked_at.0),
            ms(refund.sent_at),
            refund.tries,
            refused.map_err(|error| RowError::Unreadable(error.to_string()))?,
            refund.proved,
        ])?;
    Ok(())
}

/// Takes the number of the refund at this place away, until it is written again in the same transaction.
pub(super) fn release_number(
    transaction: &Transaction<'_>,
    pay_id: PaymentId,
    position: usize,
) -> Result<(), WriteError> {
    transaction
        .prepare_cached("update refunds set out_request_no = null where pay_id = ?1 and position = ?2")?
        .execute(params![pay_id.to_string(), i64::try_from(position).unwrap_or(i64::MAX)])?;
    Ok(())
}

/// The refunds of a payment, in the order in which they were written down.
pub(super) fn list_refunds(connection: &Connection, pay_id: PaymentId) -> Result<Vec<Refund>, RowError> {
    let mut statement = connection.prepare_cached(
        "select trade_no, out_request_no, amount_fen, origin, status, request_id, reason, operator_id, approver_id,
                asked_at_ms, sent_at_ms, tries, refused, proved
         from refunds where pay_id = ?1 order by position",
    )?;
    statement.query_and_then([pay_id.to_string()], read_refund)?.collect()
}

fn read_refund(row: &Row<'_>) -> Result<Refund, RowError> {
    let refused: Option<String> = row.get(12)?;
    let refused = refused.map(|text| serde_json::from_str::<Refusal>(&text).map_err(|_| RowError::Unreadable(text)));
    Ok(Refund {
        trade_no: trade_no(row.get(0)?)?,
        out_request_no: row.get(1)?,
        amount: fen(row.get(2)?)?,
        origin: read_word::<RefundOrigin>(row, 3)?,
        status: read_word::<RefundStatus>(row, 4)?,
        wish: read_wish(row)?,
        sent_at: row.get::<_, Option<i64>>(10)?.map(UtcMs),
        tries: row.get(11)?,
        refused: refused.transpose()?,
        proved: row.get(13)?,
    })
}

fn read_wish(row: &Row<'_>) -> Result<Option<RefundWish>, RowError> {
    let Some(request_id) = row.get::<_, Option<String>>(5)? else { return Ok(None) };
    Ok(Some(RefundWish {
        request_id: parse(&request_id)?,
        reason: row.get(6)?,
        operator_id: row.get(7)?,
        approver_id: row.get(8)?,
        asked_at: UtcMs(row.get(9)?),
    }))
}

/// The payment whose refund this click made.
pub(crate) fn find_refund_request(
    connection: &Connection,
    request_id: RequestId,
) -> Result<Option<PaymentId>, RowError> {
    let found: Option<String> = connection
        .prepare_cached("select pay_id from refunds where request_id = ?1")?
        .query_row([request_id.to_string()], |row| row.get(0))
        .optional()?;
    found.as_deref().map(parse).transpose()
}

impl Database {
    /// Payments of which a refund is under way, or must be proved, or was told about.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_refunding(&self) -> Result<Vec<PaymentId>, Error> {
        self.read("list refunds", |connection| {
            let mut statement = connection.prepare_cached(
                "select pay_id from refunds where status in ('INIT', 'PROCESSING') or (status = 'SUCCESS' and proved = 0)
                 union select pay_id from refund_questions",
            )?;
            statement.query_and_then([], |row| parse(&row.get::<_, String>(0)?))?.collect()
        })
    }

    /// How many payments have a refund whose end is not known.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn count_refunding(&self) -> Result<usize, Error> {
        self.read("count refunds", |connection| {
            let sql = "select count(distinct pay_id) from refunds where status in ('INIT', 'PROCESSING')";
            let count: i64 = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
            usize::try_from(count).map_err(|_| RowError::Unreadable(count.to_string()))
        })
    }

    /// Keeps the number of a refund to ask about.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub(crate) fn keep_refund_question(
        &self,
        pay_id: PaymentId,
        out_request_no: &str,
        now: UtcMs,
    ) -> Result<(), Error> {
        self.write("keep a question", |transaction| {
            transaction
                .prepare_cached(
                    "insert into refund_questions (pay_id, out_request_no, since_ms) values (?1, ?2, ?3) on conflict do nothing",
                )?
                .execute(params![pay_id.to_string(), out_request_no, now.0])?;
            Ok(())
        })
    }

    /// Forgets a question that was answered.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub(crate) fn drop_refund_question(&self, pay_id: PaymentId, out_request_no: &str) -> Result<(), Error> {
        self.write("forget a question", |transaction| {
            transaction
                .prepare_cached("delete from refund_questions where pay_id = ?1 and out_request_no = ?2")?
                .execute(params![pay_id.to_string(), out_request_no])?;
            Ok(())
        })
    }

    /// Numbers of refunds to ask about.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub(crate) fn list_refund_questions(&self, pay_id: PaymentId) -> Result<Vec<(String, UtcMs)>, Error> {
        self.read("read questions", |connection| {
            let mut statement =
                connection.prepare_cached("select out_request_no, since_ms from refund_questions where pay_id = ?1")?;
            statement.query_and_then([pay_id.to_string()], |row| Ok((row.get(0)?, UtcMs(row.get(1)?))))?.collect()
        })
    }
}
