//! Notices: what they say, how long they are repeated, how they are signed.

use tokio::net::TcpListener;

use crate::merchant::{HOUR, MINUTE, PRECREATE, Shop, receive, receive_raw};

type Pairs = Vec<(String, String)>;

fn value<'a>(pairs: &'a Pairs, name: &str) -> &'a str {
    pairs.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
}

fn signed_text(pairs: &Pairs) -> String {
    let mut lines: Vec<String> = pairs
        .iter()
        .filter(|(name, value)| name != "sign" && name != "sign_type" && !value.is_empty())
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    lines.sort();
    lines.join("&")
}

async fn ear() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/notify", listener.local_addr().unwrap());
    (listener, url)
}

/// Waits until the sandbox has written down that a notice was delivered.
async fn until_delivered(shop: &Shop, number: &str) {
    while !shop.sandbox.notices(number).iter().all(|notice| notice.is_delivered) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_payment_is_notified_signed_and_complete() {
    let shop = Shop::open().await;
    let (listener, url) = ear().await;
    shop.precreate_with_notify("T1", &url).await;
    let scanned = shop.sandbox.scan("T1", "amy").unwrap();
    shop.sandbox.pay("T1", "amy").unwrap();

    let notice = receive(&listener, "success").await;

    assert!(shop.sandbox.alipay_public_key_pem().contains("PUBLIC KEY"));
    assert!(shop.is_alipays(signed_text(&notice).as_bytes(), value(&notice, "sign")));
    for (name, expected) in [
        ("notify_type", "trade_status_sync"),
        ("out_trade_no", "T1"),
        ("trade_no", scanned.trade_no.as_str()),
        ("trade_status", "TRADE_SUCCESS"),
        ("total_amount", "12.34"),
        ("receipt_amount", "12.34"),
        ("app_id", &shop.sandbox.app_id()),
        ("seller_id", &shop.sandbox.seller_id()),
        ("subject", "奶茶 100%&+="),
        ("passback_params", "terminal%3D7"),
        ("fund_bill_list", r#"[{"amount":"12.34","fundChannel":"ALIPAYACCOUNT"}]"#),
    ] {
        assert_eq!(value(&notice, name), expected, "{name}");
    }
    until_delivered(&shop, "T1").await;
    let seen = shop.sandbox.notices("T1");
    assert_eq!((seen.len(), seen[0].tries, seen[0].next_at_ms), (1, 1, None));
}

#[tokio::test]
async fn only_the_exact_word_success_ends_the_tries() {
    let shop = Shop::open().await;
    let (listener, url) = ear().await;
    shop.precreate_with_notify("T1", &url).await;
    shop.sandbox.scan("T1", "amy").unwrap();
    shop.sandbox.pay("T1", "amy").unwrap();

    let mut ids = Vec::new();
    for (answer, pause) in [("SUCCESS", 4), ("<p>success</p>", 10), ("success\n", 10), ("success", 0)] {
        let notice = receive(&listener, answer).await;
        ids.push(value(&notice, "notify_id").to_owned());
        while shop.sandbox.notices("T1")[0].outcomes.len() < ids.len() {
            tokio::task::yield_now().await;
        }
        shop.turn_clock(pause * MINUTE);
    }

    ids.dedup();
    assert_eq!(ids.len(), 1, "the id stays the same over all tries");
    let seen = &shop.sandbox.notices("T1")[0];
    assert!(seen.is_delivered);
    assert_eq!(seen.outcomes, ["SUCCESS", "<p>success</p>", "success\n", "success"]);
}

#[tokio::test]
async fn a_notice_is_given_up_after_eight_tries() {
    let shop = Shop::open().await;
    let (listener, url) = ear().await;
    shop.precreate_with_notify("T1", &url).await;
    shop.sandbox.scan("T1", "amy").unwrap();
    shop.sandbox.pay("T1", "amy").unwrap();

    for tries in 1..=8 {
        receive(&listener, "fail").await;
        while shop.sandbox.notices("T1")[0].outcomes.len() < tries {
            tokio::task::yield_now().await;
        }
        shop.turn_clock(15 * HOUR);
    }

    let seen = &shop.sandbox.notices("T1")[0];
    assert_eq!((seen.tries, seen.next_at_ms, seen.is_delivered), (8, None, false));
}

#[tokio::test]
async fn a_closed_and_an_expired_trade_are_notified_and_an_unscanned_code_is_not() {
    let shop = Shop::open().await;
    let (listener, url) = ear().await;
    for number in ["T1", "T2", "T3"] {
        shop.precreate_with_notify(number, &url).await;
    }
    shop.sandbox.scan("T1", "amy").unwrap();
    shop.sandbox.scan("T2", "amy").unwrap();
    shop.close("T1").await;
    let closed = receive(&listener, "success").await;
    until_delivered(&shop, "T1").await;

    shop.turn_clock(3 * HOUR + MINUTE);
    let expired = receive(&listener, "success").await;

    assert_eq!((value(&closed, "out_trade_no"), value(&closed, "trade_status")), ("T1", "TRADE_CLOSED"));
    assert_eq!((value(&expired, "out_trade_no"), value(&expired, "trade_status")), ("T2", "TRADE_CLOSED"));
    assert!(shop.sandbox.notices("T3").is_empty());
}

#[tokio::test]
async fn a_cancel_of_a_paid_trade_is_notified_as_a_refund() {
    let shop = Shop::open().await;
    let (listener, url) = ear().await;
    shop.precreate_with_notify("T1", &url).await;
    shop.sandbox.scan("T1", "amy").unwrap();
    shop.sandbox.pay("T1", "amy").unwrap();
    receive(&listener, "success").await;

    shop.cancel("T1").await;
    let notice = receive(&listener, "success").await;

    assert_eq!(value(&notice, "trade_status"), "TRADE_CLOSED");
    assert_eq!((value(&notice, "refund_fee"), value(&notice, "send_back_fee")), ("12.34", "12.34"));
    assert_eq!(value(&notice, "gmt_refund").len(), "2015-04-28 15:45:57.320".len());
}

#[tokio::test]
async fn held_notices_can_be_sent_in_any_order_and_more_than_once() {
    let shop = Shop::open().await;
    let (listener, url) = ear().await;
    shop.sandbox.change_settings(|settings| {
        settings.hold_notices = true;
        settings.wait_notices = true;
    });
    shop.precreate_with_notify("T1", &url).await;
    shop.sandbox.scan("T1", "amy").unwrap();
    shop.sandbox.pay("T1", "amy").unwrap();
    let held = shop.sandbox.notices("T1");
    assert_eq!(held.len(), 2);

    let mut statuses = Vec::new();
    for at in [1, 0, 1] {
        assert!(shop.sandbox.send_notice(&held[at].notify_id));
        let notice = receive(&listener, "success").await;
        statuses.push(value(&notice, "trade_status").to_owned());
        while shop.sandbox.notices("T1").iter().map(|seen| seen.outcomes.len()).sum::<usize>() < statuses.len() {
            tokio::task::yield_now().await;
        }
    }

    assert_eq!(statuses, ["TRADE_SUCCESS", "WAIT_BUYER_PAY", "TRADE_SUCCESS"]);
    assert!(!shop.sandbox.send_notice("nonsense"));
}

#[tokio::test]
async fn a_notice_survives_a_restart() {
    let mut shop = Shop::open().await;
    let (listener, url) = ear().await;
    shop.precreate_with_notify("T1", &url).await;
    shop.sandbox.scan("T1", "amy").unwrap();
    shop.sandbox.pay("T1", "amy").unwrap();
    receive(&listener, "fail").await;
    while shop.sandbox.notices("T1")[0].outcomes.is_empty() {
        tokio::task::yield_now().await;
    }

    shop.restart(|_| {}).await;
    shop.turn_clock(4 * MINUTE);
    let notice = receive(&listener, "success").await;

    assert_eq!(value(&notice, "trade_status"), "TRADE_SUCCESS");
}

#[tokio::test]
async fn a_delivered_notice_can_come_in_copies() {
    let shop = Shop::open().await;
    let (listener, url) = ear().await;
    shop.sandbox.change_settings(|settings| settings.notify_copies = 3);
    shop.precreate_with_notify("T1", &url).await;
    shop.sandbox.scan("T1", "amy").unwrap();
    shop.sandbox.pay("T1", "amy").unwrap();

    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(value(&receive(&listener, "success").await, "notify_id").to_owned());
    }
    while shop.sandbox.notices("T1")[0].next_at_ms.is_some() {
        tokio::task::yield_now().await;
    }

    ids.dedup();
    assert_eq!((ids.len(), shop.sandbox.notices("T1")[0].tries), (1, 3));
}

#[tokio::test]
async fn a_gbk_sale_is_notified_in_gbk() {
    let shop = Shop::open().await;
    let (listener, url) = ear().await;
    let biz = r#"{"out_trade_no":"G1","total_amount":"1.00","subject":"\u5976\u8336"}"#;
    let mut parameters = shop.parameters(PRECREATE, biz);
    parameters.retain(|(name, _)| name != "notify_url" && name != "charset");
    parameters.push(("notify_url".to_owned(), url));
    parameters.push(("charset".to_owned(), "gbk".to_owned()));
    assert_eq!(shop.send(&parameters).await.unwrap().code(), "10000");
    shop.sandbox.scan("G1", "amy").unwrap();
    shop.sandbox.pay("G1", "amy").unwrap();

    let notice = receive_raw(&listener, "success").await;

    assert!(notice.contains("charset=GBK"), "{notice}");
    assert!(notice.contains("subject=%C4%CC%B2%E8"), "{notice}");
}
