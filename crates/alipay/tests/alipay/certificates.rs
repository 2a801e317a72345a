//! Certificate mode: numbers, refusals, and a renewal of Alipay's own certificate.

use crate::fixtures::{DATE_MS, Gateway, app_key, json, platform_key, settings, text};
use base64::{Engine, prelude::BASE64_STANDARD};
use rstest::rstest;
use yidan_alipay::{
    AppKey, Certificate, CertificateError, Certificates, Client, Settings, SettingsError, Trust, read_proof,
};
use yidan_payment::{Evidence, GatewayError, OutTradeNo, UtcMs};

const NOW: UtcMs = UtcMs(DATE_MS);
const DAY_MS: i64 = 24 * 3600 * 1000;

fn own(file: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/certs").join(file);
    std::fs::read_to_string(path).unwrap()
}

fn sn(file: &str) -> String {
    Certificate::parse(&own(file)).unwrap().sn().to_owned()
}

fn certificates() -> Certificates {
    Certificates::new(Some(&own("app.crt")), &own("alipay_old.crt"), &own("root.crt")).unwrap()
}

fn with_certificates(url: &str) -> Settings {
    Settings { trust: Trust::Certificates(certificates()), ..settings(url) }
}

#[test]
fn ck3_numbers_of_certificates() {
    for (file, expected) in [
        ("cases/certs/appCertPublicKey_2021000100000001.crt", "03cdf9fded3ccc4b7156688b64756ce1"),
        ("cases/certs/alipayCertPublicKey_RSA2.crt", "b7cbc5f54949008ae5e2f5efbbe1a816"),
    ] {
        assert_eq!(Certificate::parse(&text(file)).unwrap().sn(), expected, "{file}");
    }
}

/// Certificate mode with the given roots; which certificate stands in Alipay's box does not matter here.
fn with_roots(file: &str) -> Certificates {
    Certificates::new(None, &own("alipay_old.crt"), &text(file)).unwrap()
}

#[test]
fn ck4_only_roots_that_sign_with_rsa_count() {
    let roots = with_roots("cases/certs/alipayRootCert_four_roots.crt");
    assert_eq!(roots.root_sn(), "92a8aae389d7ae24accd9464da712f81_45a9b514f861e7ade04f8a9380e18810");
}

#[test]
fn numbers_in_the_test_suites_of_other_sdks() {
    for (file, vector) in json("vectors/certs/expected_from_suites.json").as_object().unwrap() {
        let file = format!("vectors/certs/{file}");
        let sn = match vector["kind"].as_str().unwrap() {
            "root" => with_roots(&file).root_sn(),
            _ => Certificate::parse(&text(&file)).unwrap().sn().to_owned(),
        };
        assert_eq!(sn, vector["expected"].as_str().unwrap(), "{file}");
    }
}

#[test]
fn every_certificate_of_every_file_has_its_number() {
    for (file, vector) in json("vectors/certs/cert_sn.json").as_object().unwrap() {
        let expected: Vec<&str> =
            vector["certs"].as_array().unwrap().iter().filter_map(|one| one["sn"].as_str()).collect();
        if expected.is_empty() {
            continue;
        }
        let found = Certificate::parse_all(&text(&format!("vectors/certs/{file}"))).unwrap();
        for sn in expected {
            assert!(found.iter().any(|certificate| certificate.sn() == sn), "{file}: {sn}");
        }
    }
}

#[test]
fn ck10_a_certificate_of_another_key_is_refused() {
    let other = text("cases/certs/appCert_other_keypair.crt");
    let certificates = Certificates::new(Some(&other), &own("alipay_old.crt"), &own("root.crt")).unwrap();
    let settings = Settings { trust: Trust::Certificates(certificates), ..settings("http://127.0.0.1:1/gateway.do") };
    assert_eq!(settings.check(), Err(SettingsError::OtherCertificate));
}

#[test]
fn the_wrong_file_in_a_box_is_said_so() {
    let (old, roots) = (own("alipay_old.crt"), own("root.crt"));
    let new = |alipay: &str, roots: &str| Certificates::new(None, alipay, roots).map(|_| ()).unwrap_err();
    assert_eq!(new(&own("app.crt"), &roots), CertificateError::IsAnApps);
    assert_eq!(new("nonsense", &roots), CertificateError::NotACertificate);
    assert_eq!(new(&text("cases/keys/platform_public.pem"), &roots), CertificateError::NotACertificate);
    assert_eq!(new(&old, "nonsense"), CertificateError::NoRoot);
    let settings = with_certificates("http://127.0.0.1:1/gateway.do");
    assert_eq!(settings.check(), Ok(()));
    let hq = Certificates::new(None, &old, &roots).unwrap();
    assert_eq!(Settings { trust: Trust::Certificates(hq), ..settings }.check(), Err(SettingsError::NoAppCertificate));
}

