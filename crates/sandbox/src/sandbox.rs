//! A running sandbox: its addresses, the buyer's phone and the books, all callable without HTTP.
//!
//! It runs on a thread of its own with its own runtime, so a test may pause its clock or block without stopping it.
//! The books are read from the ledger. If that file fails, these methods panic: a sandbox without truth must not go on.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;

use tokio::sync::watch;

use crate::buyer::{BuyerRefusal, PayResult, ScanResult};
use crate::config::{CloseBeforeScan, Config, Settings};
use crate::control;
use crate::fault::Fault;
use crate::ledger::{CodeOutcome, NoticeView, Sql};
use crate::notify;
use crate::platform::{Platform, Turn};
use crate::serve::serve;
use crate::views::{SessionView, TradeView, view_session, view_trade};

const LEDGER_WORKS: &str = "the sandbox's ledger is a local file that only it writes";

/// A running sandbox. Clones are handles to the same one; it stops when the last is dropped.
#[derive(Clone, Debug)]
pub struct Sandbox {
    running: Arc<Running>,
}

#[derive(Debug)]
struct Running {
    platform: Arc<Platform>,
    address: SocketAddr,
    stop: watch::Sender<bool>,
    ended: watch::Receiver<bool>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.send_replace(true);
    }
}

/// The sandbox could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the address {0} cannot be listened on")]
    Listen(SocketAddr, #[source] std::io::Error),
    #[error("the ledger {0} cannot be opened")]
    Ledger(std::path::PathBuf, #[source] rusqlite::Error),
    #[error("the thread of the sandbox cannot be started")]
    Thread(#[source] std::io::Error),
    #[error("the client for notices cannot be made")]
    NotifyClient(#[source] reqwest::Error),
}

/// Starts a sandbox and returns once it listens.
///
/// # Errors
/// If the port is taken or the ledger cannot be opened.
pub async fn start(config: Config) -> Result<Sandbox, StartError> {
    let (listener, address) = listen(config.listen).map_err(|cause| StartError::Listen(config.listen, cause))?;
    let platform = Platform::open(&config, format!("http://{address}"))
        .map_err(|cause| StartError::Ledger(config.ledger.clone(), cause))?;
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(StartError::NotifyClient)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(StartError::Thread)?;
    let platform = Arc::new(platform);
    let (stop, stopped) = watch::channel(false);
    let (end, ended) = watch::channel(false);
    let work = run(Arc::clone(&platform), listener, address, client, stopped);
    thread::Builder::new()
        .name("yidan-sandbox".to_owned())
        .spawn(move || {
            runtime.block_on(work);
            end.send_replace(true);
        })
        .map_err(StartError::Thread)?;
    tracing::info!(%address, "sandbox started");
    Ok(Sandbox { running: Arc::new(Running { platform, address, stop, ended }) })
}

fn listen(address: SocketAddr) -> std::io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let bound = listener.local_addr()?;
    Ok((listener, bound))
}

async fn run(
    platform: Arc<Platform>,
    listener: TcpListener,
    address: SocketAddr,
    client: reqwest::Client,
    stop: watch::Receiver<bool>,
) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(cause) => return tracing::error!(%cause, "the listener cannot be used"),
    };
    let router = control::router(Arc::clone(&platform), address);
    let clock = platform.clock.clone();
    tokio::join!(serve(listener, router, clock, stop.clone()), notify::run(platform, client, stop),);
}

impl Sandbox {
    /// `http://127.0.0.1:PORT/gateway.do`.
    pub fn gateway_url(&self) -> String {
        format!("http://{}/gateway.do", self.running.address)
    }

    /// `http://127.0.0.1:PORT/sandbox`, the root of the control API.
    pub fn control_url(&self) -> String {
        format!("http://{}/sandbox", self.running.address)
    }

    /// Where it listens. Start again with this address to keep the port.
    pub fn address(&self) -> SocketAddr {
        self.running.address
    }

    /// The private key a merchant types in, PKCS#8 PEM.
    pub fn app_private_key_pem(&self) -> String {
        self.platform().keys.app_private_pem()
    }

    /// The key a merchant verifies answers and notices with, SPKI PEM.
    pub fn alipay_public_key_pem(&self) -> String {
        self.platform().keys.alipay_public_pem()
    }

    pub fn app_id(&self) -> String {
        self.platform().merchant.app_id.clone()
    }

    pub fn seller_id(&self) -> String {
        self.platform().merchant.seller_id.clone()
    }

    /// Stops listening, lets running answers finish, and frees the port. The books stay readable.
    pub async fn stop(&self) {
        self.running.stop.send_replace(true);
        let mut ended = self.running.ended.clone();
        // An error means that the thread is gone, which is what is waited for.
        let _gone = ended.wait_for(|ended| *ended).await;
    }

    /// The buyer opens the cashier page. `code` is a QR text or an `out_trade_no` (its newest code).
    ///
    /// # Errors
    /// What the phone shows instead.
    pub fn scan(&self, code: &str, buyer: &str) -> Result<ScanResult, BuyerRefusal> {
        self.platform().scan(code, buyer)
    }

