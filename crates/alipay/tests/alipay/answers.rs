//! Answers other people's software got wrong: each goes over real HTTP into the client.

use crate::fixtures::{Gateway, alipay_key, bytes, json, settings, text};
use base64::{Engine, prelude::BASE64_STANDARD};
use rstest::rstest;
use serde_json::Value;
use std::error::Error;
use yidan_alipay::{AlipayKey, Answer, AnswerError, Call, Client, Settings, Trust};
use yidan_payment::{Evidence, GatewayError, OutTradeNo, Statement, UtcMs};

/// Asks a question whose answer is the file.
async fn ask(file: &str, out_trade_no: &str) -> Result<Statement, GatewayError> {
    let manifest = json("cases/manifest.json");
    let case = manifest.as_array().unwrap().iter().find(|case| case["file"] == file).unwrap();
    let gateway = Gateway::answering(vec![Some(bytes(&format!("cases/{file}")))]);
    let client = Client::new(settings(&gateway.url), || UtcMs(0)).unwrap();
    let number = OutTradeNo::new(out_trade_no).unwrap();
    match case["method"].as_str().unwrap() {
        "alipay.trade.precreate" => client.precreate(&number, "{}").await,
        _ => client.query(&number).await,
    }
}

fn reason(error: &GatewayError) -> String {
    error.source().map(ToString::to_string).unwrap_or_default()
}

#[rstest]
#[case::rs1_escaped_slashes_are_signed_as_they_came("RS1", "S01T02_20261130_000001")]
#[case::rs3_white_space_outside_the_node("RS3", "S01T02_20261130_000003")]
#[case::rs5_certificate_number_in_between("RS5", "S01T02_20261130_000005")]
#[case::rs5b_certificate_number_in_front("RS5b", "S01T02_20261130_000025")]
#[case::rs17_byte_order_mark_and_blank_lines("RS17", "S01T02_20261130_000017")]
#[tokio::test]
async fn a_code_is_read(#[case] id: &str, #[case] number: &str) {
    let statement = ask(&format!("response/{id}.json"), number).await.unwrap();
    assert_eq!(
        statement.evidence,
        Evidence::QrIssued { qr_code: "https://qr.alipay.com/bax08431cjq9vhk3mqbo0075".into() }
    );
    let cert_sn = id.starts_with("RS5").then_some("b7cbc5f54949008ae5e2f5efbbe1a816");
    assert_eq!(statement.proof.cert_sn.as_deref(), cert_sn);
}

#[rstest]
#[case::rs7_braces_and_quotes_in_a_string("RS7", "S01T02_20261130_000007", 350)]
#[case::rs18_missing_lists_are_no_matter("RS18", "S01T02_20261130_000018", 1800)]
#[tokio::test]
async fn a_scanned_trade_is_read(#[case] id: &str, #[case] number: &str, #[case] fen: i64) {
    let statement = ask(&format!("response/{id}.json"), number).await.unwrap();
    assert!(matches!(statement.evidence, Evidence::WaitBuyerPay(seen) if seen.total.as_fen() == fen));
}

#[rstest]
#[case::rs9_no_key_was_uploaded("RS9", "40003", "isv.missing-signature-config")]
#[case::rs9b_the_signature_is_wrong("RS9b", "40002", "isv.invalid-signature")]
#[tokio::test]
async fn a_refusal_without_signature_keeps_its_reason(#[case] id: &str, #[case] code: &str, #[case] sub_code: &str) {
    let statement = ask(&format!("response/{id}.json"), "S01").await.unwrap();
    let Evidence::Refused(refusal) = statement.evidence else { panic!("{:?}", statement.evidence) };
    assert_eq!((refusal.code.as_str(), refusal.sub_code.as_str()), (code, sub_code));
    assert!(refusal.text.contains("验签出错"));
    assert_eq!(statement.proof.signature, None);
}

#[rstest]
#[case::rs10_success_without_signature("response/RS10.json", "S01T02_20261130_000001", "no signature")]
#[case::rs12_changed_after_signing("response/RS12.json", "S01T02_20261130_000012", "does not fit")]
#[case::rs14_busy_in_gbk("response/RS14.json", "S01", "系统繁忙")]
#[case::rs16_1_empty("response/RS16_1.bin", "S01", "not one of Alipay's")]
#[case::rs16_2_html("response/RS16_2.bin", "S01", "not one of Alipay's")]
#[case::rs16_3_cut_off("response/RS16_3.bin", "S01", "not one of Alipay's")]
#[case::rs16_4_null("response/RS16_4.bin", "S01", "not one of Alipay's")]
#[case::rs16_5_list("response/RS16_5.bin", "S01", "not one of Alipay's")]
#[case::rs16_6_empty_object("response/RS16_6.bin", "S01", "not one of Alipay's")]
#[case::rs16_7_words("response/RS16_7.bin", "S01", "not one of Alipay's")]
#[tokio::test]
async fn what_proves_nothing_is_unknown(#[case] file: &str, #[case] number: &str, #[case] why: &str) {
    let error = ask(file, number).await.unwrap_err();
    assert!(matches!(error, GatewayError::Unanswered(_)));
    assert!(reason(&error).contains(why), "{}", reason(&error));
}

