//! Amounts, times, numbers and subjects as they travel.

use crate::fixtures::{DATE_MS, json, settings};
use std::process::Command;
use yidan_alipay::{Client, beijing_text};
use yidan_payment::{Fen, OutTradeNo, PrecreateOrder, UtcMs};

fn sent(amount: Fen, subject: &str, qr_minutes: u32) -> serde_json::Value {
    let order = PrecreateOrder {
        out_trade_no: OutTradeNo::new("S01").unwrap(),
        amount,
        subject: subject.into(),
        time_expire: UtcMs(DATE_MS),
        qr_minutes,
        store_id: String::new(),
        terminal_id: String::new(),
        operator_id: String::new(),
        passback_params: None,
    };
    let client = Client::new(settings("http://127.0.0.1:1/gateway.do"), || UtcMs(0)).unwrap();
    serde_json::from_str(&client.precreate_body(&order)).unwrap()
}

fn wire(amount: Fen) -> String {
    sent(amount, "x", 5)["total_amount"].as_str().unwrap().to_owned()
}

#[test]
fn mn1_yuan_become_fen_and_travel_with_two_decimals() {
    for case in json("cases/money/MN1_yuan_to_fen.json").as_array().unwrap() {
        let amount = Fen::parse(case["yuan"].as_str().unwrap()).unwrap();
        assert_eq!(Some(amount.as_fen()), case["fen"].as_i64(), "{case}");
        assert_eq!(Some(wire(amount).as_str()), case["wire"].as_str(), "{case}");
    }
}

#[test]
fn mn2_amounts_taken_and_refused() {
    let cases = json("cases/money/MN2_accept_reject.json");
    for case in cases["accept"].as_array().unwrap() {
        assert_eq!(Fen::parse(case["text"].as_str().unwrap()).ok().map(Fen::as_fen), case["fen"].as_i64(), "{case}");
    }
    for case in cases["reject"].as_array().unwrap() {
        assert!(Fen::parse(case.as_str().unwrap()).is_err(), "{case}");
    }
}

#[test]
fn mn4_thousands_travel_without_separators() {
    for (typed, wired) in [("1000.00", "1000.00"), ("1234.5", "1234.50"), ("12345678.9", "12345678.90")] {
        assert_eq!(wire(Fen::parse(typed).unwrap()), wired);
    }
}

#[test]
fn mn5_large_amounts_do_not_overflow() {
    for (typed, fen) in [("21474836.48", 2_147_483_648), ("100000000.00", 10_000_000_000)] {
        let amount = Fen::parse(typed).unwrap();
        assert_eq!((amount.as_fen(), wire(amount).as_str()), (fen, typed));
        assert_eq!(serde_json::to_string(&amount).unwrap(), fen.to_string());
    }
}

#[test]
fn mn6_whatever_a_discount_leaves_travels_with_two_decimals() {
    for case in json("cases/money/MN6_discounts.json").as_array().unwrap() {
        let Some(fen) = case["fen"].as_i64() else { continue };
        let wired = wire(Fen::from_fen(fen).unwrap());
        assert_eq!(wired.split_once('.').unwrap().1.len(), 2);
        assert_eq!(Fen::parse(&wired).unwrap().as_fen(), fen);
    }
}

#[test]
fn st14_a_codes_life_is_written_as_alipay_reads_it() {
    for minutes in 2..=30 {
        let text = sent(Fen::parse("1").unwrap(), "x", minutes);
        assert_eq!(text["qr_code_timeout_express"], format!("{minutes}m"));
        assert_eq!(text["time_expire"], "2026-12-01 20:15:20");
        assert!(text.get("timeout_express").is_none());
    }
}

#[test]
fn st15_numbers_alipay_takes_and_refuses() {
    let cases = json("cases/state/ST15_out_trade_no.json");
    let is_taken = |case: &serde_json::Value| OutTradeNo::new(case.as_str().unwrap()).is_ok();
    assert!(cases["ok"].as_array().unwrap().iter().all(is_taken));
    assert!(!cases["bad"].as_array().unwrap().iter().any(is_taken));
}

#[test]
fn st16_any_subject_becomes_one_that_alipay_takes() {
    for case in json("cases/state/ST16_subject.json")["inputs"].as_array().unwrap() {
        let text = sent(Fen::parse("1").unwrap(), case.as_str().unwrap(), 5);
        let subject = text["subject"].as_str().unwrap();
        assert!(!subject.trim().is_empty() && !subject.contains(['/', '=', '&', '\0']), "{subject}");
        assert!(subject.chars().count() <= 256 && subject.encode_utf16().count() <= 256);
    }
}

#[test]
fn a_timestamp_is_beijing_time() {
    for case in json("cases/tz/TZ1_timestamp.json")["cases"].as_array().unwrap() {
        // 2026-11-30T16:30:00Z
        assert_eq!(case["instant"], "2026-11-30T16:30:00Z");
        assert_eq!(Some(beijing_text(UtcMs(1_796_056_200_000)).as_str()), case["timestamp"].as_str());
    }
}

#[test]
fn tz1_the_computers_own_zone_does_not_matter() {
    for case in json("cases/tz/TZ1_timestamp.json")["cases"].as_array().unwrap() {
        let again = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "money_and_time::a_timestamp_is_beijing_time"])
            .env("TZ", case["TZ"].as_str().unwrap())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&again.stdout);
        assert!(again.status.success() && said.contains("1 passed"), "{case}: {said}");
    }
}
