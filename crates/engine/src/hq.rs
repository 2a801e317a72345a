//! The seam to headquarters.

use futures_util::future::LocalBoxFuture;
use std::time::Duration;
use yidan_wire::{Ack, Batch, Conflict};

/// What the engine needs of headquarters.
pub trait Hq {
    /// Hands over a piece of the journal. May be repeated: headquarters knows every line by its name and hash.
    fn send<'a>(&'a self, batch: &'a Batch) -> LocalBoxFuture<'a, Result<Ack, HqError>>;
}

/// Why headquarters did not acknowledge, named by what the terminal does about it. Nothing is ever dropped.
#[derive(Debug, thiserror::Error)]
pub enum HqError {
    /// No answer, or one that is none (a proxy's page): send the same again later.
    #[error("headquarters gave no usable answer")]
    Unanswered(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Headquarters asks to wait.
    #[error("headquarters asks to wait")]
    Busy {
        /// How long, if it says so.
        retry_after: Option<Duration>,
    },
    /// The batch is too large: send less at a time.
    #[error("headquarters finds the batch too large")]
    TooLarge,
    /// Headquarters does not accept this terminal: an administrator must act. Everything is kept.
    #[error("headquarters refuses this terminal: {0}")]
    Refused(String),
    /// Another history: a restored or cloned database.
    #[error("headquarters knows another history of this terminal")]
    Conflict(Conflict),
}
