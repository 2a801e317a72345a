//! The checks of keys and certificates that need no network: each by itself, and against one another.

use super::{bad, good, warn};
use crate::setup::{CertificateFiles, Setup};
use crate::view::Finding;
use yidan_alipay::{AlipayKey, AppKey, Certificate, CertificateError, KeyError};
use yidan_payment::UtcMs;

/// A certificate with fewer days left is renewed soon.
pub const RENEW_DAYS: i64 = 30;

/// Checks the account, the private key, and Alipay's key or the three certificates.
pub fn check_offline(setup: &Setup, private_key: &str, now: UtcMs) -> Vec<Finding> {
    let ours = AppKey::parse(private_key);
    let mut findings = vec![check_app_id(&setup.app_id), check_private_key(private_key, &ours)];
    let ours = ours.ok();
    match &setup.certificates {
        None => findings.push(check_alipay_key(&setup.alipay_public_key, ours.as_ref())),
        Some(files) => findings.extend(check_certificates(files, ours.as_ref(), now)),
    }
    findings
}

fn check_app_id(app_id: &str) -> Finding {
    let is_app_id = app_id.len() == 16 && app_id.bytes().all(|byte| byte.is_ascii_digit());
    if is_app_id { good("app_id", "app_id_ok") } else { bad("app_id", "app_id_bad") }
}

fn check_private_key(text: &str, ours: &Result<AppKey, KeyError>) -> Finding {
    const FIELD: &str = "private_key";
    match ours {
        _ if text.trim().is_empty() => bad(FIELD, "private_key_missing"),
        Ok(key) if signs(key) => good(FIELD, "self_sign_ok"),
        Err(KeyError::TooShort { .. }) => bad(FIELD, "private_key_short"),
        Ok(_) => bad(FIELD, "private_key_bad"),
        Err(error) => bad(FIELD, "private_key_bad").because(error),
    }
}

/// Whether what it signs can be checked with its own public half.
fn signs(key: &AppKey) -> bool {
    let text = b"yidan";
    AlipayKey::parse(&key.public_text()).is_ok_and(|public| public.verify(text, &key.sign(text)))
}

fn check_alipay_key(text: &str, ours: Option<&AppKey>) -> Finding {
    const FIELD: &str = "alipay_public_key";
    match (AlipayKey::parse(text), ours) {
        _ if text.trim().is_empty() => bad(FIELD, "alipay_key_missing"),
        (Ok(theirs), Some(ours)) if ours.matches(&theirs) => bad(FIELD, "alipay_key_is_own"),
        (Ok(_), _) => good(FIELD, "alipay_key_ok"),
        (Err(error), _) => bad(FIELD, "alipay_key_bad").because(&error),
    }
}

fn check_certificates(files: &CertificateFiles, ours: Option<&AppKey>, now: UtcMs) -> [Finding; 3] {
    [
        check_app_certificate(&files.app, ours, now),
        check_alipay_certificate(&files.alipay, ours, now),
        check_root(&files.root, now),
    ]
}

fn check_app_certificate(text: &str, ours: Option<&AppKey>, now: UtcMs) -> Finding {
    const FIELD: &str = "app_certificate";
    let certificate = match read(FIELD, text) {
        Ok(certificate) => certificate,
        Err(finding) => return finding,
    };
    if ours.is_some_and(|ours| !belongs_to(&certificate, ours)) {
        let is_alipays = !certificate.is_an_apps();
        return bad(FIELD, if is_alipays { "app_certificate_is_alipays" } else { "app_certificate_other" });
    }
    check_dates(FIELD, "app_certificate_ok", &certificate, now)
}

fn check_alipay_certificate(text: &str, ours: Option<&AppKey>, now: UtcMs) -> Finding {
    const FIELD: &str = "alipay_certificate";
    let certificate = match read(FIELD, text) {
        Ok(certificate) => certificate,
        Err(finding) => return finding,
    };
    if certificate.is_an_apps() || ours.is_some_and(|ours| belongs_to(&certificate, ours)) {
        return bad(FIELD, "alipay_certificate_is_own");
    }
    check_dates(FIELD, "alipay_certificate_ok", &certificate, now)
}

/// Alipay's file holds roots of several algorithms; those that sign with RSA are ours.
fn check_root(text: &str, now: UtcMs) -> Finding {
    const FIELD: &str = "root_certificate";
    if text.trim().is_empty() {
        return bad(FIELD, "certificate_missing");
    }
    let all = Certificate::parse_all(text).unwrap_or_default();
    let (rsa, others): (Vec<_>, Vec<_>) = all.iter().partition(|certificate| certificate.is_rsa_signed());
    let roots: Vec<_> = rsa.into_iter().filter(|certificate| certificate.is_root()).collect();
    if roots.is_empty() {
        let holds_others = others.iter().any(|certificate| certificate.is_root());
        let is_something_else = !all.is_empty() && !holds_others;
        return match (holds_others, is_something_else) {
            (true, _) => bad(FIELD, "root_not_rsa"),
            (false, true) => bad(FIELD, "root_is_none"),
            (false, false) => bad(FIELD, "certificate_bad"),
        };
    }
    let longest = roots.into_iter().max_by_key(|root| root.days_left(now));
    longest.map_or_else(|| bad(FIELD, "certificate_bad"), |root| check_dates(FIELD, "root_ok", root, now))
}

fn read(field: &str, text: &str) -> Result<Certificate, Finding> {
    if text.trim().is_empty() {
        return Err(bad(field, "certificate_missing"));
    }
    let certificate = Certificate::parse(text).map_err(|_| bad(field, "certificate_bad"))?;
    match certificate.key() {
        Ok(_) => Ok(certificate),
        Err(error) => Err(bad(field, "certificate_bad").because(&error)),
    }
}

