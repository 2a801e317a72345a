//! The first run: look at the demo, or set the counter up with the merchant's own keys.

use super::Shared;
use crate::checks;
use crate::place::KeyOpener;
use crate::screen::LANGUAGE;
use crate::setup::{Setup, install, key_of};
use crate::till::Till;
use crate::view::{CommandError, ErrorKind, Finding, SetupDone, SetupDraft, Severity};
use crate::window::WindowArguments;
use crate::world::{SystemClock, SystemIds};
use anyhow::{Context, Result};
use std::process::Command;
use tauri::{AppHandle, State};
use yidan_engine::{Clock as _, Database, Secrets};
use yidan_wire::Mode;
use zeroize::Zeroizing;

/// Alipay's gateway, and no other for real money.
const GATEWAY: &str = "https://openapi.alipay.com/gateway.do";

/// Checks the form as far as it is filled in.
#[tauri::command]
pub async fn check_setup(draft: SetupDraft, till: Shared<'_>) -> Result<Vec<Finding>, CommandError> {
    let keyring = till.look().await?.keyring;
    let (setup, secrets) = setup_of(&draft);
    Ok(checks::check_setup(&draft, &setup, &secrets, keyring).await)
}

/// Checks everything once more, seals the keys, writes the setup and its manager, and opens the counter.
#[tauri::command]
pub async fn finish_setup(draft: SetupDraft, till: Shared<'_>) -> Result<SetupDone, CommandError> {
    if !till.is_first_run() {
        return Err(CommandError::plain(ErrorKind::NotNow));
    }
    let keyring = till.look().await?.keyring;
    let (setup, secrets) = setup_of(&draft);
    let findings = checks::check_setup(&draft, &setup, &secrets, keyring).await;
    if findings.iter().any(|finding| finding.severity == Severity::Bad) {
        return Err(CommandError::plain(ErrorKind::BadSetup));
    }
    let opener = match (&draft.passphrase, keyring) {
        (Some(passphrase), false) => KeyOpener::Passphrase(Zeroizing::new(passphrase.clone())),
        (Some(_) | None, _) => KeyOpener::of_keyring(&till.folder),
    };
    write_setup(&till, &draft, &setup, &secrets, &opener)
        .map_err(|error| CommandError::because(ErrorKind::Storage, &error))?;
    till.open_with(opener).await.map_err(|error| CommandError::because(ErrorKind::Storage, &error))?;
    Ok(SetupDone { recovery: None })
}

fn setup_of(draft: &SetupDraft) -> (Setup, Secrets) {
    let setup = Setup {
        mode: Mode::Live,
        gateway: GATEWAY.into(),
        app_id: draft.app_id.trim().to_owned(),
        seller_id: None,
        alipay_public_key: key_of(&draft.alipay_public_key, draft.certificates.as_ref()),
        certificates: draft.certificates.clone(),
        store_id: draft.store_id.trim().to_owned(),
        store_name: draft.store_name.trim().to_owned(),
        terminal_id: draft.terminal_id.trim().to_owned(),
        epoch: 1,
        hq_url: None,
        hq_terminal_id: None,
        notify_url: None,
        day_starts_at_min: 0,
        code_min: 5,
    };
    (setup, Secrets { app_private_key: draft.private_key.clone(), terminal_key: None, pending_key: None })
}

/// The setup last: it is what makes the first run be over.
fn write_setup(till: &Till, draft: &SetupDraft, setup: &Setup, secrets: &Secrets, opener: &KeyOpener) -> Result<()> {
    let now = SystemClock::start().local();
    let database = Database::open(&till.folder.0)?;
    database.appoint(&SystemIds, &draft.manager_name, &draft.pin, now)?;
    database.save_settings(&[(LANGUAGE, draft.language.as_str())])?;
    install(&database, &till.folder, setup, secrets, &opener.lock(), now)
}

/// Starts the program again in demo mode: its own folder and keys, so that no switch leads from play to real money.
#[tauri::command]
pub async fn start_demo(arguments: State<'_, WindowArguments>, app: AppHandle) -> Result<(), CommandError> {
    restart_in_demo(&arguments).map_err(|error| CommandError::because(ErrorKind::Unknown, &error))?;
    app.exit(0);
    Ok(())
}

fn restart_in_demo(arguments: &WindowArguments) -> Result<()> {
    let mut again = Command::new(std::env::current_exe().context("finding this program")?);
    again.arg("--demo");
    if arguments.customer_display {
        again.arg("--customer-display");
    }
    if let Some(path) = &arguments.ready_file {
        again.arg("--ready-file").arg(path);
    }
    // It lives on when whoever started this program ends that group.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut again, 0);
    again.spawn().context("starting the demo")?;
    Ok(())
}

/// Opens the keys with the passphrase.
#[tauri::command]
pub async fn unlock(passphrase: String, till: Shared<'_>) -> Result<(), CommandError> {
    till.unlock(Zeroizing::new(passphrase)).await
}
