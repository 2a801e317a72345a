//! The client over real HTTP: what it sends, what it believes, and what it calls unknown.

use crate::fixtures::{DATE_MS, Gateway, app_key, settings, signed, text};
use std::{cell::Cell, error::Error, rc::Rc};
use yidan_alipay::{
    AlipayKey, AuthCode, Client, PayOrder, RefundOrder, RefundOutcome, RefundQueryOutcome, RefundQuestion, read_proof,
    string_to_sign,
};
use yidan_payment::{
    Evidence, Fen, GatewayError, NoTrade, OutTradeNo, PrecreateOrder, RefundFact, SeenTrade, Source, TradeNo, UtcMs,
};

const NOW: UtcMs = UtcMs(DATE_MS);
const QUERY: &str = "alipay_trade_query_response";
const PAID: &str = r#"{"code":"10000","msg":"Success","out_trade_no":"S01","total_amount":"10.00","trade_no":"T1","trade_status":"TRADE_SUCCESS"}"#;
const NO_TRADE: &str = r#"{"code":"40004","msg":"Business Failed","out_trade_no":"S01","sub_code":"ACQ.TRADE_NOT_EXIST","sub_msg":"交易不存在"}"#;

fn number() -> OutTradeNo {
    OutTradeNo::new("S01").unwrap()
}

fn client(url: &str) -> Client {
    Client::new(settings(url), || NOW).unwrap()
}

