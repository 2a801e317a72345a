//! What can go wrong in the engine, named by what the caller must do about it.

use crate::HqError;
use std::path::PathBuf;
use yidan_payment::{PaymentId, UtcMs, WishRefused};
use yidan_wire::NotGranted;

/// Why something was not done. Money is never in question: what was written stays, and the same call may be made again.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The input is nonsense; nothing was stored.
    #[error("{0}")]
    BadInput(String),
    /// The same click with other content. Somebody should look: a program is wrong.
    #[error("request {request_id} was used before for another order; nothing was changed")]
    ContentChanged {
        /// The click.
        request_id: String,
    },
    /// The same bill of another program with another amount or subject.
    #[error("order {external_ref} is known with another amount or subject; nothing was changed")]
    BillChanged {
        /// The caller's number.
        external_ref: String,
    },
    /// Another terminal opened the bill first: show how it stands there, and collect nothing.
    #[error("{}{}", .0.detail, standing(.0))]
    BillOwned(Box<NotGranted>),
    /// Headquarters did not say whose the bill is. Try again: nothing was stored.
    #[error("headquarters did not answer whose this bill is; nothing was collected, try again")]
    NoClaim(#[source] HqError),
    /// Without headquarters only one terminal takes the bills of a source, and this is not the one.
    #[error("this terminal is not the one that takes bills of {bills_of}")]
    SourceNotOurs {
        /// Which source.
        bills_of: String,
    },
    /// There is no such payment.
    #[error("there is no payment {0}")]
    NoSuchPayment(PaymentId),
    /// A wish that is not possible now.
    #[error(transparent)]
    Refused(#[from] WishRefused),
    /// The sale may still be paid through the order it would replace, or is paid.
    #[error("this order cannot be collected again: the earlier one may still be paid, or is paid")]
    StillPayable,
    /// Headquarters knows another history of this terminal: enrol again.
    #[error(
        "this computer's records differ from headquarters': an old backup may have been restored. \
         New sales are stopped; running ones are carried to their end. Ask an administrator to enrol this terminal again"
    )]
    HistoryDiffers,
    /// What was approved is not what was asked for.
    #[error("this was not approved; ask for the PIN again")]
    NotApproved,
    /// A case is decided once.
    #[error("this was decided already: {decision}, by {by}")]
    AlreadyDecided {
        /// What was decided.
        decision: String,
        /// By whom.
        by: String,
        /// When.
        at: UtcMs,
    },
    /// The code was used for another payment, or is none.
    #[error("this payment code cannot be used; ask the customer for a new one")]
    CodeUsed,
    /// Wait: headquarters gives back what these records have forgotten.
    #[error("headquarters is giving back what this computer had forgotten; new sales begin when everything is here")]
    Recovering,
    /// The database did not do it. The next call reads what is true.
    #[error("could not {doing} in the database {path}: {advice}")]
    Storage {
        /// What we were doing.
        doing: &'static str,
        /// Which file.
        path: PathBuf,
        /// What to do.
        advice: &'static str,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Changing keys while a payment lives would leave it without anybody who may ask about it.
    #[error("{0} payments are still running; wait until they have ended, then change the keys")]
    PaymentsLive(usize),
}

/// How a bill stands at its owner, as far as headquarters knows.
fn standing(owner: &NotGranted) -> String {
    owner
        .payment
        .as_ref()
        .map_or_else(String::new, |payment| format!(" ({}, {})", payment.status, payment.out_trade_no))
}

/// Why the data folder cannot be opened. Nothing in it was changed.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another program has it.
    #[error("{path} is in use by another copy of this program; close that one first")]
    InUse {
        /// The lock file.
        path: PathBuf,
    },
    /// A newer program wrote it.
    #[error("{path} was written by a newer version of this program; install that version again. Nothing was changed")]
    TooNew {
        /// The database.
        path: PathBuf,
    },
    /// It cannot be read as a database.
    #[error(
        "{path} is damaged or not a database. Nothing was changed: keep a copy of the whole folder, then restore the \
         newest backup"
    )]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What SQLite says.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// What was committed could not be made durable, so it may not be told.
    #[error(
        "{path} could not be brought to rest (checkpoint busy): another program reads it. Close that one and start again"
    )]
    CheckpointBusy {
        /// The database.
        path: PathBuf,
    },
    /// The SQLite library is too old to be trusted with money.
    #[error("SQLite {found} is too old: at least 3.51.3 is needed")]
    OldSqlite {
        /// The version found.
        found: String,
    },
    /// The folder or the disk.
    #[error("could not {doing} {path}: check that the disk is not full and that the folder may be written")]
    Disk {
        /// What we were doing.
        doing: &'static str,
        /// What with.
        path: PathBuf,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
