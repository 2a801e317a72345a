//! The second half of the table: the end of a trade, money that goes back, and what people and the clock want.

use crate::start::{closed, give_back, paid_trade, recognise, refund_fact, refusal, told};
use crate::table::check;
use yidan_payment::{Evidence, Input};

// given | INIT | PRECREATED | PAYING | CLOSING | SUCCESS | CLOSED and FAIL | SUSPENSE

#[test]
fn a_closed_trade_without_any_sign_of_payment() {
    check(
        &closed("T1"),
        "
                       | CLOSED(a) seen | same | CLOSED(a) | CLOSED(a) seen | = R FOREIGN:10.00 !REFUNDED_ELSEWHERE | =    | = R FOREIGN:10.00 !REFUNDED_ELSEWHERE
        trade T1       | CLOSED(a)      | same | same      | same           | = R FOREIGN:10.00 !REFUNDED_ELSEWHERE | =    | = R FOREIGN:10.00 !REFUNDED_ELSEWHERE
        R1 3.00 back   | CLOSED(a) seen | same | CLOSED(a) | CLOSED(a) seen | = R FOREIGN:7.00 !REFUNDED_ELSEWHERE  | =    | = R FOREIGN:7.00 !REFUNDED_ELSEWHERE
        R1 10.00 sent  | .              | .    | .         | .              | = R                                   | .    | = R
        R1 10.00 back  | .              | .    | .         | .              | = R                                   | .    | = R
        R1 10.00 refused | .            | .    | .         | .              | = R FOREIGN:10.00 !REFUNDED_ELSEWHERE | .    | = R FOREIGN:10.00 !REFUNDED_ELSEWHERE
        ",
    );
}

#[test]
fn a_closed_trade_that_was_paid_once_is_booked_first() {
    check(
        &told(Evidence::TradeClosedPaid(paid_trade("T1", 1_000))),
        "
        no trade      | SUCCESS seen booked:T1 R FOREIGN:10.00 !REFUNDED_ELSEWHERE | same | same | same | . | SUSPENSE seen aside:T1 R FOREIGN:10.00 !LATE_PAYMENT !REFUNDED_ELSEWHERE | .
        trade T1      | SUCCESS booked:T1 R FOREIGN:10.00 !REFUNDED_ELSEWHERE | same | same | same | = R FOREIGN:10.00 !REFUNDED_ELSEWHERE | SUSPENSE aside:T1 R FOREIGN:10.00 !LATE_PAYMENT !REFUNDED_ELSEWHERE | = R FOREIGN:10.00 !REFUNDED_ELSEWHERE
        R1 10.00 back | . | . | . | . | = R | . | = R
        R1 10.00 sent | . | . | . | . | = R | . | = R
        ",
    );
    check(
        &told(Evidence::TradeClosedPaid(paid_trade("T1", 1_200))),
        "
        trade T1 | SUSPENSE aside:T1 R FOREIGN:12.00 !AMOUNT_MISMATCH !REFUNDED_ELSEWHERE | same | same | same | = R FOREIGN:10.00 !CONTRADICTION !REFUNDED_ELSEWHERE | SUSPENSE aside:T1 R FOREIGN:12.00 !AMOUNT_MISMATCH !REFUNDED_ELSEWHERE | = R FOREIGN:10.00 !CONTRADICTION !REFUNDED_ELSEWHERE
        ",
    );
}

#[test]
fn a_refund_of_ours_that_moved_money() {
    check(
        &told(Evidence::RefundedOurs(refund_fact("T1", "R1", 300))),
        "
                           | = Q !CONTRADICTION | same | same | same | = FOUND:3.00      | = Q !CONTRADICTION | = FOUND:3.00
        R1 3.00 processing | = Q !CONTRADICTION | same | same | same | = back:R1        | = Q !CONTRADICTION | = back:R1
        R1 3.00 back       | = Q !CONTRADICTION | same | same | same | =                | = Q !CONTRADICTION | =
        R1 10.00 sent      | = Q !CONTRADICTION | same | same | same | = !CONTRADICTION | = Q !CONTRADICTION | = !CONTRADICTION
        ",
    );
    check(
        &told(Evidence::RefundedOurs(refund_fact("T1", "R1", 1_000))),
        "
                         | = Q !CONTRADICTION | same | same | same | = FOUND:10.00 | = Q !CONTRADICTION | = FOUND:10.00
        R1 10.00 sent    | = Q !CONTRADICTION | same | same | same | = back:R1    | = Q !CONTRADICTION | = back:R1
        R1 10.00 refused | = Q !CONTRADICTION | same | same | same | = back:R1    | = Q !CONTRADICTION | = back:R1
        ",
    );
}

