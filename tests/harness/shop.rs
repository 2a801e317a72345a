//! Opens a shop and turns its clock.

use crate::{Buyer, Headquarters, ShopClock, Till};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use yidan_payment::{Fen, Payment};
use yidan_sandbox::{Config, Keys, Sandbox};

/// Key pairs take a second to make: every shop has the same.
const KEYS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/sandbox-keys");

/// A shop: one till, one buyer, a sandbox, headquarters.
pub struct Shop {
    /// The counter.
    pub counter: Till,
    /// The gateway. Its ledger is the truth.
    pub alipay: Sandbox,
    /// A person with a phone.
    pub buyer: Buyer,
    /// Headquarters.
    pub hq: Headquarters,
    /// The time.
    pub clock: ShopClock,
    pub(crate) address: std::net::SocketAddr,
    pub(crate) folder: TempDir,
}

/// What differs from the usual shop.
pub struct ShopBuilder {
    pc_wrong_ms: i64,
    enrolled: bool,
    notices: bool,
}

impl Shop {
    /// Opens the usual shop: till on, enrolled, the right time.
    pub async fn open() -> Shop {
        Shop::with().opens().await
    }

    /// Opens a shop that differs.
    #[must_use]
    pub fn with() -> ShopBuilder {
        ShopBuilder { pc_wrong_ms: 0, enrolled: true, notices: false }
    }

    /// Lets time pass, a second at a time; whatever falls due happens.
    pub async fn turn(&self, by: Duration) {
        let whole = by.as_secs();
        for _ in 0..whole {
            self.jump(seconds(1)).await;
        }
    }

    /// Lets time pass at once, as if nobody had looked; then whatever is due happens.
    pub async fn jump(&self, by: Duration) {
        self.clock.advance(by);
        if self.counter.is_on() {
            self.counter.rests().await;
        }
    }

    /// Switches the sandbox off and on: same ledger, same address.
    pub async fn alipay_restarts(&mut self) {
        self.alipay.stop().await;
        self.alipay = start_sandbox(self.folder.path(), self.address, &self.clock).await;
        self.buyer.sandbox = self.alipay.clone();
    }

    /// How often the buyer's money was taken for a payment.
    #[must_use]
    pub fn charges(&self, payment: &Payment) -> u32 {
        self.alipay.charges(payment.out_trade_no.as_str())
    }

    /// How often the gateway was called for a payment.
    #[must_use]
    pub fn calls(&self, payment: &Payment, method: &str) -> u32 {
        // A refund names the trade, not our number.
        let trade = self.alipay.trade(payment.out_trade_no.as_str()).map(|trade| trade.trade_no);
        let by_trade = trade.map_or(0, |trade| self.alipay.calls(&trade, &format!("alipay.trade.{method}")));
        by_trade + self.calls_by_number(payment, method)
    }

    fn calls_by_number(&self, payment: &Payment, method: &str) -> u32 {
        self.alipay.calls(payment.out_trade_no.as_str(), &format!("alipay.trade.{method}"))
    }

    /// Another till of the same store, on and enrolled.
    pub async fn another_till(&self) -> Till {
        let mut till = Till::new(&self.folder.path().join("till-2"), &self.clock);
        let sandbox_url = format!("http://{}", self.alipay.address());
        yidan::demo::prepare(till.folder(), &sandbox_url, self.clock.now()).await.expect("the demo is prepared");
        let code = self.hq.reads_out_a_code().await;
        yidan::enrol::enrol(till.folder(), &yidan_engine::Lock::Demo, &self.hq.url(), &code, self.clock.now())
            .await
            .expect("headquarters knows the till");
        till.starts().await;
        till
    }

    /// Another person.
    #[must_use]
    pub fn another_buyer(&self) -> Buyer {
        Buyer { sandbox: self.alipay.clone(), name: "bob" }
    }

