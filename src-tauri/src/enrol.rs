//! Becoming known to headquarters: the terminal's key is durable first, then the code is spent.

use crate::compose::read_terminal_key;
use crate::setup::{Folder, Setup};
use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use yidan_engine::{Database, Lock, Secrets, check_address, open_keys, save_keys};
use yidan_payment::{Hash, UtcMs};
use yidan_wire::{Enrolment, TerminalKey};

/// Enrols the counter in `folder` with the code that headquarters' administrator read out.
///
/// May be repeated after a lost answer, with the same code.
///
/// # Errors
/// Headquarters' sentence, or what is wrong here; nothing is lost.
pub async fn enrol(folder: &Folder, lock: &Lock<'_>, hq_url: &str, code: &str, at: UtcMs) -> Result<Setup> {
    let base = check_address(hq_url)?;
    let database = Database::open(&folder.0)?;
    let setup = Setup::find(&database)?.context("this counter is not set up yet")?;
    let mut secrets = open_keys(&folder.keys(), lock)?;
    let key = pending_key(folder, lock, &mut secrets, code)?;
    let enrolment = Enrolment {
        code: code.trim().to_owned(),
        public_key: key.public_key_base64(),
        app_id: setup.app_id.clone(),
        alipay_key: setup.trust()?.pinned_key().fingerprint(),
        mode: setup.mode,
    };
    let enrolled = yidan_engine::enrol(&base, &enrolment, &key, at).await?;
    // Headquarters names terminals after their store; the till's own number is the rest.
    let till = enrolled.terminal_id.strip_prefix(&enrolled.store_id).unwrap_or(&enrolled.terminal_id).to_owned();
    let before = (setup.hq_terminal_id.as_ref() == Some(&enrolled.terminal_id)).then_some(setup.epoch);
    let setup = Setup {
        terminal_id: till,
        hq_url: Some(hq_url.to_owned()),
        hq_terminal_id: Some(enrolled.terminal_id),
        epoch: enrolled.epoch,
        store_id: enrolled.store_id,
        store_name: enrolled.store_name,
        notify_url: enrolled.notify_url,
        ..setup
    };
    setup.check_place().context("headquarters' store number")?;
    secrets.terminal_key = Some(STANDARD.encode(key.secret_bytes()));
    save_keys(&folder.keys(), &secrets, lock)?;
    setup.save_enrolled(&database, at, before)?;
    Ok(setup)
}

/// Every enrolment introduces a new key, durable before the code is spent. The same code gets the same key, so that an
/// enrolment whose answer was lost can be repeated.
fn pending_key(folder: &Folder, lock: &Lock<'_>, secrets: &mut Secrets, code: &str) -> Result<TerminalKey> {
    let code = Hash::of(code.trim().as_bytes()).to_string();
    if let Some((key, of_code)) = &secrets.pending_key
        && *of_code == code
    {
        return read_terminal_key(key);
    }
    let key = TerminalKey::generate(rand::random());
    secrets.pending_key = Some((STANDARD.encode(key.secret_bytes()), code));
    save_keys(&folder.keys(), secrets, lock)?;
    Ok(key)
}
