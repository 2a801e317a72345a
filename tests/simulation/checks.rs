//! What must hold: safety after every event, survival at every start, and at the end every fen where it belongs.

use crate::customer::Customer;
use crate::wire::BEGINNING;
use crate::world::{Held, Known, Till, Violation, World};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::sync::broadcast::error::TryRecvError;
use yidan_payment::{CaseKind, Fen, OutTradeNo, Payment, PaymentId, RefundStatus, Status, StatusName, StoppedBy};

impl World {
    /// At most one net charge per sale, counted at the gateway.
    pub(crate) fn check_charged_once(&self, customer: usize) -> Held {
        let here = &self.customers[customer];
        match here.charges {
            0 | 1 => Ok(()),
            _ if here.met_lawlessness => Ok(()),
            charges => broken(format!("customer {customer} was charged {charges} times for one sale")),
        }
    }

    /// No number is used for two orders.
    pub(crate) fn check_reuse(&self) -> Held {
        match self.gateway.reused.first() {
            None => Ok(()),
            Some(number) => broken(format!("{number} was used for two orders")),
        }
    }

    /// Looks at every payment that the screens were told about.
    pub(crate) fn check_changes(&mut self, till: usize) -> Held {
        let mut changed = BTreeSet::new();
        let Some(running) = &mut self.tills[till].running else { return Ok(()) };
        loop {
            match running.changes.try_recv() {
                Ok(pay_id) => _ = changed.insert(pay_id),
                Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        for pay_id in changed {
            self.check_told(till, pay_id)?;
        }
        Ok(())
    }

    fn check_told(&mut self, till: usize, pay_id: PaymentId) -> Held {
        let Some(running) = &self.tills[till].running else { return Ok(()) };
        // The disk may refuse just now; it is looked at again at the next change and at the next start.
        let Ok(payment) = running.engine.database().load_payment(pay_id) else { return Ok(()) };
        self.check_payment(till, &payment)
    }

    fn check_payment(&mut self, till: usize, payment: &Payment) -> Held {
        let pay_id = payment.pay_id;
        self.check_money(payment)?;
        let known = Known {
            version: payment.version,
            status: payment.status.name(),
            receipts: payment.receipts.len(),
            number: payment.out_trade_no.to_string(),
        };
        tracing::debug!(now = self.wire.now(), till, ?known, "told");
        let here = &mut self.tills[till];
        if let Some(before) = here.known.get(&pay_id) {
            check_followed(before, &known)?;
        }
        here.unproved.insert(pay_id);
        here.known.insert(pay_id, known);
        self.check_number(till, payment)?;
        self.check_end(till, payment)?;
        self.note(payment.version.unsigned_abs(), payment.status.name() as u64);
        self.screen_shows(till, payment);
        Ok(())
    }

    /// What is over cannot bring money; what was stopped stays stopped.
    fn check_end(&self, till: usize, payment: &Payment) -> Held {
        let number = &payment.out_trade_no;
        match payment.status {
            Status::Closed(_) | Status::Fail(_) => {
                let Some(customer) = self.owner_at(till, payment) else { return Ok(()) };
                let here = &self.customers[customer];
                let key = format!("{}/{number}", payment.account.0);
                let mut codes = here.codes.iter().filter(|(_, of)| *of == number.as_str());
                let is_paid = self.gateway.find_trade(&key).is_some_and(|trade| trade.paid_at.is_some());
                let can_be_paid = codes.any(|(qr, _)| self.gateway.is_payable(qr, self.wire.utc()));
                let is_open = self.gateway.is_open(&key, self.wire.utc());
                // Whoever restores an old copy, or runs it twice, has forgotten codes that live.
                let forgets = self.is_sent_by_a_copy(till, number.as_str()) || here.is_gone;
                if (is_paid || can_be_paid || is_open) && !forgets && !here.met_lawlessness {
                    let status = payment.status.name().as_str();
                    return broken(format!("{number} is {status}, and can be paid or is paid"));
                }
                Ok(())
            }
            Status::Init | Status::Precreated | Status::Paying if payment.stopped_by.is_some() => {
                broken(format!("{number} was stopped, and the stop was lost"))
            }
            Status::Init
            | Status::Precreated
            | Status::Paying
            | Status::Closing
            | Status::Success(_)
            | Status::Suspense => Ok(()),
        }
    }

    /// Whether a code lives that this till did not ask for, because its records exist twice.
    fn is_sent_by_a_copy(&self, till: usize, number: &str) -> bool {
        let here = &self.tills[till];
        let sent = here.bodies.get(number);
        let is_other = |copy: &Till| {
            let is_copy = copy.is_clone && copy.setup.terminal == here.setup.terminal;
            is_copy && copy.bodies.get(number).is_some_and(|text| Some(text) != sent)
        };
        here.is_clone || (here.is_forked && (sent.is_none() || self.tills.iter().any(is_other)))
    }

    /// One number belongs to one payment.
    fn check_number(&mut self, till: usize, payment: &Payment) -> Held {
        let owner = *self.owners.entry(payment.out_trade_no.to_string()).or_insert(payment.pay_id);
        // Written down again after it was forgotten: with the bill, or as the same bill of another program.
        if owner == payment.pay_id || (self.tills[till].is_forked && self.is_known_elsewhere(till, payment)) {
            return Ok(());
        }
        broken(format!("{} was minted twice", payment.out_trade_no))
    }

    fn is_known_elsewhere(&self, till: usize, payment: &Payment) -> bool {
        let Some(running) = &self.tills[till].running else { return true };
        let order = running.engine.database().load_order(payment.order_id);
        order.is_ok_and(|order| order.external_ref.is_some())
    }

    /// Local money is the gateway's money, and the books balance.
    fn check_money(&self, payment: &Payment) -> Held {
        let number = &payment.out_trade_no;
        if payment.books().is_err() {
            return broken(format!("the books of {number} do not balance"));
        }
        for receipt in &payment.receipts {
            let key = format!("{}/{number}", payment.account.0);
            let trade = self.gateway.find_trade(&key).filter(|trade| trade.trade_no == receipt.trade_no);
            let Some(trade) = trade.filter(|trade| trade.paid_at.is_some() && trade.total == receipt.total) else {
                return broken(format!("{number} has money that the gateway does not have"));
            };
            if payment.refunded_of(&receipt.trade_no) > trade.returns.total() {
                return broken(format!("{number} gave back what the gateway did not"));
            }
        }
        let is_paid = payment.status.name() == StatusName::Success;
        let is_decided = self.decided.contains(&payment.pay_id);
        if is_paid && !is_decided && !payment.receipts.iter().any(|receipt| receipt.total == payment.amount) {
            return broken(format!("{number} is SUCCESS without its money"));
        }
        Ok(())
    }

    /// After a start: what was told, and what was sent, is still known.
    pub(crate) fn check_start(&mut self, till: usize) -> Held {
        let here = &self.tills[till];
        let Some(running) = &here.running else { return Ok(()) };
        let database = running.engine.database();
        let is_dead = || here.machine.disk.borrow().is_dead();
        let mut shown = Vec::new();
        for pay_id in &here.unproved {
            let before = &here.known[pay_id];
            match database.load_payment(*pay_id) {
                Ok(payment) => {
                    check_survived(before, &payment)?;
                    shown.push(payment);
                }
                Err(_) if is_dead() => return Ok(()),
                Err(error) => return broken(format!("{} was told and is lost: {error}", before.number)),
            }
        }
        for number in &here.sent {
            let number = OutTradeNo::new(number.clone()).expect("it was sent");
            match database.find_by_out_trade_no(&number) {
                Ok(Some(_)) => {}
                Err(_) if is_dead() => return Ok(()),
                Ok(None) | Err(_) => return broken(format!("{number} was sent and is lost")),
            }
        }
        let live = database.list_live().unwrap_or_default();
        shown.extend(live.into_iter().filter_map(|pay_id| database.load_payment(pay_id).ok()));
        let here = &mut self.tills[till];
        here.unproved.clear();
        here.sent.clear();
        // What the screen shows after a start was told as well.
        for payment in shown {
            self.check_payment(till, &payment)?;
        }
        self.look_at_screen(till);
        Ok(())
    }

    /// The end: every fen is where it belongs.
    pub(crate) fn end(&mut self) -> Held {
        let mut booked = BTreeMap::new();
        for till in 0..self.tills.len() {
            for (pay_id, payment) in self.load_all(till)? {
                self.check_money(&payment)?;
                self.check_case(till, pay_id, &payment)?;
                booked.extend(payment.receipts.iter().map(|receipt| (receipt.trade_no.clone(), receipt.total)));
                self.check_returns(&payment)?;
            }
        }
        let truth: BTreeMap<_, Fen> =
            self.gateway.paid().map(|(_, trade)| (trade.trade_no.clone(), trade.total)).collect();
        let unknown = self.gateway.paid().find(|(_, trade)| !booked.contains_key(&trade.trade_no));
        if let Some((key, trade)) = unknown {
            return broken(format!("{key} was paid ({}) and no till knows it", trade.trade_no));
        }
        let counted: BTreeMap<_, Fen> = self.hq.receipts().map(|(trade_no, total)| (trade_no.clone(), total)).collect();
        if counted != truth {
            let wrong = truth.iter().find(|(trade_no, total)| counted.get(trade_no) != Some(total));
            return broken(format!("headquarters' money is not the gateway's: {wrong:?}; {:?}", self.hq.findings));
        }
        // Where a dead code was paid, a sale may be paid twice, and headquarters does well to say so.
        let is_lawless = |number: &String| {
            let of_number = |customer: &&Customer| customer.codes.iter().any(|(_, of)| of == number);
            self.customers.iter().filter(of_number).any(|customer| customer.met_lawlessness)
        };
        let found: Vec<_> = self.hq.findings.iter().filter(|(_, number)| !is_lawless(number)).collect();
        if !found.is_empty() {
            return broken(format!("headquarters found {found:?}"));
        }
        self.check_headquarters()?;
        self.check_instructions()?;
        self.lie_to_headquarters()
    }

    /// What went back is known, here and at headquarters.
    fn check_returns(&self, payment: &Payment) -> Held {
        for receipt in &payment.receipts {
            let key = format!("{}/{}", payment.account.0, payment.out_trade_no);
            let back = self.gateway.find_trade(&key).map_or(Fen::ZERO, |trade| trade.returns.total());
            let (here, there) = (payment.refunded_of(&receipt.trade_no), self.hq.refunded(&receipt.trade_no));
            self.check_moments(payment, &key)?;
            if here != back || there != back {
                return broken(format!("{key}: {back} went back, the till knows {here}, headquarters {there}"));
            }
        }
        Ok(())
    }

    /// A refund that somebody wished for went back after that, not before.
    fn check_moments(&self, payment: &Payment, key: &str) -> Held {
        let Some(trade) = self.gateway.find_trade(key) else { return Ok(()) };
        for refund in payment.refunds.iter().filter(|refund| refund.status == RefundStatus::Success) {
            let moved_at = refund.out_request_no.as_deref().and_then(|number| trade.returns.moved_at(number));
            let wished_at = refund.wish.as_ref().and_then(|wish| self.wished_at.get(&wish.request_id));
            if let (Some(moved), Some(wished)) = (moved_at, wished_at)
                && moved < BEGINNING.after(Duration::from_millis(*wished))
            {
                return broken(format!("{key}: a refund went back before it was wished, and no other one did"));
            }
        }
        Ok(())
    }

    fn load_all(&self, till: usize) -> Result<Vec<(PaymentId, Payment)>, Violation> {
        let Some(running) = &self.tills[till].running else { return Ok(Vec::new()) };
        let database = running.engine.database();
        if !database.list_unbalanced().map_err(unreadable)?.is_empty() {
            return Err(Violation(format!("the books of till {till} do not balance")));
        }
        // Not only what the screen was told: what was given back just before a crash is known as well.
        let orders = database.list_orders(None, "", None, i64::MAX).map_err(unreadable)?;
        let pay_ids = orders.into_iter().map(|(_, pay_id)| pay_id);
        pay_ids.map(|pay_id| Ok((pay_id, database.load_payment(pay_id).map_err(unreadable)?))).collect()
    }

    /// Money that a person must decide about has a case.
    fn check_case(&self, till: usize, pay_id: PaymentId, payment: &Payment) -> Held {
        let Some(running) = &self.tills[till].running else { return Ok(()) };
        let cases = running.engine.database().list_cases_of(pay_id).map_err(unreadable)?;
        let has = |kind: Option<CaseKind>| cases.iter().any(|case| kind.is_none_or(|kind| case.kind == kind));
        let number = &payment.out_trade_no;
        // What `cancel` gave back at once is nobody's to decide.
        let is_returned = payment.receipts.iter().all(|of| payment.refunded_of(&of.trade_no) == of.total);
        match &payment.status {
            Status::Suspense if !has(None) => broken(format!("{number} has money in suspense and no case")),
            Status::Success(_)
                if payment.stopped_by == Some(StoppedBy::Person)
                    && !self.decided.contains(&pay_id)
                    && !is_returned
                    && !has(Some(CaseKind::PaidAfterStop)) =>
            {
                broken(format!("{number} was paid after a stop and nobody is told"))
            }
            Status::Init | Status::Precreated | Status::Paying | Status::Closing => {
                broken(format!("{number} is still {}", payment.status.name().as_str()))
            }
            Status::Success(_) | Status::Suspense | Status::Closed(_) | Status::Fail(_) => Ok(()),
        }
    }

    /// Headquarters has every line, and shows every payment as its till does.
    fn check_headquarters(&self) -> Held {
        for (number, till) in self.tills.iter().enumerate() {
            let Some(running) = &till.running else { continue };
            let head = running.engine.database().load_head().map_err(unreadable)?.seq;
            let there = self.hq.head(till.setup.signer());
            if head != there {
                return broken(format!("headquarters has {there} lines of till {number}, which has {head}"));
            }
            for (pay_id, payment) in self.load_all(number)? {
                let shown = self.hq.find_payment(payment.out_trade_no.as_str());
                if shown.is_none_or(|shown| shown.status != payment.status.name() || shown.pay_id != pay_id) {
                    return broken(format!("headquarters shows {} otherwise", payment.out_trade_no));
                }
            }
        }
        Ok(())
    }
}

/// Final states stay.
fn check_followed(before: &Known, after: &Known) -> Held {
    use StatusName as S;
    let may = match before.status {
        S::Success => after.status == S::Success,
        S::Closed | S::Fail => [before.status, S::Suspense].contains(&after.status),
        S::Suspense => [S::Suspense, S::Success].contains(&after.status),
        S::Init | S::Precreated | S::Paying | S::Closing => true,
    };
    if may && after.version >= before.version && after.receipts >= before.receipts {
        return Ok(());
    }
    let (from, to) = (before.status.as_str(), after.status.as_str());
    broken(format!("{} went from {from} ({}) to {to} ({})", after.number, before.version, after.version))
}

fn check_survived(before: &Known, payment: &Payment) -> Held {
    if payment.version < before.version || payment.receipts.len() < before.receipts {
        let (told, found) = (before.status.as_str(), payment.status.name().as_str());
        return broken(format!("{} was told as {told} and is {found} after a start", before.number));
    }
    Ok(())
}

fn broken(why: String) -> Held {
    Err(Violation(why))
}

pub(crate) fn unreadable(error: yidan_engine::Error) -> Violation {
    Violation(format!("a database cannot be read: {error}"))
}
