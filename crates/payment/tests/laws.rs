//! What holds for every input in every order: the books, what never changes, when a payment is dead, what is done next.

use crate::start::{
    NOW, SENT, at, closed, fen, fresh, give_back, given, no_refund, no_trade, paid_by, paid_trade, qr_issued,
    recognise, refund_fact, refund_wish, refusal, refused_refund, retry, told, usual, waiting,
};
use proptest::prelude::*;
use std::time::Duration;
use yidan_payment::{
    Booked, CLOSE_GAP, Evidence, GRACE, Input, NoTrade, Payment, RefundStatus, Status, StatusName, Step, UtcMs, WATCH,
    apply, next_step,
};

/// One of every kind of input, with the numbers and moments that make a difference.
fn every_input() -> Vec<Input> {
    let mut inputs = vec![
        qr_issued(),
        told(Evidence::Refused(refusal("isv.invalid-signature"))),
        told(Evidence::RefusedTradeExists(refusal("ACQ.TRADE_HAS_SUCCESS"))),
        told(Evidence::CloseAccepted),
        told(Evidence::CloseRefused(refusal("ACQ.TRADE_STATUS_ERROR"))),
        Input::Stop,
        Input::SaleSettled,
        Input::Refresh,
        Input::NewCode,
        Input::Resume,
        Input::ClockPassed,
        Input::SendCode { timeout: Duration::from_secs(120) },
        retry("R1"),
        told(refused_refund("R1")),
        told(Evidence::RefundAccepted { out_request_no: "R1".into() }),
        told(no_refund("R1", 0)),
        told(no_refund("R1", 60)),
    ];
    inputs.extend([(10, Some(11)), (391, Some(391)), (391, None), (8_000, Some(8_000))].map(|(a, b)| no_trade(a, b)));
    for number in ["T1", "T2"] {
        inputs.push(closed(number));
        inputs.push(recognise(number));
        inputs.push(give_back(number, &format!("RX{number}")));
        for total in [1_000, 1_200] {
            inputs.push(waiting(number, total));
            inputs.push(paid_by(number, total));
            inputs.push(told(Evidence::TradeClosedPaid(paid_trade(number, total))));
            inputs.push(told(Evidence::CancelRefunded(paid_trade(number, total))));
        }
        for (out_request_no, amount) in [("R1", 300), ("R2", 700), ("R1", 1_000), ("R3", 0)] {
            let fact = refund_fact(number, out_request_no, amount);
            inputs.push(refund_wish(number, out_request_no, amount));
            inputs.push(told(Evidence::RefundMoved(fact.clone())));
            inputs.push(told(Evidence::RefundedOurs(fact.clone())));
            inputs.push(told(Evidence::RefundedElsewhere(fact)));
        }
    }
    inputs
}

fn every_start() -> Vec<Payment> {
    let words =
        ["", "buyer code", "no QR", "by person", "trade T1", "no trade", "close 4 s ago", "code over", "extra T2"];
    StatusName::ALL.into_iter().flat_map(|name| words.map(|word| given(usual(name), word))).collect()
}

/// What every step must keep.
fn check_step(before: &Payment, input: &Input, now: UtcMs) -> Payment {
    let after = apply(before, input, now).payment;
    let books = after.books().unwrap_or_else(|error| panic!("{error}: {input:?} on {before:?} gives {after:?}"));
    assert_eq!(books.received.minus(books.refunded), books.recognised.plus(books.suspense));
    assert!(after.receipts.len() >= before.receipts.len(), "no receipt is lost");
    assert!(books.refunded >= before.books().unwrap().refunded, "no refund is undone: {input:?} on {before:?}");
    if !matches!(input, Input::SendCode { .. }) {
        assert_eq!(after.dead_after, before.dead_after, "only what is sent moves the end of a code");
    }
    if let (Input::Recognise { trade_no, .. }, true) = (input, after != *before) {
        assert_eq!(after.find_receipt(trade_no).map(|receipt| receipt.booked), Some(Booked::Recognised));
    }
    if matches!(input, Input::Refund { .. } | Input::Return { .. } | Input::Retry { .. }) {
        check_sums(before, &after);
    }
    assert!(after.trade_seen >= before.trade_seen, "what was seen stays seen");
    assert_eq!(after.trade_seen, after.trade_no.is_some(), "a trade with a number was seen: {input:?} on {before:?}");
    check_way(before, &after, input);
    after
}

