//! Customers keep buying while somebody keeps killing programs.

use crate::programs::{PATIENCE, Programs, Visitor, text};
use anyhow::{Context, Result, ensure};
use futures_util::future::join_all;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::broadcast;

const CUSTOMERS: u64 = 4;

/// A point in a customer's purchase at which a program may die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Point {
    /// The counter was asked; nothing came back yet.
    Asked,
    /// A code is shown.
    Code,
    /// The buyer has scanned.
    Scanned,
    /// The buyer has paid; the counter may not know.
    Paid,
    /// The counter knows.
    Known,
}

/// What came of it.
pub struct Killed {
    seed: u64,
    rounds: u32,
    killed: [u32; 3],
    sales: u64,
    lost_intents: u64,
    double_charges: u64,
    wrong_books: u64,
}

impl Killed {
    /// Whether nothing was lost, doubled or booked wrongly.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        (self.lost_intents, self.double_charges, self.wrong_books) == (0, 0, 0)
    }

    /// How many customers bought.
    #[must_use]
    pub fn sales(&self) -> u64 {
        self.sales
    }
}

impl fmt::Display for Killed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [counter, sandbox, hq] = self.killed;
        write!(
            f,
            "rounds {} (counter {counter}, sandbox {sandbox}, hq {hq}), sales {}, lost intents {}, double charges {}, \
             wrong books {}, seed {}",
            self.rounds, self.sales, self.lost_intents, self.double_charges, self.wrong_books, self.seed
        )
    }
}

struct Shop {
    visitor: Visitor,
    points: broadcast::Sender<Point>,
    closing: AtomicBool,
    next: AtomicU64,
}

struct Sale {
    order_id: String,
    out_trade_no: String,
    amount_fen: i64,
}

/// Kills a program `rounds` times, and says after each how many were killed.
///
/// # Errors
/// If a program does not come back, or a sale does not end in time.
pub async fn run(rounds: u32, seed: u64, after: impl Fn(u32)) -> Result<Killed> {
    let folder = tempfile::tempdir()?;
    let mut programs = Programs::start(folder.path()).await?;
    let shop = Shop {
        visitor: programs.visitor.clone(),
        points: broadcast::channel(1024).0,
        closing: AtomicBool::new(false),
        next: AtomicU64::new(1),
    };
    let killing = async {
        let killed = keep_killing(&shop, &mut programs, rounds, seed, after).await;
        shop.closing.store(true, Ordering::SeqCst);
        killed
    };
    let buying = join_all((0..CUSTOMERS).map(|customer| keep_buying(&shop, customer)));
    let (killed, bought) = tokio::join!(killing, buying);
    let ended = killed.and_then(|killed| Ok((killed, bought.into_iter().collect::<Result<Vec<_>>>()?)));
    let (killed, sales) = match ended {
        Ok(ended) => ended,
        Err(error) => {
            let logs = folder.keep();
            return Err(error.context(format!("seed {seed}; the logs are kept in {}", logs.display())));
        }
    };
    let sales: Vec<Sale> = sales.into_iter().flatten().collect();
    count(&shop, &sales, Killed { seed, rounds, killed, ..empty() }).await
}

fn empty() -> Killed {
    Killed { seed: 0, rounds: 0, killed: [0; 3], sales: 0, lost_intents: 0, double_charges: 0, wrong_books: 0 }
}

async fn keep_killing(
    shop: &Shop,
    programs: &mut Programs,
    rounds: u32,
    seed: u64,
    after: impl Fn(u32),
) -> Result<[u32; 3]> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut killed = [0; 3];
    for _ in 0..rounds {
        wait_for_a_moment(shop, &mut random).await;
        let victim = [0, 0, 1, 2][random.random_range(0..4)];
        let program = match victim {
            0 => &mut programs.counter,
            1 => &mut programs.sandbox,
            _ => &mut programs.hq,
        };
        program.kill()?;
        program.start().await?;
        killed[victim] += 1;
        after(killed.iter().sum());
    }
    Ok(killed)
}

/// Half of the kills come at any time, half right after a named point of somebody's purchase.
async fn wait_for_a_moment(shop: &Shop, random: &mut StdRng) {
    tokio::time::sleep(Duration::from_millis(random.random_range(0..1500))).await;
    if random.random_bool(0.5) {
        let wanted = [Point::Asked, Point::Code, Point::Scanned, Point::Paid, Point::Known][random.random_range(0..5)];
        let mut points = shop.points.subscribe();
        let heard = async { while points.recv().await != Ok(wanted) {} };
        // Nobody may come by that point for a while: then any time will do.
        let _came = tokio::time::timeout(Duration::from_secs(5), heard).await;
        tokio::time::sleep(Duration::from_millis(random.random_range(0..30))).await;
    }
}

