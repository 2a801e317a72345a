//! A clock to turn. The sandbox and headquarters follow it; the counter's PC may be wrong by any amount.

use futures_util::future::LocalBoxFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;
use yidan_engine::Clock;
use yidan_payment::UtcMs;

/// The time of the whole shop.
#[derive(Clone)]
pub struct ShopClock {
    turned: watch::Sender<Duration>,
    /// Added to the system's time by the sandbox and headquarters.
    offset_ms: Arc<AtomicI64>,
    /// How wrong the counter's PC is.
    pc_wrong_ms: Arc<AtomicI64>,
}

impl ShopClock {
    /// It is noon in Beijing, whatever the time is: a story of days and bills goes the same way at every hour.
    pub(crate) fn at_noon() -> ShopClock {
        const DAY_MS: i64 = 86_400_000;
        const BEIJING_MS: i64 = 8 * 3_600_000;
        let clock = ShopClock {
            turned: watch::channel(Duration::ZERO).0,
            offset_ms: Arc::default(),
            pc_wrong_ms: Arc::default(),
        };
        let into_day = (clock.now().0 + BEIJING_MS).rem_euclid(DAY_MS);
        clock.offset_ms.store(DAY_MS / 2 - into_day, Ordering::SeqCst);
        clock
    }

    pub(crate) fn offset(&self) -> Arc<AtomicI64> {
        Arc::clone(&self.offset_ms)
    }

    /// The true time.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the shop's time is the system's, turned")]
    pub fn now(&self) -> UtcMs {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("the system's clock is after 1970");
        UtcMs(
            i64::try_from(since.as_millis()).expect("before the year 292278994")
                + self.offset_ms.load(Ordering::SeqCst),
        )
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.offset_ms.fetch_add(i64::try_from(by.as_millis()).expect("a short time"), Ordering::SeqCst);
        self.turned.send_modify(|turned| *turned += by);
    }

    /// The PC sleeps: time goes by, but not for its elapsed time.
    pub fn sleeps(&self, by: Duration) {
        self.offset_ms.fetch_add(i64::try_from(by.as_millis()).expect("a short time"), Ordering::SeqCst);
    }

    /// Sets how wrong the counter's PC is.
    pub fn set_pc_wrong_by(&self, wrong_ms: i64) {
        self.pc_wrong_ms.store(wrong_ms, Ordering::SeqCst);
    }

    /// The clock that the counter's PC has.
    pub(crate) fn of_pc(&self) -> PcClock {
        PcClock { shop: self.clone() }
    }
}

/// What the counter sees.
pub(crate) struct PcClock {
    shop: ShopClock,
}

impl Clock for PcClock {
    fn local(&self) -> UtcMs {
        UtcMs(self.shop.now().0 + self.shop.pc_wrong_ms.load(Ordering::SeqCst))
    }

    fn elapsed(&self) -> Duration {
        *self.shop.turned.borrow()
    }

    fn sleep_until(&self, elapsed: Duration) -> LocalBoxFuture<'static, ()> {
        let mut turned = self.shop.turned.subscribe();
        Box::pin(async move {
            // The clock lives as long as the shop; a shop that is gone wakes nobody.
            if turned.wait_for(|now| *now >= elapsed).await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }
}
