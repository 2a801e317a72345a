//! The gateway's bill of the day: what a till has forgotten, and nobody else has told it, is found here.

use crate::gateway::Trade;
use crate::till::{Act, Came};
use crate::world::{Event, World};
use std::time::Duration;
use yidan_alipay::{Bill, BillKind, BillLine};
use yidan_payment::{TradeNo, UtcMs};

const MINUTE: u64 = 60_000;
/// The day on which the shop sells, in Beijing.
pub const DAY: &str = "2026-11-30";
const BEGINS: UtcMs = UtcMs(crate::wire::BEGINNING.0 - 8 * 3_600_000);
/// The bill is made on the next morning, about nine (ms since the beginning).
pub const IS_MADE_AT: u64 = 25 * 3_600_000;

impl World {
    /// Every till whose records differ from what they were reads the bill.
    pub(crate) fn read_day_bill(&mut self) {
        for till in 0..self.tills.len() {
            if self.reads_bill(till) {
                self.act_on_bill(till);
            }
        }
    }

    /// Whether a till must read the day's bill before everything is settled.
    pub(crate) fn reads_bill(&self, till: usize) -> bool {
        let here = &self.tills[till];
        here.is_forked && !here.is_clone && !here.has_read_bill
    }

    fn act_on_bill(&mut self, till: usize) {
        let bill = self.write_bill();
        match &mut self.tills[till].running {
            Some(running) => running.act(till, Act::DayBill(Box::new(bill))),
            None => self.push(MINUTE, Event::DayBill),
        }
    }

    /// What could not be settled is read again.
    pub(crate) fn bill_read(&mut self, till: usize, act: &Act, came: &Came) {
        if !matches!(act, Act::DayBill(_)) {
            return;
        }
        if matches!(came, Came::Done) {
            self.tills[till].has_read_bill = true;
        } else {
            self.push(MINUTE, Event::DayBill);
        }
    }

    fn write_bill(&self) -> Bill {
        let lines = self.gateway.paid().flat_map(|(key, trade)| self.lines_of(key, trade));
        let end = Some(BEGINS.after(Duration::from_secs(24 * 3600)));
        Bill { begin: Some(BEGINS), end, lines: lines.collect(), ..Bill::default() }
    }

    fn lines_of(&self, key: &str, trade: &Trade) -> Vec<BillLine> {
        let label = self.gateway.find_label(key);
        let line = |kind, number: Option<String>, at: UtcMs, fen: i64| BillLine {
            trade_no: TradeNo::clone(&trade.trade_no),
            out_trade_no: key.split('/').next_back().unwrap_or_default().into(),
            out_request_no: number,
            kind,
            subject: label.subject.clone(),
            finished_at: at,
            store_id: "S1".into(),
            terminal_id: label.terminal_id.clone(),
            order_fen: fen,
            receipt_fen: fen,
            merchant_discount_fen: 0,
            fee_fen: 0,
        };
        let paid = line(BillKind::Trade, None, trade.paid_at.unwrap_or(BEGINS), trade.total.as_fen());
        let back = trade
            .returns
            .all()
            .map(|(number, amount, at)| line(BillKind::Refund, Some(number.clone()), at, -amount.as_fen()));
        std::iter::once(paid).chain(back).collect()
    }
}