/// A wish that is followed never makes more of it than came, whatever else of the trade is under way.
fn check_sums(before: &Payment, after: &Payment) {
    let changed = after.refunds.iter().filter(|refund| !before.refunds.contains(refund));
    for trade_no in changed.map(|refund| &refund.trade_no) {
        let of_trade = after.refunds.iter().filter(|refund| refund.trade_no == *trade_no);
        let wanted = of_trade.filter(|refund| refund.status != RefundStatus::Fail).map(|refund| refund.amount.as_fen());
        let came = after.find_receipt(trade_no).expect("money").total.as_fen();
        assert!(wanted.sum::<i64>() <= came, "{after:?}");
    }
}

/// SUCCESS never changes, CLOSED and FAIL become only SUSPENSE, SUSPENSE leaves only by a decision.
fn check_way(before: &Payment, after: &Payment, input: &Input) {
    let way = (before.status.name(), after.status.name());
    let allowed = match way {
        (same, other) if same == other => true,
        (StatusName::Success, _) => false,
        (StatusName::Closed | StatusName::Fail, to) => to == StatusName::Suspense,
        (StatusName::Suspense, to) => to == StatusName::Success && matches!(input, Input::Recognise { .. }),
        (StatusName::Init | StatusName::Precreated | StatusName::Paying, to) => to != StatusName::Init,
        (StatusName::Closing, StatusName::Precreated) => matches!(input, Input::Resume),
        (StatusName::Closing, to) => !matches!(to, StatusName::Init | StatusName::Paying | StatusName::Fail),
    };
    assert!(allowed, "{way:?} by {input:?}");
    if before.status.name() == after.status.name() {
        assert_eq!(before.status, after.status, "the reason of a status never changes: {input:?}");
    }
    let money = |payment: &Payment| !payment.receipts.is_empty();
    assert_eq!(money(after), matches!(after.status, Status::Success(_) | Status::Suspense), "{input:?} on {before:?}");
}

#[test]
fn every_input_on_every_status_has_an_answer_that_keeps_the_laws() {
    let inputs = every_input();
    let mut steps = 0;
    for first in every_start() {
        for input in &inputs {
            let second = check_step(&first, input, NOW);
            for next in &inputs {
                check_step(&second, next, at(10_000));
                steps += 1;
            }
        }
    }
    assert!(steps > 100_000, "{steps}");
}

#[test]
fn the_same_news_twice_changes_nothing_the_second_time() {
    for first in every_start() {
        for input in every_input().into_iter().filter(|input| matches!(input, Input::Told(_))) {
            let once = apply(&first, &input, NOW).payment;
            let twice = apply(&once, &input, NOW).payment;
            // The second answer may be the one for which a closed payment was watched.
            assert_eq!(Payment { watch_at: None, ..once }, Payment { watch_at: None, ..twice }, "{input:?}");
        }
    }
}

proptest! {
    #[test]
    fn no_order_of_news_breaks_the_laws(order in prop::collection::vec((0..usize::MAX, 0..9_000_i64), 1..40)) {
        let inputs = every_input();
        let mut payment = fresh().before_precreate(SENT, "{}".into(), at(300), Duration::from_secs(300));
        let mut now = 0;
        for (which, wait) in order {
            now += wait % 120;
            payment = check_step(&payment, &inputs[which % inputs.len()], at(now));
        }
    }

    #[test]
    fn the_end_of_a_code_only_rises(sends in prop::collection::vec((0..10_000_i64, 0..10_000_i64, 0..7_200_u64), 1..9)) {
        let mut payment = fresh();
        for (sent, end, life) in sends {
            let before = payment.clone();
            payment = payment.before_precreate(at(sent), "{}".into(), at(end), Duration::from_secs(life));
            let latest = at(end).max(at(sent).after(Duration::from_secs(life))).after(GRACE);
            prop_assert_eq!(payment.dead_after, Some(before.dead_after.map_or(latest, |known| known.max(latest))));
            prop_assert_eq!(payment.body_expires_at, Some(at(end)));
            prop_assert_eq!(payment.precreated_at, Some(at(sent)));
        }
    }
}

#[test]
fn the_numbers_of_the_design() {
    assert_eq!(GRACE, Duration::from_secs(90));
    assert_eq!(CLOSE_GAP, Duration::from_secs(5));
    assert_eq!(WATCH, Duration::from_secs(2 * 3600 + 600));
}

