//! Customers and cashiers: what they do at the counter, at the phone, and when the program answers.

use crate::customer::{Customer, Plot, Step};
use crate::till::{Act, Came};
use crate::world::{Event, Held, World};
use yidan_engine::{NewOrder, Origin};
use yidan_payment::{Fen, Payment, RequestId, Status};

const SECOND: u64 = 1000;
/// A customer who gets somebody else's code so often goes away.
const MOST_TRIES: u32 = 12;

impl World {
    /// Plans all arrivals. Returns when the shop closes (ms).
    pub(crate) fn let_customers_come(&mut self, orders: u64) -> u64 {
        let count = self.tills.len();
        let mut next = vec![0_u64; count];
        for _ in 0..orders {
            let till = self.chance.place(count);
            next[till] += self.chance.pick(&[15, 30, 60]) * SECOND + self.chance.below(8 * SECOND);
            let fen = self.chance.pick(&[100, 100, 1234, 8800]) + i64::try_from(self.chance.below(3)).unwrap_or(0);
            let bill = self.chance.happens(150).then(|| format!("B{}", self.customers.len()));
            self.customers.push(Customer::new(till, Fen::from_fen(fen).expect("a small amount"), bill));
            self.push(next[till], Event::Arrives { customer: self.customers.len() - 1 });
        }
        next.into_iter().max().unwrap_or(0)
    }

    /// A customer comes, and the plot begins.
    pub(crate) fn arrives(&mut self, customer: usize) {
        self.counts.add("orders");
        let plot = Plot::draw(&mut self.chance, self.life_ms);
        let plot = self.show_codes(plot);
        self.new_draft(customer);
        for (wait, step) in plot.on_arrival {
            self.push(wait, Event::Step { customer, step });
        }
        let here = &mut self.customers[customer];
        (here.on_code, here.on_closed) = (plot.on_code, plot.on_closed);
        self.plan_other_tills(customer);
    }

    /// One thing that somebody does.
    pub(crate) fn step(&mut self, customer: usize, step: Step) -> Held {
        tracing::debug!(now = self.wire.now(), customer, ?step, "step");
        match step {
            Step::ScanFirst(phone) => self.scan(customer, phone, true),
            Step::ScanLast(phone) => self.scan(customer, phone, false),
            Step::Pay(phone) => self.pay(customer, phone)?,
            Step::Cash => self.pay_cash(customer),
            Step::PhoneApp { in_full } => self.refund_elsewhere(customer, in_full),
            Step::Click
            | Step::Again
            | Step::ShowCode(_)
            | Step::AgainWithCode(_)
            | Step::Stop
            | Step::Resume
            | Step::Refresh
            | Step::NewCode
            | Step::Ask
            | Step::Refund { .. }
            | Step::RefundByOther
            | Step::RefundAgain
            | Step::RetryRefund(_) => self.at_counter(customer, step),
        }
        Ok(())
    }

    fn at_counter(&mut self, customer: usize, step: Step) {
        if self.customers[customer].is_gone && step != Step::RefundAgain {
            return;
        }
        let till = self.customers[customer].till;
        self.customers[customer].will_click &= step != Step::Click;
        let is_open = self.tills[till].running.is_some() && !self.tills[till].has_other_keys;
        if !is_open {
            // Everybody waits for the program.
            let wait = self.chance.between(2 * SECOND, 9 * SECOND);
            if step == Step::Click {
                self.click_again(customer, wait);
            } else {
                self.push(wait, Event::Step { customer, step });
            }
            return;
        }
        let Some(act) = self.act_of(customer, step) else { return };
        if let Some(running) = &mut self.tills[till].running {
            running.act(customer, act);
        }
    }

    fn act_of(&mut self, customer: usize, step: Step) -> Option<Act> {
        let payment = self.customers[customer].payment;
        match step {
            Step::Click if self.needs_click(customer) => Some(Act::Collect(self.order_of(customer))),
            Step::Click => None,
            Step::Stop => payment.map(Act::Stop),
            Step::Resume => payment.map(Act::Resume),
            Step::Refresh => payment.map(Act::Refresh),
            Step::NewCode => payment.map(Act::NewCode),
            Step::Ask => payment.map(Act::Ask),
            Step::Again => self.again(customer),
            Step::Refund { .. } | Step::RefundByOther => self.refund_act(customer, step),
            Step::RefundAgain => self.refund_again(customer),
            Step::RetryRefund(request_id) => Some(Act::RetryRefund { request_id }),
            Step::ShowCode(phone) => self.scan_phone(customer, phone, false),
            Step::AgainWithCode(phone) => self.scan_phone(customer, phone, true),
            Step::PhoneApp { .. } => None,
            Step::Cash | Step::ScanFirst(_) | Step::ScanLast(_) | Step::Pay(_) => None,
        }
    }

    /// Whose code is on the screen needs no click, and gets one now and then; a draft that was lost is not typed again
    /// by somebody who sees the first one on the screen.
    fn needs_click(&mut self, customer: usize) -> bool {
        let here = &self.customers[customer];
        let may_repeat = here.bill.is_some() || here.requests.len() == 1;
        here.payment.is_none() || (may_repeat && self.chance.happens(600))
    }

