//! The command line.

use crate::checks::is_pin;
use crate::compose::{self, Running};
use crate::place::PlaceArguments;
use crate::setup::{CertificateFiles, Folder, Setup, install, read_secret_line};
use crate::window::{self, WindowArguments};
use crate::world::{SystemClock, SystemIds};
use crate::{check, demo, enrol, local_api, restore};
use anyhow::{Context, Result, bail};
use clap::{Args, Parser, Subcommand};
use serde_json::json;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use yidan_engine::{Clock, Database, Secrets, find_lock_name};
use yidan_wire::Mode;

/// 一单 Yidan: one order, one number, one charge. A cashier for shop counters that takes Alipay QR payments.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    place: PlaceArguments,
    /// Runs without a window.
    #[arg(long)]
    headless: bool,
    /// Serves the local API for other programs here, e.g. 127.0.0.1:8321 (port 0: any free one). Off unless given.
    #[arg(long, requires = "headless")]
    listen: Option<SocketAddr>,
    /// The token of the local API; made if the file is missing. Default: api-token in the data folder.
    #[arg(long)]
    token_file: Option<PathBuf>,
    /// Writes one JSON line when everything runs.
    #[arg(long)]
    ready_file: Option<PathBuf>,
    /// Opens the customer's display even without a second monitor.
    #[arg(long, env = "YIDAN_CUSTOMER_DISPLAY", value_parser = clap::builder::FalseyValueParser::new())]
    customer_display: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Sets the counter up with the merchant's own keys. Everything is checked before anything is written.
    Setup(Box<SetupArguments>),
    /// Looks at everything that must be right before the shop opens: keys, certificates, clock, network, one signed question.
    Check,
    /// Makes this counter known to headquarters.
    Enrol {
        /// Headquarters' address: https, or http on this computer.
        #[arg(long)]
        hq: String,
        /// The code that headquarters' administrator read out.
        #[arg(long)]
        code: String,
    },
    /// Copies the counter's records to a file, whether it runs or not. Keys are never in it.
    Backup {
        /// The file; one that is there is replaced once the new one is whole.
        file: PathBuf,
    },
    /// Puts a backup in the place of the counter's records; close the counter first. The replaced records are kept.
    ///
    /// Numbers go on above every old one. What was sold after the backup is found by reconciliation, or given back by
    /// headquarters once this counter has enrolled again.
    Restore {
        /// A backup of this counter; those made by themselves lie in the data folder's `backups`.
        file: PathBuf,
    },
}

#[derive(Debug, Args)]
struct SetupArguments {
    /// Alipay's gateway.
    #[arg(long, default_value = "https://openapi.alipay.com/gateway.do")]
    gateway: String,
    /// The app's number in Alipay's console.
    #[arg(long)]
    app_id: String,
    /// The merchant's number (2088…).
    #[arg(long)]
    seller_id: Option<String>,
    /// File with the app's private key (PKCS#1 or PKCS#8, PEM or bare base64).
    #[arg(long)]
    app_key: PathBuf,
    /// Key mode: file with Alipay's public key (not your own).
    #[arg(long, required_unless_present = "alipay_cert", conflicts_with = "alipay_cert")]
    alipay_key: Option<PathBuf>,
    /// Certificate mode: the app's own certificate.
    #[arg(long, requires = "alipay_cert")]
    app_cert: Option<PathBuf>,
    /// Certificate mode: Alipay's certificate.
    #[arg(long, requires = "app_cert", requires = "alipay_root")]
    alipay_cert: Option<PathBuf>,
    /// Certificate mode: Alipay's root certificates.
    #[arg(long, requires = "alipay_cert")]
    alipay_root: Option<PathBuf>,
    /// The store's number: 1–10 letters and digits.
    #[arg(long)]
    store: String,
    /// The store's name.
    #[arg(long, default_value = "")]
    store_name: String,
    /// The till's number: 1–8 letters and digits.
    #[arg(long, default_value = "01")]
    terminal: String,
    /// How long a code lives, in minutes (2–30).
    #[arg(long, default_value_t = 5)]
    code_minutes: u32,
    /// The manager who may change settings in the window.
    #[arg(long, requires = "pin_file")]
    manager: Option<String>,
    /// A file whose one line is the manager's PIN.
    #[arg(long, requires = "manager")]
    pin_file: Option<PathBuf>,
}

