//! The gateway's own books: the truth. "Charged twice" counts its money, never our rows.
//!
//! Must always hold, as at Alipay: a code is not a trade; a trade is made by the buyer's scan, belongs to that buyer, and
//! a number carries at most one. Nothing kills a code that nobody has scanned for certain but its end.

use crate::phone_codes::PhoneCode;
use crate::returns::Returns;
use crate::seal;
use crate::wire::{Ask, Call, Said};
use std::collections::BTreeMap;
use std::time::Duration;
use yidan_payment::{Evidence, Fen, NoTrade, PaidTrade, PrecreateOrder, QrCode, Refusal, SeenTrade, TradeNo, UtcMs};

/// What nobody knows for certain about the gateway. Everything must hold in all of these worlds.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// A `close` before the scan is refused, but the code cannot be scanned any more.
    pub close_latches: bool,
    /// After its end a code can be paid for so long (ms): clocks differ.
    pub late_ms: u64,
    /// A number whose trade is over is refused at precreate already.
    pub refuses_reuse: bool,
}

/// The gateway's books.
pub struct Gateway {
    rules: Rules,
    numbers: BTreeMap<String, Number>,
    codes: BTreeMap<String, String>,
    pub(crate) phone_codes: BTreeMap<String, PhoneCode>,
    trades: u64,
    /// The merchant's balance does not cover a refund now.
    pub has_no_money: bool,
    /// Numbers that came with another amount or subject than before.
    pub reused: Vec<String>,
}

/// What the bill shows besides the money.
#[derive(Clone, Debug, Default)]
pub struct Label {
    /// The merchant's till.
    pub terminal_id: String,
    /// What was sold.
    pub subject: String,
}

#[derive(Default)]
struct Number {
    label: Label,
    sessions: Vec<Session>,
    trade: Option<Trade>,
    is_latched: bool,
}

struct Session {
    qr: String,
    amount: Fen,
    ends_at: UtcMs,
}

/// A trade at the gateway.
#[derive(Clone, Debug)]
pub struct Trade {
    /// Its number there.
    pub trade_no: TradeNo,
    /// What the buyer is asked for.
    pub total: Fen,
    /// Where it stands.
    pub state: TradeState,
    /// When it was paid.
    pub paid_at: Option<UtcMs>,
    /// What went back.
    pub returns: Returns,
    pub(crate) buyer: u64,
    ends_at: UtcMs,
}

/// Where a trade stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TradeState {
    /// Scanned.
    Waiting,
    /// Paid.
    Paid,
    /// Over, unpaid.
    Closed,
}

/// What the text of a precreate says.
struct Order {
    amount: Fen,
    expires_at: UtcMs,
    minutes: u64,
    label: Label,
}

/// The text of a precreate.
#[must_use]
pub fn write_body(order: &PrecreateOrder) -> String {
    let PrecreateOrder { amount, time_expire, qr_minutes, terminal_id, subject, .. } = order;
    format!("{} {} {qr_minutes} {terminal_id} {subject}", amount.as_fen(), time_expire.0)
}

fn read_body(body: &str) -> Option<Order> {
    let mut parts = body.splitn(5, ' ');
    Some(Order {
        amount: Fen::from_fen(parts.next()?.parse().ok()?).ok()?,
        expires_at: UtcMs(parts.next()?.parse().ok()?),
        minutes: parts.next()?.parse().ok()?,
        label: Label { terminal_id: parts.next()?.into(), subject: parts.next()?.into() },
    })
}

/// Until when a precreate says that it may be paid.
#[must_use]
pub fn end_of(body: &str) -> Option<UtcMs> {
    read_body(body).map(|order| order.expires_at)
}

impl Gateway {
    /// Empty books.
    #[must_use]
    pub fn new(rules: Rules) -> Gateway {
        Gateway {
            rules,
            numbers: BTreeMap::new(),
            codes: BTreeMap::new(),
            phone_codes: BTreeMap::new(),
            trades: 0,
            has_no_money: false,
            reused: Vec::new(),
        }
    }

    /// Does what a call wants, and says what came of it.
    pub fn answer(&mut self, call: &Call, now: UtcMs) -> Said {
        let key = call.key();
        let evidence = match &call.ask {
            Ask::Precreate(body) => self.precreate(&key, body, now),
            Ask::Query => self.query(&key, now),
            Ask::Close => self.close(&key, now),
            Ask::Pay(with) => self.pay_with_code(&key, with, now),
            Ask::Cancel => self.cancel(&key, now),
            Ask::Refund { trade_no, number, amount } => self.refund((&key, trade_no), number, *amount, now),
            Ask::RefundQuery { trade_no, number } => self.refund_query(&key, trade_no, number),
        };
        Gateway::say(call, &evidence)
    }

