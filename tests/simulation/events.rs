//! What happens in the world, and in which order: by time, then as it was planned.

use crate::customer::Step;
use crate::faults::Outage;
use crate::wire::{Call, HqAsk, HqReply, Reply, Signer};
use tokio::sync::oneshot;

/// What happens.
pub enum Event {
    /// A timer ends.
    Wake(oneshot::Sender<()>),
    /// A call arrives.
    AtGateway { till: usize, call: Call, reply: Option<oneshot::Sender<Reply>> },
    /// An answer arrives.
    Answer { reply: oneshot::Sender<Reply>, content: Reply },
    /// A report or a question arrives.
    AtHq { till: usize, signer: Signer, ask: HqAsk, reply: Option<oneshot::Sender<HqReply>> },
    /// The bill of a customer is opened at another till.
    OtherTill { customer: usize, till: usize, tries: u32 },
    /// Headquarters' answer arrives.
    HqAnswer { reply: oneshot::Sender<HqReply>, content: HqReply },
    /// A customer or a cashier does something.
    Step { customer: usize, step: Step },
    /// A customer comes.
    Arrives { customer: usize },
    /// A till is switched on.
    Start { till: usize },
    /// Somebody sets a PC's clock.
    ClockJumps { till: usize },
    /// A disk is full, or has room again.
    DiskFull { till: usize, is_full: bool },
    /// Another process takes the file, or lets it go.
    OtherProcess { till: usize, comes: bool },
    /// Other keys are put in, or the right ones back.
    Keys { till: usize, are_other: bool },
    /// A notice about a refund comes.
    RefundNotice { customer: usize, key: String, number: String },
    /// A notice of the gateway comes.
    Notice { till: usize, body: String, tries: u32 },
    /// A manager looks at the cases.
    ManagerLooks { till: usize },
    /// The merchant's balance is empty, or not any more.
    Balance { is_empty: bool },
    /// A till is told what it has not heard.
    Pump { till: usize },
    /// Somebody at headquarters wants something done.
    HqInstructs,
    /// A till's disk is copied.
    TillBackup { till: usize },
    /// The copy comes back.
    TillRestored { till: usize },
    /// A copy of a till's disk runs as a second machine.
    TillCloned { till: usize },
    /// An administrator looks at a till.
    AdministratorLooks { till: usize },
    /// Copies that run are found and switched off.
    ClonesGo,
    /// The gateway's bill of the day is made.
    DayBill,
    /// Headquarters is backed up.
    HqBackup,
    /// Headquarters is restored.
    HqRestored,
    /// A newer headquarters is installed.
    HqRenewed,
    /// Nothing goes wrong any more.
    Calm,
    /// The gateway does not answer, or does again.
    Outage(Option<Outage>),
    /// The day's bill is in.
    Bill,
    /// Whether all is settled is looked at.
    Look,
}

/// Something that is planned.
pub struct Due {
    pub(crate) at: u64,
    pub(crate) seq: u64,
    pub(crate) event: Event,
}

impl PartialEq for Due {
    fn eq(&self, other: &Due) -> bool {
        self.seq == other.seq
    }
}
impl Eq for Due {}
impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Due) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Due {
    fn cmp(&self, other: &Due) -> std::cmp::Ordering {
        (other.at, other.seq).cmp(&(self.at, self.seq))
    }
}
