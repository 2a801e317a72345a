//! What leaves a machine: sleeps, calls to the gateway, reports to headquarters. The world takes them from here.

use crate::phone_codes::WithCode;
use std::cell::{Cell, RefCell};
use tokio::sync::{mpsc, oneshot};
use yidan_payment::{Fen, TradeNo, UtcMs};
use yidan_wire::{Ack, Batch, Claim, Conflict, Granted, Heard, NotGranted, Past, Push, Since};

/// The world begins at midnight (UTC) of 2026-11-30.
pub const BEGINNING: UtcMs = UtcMs(1_795_996_800_000);

/// What all machines share: the true time, and what they have sent in this instant.
#[derive(Default)]
pub struct Wire {
    now: Cell<u64>,
    sent: RefCell<Vec<Sent>>,
}

/// Something that left a machine.
pub struct Sent {
    /// Which till.
    pub till: usize,
    /// What.
    pub what: What,
}

/// What leaves a machine.
pub enum What {
    /// A timer was set.
    Sleep {
        /// When it ends (ms since the beginning).
        until: u64,
        /// Who waits.
        wake: oneshot::Sender<()>,
    },
    /// A call to the gateway.
    Call {
        /// Which.
        call: Call,
        /// Who waits for the answer.
        reply: oneshot::Sender<Reply>,
    },
    /// Something for headquarters.
    ToHq {
        /// Whose key signs.
        signer: Signer,
        /// What.
        ask: HqAsk,
        /// Who waits for the answer.
        reply: oneshot::Sender<HqReply>,
    },
}

/// Whose key signs what headquarters is told: one enrolment of one terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Signer {
    /// Which terminal.
    pub terminal: usize,
    /// Rises when it is enrolled again.
    pub epoch: u32,
}

/// What headquarters is told or asked.
#[derive(Clone, Debug)]
pub enum HqAsk {
    /// A piece of the journal.
    Report(Batch),
    /// Whose a bill is.
    Claim(Claim),
    /// What this terminal wrote under earlier enrolments.
    History(Since),
    /// To be told what comes after what was heard.
    Listen(Heard, mpsc::UnboundedSender<Vec<Push>>),
    /// Everything up to here is handled.
    Heard(Heard),
}

/// A call to the gateway.
#[derive(Clone, Debug)]
pub struct Call {
    /// What is wanted.
    pub ask: Ask,
    /// With whose keys.
    pub account: String,
    /// About which number of ours.
    pub number: String,
}

impl Call {
    /// Numbers of different accounts have nothing to do with one another.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}/{}", self.account, self.number)
    }
}

/// What is wanted of the gateway.
#[derive(Clone, Debug)]
pub enum Ask {
    /// A code for the order in this text.
    Precreate(String),
    /// The trade.
    Query,
    /// The end of the trade.
    Close,
    /// Money with the code on a phone.
    Pay(WithCode),
    /// The end of a trade with a code, or its money back.
    Cancel,
    /// Money back.
    Refund {
        /// Of which trade.
        trade_no: TradeNo,
        /// Under which number.
        number: String,
        /// How much.
        amount: Fen,
    },
    /// What became of a refund.
    RefundQuery {
        /// Of which trade.
        trade_no: TradeNo,
        /// Under which number.
        number: String,
    },
}

/// An answer of the gateway as it arrives.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The header `Date`: whole seconds.
    pub date: Option<UtcMs>,
    /// What it says.
    pub said: Said,
}

/// What the gateway says.
#[derive(Clone, Debug)]
pub enum Said {
    /// Signed text.
    Signed {
        /// The text.
        text: String,
        /// Its signature.
        signature: String,
    },
    /// 20000 or a system error: nothing is known.
    Unavailable,
    /// 40005: nothing was done.
    Limited,
}

/// What headquarters says.
#[derive(Clone, Debug)]
pub enum HqReply {
    /// Durable up to here.
    Acked(Ack),
    /// Another history.
    Conflict(Conflict),
    /// The bill is the asker's.
    Granted(Granted),
    /// The bill is another terminal's, or of another amount.
    NotGranted(Box<NotGranted>),
    /// It knows what was heard.
    Heard,
    /// What the terminal wrote once.
    Past(Past),
    /// This key is no terminal's any more.
    Refused,
    /// Its database did not do it.
    Broken,
}

impl Wire {
    /// The true time: ms since the beginning.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now.get()
    }

    /// The true time.
    #[must_use]
    pub fn utc(&self) -> UtcMs {
        BEGINNING.after(std::time::Duration::from_millis(self.now.get()))
    }

    pub(crate) fn set_now(&self, now: u64) {
        self.now.set(now);
    }

    pub(crate) fn send(&self, sent: Sent) {
        self.sent.borrow_mut().push(sent);
    }

    pub(crate) fn take(&self) -> Vec<Sent> {
        self.sent.take()
    }
}