#[test]
fn the_days_left_are_told() {
    let certificates = Certificates::new(Some(&own("app.crt")), &own("alipay_one_day.crt"), &own("root.crt")).unwrap();
    let left = |now| certificates.days_left(now).into_iter().map(|one| (one.is_apps, one.days)).collect::<Vec<_>>();
    assert_eq!((left(NOW)[0].0, left(NOW)[1]), (true, (false, 0)));
    assert_eq!(left(UtcMs(DATE_MS + 2 * DAY_MS))[1], (false, -2));
    assert_eq!(certificates.check_dates(NOW), Ok(()));
    assert_eq!(certificates.check_dates(UtcMs(DATE_MS + 2 * DAY_MS)), Err(CertificateError::Expired));
    assert_eq!(certificates.check_dates(UtcMs(DATE_MS - 2 * DAY_MS)), Err(CertificateError::NotYetValid));
}

#[rstest]
#[case::somebody_elses_root("alipay_from_stranger.crt", CertificateError::NotTrusted)]
#[case::issued_by_a_merchants_app("alipay_from_app.crt", CertificateError::NotTrusted)]
#[case::an_apps_certificate("app.crt", CertificateError::IsAnApps)]
fn a_certificate_that_does_not_lead_to_the_root_is_not_learned(#[case] file: &str, #[case] why: CertificateError) {
    assert_eq!(certificates().learn(&sn(file), &own(file), NOW), Err(why));
}

#[test]
fn a_renewed_certificate_must_be_the_one_asked_for_and_valid() {
    let renewed = own("alipay_renewed.crt");
    assert_eq!(certificates().learn("0", &renewed, NOW), Err(CertificateError::OtherNumber));
    let (day, later) = (own("alipay_one_day.crt"), UtcMs(DATE_MS + 2 * DAY_MS));
    assert_eq!(certificates().learn(&sn("alipay_one_day.crt"), &day, later), Err(CertificateError::Expired));
    assert_eq!(certificates().learn(&sn("alipay_renewed.crt"), &renewed, NOW), Ok(()));
}

const NO_TRADE: &str = r#"{"code":"40004","out_trade_no":"S01","sub_code":"ACQ.TRADE_NOT_EXIST"}"#;

/// A body as the gateway writes it in certificate mode.
fn signed_by(key: &AppKey, sn: &str) -> Vec<u8> {
    let sign = key.sign(NO_TRADE.as_bytes());
    format!(r#"{{"alipay_trade_query_response":{NO_TRADE},"alipay_cert_sn":"{sn}","sign":"{sign}"}}"#).into_bytes()
}

fn download(file: &str) -> Vec<u8> {
    let content = BASE64_STANDARD.encode(own(file));
    let node = format!(r#"{{"code":"10000","msg":"Success","alipay_cert_content":"{content}"}}"#);
    format!(r#"{{"alipay_open_app_alipaycert_download_response":{node}}}"#).into_bytes()
}

#[tokio::test(flavor = "current_thread")]
async fn a_renewed_certificate_of_alipay_is_fetched_once_and_believed() {
    let answer = signed_by(&platform_key(), &sn("alipay_renewed.crt"));
    let fetched = Some(download("alipay_renewed.crt"));
    let gateway = Gateway::answering(vec![Some(answer.clone()), fetched, Some(answer)]);
    let client = Client::new(with_certificates(&gateway.url), || NOW).unwrap();
    let number = OutTradeNo::new("S01").unwrap();

    let first = client.query(&number).await.unwrap();
    let second = client.query(&number).await.unwrap();

    assert!(matches!(first.evidence, Evidence::NoTrade(_)) && first.evidence == second.evidence);
    assert!(read_proof(&first.proof, &client.merchant(), &number).is_ok());
    let sent: Vec<_> = gateway.seen.iter().collect();
    let value = |index: usize, name: &str| sent[index].query.iter().find(|(n, _)| n == name).unwrap().1.clone();
    assert_eq!(value(0, "app_cert_sn"), sn("app.crt"));
    assert_eq!(value(0, "alipay_root_cert_sn"), sn("root.crt"));
    assert_eq!(value(1, "method"), "alipay.open.app.alipaycert.download");
    assert_eq!(sent[1].body[0].1, format!(r#"{{"alipay_cert_sn":"{}"}}"#, sn("alipay_renewed.crt")));
}

#[rstest]
#[case::a_strangers_certificate("alipay_from_stranger.crt")]
#[case::one_that_a_merchant_made("alipay_from_app.crt")]
#[tokio::test(flavor = "current_thread")]
async fn a_certificate_that_cannot_be_trusted_leaves_the_answer_unknown(#[case] file: &str) {
    let answers = vec![Some(signed_by(&platform_key(), &sn(file))), Some(download(file))];
    let gateway = Gateway::answering(answers);
    let client = Client::new(with_certificates(&gateway.url), || NOW).unwrap();
    let error = client.query(&OutTradeNo::new("S01").unwrap()).await.unwrap_err();
    assert!(matches!(error, GatewayError::Unanswered(_)), "{error:?}");
}

#[tokio::test(flavor = "current_thread")]
async fn a_signature_without_a_certificate_number_is_unknown() {
    let sign = app_key().sign(NO_TRADE.as_bytes());
    let body = format!(r#"{{"alipay_trade_query_response":{NO_TRADE},"sign":"{sign}"}}"#);
    let gateway = Gateway::answering(vec![Some(body.into_bytes())]);
    let client = Client::new(with_certificates(&gateway.url), || NOW).unwrap();
    assert!(client.query(&OutTradeNo::new("S01").unwrap()).await.is_err());
}
