//! Words that are stored and sent are the same everywhere, and what evidence tells of a trade.

use crate::start::{fen, paid_trade, trade};
use serde::Serialize;
use std::time::Duration;
use yidan_payment::{
    CaseKind, Class, Evidence, Hash, OrderStatus, OutTradeNo, PaymentId, SeenTrade, Source, StatusName, TradeNo, UtcMs,
};

fn sent(word: impl Serialize) -> String {
    serde_json::to_value(word).unwrap().as_str().expect("a word").to_owned()
}

#[test]
fn a_word_is_stored_as_it_is_sent() {
    for name in StatusName::ALL {
        assert_eq!(name.as_str(), sent(name));
        assert_eq!(StatusName::find(name.as_str()), Some(name));
    }
    for kind in CaseKind::ALL {
        assert_eq!(kind.as_str(), sent(kind));
        assert_eq!(CaseKind::find(kind.as_str()), Some(kind));
    }
    for class in Class::ALL {
        assert_eq!(Class::find(class.as_str()), Some(class));
    }
    let sources = [Source::Precreate, Source::Query, Source::Close, Source::Cancel, Source::Pay];
    for source in sources.into_iter().chain([Source::Refund, Source::RefundQuery, Source::Notify]) {
        assert_eq!(source.as_str(), sent(source));
    }
    let orders = [OrderStatus::Created, OrderStatus::Paying, OrderStatus::Paid, OrderStatus::Closed];
    for order in
        orders.into_iter().chain([OrderStatus::Refunding, OrderStatus::PartiallyRefunded, OrderStatus::Refunded])
    {
        assert_eq!(order.as_str(), sent(order));
    }
}

#[test]
fn a_hash_is_read_back_from_its_text() {
    let hash = Hash::of(b"a line");
    let text = String::from(hash);
    assert_eq!(text.len(), 64);
    assert_eq!(Hash::try_from(text), Ok(hash));
    assert!("0f".parse::<Hash>().is_err(), "too short");
}

#[test]
fn a_number_is_the_text_it_was_made_of() {
    assert_eq!(trade("T1").as_str(), "T1");
    assert_eq!(String::from(TradeNo::new("T1").unwrap()), "T1");
    assert_eq!(String::from(OutTradeNo::new("N1").unwrap()), "N1");
}

#[test]
fn ids_are_told_apart_and_sorted_by_when_they_were_made() {
    let [one, two] = [1, 2].map(|n| PaymentId::new(uuid::Uuid::from_u128(n)));
    assert_ne!(one, two);
    assert!(one < two);
}

#[test]
fn evidence_says_what_a_trade_asks_or_brought() {
    let paid = paid_trade("T1", 1_250);
    for brought in
        [Evidence::Paid(paid.clone()), Evidence::TradeClosedPaid(paid.clone()), Evidence::CancelRefunded(paid.clone())]
    {
        assert_eq!(brought.paid_trade(), Some(&paid));
        assert_eq!(brought.trade_total(), Some(fen(1_250)));
    }
    let seen = SeenTrade { trade_no: trade("T1"), total: fen(990) };
    for asked in [Evidence::WaitBuyerPay(seen.clone()), Evidence::TradeClosed(seen)] {
        assert_eq!(asked.paid_trade(), None, "nobody has paid");
        assert_eq!(asked.trade_total(), Some(fen(990)));
    }
    assert_eq!(Evidence::CloseAccepted.trade_total(), None);
}

#[test]
fn moments_count_milliseconds() {
    assert_eq!(UtcMs(1_500).since(UtcMs(300)), Duration::from_millis(1_200));
    assert_eq!(UtcMs(300).since(UtcMs(1_500)), Duration::ZERO, "it was not earlier");
}
