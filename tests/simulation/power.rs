//! Machines start, stop and go wrong; so does headquarters.

use crate::chance::Chance;
use crate::day_bill::IS_MADE_AT;
use crate::disk::DiskCopy;
use crate::faults::Outage;
use crate::till;
use crate::vfs;
use crate::world::{Event, Held, Violation, World};
use rusqlite::{Connection, OpenFlags};
use yidan_engine::OpenError;
use yidan_payment::Account;

const MINUTE: u64 = 60_000;

impl World {
    /// Plans what goes wrong by itself until the shop closes.
    pub(crate) fn plan_faults(&mut self, closes: u64) {
        let mut chance = self.chance.fork();
        for till in 0..self.tills.len() {
            self.plan_for_till(till, closes, &mut chance);
        }
        for _ in 0..if self.faults.outage { chance.between(1, 3) } else { 0 } {
            let begins = chance.below(closes);
            let outage = chance.pick(&[Outage::Everything, Outage::Questions]);
            self.push(begins, Event::Outage(Some(outage)));
            self.push(begins + chance.between(MINUTE, 30 * MINUTE), Event::Outage(None));
        }
        if self.faults.no_balance {
            let empty = chance.below(closes);
            self.push(empty, Event::Balance { is_empty: true });
            self.push(empty + chance.between(MINUTE, 20 * MINUTE), Event::Balance { is_empty: false });
        }
        if self.faults.hq_restored {
            let backup = chance.below(closes / 2);
            self.push(backup, Event::HqBackup);
            self.push(backup + chance.between(MINUTE, closes / 2 + MINUTE), Event::HqRestored);
        }
        self.plan_restores(closes);
        if self.faults.hq_older {
            self.push(chance.below(closes), Event::HqRenewed);
        }
        if self.faults.hq_tells {
            self.push(chance.below(3 * MINUTE), Event::HqInstructs);
        }
    }

    fn plan_for_till(&mut self, till: usize, closes: u64, chance: &mut Chance) {
        self.push(chance.below(3 * MINUTE), Event::ManagerLooks { till });
        if self.faults.clock_jumps {
            for _ in 0..chance.between(1, 6) {
                self.push(chance.below(closes), Event::ClockJumps { till });
            }
        }
        if self.faults.disk_full {
            self.push(chance.below(closes), Event::DiskFull { till, is_full: true });
        }
        if self.faults.other_process {
            for _ in 0..chance.between(1, 4) {
                self.push(chance.below(closes), Event::OtherProcess { till, comes: true });
            }
        }
        if self.faults.keys_changed {
            self.push(chance.below(closes), Event::Keys { till, are_other: true });
        }
    }

    /// A till is switched on.
    pub(crate) fn start(&mut self, till: usize) -> Held {
        if self.tills[till].running.is_some() || self.tills[till].is_off {
            return Ok(());
        }
        let here = &mut self.tills[till];
        let machine = std::rc::Rc::clone(&here.machine);
        let power_was_cut = std::mem::take(&mut here.power_is_cut);
        machine.disk.borrow_mut().start(power_was_cut);
        here.starts += 1;
        tracing::debug!(now = self.wire.now(), till, power_was_cut, "start");
        self.arm(till);
        match till::start(&machine, &self.tills[till].setup) {
            Ok(running) => {
                self.tills[till].running = Some(running);
                if self.faults.kill_within_polls > 0 {
                    let polls = self.chance.between(1, self.faults.kill_within_polls);
                    if let Some(running) = &mut self.tills[till].running {
                        running.killed_at_poll = polls;
                    }
                }
                self.check_start(till)?;
                self.power_flickers(till);
                Ok(())
            }
            Err(error) => self.could_not_start(till, &error),
        }
    }

    /// The power fails again right after a start: what the screen has just shown must be on the disk.
    fn power_flickers(&mut self, till: usize) {
        let fails = self.flicker.happens(self.faults.power_flickers);
        if fails && !self.is_calm && self.tills[till].running.is_some() {
            self.counts.add("power failed again");
            self.tills[till].power_is_cut = true;
            self.crash(till);
        }
    }

    fn could_not_start(&mut self, till: usize, error: &OpenError) -> Held {
        let here = &mut self.tills[till];
        let (is_dead, is_full) = {
            let disk = here.machine.disk.borrow();
            (disk.is_dead(), disk.is_full())
        };
        if is_dead {
            self.counts.add("crash at start");
            self.crash(till);
            return Ok(());
        }
        if is_full || here.other.is_some() {
            self.counts.add("start refused");
            self.push(10_000, Event::Start { till });
            return Ok(());
        }
        // A first start that lost power twice in the middle: the file was never finished, and nobody has anything in it.
        let is_new = here.known.is_empty() && here.sent.is_empty() && here.backup.is_none() && !here.is_forked;
        if is_new && matches!(error, OpenError::Damaged { .. }) {
            self.counts.add("file made anew");
            here.machine.disk.borrow_mut().put_back(&DiskCopy::default());
            self.push(10_000, Event::Start { till });
            return Ok(());
        }
        Err(Violation(format!("till {till} does not start: {}", chain_of(error))))
    }

