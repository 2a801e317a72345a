//! A refund from the wish to its end: written down, asked for, sent, refused, tried again.

use crate::start::{
    NOW, at, closed, fen, give_back, given, no_refund, paid_by, receipt, recognise, refund_fact, refund_wish,
    refused_refund, retry, told, trade, usual,
};
use std::time::Duration;
use yidan_payment::{
    Booked, CaseKind, Evidence, HeldBack, Input, Method, NoRefund, Outcome, Payment, Refund, RefundOrigin,
    RefundStatus, Refunding, SaleId, StatusName, Step, UtcMs, WishRefused, apply,
};

const SENT: i64 = 100;

fn paid() -> Payment {
    Payment { receipts: vec![receipt("T1", 1_000, Booked::Recognised)], ..usual(StatusName::Success) }
}

fn play(payment: &Payment, input: &Input) -> Outcome {
    apply(payment, input, NOW)
}

fn after(payment: &Payment, inputs: &[Input]) -> Payment {
    inputs.iter().fold(payment.clone(), |payment, input| play(&payment, input).payment)
}

/// R1 of 3.00 was sent at `SENT` seconds.
fn sent() -> Payment {
    after(&paid(), &[refund_wish("T1", "R1", 300)]).before_refund(0, at(SENT))
}

fn statuses(payment: &Payment) -> Vec<RefundStatus> {
    payment.refunds.iter().map(|refund| refund.status).collect()
}

fn answer(evidence: Evidence) -> NoRefund {
    let Evidence::NotRefunded(answer) = evidence else { panic!("{evidence:?}") };
    answer
}

#[test]
fn a_wish_is_written_down_and_asked_for_before_it_is_sent() {
    let outcome = play(&paid(), &refund_wish("T1", "R1", 300));

    assert_eq!((outcome.then, statuses(&outcome.payment)), (Step::QueryRefunds, vec![RefundStatus::Init]));
    let refund = &outcome.payment.refunds[0];
    assert_eq!((refund.sent_at, refund.tries, refund.origin), (None, 0, RefundOrigin::Ours));
    assert_eq!(outcome.payment.refunds_to_ask(), [(0, Refunding::Settle)]);
    assert!(outcome.payment.may_send_refund(0, &answer(no_refund("R1", 0))));
    assert!(!outcome.payment.may_send_refund(1, &answer(no_refund("R1", 0))), "there is no such refund");
    assert_eq!(outcome.payment.refundable(&trade("T1")), fen(700), "what was wished for is spoken for");
}

#[test]
fn wishes_that_are_refused() {
    let late = after(&usual(StatusName::Closed), &[paid_by("T1", 1_000)]);
    let busy = sent();
    for (payment, wish, why) in [
        (paid(), refund_wish("T1", "R1", 1_001), WishRefused::MoreThanIsLeft),
        (paid(), refund_wish("T1", "R1", 0), WishRefused::MoreThanIsLeft),
        (paid(), refund_wish("T2", "R1", 1), WishRefused::NoSuchMoney),
        (late, refund_wish("T1", "R1", 1), WishRefused::NoSuchMoney),
        (usual(StatusName::Paying), refund_wish("T1", "R1", 1), WishRefused::NotNow),
        (usual(StatusName::Closed), refund_wish("T1", "R1", 1), WishRefused::NotNow),
        (busy.clone(), refund_wish("T1", "R2", 1), WishRefused::RefundUnderWay),
        (busy, retry("R1"), WishRefused::NotNow),
        (paid(), retry("R1"), WishRefused::NotNow),
    ] {
        let outcome = play(&payment, &wish);
        assert_eq!((outcome.refused, &outcome.payment), (Some(why), &payment), "{wish:?}");
    }
}

#[test]
fn exactly_what_came_may_go_back() {
    let payment = after(&paid(), &[refund_wish("T1", "R1", 1_000)]);
    assert_eq!((statuses(&payment), payment.refundable(&trade("T1"))), (vec![RefundStatus::Init], fen(0)));
}

