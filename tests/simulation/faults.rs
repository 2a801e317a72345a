//! What goes wrong, and how often: a random part of everything per seed, so that each fault also meets a world in which
//! most other things work.

use crate::chance::Chance;
use std::collections::BTreeMap;

/// Rates of one seed, in 1,000 cases unless said otherwise.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// A call is lost before the gateway sees it.
    pub call_lost: u64,
    /// The answer is lost: the effect stays.
    pub answer_lost: u64,
    /// A call arrives twice.
    pub call_twice: u64,
    /// A call is on its way for up to 25 hours.
    pub call_late: u64,
    /// Up to several seconds.
    pub slow: u64,
    /// 20000 or a system error, with nothing done.
    pub unavailable_before: u64,
    /// The same after everything was done.
    pub unavailable_after: u64,
    /// An answer whose signature does not hold.
    pub forged: u64,
    /// 40005.
    pub limited: u64,
    /// An answer without `Date`.
    pub no_date: u64,
    /// A trade asks for another amount than the order's.
    pub other_amount: u64,
    /// The gateway, or what answers questions there, cannot be reached for many minutes, from all tills.
    pub outage: bool,
    /// A code that is dead can be scanned after all.
    pub lawless: u64,
    /// A trade that was seen is said not to exist.
    pub trade_vanishes: u64,
    /// A trade that was paid is said to have brought another amount.
    pub other_answer: u64,
    /// The merchant has an address for notices.
    pub notices: bool,
    /// A notice is lost.
    pub notice_lost: u64,
    /// It comes ten times.
    pub notice_repeated: u64,
    /// It tells of another amount.
    pub notice_wrong: u64,
    /// Somebody invents one.
    pub notice_forged: u64,
    /// A report, or its answer, is lost.
    pub report_lost: u64,
    /// A report arrives twice, the second time much later.
    pub report_twice: u64,
    /// Headquarters' database fails at the commit.
    pub hq_broken: u64,
    /// The merchant's balance does not cover refunds for a while.
    pub no_balance: bool,
    /// Headquarters is restored from yesterday (once per seed).
    pub hq_restored: bool,
    /// Headquarters is older than the tills for half of the time.
    pub hq_older: bool,
    /// The machine stops within so many disk operations. 0: never.
    pub crash_within_writes: u64,
    /// The program is killed within so many polls. 0: never.
    pub kill_within_polls: u64,
    /// A crash is a power cut.
    pub power_cut: u64,
    /// The power fails right after a start.
    pub power_flickers: u64,
    /// After a crash the draft on the screen is gone.
    pub draft_lost: u64,
    /// The PC's clock jumps, every few minutes.
    pub clock_jumps: bool,
    /// The disk is full for a while.
    pub disk_full: bool,
    /// Another process has the file locked for a while, or reads it during a start.
    pub other_process: bool,
    /// Somebody tries to start the program with other keys.
    pub keys_changed: bool,
    /// The bill of another program is opened at several tills.
    pub other_till: u64,
    /// A till's disk is replaced by an older copy of itself.
    pub till_restored: bool,
    /// A copy of a till's disk runs as a second machine.
    pub till_cloned: bool,
    /// Customers show codes of their own.
    pub phone_codes: u64,
    /// Headquarters tells the tills what it hears and wants.
    pub hq_tells: bool,
    /// Its stream is cut, or leaves something out.
    pub stream_cut: u64,
    /// It tells something twice.
    pub told_twice: u64,
    /// It tells something much later.
    pub told_late: u64,
}

impl Faults {
    /// Draws a part of all faults.
    #[must_use]
    pub fn draw(chance: &mut Chance, side: &mut Chance) -> Faults {
        let mut rate = |share: u64, most: u64| if chance.happens(share) { chance.between(1, most) } else { 0 };
        let mut faults = Faults {
            call_lost: rate(500, 150),
            answer_lost: rate(500, 150),
            call_twice: rate(500, 100),
            call_late: rate(300, 20),
            slow: rate(500, 100),
            unavailable_before: rate(400, 100),
            unavailable_after: rate(400, 100),
            forged: rate(400, 60),
            limited: rate(300, 60),
            no_date: rate(200, 300),
            other_amount: rate(250, 20),
            lawless: rate(200, 500),
            trade_vanishes: rate(250, 800),
            other_answer: rate(250, 500),
            notice_lost: rate(500, 500),
            notice_repeated: rate(500, 300),
            notice_wrong: rate(200, 100),
            notice_forged: rate(400, 200),
            report_lost: rate(400, 300),
            report_twice: rate(400, 200),
            hq_broken: rate(400, 200),
            crash_within_writes: rate(650, 4000),
            kill_within_polls: rate(500, 1500),
            power_cut: rate(1000, 999),
            draft_lost: rate(500, 700),
            ..Faults::default()
        };
        faults.hq_restored = chance.happens(250);
        faults.no_balance = chance.happens(300);
        faults.notices = chance.happens(600);
        faults.outage = chance.happens(300);
        faults.hq_older = chance.happens(200);
        faults.clock_jumps = chance.happens(300);
        faults.disk_full = chance.happens(200);
        faults.other_process = chance.happens(250);
        faults.keys_changed = chance.happens(150);
        (faults.till_restored, faults.till_cloned) = (side.happens(160), side.happens(80));
        // One of them at a time loses what it knew.
        faults.till_cloned &= !faults.till_restored;
        faults.hq_restored &= !faults.till_restored && !faults.till_cloned;
        faults.phone_codes = if side.happens(500) { side.between(50, 500) } else { 0 };
        faults.hq_tells = side.happens(500);
        let mut rate = |most: u64| if side.happens(600) { side.between(1, most) } else { 0 };
        (faults.stream_cut, faults.told_twice, faults.told_late) = (rate(300), rate(300), rate(300));
        faults.other_till = if side.happens(600) { side.between(200, 900) } else { 0 };
        faults
    }
}

/// What of the gateway does not answer for many minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outage {
    /// Nothing.
    Everything,
    /// Questions; everything else is answered.
    Questions,
}

/// How often what happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<&'static str, u64>);

impl Counts {
    /// It happened once more.
    pub fn add(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }

    /// How often.
    #[must_use]
    pub fn of(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or(0)
    }

    /// Adds other counts.
    pub fn merge(&mut self, other: &Counts) {
        for (what, count) in &other.0 {
            *self.0.entry(what).or_default() += count;
        }
    }

    /// Everything, by name.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().map(|(what, count)| (*what, *count))
    }
}