/// The method whose answer a vector holds; the extractor is the same for all.
fn call_of(root: &str) -> Call {
    [Call::Precreate, Call::Query, Call::Close]
        .into_iter()
        .find(|call| call.answer_member() == root)
        .unwrap_or(Call::Query)
}

#[test]
fn computed_answers_are_cut_open_and_checked_as_their_file_says() {
    let file = json("vectors/response/computed_cases.json");
    let key = AlipayKey::parse(&text(&format!("vectors/{}", file["public_key_file"].as_str().unwrap()))).unwrap();
    let trust = Trust::Keys(key);
    for case in file["cases"].as_array().unwrap() {
        let body = BASE64_STANDARD.decode(case["body_b64"].as_str().unwrap()).unwrap();
        let answer = Answer::open(call_of(case["root"].as_str().unwrap()), &body).unwrap();
        let signed = BASE64_STANDARD.decode(case["signed_b64"].as_str().unwrap()).unwrap();
        if case["charset"] == "utf-8" {
            assert_eq!(answer.node.as_bytes(), signed, "{}", case["name"]);
        }
        assert_eq!(answer.signature.as_deref(), case["sign"].as_str(), "{}", case["name"]);
        let verified = answer.signature.as_ref().map(|sign| trust.check(&answer.node, sign, None).is_ok());
        assert_eq!(verified, case["expect_verify"].as_bool(), "{}", case["name"]);
    }
}

#[test]
fn real_answers_of_the_gateway_are_cut_open_exactly() {
    for (file, member, expected) in [
        ("node_open_file_upload", "alipay_open_file_upload_response", "signed_bytes"),
        ("node_getSignStr_escaped_slash", "alipay_offline_material_image_upload_response", "expect_signed_bytes"),
        ("gopay_trade_pay_sync", "alipay_trade_pay_response", "signed_bytes"),
    ] {
        let vector = json(&format!("vectors/response/{file}.json"));
        let body = vector["body"].as_str().or_else(|| vector["body_key_mode"].as_str()).unwrap();
        let body = body.replacen(member, &Call::Query.answer_member(), 1);
        let answer = Answer::open(Call::Query, body.as_bytes()).unwrap();
        assert_eq!(Some(answer.node.as_str()), vector[expected].as_str(), "{file}");
        check_real_signature(&vector, &answer);
    }
}

fn check_real_signature(vector: &Value, answer: &Answer) {
    let Some(key) = vector["public_key_file"].as_str() else { return };
    let trust = Trust::Keys(AlipayKey::parse(&text(&format!("vectors/{key}"))).unwrap());
    trust.check(&answer.node, vector["sign"].as_str().unwrap(), None).unwrap();
}

#[test]
fn escaped_slashes_of_a_real_answer_stay_as_they_came() {
    let vector = json("vectors/response/node_image_upload_escaped_slash.json");
    let node = vector["signed_bytes_raw"].as_str().unwrap();
    let body = format!(r#"{{"{}":{node},"sign":{}}}"#, Call::Query.answer_member(), vector["sign"]);
    assert!(node.contains("\\/") && Answer::open(Call::Query, body.as_bytes()).unwrap().node == node);
}

#[test]
fn a_signature_over_plain_slashes_is_believed_too() {
    let node = r#"{"code":"10000","qr_code":"https:\/\/qr.alipay.com\/bax"}"#;
    let sign = crate::fixtures::platform_key().sign(node.replace("\\/", "/").as_bytes());
    Trust::Keys(alipay_key()).check(node, &sign, None).unwrap();
}

#[test]
fn st12_a_numeric_code_is_a_code() {
    let node = br#"{"alipay_trade_query_response":{"code":10000,"trade_status":"TRADE_SUCCESS"}}"#;
    assert!(Answer::open(Call::Query, node).is_ok());
    let two = br#"{"alipay_trade_query_response":{"code":"10000"},"error_response":{"code":"20000"}}"#;
    assert!(matches!(Answer::open(Call::Query, two), Err(AnswerError::NotAlipay)));
}

#[test]
fn neither_debug_nor_an_error_shows_a_code() {
    let answer = Answer::open(Call::Precreate, &bytes("cases/response/RS1.json")).unwrap();
    assert!(!format!("{answer:?}").contains("bax"));
    let settings: Settings = settings("http://127.0.0.1:1/gateway.do");
    assert!(!format!("{settings:?}").contains("MII"));
}
