//! An old copy of a till's disk comes back, or a copy of it runs as a second machine; and what an administrator does then.

use crate::customer::Step;
use crate::disk::{Disk, DiskCopy};
use crate::machine::Machine;
use crate::till;
use crate::vfs;
use crate::world::{Event, Known, Till, World};
use rusqlite::{Connection, OpenFlags};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use yidan_engine::{Epochs, mark_restored, save_setup};
use yidan_payment::{Account, EventId, PaymentId};

const SECOND: u64 = 1000;
const MINUTE: u64 = 60_000;
const DATABASE: &str = "yidan.db";
const BACKUP: &str = "backup.db";

/// A copy of a till's disk, and what the till had told and sent by then.
#[derive(Clone)]
pub struct OldDisk {
    files: DiskCopy,
    known: BTreeMap<PaymentId, Known>,
    bodies: BTreeMap<String, String>,
}

impl World {
    /// Plans when a till is backed up and restored, or cloned.
    pub(crate) fn plan_restores(&mut self, closes: u64) {
        let till = self.side.place(self.tills.len());
        if self.faults.till_restored {
            let backup = self.side.below(closes / 2);
            let restored = backup + self.side.between(MINUTE, closes / 2 + MINUTE);
            self.push(backup, Event::TillBackup { till });
            self.push(restored, Event::TillRestored { till });
        }
        if self.faults.till_cloned {
            let cloned = self.side.below(closes);
            self.push(cloned, Event::TillCloned { till });
        }
    }

    /// The disk is copied: by the program, or file by file while nobody writes.
    pub(crate) fn back_up_till(&mut self, till: usize) {
        let by_program = self.side.happens(500);
        let Some(files) = self.copy_disk(till, by_program) else {
            return self.push(MINUTE, Event::TillBackup { till });
        };
        let here = &mut self.tills[till];
        here.backup = Some(OldDisk { files, known: here.known.clone(), bodies: here.bodies.clone() });
        // Of what follows, the till will have forgotten that it gave it back.
        for customer in 0..self.customers.len() {
            let here = &self.customers[customer];
            if here.till == till && here.payment.is_some() && self.side.happens(400) {
                let wait = self.side.between(SECOND, 60 * SECOND);
                self.push(wait, Event::Step { customer, step: Step::Refund { in_full: false } });
            }
        }
    }

    fn copy_disk(&self, till: usize, by_program: bool) -> Option<DiskCopy> {
        let disk = Rc::clone(&self.tills[till].machine.disk);
        if by_program && !disk.borrow().is_dead() {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let from = Connection::open_with_flags_and_vfs(till::path_of(till), flags, vfs::NAME).ok()?;
            from.execute("vacuum into ?1", [format!("/{till}/{BACKUP}")]).ok()?;
            drop(from);
            return disk.borrow_mut().take_out(BACKUP, DATABASE);
        }
        let files = disk.borrow().copy();
        files.is_whole().then_some(files)
    }

    /// The old copy comes back: with the program, which marks it, or by hand, and nobody is told.
    pub(crate) fn restore_till(&mut self, till: usize) {
        if self.is_calm {
            return;
        }
        let Some(old) = self.tills[till].backup.take() else {
            return self.push(MINUTE, Event::TillRestored { till });
        };
        tracing::debug!(now = self.wire.now(), till, "restored");
        self.counts.add("till restored");
        self.switch_off(till);
        let here = &mut self.tills[till];
        here.machine.disk.borrow_mut().put_back(&old.files);
        (here.known, here.bodies) = (old.known, old.bodies);
        (here.unproved, here.sent) = Default::default();
        here.is_forked = true;
        if self.side.happens(400)
            && let Ok(database) = till::open_database(till)
        {
            // Nothing crashes here, so it is written.
            let _ = mark_restored(&database);
        }
        let silence = self.side.pick(&[0, 30 * SECOND, 240 * SECOND]);
        self.tills[till].hq_is_gone_until = self.wire.now() + silence;
        self.forget_customers(till);
        self.push(500, Event::Start { till });
        self.push(MINUTE, Event::AdministratorLooks { till });
    }

