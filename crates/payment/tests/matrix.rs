//! The total table of a payment's life: every kind of news on every status, with everything that follows.
//!
//! Written from the design, not from the code. The words are explained in `table.rs`, the payments in `start.rs`.
//! One test is one row; a line says first what is special about the payment before.

use crate::start::{closed, no_trade, paid_by, qr_issued, refusal, told, waiting};
use crate::table::check;
use yidan_payment::Evidence;

// given | INIT | PRECREATED | PAYING | CLOSING | SUCCESS | CLOSED and FAIL | SUSPENSE

#[test]
fn a_code_is_shown_only_while_we_want_to_be_paid() {
    check(
        &qr_issued(),
        "
                  | PRECREATED code P | = code P | = P | = P | = | = | =
        no QR     | PRECREATED code P | = code P | = P | = P | = | = | =
        by person | PRECREATED code P | = code P | = P | = P | = | = | =
        ",
    );
}

#[test]
fn a_refusal_fails_only_what_was_never_shown() {
    check(
        &told(Evidence::Refused(refusal("isv.invalid-signature"))),
        "
                   | FAIL W | = P | = P       | = P | = | = | =
        QR         | = P    | = P | = P       | = P | = | = | =
        no QR      | FAIL W | = P | = P       | = P | = | = | =
        buyer code | = P    | = P | CLOSING Q | = P | = | = | =
        ",
    );
}

#[test]
fn a_refusal_that_speaks_of_a_trade_is_a_reason_to_ask() {
    for sub_code in
        ["ACQ.TRADE_HAS_SUCCESS", "ACQ.TRADE_HAS_CLOSE", "ACQ.CONTEXT_INCONSISTENT", "ACQ.TRADE_BUYER_NOT_MATCH"]
    {
        check(
            &told(Evidence::RefusedTradeExists(refusal(sub_code))),
            "
                       | = Q | = Q | = Q | = Q | = | = Q | =
            no QR      | = Q | = Q | = Q | = Q | = | = Q | =
            buyer code | = Q | = Q | = Q | = Q | = | = Q | =
            ",
        );
    }
}

#[test]
fn no_trade_yet_means_only_that_nobody_has_scanned() {
    // Asked or answered not after dead_after (390 s), or answered without a Date.
    for (asked, answered) in [(60, Some(61)), (391, Some(390)), (390, Some(392)), (391, None)] {
        check(
            &no_trade(asked, answered),
            "
                                     | = precreate | = P | = Q | = P         | = | = | =
            no QR                    | = precreate | = P | = Q | CLOSED(c) W | = | = | =
            no QR, trade T1          | = precreate | = P | = Q | = P         | = | = | =
            buyer code               | = P         | = P | = Q | = P         | = | = | =
            by person                | = precreate | = P | = Q | = P         | = | = | =
            trade T1                 | = precreate | = P | = Q | = P         | = | = | =
            nothing sent             | = precreate | = P | = Q | CLOSED(c)   | . | . | .
            nothing sent, buyer code | = P         | = P | = Q | CLOSED(c)   | . | . | .
            ",
        );
    }
}

#[test]
fn no_trade_after_the_last_code_died_is_proof() {
    check(
        &no_trade(391, Some(391)),
        "
                             | CLOSED(b) W         | CLOSED(b) W | = Q !TRADE_VANISHED | CLOSED(b) W | = | = | =
        no trade             | CLOSED(b) W         | CLOSED(b) W | = Q                 | CLOSED(b) W | . | = | .
        no trade, no QR      | CLOSED(b) W         | CLOSED(b) W | = Q                 | CLOSED(b) W | . | = | .
        no trade, buyer code | CLOSED(b) W         | CLOSED(b) W | CLOSED(b) W         | CLOSED(b) W | . | = | .
        no trade, by person  | CLOSED(b) W         | CLOSED(b) W | = Q                 | CLOSED(b) W | . | = | .
        trade T1             | = Q !TRADE_VANISHED | same        | same                | same        | = | = | =
        trade T1, no QR      | = Q !TRADE_VANISHED | same        | same                | same        | = | = | =
        trade T1, buyer code | = Q !TRADE_VANISHED | same        | same                | same        | = | = | =
        ",
    );
}

