//! Another program on this computer collects a bill over the local API, twice at once, and from places that may not.

use crate::prelude::*;
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

const TOKEN: &str = "a-token-of-another-program";

#[tokio::test]
async fn the_same_request_twice_at_once_calls_the_gateway_once() {
    let shop = Shop::open().await;
    let api = Api::of(&shop).await;
    let body = json!({"orderId": "A-1", "amount": "12.50", "subject": "奶茶 100%", "requestId": "click-1"});

    let (first, second) = tokio::join!(api.precreate(&body), api.precreate(&body));

    assert_eq!((first.0, second.0), (StatusCode::OK, StatusCode::OK));
    assert_eq!(first.1["outTradeNo"], second.1["outTradeNo"]);
    assert_eq!(first.1["qrCode"], second.1["qrCode"]);
    assert_eq!(shop.alipay.calls(text(&first.1, "outTradeNo"), "alipay.trade.precreate"), 1);
}

#[tokio::test]
async fn a_bill_is_collected_queried_and_stopped() {
    let shop = Shop::open().await;
    let api = Api::of(&shop).await;
    let (_, bill) = api.precreate(&json!({"orderId": "A-1", "amount": "12.50", "requestId": "1"})).await;
    shop.alipay.scan(text(&bill, "qrCode"), "amy").expect("the phone scans");
    shop.turn(seconds(4)).await;
    assert_eq!(api.query("A-1").await.1["status"], "PAYING");

    let (status, stopping) = api.close("A-1").await;
    assert_eq!((status, &stopping["status"]), (StatusCode::OK, &json!("CLOSING")));
    shop.turn(seconds(4)).await;
    assert_eq!(api.query("A-1").await.1["status"], "CLOSED");

    let (_, same_click) = api.precreate(&json!({"orderId": "A-1", "amount": "12.50", "requestId": "1"})).await;
    assert_eq!(same_click["status"], "CLOSED", "a repeated click repeats the answer");
    let (_, again) = api.precreate(&json!({"orderId": "A-1", "amount": "12.50", "requestId": "2"})).await;
    assert_ne!(again["outTradeNo"], bill["outTradeNo"]);
    assert_eq!(again["status"], "PRECREATED");
}