#[test]
fn what_is_sent_is_written_down_first() {
    let payment = sent();
    let refund = &payment.refunds[0];
    assert_eq!((refund.status, refund.sent_at, refund.tries), (RefundStatus::Processing, Some(at(SENT)), 1));
    let again = payment.before_refund(0, at(SENT + 20));
    assert_eq!((again.refunds[0].sent_at, again.refunds[0].tries), (Some(at(SENT + 20)), 2));
    assert_eq!(payment.before_refund(5, at(0)), payment, "there is no such refund");
}

#[test]
fn silence_for_ten_seconds_sends_the_same_number_again_and_not_earlier() {
    let payment = sent();
    for (seconds, expected) in [(SENT, false), (SENT + 9, false), (SENT + 10, true), (SENT + 60, true)] {
        let said = no_refund("R1", seconds);
        assert_eq!(payment.may_send_refund(0, &answer(said.clone())), expected, "{seconds}");
        assert_eq!(after(&payment, &[told(said)]), payment, "without a refusal nothing has failed");
    }
}

#[test]
fn a_refusal_and_ten_seconds_of_nothing_are_a_failure() {
    let refused = play(&sent(), &told(refused_refund("R1")));
    assert_eq!((refused.then, statuses(&refused.payment)), (Step::QueryRefunds, vec![RefundStatus::Processing]));
    assert!(refused.payment.refunds[0].refused.is_some());
    assert!(!refused.payment.may_send_refund(0, &answer(no_refund("R1", SENT + 60))), "a person must want it again");

    for (seconds, status) in [(SENT + 9, RefundStatus::Processing), (SENT + 10, RefundStatus::Fail)] {
        let asked = after(&refused.payment, &[told(no_refund("R1", seconds))]);
        assert_eq!(statuses(&asked), [status], "{seconds}");
    }
    let other = after(&refused.payment, &[told(no_refund("R2", SENT + 60)), told(refused_refund("R2"))]);
    assert_eq!(other, refused.payment, "nothing of it is about R1");
}

#[test]
fn a_refusal_is_no_proof_against_money_that_moved() {
    let refused = after(&sent(), &[told(refused_refund("R1"))]);
    let moved = after(&refused, &[told(Evidence::RefundedOurs(refund_fact("T1", "R1", 300)))]);
    assert_eq!((statuses(&moved), moved.refunds[0].refused.is_none()), (vec![RefundStatus::Success], true));
    let late = after(&moved, &[told(refused_refund("R1")), told(no_refund("R1", SENT + 60))]);
    assert_eq!(late, moved, "what went back stays back");
}

#[test]
fn a_retry_keeps_the_number_and_is_counted_again() {
    let failed = after(&sent(), &[told(refused_refund("R1")), told(no_refund("R1", SENT + 10))]);
    assert_eq!(failed.next_refund_number(Booked::Recognised), format!("{}R1", failed.out_trade_no));
    let again = play(&failed, &retry("R1"));
    let refund = &again.payment.refunds[0];
    assert_eq!((refund.status, refund.out_request_no.as_deref()), (RefundStatus::Init, Some("R1")));
    assert_eq!((refund.refused.is_none(), again.then), (true, Step::QueryRefunds));
    assert_eq!(refund.wish.as_ref().map(|wish| wish.approver_id.as_str()), Some("03"), "who approved it this time");
    // It went through in an earlier try after all: that is our own refund, not a forgotten one.
    let found = after(&again.payment, &[told(Evidence::RefundedOurs(refund_fact("T1", "R1", 300)))]);
    assert_eq!((found.refunds.len(), found.refunds[0].origin), (1, RefundOrigin::Ours));

    let spent = after(&failed, &[told(Evidence::RefundedElsewhere(refund_fact("T1", "POS7", 800)))]);
    assert_eq!(play(&spent, &retry("R1")).refused, Some(WishRefused::MoreThanIsLeft));
    let busy = after(&failed, &[refund_wish("T1", "R2", 100)]);
    assert_eq!(play(&busy, &retry("R1")).refused, Some(WishRefused::RefundUnderWay));
}

