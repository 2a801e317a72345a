//! The engine: carries every order to its end. One thread, one writer, everything it needs of the world handed in.

use crate::contact::{Contact, Contacts};
use crate::database::Database;
use crate::flight::Flights;
use crate::schedule::Schedule;
use crate::{Error, Gateway, GatewayClock, Hq, Ids, Place};
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::{Notify, broadcast};
use yidan_payment::{Payment, PaymentId, Step, UtcMs};

/// Everything of the world that the engine works with.
pub struct Parts {
    /// The terminal's records.
    pub database: Database,
    /// The payment channel.
    pub gateway: Box<dyn Gateway>,
    /// The clock that the gateway's answers set.
    pub clock: Rc<GatewayClock>,
    /// Names and numbers.
    pub ids: Box<dyn Ids>,
    /// Headquarters; without it reporting is off and nothing waits.
    pub hq: Option<Box<dyn Hq>>,
    /// Where this program stands.
    pub place: Place,
    /// How long things may take.
    pub limits: Limits,
}

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// A code lives this many minutes (2–30).
    pub code_min: u32,
    /// If no usable answer comes for so long after the last code ended, the payment is stopped by the clock.
    pub idle: Duration,
    /// A case must be decided within.
    pub case_due: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { code_min: 5, idle: Duration::from_secs(15 * 60), case_due: Duration::from_secs(24 * 3600) }
    }
}

/// Carries every order to its end.
pub struct Engine {
    pub(crate) database: Database,
    pub(crate) gateway: Box<dyn Gateway>,
    pub(crate) clock: Rc<GatewayClock>,
    pub(crate) ids: Box<dyn Ids>,
    pub(crate) hq: Option<Box<dyn Hq>>,
    pub(crate) place: Place,
    pub(crate) limits: Limits,
    pub(crate) flights: Flights,
    pub(crate) schedule: Schedule,
    pub(crate) contacts: Contacts,
    pub(crate) report: crate::report::Progress,
    pub(crate) ear: crate::push::Ear,
    pub(crate) asks: crate::notice::Asks,
    pub(crate) recovery: crate::past::Recovery,
    pub(crate) mornings: crate::morning::Mornings,
    pub(crate) outbox: Notify,
    pub(crate) rested: Notify,
    changes: broadcast::Sender<PaymentId>,
}

impl Engine {
    /// Takes up the work where it was left: every payment that may still bring money is asked for at once.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn start(parts: Parts) -> Result<Rc<Engine>, Error> {
        let report = crate::report::Progress::load(&parts.database, parts.hq.is_some())?;
        let ear = crate::push::Ear::of(parts.database.load_heard()?);
        let recovery = crate::past::Recovery::load(&parts.database)?;
        let asks = crate::notice::Asks::of(parts.database.list_asks()?);
        let engine = Engine {
            database: parts.database,
            gateway: parts.gateway,
            clock: parts.clock,
            ids: parts.ids,
            hq: parts.hq,
            place: parts.place,
            limits: parts.limits,
            flights: Flights::default(),
            schedule: Schedule::default(),
            contacts: Contacts::default(),
            report,
            ear,
            asks,
            recovery,
            mornings: crate::morning::Mornings::default(),
            outbox: Notify::new(),
            rested: Notify::new(),
            changes: broadcast::channel(256).0,
        };
        for pay_id in engine.database.list_live()? {
            engine.stop_unsent_code(pay_id)?;
            if engine.hq.is_some() {
                engine.recovery.doubt(pay_id);
            }
            engine.schedule.put(pay_id, engine.clock.elapsed(), None);
        }
        for pay_id in engine.database.list_refunding()? {
            engine.schedule.put(pay_id, engine.clock.elapsed(), None);
        }
        engine.schedule_watched();
        for pay_id in engine.asks.list() {
            engine.schedule.put(pay_id, engine.clock.elapsed(), Some(Step::Query));
        }
        Ok(Rc::new(engine))
    }

    /// The records, to read.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// The gateway's time.
    #[must_use]
    pub fn now(&self) -> UtcMs {
        self.clock.now()
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> &GatewayClock {
        &self.clock
    }

    /// Where this program stands.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// How long things may take.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The day that now counts for.
    #[must_use]
    pub fn business_day(&self) -> String {
        self.day_of(self.now())
    }

    pub(crate) fn day_of(&self, at: UtcMs) -> String {
        crate::business_day(at, self.place.day_starts_at_min)
    }

    /// Names of payments as they change. A slow reader misses some: what it shows it reads anyway.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<PaymentId> {
        self.changes.subscribe()
    }

    /// The same, for those who only hold a handle.
    #[must_use]
    pub fn changes_sender(&self) -> broadcast::Sender<PaymentId> {
        self.changes.clone()
    }

    /// Tells everybody who shows it. Only what is durable is told.
    pub(crate) fn tell(&self, pay_id: PaymentId) {
        // Nobody listening is fine.
        let _nobody = self.changes.send(pay_id);
    }

    /// How the talk with the gateway about a payment goes.
    #[must_use]
    pub fn contact(&self, pay_id: PaymentId) -> Contact {
        self.contacts.of(pay_id)
    }

    /// How the last talk with the gateway about anything went.
    #[must_use]
    pub fn last_contact(&self) -> Contact {
        self.contacts.last()
    }

    /// Waits until nothing is under way or due: no call, no timer that has run out, no report.
    pub async fn rest(&self) {
        while !self.is_at_rest() {
            self.rested.notified().await;
        }
    }

    fn is_at_rest(&self) -> bool {
        let nothing_due = self.schedule.next().is_none_or(|at| at > self.clock.elapsed());
        let others_rest = self.is_reported() && !self.ear.is_busy() && !self.recovery.is_busy();
        self.flights.is_empty() && nothing_due && others_rest && !self.is_fetching_due()
    }

    /// Whether the keys or the gateway may be changed.
    ///
    /// # Errors
    /// [`Error::PaymentsLive`]: only the payment's own account may ask about it.
    pub fn check_nothing_lives(&self) -> Result<(), Error> {
        match self.database.list_live()?.len() + self.database.count_refunding()? {
            0 => Ok(()),
            live => Err(Error::PaymentsLive(live)),
        }
    }

    /// Whether this payment was made with the account we have now. Only its own account's word counts.
    pub(crate) fn is_ours(&self, payment: &Payment) -> bool {
        payment.account == self.gateway.account()
    }

    /// Puts every payment that is asked once more on the schedule, by the clock as it is known now.
    pub(crate) fn schedule_watched(&self) {
        // If they cannot be read, that was logged; the next start tries again.
        for (pay_id, at) in self.database.list_watched().unwrap_or_default() {
            self.schedule.put(pay_id, self.elapsed_at(at), None);
        }
    }

    /// The elapsed time at which the gateway's clock will show `at`.
    pub(crate) fn elapsed_at(&self, at: UtcMs) -> Duration {
        self.clock.elapsed() + at.since(self.clock.now())
    }
}