    /// The buyer confirms. Must have scanned before.
    ///
    /// # Errors
    /// What the phone shows instead.
    pub fn pay(&self, out_trade_no: &str, buyer: &str) -> Result<PayResult, BuyerRefusal> {
        self.platform().pay(out_trade_no, buyer)
    }

    /// The buyer walks away from the cashier page without paying.
    ///
    /// # Errors
    /// If there is no page of this buyer to leave.
    pub fn leave(&self, out_trade_no: &str, buyer: &str) -> Result<(), BuyerRefusal> {
        self.platform().leave(out_trade_no, buyer)
    }

    /// A payment code of `buyer`, for `alipay.trade.pay`: good for one charge within a minute.
    pub fn buyer_code(&self, buyer: &str, outcome: CodeOutcome) -> String {
        self.platform().show_code(buyer, outcome).expect(LEDGER_WORKS)
    }

    /// The shop gives money back with its phone app, behind the cashier's back. Returns the refund's number.
    ///
    /// # Errors
    /// If there is not so much left to give back.
    pub fn refund_elsewhere(&self, out_trade_no: &str, amount_fen: i64) -> Result<String, BuyerRefusal> {
        self.platform().refund_elsewhere(out_trade_no, amount_fen)
    }

    /// The application's certificate, PEM.
    pub fn app_cert_pem(&self) -> String {
        self.platform().certificates.app_pem.clone()
    }

    /// Alipay's current certificate with its issuer, PEM.
    pub fn alipay_cert_pem(&self) -> String {
        self.read(|turn| turn.records.latest_certificate()).map(|current| current.pem).unwrap_or_default()
    }

    /// The root certificate, PEM.
    pub fn alipay_root_cert_pem(&self) -> String {
        self.platform().certificates.root_pem.clone()
    }

    /// Gives Alipay a new key and certificate for certificate mode. Returns the new certificate number.
    pub fn rotate_certificate(&self) -> String {
        self.platform().rotate_certificate().expect(LEDGER_WORKS)
    }

    /// How often money was taken for a number.
    pub fn charges(&self, out_trade_no: &str) -> u32 {
        self.read(|turn| turn.records.count_charges(out_trade_no))
    }

    /// All money ever taken, in fen, refunds not deducted.
    pub fn charged_total_fen(&self) -> i64 {
        self.read(|turn| turn.records.charged_total_fen())
    }

    pub fn trade(&self, out_trade_no: &str) -> Option<TradeView> {
        self.read(|turn| {
            let trade = turn.records.find_trade(out_trade_no)?;
            trade.map(|trade| view_trade(turn.records, trade)).transpose()
        })
    }

    /// Every trade, oldest first.
    pub fn trades(&self) -> Vec<TradeView> {
        self.read(|turn| {
            let trades = turn.records.list_trades()?;
            trades.into_iter().map(|trade| view_trade(turn.records, trade)).collect()
        })
    }

    /// The newest 200 codes, newest first.
    pub fn sessions(&self) -> Vec<SessionView> {
        self.read(list_sessions)
    }

    /// The newest code of a number.
    pub fn latest_qr(&self, out_trade_no: &str) -> Option<String> {
        self.read(|turn| turn.records.latest_session(out_trade_no)).map(|session| session.qr_code)
    }

    /// How often a method (`alipay.trade.query`) was called for a number since this start, faults included. A call that
    /// names only the trade counts for the `trade_no`.
    pub fn calls(&self, out_trade_no: &str, method: &str) -> u32 {
        self.platform().calls(out_trade_no, method)
    }

    /// Notices about a number, oldest first.
    pub fn notices(&self, out_trade_no: &str) -> Vec<NoticeView> {
        self.read(|turn| turn.records.list_notices(out_trade_no))
    }

    /// Sends a notice now: a held one, or a delivered one once more. `false` if there is no such notice.
    pub fn send_notice(&self, notify_id: &str) -> bool {
        self.read(|turn| turn.records.send_notice_at(notify_id, turn.now))
    }

    /// Queues a fault.
    pub fn next_fault(&self, fault: Fault) {
        self.platform().faults.push(fault);
    }

    pub fn clear_faults(&self) {
        self.platform().faults.clear();
    }

    /// Chooses what a close before the scan does.
    pub fn close_before_scan(&self, effect: CloseBeforeScan) {
        self.change_settings(|settings| settings.close_before_scan = effect);
    }

    pub fn settings(&self) -> Settings {
        self.platform().settings()
    }

    pub fn change_settings(&self, change: impl FnOnce(&mut Settings)) {
        self.platform().change_settings(change);
    }

    /// Turns the sandbox's clock to so many milliseconds ahead of (or, negative, behind) the machine's.
    pub fn turn_clock(&self, offset_ms: i64) {
        self.platform().clock.turn_to_offset(offset_ms);
    }

    fn platform(&self) -> &Platform {
        &self.running.platform
    }

    fn read<T>(&self, work: impl FnOnce(&Turn<'_>) -> Sql<T>) -> T {
        self.platform().turn(work).expect(LEDGER_WORKS)
    }
}

/// The newest codes, newest first.
pub fn list_sessions(turn: &Turn<'_>) -> Sql<Vec<SessionView>> {
    let sessions = turn.records.list_sessions(200)?;
    sessions.into_iter().map(|session| view_session(turn.records, session, turn.now)).collect()
}