#[test]
fn the_answer_to_the_refund_books_and_the_query_proves() {
    let moved = after(&sent(), &[told(Evidence::RefundMoved(refund_fact("T1", "R1", 300)))]);
    assert_eq!((statuses(&moved), moved.refunds[0].proved), (vec![RefundStatus::Success], false));
    assert_eq!(moved.refunds_to_ask(), [(0, Refunding::Prove)]);
    let proved = after(&moved, &[told(Evidence::RefundedOurs(refund_fact("T1", "R1", 300)))]);
    assert_eq!((proved.refunds.len(), proved.refunds[0].proved, proved.refunds_to_ask()), (1, true, vec![]));
    // 10000 without a word about money is only a reason to ask.
    let accepted = play(&sent(), &told(Evidence::RefundAccepted { out_request_no: "R1".into() }));
    assert_eq!((accepted.payment, accepted.then), (sent(), Step::QueryRefunds));
}

#[test]
fn a_full_refund_that_closed_the_trade_is_proved_by_that() {
    let all = after(&paid(), &[refund_wish("T1", "R1", 1_000)]).before_refund(0, at(SENT));
    let moved = after(&all, &[told(Evidence::RefundMoved(refund_fact("T1", "R1", 1_000)))]);
    assert!(after(&moved, &[closed("T1")]).refunds[0].proved);
    // A refund under way explains the closing, and is not proved by it.
    let waiting = after(&all, &[closed("T1")]);
    assert_eq!((waiting.refunds.len(), waiting.refunds[0].proved), (1, false));
}

#[test]
fn a_cancelled_payment_is_proved_by_its_trade() {
    let paying = given(usual(StatusName::Paying), "buyer code");
    let cancelled = Evidence::CancelRefunded(crate::start::paid_trade("T1", 1_000));
    let back = after(&paying, &[told(cancelled)]);
    assert_eq!(back.refunds_to_ask(), [(0, Refunding::ProveByTrade)]);
    let proved = after(&back, &[told(Evidence::TradeClosedPaid(crate::start::paid_trade("T1", 1_000)))]);
    assert_eq!((proved.refunds.len(), proved.refunds_to_ask()), (1, vec![]));
}

#[test]
fn a_number_that_was_never_sent_and_has_money_is_a_forgotten_refund() {
    let wished = after(&paid(), &[refund_wish("T1", "R1", 300)]);
    let found = play(&wished, &told(Evidence::RefundedOurs(refund_fact("T1", "R1", 500))));

    assert_eq!(statuses(&found.payment), [RefundStatus::Fail, RefundStatus::Success]);
    let [held, forgotten] = &found.payment.refunds[..] else { panic!("two refunds") };
    assert_eq!((forgotten.origin, forgotten.amount), (RefundOrigin::Found, fen(500)));
    assert_eq!(held.out_request_no, Some(format!("{}R1", wished.out_trade_no)), "the next free number");
    assert!(held.refused.as_ref().is_some_and(|why| why.text.contains("5.00")), "the operator is told");
    assert!(found.cases.is_empty());
    assert_eq!(found.payment.books().unwrap().refunded, fen(500));
}

