//! What must hold for any subject, any order of members and any white space.

use crate::fixtures::{APP_ID, DATE_MS, SELLER_ID, alipay_key, app_key, platform_key, settings};
use proptest::prelude::*;
use serde_json::Value;
use std::sync::LazyLock;
use yidan_alipay::{AlipayKey, Answer, AppKey, Call, Client, Merchant, Notice, Trust, string_to_sign};
use yidan_payment::{Fen, OutTradeNo, PrecreateOrder, UtcMs};

static PLATFORM: LazyLock<AppKey> = LazyLock::new(platform_key);
static MERCHANT: LazyLock<Merchant> = LazyLock::new(|| Merchant {
    app_id: APP_ID.into(),
    seller_id: Some(SELLER_ID.into()),
    trust: Trust::Keys(alipay_key()),
});

/// Chinese, emoji, quotes, `&=+%/\`, control characters, anything.
fn subject() -> impl Strategy<Value = String> {
    prop_oneof![
        "[奶茶大杯珍珠🍎&=+%/\\\\\"'{}<>,:;# \t\n]{0,40}",
        any::<String>(),
        Just("},\"sign\":\"x\",\"alipay_trade_query_response\":{".to_owned()),
    ]
}

fn blank() -> impl Strategy<Value = String> {
    "[ \t\r\n]{0,3}"
}

/// JSON text as different writers write it: plain, with `\/`, or with every character escaped.
fn write(value: &str, style: u8) -> String {
    let plain = serde_json::to_string(value).unwrap();
    match style {
        0 => plain,
        1 => plain.replace('/', "\\/"),
        _ => format!("\"{}\"", value.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect::<String>()),
    }
}

prop_compose! {
    /// A signed node and a body that carries it, in any order and with any white space outside the node.
    fn answer()(subject in subject(), style in 0u8..3, blanks in prop::collection::vec(blank(), 10), first in 0usize..3)
        -> (String, String) {
        let node = format!(r#"{{"code":"10000","out_trade_no":"S01","subject":{},"trade_no":"T1"}}"#, write(&subject, style));
        let sign = PLATFORM.sign(node.as_bytes());
        let mut members = [
            ("alipay_trade_query_response", node.clone()),
            ("sign", write(&sign, style)),
            ("alipay_cert_sn", r#""00""#.to_owned()),
        ];
        members.rotate_left(first);
        let [b0, b1, b2, ..] = blanks.as_slice() else { unreachable!("ten were made") };
        let members: Vec<String> = members.iter().map(|(name, value)| format!("{b0}\"{name}\"{b1}:{b2}{value}{b1}")).collect();
        (node, format!("{b2}{{{}}}{b0}", members.join(",")))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_signed_answer_is_cut_out_exactly_and_believed((node, body) in answer()) {
        let answer = Answer::open(Call::Query, body.as_bytes()).unwrap();
        prop_assert_eq!(&answer.node, &node);
        prop_assert!(MERCHANT.trust.check(&answer.node, answer.signature.as_deref().unwrap(), None).is_ok());
    }

    #[test]
    fn one_changed_byte_of_the_signed_text_is_refused((node, body) in answer(), at in any::<prop::sample::Index>(), bit in 0u8..8) {
        let mut bytes = body.into_bytes();
        let start = bytes.windows(node.len()).position(|window| window == node.as_bytes()).unwrap();
        bytes[start + at.index(node.len())] ^= 1 << bit;
        let is_believed = Answer::open(Call::Query, &bytes).is_ok_and(|answer| {
            answer.signature.is_some_and(|sign| MERCHANT.trust.check(&answer.node, &sign, None).is_ok())
        });
        prop_assert!(!is_believed);
    }

    #[test]
    fn any_subject_is_sent_so_that_the_gateway_reads_what_was_signed(subject in subject()) {
        let order = PrecreateOrder {
            out_trade_no: OutTradeNo::new("S01").unwrap(),
            amount: Fen::parse("1").unwrap(),
            subject,
            time_expire: UtcMs(DATE_MS),
            qr_minutes: 5,
            store_id: String::new(),
            terminal_id: String::new(),
            operator_id: String::new(),
            passback_params: None,
        };
        let client = Client::new(settings("http://127.0.0.1:1/gateway.do"), || UtcMs(DATE_MS)).unwrap();
        let text = client.precreate_body(&order);
        let sent: Value = serde_json::from_str(&text).unwrap();
        let subject = sent["subject"].as_str().unwrap();
        prop_assert!(!subject.is_empty() && !subject.contains(['/', '=', '&']) && !subject.contains(char::is_control));
        let signed = string_to_sign([("biz_content", text.as_str()), ("charset", "utf-8")]);
        let own = AlipayKey::parse(&app_key().public_text()).unwrap();
        prop_assert!(own.verify(signed.as_bytes(), &app_key().sign(signed.as_bytes())));
    }

    #[test]
    fn a_notice_brings_every_value_back_unchanged(subject in subject(), body in subject()) {
        let fields = notice_fields(&subject, &body);
        let form = sign_form(&fields);
        let notice = Notice::read(form.as_bytes(), &MERCHANT).unwrap();
        prop_assert_eq!(notice.text("subject").unwrap_or_default(), subject);
        prop_assert_eq!(notice.text("body").unwrap_or_default(), body);
        let changed = form.replacen("total_amount=10.00", "total_amount=10.01", 1);
        prop_assert!(Notice::read(changed.as_bytes(), &MERCHANT).is_err());
    }
}

fn notice_fields(subject: &str, body: &str) -> Vec<(&'static str, String)> {
    vec![
        ("app_id", APP_ID.into()),
        ("seller_id", SELLER_ID.into()),
        ("out_trade_no", "S01".into()),
        ("total_amount", "10.00".into()),
        ("subject", subject.into()),
        ("body", body.into()),
    ]
}

fn sign_form(fields: &[(&'static str, String)]) -> String {
    let mut sorted = fields.to_vec();
    sorted.sort();
    let signed: Vec<String> = sorted.iter().map(|(name, value)| format!("{name}={value}")).collect();
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .append_pair("sign_type", "RSA2")
        .append_pair("sign", &PLATFORM.sign(signed.join("&").as_bytes()))
        .finish()
}