    fn click_again(&mut self, customer: usize, wait: u64) {
        if !std::mem::replace(&mut self.customers[customer].will_click, true) {
            self.push(wait, Event::Step { customer, step: Step::Click });
        }
    }

    pub(crate) fn order_of(&mut self, customer: usize) -> NewOrder {
        // A POS mints a new request for the same bill; a cashier's draft keeps its name.
        if self.customers[customer].bill.is_some() && self.chance.happens(300) {
            self.new_draft(customer);
        }
        let here = &self.customers[customer];
        NewOrder {
            request_id: *here.requests.last().expect("a customer has a draft"),
            amount: here.amount,
            subject: format!("goods {customer}"),
            operator_id: "c1".into(),
            origin: match &here.bill {
                Some(bill) => Origin::Bill { source: "pos".into(), external_ref: bill.clone() },
                None => Origin::Counter { another_customer: here.is_another },
            },
        }
    }

    pub(crate) fn again(&mut self, customer: usize) -> Option<Act> {
        let here = &self.customers[customer];
        if here.paid_cash {
            return None;
        }
        let running = self.tills[here.till].running.as_ref()?;
        let database = running.engine.database();
        let replaces = database.load_payment(here.payment?).ok()?.order_id;
        self.new_draft(customer);
        let order = self.order_of(customer);
        let origin = Origin::Again { replaces };
        Some(Act::Collect(NewOrder { origin, ..order }))
    }

    pub(crate) fn new_draft(&mut self, customer: usize) {
        let request = RequestId::new(uuid::Uuid::from_u64_pair(self.chance.draw(), self.chance.draw()));
        self.customers[customer].requests.push(request);
    }

    /// The program has answered.
    pub(crate) fn came(&mut self, till: usize, customer: usize, act: &Act, came: &Came) -> Held {
        self.bill_came(till, customer, act, came)?;
        self.heard(till, act, came)?;
        self.refund_came(customer, act, came);
        self.bill_read(till, act, came);
        self.notice_came(customer, act, came);
        match (act, came) {
            (Act::Collect(_) | Act::WithCode { .. }, Came::Payment(payment)) => self.shown(customer, payment),
            (Act::Collect(_), Came::SameAmount(payment)) => {
                let is_own = self.owner_of(customer, payment) == Some(customer);
                self.customers[customer].is_another = !is_own;
                self.try_later(customer);
            }
            (Act::Collect(order), Came::Refused) => match order.origin {
                Origin::Counter { .. } | Origin::Bill { .. } => self.try_later(customer),
                Origin::Again { .. } => {}
            },
            _ => {}
        }
        Ok(())
    }

    fn shown(&mut self, customer: usize, payment: &Payment) {
        if self.owner_of(customer, payment) == Some(customer) {
            self.customers[customer].payment = Some(payment.pay_id);
            return;
        }
        // Somebody else's code is on the screen: that customer has left, or has not.
        self.counts.add("other customer's code");
        let till = self.customers[customer].till;
        let stops = self.chance.happens(400);
        if let Some(running) = self.tills[till].running.as_mut().filter(|_| stops) {
            running.act(customer, Act::Stop(payment.pay_id));
        }
        self.try_later(customer);
    }

    pub(crate) fn try_later(&mut self, customer: usize) {
        let here = &mut self.customers[customer];
        here.tries += 1;
        if here.tries < MOST_TRIES {
            let wait = self.chance.between(2 * SECOND, 15 * SECOND);
            self.click_again(customer, wait);
        }
    }

    /// The customer for whom a payment of that customer's till was made.
    pub(crate) fn owner_of(&self, customer: usize, payment: &Payment) -> Option<usize> {
        let till = self.customers[customer].till;
        self.owner_at(till, payment)
    }

    /// Whatever the program calls an order: what is written on it says whose it is.
    pub(crate) fn owner_at(&self, till: usize, payment: &Payment) -> Option<usize> {
        if let Some(customer) = self.subjects.borrow().get(&payment.order_id) {
            return Some(*customer);
        }
        let order = self.tills[till].running.as_ref()?.engine.database().load_order(payment.order_id).ok()?;
        let customer = order.subject.strip_prefix("goods ")?.parse().ok()?;
        self.subjects.borrow_mut().insert(payment.order_id, customer);
        Some(customer)
    }

    /// The screen shows a payment as it is now.
    pub(crate) fn screen_shows(&mut self, till: usize, payment: &Payment) {
        let Some(customer) = self.owner_at(till, payment) else { return };
        // A copy of a disk shows codes to nobody but its own customers.
        if self.tills[till].is_clone && self.customers[customer].till != till {
            return;
        }
        match payment.status {
            Status::Precreated => self.sees_code(customer, payment),
            Status::Closed(_) | Status::Fail(_) => self.follow(customer, false),
            Status::Init | Status::Paying | Status::Closing | Status::Success(_) | Status::Suspense => {}
        }
        if self.customers[customer].payment.is_none() {
            self.customers[customer].payment = Some(payment.pay_id);
        }
    }