#[test]
fn numbers_count_on_and_say_whose_they_are() {
    let mut payment = paid();
    let own = |count: &str| format!("{}{count}", payment.out_trade_no);
    let (r9, r10, rx2) = (own("R9"), own("R10"), own("RX2"));
    for (number, ours) in [
        (r9.clone(), true),
        (rx2.clone(), true),
        (own(""), true),
        (own("R"), false),
        (own("RX"), false),
        (own("R1x"), false),
        ("POS7".into(), false),
    ] {
        assert_eq!(payment.is_own_refund(&number), ours, "{number}");
    }
    let first = (payment.next_refund_number(Booked::Recognised), payment.next_refund_number(Booked::Suspense));
    assert_eq!(first, (own("R1"), own("RX1")));
    let next = (own("R11"), own("RX3"));
    for number in [r9, r10, rx2, "POS77".into()] {
        payment.refunds.push(crate::start::refund(&number, 1, RefundStatus::Fail));
    }
    assert_eq!((payment.next_refund_number(Booked::Recognised), payment.next_refund_number(Booked::Suspense)), next);
}

/// A copy of the call may still be on its way: it moves what the new wish moves, or nothing.
#[test]
fn a_new_wish_of_as_much_takes_the_number_of_one_that_failed() {
    let own = |number: &str| format!("{}{number}", paid().out_trade_no);
    let number = |refund: &Refund| refund.out_request_no.clone().unwrap_or_default();
    let wished = after(&paid(), &[refund_wish("T1", &own("R1"), 300)]).before_refund(0, at(SENT));
    let failed = after(&wished, &[told(refused_refund(&own("R1"))), told(no_refund(&own("R1"), SENT + 10))]);
    assert_eq!(statuses(&failed), [RefundStatus::Fail]);

    let as_much = after(&failed, &[refund_wish("T1", &own("R2"), 300)]);
    assert_eq!(as_much.refunds.iter().map(number).collect::<Vec<_>>(), [own("R2"), own("R1")]);
    assert_eq!((as_much.refunds[0].sent_at, statuses(&as_much)[1]), (None, RefundStatus::Init));
    let held_back = as_much.refunds.iter().map(Refund::held_back);
    assert_eq!(held_back.collect::<Vec<_>>(), [Some(HeldBack::Replaced), None]);
    let sent = as_much.before_refund(1, at(SENT + 20));
    let moved = after(&sent, &[told(Evidence::RefundedOurs(refund_fact("T1", &own("R1"), 300)))]);
    assert_eq!(statuses(&moved), [RefundStatus::Fail, RefundStatus::Success]);
    assert_eq!(play(&moved, &retry(&own("R2"))).refused, Some(WishRefused::NotNow), "the later wish took its place");
    let other = after(&failed, &[refund_wish("T1", &own("R2"), 200)]);
    let sent = other.before_refund(1, at(SENT + 20));
    let moved = after(&sent, &[told(Evidence::RefundedOurs(refund_fact("T1", &own("R2"), 200)))]);
    assert_eq!(play(&moved, &retry(&own("R1"))).refused, None);
    assert_eq!(other.refunds.iter().map(number).collect::<Vec<_>>(), [own("R1"), own("R2")], "one number, one amount");
}

/// A restored database has forgotten R1 and R2. What was wished first finds R1, and waits as R2.
#[test]
fn the_next_wish_is_asked_for_under_the_number_of_the_one_that_waits() {
    let own = |number: &str| format!("{}{number}", paid().out_trade_no);
    let numbers = |payment: &Payment| -> Vec<String> {
        payment.refunds.iter().map(|refund| refund.out_request_no.clone().unwrap_or_default()).collect()
    };
    let waits = after(
        &paid(),
        &[refund_wish("T1", &own("R1"), 300), told(Evidence::RefundedOurs(refund_fact("T1", &own("R1"), 300)))],
    );
    assert_eq!(numbers(&waits), [own("R2"), own("R1")]);
    assert_eq!(statuses(&waits), [RefundStatus::Fail, RefundStatus::Success]);

    let next = waits.next_refund_number(Booked::Recognised);
    assert_eq!(next, own("R3"));
    let wished = after(&waits, &[refund_wish("T1", &next, 200)]);
    assert_eq!(numbers(&wished), [own("R3"), own("R1"), own("R2")], "R2 is asked for before anything is sent");
    assert_eq!(wished.refunds[0].held_back(), Some(HeldBack::EarlierFound), "of another amount: it may be tried again");

    let found = after(&wished, &[told(Evidence::RefundedOurs(refund_fact("T1", &own("R2"), 400)))]);
    assert_eq!(numbers(&found), [own("R3"), own("R1"), own("R4"), own("R2")]);
    use RefundStatus::{Fail, Success};
    assert_eq!(statuses(&found), [Fail, Success, Fail, Success], "both wait for a person");

    let third = after(&found, &[refund_wish("T1", &own("R5"), 100)]);
    assert_eq!(numbers(&third)[4], own("R3"), "the lowest first");
    let suspense = after(&usual(StatusName::Closed), &[paid_by("T1", 1_000), give_back("T1", &own("RX1"))]);
    assert_eq!(numbers(&suspense), [own("RX1")]);
}

