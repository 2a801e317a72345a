//! Starts and stops headquarters.

use crate::api::{NOTIFY, router};
use crate::app::Parts;
use crate::catch_up::catch_up;
use crate::clock::Clock;
use crate::database::{Database, OpenError};
use crate::enrol::{Code, NewCode, create_code};
use crate::merchant::Merchant;
use crate::problem::Problem;
use crate::secret::Secret;
use crate::unreported::keep_watch;
use crate::user::set_user;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, broadcast, watch};
use tokio::task::JoinHandle;
use yidan_wire::Mode;

/// Requests that are running get this long to end.
const GRACE: Duration = Duration::from_secs(10);
/// A notice takes well below a millisecond, and then its transaction.
const MOST_NOTICES: usize = 32;

/// How headquarters is set up.
pub struct Config {
    /// Where it listens; port 0 takes a free one.
    pub listen: SocketAddr,
    /// `sqlite:PATH`; made if there is none.
    pub database_url: String,
    /// Whose money is counted.
    pub merchant: Merchant,
    /// Whether money of the sandbox is taken. Never together with real money.
    pub demo: bool,
    /// A proxy in front speaks TLS.
    pub behind_proxy: bool,
    /// With it programs may read and make enrolment codes.
    pub admin_token: Option<Secret>,
    /// Where Alipay's notices come in.
    pub notices: Notices,
    /// What time it is.
    pub clock: Clock,
}

/// How Alipay reaches headquarters from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notices {
    /// It does not: terminals ask.
    Off,
    /// At this address, `https://…` as Alipay sees it.
    At(String),
    /// Where headquarters listens: for a sandbox on this machine.
    Here,
}

impl Notices {
    fn url(&self, address: SocketAddr) -> Option<String> {
        match self {
            Notices::Off => None,
            Notices::At(url) => Some(format!("{}{NOTIFY}", url.trim_end_matches('/'))),
            Notices::Here => Some(format!("http://{address}{NOTIFY}")),
        }
    }
}

/// Why headquarters does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Put a proxy with TLS in front and say so, or listen on 127.0.0.1.
    #[error("{0} is not this machine alone: plain http is refused there without a proxy that speaks TLS")]
    OpenToAll(SocketAddr),
    /// Say `--demo`, or give the merchant of real money.
    #[error("the merchant file says mode {merchant}, but the program was started {started}")]
    Mode {
        /// What the merchant file says.
        merchant: &'static str,
        /// How it was started.
        started: &'static str,
    },
    /// See the cause.
    #[error(transparent)]
    Database(#[from] OpenError),
    /// See the cause; nothing was lost.
    #[error("cannot project what an older program had left")]
    CatchUp(#[source] sqlx::Error),
    /// Choose another address or port.
    #[error("cannot listen on {address}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        #[source]
        cause: std::io::Error,
    },
}

/// A running headquarters.
pub struct Hq {
    address: SocketAddr,
    database: Database,
    clock: Clock,
    stop: watch::Sender<bool>,
    server: JoinHandle<()>,
    watch: JoinHandle<()>,
}

/// Starts headquarters. It runs until [`Hq::stop`].
///
/// # Errors
/// See [`StartError`].
pub async fn start(config: Config) -> Result<Hq, StartError> {
    if !config.listen.ip().is_loopback() && !config.behind_proxy {
        return Err(StartError::OpenToAll(config.listen));
    }
    check_mode(config.merchant.mode(), config.demo)?;
    let database = Database::open(&config.database_url).await?;
    catch_up(&database, &config.merchant, config.clock.now()).await.map_err(StartError::CatchUp)?;
    let failed = |cause| StartError::Listen { address: config.listen, cause };
    let listener = TcpListener::bind(config.listen).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let (stop, stopping) = watch::channel(false);
    let app = Arc::new(Parts {
        database: database.clone(),
        merchant: config.merchant,
        clock: config.clock.clone(),
        admin_token_hash: config.admin_token.map(|token| token.hash()),
        behind_proxy: config.behind_proxy,
        live: broadcast::Sender::new(256),
        notify_url: config.notices.url(address),
        bell: broadcast::Sender::new(1024),
        notices_at_once: Semaphore::new(MOST_NOTICES),
        stopping: stopping.clone(),
        password_checks: Semaphore::new(2),
    });
    let watch = tokio::spawn(keep_watch(app.clone(), stopping.clone()));
    let server = tokio::spawn(serve(listener, router(app), stopping));
    tracing::info!(%address, "headquarters is open");
    Ok(Hq { address, database, clock: config.clock, stop, server, watch })
}

/// Sandbox money and real money never meet in one headquarters.
fn check_mode(merchant: Mode, demo: bool) -> Result<(), StartError> {
    match (merchant, demo) {
        (Mode::Demo, true) | (Mode::Live, false) => Ok(()),
        (Mode::Demo, false) => Err(StartError::Mode { merchant: "demo", started: "without --demo" }),
        (Mode::Live, true) => Err(StartError::Mode { merchant: "live", started: "with --demo" }),
    }
}

async fn serve(listener: TcpListener, router: axum::Router, mut stopping: watch::Receiver<bool>) {
    let stopped = async move {
        // Also if the handle was dropped: then nobody needs it any more.
        let _ = stopping.wait_for(|stopping| *stopping).await;
    };
    if let Err(error) = axum::serve(listener, router).with_graceful_shutdown(stopped).await {
        tracing::error!(error = &error as &dyn std::error::Error, "the server ended");
    }
}

impl Hq {
    /// Where it answers: `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Makes an enrolment code.
    ///
    /// # Errors
    /// As the console would be told.
    pub async fn create_code(&self, wanted: &NewCode) -> Result<Code, Problem> {
        create_code(&self.database, wanted, self.clock.now()).await
    }

    /// Adds a user or sets a new password.
    ///
    /// # Errors
    /// As the console would be told.
    pub async fn set_user(&self, name: &str, password: &Secret) -> Result<(), Problem> {
        set_user(&self.database, name, password, self.clock.now()).await
    }

    /// Stops taking requests, lets those that run end, and closes the database.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        if tokio::time::timeout(GRACE, &mut self.server).await.is_err() {
            self.server.abort();
        }
        // It ends by itself at once; a database that hangs must not hold us.
        if tokio::time::timeout(GRACE, &mut self.watch).await.is_err() {
            self.watch.abort();
        }
        self.database.close().await;
    }
}