#[test]
fn only_a_question_asked_and_answered_after_the_end_proves_death() {
    let payment = usual(StatusName::Precreated);
    let cases = [
        (390_000, Some(390_000), false),
        (390_001, Some(390_000), false),
        (390_000, Some(391_000), false),
        (390_001, Some(390_001), true),
        (390_001, None, false),
    ];
    for (asked, answered, dead) in cases {
        let answer = NoTrade {
            asked_at: UtcMs(SENT.0 + asked),
            answered_at: answered.map(|answered: i64| UtcMs(SENT.0 + answered)),
        };
        assert_eq!(payment.is_dead_by(answer), dead, "{asked} {answered:?}");
        assert!(!fresh().is_dead_by(answer), "nothing was sent");
    }
}

#[test]
fn a_code_can_be_shown_again_only_while_nothing_speaks_against_it() {
    let stopped = given(usual(StatusName::Closing), "by person");
    assert!(stopped.is_resumable(UtcMs(at(300).0 - 1)));
    assert!(!stopped.is_resumable(at(300)), "the code has ended");
    for word in ["no QR", "trade T1", "close 5 s ago"] {
        assert!(!given(stopped.clone(), word).is_resumable(NOW), "{word}");
    }
}

#[test]
fn what_a_restart_does_for_every_status() {
    let expected = |payment: &Payment, clock_known, step| {
        assert_eq!(next_step(payment, NOW, clock_known), step, "{} {clock_known}", payment.status.name().as_str());
    };
    expected(&fresh(), true, Step::Precreate);
    // The end of a code is an absolute time: first the gateway's clock must be known.
    expected(&fresh(), false, Step::Query);
    // Only the one that wrote down the moment of sending sends a payment by the buyer's code: a restart asks.
    expected(&given(fresh(), "buyer code"), true, Step::Query);
    for name in StatusName::ALL {
        let step = match name {
            // What was sent may have arrived: ask first.
            StatusName::Init | StatusName::Precreated | StatusName::Paying | StatusName::Closing => Step::Query,
            StatusName::Success | StatusName::Closed | StatusName::Fail | StatusName::Suspense => Step::Rest,
        };
        expected(&usual(name), true, step);
        expected(&usual(name), false, step);
    }
}

#[test]
fn a_later_code_whose_answer_was_lost_is_asked_for_again_with_the_same_bytes() {
    let ended = given(usual(StatusName::Precreated), "code over");
    let wanted = apply(&ended, &Input::NewCode, NOW).payment;
    assert_eq!(next_step(&wanted, NOW, true), Step::Query, "nothing was sent yet: a person asks again");
    let sent = wanted.before_precreate(NOW, "{\"later\":1}".into(), at(600), Duration::from_secs(300));
    assert_eq!(next_step(&sent, NOW, true), Step::Precreate);
    assert_eq!(next_step(&sent, NOW, false), Step::Query, "first the gateway's clock");
    assert_eq!(next_step(&sent, at(600), true), Step::Query, "it has ended, too");
    let again = apply(&sent, &Input::NewCode, NOW);
    assert_eq!((again.payment, again.then), (sent.clone(), Step::Precreate), "a click asks for the same code");

    let shown = apply(&sent, &qr_issued(), NOW).payment;

    assert_eq!((shown.code_expires_at, next_step(&shown, NOW, true)), (Some(at(600)), Step::Query));
}

#[test]
fn a_closed_payment_is_asked_once_more_when_its_time_has_come() {
    for name in [StatusName::Closed, StatusName::Fail] {
        let watched = given(usual(name), "watched");
        assert_eq!(next_step(&watched, UtcMs(at(7_800).0 - 1), true), Step::Rest);
        assert_eq!(next_step(&watched, at(7_800), true), Step::Query);
    }
    assert_eq!(next_step(&given(usual(StatusName::Success), "watched"), at(7_800), true), Step::Rest);
}

#[test]
fn an_overpaid_payment_keeps_every_fen() {
    let suspended = apply(&usual(StatusName::Paying), &paid_by("T1", 1_200), NOW).payment;
    let books = suspended.books().unwrap();
    assert_eq!((books.received, books.recognised, books.suspense), (fen(1_200), fen(0), fen(1_200)));
}

#[test]
fn a_close_is_noted_before_it_is_sent_and_changes_nothing_else() {
    let before = usual(StatusName::Closing);
    let after = before.before_close(at(7));
    assert_eq!(after.close_sent_at, Some(at(7)));
    assert_eq!(Payment { close_sent_at: before.close_sent_at, ..after }, before);
}