#[test]
fn a_second_trade_that_is_recognised_pays_for_a_sale_of_its_own() {
    let twice = after(&paid(), &[paid_by("T2", 1_000)]);
    let recognised = after(&twice, &[recognise("T2")]);
    let sales: Vec<Option<SaleId>> = recognised.receipts.iter().map(|receipt| receipt.sale_id).collect();
    assert_eq!(sales, [None, Some(SaleId::new(uuid::Uuid::from_u128(8)))]);
    // Late money of a sale that nobody else has paid pays for that sale.
    let late = after(&usual(StatusName::Closed), &[paid_by("T1", 1_000), recognise("T1")]);
    assert_eq!((late.status.name(), late.receipts[0].sale_id), (StatusName::Success, None));
}

#[test]
fn money_in_suspense_goes_back_whole_and_money_of_the_sale_does_not_go_this_way() {
    let late = after(&usual(StatusName::Closed), &[paid_by("T1", 1_000)]);
    let back = after(&late, &[give_back("T1", "RX1")]);
    assert_eq!((statuses(&back), back.refunds[0].amount), (vec![RefundStatus::Init], fen(1_000)));
    assert_eq!(play(&paid(), &give_back("T1", "RX1")).refused, Some(WishRefused::NoSuchMoney));
    assert_eq!(play(&usual(StatusName::Fail), &give_back("T1", "RX1")).refused, Some(WishRefused::NotNow));
}

#[test]
fn a_buyers_code_is_sent_once() {
    let fresh = Payment { method: Method::BuyerCode, ..crate::start::fresh() };
    let send = Input::SendCode { timeout: Duration::from_secs(120) };

    let sending = play(&fresh, &send);

    let payment = &sending.payment;
    assert_eq!((payment.status.name(), sending.then), (StatusName::Paying, Step::Query));
    assert_eq!(payment.precreated_at, Some(NOW));
    assert_eq!(payment.body_expires_at, Some(UtcMs(NOW.0 + 120_000)));
    assert_eq!(payment.dead_after, Some(UtcMs(NOW.0 + 210_000)));
    assert_eq!(play(payment, &send).refused, Some(WishRefused::NotNow));
    for name in StatusName::ALL {
        assert_eq!(play(&usual(name), &send).refused, Some(WishRefused::NotNow), "a QR payment has no code to send");
        let over = given(usual(name), "buyer code");
        let refused = play(&over, &send).refused;
        assert_eq!(refused.is_none(), name == StatusName::Init, "{}", name.as_str());
    }
}

#[test]
fn a_refund_of_a_payment_that_is_not_known_to_be_paid_asks_for_the_payment() {
    for evidence in
        [Evidence::RefundMoved(refund_fact("T1", "R1", 1)), Evidence::RefundedOurs(refund_fact("T1", "R1", 1))]
    {
        let outcome = play(&usual(StatusName::Paying), &told(evidence));
        let kinds: Vec<CaseKind> = outcome.cases.iter().map(|case| case.kind).collect();
        assert_eq!((outcome.then, kinds), (Step::Query, vec![CaseKind::Contradiction]));
    }
}

