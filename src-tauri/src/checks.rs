//! The checks of a setup: everything offline first, then one signed question to the gateway.
//!
//! A red finding stops; a warning does not, since a shop may be set up before its line is. Nothing here is written.

mod gateway;
mod keys;

pub use keys::RENEW_DAYS;

use crate::setup::Setup;
use crate::view::{Finding, SetupDraft, Severity};
use crate::world::SystemClock;
use yidan_engine::{Clock as _, Secrets};

/// The shortest passphrase.
const PASSPHRASE: usize = 8;
const PIN: usize = 6;

/// Checks the form of the first run.
pub async fn check_setup(draft: &SetupDraft, setup: &Setup, secrets: &Secrets, keyring: bool) -> Vec<Finding> {
    let mut findings = check_store(draft);
    findings.extend(check_keys(setup, secrets).await);
    findings.extend(check_person(draft, keyring));
    findings
}

/// Checks keys: by themselves, against one another, and with the gateway if it can be reached.
pub async fn check_keys(setup: &Setup, secrets: &Secrets) -> Vec<Finding> {
    let mut findings = keys::check_offline(setup, &secrets.app_private_key, SystemClock::start().local());
    if findings.iter().all(|finding| finding.severity != Severity::Bad) {
        findings.extend(gateway::test_gateway(setup.clone(), secrets.clone()).await);
    }
    findings
}

fn check_store(draft: &SetupDraft) -> Vec<Finding> {
    let fits = |text: &str, longest| {
        (1..=longest).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let checks = [
        (draft.store_name.trim().is_empty(), "store_name", "store_name_missing"),
        (!fits(&draft.store_id, 10), "store_id", "store_id_bad"),
        (!fits(&draft.terminal_id, 8), "terminal_id", "terminal_id_bad"),
    ];
    checks.into_iter().filter(|(is_bad, ..)| *is_bad).map(|(_, field, key)| bad(field, key)).collect()
}

fn check_person(draft: &SetupDraft, keyring: bool) -> Vec<Finding> {
    let passphrase = draft.passphrase.as_deref().unwrap_or_default();
    let checks = [
        (draft.manager_name.trim().is_empty(), "manager_name", "manager_name_missing"),
        (!is_pin(&draft.pin), "pin", "pin_short"),
        (is_pin(&draft.pin) && is_simple(&draft.pin), "pin", "pin_simple"),
        (!keyring && passphrase.is_empty(), "passphrase", "passphrase_missing"),
        (
            !keyring && !passphrase.is_empty() && passphrase.chars().count() < PASSPHRASE,
            "passphrase",
            "passphrase_short",
        ),
    ];
    checks.into_iter().filter(|(is_bad, ..)| *is_bad).map(|(_, field, key)| bad(field, key)).collect()
}

/// Whether this is a PIN: six digits.
pub fn is_pin(pin: &str) -> bool {
    pin.len() == PIN && pin.bytes().all(|byte| byte.is_ascii_digit())
}

/// All the same, or counting up or down.
fn is_simple(pin: &str) -> bool {
    let digits = pin.as_bytes();
    [0, 1, -1].iter().any(|step| digits.windows(2).all(|pair| i16::from(pair[1]) - i16::from(pair[0]) == *step))
}

fn finding(field: &str, severity: Severity, message_key: &str) -> Finding {
    Finding { field: field.into(), severity, message_key: message_key.into(), n: None, detail: None }
}

/// As it should be.
pub fn good(field: &str, message_key: &str) -> Finding {
    finding(field, Severity::Ok, message_key)
}

/// Worth knowing; stops nobody.
pub fn warn(field: &str, message_key: &str) -> Finding {
    finding(field, Severity::Warn, message_key)
}

/// Wrong.
pub fn bad(field: &str, message_key: &str) -> Finding {
    finding(field, Severity::Bad, message_key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_has_six_digits_and_is_not_easy_to_guess() {
        assert!(["111111", "123456", "987654"].iter().all(|pin| is_pin(pin) && is_simple(pin)));
        assert!(is_pin("271828") && !is_simple("271828"));
        assert!(!is_pin("27182") && !is_pin("27182a") && !is_pin("2718281"));
    }
}