#[tokio::test]
async fn nonsense_is_refused_and_nothing_is_stored() {
    let shop = Shop::open().await;
    let api = Api::of(&shop).await;

    for amount in [json!("1e2"), json!("0"), json!("-1"), json!("1.234"), json!("１２"), json!(""), json!(null)] {
        let (status, problem) = api.precreate(&json!({"orderId": "A-1", "amount": amount, "requestId": "1"})).await;
        assert_eq!((status, &problem["type"]), (StatusCode::BAD_REQUEST, &json!("bad-input")), "{amount}");
    }
    assert!(shop.counter.orders().await.is_empty());
    assert_eq!(api.query("A-1").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_known_bill_with_another_amount_is_a_conflict() {
    let shop = Shop::open().await;
    let api = Api::of(&shop).await;
    api.precreate(&json!({"orderId": "A-1", "amount": "12.50", "requestId": "1"})).await;

    let (status, problem) = api.precreate(&json!({"orderId": "A-1", "amount": "13.50", "requestId": "2"})).await;

    assert_eq!((status, &problem["type"]), (StatusCode::CONFLICT, &json!("bill-changed")));
}

#[tokio::test]
async fn a_bill_is_refunded_once_with_a_managers_pin() {
    let shop = Shop::open().await;
    let api = Api::of(&shop).await;
    let (_, bill) = api.precreate(&json!({"orderId": "A-1", "amount": "12.50", "requestId": "1"})).await;
    shop.alipay.scan(text(&bill, "qrCode"), "amy").expect("the phone scans");
    shop.alipay.pay(text(&bill, "outTradeNo"), "amy").expect("the phone pays");
    shop.turn(seconds(4)).await;
    let boss = shop.counter.asks(|engine| async move { manager(&engine).operator_id }).await;
    let body = |amount: &str, pin: &str| json!({"orderId": "A-1", "amount": amount, "requestId": "1", "approvedBy": boss, "pin": pin, "reason": "退货"});

    let (refused, problem) = api.post("/pay/refund", &body("2.50", "000000")).await;
    assert_eq!((refused, &problem["type"]), (StatusCode::FORBIDDEN, &json!("forbidden")));
    let right = body("2.50", MANAGER_PIN);
    let (first, second) = tokio::join!(api.post("/pay/refund", &right), api.post("/pay/refund", &right));

    assert_eq!((first.0, second.0), (StatusCode::OK, StatusCode::OK));
    assert_eq!((&first.1["status"], &first.1["orderStatus"]), (&json!("SUCCESS"), &json!("PARTIALLY_REFUNDED")));
    assert_eq!(first.1["outRequestNo"], second.1["outRequestNo"]);
    let (other, problem) = api.post("/pay/refund", &body("3.00", MANAGER_PIN)).await;
    assert_eq!((other, &problem["type"]), (StatusCode::CONFLICT, &json!("content-changed")));
    let (asked, known) = api.get("/pay/refund?requestId=1").await;
    assert_eq!((asked, &known["refunded"]), (StatusCode::OK, &json!("2.50")));
    assert_eq!(api.get("/pay/refund?requestId=2").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn web_pages_other_hosts_and_strangers_are_refused() {
    let shop = Shop::open().await;
    let api = Api::of(&shop).await;
    let url = format!("{}/pay/query?orderId=A-1", api.url);
    let status = |request: reqwest::RequestBuilder| async move { request.send().await.expect("an answer").status() };

    assert_eq!(status(Client::new().get(&url)).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(Client::new().get(&url).bearer_auth("wrong")).await, StatusCode::UNAUTHORIZED);
    let from_a_page = Client::new().get(&url).bearer_auth(TOKEN).header("origin", &api.url);
    assert_eq!(status(from_a_page).await, StatusCode::FORBIDDEN);
    let rebound = Client::new().get(&url).bearer_auth(TOKEN).header("host", "evil.example:80");
    assert_eq!(status(rebound).await, StatusCode::FORBIDDEN);
    assert_eq!(status(Client::new().get(&url).bearer_auth(TOKEN)).await, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn events_tell_every_change() {
    let shop = Shop::open().await;
    let api = Api::of(&shop).await;
    let mut events =
        Client::new().get(format!("{}/pay/events", api.url)).bearer_auth(TOKEN).send().await.expect("a stream");
    api.precreate(&json!({"orderId": "A-1", "amount": "12.50", "requestId": "1"})).await;

    let mut heard = String::new();
    while !heard.contains("PRECREATED") {
        let chunk = events.chunk().await.expect("a stream").expect("not ended");
        heard.push_str(&String::from_utf8_lossy(&chunk));
    }
    assert!(heard.contains("event: payment-changed"), "{heard}");
}

struct Api {
    url: String,
}

impl Api {
    async fn of(shop: &Shop) -> Api {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(yidan::local_api::serve(listener, TOKEN.into(), shop.counter.handle()));
        Api { url }
    }

    async fn precreate(&self, body: &Value) -> (StatusCode, Value) {
        read(Client::new().post(format!("{}/pay/alipay/precreate", self.url)).json(body)).await
    }

    async fn post(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        read(Client::new().post(format!("{}{path}", self.url)).json(body)).await
    }

    async fn get(&self, path: &str) -> (StatusCode, Value) {
        read(Client::new().get(format!("{}{path}", self.url))).await
    }

    async fn query(&self, order_id: &str) -> (StatusCode, Value) {
        read(Client::new().get(format!("{}/pay/query?orderId={order_id}", self.url))).await
    }

    async fn close(&self, order_id: &str) -> (StatusCode, Value) {
        read(Client::new().post(format!("{}/pay/close", self.url)).json(&json!({"orderId": order_id}))).await
    }
}

async fn read(request: reqwest::RequestBuilder) -> (StatusCode, Value) {
    let answer = request.bearer_auth(TOKEN).send().await.expect("an answer");
    (answer.status(), answer.json().await.expect("JSON"))
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} in {value}"))
}