#[test]
fn a_refund_that_somebody_else_made() {
    check(
        &told(Evidence::RefundedElsewhere(refund_fact("T1", "POS7", 300))),
        "
                      | = Q | = Q | = Q | = Q | = FOREIGN:3.00 !REFUNDED_ELSEWHERE | = Q | = FOREIGN:3.00 !REFUNDED_ELSEWHERE
        R1 3.00 back  | = Q | = Q | = Q | = Q | = FOREIGN:3.00 !REFUNDED_ELSEWHERE | = Q | = FOREIGN:3.00 !REFUNDED_ELSEWHERE
        R1 10.00 back | = Q | = Q | = Q | = Q | = !CONTRADICTION                   | = Q | = !CONTRADICTION
        ",
    );
    check(
        &told(Evidence::RefundedElsewhere(refund_fact("T1", "POS7", 1_000))),
        "| = Q | = Q | = Q | = Q | = FOREIGN:10.00 !REFUNDED_ELSEWHERE | = Q | = FOREIGN:10.00 !REFUNDED_ELSEWHERE",
    );
}

#[test]
fn an_accepted_close_is_no_proof() {
    check(
        &told(Evidence::CloseAccepted),
        "
                   | CLOSING Q | CLOSING Q | CLOSING Q | = Q | = Q !CONTRADICTION | = Q | = Q
        no QR      | CLOSING Q | CLOSING Q | CLOSING Q | = Q | = Q !CONTRADICTION | = Q | = Q
        buyer code | CLOSING Q | CLOSING Q | CLOSING Q | = Q | = Q !CONTRADICTION | = Q | = Q
        ",
    );
}

#[test]
fn a_refused_close_is_only_a_reason_to_ask() {
    for sub_code in ["ACQ.TRADE_STATUS_ERROR", "ACQ.REASON_TRADE_REFUND_FEE_ERR", "ACQ.TRADE_NOT_EXIST", ""] {
        check(
            &told(Evidence::CloseRefused(refusal(sub_code))),
            "
                       | = Q | = Q | = Q | = Q | = Q | = Q | = Q
            no QR      | = Q | = Q | = Q | = Q | = Q | = Q | = Q
            buyer code | = Q | = Q | = Q | = Q | = Q | = Q | = Q
            ",
        );
    }
}

#[test]
fn a_cancel_that_gave_the_money_back() {
    check(
        &told(Evidence::CancelRefunded(paid_trade("T1", 1_000))),
        "
        buyer code, no trade  | = Q !CONTRADICTION | same | SUCCESS seen booked:T1 CANCEL:10.00 R | same | .                | SUSPENSE seen aside:T1 CANCEL:10.00 R !LATE_PAYMENT | .
        buyer code, trade T1  | = Q !CONTRADICTION | same | SUCCESS booked:T1 CANCEL:10.00 R      | same | = CANCEL:10.00 R | SUSPENSE aside:T1 CANCEL:10.00 R !LATE_PAYMENT      | = CANCEL:10.00 R
        trade T1, by person   | = Q !CONTRADICTION | same | SUCCESS booked:T1 CANCEL:10.00 R      | same | = CANCEL:10.00 R | SUSPENSE aside:T1 CANCEL:10.00 R !LATE_PAYMENT      | = CANCEL:10.00 R
        R1 10.00 back         | .                  | .    | .                                     | .    | = R              | .                                                   | = R
        ",
    );
}

#[test]
fn a_stop_by_a_person() {
    check(
        &Input::Stop,
        "
                      | CLOSING by:PERSON Q | CLOSING by:PERSON Q | CLOSING by:PERSON C | = by:PERSON P | = no:AlreadyPaid | = | =
        by person     | CLOSING Q           | CLOSING Q           | CLOSING C           | = P           | = no:AlreadyPaid | = | =
        by clock      | CLOSING by:PERSON Q | CLOSING by:PERSON Q | CLOSING by:PERSON C | = by:PERSON P | = no:AlreadyPaid | = | =
        close 4 s ago | CLOSING by:PERSON Q | CLOSING by:PERSON Q | CLOSING by:PERSON P | = by:PERSON P | = no:AlreadyPaid | = | =
        no QR         | CLOSING by:PERSON Q | CLOSING by:PERSON Q | CLOSING by:PERSON C | = by:PERSON P | = no:AlreadyPaid | = | =
        ",
    );
}

#[test]
fn the_sale_has_its_money_elsewhere() {
    check(
        &Input::SaleSettled,
        "
                      | CLOSING by:SALE Q | CLOSING by:SALE Q | CLOSING by:SALE C | = by:SALE P | = | = | =
        close 4 s ago | CLOSING by:SALE Q | CLOSING by:SALE Q | CLOSING by:SALE P | = by:SALE P | = | = | =
        ",
    );
}

