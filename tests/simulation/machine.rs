//! One counter's computer: its disk, its clock, its chance. It outlives the programs that run on it.

use crate::chance::Chance;
use crate::vfs::SharedDisk;
use crate::wire::{Sent, What, Wire};
use futures_util::future::LocalBoxFuture;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::oneshot;
use yidan_engine::{Clock, Ids};
use yidan_payment::UtcMs;

/// One counter's computer.
pub struct Machine {
    /// Which till stands on it.
    pub till: usize,
    /// Its disk.
    pub disk: SharedDisk,
    wire: Rc<Wire>,
    chance: RefCell<Chance>,
    started_at: Cell<u64>,
    clock_is_off_ms: Cell<i64>,
}

impl Machine {
    /// A computer whose clock is right.
    #[must_use]
    pub fn new(till: usize, disk: SharedDisk, wire: Rc<Wire>, chance: Chance) -> Machine {
        Machine {
            till,
            disk,
            wire,
            chance: RefCell::new(chance),
            started_at: Cell::new(0),
            clock_is_off_ms: Cell::new(0),
        }
    }

    /// A program starts: its elapsed time begins at 0.
    pub fn start(&self) {
        self.started_at.set(self.wire.now());
    }

    /// Somebody sets the PC's clock.
    pub fn set_clock_off(&self, off_ms: i64) {
        self.clock_is_off_ms.set(off_ms);
    }

    /// Sends something, unless the machine stopped a moment ago.
    pub fn send(&self, what: What) {
        if !self.disk.borrow().is_dead() {
            self.wire.send(Sent { till: self.till, what });
        }
    }

    /// Waits; for ever, if the machine stops.
    pub fn rest(&self, wait: Duration) -> LocalBoxFuture<'static, ()> {
        let (wake, woken) = oneshot::channel();
        let until = self.wire.now() + u64::try_from(wait.as_millis()).unwrap_or(u64::MAX / 2);
        self.send(What::Sleep { until, wake });
        Box::pin(async move {
            if woken.await.is_err() {
                std::future::pending().await
            }
        })
    }
}

/// The machine as the engine sees it.
pub struct OnMachine(pub Rc<Machine>);

impl Clock for OnMachine {
    fn local(&self) -> UtcMs {
        UtcMs(self.0.wire.utc().0 + self.0.clock_is_off_ms.get())
    }

    fn elapsed(&self) -> Duration {
        Duration::from_millis(self.0.wire.now() - self.0.started_at.get())
    }

    fn sleep_until(&self, elapsed: Duration) -> LocalBoxFuture<'static, ()> {
        self.0.rest(elapsed.saturating_sub(self.elapsed()))
    }
}

impl Ids for OnMachine {
    fn uuid(&self) -> uuid::Uuid {
        let mut chance = self.0.chance.borrow_mut();
        uuid::Uuid::from_u64_pair(chance.draw(), chance.draw())
    }

    fn random(&self) -> u64 {
        self.0.chance.borrow_mut().draw()
    }
}
