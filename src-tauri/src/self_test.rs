//! The look at everything before opening: by itself whenever the counter opens, in the background, and when asked for.
//!
//! Must always hold: it stops nothing. A counter whose self-test is red still carries what it started to its end.

use crate::checks::{self, bad, good, warn};
use crate::setup::Folder;
use crate::till::Till;
use crate::view::{CommandError, ErrorKind, Finding, HqState, SelfTestView, show_hq};
use crate::world::SystemClock;
use anyhow::Context;
use std::io::Write as _;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use yidan_engine::{Clock as _, Engine, Error, open_keys};

/// Every step of every payment waits for the disk: a slower one is felt at the counter.
const SLOW_DISK: Duration = Duration::from_millis(200);

/// Looks whenever `wanted` turns, for as long as the program runs.
pub async fn look_whenever_wanted(till: Arc<Till>, mut wanted: watch::Receiver<u64>) {
    while wanted.changed().await.is_ok() {
        till.show_self_test(SelfTestView { running: true, ..till.self_test() });
        let findings = match look(&till).await {
            Ok(findings) => findings,
            Err(error) => vec![Finding { detail: Some(error.message), ..bad("records", "records_bad") }],
        };
        for finding in findings.iter().filter(|finding| finding.is_trouble()) {
            tracing::warn!(what = finding.message_key, detail = finding.detail, "the self-test found something");
        }
        let done_at_ms = Some(SystemClock::start().local().0);
        till.show_self_test(SelfTestView { running: false, done_at_ms, findings });
    }
}

async fn look(till: &Till) -> Result<Vec<Finding>, CommandError> {
    let (setup, _, opener) = till.keys()?;
    let mut findings = till.counter()?.ask(|engine| async move { look_at_records(&engine) }).await??;
    let folder = till.folder.clone();
    let opened = tokio::task::spawn_blocking(move || {
        (measure_disk(&folder), open_keys(&folder.keys(), &opener.lock()).context("opening the keys"))
    });
    let broke_off = |error: tokio::task::JoinError| CommandError::because(ErrorKind::Storage, &error.into());
    let (disk, secrets) = opened.await.map_err(broke_off)?;
    findings.push(disk);
    match secrets {
        Ok(secrets) => findings.extend(checks::check_keys(&setup, &secrets).await),
        Err(error) => findings.push(Finding { detail: Some(format!("{error:#}")), ..bad("keys", "keys_closed") }),
    }
    Ok(findings)
}

fn look_at_records(engine: &Rc<Engine>) -> Result<Vec<Finding>, Error> {
    let head = engine.database().load_head()?;
    let report = engine.report_state()?;
    let hq = match show_hq(&report) {
        HqState::Off => good("hq", "hq_off"),
        HqState::Ok => good("hq", "hq_ok"),
        HqState::Waiting => good("hq", "hq_waiting").counting(report.waiting),
        HqState::Refused => Finding { detail: report.refused, ..bad("hq", "hq_refused") },
    };
    Ok(vec![good("records", "records_ok").counting(head.seq), hq])
}

/// One small write, until it is on the disk.
fn measure_disk(folder: &Folder) -> Finding {
    let path = folder.0.join("self-test");
    match write_durably(&path) {
        Ok(took) => {
            let ms = i64::try_from(took.as_millis()).unwrap_or(i64::MAX);
            let finding = if took < SLOW_DISK { good("disk", "disk_ok") } else { warn("disk", "disk_slow") };
            finding.counting(ms)
        }
        Err(error) => bad("disk", "disk_bad").because(&error),
    }
}

fn write_durably(path: &Path) -> std::io::Result<Duration> {
    let clock = SystemClock::start();
    let mut file = std::fs::File::create(path)?;
    file.write_all(&[0; 4096])?;
    file.sync_data()?;
    let took = clock.elapsed();
    std::fs::remove_file(path)?;
    Ok(took)
}
