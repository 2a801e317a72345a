//! The world of one seed: one heap of events in virtual time, and everything that happens in it.

use crate::chance::Chance;
use crate::customer::Customer;
use crate::day_bill::IS_MADE_AT;
use crate::disk::{Disk, Lie};
use crate::events::Due;
pub use crate::events::Event;
use crate::faults::{Counts, Faults, Outage};
use crate::gateway::{Gateway, Rules};
use crate::headquarters::Headquarters;
use crate::machine::Machine;
use crate::restore::OldDisk;
use crate::stream::Ear;
use crate::till::{Running, Setup};
use crate::vfs;
use crate::wire::{Call, Wire};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::oneshot;
use yidan_payment::{Account, OrderId, PaymentId, RequestId, StatusName};
use yidan_wire::EventKind;

/// Something that must never happen did, or something that must happen did not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation(pub String);

/// Whether everything still holds.
pub type Held = Result<(), Violation>;

/// What is to be played.
#[derive(Clone, Copy, Debug)]
pub struct Play {
    /// All chance comes from here.
    pub seed: u64,
    /// How many customers.
    pub orders: u64,
    /// How the disks are broken on purpose.
    pub lie: Lie,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// How often what happened.
    pub counts: Counts,
    /// The same seed gives the same hash.
    pub hash: u64,
}

/// Everything there is.
pub struct World {
    pub(crate) wire: Rc<Wire>,
    pub(crate) chance: Chance,
    /// For what was added later: a seed without it goes on as before.
    pub(crate) side: Chance,
    pub(crate) flicker: Chance,
    pub(crate) faults: Faults,
    pub(crate) is_calm: bool,
    pub(crate) gateway: Gateway,
    pub(crate) hq: Headquarters,
    pub(crate) hq_yesterday: Option<Headquarters>,
    pub(crate) tills: Vec<Till>,
    pub(crate) customers: Vec<Customer>,
    pub(crate) owners: BTreeMap<String, PaymentId>,
    /// Whose order it is, as it says itself.
    pub(crate) subjects: RefCell<BTreeMap<OrderId, usize>>,
    pub(crate) decided: BTreeSet<PaymentId>,
    /// Lines of the bill that nobody has heard yet: number at the gateway, number of the refund.
    pub(crate) on_bill: BTreeSet<(String, String)>,
    pub(crate) bill_is_in: bool,
    pub(crate) outage: Option<Outage>,
    pub(crate) counts: Counts,
    pub(crate) life_ms: u64,
    pub(crate) lie: Lie,
    /// When a refund was wished, by its click (ms).
    pub(crate) wished_at: BTreeMap<RequestId, u64>,
    pub(crate) heap: BinaryHeap<Due>,
    seq: u64,
    hash: u64,
}

/// One till: its machine, and its program while it runs.
pub struct Till {
    pub(crate) machine: Rc<Machine>,
    pub(crate) running: Option<Running>,
    pub(crate) setup: Setup,
    pub(crate) power_is_cut: bool,
    /// What the screen was told, by payment.
    pub(crate) known: BTreeMap<PaymentId, Known>,
    /// What was told, and what was sent, since a start last proved that it survives.
    pub(crate) unproved: BTreeSet<PaymentId>,
    pub(crate) sent: BTreeSet<String>,
    /// The last text that was sent under a number.
    pub(crate) bodies: BTreeMap<String, String>,
    /// Another process that holds the file.
    pub(crate) other: Option<rusqlite::Connection>,
    /// Somebody put other keys in.
    pub(crate) has_other_keys: bool,
    pub(crate) starts: u64,
    /// Its line to headquarters.
    pub(crate) ear: Option<Ear>,
    /// A copy of its disk.
    pub(crate) backup: Option<OldDisk>,
    /// Its records were replaced by older ones, or run a second time.
    pub(crate) is_forked: bool,
    /// It runs on a copied disk.
    pub(crate) is_clone: bool,
    /// It was switched off for good.
    pub(crate) is_off: bool,
    /// Headquarters cannot be reached before (ms).
    pub(crate) hq_is_gone_until: u64,
    /// It has settled the day's bill.
    pub(crate) has_read_bill: bool,
}

/// What the screen was told about a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub(crate) version: i64,
    pub(crate) status: StatusName,
    pub(crate) receipts: usize,
    pub(crate) number: String,
}

/// After the faults have stopped, everything must be settled within this time: a closed payment is asked once more after
/// two hours and ten minutes.
const SETTLES_WITHIN_MS: u64 = 4 * 3_600_000;
const MINUTE: u64 = 60_000;
const SIDE: u64 = 0x51DE_51DE_51DE_51DE;
const FLICKER: u64 = 0xF11C_F11C_F11C_F11C;