fn belongs_to(certificate: &Certificate, key: &AppKey) -> bool {
    certificate.key().is_ok_and(|vouched| key.matches(&vouched))
}

fn check_dates(field: &str, fine: &str, certificate: &Certificate, now: UtcMs) -> Finding {
    let days = certificate.days_left(now);
    match certificate.check_dates(now) {
        Err(CertificateError::NotYetValid) => bad(field, "certificate_early"),
        Err(_) => bad(field, "certificate_expired").counting(days.saturating_abs()),
        Ok(()) if days < RENEW_DAYS => warn(field, "certificate_ends").counting(days),
        Ok(()) => good(field, fine).counting(days),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Severity;
    use yidan_wire::Mode;

    const APP_ID: &str = "2021000100000001";
    /// 2026-12-01
    const NOW: UtcMs = UtcMs(1_796_127_320_000);
    const DAY_MS: i64 = 86_400_000;

    fn text(file: &str) -> String {
        std::fs::read_to_string(format!("{}/../{file}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    fn key(name: &str) -> String {
        text(&format!("tests/fixtures/cases/keys/{name}"))
    }

    fn certificate(name: &str) -> String {
        text(&format!("crates/alipay/tests/certs/{name}"))
    }

    fn setup(app_id: &str, alipay_key: &str, certificates: Option<CertificateFiles>) -> Setup {
        Setup {
            mode: Mode::Live,
            gateway: String::new(),
            app_id: app_id.into(),
            seller_id: None,
            alipay_public_key: alipay_key.into(),
            certificates,
            store_id: "S01".into(),
            store_name: String::new(),
            terminal_id: "01".into(),
            epoch: 1,
            hq_url: None,
            hq_terminal_id: None,
            notify_url: None,
            day_starts_at_min: 0,
            code_min: 5,
        }
    }

    fn found(app_id: &str, private_key: &str, alipay_key: &str) -> Vec<String> {
        let findings = check_offline(&setup(app_id, alipay_key, None), private_key, NOW);
        findings.into_iter().map(|finding| finding.message_key).collect()
    }

    /// What is found about the three files beside a private key.
    fn found_in(files: [&str; 3], now: UtcMs) -> Vec<String> {
        let [app, alipay, root] = files.map(ToOwned::to_owned);
        let setup = setup(APP_ID, "", Some(CertificateFiles { app, alipay, root }));
        let findings = check_offline(&setup, &key("app_private_pkcs8.pem"), now);
        findings.into_iter().skip(2).map(|finding| finding.message_key).collect()
    }

    #[test]
    fn every_mistake_with_keys_has_its_own_sentence() {
        let (ours, own, theirs) = (key("app_private_pkcs8.pem"), key("app_public.pem"), key("platform_public.pem"));
        assert_eq!(found(APP_ID, &ours, &theirs), ["app_id_ok", "self_sign_ok", "alipay_key_ok"]);
        assert_eq!(found(APP_ID, &ours, &own), ["app_id_ok", "self_sign_ok", "alipay_key_is_own"]);
        assert_eq!(found("2021", "", ""), ["app_id_bad", "private_key_missing", "alipay_key_missing"]);
        assert_eq!(found(APP_ID, &own, &ours), ["app_id_ok", "private_key_bad", "alipay_key_bad"]);
    }

    #[test]
    fn every_mistake_with_certificates_has_its_own_sentence() {
        let (app, alipay, root) = (certificate("app.crt"), certificate("alipay_old.crt"), certificate("root.crt"));
        let other = text("tests/fixtures/cases/certs/appCert_other_keypair.crt");
        let sm2 = text("tests/fixtures/cases/certs/alipayRootCert_four_roots.crt");
        let is_rsa = |block: &&str| Certificate::parse(block).is_ok_and(|certificate| certificate.is_rsa_signed());
        let blocks: Vec<String> = sm2.split_inclusive("-----END CERTIFICATE-----").map(ToOwned::to_owned).collect();
        let no_rsa: String = blocks.iter().map(String::as_str).filter(|block| !is_rsa(block)).collect();
        let own_key = key("app_public.pem");
        assert_eq!(found_in([&app, &alipay, &root], NOW), ["app_certificate_ok", "alipay_certificate_ok", "root_ok"]);
        assert_eq!(found_in(["", " ", ""], NOW), ["certificate_missing"; 3]);
        assert_eq!(found_in([&own_key, "hello", "hello"], NOW), ["certificate_bad"; 3]);
        assert_eq!(found_in([&other, &app, &alipay], NOW)[..2], ["app_certificate_other", "alipay_certificate_is_own"]);
        assert_eq!(found_in([&alipay, &alipay, &app], NOW)[0], "app_certificate_is_alipays");
        // Alipay's file holds its issuer too, which is no root.
        assert_eq!(found_in([&app, &alipay, &alipay], NOW)[2], "root_is_none");
        assert_eq!(found_in([&app, &alipay, &app], NOW)[2], "root_is_none");
        assert_eq!(found_in([&app, &alipay, &no_rsa], NOW)[2], "root_not_rsa");
    }

    #[test]
    fn the_end_of_a_certificate_is_counted_in_days() {
        let (app, root, day) = (certificate("app.crt"), certificate("root.crt"), certificate("alipay_one_day.crt"));
        let at = |days: i64| found_in([&app, &day, &root], UtcMs(NOW.0 + days * DAY_MS)).swap_remove(1);
        assert_eq!(at(0), "certificate_ends");
        assert_eq!(at(2), "certificate_expired");
        assert_eq!(at(-2), "certificate_early");
        let finding = check_alipay_certificate(&certificate("alipay_old.crt"), None, NOW);
        assert!(finding.severity == Severity::Ok && finding.n.is_some_and(|days| days > 36_000));
    }
}
