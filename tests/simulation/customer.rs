//! Customers, and what they and the cashier do: a plot drawn by chance, as bad as people and phones can be.

use crate::chance::Chance;
use yidan_payment::{Fen, PaymentId, RequestId};

/// One customer: one sale.
pub struct Customer {
    /// At which till.
    pub till: usize,
    /// What the goods cost.
    pub amount: Fen,
    /// The bill of another program, if it is not typed.
    pub bill: Option<String>,
    /// Drafts made for this customer; the last is the current one.
    pub requests: Vec<RequestId>,
    /// The payment on the screen, once known.
    pub payment: Option<PaymentId>,
    /// Codes this customer has seen: text and number.
    pub codes: Vec<(String, String)>,
    /// Trades this customer's phones have opened: phone and number.
    pub scanned: Vec<(u64, String)>,
    /// Clicks that brought somebody else's code.
    pub tries: u32,
    /// The draft of the refund, and how much.
    pub refund: Option<(RequestId, Fen)>,
    /// What somebody wished to give back.
    pub wished: Fen,
    /// Went away when the till was restored: the cashier does nothing more for this customer.
    pub is_gone: bool,
    /// What headquarters wished to give back besides.
    pub wished_there: Fen,
    /// Another click is planned already.
    pub will_click: bool,
    /// Paid with money after a stop.
    pub paid_cash: bool,
    /// Trades that took this customer's money.
    pub charges: u32,
    /// What is still to happen once the first code is seen.
    pub on_code: Vec<(u64, Step)>,
    /// What is still to happen once the payment is over without money.
    pub on_closed: Vec<(u64, Step)>,
    /// The gateway broke its own rules: this money comes late, and may come twice.
    pub met_lawlessness: bool,
    /// The cashier was asked about an equal amount that is closing.
    pub is_another: bool,
}

/// One thing that a customer or the cashier does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The cashier clicks *collect*.
    Click,
    /// The cashier stops.
    Stop,
    /// The cashier goes on after a stop.
    Resume,
    /// The cashier wants the same code again.
    Refresh,
    /// The cashier wants a later code.
    NewCode,
    /// The cashier asks the gateway.
    Ask,
    /// The cashier collects again after the payment is over, or tries to.
    Again,
    /// The customer pays with money, if the stop was accepted.
    Cash,
    /// Goods come back.
    Refund {
        /// All of them.
        in_full: bool,
    },
    /// A second manager does the same at the same time.
    RefundByOther,
    /// Goods come back to a till that was restored.
    RefundAgain,
    /// A refund that was refused is tried again.
    RetryRefund(RequestId),
    /// Somebody gives money back with the shop's phone app.
    PhoneApp {
        /// All that is left.
        in_full: bool,
    },
    /// A phone shows a code of its own, and the cashier scans it.
    ShowCode(u64),
    /// The same, after the payment is over.
    AgainWithCode(u64),
    /// A phone scans the first code that was seen.
    ScanFirst(u64),
    /// A phone scans the last code that was seen.
    ScanLast(u64),
    /// A phone pays whatever it has opened.
    Pay(u64),
}

const SECOND: u64 = 1000;

/// What happens to a customer: clicks now, and what follows the first code and the end of a payment.
#[derive(Default)]
pub struct Plot {
    /// From arrival (ms).
    pub on_arrival: Vec<(u64, Step)>,
    /// From the first code (ms).
    pub on_code: Vec<(u64, Step)>,
    /// From an end without money (ms).
    pub on_closed: Vec<(u64, Step)>,
}

impl Plot {
    /// Draws one. `life_ms`: how long a code lives.
    #[must_use]
    pub fn draw(chance: &mut Chance, life_ms: u64) -> Plot {
        let mut plot = Plot::default();
        let clicks = if chance.happens(700) { 1 } else { chance.between(2, 4) };
        plot.on_arrival.extend((0..clicks).map(|n| (n * chance.between(20, 900), Step::Click)));
        match chance.below(100) {
            0..70 => plot.pays(chance, 20 * SECOND),
            70..75 => plot.walks_away(chance, life_ms),
            75..79 => plot.hesitates(chance),
            79..82 => plot.lets_it_end(chance, life_ms),
            82..86 => plot.changes_mind(chance),
            86..91 => plot.uses_two_phones(chance),
            91..97 => plot.tries_again(chance, life_ms),
            _ => plot.scans_in_the_last_second(chance, life_ms),
        }
        plot
    }

    fn code(&mut self, at: u64, step: Step) {
        self.on_code.push((at, step));
    }

    fn pays(&mut self, chance: &mut Chance, within: u64) {
        let scans = chance.between(SECOND, within);
        self.code(scans, Step::ScanLast(0));
        self.code(scans + chance.between(500, 15 * SECOND), Step::Pay(0));
        if chance.happens(50) {
            self.code(scans + chance.between(20 * SECOND, 60 * SECOND), Step::Ask);
        }
        if chance.happens(30) {
            self.code(chance.between(0, scans), Step::Refresh);
        }
        if chance.happens(60) {
            self.returns_goods(chance, scans + 25 * SECOND);
        }
    }

