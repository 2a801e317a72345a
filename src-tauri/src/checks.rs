//! The checks of a setup: everything offline first, then one signed question to the gateway.
//!
//! A red finding stops; a warning does not, since a shop may be set up before its line is. Nothing here is written.

use crate::setup::Setup;
use crate::view::{Finding, SetupDraft, Severity};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;
use yidan_alipay::{AlipayKey, AppKey, Client, KeyError};
use yidan_engine::{Clock as _, GatewayClock, Secrets};
use yidan_payment::{Evidence, OutTradeNo};

/// A clock that is off by more makes Alipay refuse every request.
const MOST_OFF: Duration = Duration::from_secs(60);
/// A person waits for it.
const LONGEST_TEST: Duration = Duration::from_secs(8);
/// The shortest passphrase.
const PASSPHRASE: usize = 8;
const PIN: usize = 6;
/// No payment ever has this number: the answer to it must be a signed "there is no such trade".
const NOBODYS_NUMBER: &str = "YIDAN_SELF_TEST_0000000000000000";

/// Checks the form of the first run.
pub async fn check_setup(draft: &SetupDraft, setup: &Setup, secrets: &Secrets, keyring: bool) -> Vec<Finding> {
    let mut findings = check_store(draft);
    findings.extend(check_keys(setup, secrets).await);
    findings.extend(check_person(draft, keyring));
    findings
}

/// Checks keys: by themselves, against one another, and with the gateway if it can be reached.
pub async fn check_keys(setup: &Setup, secrets: &Secrets) -> Vec<Finding> {
    let mut findings = check_keys_offline(&setup.app_id, &secrets.app_private_key, &setup.alipay_public_key);
    if findings.iter().all(|finding| finding.severity != Severity::Bad) {
        findings.extend(test_gateway(setup.clone(), secrets.clone()).await);
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

fn check_keys_offline(app_id: &str, private_key: &str, alipay_key: &str) -> Vec<Finding> {
    let is_app_id = app_id.len() == 16 && app_id.bytes().all(|byte| byte.is_ascii_digit());
    let mut findings = vec![if is_app_id { good("app_id", "app_id_ok") } else { bad("app_id", "app_id_bad") }];
    let ours = AppKey::parse(private_key);
    findings.push(match &ours {
        _ if private_key.trim().is_empty() => bad("private_key", "private_key_missing"),
        Ok(key) if signs(key) => good("private_key", "self_sign_ok"),
        Err(KeyError::TooShort { .. }) => bad("private_key", "private_key_short"),
        Ok(_) | Err(_) => explain(bad("private_key", "private_key_bad"), ours.as_ref().err()),
    });
    let theirs = AlipayKey::parse(alipay_key);
    findings.push(match (&theirs, &ours) {
        _ if alipay_key.trim().is_empty() => bad("alipay_public_key", "alipay_key_missing"),
        (Ok(theirs), Ok(ours)) if ours.matches(theirs) => bad("alipay_public_key", "alipay_key_is_own"),
        (Ok(_), _) => good("alipay_public_key", "alipay_key_ok"),
        (Err(error), _) => explain(bad("alipay_public_key", "alipay_key_bad"), Some(error)),
    });
    findings
}

/// Whether what it signs can be checked with its own public half.
fn signs(key: &AppKey) -> bool {
    let text = b"yidan";
    AlipayKey::parse(&key.public_text()).is_ok_and(|public| public.verify(text, &key.sign(text)))
}

/// What the gateway said to a signed question, and how far this computer's clock is ahead of it.
struct Heard {
    is_verified: bool,
    trouble: Option<String>,
    offset_ms: Option<i64>,
}

async fn test_gateway(setup: Setup, secrets: Secrets) -> Vec<Finding> {
    // The client lives on one thread.
    let asked = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(ask_gateway(&setup, &secrets))
    });
    let heard = match asked.await.map_err(anyhow::Error::from).and_then(|heard| heard) {
        Ok(heard) => heard,
        Err(error) => Heard { is_verified: false, trouble: Some(format!("{error:#}")), offset_ms: None },
    };
    let gateway = match (heard.is_verified, heard.offset_ms) {
        (true, _) => good("gateway", "gateway_ok"),
        (false, Some(_)) => Finding { detail: heard.trouble, ..bad("gateway", "gateway_refused") },
        (false, None) => Finding { severity: Severity::Warn, ..bad("gateway", "gateway_unreachable") },
    };
    vec![clock_finding(heard.offset_ms), gateway]
}

