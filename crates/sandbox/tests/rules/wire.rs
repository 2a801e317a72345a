//! How requests may be placed and how answers are written.

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::merchant::{HOUR, PRECREATE, QUERY, Shop, beijing};

#[tokio::test]
async fn a_code_is_answered_compact_escaped_and_signed() {
    let shop = Shop::open().await;

    let reply = shop.precreate("T1").await;

    assert!(reply.is_genuine);
    assert_eq!(reply.root, "alipay_trade_precreate_response");
    let text = String::from_utf8(reply.body.clone()).unwrap();
    let start = r#"{"alipay_trade_precreate_response":{"code":"10000","msg":"Success","out_trade_no":"T1","qr_code":"https:\/\/qr.alipay.com\/bax"#;
    assert!(text.starts_with(start), "{text}");
    assert_eq!(reply.headers["content-type"], "text/html;charset=utf-8");
    assert!(!reply.headers["trace_id"].is_empty());
}

#[tokio::test]
async fn parameters_may_stand_in_the_query_in_the_body_or_in_both() {
    let shop = Shop::open().await;
    let mut all = shop.parameters(QUERY, r#"{"out_trade_no":"T1"}"#);
    all.push(("sign".to_owned(), shop.sign(&all)));
    let url = shop.sandbox.gateway_url();
    let (body, query): (Vec<_>, Vec<_>) = all.iter().cloned().partition(|(name, _)| name == "biz_content");

    let got = shop.client.get(&url).query(&all).send().await.unwrap();
    let split = shop.client.post(&url).query(&query).form(&body).send().await.unwrap();
    let posted = shop.client.post(&url).form(&all).send().await.unwrap();

    for response in [got, split, posted] {
        let reply = shop.read(response).await.unwrap();
        assert!(reply.is_genuine);
        assert_eq!(reply.sub_code(), "ACQ.TRADE_NOT_EXIST");
    }
}

#[tokio::test]
async fn an_absolute_request_line_is_understood() {
    let shop = Shop::open().await;
    let mut all = shop.parameters(QUERY, r#"{"out_trade_no":"T1"}"#);
    all.push(("sign".to_owned(), shop.sign(&all)));
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(&all).finish();
    let address = shop.sandbox.address();
    let mut line = tokio::net::TcpStream::connect(address).await.unwrap();

    let request = format!(
        "POST http://{address}/gateway.do?{query} HTTP/1.1\r\nhost: {address}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    );
    line.write_all(request.as_bytes()).await.unwrap();
    let mut seen = String::new();
    line.read_to_string(&mut seen).await.unwrap();

    assert!(seen.starts_with("HTTP/1.1 200"), "{seen}");
    assert!(seen.contains("ACQ.TRADE_NOT_EXIST"), "{seen}");
}

#[tokio::test]
async fn a_wrong_signature_is_refused_and_told_the_text_that_was_built() {
    let shop = Shop::open().await;
    let mut all = shop.parameters(QUERY, r#"{"out_trade_no":"T1"}"#);
    all.push(("sign".to_owned(), shop.sign_bytes(b"something else")));
    let response = shop.client.post(shop.sandbox.gateway_url()).form(&all).send().await.unwrap();

    let reply = shop.read(response).await.unwrap();

    assert_eq!(reply.root, "error_response");
    assert!(!reply.is_signed);
    assert_eq!((reply.code(), reply.sub_code()), ("40002", "isv.invalid-signature"));
    assert!(reply.text("sub_msg").contains("&amp;biz_content={&quot;out_trade_no&quot;"));
}

#[tokio::test]
async fn gateway_errors_can_come_signed_under_the_method_too() {
    let shop = Shop::open().await;
    shop.sandbox.change_settings(|settings| settings.gateway_errors = yidan_sandbox::GatewayErrors::SignedResponse);
    let mut parameters = shop.parameters(QUERY, "{}");
    parameters.retain(|(name, _)| name != "timestamp");

    let reply = shop.send(&parameters).await.unwrap();

    assert_eq!(reply.root, "alipay_trade_query_response");
    assert!(reply.is_genuine);
    assert_eq!((reply.code(), reply.sub_code()), ("40001", "isv.missing-timestamp"));
}

#[tokio::test]
async fn every_missing_or_wrong_parameter_has_its_own_word() {
    let shop = Shop::open().await;
    let cases = [
        ("method", "", "isv.missing-method"),
        ("app_id", "", "isv.missing-app-id"),
        ("sign_type", "", "isv.missing-signature-type"),
        ("version", "", "isv.missing-version"),
        ("app_id", "2021", "isv.invalid-app-id"),
        ("charset", "latin1", "isv.invalid-charset"),
        ("sign_type", "MD5", "isv.invalid-signature-type"),
        ("format", "XML", "isv.invalid-format"),
        ("timestamp", "yesterday", "isv.invalid-timestamp"),
        ("method", "alipay.trade.gift", "isv.invalid-method"),
        ("biz_content", "[1]", "isv.invalid-parameter"),
    ];
    for (name, value, expected) in cases {
        let mut parameters = shop.parameters(QUERY, r#"{"out_trade_no":"T1"}"#);
        for parameter in &mut parameters {
            if parameter.0 == name {
                value.clone_into(&mut parameter.1);
            }
        }
        let reply = shop.send(&parameters).await.unwrap();
        assert_eq!(reply.sub_code(), expected, "{name}={value}");
    }
}

#[tokio::test]
async fn a_name_that_comes_twice_is_refused() {
    let shop = Shop::open().await;
    let mut parameters = shop.parameters(QUERY, r#"{"out_trade_no":"T1"}"#);
    parameters.push(("version".to_owned(), "1.0".to_owned()));

    let reply = shop.send(&parameters).await.unwrap();

    assert_eq!(reply.sub_code(), "isv.invalid-parameter");
}

#[tokio::test]
async fn an_old_timestamp_is_refused_only_if_that_is_switched_on() {
    let shop = Shop::open().await;
    let mut parameters = shop.parameters(QUERY, r#"{"out_trade_no":"T1"}"#);
    for parameter in &mut parameters {
        if parameter.0 == "timestamp" {
            parameter.1 = beijing(shop.now() - HOUR);
        }
    }
    assert_eq!(shop.send(&parameters).await.unwrap().sub_code(), "ACQ.TRADE_NOT_EXIST");

    shop.sandbox.change_settings(|settings| settings.check_timestamp = true);

    assert_eq!(shop.send(&parameters).await.unwrap().sub_code(), "isv.invalid-timestamp");
}

#[tokio::test]
async fn gbk_is_understood_and_answered_in_gbk() {
    let shop = Shop::open().await;
    let biz = r#"{"out_trade_no":"G1","total_amount":"1.00","subject":"奶茶"}"#;
    let mut pairs: Vec<(String, Vec<u8>)> = shop
        .parameters(PRECREATE, biz)
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| match name.as_str() {
            "charset" => (name, b"GBK".to_vec()),
            _ => (name, encoding_rs::GBK.encode(&value).0.into_owned()),
        })
        .collect();
    pairs.sort();
    let text: Vec<Vec<u8>> = pairs.iter().map(|(name, value)| [name.as_bytes(), b"=", value].concat()).collect();
    pairs.push(("sign".to_owned(), shop.sign_bytes(&text.join(&b'&')).into_bytes()));
    let form: Vec<String> = pairs
        .iter()
        .map(|(name, value)| format!("{name}={}", form_urlencoded::byte_serialize(value).collect::<String>()))
        .collect();
    let response = shop.client.post(shop.sandbox.gateway_url()).body(form.join("&")).send().await.unwrap();

    let reply = shop.read(response).await.unwrap();

    assert!(reply.is_genuine, "{reply:?}");
    assert_eq!(reply.headers["content-type"], "text/html;charset=GBK");
    shop.sandbox.scan("G1", "amy").unwrap();
    assert_eq!(shop.query("G1").await.text("subject"), "奶茶");
}

#[tokio::test]
async fn the_date_header_and_every_time_follow_the_sandbox_clock() {
    let shop = Shop::open().await;
    shop.turn_clock(-2 * 365 * 24 * HOUR);

    let reply = shop.precreate("T1").await;
    shop.sandbox.scan("T1", "amy").unwrap();
    shop.sandbox.pay("T1", "amy").unwrap();

    let date = reply.headers["date"].to_str().unwrap();
    let stated = jiff::fmt::rfc2822::parse(date).unwrap().timestamp().as_millisecond();
    assert!((shop.now() - stated).abs() < 5_000, "{date}");
    let sent = shop.query("T1").await;
    assert_eq!(sent.text("send_pay_date")[..16], beijing(shop.now())[..16]);
}

#[tokio::test]
async fn any_subject_survives_signing_and_comes_back_whole() {
    let shop = Shop::open().await;
    let subjects = ["a&b=c+d%e", "\"quoted\" \\ /", "😀 {unbalanced", "100%", "换\u{2028}行\t"];
    for (at, subject) in subjects.iter().enumerate() {
        let number = format!("S{at}");
        let made = shop.call(PRECREATE, json!({"out_trade_no": number, "total_amount": 5, "subject": subject})).await;
        assert!(made.is_genuine, "{subject}");
        shop.sandbox.scan(&number, "amy").unwrap();
        let reply = shop.query(&number).await;
        assert!(reply.is_genuine, "{subject}");
        assert_eq!(reply.text("subject"), *subject);
        assert_eq!(reply.text("total_amount"), "5.00");
    }
}

#[tokio::test]
async fn below_the_gateway_there_is_an_empty_page() {
    let shop = Shop::open().await;
    let url = format!("{}/v3/alipay/trade/precreate", shop.sandbox.gateway_url());

    let response = shop.client.post(url).json(&json!({})).send().await.unwrap();

    assert_eq!(
        (response.status().as_u16(), response.headers()["content-type"].to_str().unwrap()),
        (200, "text/html;charset=GBK")
    );
    assert!(response.bytes().await.unwrap().is_empty());
}