    /// Whoever stood at the till goes away; some come back for money that the till may have forgotten it gave.
    fn forget_customers(&mut self, till: usize) {
        for customer in 0..self.customers.len() {
            let here = &mut self.customers[customer];
            if here.till != till || here.requests.is_empty() {
                continue;
            }
            here.is_gone = true;
            let got_back = here
                .scanned
                .iter()
                .any(|(_, key)| self.gateway.find_trade(key).is_some_and(|trade| !trade.returns.total().is_zero()));
            if got_back || self.side.happens(30) {
                let wait = self.side.between(SECOND, 90 * SECOND);
                self.push(wait, Event::Step { customer, step: Step::RefundAgain });
            }
        }
    }

    fn switch_off(&mut self, till: usize) {
        let here = &mut self.tills[till];
        here.machine.disk.borrow_mut().kill();
        (here.running, here.other, here.ear) = (None, None, None);
        here.power_is_cut = false;
        here.machine.disk.borrow_mut().start(false);
    }

    /// The disk is copied into a second computer, which runs as the same terminal and sells as well.
    pub(crate) fn clone_till(&mut self, till: usize) {
        // A machine on which nothing has happened is not copied.
        let may_be = !self.is_calm && !self.tills[till].known.is_empty();
        let Some(files) = self.copy_disk(till, false).filter(|_| may_be) else { return };
        tracing::debug!(now = self.wire.now(), till, "cloned");
        self.counts.add("till cloned");
        let number = self.tills.len();
        let mut disk = Disk::new(self.side.fork(), self.lie);
        disk.put_back(&files);
        let disk = Rc::new(RefCell::new(disk));
        vfs::insert(u64::try_from(number).unwrap_or(u64::MAX), &disk);
        let machine = Machine::new(number, disk, Rc::clone(&self.wire), self.side.fork());
        let mut setup = self.tills[till].setup.clone();
        setup.hears = false;
        setup.account = Account("main".into());
        let mut clone = Till::new(machine, setup);
        (clone.known, clone.bodies) = (self.tills[till].known.clone(), self.tills[till].bodies.clone());
        (clone.is_forked, clone.is_clone) = (true, true);
        self.tills[till].is_forked = true;
        self.tills.push(clone);
        for customer in &mut self.customers {
            let may_go = customer.till == till && customer.requests.is_empty() && customer.bill.is_none();
            if may_go && self.side.happens(250) {
                customer.till = number;
            }
        }
        self.push(SECOND, Event::Start { till: number });
        self.push(MINUTE, Event::AdministratorLooks { till });
    }

    /// A till that says that its records differ is enrolled again; a clone is taken away in the end.
    pub(crate) fn administrator_looks(&mut self, till: usize) {
        self.push(MINUTE, Event::AdministratorLooks { till });
        let Some(running) = &self.tills[till].running else { return };
        if running.engine.report_state().is_ok_and(|state| state.history_differs) {
            self.enrol(till);
        }
    }

    fn enrol(&mut self, till: usize) {
        self.switch_off(till);
        let setup = &mut self.tills[till].setup;
        let epochs = Epochs { before: Some(setup.epoch), now: setup.epoch + 1 };
        let event_id = EventId::new(uuid::Uuid::from_u64_pair(self.side.draw(), self.side.draw()));
        let now = self.wire.utc();
        let saved = till::open_database(till).ok().and_then(|database| {
            save_setup(&database, "setup", epochs.now.to_string(), event_id, now, Some(epochs)).ok()
        });
        if saved.is_some() {
            self.counts.add("enrolled again");
            setup.epoch = epochs.now;
            self.hq.enrolled.insert(setup.terminal, setup.epoch);
        }
        self.push(500, Event::Start { till });
    }

    /// The till itself, if this is a copy of its disk.
    pub(crate) fn original_of(&self, till: usize) -> usize {
        if self.tills[till].is_clone { self.tills[till].setup.terminal } else { till }
    }

    /// The second computer is found and switched off for good.
    pub(crate) fn take_clones_away(&mut self) {
        for till in 0..self.tills.len() {
            if self.tills[till].is_clone {
                self.switch_off(till);
                self.tills[till].is_off = true;
            }
        }
    }
}
