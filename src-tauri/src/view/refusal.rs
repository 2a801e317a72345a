//! Why something was not done, as the screens say it.
//!
//! The kind chooses the sentence in the words files. `message` only adds what those cannot know; it is empty otherwise.

use serde::Serialize;
use std::rc::Rc;
use ts_rs::TS;
use yidan_engine::{BillTrouble, Error, PinError, Stopped};
use yidan_payment::WishRefused;

/// A refused command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct CommandError {
    pub kind: ErrorKind,
    pub message: String,
}

/// What the person at the screen can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub enum ErrorKind {
    BadAmount,
    /// What was scanned is no payment code.
    BadCode,
    /// The customer's code was used before; it changes every minute.
    CodeUsed,
    /// A payment on the screen still lives: stop it before another way is tried.
    StopFirst,
    Busy,
    NotNow,
    GatewayDown,
    Locked,
    Storage,
    WrongPin,
    /// Five wrong ones in a row.
    PinLocked,
    NoManager,
    /// More than what is left of the money.
    TooMuch,
    /// A refund of the same money has no end yet, or somebody else was faster.
    RefundUnderWay,
    /// The first decision stands.
    AlreadyDecided,
    /// Whoever asks may not decide this, or must not be the one who agrees.
    NotAllowed,
    /// The file is not a bill of this account, or is damaged.
    BadBill,
    /// Alipay makes it the next morning.
    NoBillYet,
    BadSetup,
    HqRefused,
    Unknown,
}

impl CommandError {
    /// A refusal whose sentence in the words files says everything.
    #[must_use]
    pub fn plain(kind: ErrorKind) -> CommandError {
        CommandError { kind, message: String::new() }
    }

    /// A refusal with what is particular about it, all causes included.
    #[must_use]
    pub fn because(kind: ErrorKind, why: &anyhow::Error) -> CommandError {
        CommandError { kind, message: format!("{why:#}") }
    }
}

impl From<&Error> for CommandError {
    fn from(error: &Error) -> CommandError {
        match error {
            Error::BadInput(_) => CommandError::plain(ErrorKind::BadAmount),
            Error::ContentChanged { .. }
            | Error::BillChanged { .. }
            | Error::BillOwned(_)
            | Error::NoClaim(_)
            | Error::SourceNotOurs { .. }
            | Error::NoSuchPayment(_)
            | Error::StillPayable
            | Error::HistoryDiffers
            | Error::Recovering
            | Error::NotApproved
            | Error::PaymentsLive(_) => CommandError::plain(ErrorKind::NotNow),
            Error::CodeUsed => CommandError::plain(ErrorKind::CodeUsed),
            Error::Refused(why) => CommandError::plain(kind_of(*why)),
            Error::AlreadyDecided { .. } => CommandError::plain(ErrorKind::AlreadyDecided),
            Error::Storage { .. } => {
                tracing::error!(error = error as &dyn std::error::Error, "a command failed");
                CommandError { kind: ErrorKind::Storage, message: error.to_string() }
            }
        }
    }
}

fn kind_of(why: WishRefused) -> ErrorKind {
    match why {
        WishRefused::MoreThanIsLeft => ErrorKind::TooMuch,
        WishRefused::RefundUnderWay => ErrorKind::RefundUnderWay,
        WishRefused::AlreadyPaid | WishRefused::NotNow | WishRefused::NotResumable | WishRefused::NoSuchMoney => {
            ErrorKind::NotNow
        }
    }
}

impl From<Error> for CommandError {
    fn from(error: Error) -> CommandError {
        CommandError::from(&error)
    }
}

impl From<Rc<Error>> for CommandError {
    fn from(error: Rc<Error>) -> CommandError {
        CommandError::from(error.as_ref())
    }
}

impl From<Stopped> for CommandError {
    fn from(_: Stopped) -> CommandError {
        CommandError::plain(ErrorKind::Busy)
    }
}

impl From<BillTrouble> for CommandError {
    fn from(trouble: BillTrouble) -> CommandError {
        CommandError::from(&trouble)
    }
}

impl From<&BillTrouble> for CommandError {
    fn from(trouble: &BillTrouble) -> CommandError {
        let because = |kind| CommandError { kind, message: trouble.to_string() };
        match trouble {
            BillTrouble::Refused(error) => CommandError { kind: ErrorKind::BadBill, message: error.to_string() },
            BillTrouble::PartOfADay => because(ErrorKind::BadBill),
            BillTrouble::NotFetched(error) => {
                tracing::warn!(error = error as &dyn std::error::Error, "the bill was not fetched");
                CommandError::plain(ErrorKind::GatewayDown)
            }
            BillTrouble::NotOver(_) | BillTrouble::NotReady(_) => CommandError::plain(ErrorKind::NoBillYet),
            BillTrouble::NoDay | BillTrouble::NotRead(_) => CommandError::plain(ErrorKind::NotNow),
            BillTrouble::NotAllowed(sentence) => CommandError { kind: ErrorKind::Unknown, message: sentence.clone() },
            BillTrouble::Engine { .. } => because(ErrorKind::Storage),
        }
    }
}

impl From<PinError> for CommandError {
    fn from(error: PinError) -> CommandError {
        match error {
            PinError::Wrong => CommandError::plain(ErrorKind::WrongPin),
            PinError::LockedOut { .. } => CommandError::plain(ErrorKind::PinLocked),
            PinError::NoManager | PinError::NoSuchOperator => CommandError::plain(ErrorKind::NoManager),
            PinError::NotAllowed | PinError::MustDiffer => CommandError::plain(ErrorKind::NotAllowed),
            PinError::Storage(error) => CommandError::from(&error),
        }
    }
}
