//! What time it is. The PC's own clock is not believed: money depends on absolute times, and shops' clocks are wrong.
//!
//! The gateway's `Date` is the truth; between two answers elapsed time is counted. A PC clock that jumps changes nothing.

use futures_util::future::LocalBoxFuture;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;
use yidan_payment::UtcMs;

/// Where time comes from. Handed in, so that a simulation can turn it.
pub trait Clock {
    /// What the PC believes.
    fn local(&self) -> UtcMs;
    /// Elapsed time since some moment. Never goes back, whatever happens to the PC's clock.
    fn elapsed(&self) -> Duration;
    /// Waits until so much time has elapsed. A moment, not a length: one that was worked out a little earlier stays true.
    fn sleep_until(&self, elapsed: Duration) -> LocalBoxFuture<'static, ()>;
}

/// A clock set by the gateway.
pub struct GatewayClock {
    clock: Rc<dyn Clock>,
    /// The gateway's time at elapsed time 0, once an answer told it.
    start: Cell<Option<UtcMs>>,
    /// What the PC's clock showed at elapsed time 0, as far as it could be told when the gateway's time was learned.
    local_start: Cell<UtcMs>,
}

/// If the PC's clock and the elapsed time drift apart by more, the PC slept or its clock was set: ask the gateway again.
const DRIFT: Duration = Duration::from_secs(10);
/// A `Date` of whole seconds, and the way it took.
const RESOLUTION: Duration = Duration::from_millis(2500);

impl GatewayClock {
    /// A clock that knows nothing of the gateway yet and believes the PC.
    #[must_use]
    pub fn new(clock: Rc<dyn Clock>) -> GatewayClock {
        GatewayClock { clock, start: Cell::new(None), local_start: Cell::default() }
    }

    /// The gateway's time (UTC ms) as far as it is known, else the PC's.
    #[must_use]
    pub fn now(&self) -> UtcMs {
        match self.start.get() {
            Some(start) => start.after(self.clock.elapsed()),
            None => self.clock.local(),
        }
    }

    /// Whether an answer of this run told the gateway's time, and nothing has happened since that makes it doubtful: while
    /// a PC sleeps its elapsed time may stand still.
    #[must_use]
    pub fn is_known(&self) -> bool {
        let (then, now) = (self.local_start.get(), self.local_at_start());
        self.start.get().is_some() && then.since(now).max(now.since(then)) <= DRIFT
    }

    fn local_at_start(&self) -> UtcMs {
        self.clock.local().before(self.clock.elapsed())
    }

    /// Takes the `Date` of an answer that has just arrived.
    pub fn learn(&self, date: UtcMs) {
        let now = self.now();
        // `Date` has whole seconds: what lies within that second, or a moment after it, is no news.
        let fits = now >= date && now < date.after(RESOLUTION);
        let told = if fits { now } else { date };
        if !self.is_known() || !fits {
            self.start.set(Some(told.before(self.clock.elapsed())));
            self.local_start.set(self.local_at_start());
        }
    }

    /// How far the PC's clock is ahead of the gateway's, in ms; `None` while unknown.
    #[must_use]
    pub fn local_offset_ms(&self) -> Option<i64> {
        self.start.get().map(|_| self.clock.local().0 - self.now().0)
    }

    /// Elapsed time: for pauses and countdowns.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }

    /// Waits until so much time has elapsed.
    pub fn sleep_until(&self, elapsed: Duration) -> LocalBoxFuture<'static, ()> {
        self.clock.sleep_until(elapsed)
    }

    /// Waits so long.
    pub fn sleep(&self, wait: Duration) -> LocalBoxFuture<'static, ()> {
        self.sleep_until(self.elapsed() + wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Turned {
        local: Cell<i64>,
        elapsed: Cell<u64>,
    }
    impl Clock for Turned {
        fn local(&self) -> UtcMs {
            UtcMs(self.local.get())
        }
        fn elapsed(&self) -> Duration {
            Duration::from_millis(self.elapsed.get())
        }
        fn sleep_until(&self, _elapsed: Duration) -> LocalBoxFuture<'static, ()> {
            Box::pin(std::future::ready(()))
        }
    }

    #[test]
    fn once_the_gateway_has_told_the_time_the_pc_clock_may_jump() {
        let turned = Rc::new(Turned { local: Cell::new(5_000), elapsed: Cell::new(100) });
        let clock = GatewayClock::new(turned.clone());
        assert_eq!((clock.now(), clock.is_known()), (UtcMs(5_000), false));

        clock.learn(UtcMs(1_000_000));
        assert!(clock.is_known());
        turned.local.set(-77_000);
        turned.elapsed.set(2_100);
        assert_eq!(clock.now(), UtcMs(1_002_000));
        assert!(!clock.is_known(), "somebody set the PC's clock, or it slept: ask before the next code");

        clock.learn(UtcMs(1_001_000));
        assert_eq!(clock.now(), UtcMs(1_002_000), "whole seconds are no news");
        clock.learn(UtcMs(1_600_000));
        assert_eq!(clock.now(), UtcMs(1_600_000));
        assert_eq!(clock.local_offset_ms(), Some(-77_000 - 1_600_000));
        assert!(clock.is_known());
    }
}
