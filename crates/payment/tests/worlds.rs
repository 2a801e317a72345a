//! Random worlds: whatever is lost, late, repeated or reordered, every fen is booked once and every payment ends.
//!
//! A world is one payment, the truth on the other side, and letters on their way. The counter sees only the letters.
//! First everything goes wrong, then the faults stop and the counter must come to the truth by itself.

use crate::start::{SENT, fen, fresh, give_back, recognise, trade};
use crate::truth::{Dice, Truth};
use std::collections::BTreeMap;
use std::time::Duration;
use yidan_payment::{
    CaseKind, Evidence, Input, Payment, Refund, RefundOrigin, RefundStatus, Status, StatusName, Step, StoppedBy, UtcMs,
    apply, next_step,
};

const LIFE: Duration = Duration::from_secs(300);

struct World {
    seed: u64,
    dice: Dice,
    now: i64,
    truth: Truth,
    payment: Payment,
    /// Letters on their way to the counter.
    post: Vec<Input>,
    /// Codes that were ever on the screen: somebody may have a picture of them.
    shown: Vec<String>,
    cases: BTreeMap<CaseKind, u32>,
    /// Something happened that an honest gateway never does.
    impossible: bool,
    /// Counts the numbers of refunds.
    sent: usize,
}

impl World {
    fn of(seed: u64) -> World {
        let mut dice = Dice::of(seed);
        let truth = Truth::of(&mut dice);
        World {
            seed,
            now: SENT.0,
            truth,
            dice,
            payment: fresh(),
            post: Vec::new(),
            shown: Vec::new(),
            cases: BTreeMap::new(),
            impossible: false,
            sent: 0,
        }
    }

    /// Applies one input and checks what must hold after every step.
    fn apply(&mut self, input: &Input) -> Step {
        let before = self.payment.clone();
        let outcome = apply(&before, input, UtcMs(self.now));
        self.payment = outcome.payment;
        for case in &outcome.cases {
            *self.cases.entry(case.kind).or_default() += 1;
        }
        if self.payment.status.name() == StatusName::Precreated && self.payment.qr_code != before.qr_code {
            self.shown.extend(self.payment.qr_code.as_ref().map(|code| code.as_str().to_owned()));
        }
        self.check_money();
        self.check_death(&before, input);
        let was_stopped = matches!(before.stopped_by, Some(StoppedBy::Person | StoppedBy::Sale));
        if was_stopped && before.status == Status::Closing && matches!(self.payment.status, Status::Success(_)) {
            assert!(self.cases.contains_key(&CaseKind::PaidAfterStop), "{}", self.seed);
        }
        outcome.then
    }

    fn check_money(&self) {
        let books = self.payment.books().unwrap_or_else(|error| panic!("seed {}: {error}", self.seed));
        let (received, refunded) = (books.received.as_fen(), books.refunded.as_fen());
        assert!(received <= self.truth.received(), "seed {}: booked what did not come", self.seed);
        assert!(refunded <= self.truth.refunded(), "seed {}: booked what did not go back", self.seed);
    }

    /// A payment that is proved dead is dead.
    fn check_death(&self, before: &Payment, input: &Input) {
        if before.status.name() == self.payment.status.name() || self.impossible {
            return;
        }
        if matches!(self.payment.status, Status::Closed(_) | Status::Fail(_)) {
            let alive = self.truth.can_be_paid(&self.shown, self.now);
            assert!(!alive, "seed {}: {input:?} closed a payment that can be paid", self.seed);
        }
    }

    fn send(&mut self, letter: Input, lost_percent: u64) {
        if !self.dice.percent(lost_percent) {
            self.post.push(letter);
        }
    }

    /// Makes the call that the counter wants. Faults: the answer is lost.
    fn call(&mut self, step: Step, lost_percent: u64) {
        match step {
            Step::Rest => {}
            Step::Precreate => self.precreate(lost_percent),
            Step::Query => {
                let at = self.dice.pick(self.truth.trades.len().max(1));
                self.query(at, lost_percent);
            }
            Step::Close => {
                self.payment = self.payment.before_close(UtcMs(self.now));
                let answer = self.truth.close();
                self.send(answer, lost_percent);
            }
            Step::QueryRefunds => {
                for answer in self.truth.query_refunds() {
                    self.send(answer, lost_percent);
                }
            }
        }
    }

    /// The counter writes down, then sends; the gateway gets it up to 15 s later, and lets people scan up to a minute late.
    fn precreate(&mut self, lost_percent: u64) {
        let end = match (&self.payment.request_body, self.payment.body_expires_at) {
            (Some(_), Some(end)) => end,
            _ => UtcMs(self.now).after(LIFE),
        };
        self.payment = self.payment.before_precreate(UtcMs(self.now), "{}".into(), end, LIFE);
        let received = UtcMs(self.now + self.dice.ms(15_000));
        let latest = end.max(received.after(LIFE)).0 + self.dice.ms(60_000);
        let answer = self.truth.precreate(latest);
        self.send(answer, lost_percent);
    }