async fn keep_buying(shop: &Shop, customer: u64) -> Result<Vec<Sale>> {
    let mut sales = Vec::new();
    while !shop.closing.load(Ordering::SeqCst) {
        let number = shop.next.fetch_add(1, Ordering::SeqCst);
        let sale = buy(shop, customer, number).await.with_context(|| format!("sale {number}"))?;
        sales.push(sale);
    }
    Ok(sales)
}

/// One purchase. Whatever does not answer is asked again, with the same numbers.
async fn buy(shop: &Shop, customer: u64, number: u64) -> Result<Sale> {
    let (order_id, buyer) = (format!("kill-{number}"), format!("buyer{customer}"));
    let amount_fen = i64::try_from(100 + number)?;
    let amount = format!("{}.{:02}", amount_fen / 100, amount_fen % 100);
    shop.tell(Point::Asked);
    let mut acknowledged: Option<String> = None;
    let bill = shop
        .insist(async |programs| {
            let bill = programs.collect(&order_id, &amount, &order_id).await?;
            let out_trade_no = text(&bill, "outTradeNo")?.to_owned();
            let before = acknowledged.get_or_insert_with(|| out_trade_no.clone());
            assert_eq!(*before, out_trade_no, "an acknowledged number is the number for life");
            ensure!(bill["qrCode"].is_string(), "no code yet");
            Ok(bill)
        })
        .await?;
    shop.tell(Point::Code);
    let out_trade_no = text(&bill, "outTradeNo")?.to_owned();
    shop.insist(async |programs| programs.buyer("scan", &out_trade_no, &buyer).await).await?;
    shop.tell(Point::Scanned);
    shop.insist(async |programs| {
        let paid = programs.buyer("pay", &out_trade_no, &buyer).await;
        if programs.charges(&out_trade_no).await? == 0 { paid } else { Ok(()) }
    })
    .await?;
    shop.tell(Point::Paid);
    shop.insist(async |programs| {
        let bill = programs.query(&order_id).await?;
        ensure!(bill["status"] == "SUCCESS", "still {}", bill["status"]);
        Ok(())
    })
    .await?;
    shop.tell(Point::Known);
    Ok(Sale { order_id, out_trade_no, amount_fen })
}

impl Shop {
    fn tell(&self, point: Point) {
        // Nobody listening is fine.
        let _nobody = self.points.send(point);
    }

    async fn insist<T>(&self, mut act: impl AsyncFnMut(&Visitor) -> Result<T>) -> Result<T> {
        let mut waited = Duration::ZERO;
        loop {
            match act(&self.visitor).await {
                Ok(done) => return Ok(done),
                Err(error) if waited > PATIENCE => return Err(error),
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
            waited += Duration::from_millis(100);
        }
    }
}

/// Compares three books.
async fn count(shop: &Shop, sales: &[Sale], mut killed: Killed) -> Result<Killed> {
    let programs = &shop.visitor;
    killed.sales = u64::try_from(sales.len())?;
    for sale in sales {
        let bill = programs.query(&sale.order_id).await?;
        killed.lost_intents += u64::from(text(&bill, "outTradeNo")? != sale.out_trade_no);
        let charges = programs.charges(&sale.out_trade_no).await?;
        killed.double_charges += charges.saturating_sub(1);
        let known = bill["status"] == "SUCCESS" && charges == 1 && is_counted(programs, sale).await?;
        killed.wrong_books += u64::from(!known);
    }
    let trades = programs.trades().await?;
    let is_known =
        |trade: &serde_json::Value| sales.iter().any(|sale| trade["out_trade_no"] == sale.out_trade_no.as_str());
    let strangers = trades.iter().filter(|trade| !is_known(trade));
    killed.wrong_books += u64::try_from(strangers.count())?;
    Ok(killed)
}

/// Headquarters may hear of the last sales a moment later.
async fn is_counted(programs: &Visitor, sale: &Sale) -> Result<bool> {
    for _ in 0..600 {
        if programs.hq_counted(&sale.out_trade_no, sale.amount_fen).await? == 1 {
            return Ok(true);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(false)
}