    /// Counter, sandbox and headquarters agree on what went back of a payment, the only one with refunds.
    pub async fn refunds_agree(&self, payment: &Payment, total: Fen) {
        let kept = self.counter.payment(payment).await;
        assert_eq!(kept.books().expect("balanced books").refunded, total, "the counter's books");
        let trades = self.alipay.trades();
        let of_payment = trades.iter().filter(|trade| trade.out_trade_no == payment.out_trade_no.as_str());
        assert_eq!(of_payment.map(|trade| trade.refunded_fen).sum::<i64>(), total.as_fen(), "the sandbox's books");
        let day = self.counter.asks(|engine| async move { engine.business_day() }).await;
        assert_eq!(self.hq.refunded(&day).await, total, "headquarters' books");
        assert_eq!(self.hq.cases().await, self.counter_cases().await, "nothing is unproved");
    }

    /// Money of a payment that waited for a person has gone back: it was never turnover, and waits nowhere any more.
    pub async fn suspense_went_back(&self, payment: &Payment, total: Fen) {
        let books = self.counter.payment(payment).await.books().expect("balanced books");
        assert_eq!((books.refunded, books.suspense), (total, Fen::ZERO), "the counter's books");
        let trade = self.alipay.trade(payment.out_trade_no.as_str()).expect("a trade");
        assert_eq!(trade.refunded_fen, total.as_fen(), "the sandbox's books");
        let day = self.counter.asks(|engine| async move { engine.business_day() }).await;
        let totals = self.hq.get(&format!("/api/v1/totals?day={day}")).await;
        assert_eq!((&totals["suspense_fen"], &totals["refunds_fen"]), (&0.into(), &0.into()), "headquarters' books");
        assert_eq!(self.hq.cases().await, self.counter_cases().await, "nothing is unproved");
    }

    async fn counter_cases(&self) -> Vec<String> {
        self.counter.cases().await.into_iter().map(|kind| kind.as_str().to_owned()).collect()
    }

    /// The key with which the sandbox signs.
    #[must_use]
    pub fn alipay_key(&self) -> String {
        std::fs::read_to_string(format!("{KEYS}/alipay_private_key.pem")).expect("the sandbox's key")
    }

    /// Waits until every notice of a payment has reached the counter by way of headquarters.
    pub async fn told_of(&self, payment: &Payment) {
        let is_delivered = || {
            self.alipay
                .notices(payment.out_trade_no.as_str())
                .iter()
                .all(|notice| notice.is_delivered && notice.next_at_ms.is_none())
        };
        self.after(is_delivered).await;
    }

    /// Waits until one notice of a payment has.
    pub async fn told_of_one(&self, payment: &Payment, notify_id: &str) {
        let notices = || self.alipay.notices(payment.out_trade_no.as_str());
        self.after(|| notices().iter().any(|notice| notice.notify_id == notify_id && notice.is_delivered)).await;
    }

    async fn after(&self, is_delivered: impl Fn() -> bool) {
        while !is_delivered() {
            tokio::task::yield_now().await;
        }
        self.told(self.hq.last_told().await).await;
    }

    /// Waits until the counter has handled so much of what headquarters told.
    pub async fn told(&self, seq: i64) {
        self.counter.asks(move |engine| async move { engine.heard(seq).await }).await;
        self.counter.rests().await;
    }

    /// A report that failed, as any may on a busy machine, is tried again within a minute.
    pub async fn everything_is_reported(&self) {
        let waiting = self.counter.asks(|engine| async move { engine.report_state().expect("readable").waiting });
        if waiting.await > 0 {
            self.turn(seconds(61)).await;
        }
    }

    /// Counter, sandbox and headquarters have the same books: `count` payments, `total` yuan, all of today.
    pub async fn books_agree(&self, count: i64, total: Fen) {
        let day = self.counter.asks(|engine| async move { engine.business_day() }).await;
        self.books_agree_for(&day, count, total).await;
    }