#[test]
fn booked_money_that_the_channel_does_not_know_is_a_case_after_ten_minutes() {
    // Booked at 30 s. In the second a minute later there is a Date or there is none.
    check(&no_trade(629, Some(630)), "no trade | CLOSED(b) W | CLOSED(b) W | = Q | CLOSED(b) W | = | = | =");
    check(
        &no_trade(630, Some(630)),
        "no trade | CLOSED(b) W | CLOSED(b) W | = Q | CLOSED(b) W | = !CHANNEL_MISSING | = | = !CHANNEL_MISSING",
    );
    // Without a Date the death of a code is not proved, however late.
    check(
        &no_trade(100_000, None),
        "no trade | = precreate | = P | = Q | = P | = !CHANNEL_MISSING | = | = !CHANNEL_MISSING",
    );
}

#[test]
fn a_closed_payment_is_watched_until_it_was_asked_once_more() {
    check(&no_trade(7_799, Some(7_800)), "watched | . | . | . | . | . | = | .");
    check(&no_trade(7_800, Some(7_800)), "watched | . | . | . | . | . | = -W | .");
    check(&closed("T1"), "watched | . | . | . | . | . | = -W | .");
}

#[test]
fn a_scan_with_the_right_amount() {
    check(
        &waiting("T1", 1_000),
        "
                                | PAYING seen P | same | = P      | = seen C | = | = seen !CLOSED_BUT_ALIVE C W | =
        no trade                | PAYING seen P | same | = seen P | = seen C | . | = seen !CLOSED_BUT_ALIVE C W | .
        trade T1                | PAYING P      | same | = P      | = C      | = | = !CLOSED_BUT_ALIVE C W      | =
        trade T1, close 4 s ago | PAYING P      | same | = P      | = P      | = | = !CLOSED_BUT_ALIVE W        | =
        trade T1, close 5 s ago | PAYING P      | same | = P      | = C      | = | = !CLOSED_BUT_ALIVE C W      | =
        trade T1, sent 3 h ago  | PAYING P      | same | = P      | = C      | = | = !CLOSED_BUT_ALIVE C W5     | =
        trade T1, by person     | PAYING P      | same | = P      | = C      | = | = !CLOSED_BUT_ALIVE C W      | =
        ",
    );
    // One number carries one trade: the first one seen stays, so that money of another one is noticed.
    check(&waiting("T2", 1_000), "trade T1 | PAYING P | PAYING P | = P | = C | = | = !CLOSED_BUT_ALIVE C W | =");
}

#[test]
fn a_scan_with_another_amount_is_closed_at_once() {
    check(
        &waiting("T1", 1_200),
        "
        no trade                | CLOSING seen C !AMOUNT_MISMATCH | same | same | = seen C | . | = seen !CLOSED_BUT_ALIVE C W | .
        trade T1                | CLOSING C !AMOUNT_MISMATCH      | same | same | = C      | = | = !CLOSED_BUT_ALIVE C W      | =
        trade T1, close 4 s ago | CLOSING P !AMOUNT_MISMATCH      | same | same | = P      | = | = !CLOSED_BUT_ALIVE W        | =
        trade T1, close 5 s ago | CLOSING C !AMOUNT_MISMATCH      | same | same | = C      | = | = !CLOSED_BUT_ALIVE C W      | =
        ",
    );
}

