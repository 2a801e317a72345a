//! The sandbox as a program: starts, prints where it listens, runs until it is told to stop.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use anyhow::Context as _;
use clap::{Parser, ValueEnum};
use yidan_sandbox::{CloseBeforeScan, Config, Keys, Sandbox, start};

/// A local Alipay: face-to-face QR payments with real signatures and no money.
///
/// Point any Alipay client at the printed gateway_url, take app_id and keys from CONTROL_URL/merchant, open the root
/// address in a browser and play the customer's phone. All effects are durable before they are answered.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES)]
struct Arguments {
    /// Where to listen; port 0 takes any free port.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Folder for the ledger and the keys; made if missing.
    #[arg(long, default_value = "sandbox-data")]
    data: PathBuf,
    /// What a close does to a code that nobody has scanned yet; both have been reported of the real Alipay.
    #[arg(long, value_enum, default_value_t = CloseEffect::NoEffect)]
    close_before_scan: CloseEffect,
    /// Divides the pauses between notify tries: 1 is Alipay's 25 hours, 1000 makes the first pause 240 ms.
    #[arg(long, default_value_t = 1)]
    notify_scale: u32,
    /// Makes keys, codes, trade numbers and notify ids the same in every run with the same requests.
    #[arg(long)]
    seed: Option<u64>,
    /// Milliseconds by which the sandbox's clock is ahead of the machine's; negative is behind.
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    clock_offset_ms: i64,
    /// Writes the line that is also printed to this file, all at once, when the sandbox listens.
    #[arg(long)]
    ready_file: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  yidan-sandbox --listen 127.0.0.1:8091 --data /tmp/alipay
  curl -s 127.0.0.1:8091/sandbox/merchant
  curl -s 127.0.0.1:8091/sandbox/scan -H 'content-type: application/json' -d '{\"out_trade_no\":\"T1\",\"buyer\":\"amy\"}'
  curl -s 127.0.0.1:8091/sandbox/fault -H 'content-type: application/json' -d '{\"method\":\"alipay.trade.query\",\"kind\":\"lose_answer\"}'
Log level: RUST_LOG=info. Stops on SIGTERM and Ctrl-C.";

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CloseEffect {
    /// The number is latched; a later scan is refused.
    Latch,
    /// Nothing happens; a later scan pays.
    NoEffect,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
        .with_writer(std::io::stderr)
        // Who reads our words may be gone before us: by default that would be a panic.
        .log_internal_errors(false)
        .init();
    let arguments = Arguments::parse();
    let told = told_to_stop()?;
    let sandbox = start(configure(&arguments)?).await.context("starting the sandbox")?;
    let line = ready_line(&sandbox);
    if let Some(path) = &arguments.ready_file {
        write_at_once(path, &line).with_context(|| format!("writing {}", path.display()))?;
    }
    let mut out = std::io::stdout();
    writeln!(out, "{line}").and_then(|()| out.flush()).context("printing the addresses")?;
    told.await;
    sandbox.stop().await;
    Ok(())
}

fn configure(arguments: &Arguments) -> anyhow::Result<Config> {
    let keys = Keys::load_or_make_with(&arguments.data, arguments.seed).context("loading the keys")?;
    let mut config = Config::with_keys(&arguments.data, keys).context("preparing the folder")?;
    config.listen = arguments.listen;
    config.notify_scale = arguments.notify_scale;
    config.seed = arguments.seed;
    config.clock = Some(Arc::new(AtomicI64::new(arguments.clock_offset_ms)));
    config.settings.close_before_scan = match arguments.close_before_scan {
        CloseEffect::Latch => CloseBeforeScan::Latch,
        CloseEffect::NoEffect => CloseBeforeScan::NoEffect,
    };
    Ok(config)
}

fn ready_line(sandbox: &Sandbox) -> String {
    serde_json::json!({
        "gateway_url": sandbox.gateway_url(),
        "control_url": sandbox.control_url(),
        "app_id": sandbox.app_id(),
        "seller_id": sandbox.seller_id(),
    })
    .to_string()
}

/// A reader sees the whole line or no file.
fn write_at_once(path: &Path, line: &str) -> std::io::Result<()> {
    let draft = path.with_extension(format!("draft-{}", std::process::id()));
    std::fs::write(&draft, format!("{line}\n"))?;
    std::fs::rename(&draft, path)
}

/// Listens for the signals from now on; the future ends with the first of them.
fn told_to_stop() -> anyhow::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    let mut terminate =
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).context("listening for SIGTERM")?;
    Ok(async move {
        #[cfg(unix)]
        tokio::select! {
            _ = terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        #[cfg(not(unix))]
        let _interrupted = tokio::signal::ctrl_c().await;
    })
}
