//! Keys as people paste them, and the signatures they make.

use crate::fixtures::{self, app_key, json, text};
use rsa::{
    PrivateKey,
    pkcs1v15::SigningKey,
    pkcs8::DecodePrivateKey,
    sha2::Sha256,
    signature::{SignatureEncoding, Signer},
};
use rstest::rstest;
use yidan_alipay::{AlipayKey, AppKey, KeyError, string_to_sign};

#[rstest]
#[case::pkcs8_lf("01_pkcs8_lf.pem")]
#[case::pkcs8_crlf("02_pkcs8_crlf.pem")]
#[case::pkcs1_lf("03_pkcs1_lf.pem")]
#[case::pkcs8_byte_order_mark("04_pkcs8_bom.pem")]
#[case::pkcs8_one_line_without_header("05_pkcs8_oneline_noheader.txt")]
#[case::pkcs1_one_line_without_header("06_pkcs1_oneline_noheader.txt")]
#[case::pkcs8_header_and_one_line("07_pkcs8_header_body_oneline.pem")]
#[case::pkcs1_header_and_one_line("08_pkcs1_header_body_oneline.pem")]
#[case::pkcs8_blank_lines_and_spaces("09_pkcs8_surrounding_blank_lines_and_spaces.txt")]
fn ck1_every_form_of_the_key_is_the_same_key(#[case] file: &str) {
    let key = AppKey::parse(&text(&format!("cases/keys/variants/{file}"))).unwrap();
    let request = json("cases/request/SR1.json");
    let signed = request["expect"]["string_to_sign"].as_str().unwrap();
    assert_eq!(key.sign(signed.as_bytes()), request["expect"]["sign"].as_str().unwrap());
}

#[test]
fn ck8_the_apps_own_public_key_is_recognised() {
    let own = AlipayKey::parse(&text("cases/keys/app_public.pem")).unwrap();
    assert!(app_key().matches(&own));
    assert!(!app_key().matches(&fixtures::alipay_key()));
    assert_eq!(AlipayKey::parse(&app_key().public_text()).unwrap().fingerprint(), own.fingerprint());
}

#[test]
fn a_public_key_has_the_same_fingerprint_in_every_form() {
    let bare = AlipayKey::parse(&text("cases/keys/platform_public_oneline.txt")).unwrap();
    assert_eq!(bare.fingerprint(), fixtures::alipay_key().fingerprint());
}

#[test]
fn aws_lc_rs_signs_as_rsa_does_byte_for_byte() {
    for file in ["cases/keys/app_private_pkcs8.pem", "vectors/keys/fzlee_app_private_key_pkcs8.pem"] {
        let ours = AppKey::parse(&text(file)).unwrap();
        let theirs = SigningKey::<Sha256>::new(PrivateKey::from_pkcs8_pem(&text(file)).unwrap());
        for message in ["", "a=b&c=d", "奶茶 🍎 100%"] {
            let expected = theirs.sign(message.as_bytes()).to_vec();
            assert_eq!(
                ours.sign(message.as_bytes()),
                base64::Engine::encode(&base64::prelude::BASE64_STANDARD, expected)
            );
        }
    }
}

#[test]
fn the_wrong_box_is_said_so() {
    let certificate = text("cases/certs/appCertPublicKey_2021000100000001.crt");
    let private = text("cases/keys/app_private_pkcs1_oneline.txt");
    let public = text("cases/keys/platform_public_oneline.txt");
    let short = "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDVqRbhlCKMUTv0bS6dtNJ+dHlOnmmnyxJ0Zf61LOgZ5ZJCnVDqGOwKQpwMLq0RTz4pdoZbqzQh1Xh2zJWJjQ4W6HYIgjP7W1HXB7Y2rs1LCY3tVbEfQbhqNRpiH9cBFJhVpLnXgFvCgNKCyhFuJFjq2Y1+1jkCXlO4bDk2BTRCuQIDAQAB";
    assert_eq!(AppKey::parse(&public).unwrap_err(), KeyError::IsPublic);
    assert_eq!(AppKey::parse(&certificate).unwrap_err(), KeyError::IsCertificate);
    assert_eq!(AlipayKey::parse(&private).unwrap_err(), KeyError::IsPrivate);
    assert_eq!(AlipayKey::parse(&certificate).unwrap_err(), KeyError::IsCertificate);
    assert_eq!(AlipayKey::parse(short).unwrap_err(), KeyError::TooShort { bits: 1024 });
    for nonsense in ["", "  ", "hello", "AAAA", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n-----END"]
    {
        assert_eq!(AppKey::parse(nonsense).unwrap_err(), KeyError::NotAKey, "{nonsense}");
        assert_eq!(AlipayKey::parse(nonsense).unwrap_err(), KeyError::NotAKey, "{nonsense}");
    }
    let locked = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIF\n-----END ENCRYPTED PRIVATE KEY-----";
    assert_eq!(AppKey::parse(locked).unwrap_err(), KeyError::Encrypted);
}

#[test]
fn a_private_key_does_not_show() {
    assert_eq!(format!("{:?}", app_key()), "AppKey(•••)");
    let settings = format!("{:?}", fixtures::settings("http://127.0.0.1:1/gateway.do"));
    assert!(!settings.contains("PRIVATE") && settings.contains("AppKey(•••)"), "{settings}");
}

#[rstest]
#[case::sr1_empty_values_appear_nowhere("SR1")]
#[case::sr2_special_characters_are_signed_raw("SR2")]
#[case::sr4_utf8_is_signed("SR4")]
#[case::sr5_nothing_else_is_cleaned("SR5")]
fn a_request_is_signed_as_alipay_expects(#[case] id: &str) {
    let request = json(&format!("cases/request/{id}.json"));
    check_signature(&request["params"], &request["expect"]["string_to_sign"], &request["expect"]["sign"], &app_key());
}

#[rstest]
#[case::node_sdk("node")]
#[case::python_sdk("fzlee")]
fn requests_of_other_sdks_get_the_same_signature(#[case] sdk: &str) {
    let file = json(&format!("vectors/sign/{sdk}_requests.json"));
    let key = AppKey::parse(&text(&format!("vectors/{}", file["private_key_file"].as_str().unwrap()))).unwrap();
    for request in file["requests"].as_array().unwrap() {
        check_signature(&request["params"], &request["string_to_sign"], &request["sign_rsa2"], &key);
    }
}

fn check_signature(params: &serde_json::Value, signed: &serde_json::Value, sign: &serde_json::Value, key: &AppKey) {
    let params = params.as_object().unwrap().iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap_or("")));
    let ours = string_to_sign(params);
    assert_eq!(ours, signed.as_str().unwrap());
    assert_eq!(key.sign(ours.as_bytes()), sign.as_str().unwrap());
}
