//! The first run and the settings, as their forms fill them in.
//!
//! Drafts carry keys and PINs: they have no `Debug`, so that no log line can show them.

use super::{HqState, Language};
use crate::setup::CertificateFiles;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The form of the first run.
#[derive(Clone, Deserialize, TS)]
pub struct SetupDraft {
    pub language: Language,
    pub store_name: String,
    pub store_id: String,
    pub terminal_id: String,
    pub app_id: String,
    pub private_key: String,
    /// Key mode.
    pub alipay_public_key: String,
    /// Certificate mode.
    pub certificates: Option<CertificateFiles>,
    pub manager_name: String,
    pub pin: String,
    /// Only without a keyring.
    pub passphrase: Option<String>,
}

/// The first run is over.
#[derive(Clone, Debug, Serialize, TS)]
pub struct SetupDone {
    /// A code for the safe, if there is one.
    pub recovery: Option<String>,
}

/// The keys as they should become.
#[derive(Clone, Deserialize, TS)]
pub struct KeysDraft {
    pub app_id: String,
    /// `None` keeps the stored one, which is never shown.
    pub private_key: Option<String>,
    /// Key mode.
    pub alipay_public_key: String,
    /// Certificate mode.
    pub certificates: Option<CertificateFiles>,
}

/// The settings as they should become.
#[derive(Clone, Deserialize, TS)]
pub struct SettingsDraft {
    /// A manager's.
    pub pin: String,
    pub store_name: String,
    pub language: Language,
    pub subject: String,
    pub code_minutes: u32,
    /// `HH:MM`.
    pub day_cut_off: String,
    /// `None` leaves them as they are.
    pub keys: Option<KeysDraft>,
}

/// The settings as they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct SettingsView {
    pub store_name: String,
    pub store_id: String,
    pub terminal_id: String,
    pub language: Language,
    pub subject: String,
    pub code_minutes: u32,
    pub day_cut_off: String,
    pub keys: KeysView,
    pub hq: HqView,
}

/// The keys as far as they may be seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct KeysView {
    pub app_id: String,
    pub private_key_fingerprint: String,
    pub alipay_public_key: String,
    pub certificates: Option<CertificateFiles>,
    /// How long they are still good; none in key mode.
    pub days_left: Vec<CertificateDays>,
    pub gateway: String,
    /// A payment lives, and only these keys may ask about it.
    pub locked: bool,
}

/// How long a certificate is still good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub struct CertificateDays {
    /// The app's; else Alipay's.
    pub is_apps: bool,
    /// Whole days; negative after its end.
    pub days: i64,
}

/// Headquarters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct HqView {
    pub state: HqState,
    pub url: Option<String>,
    pub waiting: i64,
    pub last_ack_at_ms: Option<i64>,
}

/// What a check found about one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct Finding {
    pub field: String,
    pub severity: Severity,
    pub message_key: String,
    /// The number in its sentence: days, seconds, lines.
    pub n: Option<i64>,
    /// What the other side said, in its own words.
    pub detail: Option<String>,
}

impl Finding {
    /// With the number in its sentence.
    #[must_use]
    pub fn counting(self, n: i64) -> Finding {
        Finding { n: Some(n), ..self }
    }

    /// With what was said about it.
    #[must_use]
    pub fn because(self, cause: &dyn std::error::Error) -> Finding {
        Finding { detail: Some(cause.to_string()), ..self }
    }

    /// Whether somebody should look at it.
    #[must_use]
    pub fn is_trouble(&self) -> bool {
        match self.severity {
            Severity::Ok => false,
            Severity::Warn | Severity::Bad => true,
        }
    }
}

/// Whether it may stay so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub enum Severity {
    Ok,
    Warn,
    Bad,
}

/// `04:00` for 240 minutes after midnight.
#[must_use]
pub fn cut_off_text(minutes: u32) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// The minutes after midnight of `04:00`; `None` for anything that is not a time of day.
#[must_use]
pub fn read_cut_off(text: &str) -> Option<u32> {
    let (hours, minutes) = text.split_once(':')?;
    let (hours, minutes) = (hours.parse::<u32>().ok()?, minutes.parse::<u32>().ok()?);
    (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_begins_at_a_time_of_day() {
        assert_eq!(read_cut_off("04:30"), Some(270));
        assert_eq!(cut_off_text(270), "04:30");
        assert_eq!(read_cut_off("24:00").or(read_cut_off("4")).or(read_cut_off("a:b")), None);
    }
}
