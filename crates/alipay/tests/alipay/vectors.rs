//! Vectors from the test suites of other SDKs that are about the borders of what this client speaks: every form of their
//! keys, SHA-1 signatures, encrypted answers, and the same signature in other protocols.

use crate::fixtures::{json, text};
use rstest::rstest;
use serde_json::Value;
use std::collections::BTreeSet;
use yidan_alipay::{AlipayKey, Answer, AnswerError, AppKey, Call, Certificate, Merchant, Notice, Trust};

fn private(file: &str) -> AppKey {
    AppKey::parse(&text(&format!("vectors/keys/{file}"))).unwrap()
}

fn public(file: &str) -> AlipayKey {
    AlipayKey::parse(&text(&format!("vectors/keys/{file}"))).unwrap()
}

#[rstest]
#[case::node("node_app-private-key.pem", "node_app-public-key.pem", &[
    "node_app-private-key-no-wrapper.pem",
    "node_app-private-key-pkcs8.pem",
    "node_app-private-key-pkcs8-no-wrapper.pem",
])]
#[case::fzlee_app("fzlee_app_private_key.pem", "fzlee_app_public_key.pem", &["fzlee_app_private_key_pkcs8.pem"])]
#[case::fzlee_alipay("fzlee_ali_private_key.pem", "fzlee_ali_public_key.pem", &["fzlee_ali_private_key_pkcs8.pem"])]
fn every_form_of_a_suites_key_is_the_same_key(#[case] key: &str, #[case] own: &str, #[case] forms: &[&str]) {
    let key = private(key);
    assert!(key.matches(&public(own)));
    for form in forms {
        assert_eq!(private(form).public_text(), key.public_text(), "{form}");
    }
}

#[test]
fn public_keys_without_a_wrapper_are_the_same_keys() {
    for (bare, wrapped) in [
        ("node_app-public-key-no-wrapper.pem", "node_app-public-key.pem"),
        ("node_alipay-public-key-no-wrapper.pem", "node_alipay-public-key.pem"),
    ] {
        assert_eq!(public(bare).fingerprint(), public(wrapped).fingerprint(), "{bare}");
    }
    let alone = [
        "node_notify_v1.b64",
        "node_alipay-notify-sign-public-key-v1.pem",
        "node_alipay-notify-sign-public-key-v2.pem",
        "gopay_alipay_public_key.b64",
    ];
    let fingerprints: BTreeSet<_> = alone.map(|file| public(file).fingerprint().to_string()).into();
    assert_eq!(fingerprints.len(), alone.len());
}

#[rstest]
#[case::node_sdk("node")]
#[case::python_sdk("fzlee")]
fn a_sha1_signature_is_not_believed(#[case] sdk: &str) {
    let file = json(&format!("vectors/sign/{sdk}_requests.json"));
    let key = AppKey::parse(&text(&format!("vectors/{}", file["private_key_file"].as_str().unwrap()))).unwrap();
    let trust = Trust::Keys(AlipayKey::parse(&key.public_text()).unwrap());
    for signed in file["requests"].as_array().unwrap().iter().chain([&file["hello"]]) {
        let is_believed = |sign: &Value| {
            let checked = trust.check(signed["string_to_sign"].as_str().unwrap(), sign.as_str().unwrap(), None);
            !matches!(checked, Err(AnswerError::BadSignature))
        };
        assert!(is_believed(&signed["sign_rsa2"]) && !is_believed(&signed["sign_rsa"]));
    }
}

#[test]
fn an_encrypted_answer_is_refused_as_such() {
    for vector in json("vectors/aes/vectors.json").as_array().unwrap() {
        let body = format!(r#"{{"alipay_trade_query_response":{},"sign":"AA=="}}"#, vector["ciphertext_b64"]);
        assert!(matches!(Answer::open(Call::Query, body.as_bytes()), Err(AnswerError::Encrypted)), "{body}");
    }
}

#[test]
fn a_real_notice_is_believed_as_it_came() {
    let body = text("vectors/notify/node_trade_success.form.txt");
    let vector = json("vectors/notify/node_trade_success.json");
    let merchant = Merchant {
        app_id: vector["params"]["app_id"].as_str().unwrap().into(),
        seller_id: None,
        trust: Trust::Keys(
            AlipayKey::parse(&text(&format!("vectors/{}", vector["public_key_file"].as_str().unwrap()))).unwrap(),
        ),
    };
    let notice = Notice::read(body.as_bytes(), &merchant).unwrap();
    assert_eq!(notice.text("subject"), vector["params"]["subject"].as_str());
}

#[test]
fn the_v3_protocol_signs_as_we_do() {
    let vector = json("vectors/v3/request.json");
    let sign = private("node_app-private-key.pem").sign(vector["string_to_sign"].as_str().unwrap().as_bytes());
    assert_eq!(vector["authorization"].as_str().unwrap().split_once("sign=").unwrap().1, sign);
}

#[test]
fn wechat_signs_as_alipay_does() {
    let vector = json("vectors/wechat/sign.json");
    let key = AppKey::parse(&text("vectors/wechat/mch_private_key_pkcs8.pem")).unwrap();
    assert_eq!(key.sign(vector["message"].as_str().unwrap().as_bytes()), vector["sign"].as_str().unwrap());
    let extra = &vector["extra"];
    assert_eq!(key.sign(extra["string_to_sign"].as_str().unwrap().as_bytes()), extra["sign"].as_str().unwrap());

    let notice = json("vectors/wechat/notify.json");
    let platform = Certificate::parse(&text("vectors/wechat/platform_cert.pem")).unwrap().key().unwrap();
    let signature = notice["headers"]["Wechatpay-Signature"].as_str().unwrap();
    assert!(platform.verify(notice["string_to_verify"].as_str().unwrap().as_bytes(), signature));
}