    /// Signs a statement about the number of a call.
    #[must_use]
    pub fn say(call: &Call, evidence: &Evidence) -> Said {
        let text = seal::write(&call.number, evidence);
        let signature = seal::sign(&text);
        Said::Signed { text, signature }
    }

    /// Whether this code, which somebody has seen, can still bring money.
    #[must_use]
    pub fn is_payable(&self, qr: &str, now: UtcMs) -> bool {
        let late = Duration::from_millis(self.rules.late_ms);
        let Some(known) = self.codes.get(qr).and_then(|number| self.numbers.get(number)) else { return false };
        match &known.trade {
            Some(trade) => trade.state == TradeState::Waiting && now <= trade.ends_at.after(late),
            None => {
                let lives = |session: &Session| session.qr == qr && now <= session.ends_at.after(late);
                !known.is_latched && known.sessions.iter().any(lives)
            }
        }
    }

    /// The trade of a number (`account/number`).
    #[must_use]
    pub fn find_trade(&self, number: &str) -> Option<&Trade> {
        self.numbers.get(number)?.trade.as_ref()
    }

    /// Every trade that was paid, with its `account/number`.
    pub fn paid(&self) -> impl Iterator<Item = (&String, &Trade)> {
        let trades = self.numbers.iter().filter_map(|(number, of)| Some((number, of.trade.as_ref()?)));
        trades.filter(|(_, trade)| trade.state == TradeState::Paid)
    }

    pub(crate) fn find_trade_mut(&mut self, key: &str) -> Option<&mut Trade> {
        self.numbers.get_mut(key)?.trade.as_mut()
    }

    fn precreate(&mut self, number: &str, body: &str, now: UtcMs) -> Evidence {
        let Some(order) = read_body(body) else { return Evidence::Refused(refusal("ACQ.INVALID_PARAMETER")) };
        if order.expires_at <= now {
            return Evidence::Refused(refusal("ACQ.NOW_TIME_AFTER_EXPIRE_TIME_ERROR"));
        }
        self.tidy(number, now);
        let known = self.numbers.entry(number.to_owned()).or_default();
        if known.sessions.first().is_some_and(|session| session.amount != order.amount) {
            self.reused.push(number.to_owned());
        }
        match &known.trade {
            Some(trade) if trade.state == TradeState::Paid && self.rules.refuses_reuse => {
                return Evidence::RefusedTradeExists(refusal("ACQ.TRADE_HAS_SUCCESS"));
            }
            Some(trade) if trade.state == TradeState::Closed && self.rules.refuses_reuse => {
                return Evidence::RefusedTradeExists(refusal("ACQ.TRADE_HAS_CLOSE"));
            }
            Some(trade) if trade.state == TradeState::Waiting && trade.total != order.amount => {
                return Evidence::RefusedTradeExists(refusal("ACQ.CONTEXT_INCONSISTENT"));
            }
            Some(_) | None => {}
        }
        let qr = format!("https://qr.example/{number}/{}/{}", known.sessions.len(), order.label.subject.len());
        known.label = order.label;
        let by_code = now.after(Duration::from_secs(order.minutes * 60));
        let ends_at = order.expires_at.min(by_code);
        known.sessions.push(Session { qr: qr.clone(), amount: order.amount, ends_at });
        self.codes.insert(qr.clone(), number.to_owned());
        Evidence::QrIssued { qr_code: QrCode::from(qr) }
    }

    fn query(&mut self, number: &str, now: UtcMs) -> Evidence {
        self.tidy(number, now);
        let Some(trade) = self.find_trade(number) else {
            return Evidence::NoTrade(NoTrade { asked_at: UtcMs(0), answered_at: None });
        };
        let seen = seen_of(trade);
        match trade.state {
            TradeState::Waiting => Evidence::WaitBuyerPay(seen),
            TradeState::Closed => Evidence::TradeClosed(seen),
            TradeState::Paid if trade.returns.total() == trade.total => Evidence::TradeClosedPaid(paid_of(trade)),
            TradeState::Paid => Evidence::Paid(paid_of(trade)),
        }
    }

    fn close(&mut self, number: &str, now: UtcMs) -> Evidence {
        self.tidy(number, now);
        let latches = self.rules.close_latches;
        let known = self.numbers.entry(number.to_owned()).or_default();
        match &mut known.trade {
            None => {
                known.is_latched |= latches;
                Evidence::CloseRefused(refusal("ACQ.TRADE_NOT_EXIST"))
            }
            Some(trade) if trade.state == TradeState::Waiting => {
                trade.state = TradeState::Closed;
                Evidence::CloseAccepted
            }
            Some(_) => Evidence::CloseRefused(refusal("ACQ.TRADE_STATUS_ERROR")),
        }
    }