#[test]
fn money_of_the_right_amount() {
    check(
        &paid_by("T1", 1_000),
        "
                            | SUCCESS seen booked:T1 | same | SUCCESS booked:T1 | SUCCESS seen booked:T1 | = | SUSPENSE seen aside:T1 !LATE_PAYMENT | =
        no trade            | SUCCESS seen booked:T1 | same | same | same                             | . | SUSPENSE seen aside:T1 !LATE_PAYMENT    | .
        trade T1            | SUCCESS booked:T1      | same | same | same                             | = | SUSPENSE aside:T1 !LATE_PAYMENT         | =
        trade T1, watched   | SUCCESS booked:T1 -W   | same | same | same                             | = | SUSPENSE aside:T1 !LATE_PAYMENT -W      | =
        trade T1, by clock  | SUCCESS booked:T1      | same | same | same                             | = | SUSPENSE aside:T1 !LATE_PAYMENT         | =
        trade T1, by person | SUCCESS booked:T1      | same | same | SUCCESS booked:T1 !PAID_AFTER_STOP | = | SUSPENSE aside:T1 !LATE_PAYMENT         | =
        trade T1, by sale   | SUCCESS booked:T1      | same | same | SUCCESS booked:T1 !PAID_AFTER_STOP | = | SUSPENSE aside:T1 !LATE_PAYMENT         | =
        ",
    );
}

#[test]
fn money_of_another_amount() {
    check(
        &paid_by("T1", 1_200),
        "
        no trade               | SUSPENSE seen aside:T1 !AMOUNT_MISMATCH | same | same | same | .                | same | .
        trade T1               | SUSPENSE aside:T1 !AMOUNT_MISMATCH      | same | same | same | = !CONTRADICTION | SUSPENSE aside:T1 !AMOUNT_MISMATCH | = !CONTRADICTION
        trade T1, by person    | SUSPENSE aside:T1 !AMOUNT_MISMATCH      | same | same | same | = !CONTRADICTION | SUSPENSE aside:T1 !AMOUNT_MISMATCH | = !CONTRADICTION
        trade T1, booked 12.00 | SUSPENSE aside:T1 !AMOUNT_MISMATCH      | same | same | same | =                | SUSPENSE aside:T1 !AMOUNT_MISMATCH | =
        ",
    );
    check(&paid_by("T1", 1_000), "booked 12.00 | . | . | . | . | = !CONTRADICTION | . | = !CONTRADICTION");
}

#[test]
fn money_of_another_trade() {
    check(
        &paid_by("T2", 1_000),
        "
                  | SUCCESS seen booked:T2 | same | SUCCESS trade:T2 booked:T2 !CONTRADICTION | SUCCESS seen booked:T2 | = aside:T2 !DUPLICATE_PAYMENT | SUSPENSE seen aside:T2 !LATE_PAYMENT | = aside:T2 !DUPLICATE_PAYMENT
        trade T1  | . | . | SUCCESS trade:T2 booked:T2 !CONTRADICTION | same                                                       | = aside:T2 !DUPLICATE_PAYMENT | SUSPENSE trade:T2 aside:T2 !LATE_PAYMENT | = aside:T2 !DUPLICATE_PAYMENT
        trade T1, by person | . | . | . | SUCCESS trade:T2 booked:T2 !CONTRADICTION !PAID_AFTER_STOP | . | . | .
        extra T2  | . | . | . | . | = | . | =
        ",
    );
    check(
        &paid_by("T2", 1_200),
        "
                 | SUSPENSE seen aside:T2 !AMOUNT_MISMATCH | same | SUSPENSE trade:T2 aside:T2 !AMOUNT_MISMATCH !CONTRADICTION | SUSPENSE seen aside:T2 !AMOUNT_MISMATCH | = aside:T2 !DUPLICATE_PAYMENT | SUSPENSE seen aside:T2 !AMOUNT_MISMATCH | = aside:T2 !DUPLICATE_PAYMENT
        trade T1 | . | . | SUSPENSE trade:T2 aside:T2 !AMOUNT_MISMATCH !CONTRADICTION | same | = aside:T2 !DUPLICATE_PAYMENT | SUSPENSE trade:T2 aside:T2 !AMOUNT_MISMATCH | = aside:T2 !DUPLICATE_PAYMENT
        extra T2 | . | . | . | . | = !CONTRADICTION | . | = !CONTRADICTION
        ",
    );
}