    fn sees_code(&mut self, customer: usize, payment: &Payment) {
        let Some(qr_code) = &payment.qr_code else { return };
        let seen = (qr_code.as_str().to_owned(), payment.out_trade_no.to_string());
        let here = &mut self.customers[customer];
        if here.codes.contains(&seen) {
            return;
        }
        here.codes.push(seen);
        here.payment = Some(payment.pay_id);
        let till = here.till;
        self.forge_notice(till, payment.out_trade_no.as_str(), payment.amount);
        self.follow(customer, true);
    }

    fn follow(&mut self, customer: usize, is_code: bool) {
        let here = &mut self.customers[customer];
        let steps = std::mem::take(if is_code { &mut here.on_code } else { &mut here.on_closed });
        for (wait, step) in steps {
            self.push(wait, Event::Step { customer, step });
        }
    }

    fn scan(&mut self, customer: usize, phone: u64, first: bool) {
        let here = &self.customers[customer];
        let code = if first { here.codes.first() } else { here.codes.last() };
        let Some((qr, _)) = code.cloned() else { return };
        let total =
            self.goes_wrong(self.faults.other_amount, "other amount").then(|| Fen::from_fen(77).expect("small"));
        let buyer = buyer_of(customer, phone);
        let now = self.wire.utc();
        let mut number = self.gateway.scan(&qr, buyer, total, now);
        if number.is_none() && self.goes_wrong(self.faults.lawless, "code lived too long") {
            number = self.gateway.scan_against_the_rules(&qr, buyer, now);
            self.customers[customer].met_lawlessness |= number.is_some();
        }
        if let Some(number) = number {
            self.customers[customer].scanned.push((phone, number));
        }
    }

    fn pay(&mut self, customer: usize, phone: u64) -> Held {
        let opened = self.customers[customer].scanned.clone();
        for (_, number) in opened.iter().filter(|(by, _)| *by == phone) {
            if self.gateway.pay(number, buyer_of(customer, phone), self.wire.utc()).is_some() {
                self.charged(customer, number)?;
            }
        }
        Ok(())
    }

    /// Money is taken only after the program has accepted the stop.
    fn pay_cash(&mut self, customer: usize) {
        let here = &self.customers[customer];
        let Some(running) = &self.tills[here.till].running else { return };
        let Some(Ok(payment)) = here.payment.map(|pay_id| running.engine.database().load_payment(pay_id)) else {
            return;
        };
        match payment.status {
            Status::Closing | Status::Closed(_) | Status::Fail(_) => {
                self.customers[customer].paid_cash = true;
                self.counts.add("cash");
            }
            Status::Init | Status::Precreated | Status::Paying | Status::Success(_) | Status::Suspense => {}
        }
    }

    /// After a start the cashier looks at the screen; the draft may be gone.
    pub(crate) fn look_at_screen(&mut self, till: usize) {
        let waiting: Vec<usize> = (0..self.customers.len())
            .filter(|customer| {
                let here = &self.customers[*customer];
                here.till == till
                    && !here.is_gone
                    && !here.requests.is_empty()
                    && here.payment.is_none()
                    && here.tries < MOST_TRIES
            })
            .collect();
        for customer in waiting {
            if self.goes_wrong(self.faults.draft_lost, "draft lost") && self.customers[customer].bill.is_none() {
                self.adopt_or_type_again(till, customer);
            }
            let wait = self.chance.between(SECOND, 8 * SECOND);
            self.click_again(customer, wait);
        }
    }

    /// What was written down is on the screen; what was not is typed again under a new name.
    fn adopt_or_type_again(&mut self, till: usize, customer: usize) {
        let Some(running) = &self.tills[till].running else { return };
        let database = running.engine.database();
        // Older drafts were looked for at an earlier start, and were not there.
        let Some(draft) = self.customers[customer].requests.last() else { return };
        // If the program has stopped again, nobody has seen anything.
        let Ok(known) = database.find_by_request(*draft) else { return };
        match known {
            Some((_, pay_id)) => self.customers[customer].payment = Some(pay_id),
            None => self.new_draft(customer),
        }
    }
}

impl Customer {
    fn new(till: usize, amount: Fen, bill: Option<String>) -> Customer {
        Customer {
            till,
            amount,
            bill,
            requests: Vec::new(),
            payment: None,
            codes: Vec::new(),
            scanned: Vec::new(),
            tries: 0,
            paid_cash: false,
            charges: 0,
            on_code: Vec::new(),
            on_closed: Vec::new(),
            is_another: false,
            will_click: false,
            refund: None,
            wished: Fen::ZERO,
            wished_there: Fen::ZERO,
            is_gone: false,
            met_lawlessness: false,
        }
    }
}

pub(crate) fn buyer_of(customer: usize, phone: u64) -> u64 {
    u64::try_from(customer).unwrap_or(u64::MAX) * 8 + phone
}