    /// A buyer scans a code. `total`: what the trade asks for, if it is not the order's amount. Returns the number, if
    /// the buyer is shown something to pay.
    pub fn scan(&mut self, qr: &str, buyer: u64, total: Option<Fen>, now: UtcMs) -> Option<String> {
        let number = self.codes.get(qr)?.clone();
        self.tidy(&number, now);
        let late = Duration::from_millis(self.rules.late_ms);
        let known = self.numbers.get_mut(&number)?;
        if let Some(trade) = &known.trade {
            return (trade.state == TradeState::Waiting && trade.buyer == buyer).then_some(number);
        }
        let session = known.sessions.iter().find(|session| session.qr == qr)?;
        if known.is_latched || now > session.ends_at.after(late) {
            return None;
        }
        let (total, ends_at) = (total.unwrap_or(session.amount), session.ends_at);
        self.open_trade(&number, total, buyer, ends_at);
        Some(number)
    }

    pub(crate) fn open_trade(&mut self, number: &str, total: Fen, buyer: u64, ends_at: UtcMs) {
        self.trades += 1;
        let trade_no = TradeNo::new(format!("20261130220{:012}", self.trades)).expect("digits are a number");
        let (state, paid_at, returns) = (TradeState::Waiting, None, Returns::default());
        let trade = Trade { trade_no, total, state, paid_at, returns, buyer, ends_at };
        self.numbers.entry(number.to_owned()).or_default().trade = Some(trade);
    }

    /// What the bill shows of a number.
    #[must_use]
    pub fn find_label(&self, number: &str) -> Label {
        self.numbers.get(number).map(|known| known.label.clone()).unwrap_or_default()
    }

    pub(crate) fn set_label(&mut self, number: &str, label: Label) {
        self.numbers.entry(number.to_owned()).or_default().label = label;
    }

    /// How much longer than it should a code or a trade lives.
    pub(crate) fn lateness(&self) -> Duration {
        Duration::from_millis(self.rules.late_ms)
    }

    /// Whether a buyer has a trade of this number open and may still pay it.
    #[must_use]
    pub fn is_open(&self, number: &str, now: UtcMs) -> bool {
        let trade = self.find_trade(number);
        trade.is_some_and(|trade| trade.state == TradeState::Waiting && now <= trade.ends_at.after(self.lateness()))
    }

    /// A code that was long dead is scanned and can be paid: the gateway breaks its own rules.
    pub fn scan_against_the_rules(&mut self, qr: &str, buyer: u64, now: UtcMs) -> Option<String> {
        let number = self.codes.get(qr)?.clone();
        let known = self.numbers.get_mut(&number)?;
        if known.trade.is_some() {
            return None;
        }
        known.is_latched = false;
        let session = known.sessions.iter_mut().find(|session| session.qr == qr)?;
        session.ends_at = now.after(Duration::from_secs(60));
        self.scan(qr, buyer, None, now)
    }

    /// The buyer types the password. Returns what was paid.
    pub fn pay(&mut self, number: &str, buyer: u64, now: UtcMs) -> Option<Fen> {
        self.tidy(number, now);
        let trade = self.numbers.get_mut(number)?.trade.as_mut()?;
        if trade.state != TradeState::Waiting || trade.buyer != buyer {
            return None;
        }
        trade.state = TradeState::Paid;
        trade.paid_at = Some(UtcMs(now.0 / 1000 * 1000));
        Some(trade.total)
    }

    /// A trade that was not paid in time is closed.
    pub(crate) fn tidy(&mut self, number: &str, now: UtcMs) {
        let late = Duration::from_millis(self.rules.late_ms);
        if let Some(trade) = self.numbers.get_mut(number).and_then(|known| known.trade.as_mut())
            && trade.state == TradeState::Waiting
            && now > trade.ends_at.after(late)
        {
            trade.state = TradeState::Closed;
        }
    }
}

pub(crate) fn seen_of(trade: &Trade) -> SeenTrade {
    SeenTrade { trade_no: trade.trade_no.clone(), total: trade.total }
}

pub(crate) fn paid_of(trade: &Trade) -> PaidTrade {
    PaidTrade { trade_no: trade.trade_no.clone(), total: trade.total, receipt: trade.total, paid_at: trade.paid_at }
}

pub(crate) fn refusal(sub_code: &str) -> Refusal {
    Refusal { code: "40004".into(), sub_code: sub_code.into(), text: String::new() }
}
