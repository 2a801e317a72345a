//! The bill of yesterday, and of days on which the program did not run, is fetched by itself in the morning.
//!
//! Must always hold: it only reads and keeps the bill. Nothing is asked, booked or told before somebody carries the plan
//! out. A day whose bill did not come is tried again until it is in, or is a week old.

use crate::reconcile::BillTrouble;
use crate::{Engine, Error, business_day};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use yidan_payment::UtcMs;

/// Alipay makes a day's bill between nine and ten the next morning.
const USUALLY_MADE: Duration = Duration::from_secs(9 * 3600);
const NOON: Duration = Duration::from_secs(12 * 3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
/// How many days are looked back at.
const DAYS: u32 = 7;
const UNTIL_NOON: Duration = Duration::from_secs(20 * 60);
const AFTER_NOON: Duration = Duration::from_secs(3600);
/// The gateway's clock may be set, and a bill may be imported, at any time.
const LOOK: Duration = Duration::from_secs(60);

/// How fetching by itself goes.
#[derive(Default)]
pub(crate) struct Mornings {
    failed: RefCell<BTreeMap<String, Failed>>,
    busy: Cell<bool>,
    /// Elapsed time at which it is looked again whether something is due.
    looks_at: Cell<Duration>,
}

/// A bill that was not to be had.
#[derive(Clone, Debug)]
pub struct Failed {
    /// When that was.
    pub at: UtcMs,
    /// Why.
    pub why: Arc<BillTrouble>,
}

/// A bill that will be fetched by itself.
#[derive(Clone, Debug)]
pub struct PlannedFetch {
    /// When it is due.
    pub at: UtcMs,
    /// What became of the last try, in this run of the program.
    pub failed: Option<Failed>,
}

impl Engine {
    /// Fetches every bill when it is due, for ever.
    pub(crate) async fn keep_fetching_bills(self: Rc<Self>) {
        if !self.gateway.gives_bills() {
            self.mornings.looks_at.set(Duration::MAX);
            return std::future::pending().await;
        }
        loop {
            self.mornings.busy.set(true);
            if let Err(error) = self.fetch_due_bills().await {
                tracing::error!(error = &error as &dyn std::error::Error, "could not see which bills are due");
            }
            let looks_at = self.clock.elapsed() + LOOK;
            self.mornings.looks_at.set(looks_at);
            self.mornings.busy.set(false);
            self.rested.notify_waiters();
            self.clock.sleep_until(looks_at).await;
        }
    }

    pub(crate) fn is_fetching_due(&self) -> bool {
        self.mornings.busy.get() || self.mornings.looks_at.get() <= self.clock.elapsed()
    }

    /// Whether and when the bill of a day will be fetched by itself; `None` if it is in, or is nobody's to fetch.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn planned_fetch(&self, day: &str) -> Result<Option<PlannedFetch>, Error> {
        if !self.gateway.gives_bills() {
            return Ok(None);
        }
        let end = self.list_days_without_bill()?.into_iter().find_map(|(missing, end)| (missing == day).then_some(end));
        Ok(end.map(|end| self.plan_fetch(day, end)))
    }

    async fn fetch_due_bills(self: &Rc<Self>) -> Result<(), Error> {
        for (day, end) in self.list_days_without_bill()? {
            // The PC's own clock may be wrong by years.
            if !self.clock.is_known() || self.plan_fetch(&day, end).at > self.now() {
                continue;
            }
            match self.fetch_bill(&day).await {
                Ok(_) => _ = self.mornings.failed.borrow_mut().remove(&day),
                Err(why) => {
                    tracing::warn!(bill_day = day, error = &why as &dyn std::error::Error, "no bill yet; trying again");
                    let failed = Failed { at: self.now(), why: Arc::new(why) };
                    self.mornings.failed.borrow_mut().insert(day, failed);
                }
            }
        }
        Ok(())
    }

    /// The last days that are over and whose bill is not in, with their ends, the oldest first. A day before this
    /// terminal's first is none of its.
    fn list_days_without_bill(&self) -> Result<Vec<(String, UtcMs)>, Error> {
        let Some(first) = self.database.list_events_after(0, 1)?.first().map(|line| line.at) else {
            return Ok(Vec::new());
        };
        let mut days = Vec::new();
        for back in (1..=DAYS).rev() {
            let at = self.now().before(DAY * back);
            let day = business_day(at, 0);
            let (_, end) = self.over_day(&day).map_err(|trouble| Error::BadInput(trouble.to_string()))?;
            if end > first && !self.database.is_bill_in(&day)? {
                days.push((day, end));
            }
        }
        Ok(days)
    }

    fn plan_fetch(&self, day: &str, end: UtcMs) -> PlannedFetch {
        let failed = self.mornings.failed.borrow().get(day).cloned();
        let at = match &failed {
            None => end.after(USUALLY_MADE + self.apart()),
            Some(failed) if failed.at < end.after(NOON) => failed.at.after(UNTIL_NOON),
            Some(failed) => failed.at.after(AFTER_NOON),
        };
        PlannedFetch { at, failed }
    }

    /// The terminals of one merchant do not all ask at the same second.
    fn apart(&self) -> Duration {
        let name = format!("{}/{}", self.place.store_id, self.place.terminal_id);
        Duration::from_secs(10 * u64::from(crate::ids::byte_of(&name)))
    }
}
