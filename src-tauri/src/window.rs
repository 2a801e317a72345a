//! The two windows: the cashier's, and the customer's display on the second monitor.

use crate::announce::announce;
use crate::commands;
use crate::place::PlaceArguments;
use crate::self_test::look_whenever_wanted;
use crate::till::Till;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::sync::Arc;
use tauri::{AppHandle, Manager, PhysicalPosition, WebviewUrl, WebviewWindowBuilder, WindowEvent};
use yidan_payment::Hash;

/// The cashier's window.
pub const MAIN: &str = "main";
/// The customer's display.
pub const CUSTOMER: &str = "customer";

/// What the command line says about the windows.
#[derive(Clone, Debug)]
pub struct WindowArguments {
    /// Where the counter lives.
    pub place: PlaceArguments,
    /// Opens the customer's display even on the only monitor.
    pub customer_display: bool,
    /// Written when the counter is open.
    pub ready_file: Option<PathBuf>,
}

/// Runs the windows until the cashier closes hers.
///
/// # Errors
/// If there is no display, or the data folder has no place.
pub fn run(arguments: WindowArguments) -> Result<()> {
    let till = Arc::new(Till::new(arguments.place.clone())?);
    let mut context = built_in();
    context.config_mut().identifier = identifier_of(&till);
    let opening = Arc::clone(&till);
    let app = tauri::Builder::default()
        .plugin(tauri_plugin_single_instance::init(|app, _, _| focus(app)))
        .manage(Arc::clone(&till))
        .manage(arguments.clone())
        .invoke_handler(commands::all())
        .setup(move |app| {
            tauri::async_runtime::spawn(look_whenever_wanted(Arc::clone(&opening), opening.self_test_wanted()));
            // In-doubt payments are asked for before the window is up.
            tauri::async_runtime::spawn(open_counter(Arc::clone(&opening), arguments.ready_file.clone()));
            open_main(app.handle(), &opening)?;
            tauri::async_runtime::spawn(open_customer(app.handle().clone(), Arc::clone(&opening), arguments));
            tauri::async_runtime::spawn(announce(app.handle().clone(), opening));
            Ok(())
        })
        .on_window_event(|window, event| {
            if window.label() == MAIN && matches!(event, WindowEvent::Destroyed) {
                window.app_handle().exit(0);
            }
        })
        .build(context)
        .context("opening the window: is there a display?")?;
    app.run(|_, _| {});
    Ok(())
}

/// The pages, icons and capabilities, put in when this was compiled.
#[expect(clippy::disallowed_methods, reason = "what the macro expands to is not ours")]
fn built_in() -> tauri::Context {
    tauri::generate_context!()
}

/// One program per data folder: a second start shows the first one's window.
fn identifier_of(till: &Till) -> String {
    let folder = std::path::absolute(&till.folder.0).unwrap_or_else(|_| till.folder.0.clone());
    let name = Hash::of(folder.display().to_string().as_bytes()).to_string();
    format!("cn.yidan.counter.f{}", &name[..12])
}

async fn open_counter(till: Arc<Till>, ready_file: Option<PathBuf>) {
    till.open().await;
    let Some(path) = ready_file else { return };
    if let Err(error) = crate::cli::write_at_once(&path, &till.ready_line().to_string()) {
        tracing::error!("{error:#}");
    }
}

fn open_main(app: &AppHandle, till: &Till) -> tauri::Result<()> {
    WebviewWindowBuilder::new(app, MAIN, WebviewUrl::App("index.html".into()))
        .title("一单 · 收银台")
        .inner_size(1366.0, 768.0)
        .min_inner_size(1024.0, 600.0)
        .maximized(true)
        .data_directory(till.folder.0.join("webview"))
        .on_navigation(is_ours)
        .build()?;
    Ok(())
}

/// On the second monitor if there is one. A window is opened from an async task: it would wait for itself otherwise.
async fn open_customer(app: AppHandle, till: Arc<Till>, arguments: WindowArguments) {
    let other = find_other_monitor(&app);
    if other.is_none() && !arguments.customer_display {
        return;
    }
    let window = WebviewWindowBuilder::new(&app, CUSTOMER, WebviewUrl::App("customer.html".into()))
        .title("一单 · 顾客屏")
        .inner_size(1024.0, 600.0)
        .focused(false)
        .data_directory(till.folder.0.join("webview"))
        .on_navigation(is_ours)
        .build();
    let placed = window.and_then(|window| {
        let Some(position) = other else { return Ok(()) };
        window.set_position(position)?;
        window.set_fullscreen(true)
    });
    if let Err(error) = placed {
        tracing::warn!(%error, "the customer's display does not open");
    }
}

/// The corner of a monitor that the cashier's window is not on.
fn find_other_monitor(app: &AppHandle) -> Option<PhysicalPosition<i32>> {
    let window = app.get_webview_window(MAIN)?;
    let here = window.current_monitor().ok()??;
    let all = window.available_monitors().ok()?;
    all.into_iter().find(|monitor| monitor.position() != here.position()).map(|monitor| *monitor.position())
}

/// The windows show our own pages and nothing else.
fn is_ours(url: &tauri::Url) -> bool {
    url.scheme() == "tauri" || url.host_str() == Some("tauri.localhost")
}

fn focus(app: &AppHandle) {
    let Some(window) = app.get_webview_window(MAIN) else { return };
    let shown = window.unminimize().and_then(|()| window.show()).and_then(|()| window.set_focus());
    if let Err(error) = shown {
        tracing::warn!(%error, "the window does not come to the front");
    }
}
