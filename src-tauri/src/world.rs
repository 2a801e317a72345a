//! The real world: this computer's clock and randomness. The only place that asks them.

use futures_util::future::LocalBoxFuture;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use yidan_engine::{Clock, Ids};
use yidan_payment::UtcMs;

/// This computer's clock.
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// Starts counting.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the program's one clock")]
    pub fn start() -> SystemClock {
        SystemClock { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the program's one clock")]
    fn local(&self) -> UtcMs {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        UtcMs(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn sleep_until(&self, elapsed: Duration) -> LocalBoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep_until((self.start + elapsed).into()))
    }
}

/// This computer's randomness.
pub struct SystemIds;

impl Ids for SystemIds {
    fn uuid(&self) -> uuid::Uuid {
        uuid::Uuid::now_v7()
    }

    fn random(&self) -> u64 {
        rand::random()
    }
}
