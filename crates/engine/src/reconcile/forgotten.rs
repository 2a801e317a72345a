//! Numbers that this terminal minted and its records lost: a restored database, a disk that died.
//!
//! Must always hold: nothing is written down again on the bill's word alone. The gateway is asked first; what it signs is
//! booked like any other answer. The new row begins as CLOSING: it never shows a code, and waits for proof.

use crate::database::{self, OrderRow, WriteError};
use crate::ids::new_id;
use crate::record::News;
use crate::{Engine, Error};
use rusqlite::Transaction;
use std::rc::Rc;
use yidan_payment::{
    Fen, Finding, Hash, Input, Intent, Method, OrderStatus, OutTradeNo, Payment, RequestId, SaleId, Statement,
};
use yidan_wire::EventKind;

/// What came of asking for a number that our records do not have.
pub(crate) enum Remembered {
    /// It is written down again, and what the gateway signed is booked.
    Booked,
    /// The gateway knows no such trade of ours.
    NoSuchTrade,
    /// No usable answer; or headquarters must first give back what it knows.
    Unanswered,
}

/// Orders that were written down again come from here.
const SOURCE: &str = "bill";

/// What a number of our shape says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said<'a> {
    /// Typed at a counter: the day (`261130`) and the running number.
    Typed(&'a str, i64),
    /// A bill of another program.
    Bill,
}

/// Reads a number of the shapes that `ids.rs` mints; `None` for every other.
pub(crate) fn read_number(number: &str) -> Option<Said<'_>> {
    let is_hex = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    if number.strip_prefix('X').is_some_and(|hash| is_hex(hash, 40)) {
        return Some(Said::Bill);
    }
    let parts: Vec<&str> = number.split('_').collect();
    let [place, epoch, day, running, random] = parts.as_slice() else { return None };
    let is_typed = !place.is_empty() && epoch.parse::<u32>().is_ok() && is_hex(random, 16) && day.len() == 6;
    let running = running.parse().ok().filter(|running| *running > 0)?;
    (is_typed && day.bytes().all(|byte| byte.is_ascii_digit())).then_some(Said::Typed(day, running))
}

impl Engine {
    /// Asks for a number that only we can have minted, and writes it down again if the gateway signs that it exists.
    pub(crate) async fn remember(self: &Rc<Self>, finding: &Finding) -> Result<Remembered, Rc<Error>> {
        // Headquarters has the whole story: it is asked first, by enrolling again.
        if self.check_records().is_err() {
            return Ok(Remembered::Unanswered);
        }
        let Ok(number) = OutTradeNo::new(finding.out_trade_no.clone()) else { return Ok(Remembered::NoSuchTrade) };
        let Ok(statement) = self.gateway.query(&number).await else { return Ok(Remembered::Unanswered) };
        let Some(amount) = statement.evidence.trade_total() else { return Ok(Remembered::NoSuchTrade) };
        self.write_down_again(finding, &number, amount, &statement)?;
        Ok(Remembered::Booked)
    }

    fn write_down_again(
        &self,
        finding: &Finding,
        number: &OutTradeNo,
        amount: Fen,
        statement: &Statement,
    ) -> Result<(), Error> {
        let now = self.clock.now();
        let pay_id = match self.database.find_by_out_trade_no(number)? {
            Some(known) => known,
            None => self.database.write("write a forgotten order down again", |transaction| {
                let order = self.forgotten_order(transaction, finding, number, amount)?;
                let payment = self.forgotten_payment(&order, number);
                database::insert_order(transaction, &order, OrderStatus::Paying)?;
                database::insert_payment(transaction, &payment)?;
                self.append(transaction, &payment, &News::of(EventKind::Collecting), now)?;
                Ok(payment.pay_id)
            })?,
        };
        tracing::warn!(out_trade_no = %number, "a number that our records had lost is written down again");
        // Interrupted here, the restart asks for it: it is a live payment.
        let recorded = self.record(pay_id, &Input::Told(statement.evidence.clone()), Some(statement))?;
        self.schedule.put(pay_id, self.clock.elapsed(), Some(recorded.then));
        Ok(())
    }

    fn forgotten_order(
        &self,
        transaction: &Transaction<'_>,
        finding: &Finding,
        number: &OutTradeNo,
        amount: Fen,
    ) -> Result<OrderRow, WriteError> {
        let at = finding.at.unwrap_or(self.clock.now());
        let said = read_number(number.as_str());
        let business_day = match said {
            Some(Said::Typed(day, _)) => format!("20{}-{}-{}", &day[..2], &day[2..4], &day[4..]),
            Some(Said::Bill) | None => self.day_of(at),
        };
        // Its old number, as it stands on the customer's slip, unless that was given away since.
        let day_seq = match said {
            Some(Said::Typed(_, running)) if !database::is_day_seq_taken(transaction, &business_day, running)? => {
                running
            }
            Some(Said::Typed(..) | Said::Bill) | None => database::next_day_seq(transaction, &business_day)?,
        };
        Ok(OrderRow {
            order_id: new_id(self.ids.as_ref()),
            sale_id: SaleId::new(self.ids.uuid()),
            order_no: self.order_no(&business_day, day_seq),
            source: SOURCE.into(),
            external_ref: Some(number.to_string()),
            attempt: 0,
            amount,
            subject: database::find_bill_subject(transaction, number.as_str())?.unwrap_or_default(),
            operator_id: String::new(),
            business_day,
            day_seq,
            request_id: RequestId::new(self.ids.uuid()),
            content_hash: Hash::of(number.as_str().as_bytes()),
            replaces: None,
            created_at: at,
        })
    }

    fn forgotten_payment(&self, order: &OrderRow, number: &OutTradeNo) -> Payment {
        let intent = Intent {
            pay_id: new_id(self.ids.as_ref()),
            order_id: order.order_id,
            sale_id: order.sale_id,
            method: Method::Qr,
            account: self.gateway.account(),
            out_trade_no: number.clone(),
            amount: order.amount,
            created_at: order.created_at,
        };
        intent.begin_again()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_numbers_are_known_by_their_shape() {
        let typed = "S01T02_1_261129_0007_0123456789abcdef";
        assert_eq!(read_number(typed), Some(Said::Typed("261129", 7)));
        assert_eq!(read_number("X0123456789abcdef0123456789abcdef01234567"), Some(Said::Bill));
        for other in [
            "S01T02_20261129_000005",
            "20261129120000123",
            "S01T02_1_261129_0007_0123456789ABCDEF",
            "S01T02_1_261129_0000_0123456789abcdef",
            "X0123",
            "",
        ] {
            assert_eq!(read_number(other), None, "{other}");
        }
    }
}
