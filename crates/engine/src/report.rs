//! Reports the journal to headquarters: repeated until acknowledged, by sequence, for ever.
//!
//! Must always hold: nothing is taken as reported before headquarters says that it is durable there.

use crate::database::{Database, NewEvent};
use crate::past::{SINCE, since, text_of};
use crate::{Engine, Error, Hq, HqError};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;
use yidan_payment::{EventId, Hash, UtcMs};
use yidan_wire::{Ack, Batch, EventKind, MAX_EVENTS};

const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Headquarters may ask for more, but a proxy's nonsense silences nobody for a day.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);
/// A batch ends here, or at [`MAX_EVENTS`].
const MOST_BYTES: usize = 1 << 20;
const ACKED: &str = "hq.acked_seq";
const DIFFERS: &str = "hq.history_differs";

/// How reporting goes.
pub(crate) struct Progress {
    acked_seq: Cell<i64>,
    /// Of that line, once headquarters has said it in this run.
    acked_hash: Cell<Option<Hash>>,
    history_differs: Cell<bool>,
    failures: Cell<u32>,
    /// A report is under way, or about to be.
    busy: Cell<bool>,
    /// When it is tried again (elapsed time).
    again_at: Cell<Duration>,
    batch: Cell<usize>,
    refused: RefCell<Option<String>>,
    acked_at: Cell<Option<UtcMs>>,
}

/// What the status bar says about headquarters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportState {
    /// Whether headquarters is configured at all.
    pub is_on: bool,
    /// Lines that are not acknowledged yet.
    pub waiting: i64,
    /// Tries in a row without success.
    pub failures: u32,
    /// Why headquarters refuses this terminal.
    pub refused: Option<String>,
    /// Headquarters knows another history of this terminal.
    pub history_differs: bool,
    /// When headquarters last acknowledged, in this run.
    pub acked_at: Option<UtcMs>,
}

impl Progress {
    pub(crate) fn load(database: &Database, is_on: bool) -> Result<Progress, Error> {
        let acked = database.find_setting(ACKED)?;
        Ok(Progress {
            acked_seq: Cell::new(acked.and_then(|text| text.parse().ok()).unwrap_or(0)),
            acked_hash: Cell::new(None),
            history_differs: Cell::new(database.find_setting(DIFFERS)?.is_some()),
            failures: Cell::new(0),
            busy: Cell::new(is_on),
            again_at: Cell::new(Duration::ZERO),
            batch: Cell::new(MAX_EVENTS),
            refused: RefCell::new(None),
            acked_at: Cell::new(None),
        })
    }

    pub(crate) fn history_differs(&self) -> bool {
        self.history_differs.get()
    }
}

/// The enrolments of one terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epochs {
    /// The one whose journal these records have; `None`: they are another terminal's, or nobody's.
    pub before: Option<u32>,
    /// The new one.
    pub now: u32,
}

/// Writes a setup under `name` and tells the journal. With `enrolled`, headquarters is told everything from the first
/// line, under the new epoch, and gives back what these records have forgotten.
///
/// # Errors
/// [`Error::Storage`]; then nothing was changed.
pub fn save_setup(
    database: &Database,
    name: &str,
    setup: String,
    event_id: EventId,
    at: UtcMs,
    enrolled: Option<Epochs>,
) -> Result<(), Error> {
    let forgotten: &[&str] = if enrolled.is_some() { &[ACKED, DIFFERS] } else { &[] };
    let acked_seq = database.find_setting(ACKED)?.and_then(|text| text.parse().ok()).unwrap_or(0);
    let missing = enrolled.and_then(|epochs| since(epochs.before, acked_seq, epochs.now));
    let missing = missing.map(|since| text_of(&since));
    let also = missing.as_deref().map(|text| (SINCE, text));
    let kind = EventKind::Opened.as_str();
    database.save_noted(name, also, forgotten, NewEvent { event_id, kind, pay_id: None, at, payload: setup })
}

/// Marks records that were restored and report to headquarters: no new sales until the terminal has enrolled again, since
/// headquarters knows what these records have forgotten.
///
/// # Errors
/// [`Error::Storage`].
pub fn mark_restored(database: &Database) -> Result<(), Error> {
    database.save_settings(&[(DIFFERS, "an old backup was restored")])
}