    /// A storm of clicks, two managers at once, and the phone app.
    fn returns_goods(&mut self, chance: &mut Chance, from: u64) {
        let in_full = chance.happens(500);
        let back = from + chance.between(0, 120 * SECOND);
        for _ in 0..chance.between(1, 4) {
            self.code(back + chance.between(0, 3 * SECOND), Step::Refund { in_full });
        }
        if chance.happens(400) {
            self.code(back + chance.between(0, 2 * SECOND), Step::RefundByOther);
        }
        if chance.happens(250) {
            self.code(from + chance.between(0, 240 * SECOND), Step::PhoneApp { in_full: chance.happens(500) });
        }
    }

    /// Leaves, sometimes pays with money, and sometimes has the code on the phone after all.
    fn walks_away(&mut self, chance: &mut Chance, life_ms: u64) {
        let stops = chance.between(2 * SECOND, 60 * SECOND);
        self.code(stops, Step::Stop);
        if chance.happens(600) {
            self.code(stops + chance.between(SECOND, 20 * SECOND), Step::Cash);
        }
        if chance.happens(400) {
            let scans = chance.between(0, life_ms + 60 * SECOND);
            self.code(scans, Step::ScanFirst(0));
            self.code(scans + chance.between(SECOND, 30 * SECOND), Step::Pay(0));
        }
    }

    /// Scans, types the password for long; the cashier stops meanwhile.
    fn hesitates(&mut self, chance: &mut Chance) {
        let scans = chance.between(SECOND, 10 * SECOND);
        self.code(scans, Step::ScanLast(0));
        let stops = scans + chance.between(SECOND, 20 * SECOND);
        self.code(stops, Step::Stop);
        // Around the very moment at which the trade is closed.
        self.code((stops + chance.between(0, 4 * SECOND)).saturating_sub(2 * SECOND), Step::Pay(0));
        if chance.happens(300) {
            self.code(stops + chance.between(0, 9 * SECOND), Step::Cash);
        }
    }

    fn lets_it_end(&mut self, chance: &mut Chance, life_ms: u64) {
        let renews = life_ms + chance.between(0, 80 * SECOND);
        self.code(renews, Step::NewCode);
        self.code(renews + chance.between(SECOND, 20 * SECOND), Step::ScanFirst(0));
        let pays = renews + chance.between(2 * SECOND, 60 * SECOND);
        self.code(pays, Step::ScanLast(1));
        self.code(pays + chance.between(SECOND, 10 * SECOND), Step::Pay(chance.below(2)));
        self.code(pays + chance.between(SECOND, 60 * SECOND), Step::Pay(1));
        if chance.happens(300) {
            self.code(pays + chance.between(0, 120 * SECOND), Step::Stop);
        }
    }

    fn changes_mind(&mut self, chance: &mut Chance) {
        let stops = chance.between(2 * SECOND, 30 * SECOND);
        self.code(stops, Step::Stop);
        self.code(stops + chance.between(100, 20 * SECOND), Step::Resume);
        let scans = stops + chance.between(0, 60 * SECOND);
        self.code(scans, Step::ScanFirst(0));
        self.code(scans + chance.between(SECOND, 15 * SECOND), Step::Pay(0));
    }

    fn uses_two_phones(&mut self, chance: &mut Chance) {
        for phone in 0..2 {
            let scans = chance.between(SECOND, 20 * SECOND);
            self.code(scans, Step::ScanFirst(phone));
            self.code(scans + chance.between(SECOND, 10 * SECOND), Step::Pay(phone));
            self.code(scans + chance.between(20 * SECOND, 40 * SECOND), Step::ScanLast(phone + 2));
            self.code(scans + chance.between(41 * SECOND, 90 * SECOND), Step::Pay(phone + 2));
        }
    }

    /// Stopped, collected again, and both codes are on phones.
    fn tries_again(&mut self, chance: &mut Chance, life_ms: u64) {
        let stops = chance.between(SECOND, 60 * SECOND);
        self.code(stops, Step::Stop);
        self.code(stops + chance.between(SECOND, 40 * SECOND), Step::Again);
        let scans = stops + chance.between(0, life_ms);
        self.code(scans, Step::ScanFirst(0));
        self.code(scans + chance.between(SECOND, 30 * SECOND), Step::Pay(0));
        self.code(scans + chance.between(5 * SECOND, 60 * SECOND), Step::ScanLast(1));
        self.code(scans + chance.between(60 * SECOND, 90 * SECOND), Step::Pay(1));
        self.on_closed.push((chance.between(SECOND, 10 * SECOND), Step::Again));
        let scans = chance.between(12 * SECOND, 60 * SECOND);
        self.on_closed.push((scans, Step::ScanLast(1)));
        self.on_closed.push((scans + chance.between(SECOND, 60 * SECOND), Step::ScanFirst(0)));
        self.on_closed.push((scans + chance.between(SECOND, 20 * SECOND), Step::Pay(1)));
        self.on_closed.push((scans + chance.between(60 * SECOND, 80 * SECOND), Step::Pay(0)));
    }

    fn scans_in_the_last_second(&mut self, chance: &mut Chance, life_ms: u64) {
        let scans = (life_ms + chance.between(0, 4 * SECOND)).saturating_sub(2 * SECOND);
        self.code(scans, Step::ScanFirst(0));
        self.code(scans + chance.between(200, 60 * SECOND), Step::Pay(0));
        self.on_closed.push((chance.between(0, 5 * SECOND), Step::Again));
        self.on_closed.push((chance.between(6 * SECOND, 20 * SECOND), Step::ScanLast(1)));
        self.on_closed.push((chance.between(21 * SECOND, 40 * SECOND), Step::Pay(1)));
    }
}
