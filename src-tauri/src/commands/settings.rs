//! The settings: the store, the keys, headquarters, the language. A change of weight needs a manager's PIN.

use super::{Shared, ask};
use crate::place::KeyOpener;
use crate::screen::{LANGUAGE, SUBJECT, find_language, find_subject};
use crate::setup::{Setup, install, key_of};
use crate::till::Till;
use crate::view::{
    CommandError, ErrorKind, Finding, HqView, KeysDraft, KeysView, Language, SettingsDraft, SettingsView, cut_off_text,
    read_cut_off, show_hq,
};
use crate::world::SystemClock;
use crate::{checks, enrol as enrolment};
use anyhow::{Context, Result};
use std::process::{Command, Stdio};
use yidan_engine::{Clock as _, Database, Secrets, open_keys};
use yidan_wire::Mode;

/// The settings as they are.
#[tauri::command]
pub async fn settings(till: Shared<'_>) -> Result<SettingsView, CommandError> {
    show(&till).await
}

async fn show(till: &Till) -> Result<SettingsView, CommandError> {
    let (setup, fingerprint, _) = till.keys()?;
    let days_left = till.days_left();
    let read = move |engine: std::rc::Rc<yidan_engine::Engine>| async move {
        let report = engine.report_state()?;
        Ok(SettingsView {
            language: find_language(&engine)?,
            subject: find_subject(&engine)?,
            code_minutes: setup.code_min,
            day_cut_off: cut_off_text(setup.day_starts_at_min),
            keys: KeysView {
                app_id: setup.app_id,
                private_key_fingerprint: fingerprint,
                alipay_public_key: setup.alipay_public_key,
                certificates: setup.certificates,
                days_left,
                gateway: setup.gateway,
                locked: engine.check_nothing_lives().is_err(),
            },
            hq: HqView {
                state: show_hq(&report),
                url: setup.hq_url,
                waiting: report.waiting,
                last_ack_at_ms: report.acked_at.map(|at| at.0),
            },
            store_name: setup.store_name,
            store_id: setup.store_id,
            terminal_id: setup.terminal_id,
        })
    };
    till.counter()?.ask(read).await?
}

/// Saves them: the PIN first, then what only screens know, then what the engine starts with.
#[tauri::command]
pub async fn save_settings(draft: SettingsDraft, till: Shared<'_>) -> Result<SettingsView, CommandError> {
    let (setup, _, opener) = till.keys()?;
    let wanted = wanted_setup(&draft, &setup)?;
    let has_keys = draft.keys.is_some();
    let is_demo = setup.mode == Mode::Demo;
    let (pin, language, subject) = (draft.pin, draft.language, draft.subject.trim().to_owned());
    let saved = move |engine: std::rc::Rc<yidan_engine::Engine>| async move {
        // Demo has no manager: it guards no money.
        if !is_demo {
            engine.database().check_pin(&pin, engine.now())?;
        }
        if has_keys {
            engine.check_nothing_lives()?;
        }
        Ok(engine.database().save_settings(&[(LANGUAGE, language.as_str()), (SUBJECT, &subject)])?)
    };
    ask(&till, saved).await?;
    if wanted != setup || has_keys {
        let private_key = draft.keys.and_then(|keys| keys.private_key);
        change_setup(&till, wanted, private_key, opener).await?;
    }
    show(&till).await
}

fn wanted_setup(draft: &SettingsDraft, setup: &Setup) -> Result<Setup, CommandError> {
    let day_starts_at_min = read_cut_off(&draft.day_cut_off).ok_or(CommandError::plain(ErrorKind::BadSetup))?;
    let with_keys = draft.keys.as_ref().map_or_else(|| setup.clone(), |keys| with_keys(setup, keys));
    Ok(Setup {
        store_name: draft.store_name.trim().to_owned(),
        code_min: draft.code_minutes,
        day_starts_at_min,
        ..with_keys
    })
}

fn with_keys(setup: &Setup, keys: &KeysDraft) -> Setup {
    Setup {
        app_id: keys.app_id.trim().to_owned(),
        alipay_public_key: key_of(&keys.alipay_public_key, keys.certificates.as_ref()),
        certificates: keys.certificates.clone(),
        ..setup.clone()
    }
}

/// The engine starts with it: it is closed, changed and started again.
async fn change_setup(
    till: &Till,
    wanted: Setup,
    private_key: Option<String>,
    opener: KeyOpener,
) -> Result<(), CommandError> {
    let folder = till.folder.clone();
    let write = move || {
        let kept = open_keys(&folder.keys(), &opener.lock())?;
        let secrets = with_private_key(kept, private_key);
        let database = Database::open(&folder.0)?;
        install(&database, &folder, &wanted, &secrets, &opener.lock(), SystemClock::start().local())
    };
    till.while_closed(async move { tokio::task::spawn_blocking(write).await.context("saving broke off")? })
        .await
        .map_err(|error| CommandError::because(ErrorKind::BadSetup, &error))
}

fn with_private_key(mut secrets: Secrets, private_key: Option<String>) -> Secrets {
    if let Some(private_key) = private_key {
        secrets.app_private_key = private_key;
    }
    secrets
}

/// Checks keys without storing them; without a private key the stored one is meant.
#[tauri::command]
pub async fn check_keys(draft: KeysDraft, till: Shared<'_>) -> Result<Vec<Finding>, CommandError> {
    let (setup, _, opener) = till.keys()?;
    let kept = open_keys(&till.folder.keys(), &opener.lock())
        .map_err(|error| CommandError::because(ErrorKind::Storage, &error.into()))?;
    let wanted = with_keys(&setup, &draft);
    Ok(checks::check_keys(&wanted, &with_private_key(kept, draft.private_key)).await)
}

/// What the screens speak. Needs no PIN: whoever cannot read the screen must be able to change it.
#[tauri::command]
pub async fn set_language(language: Language, till: Shared<'_>) -> Result<(), CommandError> {
    if till.is_first_run() {
        till.speak_at_first(language);
        return Ok(());
    }
    ask(&till, move |engine| async move { Ok(engine.database().save_settings(&[(LANGUAGE, language.as_str())])?) })
        .await
}

/// Makes this counter known to headquarters with the code that its administrator read out.
#[tauri::command]
pub async fn enrol(url: String, code: String, till: Shared<'_>) -> Result<SettingsView, CommandError> {
    let (_, _, opener) = till.keys()?;
    let folder = till.folder.clone();
    let enrolled = till.while_closed(async move {
        enrolment::enrol(&folder, &opener.lock(), url.trim(), &code, SystemClock::start().local()).await
    });
    enrolled.await.map_err(|error| CommandError::because(ErrorKind::HqRefused, &error))?;
    show(&till).await
}

/// Demo only: opens the customer's phone in the system's browser.
#[tauri::command]
pub async fn open_phone(till: Shared<'_>) -> Result<(), CommandError> {
    let url = till.sandbox_url().ok_or(CommandError::plain(ErrorKind::NotNow))?;
    open_in_browser(&url).map_err(|error| CommandError { kind: ErrorKind::Unknown, message: format!("{url}: {error}") })
}

fn open_in_browser(url: &str) -> std::io::Result<()> {
    let mut opener = if cfg!(target_os = "windows") {
        let mut opener = Command::new("rundll32");
        opener.arg("url.dll,FileProtocolHandler");
        opener
    } else if cfg!(target_os = "macos") {
        Command::new("open")
    } else {
        Command::new("xdg-open")
    };
    let mut child = opener.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    // Somebody must hear that it ended.
    std::thread::spawn(move || child.wait());
    Ok(())
}