    /// As [`Shop::books_agree`], with everything on another day.
    pub async fn books_agree_for(&self, day: &str, count: i64, total: Fen) {
        self.everything_is_reported().await;
        let recognised = self.counter.asks(|engine| async move {
            let orders = engine.database().list_orders(None, "", None, 1000).expect("the orders");
            let payments = orders.iter().map(|(_, pay_id)| engine.database().load_payment(*pay_id).expect("a payment"));
            let books = payments.map(|payment| payment.books().expect("balanced books")).collect::<Vec<_>>();
            let count = books.iter().filter(|books| !books.recognised.is_zero()).count();
            (count, Fen::sum(books.iter().map(|books| books.recognised)).expect("a sum"))
        });
        let (counted, sum) = recognised.await;
        assert_eq!((counted, sum), (usize::try_from(count).expect("small"), total), "the counter's books");
        assert_eq!(self.alipay.charged_total_fen(), total.as_fen(), "the sandbox's books");
        assert_eq!((self.hq.count(day).await, self.hq.total(day).await), (count, total), "headquarters' books");
    }
}

impl ShopBuilder {
    /// The counter's PC is wrong by so much.
    #[must_use]
    pub fn pc_wrong_by(self, wrong_ms: i64) -> ShopBuilder {
        ShopBuilder { pc_wrong_ms: wrong_ms, ..self }
    }

    /// Nobody has told headquarters of this till.
    #[must_use]
    pub fn without_headquarters(self) -> ShopBuilder {
        ShopBuilder { enrolled: false, ..self }
    }

    /// Alipay sends its notices to headquarters, as fast as they go: a story that turns a clock need not wait for them.
    #[must_use]
    pub fn notices(self) -> ShopBuilder {
        ShopBuilder { notices: true, ..self }
    }

    /// Opens it.
    pub async fn opens(self) -> Shop {
        let folder = tempfile::tempdir().expect("a folder");
        let clock = ShopClock::at_noon();
        let alipay = start_sandbox(folder.path(), ([127, 0, 0, 1], 0).into(), &clock).await;
        let hq = Headquarters::open(folder.path(), &alipay, &clock, self.notices).await;
        let mut counter = Till::new(&folder.path().join("till"), &clock);
        let sandbox_url = format!("http://{}", alipay.address());
        yidan::demo::prepare(counter.folder(), &sandbox_url, clock.now()).await.expect("the demo is prepared");
        if self.enrolled {
            let code = hq.reads_out_a_code().await;
            yidan::enrol::enrol(counter.folder(), &yidan_engine::Lock::Demo, &hq.url(), &code, clock.now())
                .await
                .expect("headquarters knows the till");
        }
        clock.set_pc_wrong_by(self.pc_wrong_ms);
        counter.starts().await;
        let buyer = Buyer { sandbox: alipay.clone(), name: "amy" };
        Shop { counter, address: alipay.address(), alipay, buyer, hq, clock, folder }
    }
}

async fn start_sandbox(folder: &Path, listen: std::net::SocketAddr, clock: &ShopClock) -> Sandbox {
    let keys = Keys::load_or_make(&PathBuf::from(KEYS)).expect("the keys");
    let mut config = Config::with_keys(&folder.join("sandbox"), keys).expect("a folder");
    config.listen = listen;
    config.clock = Some(clock.offset());
    yidan_sandbox::start(config).await.expect("the sandbox starts")
}

/// Yuan, as typed.
#[must_use]
pub fn yuan(text: &str) -> Fen {
    Fen::parse(text).expect("an amount")
}

/// So many seconds.
#[must_use]
pub fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// So many minutes.
#[must_use]
pub fn minutes(count: u64) -> Duration {
    Duration::from_secs(count * 60)
}

/// So many hours.
#[must_use]
pub fn hours(count: u64) -> Duration {
    Duration::from_secs(count * 3600)
}
