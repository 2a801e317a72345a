//! When everything is settled, and what is not although it had all the time.

use crate::checks::unreadable;
use crate::world::{Violation, World};
use yidan_engine::Database;
use yidan_payment::Payment;

impl World {
    /// Whether nothing is in doubt and nothing waits.
    pub(crate) fn is_settled(&mut self) -> Result<bool, Violation> {
        if !self.bill_is_in || !self.on_bill.is_empty() || !self.is_all_heard() {
            return Ok(false);
        }
        for (number, till) in self.tills.iter().enumerate().filter(|(_, till)| !till.is_off) {
            let Some(running) = &till.running else { return Ok(false) };
            if till.is_clone || self.reads_bill(number) {
                return Ok(false);
            }
            let database = running.engine.database();
            let live = database.list_live().map_err(unreadable)?;
            let watched = database.list_watched().map_err(unreadable)?;
            let report = running.engine.report_state().map_err(unreadable)?;
            let recovers = database.find_setting("hq.history_since").map_err(unreadable)?.is_some();
            if !live.is_empty() || !watched.is_empty() || report.waiting > 0 || report.history_differs || recovers {
                return Ok(false);
            }
            if find_refunding(database).map_err(unreadable)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What is not settled although it had all the time.
    pub(crate) fn unsettled(&self) -> Violation {
        for (number, till) in self.tills.iter().enumerate().filter(|(_, till)| !till.is_off) {
            let Some(running) = &till.running else { return Violation(format!("till {number} does not run")) };
            let database = running.engine.database();
            let live = database.list_live().unwrap_or_default();
            if let Some(payment) = live.first().and_then(|pay_id| database.load_payment(*pay_id).ok()) {
                let status = payment.status.name().as_str();
                return Violation(format!("{} is still {status}", payment.out_trade_no));
            }
            if let Ok(Some(payment)) = find_refunding(database) {
                return Violation(format!("{} has a refund that nobody knows the end of", payment.out_trade_no));
            }
            if running.engine.report_state().is_ok_and(|report| report.history_differs) {
                return Violation(format!("the records of till {number} differ from headquarters'"));
            }
            if self.reads_bill(number) {
                return Violation(format!("till {number} could not settle the day's bill"));
            }
            if running.engine.report_state().map_or(0, |report| report.waiting) > 0 {
                return Violation(format!("till {number} could not report everything"));
            }
        }
        if !self.is_all_heard() {
            return Violation("a till has not heard everything that headquarters told".into());
        }
        if let Some((key, number)) = self.on_bill.first() {
            return Violation(format!("nobody asks for refund {number} of {key}, which is on the bill"));
        }
        Violation("a closed payment was not asked once more".into())
    }
}

/// A payment with a refund that must still be asked for.
fn find_refunding(database: &Database) -> Result<Option<Payment>, yidan_engine::Error> {
    for pay_id in database.list_refunding()? {
        let payment = database.load_payment(pay_id)?;
        if !payment.refunds_to_ask().is_empty() {
            return Ok(Some(payment));
        }
    }
    Ok(None)
}
