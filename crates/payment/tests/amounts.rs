//! Amounts and numbers from public bug reports: MN1, MN2, MN4, MN5 and ST15 of the case collection.

use serde_json::Value;
use std::{fs, path::Path};
use yidan_payment::{Fen, OutTradeNo};

/// Reads a case file, from the folder that all crates share.
fn read(path: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/cases").join(path);
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::from_str(&text).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn mn1_yuan_become_fen_without_a_float() {
    let cases = read("money/MN1_yuan_to_fen.json");
    let cases = cases.as_array().unwrap();
    assert_eq!(cases.len(), 15);
    for case in cases {
        let amount = Fen::parse(text(&case["yuan"])).unwrap();
        assert_eq!(amount.as_fen(), case["fen"].as_i64().unwrap(), "{case}");
        assert_eq!(amount.to_string(), text(&case["wire"]), "{case}");
    }
}

#[test]
fn mn2_only_plain_amounts_are_accepted() {
    let cases = read("money/MN2_accept_reject.json");
    let (accept, reject) = (cases["accept"].as_array().unwrap(), cases["reject"].as_array().unwrap());
    assert_eq!((accept.len(), reject.len()), (6, 25));
    for case in accept {
        assert_eq!(Fen::parse(text(&case["text"])).map(Fen::as_fen), Ok(case["fen"].as_i64().unwrap()), "{case}");
    }
    for case in reject {
        assert!(Fen::parse(text(case)).is_err(), "{case}");
    }
}

#[test]
fn mn4_no_thousands_separator_travels() {
    for (typed, wire) in [("1000.00", "1000.00"), ("1234.5", "1234.50"), ("12345678.9", "12345678.90")] {
        assert_eq!(Fen::parse(typed).unwrap().to_string(), wire);
    }
}

#[test]
fn mn5_fen_beyond_32_bits_are_whole_numbers_everywhere() {
    for (typed, fen) in [("21474836.48", 2_147_483_648), ("100000000.00", 10_000_000_000_i64)] {
        let amount = Fen::parse(typed).unwrap();
        assert_eq!(amount.as_fen(), fen);
        let json = serde_json::to_string(&amount).unwrap();
        assert_eq!(json, fen.to_string(), "an integer, not 1e10");
        assert_eq!(serde_json::from_str::<Fen>(&json).unwrap(), amount);
    }
    for not_fen in ["-1", "1.5", "1e10", "\"100\"", "99999999999999999999"] {
        assert!(serde_json::from_str::<Fen>(not_fen).is_err(), "{not_fen}");
    }
}

#[test]
fn st15_only_numbers_that_alipay_takes() {
    let cases = read("state/ST15_out_trade_no.json");
    let (ok, bad) = (cases["ok"].as_array().unwrap(), cases["bad"].as_array().unwrap());
    assert_eq!((ok.len(), bad.len()), (3, 8));
    for number in ok {
        assert_eq!(OutTradeNo::new(text(number)).unwrap().as_str(), text(number));
        assert!(serde_json::from_value::<OutTradeNo>(number.clone()).is_ok());
    }
    for number in bad {
        assert!(OutTradeNo::new(text(number)).is_err(), "{number}");
        assert!(serde_json::from_value::<OutTradeNo>(number.clone()).is_err(), "{number}");
    }
}
