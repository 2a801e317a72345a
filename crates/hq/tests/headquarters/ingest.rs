//! What terminals send is stored once, in order, by whom it says; everything else is refused and said why.

use crate::house::House;
use crate::till::Till;
use serde_json::Value;
use std::time::Duration;
use yidan_hq::Clock;
use yidan_payment::Hash;
use yidan_wire::EventKind;

#[tokio::test]
async fn a_sale_appears_in_the_totals_and_in_the_list() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    let sale = till.sell(1234);

    let ack = till.send_all().await.unwrap();

    assert_eq!((ack.acked_seq, ack.head_hash), (2, till.journal[1].hash));
    assert_eq!(house.books().await, (1, 1234, vec![]));
    let listed = house.get(&format!("/api/v1/payments?out_trade_no={}", sale.out_trade_no)).await;
    assert_eq!(listed["payments"][0]["status"], "SUCCESS");
    assert_eq!(listed["payments"][0]["counted_fen"], 1234);
    let story = house.get(&format!("/api/v1/payments/{}", sale.out_trade_no)).await;
    let kinds: Vec<&str> = story["timeline"].as_array().unwrap().iter().map(|m| m["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["collecting", "paid"]);
    assert_eq!(story["timeline"][1]["told_by"], "QUERY");
    let totals = house.get("/api/v1/totals?day=2026-11-30").await;
    assert_eq!(totals["by_hour"][0]["hour"], 10);
    assert_eq!(totals["by_terminal"][0]["terminal_id"], till.terminal_id.as_str());
    assert_eq!(totals["by_store"][0]["net_by_hour"][10], 1234);
}

/// SY1: the answer was lost after the server had stored.
#[tokio::test]
async fn a_batch_whose_answer_was_lost_is_answered_the_same_and_stored_once() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    till.sell(1000);

    let first = till.send_all().await.unwrap();

    for _ in 0..10 {
        assert_eq!(till.send_all().await.unwrap(), first);
    }
    assert_eq!(house.books().await, (1, 1000, vec![]));
}

/// SY2: the same key with other content must not overwrite.
#[tokio::test]
async fn the_same_line_with_other_content_is_refused_kept_apart_and_alarmed() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    let mut restored = till.clone_all();
    till.sell(1000);
    restored.sell(9999);
    till.send_all().await.unwrap();

    let (status, conflict) = restored.send_all().await.unwrap_err();

    assert_eq!(status, 409);
    let conflict: yidan_wire::Conflict = serde_json::from_value(conflict).unwrap();
    assert_eq!((conflict.seq, conflict.acked_seq, conflict.head_hash), (1, 2, till.journal[1].hash));
    assert_eq!(house.books().await, (1, 1000, vec!["OTHER_HISTORY".to_owned()]));
    let cases = house.get("/api/v1/cases").await;
    assert_eq!(cases["cases"][0]["terminal_id"], till.terminal_id.as_str());
    restored.send_all().await.unwrap_err();
    assert_eq!(house.books().await.2.len(), 1, "the same alarm is not raised twice");
}

/// SY5: equal content is not equal identity.
#[tokio::test]
async fn two_equal_sales_three_seconds_apart_are_two() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    till.sell(500);
    till.now = till.now.after(Duration::from_secs(3));
    till.sell(500);

    till.send_all().await.unwrap();

    assert_eq!(house.books().await, (2, 1000, vec![]));
}

/// SY6: two processes send the same queue.
#[tokio::test]
async fn two_senders_at_once_store_each_line_once() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    for _ in 0..20 {
        till.sell(100);
    }
    let twin = till.clone_all();

    let send = |till: Till| async move {
        for batch in till.journal.chunks(8) {
            till.send(batch).await.unwrap();
        }
    };
    let head = till.journal[39].hash;
    tokio::join!(send(till.clone_all()), send(twin));

    let ack = till.send(&[]).await.unwrap();
    assert_eq!((ack.acked_seq, ack.head_hash), (40, head));
    assert_eq!(house.books().await, (20, 2000, vec![]));
}

