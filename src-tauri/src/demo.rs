//! Demo mode: no real money. Its own data folder, its own keys, taken from a sandbox.

use crate::place::PlaceArguments;
use crate::setup::{CertificateFiles, Folder, Setup, install};
use crate::world::{SystemClock, SystemIds};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use yidan_engine::{Clock as _, Database, Lock, Secrets, check_address};
use yidan_payment::UtcMs;
use yidan_sandbox::{Config, Sandbox};
use yidan_wire::Mode;

/// The PIN of the demo's manager, as the screen says it.
pub const DEMO_PIN: &str = "246810";

/// What a sandbox tells about its one merchant. It guards no money, so it tells everything.
#[derive(Deserialize)]
struct Merchant {
    app_id: String,
    seller_id: String,
    alipay_public_key: String,
    app_private_key: String,
    app_cert: String,
    alipay_cert: Option<String>,
    alipay_root_cert: String,
}

/// Prepares what `--demo` asks for: nothing, a running sandbox, or one inside this program, which lives as long as what
/// is returned.
///
/// # Errors
/// As [`prepare`]; or the sandbox does not start.
pub async fn prepare_place(place: &PlaceArguments, folder: &Folder) -> Result<Option<Sandbox>> {
    let at = SystemClock::start().local();
    match place.demo.as_deref() {
        None => Ok(None),
        Some("") => {
            let sandbox = open_sandbox(&folder.0.join("sandbox")).await?;
            prepare(folder, &address_of(&sandbox), at).await?;
            Ok(Some(sandbox))
        }
        Some(url) => prepare(folder, url, at).await.map(|()| None),
    }
}

/// Where a sandbox can be visited.
#[must_use]
pub fn address_of(sandbox: &Sandbox) -> String {
    sandbox.control_url().trim_end_matches("/sandbox").to_owned()
}

/// At the same address as before if it is free, so that a code that is still shown leads to it.
async fn open_sandbox(folder: &Path) -> Result<Sandbox> {
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    let kept = folder.join("address");
    let mut config = Config::demo(folder).context("preparing the sandbox")?;
    if let Some(address) = std::fs::read_to_string(&kept).ok().and_then(|text| text.parse().ok()) {
        config.listen = address;
    }
    let anywhere = Config { listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), ..config.clone() };
    let sandbox = match yidan_sandbox::start(config).await {
        Ok(sandbox) => sandbox,
        Err(_) => yidan_sandbox::start(anywhere).await.context("starting the sandbox")?,
    };
    let address = address_of(&sandbox).trim_start_matches("http://").to_owned();
    std::fs::write(&kept, address).with_context(|| format!("writing {}", kept.display()))?;
    Ok(sandbox)
}

/// Sets a demo counter up with the merchant of a running sandbox. Done again at every start: a new sandbox has new keys.
///
/// # Errors
/// If the sandbox cannot be reached, or a payment of another sandbox still lives in the folder.
pub async fn prepare(folder: &Folder, sandbox: &str, at: UtcMs) -> Result<()> {
    let base = check_address(sandbox).context("the sandbox's address")?;
    let url = base.join("/sandbox/merchant").context("the sandbox's address")?;
    let answer = reqwest::get(url).await.and_then(reqwest::Response::error_for_status);
    let merchant: Merchant =
        answer.context("asking the sandbox for its keys")?.json().await.context("reading the sandbox's keys")?;
    let gateway = base.join("/gateway.do").context("the sandbox's address")?.to_string();
    let database = Database::open(&folder.0)?;
    // A demo has a manager too, so that everything can be tried. Its PIN guards no money and is on the screen.
    if database.find_operator()?.is_none() {
        database.appoint(&SystemIds, "演示店长", DEMO_PIN, at)?;
    }
    let before = Setup::find(&database)?;
    let setup = with_merchant(before.clone(), &merchant, gateway);
    if before.as_ref() != Some(&setup) {
        let mut secrets = find_secrets(&folder.keys())?;
        secrets.app_private_key = merchant.app_private_key;
        let old = before.map_or_else(String::new, |before| before.gateway);
        install(&database, folder, &setup, &secrets, &Lock::Demo, at).with_context(|| {
            format!("this demo folder belongs to the sandbox {old}: start with that one, or give another --data")
        })?;
    }
    Ok(())
}

fn with_merchant(before: Option<Setup>, merchant: &Merchant, gateway: String) -> Setup {
    let before = before.unwrap_or_else(|| Setup {
        mode: Mode::Demo,
        gateway: String::new(),
        app_id: String::new(),
        seller_id: None,
        alipay_public_key: String::new(),
        certificates: None,
        store_id: "S01".into(),
        store_name: "演示店".into(),
        terminal_id: "01".into(),
        epoch: 1,
        hq_url: None,
        hq_terminal_id: None,
        notify_url: None,
        day_starts_at_min: 0,
        code_min: 5,
    });
    let certificates = before.certificates.as_ref().and_then(|_| merchant.certificates());
    let alipay_public_key = certificates.is_none().then(|| merchant.alipay_public_key.clone());
    Setup {
        gateway,
        certificates,
        app_id: merchant.app_id.clone(),
        seller_id: Some(merchant.seller_id.clone()),
        alipay_public_key: alipay_public_key.unwrap_or_default(),
        ..before
    }
}

impl Merchant {
    fn certificates(&self) -> Option<CertificateFiles> {
        let (app, root) = (self.app_cert.clone(), self.alipay_root_cert.clone());
        self.alipay_cert.clone().map(|alipay| CertificateFiles { app, alipay, root })
    }
}

fn find_secrets(path: &Path) -> Result<Secrets> {
    match yidan_engine::find_lock_name(path)?.as_deref() {
        None => Ok(Secrets { app_private_key: String::new(), terminal_key: None, pending_key: None }),
        Some("demo") => Ok(yidan_engine::open_keys(path, &Lock::Demo)?),
        Some(other) => bail!("{} is sealed by {other}: this is not a demo folder", path.display()),
    }
}