impl Engine {
    /// How reporting goes.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn report_state(&self) -> Result<ReportState, Error> {
        let head = self.database.load_head()?;
        let is_on = self.hq.is_some();
        Ok(ReportState {
            is_on,
            waiting: if is_on { head.seq - self.report.acked_seq.get() } else { 0 },
            failures: self.report.failures.get(),
            refused: self.report.refused.borrow().clone(),
            history_differs: self.report.history_differs.get(),
            acked_at: self.report.acked_at.get(),
        })
    }

    /// Whether there is nothing to report, or no sense in trying right now.
    pub(crate) fn is_reported(&self) -> bool {
        let is_pausing = self.report.failures.get() > 0 && self.clock.elapsed() < self.report.again_at.get();
        !self.report.busy.get() && (is_pausing || self.report_state().is_ok_and(|state| state.waiting == 0))
    }

    /// Reports whatever is new, for ever. Without headquarters it does nothing.
    pub(crate) async fn keep_reporting(self: Rc<Self>) {
        let Some(hq) = &self.hq else { return std::future::pending().await };
        loop {
            let pause = match self.report_once(hq.as_ref()).await {
                Ok(Some(pause)) => pause,
                Ok(None) => continue,
                Err(error) => {
                    tracing::error!(error = &error as &dyn std::error::Error, "could not read what to report");
                    LONGEST_PAUSE
                }
            };
            let again_at = self.clock.elapsed() + pause;
            self.report.again_at.set(again_at);
            self.report.busy.set(false);
            self.rested.notify_waiters();
            tokio::select! {
                biased;
                () = self.clock.sleep_until(again_at) => {}
                () = self.outbox.notified(), if self.report.failures.get() == 0 => {}
            }
            self.report.busy.set(true);
        }
    }

    /// Sends one batch. Says how long to rest, or nothing if there is more to send at once.
    async fn report_once(&self, hq: &dyn Hq) -> Result<Option<Duration>, Error> {
        let acked = self.report.acked_seq.get();
        let head = self.database.load_head()?;
        let events = match head.seq - acked {
            0 => Vec::new(),
            _ => up_to_bytes(self.database.list_events_after(acked, self.report.batch.get())?),
        };
        let sent = events.len();
        let answer = hq.send(&Batch { head_seq: head.seq, events }).await;
        let pause = match answer {
            Ok(ack) => {
                self.report.failures.set(0);
                self.report.refused.replace(None);
                self.report.batch.set(self.report.batch.get().saturating_mul(2).min(MAX_EVENTS));
                self.report.acked_at.set(Some(self.clock.now()));
                self.take_ack(ack)?;
                let more = self.report.acked_seq.get() != acked && self.report.acked_seq.get() < head.seq;
                return Ok((!more).then_some(LONGEST_PAUSE));
            }
            Err(HqError::TooLarge) if sent > 1 => {
                self.report.batch.set(sent / 2);
                return Ok(None);
            }
            Err(HqError::Conflict(conflict)) => {
                self.notice_other_history(&conflict.detail)?;
                LONGEST_PAUSE
            }
            Err(HqError::Busy { retry_after: Some(wait) }) => wait.min(LONGEST_WAIT),
            Err(HqError::Refused(why)) => {
                self.report.refused.replace(Some(why));
                LONGEST_PAUSE
            }
            Err(
                HqError::Busy { retry_after: None }
                | HqError::Unanswered(_)
                | HqError::TooLarge
                | HqError::NotGranted(_),
            ) => {
                // A slow line may not carry so much in time.
                self.report.batch.set((sent / 2).max(1));
                let doubled = SHORTEST_PAUSE * 2_u32.saturating_pow(self.report.failures.get().min(6));
                doubled.min(LONGEST_PAUSE)
            }
        };
        self.report.failures.set(self.report.failures.get().saturating_add(1));
        Ok(Some(pause))
    }

    /// What headquarters has is compared with what we wrote: by number and by hash.
    fn take_ack(&self, ack: Ack) -> Result<(), Error> {
        let before = self.report.acked_seq.get();
        let is_known = self.report.acked_hash.get() == Some(ack.head_hash);
        if is_known && ack.acked_seq == before {
            return Ok(());
        }
        let ours = match ack.acked_seq {
            0 => Some(Hash::ZERO),
            seq => self.database.find_event(seq)?.map(|event| event.hash),
        };
        if ours != Some(ack.head_hash) {
            return self.notice_other_history("headquarters has lines that this database does not have");
        }
        if ack.acked_seq < before {
            tracing::warn!(ack.acked_seq, before, "headquarters was restored; sending again");
        }
        if ack.acked_seq != before {
            self.database.save_settings(&[(ACKED, &ack.acked_seq.to_string())])?;
            self.report.acked_seq.set(ack.acked_seq);
        }
        self.report.acked_hash.set(ours);
        self.resume_confirmed();
        Ok(())
    }

    /// This database was restored or cloned: no new sales until the terminal is enrolled again.
    fn notice_other_history(&self, detail: &str) -> Result<(), Error> {
        if !self.report.history_differs.replace(true) {
            tracing::error!(detail, "this computer's records differ from headquarters'");
        }
        // Also if it is known: it may not have been written down.
        self.database.save_settings(&[(DIFFERS, detail)])
    }

    /// Waits until headquarters has said in this run whether these records are those it knows; `false` if that is not to
    /// be had now.
    pub(crate) async fn is_compared(&self) -> bool {
        while self.report.acked_hash.get().is_none() && !self.report.history_differs() {
            if self.report.failures.get() > 0 {
                return false;
            }
            self.rested.notified().await;
        }
        true
    }
}

/// At least one line, and no more than a batch may weigh.
fn up_to_bytes(mut events: Vec<yidan_payment::Event>) -> Vec<yidan_payment::Event> {
    let mut bytes = 0;
    let fits = events.iter().take_while(|event| {
        bytes += event.payload.len() + 512;
        bytes <= MOST_BYTES
    });
    let count = fits.count().max(1);
    events.truncate(count);
    events
}