#[tokio::test]
async fn what_follows_a_gap_is_not_taken_and_the_terminal_shows_as_incomplete() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    till.sell(100);
    till.sell(200);

    let ack = till.send(&till.journal[2..]).await.unwrap();

    assert_eq!((ack.acked_seq, ack.head_hash), (0, Hash::ZERO));
    let terminals = house.get("/api/v1/terminals").await;
    let terminal = &terminals["terminals"][0];
    assert_eq!((terminal["head_seq"].as_i64(), terminal["acked_seq"].as_i64()), (Some(4), Some(0)));
    assert_eq!((terminal["is_complete"].as_bool(), terminal["missing_from"].as_i64()), (Some(false), Some(1)));
    till.send_all().await.unwrap();
    let terminals = house.get("/api/v1/terminals").await;
    assert_eq!(terminals["terminals"][0]["is_complete"], true);
    assert_eq!(terminals["terminals"][0]["last_seen_at"], house.now().0);
}

#[tokio::test]
async fn a_restart_knows_everything_and_a_restored_database_asks_again() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    till.sell(100);
    till.send_all().await.unwrap();
    let house = house.back_up().await;
    till.url = house.hq.url();
    till.sell(200);
    assert_eq!(till.send_all().await.unwrap().acked_seq, 4);

    let house = house.restart().await;
    till.url = house.hq.url();
    assert_eq!(till.send(&[]).await.unwrap().acked_seq, 4);
    assert_eq!(house.books().await, (2, 300, vec![]));

    let house = house.restore().await;
    till.url = house.hq.url();
    assert_eq!(till.send(&[]).await.unwrap().acked_seq, 2, "below what was acknowledged: send again from there");
    till.send(&till.journal[2..]).await.unwrap();
    assert_eq!(house.books().await, (2, 300, vec![]));
}

#[tokio::test]
async fn a_line_of_an_unknown_kind_is_stored_and_holds_nothing_up() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    till.write_text("from-the-future", "{\"x\":1}".into());
    till.sell(100);

    assert_eq!(till.send_all().await.unwrap().acked_seq, 3);

    assert_eq!(house.books().await, (1, 100, vec![]));
}

#[tokio::test]
async fn what_an_older_program_did_not_understand_is_understood_at_the_next_start() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    let sale = till.sell(100);
    till.write_text("from-the-future", "{}".into());
    till.sell(200);
    till.send_all().await.unwrap();
    let before = house.get("/api/v1/totals?day=2026-11-30").await;

    let house = house.forget_what_was_projected().await;

    assert_eq!(house.get("/api/v1/totals?day=2026-11-30").await, before);
    let story = house.get(&format!("/api/v1/payments/{}", sale.out_trade_no)).await;
    assert_eq!(story["timeline"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_file_of_a_newer_program_is_refused() {
    let house = House::open().await;
    let said = house.start_on_newer().await;
    assert!(said.contains("newer program (migration 9999)"), "{said}");
}

#[tokio::test]
async fn a_clock_two_years_wrong_is_told_the_time() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    till.sell(100);
    let two_years = Duration::from_hours(2 * 365 * 24);
    till.now = till.now.before(two_years);

    let (status, problem) = till.send_all().await.unwrap_err();

    assert_eq!((status, problem["title"].as_str()), (401, Some("wrong-clock")));
    assert_eq!(problem["server_time_ms"], house.now().0);
    assert_eq!(problem["offset_ms"], i64::try_from(two_years.as_millis()).unwrap());
    till.now = house.now().after(Duration::from_mins(4));
    till.send_all().await.unwrap();
}

#[tokio::test]
async fn an_unknown_a_revoked_and_a_foreign_key_are_refused() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    till.sell(100);
    let title = |(status, problem): (u16, Value)| (status, problem["title"].as_str().unwrap().to_owned());
    let refused = |word: &str| (401, word.to_owned());

    let mut unknown = till.clone_all();
    unknown.terminal_id = "S09T01".into();
    assert_eq!(title(unknown.send_all().await.unwrap_err()), refused("not-enrolled"));
    let foreign = house.till("S02").await;
    till.key = foreign.key;
    assert_eq!(title(till.send_all().await.unwrap_err()), refused("not-signed"));

    let mut old = house.till("S01").await;
    let again = Till::new(house.hq.url(), house.now());
    let code = house.code("S01", Some(&old.terminal_id)).await;
    let enrolled = again.enrol(code.reveal()).await.unwrap();
    assert_eq!((enrolled.terminal_id.as_str(), enrolled.epoch), (old.terminal_id.as_str(), 2));
    old.sell(100);
    assert_eq!(title(old.send_all().await.unwrap_err()), refused("not-signed"));
    assert_eq!(house.books().await, (0, 0, vec![]));
}

