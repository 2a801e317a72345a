//! `yidan check`: everything that must be right before the shop opens, asked in order, told as lamps.
//!
//! Ends with one signed question about a number that does not exist: only a *verified* "there is no such trade" is green.

use crate::checks::RENEW_DAYS;
use crate::setup::{Folder, Setup};
use anyhow::{Context, Result};
use serde::Serialize;
use yidan_alipay::{Client, Trust};
use yidan_engine::{Database, Lock, open_keys};
use yidan_payment::{OutTradeNo, UtcMs};

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub struct Lamp {
    /// What.
    pub what: &'static str,
    /// Whether a sale can be made with it as it is.
    pub ok: bool,
    /// What was seen, or what to do.
    pub detail: String,
}

/// Looks at everything. Stops where going on makes no sense.
///
/// `now` is the PC's own clock, not a corrected one: its error is one of the things to see.
///
/// # Errors
/// If there is nothing to look at: no folder, no setup.
pub async fn check(
    folder: &Folder,
    lock: &Lock<'_>,
    now: impl Fn() -> UtcMs + Send + Sync + 'static,
) -> Result<Vec<Lamp>> {
    let database = Database::open(&folder.0)?;
    let setup = Setup::find(&database)?
        .with_context(|| format!("{} is not set up yet: run `yidan setup`", folder.0.display()))?;
    let mut lamps = vec![good("records", format!("{} is open and at rest", database.path().display()))];
    let settings = match open_keys(&folder.keys(), lock).map_err(Into::into).and_then(|keys| setup.alipay(&keys)) {
        Ok(settings) => settings,
        Err(error) => {
            lamps.push(bad("keys", format!("{error:#}")));
            return Ok(lamps);
        }
    };
    lamps.push(good("keys", format!("they parse and fit app {}", setup.app_id)));
    lamps.extend(certificate_lamps(&settings.trust, now()));
    let client = Client::new(settings, now)?;
    let nobodys = OutTradeNo::new(format!("YIDAN_CHECK_{:016x}", rand::random::<u64>()))?;
    lamps.push(match client.self_test(&nobodys).await {
        Ok(()) => good("gateway", format!("{} answers, signed: there is no such trade", setup.gateway)),
        Err(error) => bad("gateway", format!("{:#}", anyhow::Error::from(error))),
    });
    Ok(lamps)
}

fn certificate_lamps(trust: &Trust, now: UtcMs) -> Vec<Lamp> {
    let Trust::Certificates(certificates) = trust else { return Vec::new() };
    let left = certificates.days_left(now);
    let lamps = left.into_iter().map(|left| {
        let whose = if left.is_apps { "the app's certificate" } else { "Alipay's certificate" };
        let detail = format!("{whose} {}: {} days left", left.sn, left.days);
        if left.days >= RENEW_DAYS { good("certificate", detail) } else { bad("certificate", detail) }
    });
    lamps.collect()
}

fn good(what: &'static str, detail: String) -> Lamp {
    Lamp { what, ok: true, detail }
}

fn bad(what: &'static str, detail: String) -> Lamp {
    Lamp { what, ok: false, detail }
}