    /// Our clock follows the gateway's to about a second, and the gateway's Date has whole seconds.
    fn query(&mut self, at: usize, lost_percent: u64) {
        let asked = self.now - 1_000 + self.dice.ms(2_000);
        let date = (self.now / 1_000) * 1_000;
        let answered = (lost_percent == 0 || self.dice.percent(95)).then_some(date);
        let signs = lost_percent == 0 || self.dice.percent(95);
        let answer = self.truth.query(at, asked, answered, signs);
        // A paid trade whose end does not say that it was paid.
        let was_paid = self.truth.trades.get(at).is_some_and(|trade| trade.paid);
        self.impossible |= was_paid && matches!(answer, Input::Told(Evidence::TradeClosed(_)));
        self.send(answer, lost_percent);
    }

    /// One thing happens in the world.
    fn happen(&mut self) {
        self.now += 1_000 + self.dice.ms(25_000);
        match self.dice.below(100) {
            0..10 => self.call(Step::Precreate, 25),
            10..25 => self.truth.scan(&self.shown, self.now),
            25..40 => {
                if let Some(notice) = self.truth.pay() {
                    self.send(notice, 30);
                }
            }
            40..46 => self.give_back(),
            46..50 => self.call(Step::Close, 25),
            50..62 => self.wish(),
            62..63 => self.never_happens(),
            63..64 => self.truth.end_unpaid(),
            _ => self.call(Step::Query, 20),
        }
        self.deliver();
    }

    /// Letters come in any order, and some twice.
    fn deliver(&mut self) {
        while !self.post.is_empty() && self.dice.percent(60) {
            let at = self.dice.pick(self.post.len());
            let letter = if self.dice.percent(70) { self.post.remove(at) } else { self.post[at].clone() };
            let then = self.apply(&letter);
            if self.dice.percent(50) {
                self.call(then, 25);
            }
        }
    }

    fn wish(&mut self) {
        self.sent += 1;
        let trade_no = trade(if self.dice.percent(80) { "T1" } else { "T2" });
        let wish = match self.dice.below(10) {
            0..3 => Input::Stop,
            3 => Input::SaleSettled,
            4 => Input::Refresh,
            5 => Input::NewCode,
            6..8 => Input::Resume,
            8 if self.payment.dead_after.is_some_and(|end| self.now > end.0) => Input::ClockPassed,
            8 => recognise(trade_no.as_str()),
            _ => give_back(trade_no.as_str(), &format!("RX{}", self.sent)),
        };
        let known = self.payment.refunds.len();
        let then = self.apply(&wish);
        if self.payment.refunds.len() > known {
            self.refund(known);
        }
        self.call(then, 25);
    }

    /// Money goes back: by our hand (written down first), or somebody else's.
    fn give_back(&mut self) {
        self.sent += 1;
        let amount = if self.dice.percent(50) { i64::MAX } else { 1 + self.dice.ms(400) };
        if self.dice.percent(50) {
            self.truth.refund("T1", &format!("POS{}", self.sent), amount, false);
            return;
        }
        let Status::Success(money) = &self.payment.status else { return };
        let trade_no = money.trade_no().clone();
        let known = self.payment.refunds.iter().filter(|refund| refund.status != RefundStatus::Fail);
        let known: i64 = known.filter(|known| known.trade_no == trade_no).map(|known| known.amount.as_fen()).sum();
        let left = self.payment.find_receipt(&trade_no).map_or(0, |receipt| receipt.total.as_fen()) - known;
        if left > 0 {
            let (amount, out_request_no) = (fen(amount.min(left)), Some(format!("R{}", self.sent)));
            let (origin, status) = (RefundOrigin::Ours, RefundStatus::Init);
            self.payment.refunds.push(Refund::new(trade_no, out_request_no, amount, origin, status));
            self.refund(self.payment.refunds.len() - 1);
        }
    }

    /// Sends a refund that is written down. The gateway refuses it if somebody else was faster.
    fn refund(&mut self, at: usize) {
        let refund = &mut self.payment.refunds[at];
        let number = refund.out_request_no.clone().unwrap();
        let done = self.truth.refund(refund.trade_no.as_str(), &number, refund.amount.as_fen(), true);
        refund.status = if done { RefundStatus::Processing } else { RefundStatus::Fail };
    }

    /// What an honest gateway never does: a second trade under one number.
    fn never_happens(&mut self) {
        if self.dice.percent(30) && self.truth.trades.len() == 1 {
            self.impossible = true;
            self.truth.add("T2");
            let notice = self.truth.pay();
            self.post.extend(notice);
        }
    }

