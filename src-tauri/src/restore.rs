//! Restoring a backup: the numbers go on above every old one, and with headquarters the terminal enrols again first.

use crate::setup::{Folder, Setup};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use yidan_engine::{Restoring, business_day, mark_restored};
use yidan_payment::UtcMs;

/// What a restore did.
#[derive(Debug, PartialEq, Eq)]
pub struct Restored {
    /// Where the records lie that were replaced.
    pub kept: Option<PathBuf>,
    /// Under which epoch numbers are minted from now on.
    pub epoch: u32,
    /// Whether the terminal must enrol at headquarters again before it may sell.
    pub must_enrol: bool,
}

/// Puts a backup in the place of the counter's records. No counter may run there.
///
/// # Errors
/// A sentence that says what to do; then the old records are in place.
pub fn restore(folder: &Folder, file: &Path, at: UtcMs) -> Result<Restored> {
    let restoring = Restoring::begin(&folder.0, file)?;
    let setup = Setup::find(restoring.database())?.context("this backup was made before the counter was set up")?;
    let replaced = restoring.find_replaced_setting("setup").and_then(|text| serde_json::from_str::<Setup>(&text).ok());
    let newest = replaced.map_or(setup.epoch, |replaced| replaced.epoch.max(setup.epoch));
    let must_enrol = setup.hq_url.is_some();
    // With headquarters the new epoch is headquarters' to give.
    let epoch = if must_enrol { setup.epoch } else { newest + 1 };
    let day_starts_at_min = setup.day_starts_at_min;
    restoring.skip_given_numbers(&business_day(at, day_starts_at_min))?;
    Setup { epoch, ..setup }.save(restoring.database(), at)?;
    if must_enrol {
        mark_restored(restoring.database())?;
    }
    let kept = restoring.finish(at)?;
    Ok(Restored { kept, epoch, must_enrol })
}