fn clock_finding(offset_ms: Option<i64>) -> Finding {
    let Some(offset_ms) = offset_ms else {
        return Finding { severity: Severity::Warn, ..bad("clock", "clock_unknown") };
    };
    if Duration::from_millis(offset_ms.unsigned_abs()) <= MOST_OFF {
        return good("clock", "clock_ok");
    }
    Finding { detail: Some(format!("{} s", offset_ms / 1000)), ..bad("clock", "clock_off") }
}

async fn ask_gateway(setup: &Setup, secrets: &Secrets) -> anyhow::Result<Heard> {
    let clock = Rc::new(GatewayClock::new(Rc::new(crate::world::SystemClock::start())));
    let offset_ms: Rc<Cell<Option<i64>>> = Rc::default();
    let (now, told) = (Rc::clone(&clock), Rc::clone(&offset_ms));
    let local = crate::world::SystemClock::start();
    let client = Client::new(setup.alipay(secrets)?, move || now.now())?.on_gateway_date(Box::new(move |date| {
        told.set(Some(local.local().0 - date.0));
        clock.learn(date);
    }));
    let number = OutTradeNo::new(NOBODYS_NUMBER)?;
    let answer = tokio::time::timeout(LONGEST_TEST, client.query(&number)).await;
    let (is_verified, trouble) = match answer {
        Ok(Ok(statement)) => (matches!(statement.evidence, Evidence::NoTrade(_)), None),
        Ok(Err(error)) => (false, std::error::Error::source(&error).map(ToString::to_string)),
        Err(_) => (false, None),
    };
    Ok(Heard { is_verified, trouble, offset_ms: offset_ms.get() })
}

fn finding(field: &str, severity: Severity, message_key: &str) -> Finding {
    Finding { field: field.into(), severity, message_key: message_key.into(), detail: None }
}

fn good(field: &str, message_key: &str) -> Finding {
    finding(field, Severity::Ok, message_key)
}

fn bad(field: &str, message_key: &str) -> Finding {
    finding(field, Severity::Bad, message_key)
}

fn explain(finding: Finding, error: Option<&KeyError>) -> Finding {
    Finding { detail: error.map(ToString::to_string), ..finding }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> String {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/cases/keys/");
        std::fs::read_to_string(format!("{folder}{name}")).unwrap()
    }

    fn found(app_id: &str, private_key: &str, alipay_key: &str) -> Vec<String> {
        check_keys_offline(app_id, private_key, alipay_key).into_iter().map(|finding| finding.message_key).collect()
    }

    #[test]
    fn every_mistake_with_keys_has_its_own_sentence() {
        let (ours, own, theirs) = (key("app_private_pkcs8.pem"), key("app_public.pem"), key("platform_public.pem"));
        let app_id = "2021000100000001";
        assert_eq!(found(app_id, &ours, &theirs), ["app_id_ok", "self_sign_ok", "alipay_key_ok"]);
        assert_eq!(found(app_id, &ours, &own), ["app_id_ok", "self_sign_ok", "alipay_key_is_own"]);
        assert_eq!(found("2021", "", ""), ["app_id_bad", "private_key_missing", "alipay_key_missing"]);
        assert_eq!(found(app_id, &own, &ours), ["app_id_ok", "private_key_bad", "alipay_key_bad"]);
    }

    #[test]
    fn a_pin_has_six_digits_and_is_not_easy_to_guess() {
        assert!(["111111", "123456", "987654"].iter().all(|pin| is_pin(pin) && is_simple(pin)));
        assert!(is_pin("271828") && !is_simple("271828"));
        assert!(!is_pin("27182") && !is_pin("27182a") && !is_pin("2718281"));
    }

    #[test]
    fn a_clock_that_is_off_by_more_than_a_minute_stops_the_setup() {
        assert_eq!(clock_finding(Some(60_000)).severity, Severity::Ok);
        assert_eq!(clock_finding(Some(-61_000)).severity, Severity::Bad);
        assert_eq!(clock_finding(None).severity, Severity::Warn);
    }
}
