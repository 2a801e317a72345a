//! Notices of the gateway: lost, doubled, late, out of order, of another amount, of another app, and forged.

use crate::seal;
use crate::till::{Act, Came};
use crate::world::{Event, Held, Violation, World};
use yidan_payment::{Evidence, Fen, OutTradeNo, PaidTrade, TradeNo};

const SECOND: u64 = 1000;
/// Headquarters repeats a notice until the till has it.
const MOST_TRIES: u32 = 50;
const REFUND: &str = "\nrefund ";

/// The body of a notice: for which app, the signature, the signed text. `refund`: the refund that caused it.
#[must_use]
pub fn write_body(account: &str, number: &str, evidence: &Evidence, refund: Option<&str>) -> String {
    let refund = refund.map_or(String::new(), |refund| format!("{REFUND}{refund}"));
    let text = seal::write(number, evidence) + &refund;
    format!("{account}\n{}\n{text}", seal::sign(&text))
}

/// What a body says that is signed and for this app.
pub struct Said<'a> {
    /// About which number.
    pub number: &'a str,
    /// What.
    pub evidence: Evidence,
    /// Because of which refund.
    pub refund: Option<&'a str>,
    /// The signature.
    pub signature: &'a str,
    /// The signed text.
    pub text: &'a str,
}

/// Reads a body, if it is signed and for this app.
#[must_use]
pub fn read_body<'a>(body: &'a str, account: &str) -> Option<Said<'a>> {
    let (app, rest) = body.split_once('\n')?;
    let (signature, text) = rest.split_once('\n')?;
    let (told, refund) = text.split_once(REFUND).map_or((text, None), |(told, refund)| (told, Some(refund)));
    let (number, _) = told.split_once('\n')?;
    let is_signed = seal::sign(text) == signature;
    let evidence = seal::read(told, Some(&seal::sign(told)), number).filter(|_| is_signed)?;
    (app == account).then_some(Said { number, evidence, refund, signature, text })
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
            let body = write_body(account, number, &Evidence::Paid(told), None);
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
        let other_app = write_body("somebody", number, &Evidence::Paid(invented), None);
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

    /// A refund's notice says once more that the trade was paid.
    pub(crate) fn send_refund_notice(&mut self, till: usize, key: &str, refund: &str) {
        let Some(trade) = self.gateway.find_trade(key).filter(|_| self.faults.notices) else { return };
        let Some((account, number)) = key.split_once('/') else { return };
        let paid = PaidTrade {
            trade_no: trade.trade_no.clone(),
            total: trade.total,
            receipt: trade.total,
            paid_at: trade.paid_at,
        };
        let body = write_body(account, number, &Evidence::Paid(paid), Some(refund));
        let most = self.side.pick(&[300, 3 * SECOND, 60 * SECOND]);
        let wait = self.side.between(50, most);
        self.push(wait, Event::Notice { till, body, tries: 0 });
    }

    /// What could not be handled is told again; what was taken is not forgotten.
    pub(crate) fn heard(&mut self, till: usize, act: &Act, came: &Came) -> Held {
        let Act::Notice { body, tries } = act else { return Ok(()) };
        if matches!(came, Came::Done) {
            return self.check_heard(till, body);
        }
        self.repeat_notice(till, body.clone(), *tries);
        Ok(())
    }

    fn check_heard(&self, till: usize, body: &str) -> Held {
        let here = &self.tills[till];
        let Some(running) = here.running.as_ref().filter(|_| !here.has_other_keys) else { return Ok(()) };
        let (Some(said), database) = (read_body(body, "main"), running.engine.database()) else { return Ok(()) };
        let number = OutTradeNo::new(said.number).expect("it was sent");
        let Ok(Some(pay_id)) = database.find_by_out_trade_no(&number) else { return Ok(()) };
        let Ok(payment) = database.load_payment(pay_id) else { return Ok(()) };
        let Some(refund) = said.refund else {
            let is_ours = matches!(&said.evidence, Evidence::Paid(paid) if paid.total == payment.amount);
            return match is_ours && payment.receipts.is_empty() {
                true => Err(Violation(format!("a notice that {number} was paid was taken, and nothing was booked"))),
                false => Ok(()),
            };
        };
        let is_known = payment.refunds.iter().any(|of| of.out_request_no.as_deref() == Some(refund));
        let is_asked = database.read("look for a question", |connection| {
            let sql = "select count(*) from refund_questions where out_request_no = ?1";
            Ok(connection.query_row(sql, [refund], |row| row.get::<_, i64>(0))?)
        });
        if is_known || is_asked.is_ok_and(|asked| asked > 0) || here.machine.disk.borrow().is_dead() {
            return Ok(());
        }
        Err(Violation(format!("a notice of refund {refund} was taken, and nobody asks for it")))
    }

    fn repeat_notice(&mut self, till: usize, body: String, tries: u32) {
        if tries < MOST_TRIES {
            let wait = self.chance.between(SECOND, 20 * SECOND);
            self.push(wait, Event::Notice { till, body, tries: tries + 1 });
        }
    }
}
