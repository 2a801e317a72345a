//! Puts a counter together: the records, the keys, the gateway, headquarters, and the one thread they live on.

use crate::setup::{Folder, Setup};
use crate::world::{SystemClock, SystemIds};
use anyhow::{Context, Result, anyhow};
use base64::Engine as _;
use std::path::Path;
use std::rc::Rc;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;
use yidan_alipay::{AlipayKey, AppKey, Trust};
use yidan_engine::{
    Clock, Counter, Database, Engine, GatewayClock, Hq, HqClient, Limits, Lock, Parts, Secrets, check_address,
    open_keys, serve,
};
use yidan_wire::TerminalKey;

/// Not while a shop opens.
const FIRST_BACKUP: Duration = Duration::from_secs(120);
/// How soon a new day is noticed.
const NEXT_BACKUP: Duration = Duration::from_secs(1800);

/// A running counter. It stops when the last handle is gone.
pub struct Running {
    /// Hands work to it.
    pub counter: Counter,
    /// Its thread.
    pub thread: JoinHandle<()>,
    /// What is not secret about it.
    pub setup: Setup,
    /// Whose signature is believed.
    pub trust: Trust,
    /// By it a person knows the app's key again: the ends of the SHA-256 of its public half.
    pub app_key_fingerprint: String,
}

/// Opens a counter's folder and runs the engine on a thread of its own.
///
/// # Errors
/// If the folder, the keys or the setup do not allow it; the sentence says what to do.
pub fn start(folder: &Folder, lock: &Lock<'_>) -> Result<Running> {
    let database = Database::open(&folder.0)?;
    let setup = Setup::find(&database)?
        .with_context(|| format!("{} is not set up yet: run `yidan setup` or `yidan --demo`", folder.0.display()))?;
    let secrets = open_keys(&folder.keys(), lock)?;
    run(database, setup, secrets)
}

fn run(database: Database, setup: Setup, secrets: Secrets) -> Result<Running> {
    let (ready, started) = mpsc::channel();
    let for_thread = setup.clone();
    let app_key_fingerprint = fingerprint(&secrets.app_private_key)?;
    let trust = setup.trust()?;
    let thread = std::thread::Builder::new()
        .name("engine".into())
        .spawn(move || live(database, &for_thread, &secrets, &ready))
        .context("starting the engine's thread")?;
    let counter = started.recv().map_err(|_| anyhow!("the engine's thread ended at once"))??;
    Ok(Running { counter, thread, setup, trust, app_key_fingerprint })
}

fn fingerprint(app_private_key: &str) -> Result<String> {
    let key = AppKey::parse(app_private_key).context("the app's private key")?;
    let hash = AlipayKey::parse(&key.public_text())?.fingerprint().to_string().to_uppercase();
    Ok(format!("{}…{}", &hash[..4], &hash[hash.len() - 4..]))
}

fn live(database: Database, setup: &Setup, secrets: &Secrets, ready: &mpsc::Sender<Result<Counter>>) {
    let started = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| Ok((runtime, assemble(database, setup, secrets)?)));
    match started {
        Ok((runtime, engine)) => {
            let (counter, inbox) = Counter::new(&engine);
            if ready.send(Ok(counter)).is_ok() {
                let _backups = keep_backups(engine.database().path());
                runtime.block_on(serve(engine, inbox));
            }
        }
        // Nobody waiting means that the program is ending anyway.
        Err(error) => _ = ready.send(Err(error)),
    }
}

/// Backs the records up once a day as long as the result lives. A thread of its own: a copy of many years takes seconds.
fn keep_backups(database: &Path) -> Option<mpsc::Sender<()>> {
    let folder = database.parent()?.to_owned();
    let (alive, gone) = mpsc::channel::<()>();
    let work = move || {
        let mut pause = FIRST_BACKUP;
        while let Err(mpsc::RecvTimeoutError::Timeout) = gone.recv_timeout(pause) {
            pause = NEXT_BACKUP;
            let today = yidan_engine::business_day(SystemClock::start().local(), 0);
            match yidan_engine::back_up_daily(&folder, &today) {
                Ok(Some(made)) => tracing::info!(file = %made.path.display(), "backed up"),
                Ok(None) => {}
                Err(error) => tracing::error!(error = &error as &dyn std::error::Error, "today's backup was not made"),
            }
        }
    };
    let started = std::thread::Builder::new().name("backup".into()).spawn(work);
    if let Err(error) = &started {
        tracing::error!(%error, "no thread for backups");
    }
    started.ok().map(|_| alive)
}

fn assemble(database: Database, setup: &Setup, secrets: &Secrets) -> Result<Rc<Engine>> {
    let clock = Rc::new(GatewayClock::new(Rc::new(SystemClock::start())));
    let gateway = gateway(setup, secrets, &clock)?;
    let hq = headquarters(setup, secrets, &clock)?;
    Ok(Engine::start(Parts {
        database,
        gateway: Box::new(gateway),
        clock,
        ids: Box::new(SystemIds),
        hq,
        place: setup.place(),
        limits: Limits { code_min: setup.code_min, ..Limits::default() },
    })?)
}

fn gateway(setup: &Setup, secrets: &Secrets, clock: &Rc<GatewayClock>) -> Result<yidan_alipay::Client> {
    let (now, date) = (Rc::clone(clock), Rc::clone(clock));
    Ok(yidan_alipay::Client::new(setup.alipay(secrets)?, move || now.now())?
        .on_gateway_date(Box::new(move |told| date.learn(told))))
}

fn headquarters(setup: &Setup, secrets: &Secrets, clock: &Rc<GatewayClock>) -> Result<Option<Box<dyn Hq>>> {
    let (Some(url), Some(terminal_id), Some(key)) = (&setup.hq_url, &setup.hq_terminal_id, &secrets.terminal_key)
    else {
        return Ok(None);
    };
    let client = HqClient::new(check_address(url)?, terminal_id.clone(), read_terminal_key(key)?, Rc::clone(clock))?;
    Ok(Some(Box::new(client)))
}

/// Reads the terminal's key as the keys file keeps it.
///
/// # Errors
/// If it is not base64 of 32 bytes.
pub fn read_terminal_key(text: &str) -> Result<TerminalKey> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).context("this terminal's key")?;
    let secret = <[u8; 32]>::try_from(bytes.as_slice()).context("this terminal's key")?;
    Ok(TerminalKey::from_bytes(&secret))
}