    /// The faults stop: all letters arrive, codes and unpaid trades end, and the counter asks.
    fn settle(&mut self) {
        self.deliver_all();
        self.now = self.payment.dead_after.map_or(self.now, |end| self.now.max(end.0)) + 2_000;
        self.truth.end_unpaid();
        if self.payment.status.is_live() {
            let then = self.apply(&Input::ClockPassed);
            self.call(then, 0);
        }
        for _ in 0..6 {
            self.deliver_all();
            self.now += 6_000;
            self.call(next_step(&self.payment, UtcMs(self.now), true), 0);
        }
        self.deliver_all();
        assert!(!self.payment.status.is_live(), "seed {}: still {:?}", self.seed, self.payment);
        // The closed ones are asked once more when no code can live any longer, and all of them with the bill.
        self.now += 3 * 3_600_000;
        self.call(next_step(&self.payment, UtcMs(self.now), true), 0);
        self.deliver_all();
        assert_eq!(next_step(&self.payment, UtcMs(self.now), true), Step::Rest, "seed {}", self.seed);
        (0..self.truth.trades.len()).for_each(|at| self.query(at, 0));
        self.deliver_all();
        self.call(Step::QueryRefunds, 0);
        self.deliver_all();
    }

    fn deliver_all(&mut self) {
        for _ in 0..200 {
            let Some(letter) = self.post.pop() else { return };
            let then = self.apply(&letter);
            if then != Step::Query {
                self.call(then, 0);
            }
        }
        panic!("seed {}: the counter and the gateway talk for ever", self.seed);
    }

    /// Books and truth agree, and what a person must know is a case.
    fn check_end(&self) {
        let (seed, payment) = (self.seed, &self.payment);
        let books = payment.books().unwrap();
        assert_eq!(books.received.as_fen(), self.truth.received(), "seed {seed}: received, {payment:?}");
        assert_eq!(books.refunded.as_fen(), self.truth.refunded(), "seed {seed}: refunded, {payment:?}");
        let has = |kind| self.cases.contains_key(&kind);
        if !self.impossible {
            for never in [CaseKind::LatePayment, CaseKind::DuplicatePayment, CaseKind::Contradiction] {
                assert!(!has(never), "seed {seed}: {never:?}, {payment:?}");
            }
        }
        assert!(!has(CaseKind::TradeVanished) && !has(CaseKind::ChannelMissing), "seed {seed}");
        let foreign = payment
            .refunds
            .iter()
            .any(|refund| refund.origin == RefundOrigin::Foreign && refund.status == RefundStatus::Success);
        assert!(!foreign || has(CaseKind::RefundedElsewhere), "seed {seed}");
        if payment.receipts.len() > 1 {
            assert!(has(CaseKind::DuplicatePayment), "seed {seed}");
        }
        if payment.status.name() == StatusName::Suspense {
            assert!(has(CaseKind::AmountMismatch) || has(CaseKind::LatePayment), "seed {seed}");
        }
    }
}

/// How many worlds ended in each way.
fn run(seeds: std::ops::Range<u64>) -> BTreeMap<String, u32> {
    let mut ends: BTreeMap<String, u32> = BTreeMap::new();
    for seed in seeds {
        let mut world = World::of(seed);
        (0..40).for_each(|_| world.happen());
        world.settle();
        world.check_end();
        let death = match world.payment.status {
            Status::Closed(death) => format!(" {death:?}"),
            Status::Init
            | Status::Precreated
            | Status::Paying
            | Status::Closing
            | Status::Success(_)
            | Status::Fail(_)
            | Status::Suspense => String::new(),
        };
        *ends.entry(format!("{}{death}", world.payment.status.name().as_str())).or_default() += 1;
        for kind in world.cases.keys() {
            *ends.entry(kind.as_str().into()).or_default() += 1;
        }
    }
    ends
}

fn check(seeds: std::ops::Range<u64>) {
    let ends = run(seeds);
    for end in [
        "SUCCESS",
        "SUSPENSE",
        "FAIL",
        "CLOSED TradeClosed",
        "CLOSED NobodyScanned",
        "CLOSED NeverShown",
        "AMOUNT_MISMATCH",
        "CLOSED_BUT_ALIVE",
        "DUPLICATE_PAYMENT",
        "LATE_PAYMENT",
        "PAID_AFTER_STOP",
        "REFUNDED_ELSEWHERE",
    ] {
        assert!(ends.get(end).is_some_and(|count| *count >= 20), "too few worlds end in {end}: {ends:?}");
    }
}

// Four tests of one kind, so that they run side by side.

#[test]
fn random_worlds_of_the_first_quarter_come_to_the_truth() {
    check(0..15_000);
}

#[test]
fn random_worlds_of_the_second_quarter_come_to_the_truth() {
    check(15_000..30_000);
}

#[test]
fn random_worlds_of_the_third_quarter_come_to_the_truth() {
    check(30_000..45_000);
}

#[test]
fn random_worlds_of_the_last_quarter_come_to_the_truth() {
    check(45_000..60_000);
}
