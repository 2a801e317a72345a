//! A tampered counter reports money that Alipay never stated. Headquarters stores the line, counts nothing, opens a case.

use crate::prelude::*;
use yidan_payment::{Event, EventId, Hash};

#[tokio::test]
async fn a_paid_event_with_forged_evidence_is_stored_counted_nowhere_and_shown_as_a_case() {
    let mut shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("500.00")).await;
    shop.counter.dies();

    forge_a_paid_line(&shop, &payment);
    shop.counter.starts().await;

    let day = shop.counter.asks(|engine| async move { engine.business_day() }).await;
    assert_eq!(shop.hq.find_status(&payment).await.as_deref(), Some("SUCCESS"), "what was reported is stored");
    assert_eq!((shop.hq.count(&day).await, shop.hq.total(&day).await), (0, Fen::ZERO));
    assert_eq!(shop.hq.cases().await, ["UNPROVED_PAYMENT"]);
}

/// Writes what a thief would: the next line of the journal, perfectly chained, with a statement signed by nobody.
fn forge_a_paid_line(shop: &Shop, payment: &Payment) {
    let database = rusqlite::Connection::open(shop.counter.folder().0.join("yidan.db")).expect("the file");
    let (seq, payload, hash): (i64, String, String) = database
        .query_row("select seq, payload, hash from journal order by seq desc limit 1", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .expect("a last line");
    let mut state: serde_json::Value = serde_json::from_str(&payload).expect("JSON");
    state["status"] = "SUCCESS".into();
    state["order_status"] = "PAID".into();
    state["trade_no"] = "2026113022001400000000009999".into();
    state["receipts"] = serde_json::json!([{
        "trade_no": "2026113022001400000000009999", "total": 50000, "receipt": 50000, "paid_at": null,
        "booked": "RECOGNISED", "business_day": state["business_day"]
    }]);
    let text = format!(
        "{{\"code\":\"10000\",\"msg\":\"Success\",\"out_trade_no\":\"{}\",\"total_amount\":\"500.00\",\
         \"trade_no\":\"2026113022001400000000009999\",\"trade_status\":\"TRADE_SUCCESS\"}}",
        payment.out_trade_no
    );
    let signature = "A".repeat(342) + "==";
    state["proof"] = serde_json::json!({"source": "QUERY", "text": text, "signature": signature, "cert_sn": null});
    let id = EventId::new(uuid::Uuid::now_v7());
    let prev: Hash = hash.parse().expect("a hash");
    let line = Event::next(seq + 1, id, "paid".into(), shop.clock.now(), state.to_string(), prev);
    database
        .execute(
            "insert into journal (seq, event_id, kind, pay_id, at_ms, payload, prev_hash, hash)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            rusqlite::params![
                line.seq,
                line.event_id.to_string(),
                line.kind,
                payment.pay_id.to_string(),
                line.at.0,
                line.payload,
                line.prev_hash.to_string(),
                line.hash.to_string()
            ],
        )
        .expect("a forged line");
}
