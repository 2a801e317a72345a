//! Money that goes back: whose refund it is, that none is counted twice, and what becomes of the order.

use crate::start::{
    NOW, closed, fen, give_back, given, paid_by, paid_trade, receipt, recognise, refund, refund_fact, told, trade,
    usual,
};
use serde_json::Value;
use yidan_payment::{
    Booked, CaseKind, Evidence, Input, OrderStatus, Outcome, Payment, Refund, RefundFact, RefundOrigin, RefundStatus,
    StatusName, WishRefused, apply, order_status,
};

fn paid(amount: i64) -> Payment {
    let payment = usual(StatusName::Success);
    Payment { amount: fen(amount), receipts: vec![receipt("T1", amount, Booked::Recognised)], ..payment }
}

fn ours(number: &str, amount: i64) -> Input {
    told(Evidence::RefundedOurs(refund_fact("T1", number, amount)))
}

fn elsewhere(number: &str, amount: i64) -> Input {
    told(Evidence::RefundedElsewhere(refund_fact("T1", number, amount)))
}

fn play(payment: Payment, inputs: &[Input]) -> Payment {
    inputs.iter().fold(payment, |payment, input| apply(&payment, input, NOW).payment)
}

fn kinds(outcome: &Outcome) -> Vec<CaseKind> {
    outcome.cases.iter().map(|case| case.kind).collect()
}

/// Number (`-`: none), amount and whose it is, of every refund that moved money.
fn moved(payment: &Payment) -> Vec<(String, i64, RefundOrigin)> {
    let done = payment.refunds.iter().filter(|refund| refund.status == RefundStatus::Success);
    let number = |number: &Option<String>| number.clone().unwrap_or("-".into());
    done.map(|refund| (number(&refund.out_request_no), refund.amount.as_fen(), refund.origin)).collect()
}