    fn arm(&mut self, till: usize) {
        let most = self.faults.crash_within_writes;
        if self.is_calm || most == 0 {
            return;
        }
        let wait = self.chance.between(1, most);
        self.tills[till].machine.disk.borrow_mut().crash_after(wait);
    }

    /// The machine of a till stops in the middle of whatever it does.
    pub(crate) fn crash(&mut self, till: usize) {
        tracing::debug!(now = self.wire.now(), till, "crash");
        self.counts.add("crashes");
        let power_is_cut = self.chance.happens(self.faults.power_cut);
        let here = &mut self.tills[till];
        here.machine.disk.borrow_mut().kill();
        (here.running, here.other) = (None, None);
        here.power_is_cut |= power_is_cut;
        let wait = self.chance.between(500, 20_000);
        self.push(wait, Event::Start { till });
    }

    pub(crate) fn clock_jumps(&mut self, till: usize) {
        if self.is_calm {
            return;
        }
        self.counts.add("clock jump");
        let off = i64::try_from(self.chance.below(20 * MINUTE)).unwrap_or(0) - 600_000;
        self.tills[till].machine.set_clock_off(off);
    }

    pub(crate) fn disk_full(&mut self, till: usize, is_full: bool) {
        let is_full = is_full && !self.is_calm;
        self.tills[till].machine.disk.borrow_mut().set_full(is_full);
        if is_full {
            self.counts.add("disk full");
            let wait = self.chance.between(1000, 60_000);
            self.push(wait, Event::DiskFull { till, is_full: false });
        }
    }

    /// A backup program, an antivirus, a curious person: somebody has the file open and locked, or reads in it.
    pub(crate) fn other_process(&mut self, till: usize, comes: bool) {
        if !comes || self.is_calm || self.tills[till].machine.disk.borrow().is_dead() {
            self.tills[till].other = None;
            return;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let Ok(other) = Connection::open_with_flags_and_vfs(till::path_of(till), flags, vfs::NAME) else { return };
        let locks = if self.chance.happens(500) { "begin immediate" } else { "begin; select count(*) from journal" };
        if other.execute_batch(locks).is_err() {
            return;
        }
        self.counts.add("second process");
        self.tills[till].other = Some(other);
        let wait = self.chance.between(500, 40_000);
        self.push(wait, Event::OtherProcess { till, comes: false });
    }

    /// Somebody puts other keys in although payments live, and after a while the right ones back.
    pub(crate) fn change_keys(&mut self, till: usize, are_other: bool) {
        if are_other && self.is_calm {
            return;
        }
        let here = &mut self.tills[till];
        here.has_other_keys = are_other;
        here.setup.account = Account(if are_other { "other" } else { "main" }.into());
        if here.running.take().is_some() {
            self.push(500, Event::Start { till });
        }
        if are_other {
            self.counts.add("keys changed");
            let wait = self.chance.between(MINUTE, 15 * MINUTE);
            self.push(wait, Event::Keys { till, are_other: false });
        }
    }

    /// Yesterday's backup of headquarters is put back.
    pub(crate) fn restore_headquarters(&mut self) {
        if let Some(yesterday) = self.hq_yesterday.take() {
            self.counts.add("headquarters restored");
            self.hq = yesterday;
            // Whoever listened must come again, and what it was saying is cut off.
            self.tills.iter_mut().for_each(|till| till.ear = None);
            self.heap.retain(|due| !matches!(due.event, Event::HqAnswer { .. }));
        }
    }

    /// Nothing goes wrong any more, and what went wrong is put right.
    pub(crate) fn calm(&mut self) {
        self.is_calm = true;
        self.hq.renew();
        self.gateway.has_no_money = false;
        self.outage = None;
        for till in 0..self.tills.len() {
            self.tills[till].other = None;
            self.tills[till].machine.disk.borrow_mut().calm();
            self.tills[till].machine.set_clock_off(0);
            if self.tills[till].has_other_keys {
                self.change_keys(till, false);
            }
            self.push(21_000, Event::Start { till });
        }
        self.push(30 * MINUTE, Event::Bill);
        self.push(20 * MINUTE, Event::ClonesGo);
        self.push(IS_MADE_AT.saturating_sub(self.wire.now()), Event::DayBill);
        self.push(MINUTE, Event::Look);
    }
}

fn chain_of(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}