/// Plays one seed to its end.
///
/// # Errors
/// The first [`Violation`].
pub fn play(play: &Play) -> Result<Told, Violation> {
    let mut world = World::new(play);
    let result = world.run(play);
    for till in &mut world.tills {
        till.machine.disk.borrow_mut().kill();
        (till.running, till.other) = (None, None);
        vfs::remove(u64::try_from(till.machine.till).unwrap_or(u64::MAX));
    }
    result.map(|()| Told { counts: std::mem::take(&mut world.counts), hash: world.hash })
}

impl World {
    fn new(play: &Play) -> World {
        let mut chance = Chance::new(play.seed);
        let rules = Rules {
            close_latches: chance.happens(500),
            late_ms: chance.below(60_000),
            refuses_reuse: chance.happens(700),
        };
        let mut side = Chance::new(play.seed ^ SIDE);
        let mut flicker = Chance::new(play.seed ^ FLICKER);
        let faults =
            Faults { power_flickers: flicker.pick(&[0, 0, 0, 0, 0, 0, 100]), ..Faults::draw(&mut chance, &mut side) };
        let code_min = chance.pick(&[2, 2, 2, 3, 5]);
        let wire = Rc::new(Wire::default());
        let count = chance.pick(&[1, 2, 2, 3]);
        let mut setup = Setup {
            terminal: 0,
            epoch: 1,
            account: Account("main".into()),
            code_min,
            idle: Duration::from_secs(60 * chance.between(2, 15)),
            hears: faults.hq_tells,
        };
        let mut till = |number: usize| {
            let mut disk = Disk::new(chance.fork(), play.lie);
            // In one shop of eight the first till makes its file itself, and dies while it does.
            if number != 0 || !play.seed.is_multiple_of(8) {
                disk.put_back(crate::till::set_up_disk());
            }
            let disk = Rc::new(RefCell::new(disk));
            vfs::insert(u64::try_from(number).unwrap_or(u64::MAX), &disk);
            setup.terminal = number;
            Till::new(Machine::new(number, disk, Rc::clone(&wire), chance.fork()), setup.clone())
        };
        let tills = (0..count).map(&mut till).collect();
        // All kinds that bring, move or decide money: a refund cannot be counted before its receipt.
        let unknown =
            vec![EventKind::CodeShown, EventKind::Paid, EventKind::Suspended, EventKind::Refunded, EventKind::Decided];
        World {
            hq: if faults.hq_older { Headquarters::older(unknown) } else { Headquarters::default() },
            wire: Rc::clone(&wire),
            faults,
            is_calm: false,
            gateway: Gateway::new(rules),
            hq_yesterday: None,
            tills,
            customers: Vec::new(),
            owners: BTreeMap::new(),
            subjects: RefCell::default(),
            decided: BTreeSet::new(),
            on_bill: BTreeSet::new(),
            bill_is_in: false,
            outage: None,
            counts: Counts::default(),
            life_ms: u64::from(code_min) * MINUTE,
            lie: play.lie,
            wished_at: BTreeMap::new(),
            heap: BinaryHeap::new(),
            seq: 0,
            hash: play.seed,
            chance,
            side,
            flicker,
        }
    }

    fn run(&mut self, play: &Play) -> Held {
        for till in 0..self.tills.len() {
            self.push(0, Event::Start { till });
        }
        let closes = self.let_customers_come(play.orders);
        self.plan_faults(closes);
        let calm = closes + 2 * MINUTE;
        self.push(calm, Event::Calm);
        while let Some(due) = self.heap.pop() {
            let bill = if self.tills.iter().any(|till| till.is_forked) { IS_MADE_AT } else { 0 };
            if due.at > calm + bill + SETTLES_WITHIN_MS {
                return Err(self.unsettled());
            }
            self.wire.set_now(due.at);
            self.note(due.at, due.seq);
            if self.happen(due.event)? {
                return self.end();
            }
            self.go_on()?;
        }
        Err(Violation("nothing happens any more".into()))
    }

    /// Something happens `wait` ms from now.
    pub(crate) fn push(&mut self, wait: u64, event: Event) {
        self.seq += 1;
        self.heap.push(Due { at: self.wire.now() + wait, seq: self.seq, event });
    }

    /// Takes the calls that are still on their way to the gateway.
    pub(crate) fn take_late_calls(&mut self) -> Vec<Call> {
        let mut calls = Vec::new();
        for due in std::mem::take(&mut self.heap).into_sorted_vec().into_iter().rev() {
            // Whoever asked has given up.
            if let Event::AtGateway { call, reply, .. } = &due.event
                && reply.as_ref().is_none_or(oneshot::Sender::is_closed)
            {
                calls.push(call.clone());
            } else {
                self.heap.push(due);
            }
        }
        calls
    }