#[test]
fn the_idle_limit_has_passed() {
    check(
        &Input::ClockPassed,
        "
                  | CLOSING by:CLOCK Q | CLOSING by:CLOCK Q | CLOSING by:CLOCK Q | = Q | = | = | =
        by person | CLOSING by:CLOCK Q | CLOSING by:CLOCK Q | CLOSING by:CLOCK Q | = Q | = | = | =
        no QR     | CLOSING by:CLOCK Q | CLOSING by:CLOCK Q | CLOSING by:CLOCK Q | = Q | = | = | =
        ",
    );
}

#[test]
fn the_same_code_once_more() {
    check(
        &Input::Refresh,
        "
                  | = P no:NotNow | = precreate   | = P no:NotNow | = P no:NotNow | = no:NotNow | = no:NotNow | = no:NotNow
        code over | = P no:NotNow | = P no:NotNow | = P no:NotNow | = P no:NotNow | = no:NotNow | = no:NotNow | = no:NotNow
        ",
    );
}

#[test]
fn a_later_code_on_the_same_number() {
    check(
        &Input::NewCode,
        "
                  | = P no:NotNow | = P no:NotNow       | = P no:NotNow | = P no:NotNow | = no:NotNow | = no:NotNow | = no:NotNow
        code over | = P no:NotNow | = precreate newbody | = P no:NotNow | = P no:NotNow | = no:NotNow | = no:NotNow | = no:NotNow
        ",
    );
}

#[test]
fn going_on_after_a_stop() {
    check(
        &Input::Resume,
        "
                      | = P no:NotNow | same | same | PRECREATED P       | = no:NotNow | = no:NotNow | = no:NotNow
        by person     | = P no:NotNow | same | same | PRECREATED by:- P  | = no:NotNow | = no:NotNow | = no:NotNow
        code over     | = P no:NotNow | same | same | = P no:NotResumable | = no:NotNow | = no:NotNow | = no:NotNow
        close 5 s ago | = P no:NotNow | same | same | = P no:NotResumable | = no:NotNow | = no:NotNow | = no:NotNow
        trade T1      | = P no:NotNow | same | same | = P no:NotResumable | = no:NotNow | = no:NotNow | = no:NotNow
        no QR         | = P no:NotNow | same | same | = P no:NotResumable | = no:NotNow | = no:NotNow | = no:NotNow
        buyer code    | = P no:NotNow | same | same | = P no:NotResumable | = no:NotNow | = no:NotNow | = no:NotNow
        ",
    );
}

#[test]
fn a_person_recognises_money_in_suspense() {
    check(
        &recognise("T1"),
        "
                         | = P no:NotNow | same | same | same | = no:NoSuchMoney | = no:NotNow | SUCCESS recognised:T1
        R1 3.00 back     | = P no:NotNow | same | same | same | = no:NoSuchMoney | = no:NotNow | SUCCESS recognised:T1
        R1 10.00 back    | = P no:NotNow | same | same | same | = no:NoSuchMoney | = no:NotNow | = no:NoSuchMoney
        R1 10.00 sent    | = P no:NotNow | same | same | same | = no:NoSuchMoney | = no:NotNow | = no:NoSuchMoney
        R1 10.00 refused | = P no:NotNow | same | same | same | = no:NoSuchMoney | = no:NotNow | SUCCESS recognised:T1
        ",
    );
    check(
        &recognise("T2"),
        "
                 | = P no:NotNow | same | same | same | = no:NoSuchMoney | = no:NotNow | = no:NoSuchMoney
        extra T2 | .             | .    | .    | .    | = recognised:T2  | .           | SUCCESS recognised:T2 trade:T2
        ",
    );
}

#[test]
fn a_person_gives_money_in_suspense_back() {
    let give_back = |number: &str| give_back(number, "RX1");
    check(
        &give_back("T1"),
        "
                         | = P no:NotNow | same | same | same | = no:NoSuchMoney | = no:NotNow | = send:RX1 R
        R1 3.00 back     | = P no:NotNow | same | same | same | = no:NoSuchMoney | = no:NotNow | = send:RX1 R
        R1 10.00 back    | = P no:NotNow | same | same | same | = no:NoSuchMoney | = no:NotNow | = no:NoSuchMoney
        R1 10.00 sent    | = P no:NotNow | same | same | same | = no:NoSuchMoney | = no:NotNow | = no:NoSuchMoney
        R1 10.00 refused | = P no:NotNow | same | same | same | = no:NoSuchMoney | = no:NotNow | = send:RX1 R
        ",
    );
    check(
        &give_back("T2"),
        "
                 | = P no:NotNow | same | same | same | = no:NoSuchMoney | = no:NotNow | = no:NoSuchMoney
        extra T2 | .             | .    | .    | .    | = send:RX1 R       | .           | = send:RX1 R
        ",
    );
}
