//! What every request may use.

use crate::clock::Clock;
use crate::database::Database;
use crate::merchant::Merchant;
use std::sync::Arc;
use tokio::sync::{Semaphore, broadcast, watch};

/// Shared by all requests; cheap to clone.
pub type App = Arc<Parts>;

/// The parts of a running headquarters.
pub struct Parts {
    /// Where everything is kept.
    pub database: Database,
    /// Whose money is counted.
    pub merchant: Merchant,
    /// What time it is.
    pub clock: Clock,
    /// Hash of the token with which programs read.
    pub admin_token_hash: Option<String>,
    /// Whether a proxy in front speaks TLS: cookies are then marked so.
    pub behind_proxy: bool,
    /// Tells open pages that something came in.
    pub live: broadcast::Sender<crate::live::Change>,
    /// Where Alipay reaches us from outside, if it does.
    pub notify_url: Option<String>,
    /// Wakes the stream of the terminal it names.
    pub bell: broadcast::Sender<String>,
    /// So many notices are checked at the same time.
    pub notices_at_once: Semaphore,
    /// Becomes true when headquarters stops: streams end.
    pub stopping: watch::Receiver<bool>,
    /// Password checks are made slow on purpose: two at a time.
    pub password_checks: Semaphore,
}