fn read(path: &str) -> Value {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/cases/refund").join(path);
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn rf11_the_order_follows_its_refunds() {
    let case = read("RF11_order_state.json");
    let mut payment = paid(case["order_fen"].as_i64().unwrap());
    assert_eq!(order_status(&payment), OrderStatus::Paid);
    let states = [OrderStatus::PartiallyRefunded, OrderStatus::Refunded];
    for (at, step) in case["steps"].as_array().unwrap().iter().enumerate() {
        payment = play(payment, &[ours(&format!("R{at}"), step["refund"].as_i64().unwrap())]);
        assert_eq!(order_status(&payment), states[at], "{step}");
    }
}

#[test]
fn rf6_the_sum_of_refunds_never_exceeds_what_came() {
    let case = read("RF6_sums.json");
    for (total, parts, left) in [
        (&case["order_fen"], &case["refunds"], 0),
        (&case["order2"]["fen"], &case["order2"]["refunds"], case["order2"]["left"].as_i64().unwrap()),
    ] {
        let mut payment = paid(total.as_i64().unwrap());
        for (at, part) in parts.as_array().unwrap().iter().enumerate() {
            payment = play(payment, &[ours(&format!("R{at}"), part.as_i64().unwrap())]);
        }
        assert_eq!(payment.books().unwrap().recognised, fen(left));
        let one_more = apply(&payment, &ours("R9", 1), NOW);
        assert_eq!((&one_more.payment, kinds(&one_more)), (&payment, vec![CaseKind::Contradiction]));
    }
    let too_much = apply(&paid(1_000), &ours("R1", case["order3"]["try_"].as_i64().unwrap()), NOW);
    assert_eq!((too_much.payment.refunds.len(), kinds(&too_much)), (0, vec![CaseKind::Contradiction]));
}

#[test]
fn rf2_each_refund_counts_its_own_amount() {
    let case = read("RF2_cumulative.json");
    let expect = &case["expect"];
    let payment = play(
        paid(case["order_fen"].as_i64().unwrap()),
        &["R1", "R2"].map(|number| ours(number, expect[number].as_i64().unwrap())),
    );
    assert_eq!(payment.books().unwrap().refunded.as_fen(), expect["total"].as_i64().unwrap());
    // The same number with another amount (a cumulative one, say) is never booked.
    let outcome = apply(&payment, &ours("R2", 5_000), NOW);
    assert_eq!((&outcome.payment, kinds(&outcome)), (&payment, vec![CaseKind::Contradiction]));
}

#[test]
fn a_refund_under_way_shows_on_the_order() {
    let mut payment = paid(1_000);
    for (status, order) in [
        (RefundStatus::Init, OrderStatus::Refunding),
        (RefundStatus::Processing, OrderStatus::Refunding),
        (RefundStatus::Success, OrderStatus::PartiallyRefunded),
        (RefundStatus::Fail, OrderStatus::Paid),
    ] {
        payment.refunds = vec![refund("R1", 300, status)];
        assert_eq!(order_status(&payment), order, "{status:?}");
    }
}

#[test]
fn the_order_of_every_status() {
    let expected = |name| match name {
        StatusName::Init => OrderStatus::Created,
        StatusName::Precreated | StatusName::Paying | StatusName::Closing => OrderStatus::Paying,
        StatusName::Success => OrderStatus::Paid,
        StatusName::Closed | StatusName::Fail | StatusName::Suspense => OrderStatus::Closed,
    };
    for name in StatusName::ALL {
        assert_eq!(order_status(&usual(name)), expected(name), "{}", name.as_str());
    }
}

#[test]
fn a_refund_known_only_as_a_fact_gets_its_number_later() {
    let closed = apply(&paid(1_000), &closed("T1"), NOW);
    assert_eq!(kinds(&closed), [CaseKind::RefundedElsewhere]);
    assert_eq!(moved(&closed.payment), [("-".into(), 1_000, RefundOrigin::Foreign)]);
    assert_eq!(order_status(&closed.payment), OrderStatus::Refunded);

    let named = apply(&closed.payment, &elsewhere("POS7", 1_000), NOW);

    assert_eq!(moved(&named.payment), [("POS7".into(), 1_000, RefundOrigin::Foreign)]);
    assert_eq!(kinds(&named), [], "the money was reported before");
}

#[test]
fn whose_a_refund_is_changes_only_when_the_number_tells() {
    use RefundOrigin as O;
    let cases = [
        (None, O::Foreign, O::Found, "a sum that turns out to be ours"),
        (None, O::Cancel, O::Cancel, "what `cancel` gave back has the payment's number"),
        (Some("R1"), O::Foreign, O::Foreign, "it was known by its number before"),
    ];
    for (number, known, expected, story) in cases {
        let mut before = paid(1_000);
        before.refunds.push(Refund::new(trade("T1"), number.map(Into::into), fen(300), known, RefundStatus::Success));
        let after = play(before, &[ours("R1", 300)]);
        assert_eq!(moved(&after), [("R1".into(), 300, expected)], "{story}");
    }
}

#[test]
fn what_else_went_back_is_added_to_the_sum_that_others_gave_and_not_to_what_cancel_gave() {
    for (whose, sums) in [(RefundOrigin::Foreign, vec![1_000]), (RefundOrigin::Cancel, vec![300, 700])] {
        let mut before = paid(1_000);
        before.refunds.push(Refund::new(trade("T1"), None, fen(300), whose, RefundStatus::Success));
        let after = play(before, &[closed("T1")]);
        assert_eq!(moved(&after).into_iter().map(|(_, amount, _)| amount).collect::<Vec<_>>(), sums, "{whose:?}");
    }
}

#[test]
fn two_refunds_known_only_as_one_sum_are_told_apart_later() {
    let closed = play(paid(1_000), &[closed("T1")]);

    let first = apply(&closed, &elsewhere("POS7", 400), NOW);
    let second = apply(&first.payment, &elsewhere("POS8", 600), NOW);

    assert_eq!((kinds(&first), kinds(&second)), (vec![], vec![]), "the money was reported before");
    let foreign = |number: &str, amount| (number.to_owned(), amount, RefundOrigin::Foreign);
    assert_eq!(moved(&second.payment), [foreign("POS8", 600), foreign("POS7", 400)]);
}

#[test]
fn a_refund_of_ours_that_was_thought_refused_is_not_counted_twice() {
    let refused = given(paid(1_000), "R1 10.00 refused");
    let closed = play(refused, &[closed("T1")]);
    assert_eq!(moved(&closed), [("-".into(), 1_000, RefundOrigin::Foreign)]);

    let named = play(closed, &[ours("R1", 1_000)]);

    assert_eq!(moved(&named), [("R1".into(), 1_000, RefundOrigin::Ours)]);
    assert_eq!(named.books().unwrap().refunded, fen(1_000));
}

#[test]
fn our_refund_under_way_explains_its_part_of_a_closed_trade() {
    let refunding = given(paid(1_000), "R1 3.00 processing");
    let outcome = apply(&refunding, &closed("T1"), NOW);
    assert_eq!(moved(&outcome.payment), [("-".into(), 700, RefundOrigin::Foreign)]);
    assert_eq!(outcome.cases[0].amount, fen(700));
    assert_eq!(moved(&play(outcome.payment, &[ours("R1", 300)])).len(), 2);
}

#[test]
fn a_refund_whose_payment_we_missed_waits_for_the_payment() {
    for name in [StatusName::Precreated, StatusName::Paying, StatusName::Closed] {
        let early = apply(&usual(name), &elsewhere("POS7", 1_000), NOW).payment;
        assert!(early.refunds.is_empty(), "first the payment");
        let late = play(early, &[paid_by("T1", 1_000), elsewhere("POS7", 1_000)]);
        let books = late.books().unwrap();
        assert_eq!((books.received, books.refunded), (fen(1_000), fen(1_000)), "{}", name.as_str());
    }
}

#[test]
fn st4_a_cancel_that_refunded_leaves_payment_and_refund_on_record() {
    let paying = given(usual(StatusName::Paying), "buyer code, no trade");
    let after = apply(&paying, &told(Evidence::CancelRefunded(paid_trade("T4", 1_000))), NOW).payment;
    let books = after.books().unwrap();
    assert_eq!((books.received, books.refunded, books.recognised), (fen(1_000), fen(1_000), fen(0)));
    assert_eq!(order_status(&after), OrderStatus::Refunded);
}

#[test]
fn money_that_came_twice_and_goes_back_is_no_refund_of_the_order() {
    let twice = play(paid(1_000), &[paid_by("T2", 1_000)]);
    let back = give_back("T2", "RX1");

    let sending = play(twice, &[back]);
    assert_eq!(order_status(&sending), OrderStatus::Paid);
    let done = told(Evidence::RefundedOurs(refund_fact("T2", "RX1", 1_000)));
    let after = play(sending, &[done]);

    assert_eq!(order_status(&after), OrderStatus::Paid);
    let books = after.books().unwrap();
    assert_eq!((books.received, books.recognised, books.suspense), (fen(2_000), fen(1_000), fen(0)));
}

#[test]
fn money_in_suspense_is_decided_once() {
    let suspense = usual(StatusName::Suspense);
    let back = |number: &str| give_back("T1", number);
    let sending = play(suspense, &[back("RX1")]);

    for decision in [back("RX2"), recognise("T1")] {
        assert_eq!(apply(&sending, &decision, NOW).refused, Some(WishRefused::NoSuchMoney), "{decision:?}");
    }
    let after = play(sending, &[told(Evidence::RefundedOurs(refund_fact("T1", "RX1", 1_000)))]);
    assert!(after.books().unwrap().suspense.is_zero());
    assert_eq!(after.status.name(), StatusName::Suspense, "it stays until a person closes the case");
}

#[test]
fn part_of_an_overpaid_and_recognised_order_goes_back() {
    let suspense = play(usual(StatusName::Paying), &[paid_by("T1", 1_200)]);
    let recognised = play(suspense, &[recognise("T1")]);
    assert_eq!(order_status(&recognised), OrderStatus::Paid);
    let after = play(recognised, &[ours("R1", 1_000)]);
    assert_eq!(order_status(&after), OrderStatus::PartiallyRefunded);
    assert_eq!(order_status(&play(after, &[ours("R2", 200)])), OrderStatus::Refunded);
}

#[test]
fn a_refund_without_a_number_is_noted_once() {
    let fact = RefundFact { trade_no: trade("T1"), out_request_no: None, amount: fen(300) };
    let news = told(Evidence::RefundedElsewhere(fact));
    let after = play(paid(1_000), &[news.clone(), news]);
    assert_eq!(moved(&after), [("-".into(), 300, RefundOrigin::Foreign)]);
}
