//! The power goes between two steps. Whichever two: after the restart everything is as if it had stayed on.

use crate::prelude::*;
use yidan_wire::EventKind;

const POINTS: &str = include_str!("../fixtures/cases/storage/DB6_crash_points.json");
const WRITE_FIRST: &str = include_str!("../fixtures/cases/storage/DB5_write_first.json");
const ATOMIC: &str = include_str!("../fixtures/cases/storage/DB1_atomic.json");

/// Money, slip and report of one sale of 8.00 after everything has come to rest.
#[derive(Debug, PartialEq, Eq)]
struct End {
    status: &'static str,
    charges: u32,
    receipts: usize,
    paid_lines: usize,
    at_headquarters: (i64, Fen),
}

const AS_IF_NOTHING_HAD_HAPPENED: (&str, u32, usize, usize) = ("SUCCESS", 1, 1, 1);

#[tokio::test]
async fn db6_a_crash_between_any_two_steps_changes_nothing_in_the_end() {
    let case: serde_json::Value = serde_json::from_str(POINTS).expect("JSON");
    let points = case["points"].as_array().expect("points");
    assert_eq!(points.len(), 4);

    for point in points.iter().map(|point| point.as_str().expect("a point")) {
        let mut shop = Shop::open().await;
        let payment = crashes(&mut shop, point).await;

        let end = comes_to_rest(&shop, &payment).await;

        let (status, charges, receipts, paid_lines) = AS_IF_NOTHING_HAD_HAPPENED;
        let at_headquarters = (1, yuan("8.00"));
        assert_eq!(end, End { status, charges, receipts, paid_lines, at_headquarters }, "{point}");
    }
}

/// Sells 8.00 and lets the power go at a point; when this returns the till runs again.
async fn crashes(shop: &mut Shop, point: &str) -> Payment {
    match point {
        "after precreate answer, before code shown" => {
            shop.alipay.next_fault(Fault::once("alipay.trade.precreate", FaultKind::LoseAnswer));
            let payment = shop.counter.collects(yuan("8.00")).await;
            shop.counter.restarts().await;
            shop.turn(seconds(4)).await;
            payment
        }
        "after TRADE_SUCCESS seen, before state write" => {
            let payment = shop.counter.collects(yuan("8.00")).await;
            shop.alipay.next_fault(Fault::once("alipay.trade.query", FaultKind::LoseAnswer));
            shop.buyer.scans_and_pays(&payment);
            shop.turn(seconds(3)).await;
            shop.counter.restarts().await;
            payment
        }
        "after state write, before receipt" => {
            let payment = paid(shop, "8.00").await;
            shop.counter.restarts().await;
            payment
        }
        "after outbox send, before ack stored" => {
            let payment = paid(shop, "8.00").await;
            shop.counter.dies();
            let path = shop.counter.folder().0.join("yidan.db");
            let records = rusqlite::Connection::open(path).expect("the records");
            records.execute("delete from settings where name = 'hq.acked_seq'", []).expect("the ack was never stored");
            drop(records);
            shop.counter.starts().await;
            payment
        }
        other => panic!("nobody plays {other:?}"),
    }
}

async fn comes_to_rest(shop: &Shop, payment: &Payment) -> End {
    if shop.charges(payment) == 0 {
        shop.buyer.scans_and_pays(payment);
    }
    shop.turn(seconds(8)).await;
    let now = shop.counter.payment(payment).await;
    let lines = shop.counter.timeline(payment).await;
    let day = shop.counter.asks(|engine| async move { engine.business_day() }).await;
    End {
        status: name(&now),
        charges: shop.charges(payment),
        receipts: now.receipts.len(),
        paid_lines: lines.iter().filter(|line| line.kind == EventKind::Paid.as_str()).count(),
        at_headquarters: (shop.hq.count(&day).await, shop.hq.total(&day).await),
    }
}

/// The power goes right after the request has left; the customer pays meanwhile.
#[tokio::test]
async fn db5_the_attempt_is_written_down_before_it_leaves_and_asked_for_at_the_start() {
    let case: serde_json::Value = serde_json::from_str(WRITE_FIRST).expect("JSON");
    assert_eq!(case["steps"].as_array().expect("steps").len(), 3);
    let mut shop = Shop::open().await;
    shop.alipay.next_fault(Fault::once("alipay.trade.precreate", FaultKind::LoseAnswer));
    let payment = shop.counter.collects(yuan("8.00")).await;
    shop.counter.dies();
    shop.buyer.scans_and_pays(&payment);

    shop.counter.starts().await;

    let found = shop.counter.payment(&payment).await;
    assert_eq!((name(&found), found.amount, shop.charges(&payment)), ("SUCCESS", yuan("8.00"), 1));
}

/// Order and journal are one transaction on one connection: cut anywhere before its end, neither is there.
#[tokio::test]
async fn db1_a_crash_before_the_commit_leaves_neither_the_state_nor_its_line() {
    let case: serde_json::Value = serde_json::from_str(ATOMIC).expect("JSON");
    assert_eq!(case["steps"].as_array().expect("steps").len(), 5);
    let mut shop = Shop::with().without_headquarters().opens().await;
    let payment = shop.counter.collects(yuan("8.00")).await;
    shop.counter.dies();
    let path = shop.counter.folder().0.join("yidan.db");
    let records = rusqlite::Connection::open(&path).expect("the records");
    let lines = |records: &rusqlite::Connection| {
        records.query_row("select count(*) from journal", [], |row| row.get::<_, i64>(0)).expect("a count")
    };
    let before = lines(&records);
    records
        .execute_batch(
            "begin immediate; update orders set status = 'PAID';
             insert into journal select seq + 1, 'x', kind, pay_id, at_ms, payload, hash, 'x' from journal order by seq desc limit 1;",
        )
        .expect("half a step");
    // The process is gone before the commit.
    drop(records);

    shop.counter.starts().await;

    let head = shop.counter.asks(|engine| async move { engine.database().load_head().expect("readable").seq }).await;
    assert_eq!(head, before);
    assert_eq!(order_status(&shop, &payment).await, "PAYING");
    shop.buyer.scans_and_pays(&payment);
    shop.turn(seconds(4)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
}
