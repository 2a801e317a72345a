//! The control API and the page, as programs and people use them.

use serde_json::json;

use crate::merchant::{QUERY, Shop};

#[tokio::test]
async fn a_sale_can_be_played_over_http_alone() {
    let shop = Shop::open().await;
    let code = shop.precreate("T1").await.text("qr_code").to_owned();

    let sessions = shop.look("sessions").await;
    assert_eq!(sessions[0]["qr_code"], code.as_str());
    assert_eq!(sessions[0]["out_trade_no"], "T1");
    let (status, scanned) = shop.control("scan", json!({"qr_code": code, "buyer": "amy"})).await;
    assert_eq!((status, scanned["total_fen"].as_i64()), (200, Some(1234)));
    let (status, _) = shop.control("leave", json!({"out_trade_no": "T1", "buyer": "amy"})).await;
    assert_eq!(status, 204);
    let (status, refused) = shop.control("pay", json!({"out_trade_no": "T1", "buyer": "bob"})).await;
    assert_eq!((status, refused["code"].as_str()), (409, Some("ACQ.TRADE_BUYER_NOT_MATCH")));
    let (status, paid) = shop.control("pay", json!({"out_trade_no": "T1", "buyer": "amy"})).await;
    assert_eq!((status, paid["amount_fen"].as_i64()), (200, Some(1234)));

    let trade = shop.look("trades/T1").await;
    assert_eq!((trade["status"].as_str(), trade["charges"].as_i64()), (Some("TRADE_SUCCESS"), Some(1)));
    assert_eq!(shop.look("trades").await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn the_merchant_page_gives_keys_that_work() {
    let shop = Shop::open().await;

    let merchant = shop.look("merchant").await;

    assert_eq!(merchant["app_id"], shop.sandbox.app_id());
    assert_eq!(merchant["app_private_key"], shop.sandbox.app_private_key_pem());
    assert_eq!(merchant["alipay_public_key"], shop.sandbox.alipay_public_key_pem());
    assert!(merchant["alipay_public_key_base64"].as_str().unwrap().starts_with("MIIBIj"));
    assert!(!merchant["app_private_key_pkcs1_base64"].as_str().unwrap().contains('-'));
}

#[tokio::test]
async fn faults_settings_and_the_clock_can_be_turned_over_http() {
    let shop = Shop::open().await;
    let (status, queue) =
        shop.control("fault", json!({"method": QUERY, "kind": {"wrong_amount": 5}, "times": 2})).await;
    assert_eq!((status, queue[0]["kind"]["wrong_amount"].as_i64()), (200, Some(5)));
    let (status, settings) = shop.control("settings", json!({"close_before_scan": "latch"})).await;
    assert_eq!((status, settings["close_before_scan"].as_str()), (200, Some("latch")));
    assert_eq!(settings["closed_notices"], true);
    let (status, _) = shop.control("settings", json!({"close_before_scam": "latch"})).await;
    assert_eq!(status, 422);
    let (status, clock) = shop.control("clock", json!({"offset_ms": -3_600_000})).await;
    assert_eq!((status, clock["offset_ms"].as_i64()), (200, Some(-3_600_000)));
    assert!((shop.now() - clock["now_ms"].as_i64().unwrap()).abs() < 5_000);
}

#[tokio::test]
async fn a_foreign_host_name_cannot_use_the_control_api() {
    let shop = Shop::open().await;
    let url = format!("{}/merchant", shop.sandbox.control_url());

    let response = shop.client.get(url).header("host", "evil.example:80").send().await.unwrap();

    assert_eq!(response.status(), 403);
}

#[tokio::test]
async fn the_phone_page_loads_nothing_from_elsewhere() {
    let shop = Shop::open().await;
    let root = format!("http://{}", shop.sandbox.address());
    for path in ["/", "/phone.css", "/phone.js", "/panel.js", "/parts.js", "/words.js", "/healthz"] {
        let response = shop.client.get(format!("{root}{path}")).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        let policy = response.headers().get("content-security-policy").cloned();
        let text = response.text().await.unwrap();
        assert!(!text.contains("http://") && !text.contains("https://"), "{path}");
        assert_eq!(policy.is_some(), path != "/healthz");
    }
}
