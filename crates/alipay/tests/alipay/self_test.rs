//! The test before opening, against answers as Alipay gives them when something is wrong.

use crate::fixtures::{APP_ID, DATE_MS, Gateway, app_key, settings, signed};
use rstest::rstest;
use yidan_alipay::{Client, SelfTestError, SelfTestStep, Trouble};
use yidan_payment::{OutTradeNo, UtcMs};

const MEMBER: &str = "alipay_trade_query_response";
const NO_TRADE: &str =
    r#"{"code":"40004","msg":"Business Failed","out_trade_no":"S01","sub_code":"ACQ.TRADE_NOT_EXIST"}"#;

async fn test(url: &str, clock_ms: i64) -> Result<(), SelfTestError> {
    let client = Client::new(settings(url), move || UtcMs(clock_ms)).unwrap();
    client.self_test(&OutTradeNo::new("S01").unwrap()).await
}

async fn test_answer(body: Vec<u8>) -> SelfTestError {
    test(&Gateway::answering(vec![Some(body)]).url, DATE_MS).await.unwrap_err()
}

#[tokio::test]
async fn a_signed_no_such_trade_is_the_answer_that_proves_everything() {
    let gateway = Gateway::answering(vec![Some(signed(MEMBER, NO_TRADE))]);
    test(&gateway.url, DATE_MS).await.unwrap();
    let seen = gateway.seen.recv().unwrap();
    assert!(seen.query.contains(&("app_id".into(), APP_ID.into())));
}

#[rstest]
#[case::ahead(61_000, 61)]
#[case::two_years_behind(-63_072_000_000, -63_072_000)]
#[tokio::test]
async fn a_clock_that_is_off_is_told_with_its_error(#[case] off_ms: i64, #[case] expected: i64) {
    let gateway = Gateway::answering(vec![Some(signed(MEMBER, NO_TRADE))]);
    let error = test(&gateway.url, DATE_MS + off_ms).await.unwrap_err();
    assert_eq!(error.step, SelfTestStep::Clock);
    assert!(matches!(error.trouble, Trouble::ClockOff { seconds } if seconds == expected));
}

#[tokio::test]
async fn tz6_a_refused_timestamp_is_about_the_clock() {
    let refusal = r#"{"error_response":{"code":"40002","msg":"Invalid Arguments","sub_code":"isv.invalid-timestamp"}}"#;
    assert_eq!(test_answer(refusal.into()).await.step, SelfTestStep::Clock);
}

#[rstest]
#[case::our_key_was_never_uploaded("40003", "isv.missing-signature-config", "does not take our signature")]
#[case::another_key_was_uploaded("40002", "isv.invalid-signature", "does not take our signature")]
#[case::a_certificate_of_another_app("40002", "isv.invalid-app-cert-sn", "does not take the certificates")]
#[case::a_wrong_app_id("40002", "isv.invalid-app-id", "does not know the app")]
#[case::no_contract("40006", "isv.insufficient-isv-permissions", "may not do this")]
#[case::busy("20000", "isp.unknow-error", "no clear answer")]
#[tokio::test]
async fn a_refusal_is_told_by_what_to_do(#[case] code: &str, #[case] sub_code: &str, #[case] why: &str) {
    let node = format!(r#"{{"code":"{code}","msg":"m","sub_code":"{sub_code}","sub_msg":"请检查"}}"#);
    let error = test_answer(format!(r#"{{"{MEMBER}":{node}}}"#).into_bytes()).await;
    assert_eq!(error.step, SelfTestStep::App);
    assert!(error.trouble.to_string().contains(why), "{}", error.trouble);
}

#[tokio::test]
async fn the_wrong_key_in_alipays_box_is_told() {
    let body = format!(r#"{{"{MEMBER}":{NO_TRADE},"sign":"{}"}}"#, app_key().sign(NO_TRADE.as_bytes()));
    let error = test_answer(body.into_bytes()).await;
    assert!(matches!((error.step, error.trouble), (SelfTestStep::AlipayKey, Trouble::AlipayKey(_))));
}

#[tokio::test]
async fn a_login_page_is_not_alipay_and_an_empty_line_is_nobody() {
    let error = test_answer(b"<html>login</html>".to_vec()).await;
    assert!(matches!((error.step, error.trouble), (SelfTestStep::Gateway, Trouble::NotAlipay(_))));
    let error = test("http://127.0.0.1:1/gateway.do", DATE_MS).await.unwrap_err();
    assert!(matches!((error.step, error.trouble), (SelfTestStep::Gateway, Trouble::Unreachable(_))));
}

#[tokio::test]
async fn content_encryption_is_told_with_what_to_do() {
    let error = test_answer(format!(r#"{{"{MEMBER}":"ILpoMowjIQjfYMR847rnFQ==","sign":"AA=="}}"#).into_bytes()).await;
    assert!(
        matches!(&error.trouble, Trouble::Encrypted(cause) if cause.to_string().contains("switch content encryption off"))
    );
}