/// Runs the program; errors end it with one clear message.
#[must_use]
pub fn run() -> ExitCode {
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "info".into()))
        .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
        .with_writer(std::io::stderr)
        // Who reads our words may be gone before us: by default that would be a panic.
        .log_internal_errors(false)
        .init();
    match act(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn act(arguments: Arguments) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    match &arguments.command {
        Some(Command::Setup(setup)) => set_up(&arguments.place, setup),
        Some(Command::Check) => runtime.block_on(look(&arguments.place)),
        Some(Command::Enrol { hq, code }) => runtime.block_on(join(&arguments.place, hq, code)),
        Some(Command::Backup { file }) => back_up(&arguments.place, file),
        Some(Command::Restore { file }) => put_back(&arguments.place, file),
        None if arguments.headless => runtime.block_on(run_headless(&arguments)),
        None => run_window(runtime, arguments),
    }
}

/// The windows run on the main thread; everything that waits runs on the runtime.
fn run_window(runtime: Runtime, arguments: Arguments) -> Result<()> {
    tauri::async_runtime::set(runtime.handle().clone());
    window::run(WindowArguments {
        place: arguments.place,
        customer_display: arguments.customer_display,
        ready_file: arguments.ready_file,
    })
}

fn set_up(place: &PlaceArguments, wanted: &SetupArguments) -> Result<()> {
    let folder = place.folder()?;
    let opener = place.key_opener(&folder)?;
    let read = |path: &Path| std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()));
    let database = Database::open(&folder.0)?;
    let before = Setup::find(&database)?;
    let (terminal_key, pending_key) = match find_lock_name(&folder.keys())? {
        Some(_) => {
            let kept = yidan_engine::open_keys(&folder.keys(), &opener.lock())?;
            (kept.terminal_key.clone(), kept.pending_key.clone())
        }
        None => (None, None),
    };
    let setup = Setup {
        mode: Mode::Live,
        gateway: wanted.gateway.clone(),
        app_id: wanted.app_id.clone(),
        seller_id: wanted.seller_id.clone(),
        alipay_public_key: wanted.alipay_key.as_deref().map(read).transpose()?.unwrap_or_default(),
        certificates: match (&wanted.app_cert, &wanted.alipay_cert, &wanted.alipay_root) {
            (Some(app), Some(alipay), Some(root)) => {
                Some(CertificateFiles { app: read(app)?, alipay: read(alipay)?, root: read(root)? })
            }
            (..) => None,
        },
        store_id: wanted.store.clone(),
        store_name: wanted.store_name.clone(),
        terminal_id: wanted.terminal.clone(),
        code_min: wanted.code_minutes,
        epoch: before.as_ref().map_or(1, |before| before.epoch),
        hq_url: before.as_ref().and_then(|before| before.hq_url.clone()),
        hq_terminal_id: before.as_ref().and_then(|before| before.hq_terminal_id.clone()),
        notify_url: before.as_ref().and_then(|before| before.notify_url.clone()),
        day_starts_at_min: before.as_ref().map_or(0, |before| before.day_starts_at_min),
    };
    let secrets = Secrets { app_private_key: read(&wanted.app_key)?, terminal_key, pending_key };
    let pin = wanted.pin_file.as_deref().map(read_secret_line).transpose()?;
    if pin.as_deref().is_some_and(|pin| !is_pin(pin)) {
        bail!("the PIN must be six digits");
    }
    let now = SystemClock::start().local();
    install(&database, &folder, &setup, &secrets, &opener.lock(), now)?;
    if let (Some(manager), Some(pin)) = (&wanted.manager, &pin) {
        database.appoint(&SystemIds, manager, pin, now)?;
    }
    say(&json!({ "set_up": folder.0 }).to_string())
}

async fn look(place: &PlaceArguments) -> Result<()> {
    let folder = place.folder()?;
    let _sandbox = demo::prepare_place(place, &folder).await?;
    let opener = place.key_opener(&folder)?;
    let clock = SystemClock::start();
    let lamps = check::check(&folder, &opener.lock(), move || clock.local()).await?;
    for lamp in &lamps {
        say(&serde_json::to_string(lamp)?)?;
    }
    match lamps.iter().filter(|lamp| !lamp.ok).count() {
        0 => Ok(()),
        trouble => bail!("{trouble} of {} things must be put right before the shop opens", lamps.len()),
    }
}