#[tokio::test]
async fn an_enrolment_code_works_once_and_not_for_long() {
    let house = House::open().await;
    let code = house.code("S01", None).await;
    let first = Till::new(house.hq.url(), house.now());
    let enrolled = first.enrol(code.reveal()).await.unwrap();
    assert_eq!((enrolled.store_id.as_str(), enrolled.store_name.as_str(), enrolled.epoch), ("S01", "S01 店", 1));

    let second = Till::new(house.hq.url(), house.now());
    let (status, problem) = second.enrol(code.reveal()).await.unwrap_err();
    assert_eq!((status, problem["title"].as_str()), (403, Some("code-refused")));
    assert_eq!(first.enrol(code.reveal()).await.unwrap(), enrolled, "a lost answer is given again to the same key");

    let late = house.code("S01", None).await;
    house.turn_clock(Duration::from_mins(15));
    let third = Till::new(house.hq.url(), house.now());
    assert_eq!(third.enrol(late.reveal()).await.unwrap_err().0, 403);
    assert_eq!(third.enrol("AAAA-BBBB-CCCC-DDDD").await.unwrap_err().0, 403);
}

#[tokio::test]
async fn a_terminal_with_another_merchant_or_mode_is_refused_and_keeps_its_code() {
    let house = House::open().await;
    let code = house.code("S01", None).await;
    let till = Till::new(house.hq.url(), house.now());
    let right = Till::enrolment(code.reveal(), &till.key);
    let wrong = [
        yidan_wire::Enrolment { app_id: "2021000199999999".into(), ..right.clone() },
        yidan_wire::Enrolment { mode: yidan_wire::Mode::Live, ..right.clone() },
        yidan_wire::Enrolment { alipay_key: Hash::of(b"own key"), ..right.clone() },
    ];
    for enrolment in wrong {
        let body = serde_json::to_vec(&enrolment).unwrap();
        let answer = till.post::<Value>("/api/v1/enrol", "enrolling", body).await;
        assert_eq!(answer.unwrap_err().1["title"], "other-merchant");
    }
    till.enrol(code.reveal()).await.unwrap();
}

#[tokio::test]
async fn too_much_at_once_is_refused() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    let state = till.begin(100);
    for _ in 0..1000 {
        till.write(EventKind::Asking, &state);
    }
    assert_eq!(till.send_all().await.unwrap_err().0, 413);
    assert_eq!(till.send(&till.journal[..1000]).await.unwrap().acked_seq, 1000);
    let huge = vec![b' '; 5 * 1024 * 1024];
    assert_eq!(till.post::<Value>("/api/v1/events", &till.terminal_id, huge).await.unwrap_err().0, 413);
}

#[tokio::test]
async fn an_unsigned_request_is_refused_before_it_is_read() {
    let house = House::open().await;
    let answer = house.client.post(house.address("/api/v1/events")).body("{").send().await.unwrap();
    assert_eq!(answer.status(), 401);
}

/// A day without network, at one counter. The bound is far above what it takes, so that a busy machine does not fail it.
#[tokio::test]
async fn a_backlog_of_ten_thousand_lines_is_taken_in_time_and_counts_once_when_sent_again() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    while till.journal.len() < 10_000 {
        let state = till.begin(100);
        till.write(EventKind::Asking, &state);
        till.write(EventKind::CodeShown, &state);
        till.pay(&state);
    }
    let begun = Clock::of_system().now();
    for batch in till.journal.chunks(1000) {
        till.send(batch).await.unwrap();
    }
    let took = Clock::of_system().now().since(begun);
    assert!(took < Duration::from_secs(30), "{took:?}");
    let books = house.books().await;
    assert_eq!(books, (2500, 250_000, vec![]));
    for batch in till.journal.chunks(1000) {
        assert_eq!(till.send(batch).await.unwrap().acked_seq, 10_000);
    }
    assert_eq!(house.books().await, books);
}