fn order(subject: &str) -> PrecreateOrder {
    PrecreateOrder {
        out_trade_no: number(),
        amount: Fen::parse("10").unwrap(),
        subject: subject.into(),
        time_expire: NOW,
        qr_minutes: 5,
        store_id: "S1".into(),
        terminal_id: "T1".into(),
        operator_id: String::new(),
        passback_params: None,
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_code_is_asked_for_as_alipays_own_sdk_asks() {
    let node = r#"{"code":"10000","msg":"Success","out_trade_no":"S01","qr_code":"https:\/\/qr.alipay.com\/bax1"}"#;
    let gateway = Gateway::answering(vec![Some(signed("alipay_trade_precreate_response", node))]);
    let client = client(&gateway.url);
    let body = client.precreate_body(&order("50% & 'x' 🍎"));

    let statement = client.precreate(&number(), &body).await.unwrap();

    assert_eq!(statement.evidence, Evidence::QrIssued { qr_code: "https://qr.alipay.com/bax1".into() });
    assert_eq!((statement.asked_at, statement.answered_at), (NOW, Some(NOW)));
    assert_eq!((statement.proof.source, statement.proof.text.as_str()), (Source::Precreate, node));
    let seen = gateway.seen.recv().unwrap();
    assert_eq!(seen.body, [("biz_content".to_owned(), body)]);
    let all = seen.query.iter().chain(&seen.body).map(|(name, value)| (name.as_str(), value.as_str()));
    let sign = seen.query.iter().find(|(name, _)| name == "sign").unwrap().1.clone();
    let own = AlipayKey::parse(&app_key().public_text()).unwrap();
    assert!(own.verify(string_to_sign(all).as_bytes(), &sign));
    let query = |name: &str| seen.query.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str());
    assert_eq!(query("timestamp"), Some("2026-12-01 20:15:20"));
    assert_eq!((query("charset"), query("sign_type"), query("version")), (Some("utf-8"), Some("RSA2"), Some("1.0")));
    assert_eq!(query("notify_url"), Some("https://hq.example.com/pay/alipay/notify"));
}

#[tokio::test(flavor = "current_thread")]
async fn se1_no_request_and_no_error_holds_a_part_of_the_private_key() {
    let key = text("cases/keys/app_private_pkcs8_oneline.txt");
    let gateway = Gateway::answering(vec![Some(b"<html></html>".to_vec())]);
    let client = client(&gateway.url);
    let error = client.precreate(&number(), &client.precreate_body(&order("x"))).await.unwrap_err();
    let seen = gateway.seen.recv().unwrap();
    let sent: Vec<_> = seen.query.iter().chain(&seen.body).map(|(_, value)| value.as_str()).collect();
    let shown = format!("{}{}{error:?}{:?}", seen.raw, sent.concat(), settings(&gateway.url));
    for start in [0, 40, 400, 800] {
        assert!(!shown.contains(&key[start..start + 40]) && !shown.contains("PRIVATE KEY"));
    }
}

#[tokio::test(flavor = "current_thread")]
async fn paid_is_believed_and_can_be_proved_again() {
    let gateway = Gateway::answering(vec![Some(signed(QUERY, PAID))]);
    let statement = client(&gateway.url).query(&number()).await.unwrap();

    assert!(matches!(&statement.evidence, Evidence::Paid(paid) if paid.total == Fen::parse("10").unwrap()));
    let merchant = settings(&gateway.url).merchant();
    assert_eq!(read_proof(&statement.proof, &merchant, &number()).unwrap(), statement.evidence);
    let mut forged = statement.proof.clone();
    forged.text = forged.text.replace("10.00", "10.01");
    assert!(read_proof(&forged, &merchant, &number()).is_err());
    assert!(read_proof(&statement.proof, &merchant, &OutTradeNo::new("S02").unwrap()).is_err());
}

#[tokio::test(flavor = "current_thread")]
async fn no_trade_carries_when_it_was_asked_and_answered() {
    let gateway = Gateway::answering(vec![Some(signed(QUERY, NO_TRADE))]);
    let statement = client(&gateway.url).query(&number()).await.unwrap();
    assert_eq!(statement.evidence, Evidence::NoTrade(NoTrade { asked_at: NOW, answered_at: Some(NOW) }));
    assert!(gateway.seen.recv().unwrap().query.iter().all(|(name, _)| name != "notify_url"));
}

#[tokio::test(flavor = "current_thread")]
async fn what_is_not_alipays_word_is_unanswered() {
    let unsigned = format!(r#"{{"{QUERY}":{PAID}}}"#);
    let changed = String::from_utf8(signed(QUERY, PAID)).unwrap().replace("10.00", "1.00");
    let other_call = signed("alipay_trade_close_response", PAID);
    let answers: Vec<Option<Vec<u8>>> = vec![
        None,
        Some(Vec::new()),
        Some(b"<html>login</html>".into()),
        Some(b"{}".into()),
        Some(unsigned.into_bytes()),
        Some(changed.into_bytes()),
        Some(other_call),
        Some(vec![b' '; 2 << 20]),
    ];
    for answer in answers {
        let gateway = Gateway::answering(vec![answer]);
        let error = client(&gateway.url).query(&number()).await.unwrap_err();
        assert!(matches!(error, GatewayError::Unanswered(_)), "{error:?}");
        assert!(error.source().is_some_and(|source| !source.to_string().is_empty()));
    }
}

#[tokio::test(flavor = "current_thread")]
async fn without_a_connection_nothing_was_sent() {
    let gateway = client("http://127.0.0.1:1/gateway.do").query(&number()).await.unwrap_err();
    assert!(matches!(gateway, GatewayError::NotSent(_)), "{gateway:?}");
}

#[tokio::test(flavor = "current_thread")]
async fn the_gateways_clock_is_told_even_by_a_refusal() {
    let refusal =
        br#"{"error_response":{"code":"40002","msg":"Invalid Arguments","sub_code":"isv.invalid-timestamp"}}"#;
    let told = Rc::new(Cell::new(None));
    for (answer, expected) in [(refusal.to_vec(), Some(NOW)), (b"<html>portal</html>".to_vec(), None)] {
        told.set(None);
        let gateway = Gateway::answering(vec![Some(answer)]);
        let tell = told.clone();
        let client = client(&gateway.url).on_gateway_date(Box::new(move |date| tell.set(Some(date))));
        client.query(&number()).await.unwrap_err();
        assert_eq!(told.get(), expected);
    }
}

fn refund() -> RefundOrder {
    RefundOrder {
        trade_no: TradeNo::new("T1").unwrap(),
        out_trade_no: number(),
        out_request_no: "S01R1".into(),
        amount: Fen::parse("3").unwrap(),
        reason: "退货".into(),
        operator_id: "c01".into(),
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_refund_is_sent_asked_for_and_proved() {
    let moved = r#"{"code":"10000","out_trade_no":"S01","trade_no":"T1","fund_change":"Y","refund_fee":"8.00"}"#;
    let known = r#"{"code":"10000","out_trade_no":"S01","trade_no":"T1","out_request_no":"S01R1","refund_amount":"3.00","refund_status":"REFUND_SUCCESS"}"#;
    let gateway = Gateway::answering(vec![
        Some(signed("alipay_trade_refund_response", moved)),
        Some(signed("alipay_trade_fastpay_refund_query_response", known)),
        Some(signed("alipay_trade_fastpay_refund_query_response", &known.replace("S01R1", "S01R2"))),
    ]);
    let client = client(&gateway.url);
    let question =
        RefundQuestion { trade_no: refund().trade_no, out_trade_no: number(), out_request_no: "S01R1".into() };
    let fact = RefundFact {
        trade_no: refund().trade_no,
        out_request_no: Some("S01R1".into()),
        amount: Fen::parse("3").unwrap(),
    };

    assert_eq!(client.refund(&refund()).await.unwrap().outcome, RefundOutcome::Moved(fact.clone()));
    let told = client.refund_query(&question).await.unwrap();
    assert_eq!(told.outcome, RefundQueryOutcome::Refunded(fact.clone()));
    assert_eq!(read_proof(&told.proof, &client.merchant(), &number()).unwrap(), Evidence::RefundedOurs(fact));
    assert!(matches!(client.refund_query(&question).await, Err(GatewayError::Unanswered(_))));

    let sent: serde_json::Value = serde_json::from_str(&gateway.seen.recv().unwrap().body[0].1).unwrap();
    assert_eq!((&sent["out_request_no"], &sent["refund_amount"]), (&"S01R1".into(), &"3.00".into()));
}

#[tokio::test(flavor = "current_thread")]
async fn a_buyers_code_collects_and_cancel_undoes() {
    let waiting = r#"{"code":"10003","out_trade_no":"S01","trade_no":"T1","total_amount":"10.00"}"#;
    let undone = r#"{"code":"10000","out_trade_no":"S01","trade_no":"T1","retry_flag":"N","action":"refund"}"#;
    let gateway = Gateway::answering(vec![
        Some(signed("alipay_trade_pay_response", waiting)),
        Some(signed("alipay_trade_cancel_response", undone)),
    ]);
    let client = client(&gateway.url);
    let order = PayOrder {
        out_trade_no: number(),
        amount: Fen::parse("10").unwrap(),
        subject: "奶茶".into(),
        auth_code: AuthCode::parse("2812345678901234").unwrap(),
        timeout_minutes: 5,
        store_id: String::new(),
        terminal_id: "T1".into(),
        operator_id: String::new(),
        passback_params: None,
    };
    let seen = SeenTrade { trade_no: TradeNo::new("T1").unwrap(), total: order.amount };

    assert_eq!(client.pay(&order).await.unwrap().evidence, Evidence::WaitBuyerPay(seen));
    let undone = client.cancel(&number(), order.amount).await.unwrap();
    assert!(matches!(undone.evidence, Evidence::CancelRefunded(paid) if paid.total == order.amount));

    let sent: serde_json::Value = serde_json::from_str(&gateway.seen.recv().unwrap().body[0].1).unwrap();
    assert_eq!((&sent["scene"], &sent["auth_code"]), (&"bar_code".into(), &"2812345678901234".into()));
}
