//! Notices of the gateway: lost, doubled, late, out of order, of another amount, of another app, and forged.

use crate::seal;
use crate::till::{Act, Came};
use crate::world::{Event, World};
use yidan_payment::{Evidence, Fen, PaidTrade, TradeNo};

const SECOND: u64 = 1000;
/// Headquarters repeats a notice until the till has it.
const MOST_TRIES: u32 = 50;

/// The body of a notice: for which app, the signature, the signed text.
#[must_use]
pub fn write_body(account: &str, number: &str, evidence: &Evidence) -> String {
    let text = seal::write(number, evidence);
    format!("{account}\n{}\n{text}", seal::sign(&text))
}

/// What a body says, if it is signed and for this app: number, evidence, signature and text.
#[must_use]
pub fn read_body<'a>(body: &'a str, account: &str) -> Option<(&'a str, Evidence, &'a str, &'a str)> {
    let (app, rest) = body.split_once('\n')?;
    let (signature, text) = rest.split_once('\n')?;
    let (number, _) = text.split_once('\n')?;
    let evidence = seal::read(text, Some(signature), number)?;
    (app == account).then_some((number, evidence, signature, text))
}

impl World {
    /// Money came: the gateway says so by itself, if this merchant has an address for notices.
    pub(crate) fn send_notices(&mut self, till: usize, key: &str) {
        let Some(trade) = self.gateway.find_trade(key).filter(|_| self.faults.notices) else { return };
        let paid = PaidTrade {
            trade_no: trade.trade_no.clone(),
            total: trade.total,
            receipt: trade.total,
            paid_at: trade.paid_at,
        };
        let Some((account, number)) = key.split_once('/') else { return };
        let copies = if self.goes_wrong(self.faults.notice_repeated, "notices repeated") { 10 } else { 1 };
        for _ in 0..copies {
            if self.goes_wrong(self.faults.notice_lost, "notice lost") {
                continue;
            }
            let mut told = paid.clone();
            if self.goes_wrong(self.faults.notice_wrong, "notice of another amount") {
                told.total = Fen::from_fen(told.total.as_fen() + 1).expect("a small amount");
            }
            let most = self.chance.pick(&[300, 3 * SECOND, 60 * SECOND, 3600 * SECOND]);
            let wait = self.chance.between(50, most);
            let body = write_body(account, number, &Evidence::Paid(told));
            self.push(wait, Event::Notice { till, body, tries: 0 });
        }
    }

    /// Somebody who knows the number says that it was paid: unsigned, or signed for another app.
    pub(crate) fn forge_notice(&mut self, till: usize, number: &str, amount: Fen) {
        if !self.goes_wrong(self.faults.notice_forged, "forged notice") {
            return;
        }
        let trade_no = TradeNo::new("invented").expect("letters are a number");
        let invented = PaidTrade { trade_no, total: amount, receipt: amount, paid_at: None };
        let other_app = write_body("somebody", number, &Evidence::Paid(invented));
        let unsigned = other_app.replacen("somebody\n", "main\n0", 1);
        let body = if self.chance.happens(500) { other_app } else { unsigned };
        let wait = self.chance.between(100, 20 * SECOND);
        self.push(wait, Event::Notice { till, body, tries: 0 });
    }

    /// A notice comes to a till.
    pub(crate) fn notice(&mut self, till: usize, body: String, tries: u32) {
        if self.faults.hq_tells {
            return self.notice_at_headquarters(till, body, tries);
        }
        match &mut self.tills[till].running {
            Some(running) => running.act(till, Act::Notice { body, tries }),
            None => self.repeat_notice(till, body, tries),
        }
    }

    /// What could not be handled is told again. (The customer of this act is the till.)
    pub(crate) fn heard(&mut self, till: usize, act: &Act, came: &Came) {
        if let (Act::Notice { body, tries }, Came::Refused) = (act, came) {
            self.repeat_notice(till, body.clone(), *tries);
        }
    }

    fn repeat_notice(&mut self, till: usize, body: String, tries: u32) {
        if tries < MOST_TRIES {
            let wait = self.chance.between(SECOND, 20 * SECOND);
            self.push(wait, Event::Notice { till, body, tries: tries + 1 });
        }
    }
}
