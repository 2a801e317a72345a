//! Alipay's certificate and a day's bill.

use crate::ours::now;
use crate::pair::Pair;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};
use yidan_alipay::{Bill, BillAnswer, BillDay, BillKind};

const DAY: Duration = Duration::from_secs(24 * 3600);
const THREE_DAYS_MS: i64 = 3 * 24 * 3_600_000;

/// The certificate of a number is the one that was given to the shop.
pub async fn certificate(pair: &mut Pair) {
    let told = pair.sandbox.settings();
    let content = json!({ "alipay_cert_sn": told["alipay_cert_sn"] });
    let answer = pair.sdk.call("alipay.open.app.alipaycert.download", &content, None).await;
    assert_eq!(answer["code"], "10000", "{answer}");
    let text = BASE64_STANDARD.decode(answer["alipay_cert_content"].as_str().unwrap()).unwrap();
    assert_eq!(told["alipay_cert"], Value::from(String::from_utf8(text).unwrap()));
}

/// The bill of what was sold and given back above, three days later: one file, however it was asked for.
pub async fn bill(pair: &mut Pair) {
    let day = BillDay::of(now(&AtomicI64::new(0)));
    pair.sandbox.control("clock", &json!({ "offset_ms": THREE_DAYS_MS })).await;
    pair.ahead.store(THREE_DAYS_MS, Ordering::SeqCst);

    let answer = ask(pair, day).await;
    assert_eq!(answer["code"], "10000", "{answer}");
    let archive = pair.sandbox.download(answer["bill_download_url"].as_str().unwrap()).await;
    let bill = Bill::read_archive(&archive).unwrap();

    assert_eq!(pair.ours.fetch_bill(day).await.unwrap(), BillAnswer::Ready(bill.clone()));
    let back: Vec<i64> =
        bill.lines.iter().filter(|line| line.kind == BillKind::Refund).map(|line| line.order_fen).collect();
    assert_eq!(back, [-300, -200, -500, -1000]);
    let sold: i64 = bill.lines.iter().filter(|line| line.kind == BillKind::Trade).map(|line| line.order_fen).sum();
    assert_eq!(sold, 1234 + 1000 + 1000 + 1234 + 1234);

    let quiet = BillDay::of(now(&pair.ahead).before(2 * DAY));
    assert_eq!(ask(pair, quiet).await["sub_code"], "isp.bill_not_exist");
    let ours = pair.ours.fetch_bill(quiet).await.unwrap();
    assert!(matches!(ours, BillAnswer::NoTrades | BillAnswer::NotReady(_)), "{ours:?}");
}

async fn ask(pair: &mut Pair, day: BillDay) -> Value {
    let content = json!({ "bill_type": "trade", "bill_date": day.to_string() });
    pair.sdk.call("alipay.data.dataservice.bill.downloadurl.query", &content, None).await
}