async fn join(place: &PlaceArguments, hq: &str, code: &str) -> Result<()> {
    let folder = place.folder()?;
    let _sandbox = demo::prepare_place(place, &folder).await?;
    let opener = place.key_opener(&folder)?;
    let setup = enrol::enrol(&folder, &opener.lock(), hq, code, SystemClock::start().local()).await?;
    say(&json!({ "terminal_id": setup.hq_terminal_id, "store_id": setup.store_id, "epoch": setup.epoch }).to_string())
}

fn back_up(place: &PlaceArguments, file: &Path) -> Result<()> {
    let made = yidan_engine::back_up(&place.folder()?.0, file)?;
    say(&json!({ "backup": made.path, "journal_lines": made.head_seq }).to_string())
}

fn put_back(place: &PlaceArguments, file: &Path) -> Result<()> {
    let restored = restore::restore(&place.folder()?, file, SystemClock::start().local())?;
    let line = json!({ "kept": restored.kept, "epoch": restored.epoch, "must_enrol": restored.must_enrol });
    say(&line.to_string())
}

async fn run_headless(arguments: &Arguments) -> Result<()> {
    let folder = arguments.place.folder()?;
    let _sandbox = demo::prepare_place(&arguments.place, &folder).await?;
    let opener = arguments.place.key_opener(&folder)?;
    let Running { counter, thread, setup, .. } = compose::start(&folder, &opener.lock())?;
    let api = match arguments.listen {
        Some(address) => Some(open_api(address, arguments, &folder).await?),
        None => None,
    };
    let api_url = api.as_ref().map(|(listener, _)| listener.local_addr()).transpose()?.map(|at| format!("http://{at}"));
    let ready = json!({ "api_url": api_url, "store_id": setup.store_id, "terminal_id": setup.terminal_id }).to_string();
    if let Some(path) = &arguments.ready_file {
        write_at_once(path, &ready)?;
    }
    say(&ready)?;
    let serving = async {
        match api {
            Some((listener, token)) => local_api::serve(listener, token, counter.clone()).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        ended = serving => ended?,
        told = told_to_stop() => told?,
        () = counter.stopped() => bail!("the engine has stopped; start the counter again"),
    }
    // Everything is durable at any moment: whatever is under way may be cut.
    drop((counter, thread));
    Ok(())
}

async fn open_api(address: SocketAddr, arguments: &Arguments, folder: &Folder) -> Result<(TcpListener, String)> {
    if !address.ip().is_loopback() {
        bail!("the local API listens on this computer only: 127.0.0.1");
    }
    let listener = TcpListener::bind(address).await.with_context(|| format!("listening on {address}"))?;
    let token_file = arguments.token_file.clone().unwrap_or_else(|| folder.0.join("api-token"));
    Ok((listener, load_token(&token_file)?))
}

/// The token that other programs must know; 256 random bits, readable by this user alone.
fn load_token(path: &Path) -> Result<String> {
    match std::fs::read_to_string(path) {
        Ok(token) if token.trim().len() >= 16 => return Ok(token.trim().to_owned()),
        Ok(_) => bail!("the token in {} is too short: 16 characters at least", path.display()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("reading the token in {}", path.display())),
    }
    let token: String = rand::random::<[u8; 32]>().iter().map(|byte| format!("{byte:02x}")).collect();
    write_at_once(path, &token)?;
    Ok(token)
}

/// A reader sees the whole text or no file; nobody else may read it.
///
/// # Errors
/// If the file cannot be written.
pub fn write_at_once(path: &Path, text: &str) -> Result<()> {
    let beside = path.with_extension("new");
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&beside).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    });
    written.with_context(|| format!("writing {}", path.display()))
}

async fn told_to_stop() -> Result<()> {
    #[cfg(unix)]
    {
        let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        tokio::select! {
            told = tokio::signal::ctrl_c() => told?,
            _ = terminate.recv() => {}
        }
        Ok(())
    }
    #[cfg(not(unix))]
    Ok(tokio::signal::ctrl_c().await?)
}

fn say(line: &str) -> Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "{line}").and_then(|()| out.flush()).context("printing")
}