    /// Mixes what happened into the hash of the whole.
    pub(crate) fn note(&mut self, what: u64, also: u64) {
        self.hash = (self.hash.rotate_left(7) ^ what).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ also;
    }

    /// True in so many of 1,000 cases, while things go wrong at all; counted by name.
    pub(crate) fn goes_wrong(&mut self, per_mille: u64, what: &'static str) -> bool {
        let happens = !self.is_calm && per_mille > 0 && self.chance.happens(per_mille);
        if happens {
            self.counts.add(what);
        }
        happens
    }

    /// Says that everything is settled.
    fn happen(&mut self, event: Event) -> Result<bool, Violation> {
        match event {
            // Whoever waited may be gone.
            Event::Wake(wake) => drop(wake.send(())),
            Event::Answer { reply, content } => drop(reply.send(content)),
            Event::HqAnswer { reply, content } => drop(reply.send(content)),
            Event::AtGateway { till, call, reply } => self.at_gateway(till, &call, reply)?,
            Event::AtHq { till, signer, ask, reply } => self.at_headquarters(till, signer, &ask, reply)?,
            Event::OtherTill { customer, till, tries } => self.collect_elsewhere(customer, till, tries),
            Event::Step { customer, step } => self.step(customer, step)?,
            Event::Arrives { customer } => self.arrives(customer),
            Event::Start { till } => self.start(till)?,
            Event::ClockJumps { till } => self.clock_jumps(till),
            Event::DiskFull { till, is_full } => self.disk_full(till, is_full),
            Event::OtherProcess { till, comes } => self.other_process(till, comes),
            Event::Keys { till, are_other } => self.change_keys(till, are_other),
            Event::RefundNotice { customer, key, number } => self.refund_notice(customer, key, number),
            Event::Notice { till, body, tries } => self.notice(till, body, tries),
            Event::ManagerLooks { till } => self.manager_looks(till),
            Event::Balance { is_empty } => self.gateway.has_no_money = is_empty && !self.is_calm,
            Event::Pump { till } => self.pump(till),
            Event::HqInstructs => self.headquarters_instructs(),
            Event::TillBackup { till } => self.back_up_till(till),
            Event::TillRestored { till } => self.restore_till(till),
            Event::TillCloned { till } => self.clone_till(till),
            Event::AdministratorLooks { till } => self.administrator_looks(till),
            Event::DayBill => self.read_day_bill(),
            Event::ClonesGo => self.take_clones_away(),
            Event::HqBackup => self.hq_yesterday = Some(self.hq.clone()),
            Event::HqRestored => self.restore_headquarters(),
            Event::HqRenewed => self.hq.renew(),
            Event::Calm => self.calm(),
            Event::Bill => self.bill(),
            Event::Outage(outage) => self.outage = outage.filter(|_| !self.is_calm),
            Event::Look => {
                self.push(5 * MINUTE, Event::Look);
                return self.is_settled();
            }
        }
        Ok(false)
    }

    /// Lets every program go on that waits for what just happened.
    fn go_on(&mut self) -> Held {
        for till in 0..self.tills.len() {
            while self.tills[till].running.as_ref().is_some_and(Running::is_woken) {
                self.poll(till)?;
            }
        }
        Ok(())
    }

    fn poll(&mut self, till: usize) -> Held {
        let Some(running) = self.tills[till].running.as_mut() else { return Ok(()) };
        if !self.is_calm && running.polls >= running.killed_at_poll {
            self.counts.add("kill at await");
            self.crash(till);
            return Ok(());
        }
        let ended = running.poll().map_err(Violation)?;
        self.send_all()?;
        if self.tills[till].machine.disk.borrow().is_dead() {
            self.counts.add("crash at write");
            self.crash(till);
            return Ok(());
        }
        self.check_changes(till)?;
        for (customer, act, came) in ended {
            self.came(till, customer, &act, &came)?;
        }
        Ok(())
    }
}

impl Till {
    pub(crate) fn new(machine: Machine, setup: Setup) -> Till {
        Till {
            machine: Rc::new(machine),
            running: None,
            setup,
            power_is_cut: false,
            known: BTreeMap::new(),
            unproved: BTreeSet::new(),
            sent: BTreeSet::new(),
            bodies: BTreeMap::new(),
            other: None,
            has_other_keys: false,
            starts: 0,
            ear: None,
            backup: None,
            is_forked: false,
            is_clone: false,
            is_off: false,
            hq_is_gone_until: 0,
            has_read_bill: false,
        }
    }
}