#[test]
fn another_refund_that_comes_to_light_leaves_what_is_to_be_sent_alone() {
    let wished = after(&paid(), &[refund_wish("T1", "R1", 300)]);
    let fact = refund_fact("T1", "APP1", 200);
    let both = after(&wished, &[told(Evidence::RefundedElsewhere(fact))]);
    assert_eq!(both.refunds[0], wished.refunds[0]);
    assert_eq!(statuses(&both), [RefundStatus::Init, RefundStatus::Success]);
}

#[test]
fn what_has_given_way_to_one_forgotten_refund_gives_way_to_the_next() {
    let numbers = |payment: &Payment| -> Vec<_> {
        payment.refunds.iter().map(|refund| (refund.out_request_no.clone().unwrap(), refund.status)).collect()
    };
    let mut payment = paid();
    let number = |count: u32| format!("{}R{count}", payment.out_trade_no);
    let [one, two, three] = [1, 2, 3].map(number);
    let found = |number: &str| told(Evidence::RefundedOurs(refund_fact("T1", number, 300)));
    payment = after(&payment, &[refund_wish("T1", &one, 300), found(&one)]);
    assert_eq!(numbers(&payment), [(two.clone(), RefundStatus::Fail), (one.clone(), RefundStatus::Success)]);

    payment = after(&payment, &[found(&two)]);

    let (failed, moved) = (RefundStatus::Fail, RefundStatus::Success);
    assert_eq!(numbers(&payment), [(three, failed), (one, moved), (two, moved)]);
    assert_eq!(payment.books().unwrap().refunded, fen(600));
}

/// R2, which was replaced, is found to have moved before: it stays replaced under the next number.
#[test]
fn what_was_replaced_is_not_tried_again_under_any_number() {
    let own = |number: &str| format!("{}{number}", paid().out_trade_no);
    let number = |payment: &Payment, place: usize| payment.refunds[place].out_request_no.clone().unwrap();
    let found = |number: &str| told(Evidence::RefundedOurs(refund_fact("T1", &own(number), 100)));
    let waits = after(&paid(), &[refund_wish("T1", &own("R1"), 100), found("R1")]);
    let both = after(&waits, &[refund_wish("T1", &own("R3"), 100), found("R2"), found("R3")]);
    use RefundStatus::{Fail, Success};
    assert_eq!(statuses(&both), [Fail, Success, Fail, Success, Success]);
    assert_eq!((number(&both, 0), number(&both, 2)), (own("R5"), own("R4")));
    assert_eq!(play(&both, &retry(&own("R5"))).refused, Some(WishRefused::NotNow), "the first was replaced");
    assert_eq!(play(&both, &retry(&own("R4"))).refused, None, "the second waits");
}

#[test]
fn all_that_is_left_may_be_tried_again() {
    let failed = Payment { refunds: vec![refused(1_000)], ..paid() };
    assert_eq!(statuses(&play(&failed, &retry("R1")).payment), [RefundStatus::Init]);
    let more = Payment { refunds: vec![refused(1_001)], ..paid() };
    assert_eq!(play(&more, &retry("R1")).refused, Some(WishRefused::MoreThanIsLeft));
}

fn refused(amount: i64) -> Refund {
    let wished = after(&paid(), &[refund_wish("T1", "R1", 1)]);
    Refund { amount: fen(amount), status: RefundStatus::Fail, ..wished.refunds[0].clone() }
}

#[test]
fn the_number_that_is_taken_instead_was_never_sent() {
    let mut refund = Refund { sent_at: Some(at(SENT)), ..refused(300) };
    refund.give_way("R2".into(), fen(300));
    assert_eq!((refund.out_request_no.as_deref(), refund.sent_at), (Some("R2"), None));
}
