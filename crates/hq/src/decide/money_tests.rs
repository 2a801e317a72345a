//! What counts, case by case, over a ledger in memory.

use super::money::*;
use uuid::Uuid;
use yidan_payment::{
    Account, Booked, Evidence, Fen, Hash, Method, OrderId, OrderStatus, OutTradeNo, PaidTrade, PaymentId, Receipt,
    Refund, RefundFact, RefundOrigin, RefundStatus, RequestId, SaleId, StatusName, TradeNo, UtcMs,
};
use yidan_wire::{Carry, EventKind, PaymentState, ReceiptState};

fn trade() -> TradeNo {
    TradeNo::new("T1").unwrap()
}

fn fen(fen: i64) -> Fen {
    Fen::from_fen(fen).unwrap()
}

fn refund(number: Option<&str>, amount: i64) -> Refund {
    Refund::new(trade(), number.map(str::to_owned), fen(amount), RefundOrigin::Ours, RefundStatus::Success)
}

fn money(total: i64) -> PaidTrade {
    PaidTrade { trade_no: trade(), total: fen(total), receipt: fen(total), paid_at: None }
}

fn went_back(number: &str, amount: i64) -> Evidence {
    let fact = RefundFact { trade_no: trade(), out_request_no: Some(number.into()), amount: fen(amount) };
    Evidence::RefundedOurs(fact)
}

/// A payment of 10.00 that is paid, with these refunds.
fn paid(refunds: Vec<Refund>) -> PaymentState {
    PaymentState {
        pay_id: PaymentId::new(Uuid::from_u128(1)),
        order_id: OrderId::new(Uuid::from_u128(2)),
        sale_id: SaleId::new(Uuid::from_u128(3)),
        order_no: "0001".into(),
        source: "counter".into(),
        external_ref: None,
        subject: "矿泉水".into(),
        business_day: "2026-11-30".into(),
        method: Method::Qr,
        account: Account("app@host".into()),
        out_trade_no: OutTradeNo::new("N1").unwrap(),
        amount_fen: fen(1000),
        status: StatusName::Success,
        order_status: OrderStatus::Paid,
        trade_no: Some(trade()),
        stopped_by: None,
        reason: None,
        receipts: vec![ReceiptState {
            receipt: Receipt {
                trade_no: trade(),
                total: fen(1000),
                receipt: fen(1000),
                paid_at: None,
                booked: Booked::Recognised,
                sale_id: None,
            },
            business_day: "2026-11-30".into(),
        }],
        refunds,
        cases: Vec::new(),
        decisions: Vec::new(),
        proof: None,
        created_at: UtcMs(0),
        carry: Carry {
            request_id: RequestId::new(Uuid::from_u128(4)),
            content_hash: Hash::ZERO,
            operator_id: "001".into(),
            day_seq: 1,
            replaces_order_id: None,
            trade_seen: true,
            request_body: None,
            body_expires_at: None,
            code_expires_at: None,
            close_sent_at: None,
            precreated_at: None,
            dead_after: None,
            watch_at: None,
            booked_at: None,
        },
    }
}

fn book(ledger: &mut Ledger, state: &PaymentState, proved: Option<&Evidence>) {
    book_line(ledger, (1, 1), state, proved);
}

fn book_line(ledger: &mut Ledger, line: LineNo, state: &PaymentState, proved: Option<&Evidence>) {
    let reporter = Reporter { terminal_id: "S01T01".into(), store_id: "S01".into() };
    ledger.book(&Report { reporter: &reporter, line, kind: EventKind::Refunded, at: UtcMs(7), state, proved });
}

fn with_money() -> Ledger {
    let mut ledger = Ledger::default();
    book(&mut ledger, &paid(vec![]), Some(&Evidence::Paid(money(1000))));
    assert_eq!(ledger.changed_receipts.len(), 1);
    ledger
}

fn back(ledger: &Ledger) -> i64 {
    ledger.refunds.values().map(|refund| refund.amount.as_fen()).sum()
}

fn findings(ledger: &Ledger) -> Vec<&str> {
    ledger.cases.iter().map(|case| case.kind).collect()
}

#[test]
fn a_proved_refund_counts_once_however_often_it_is_reported() {
    let mut ledger = with_money();
    let state = paid(vec![refund(Some("N1R1"), 300)]);
    for _ in 0..3 {
        book(&mut ledger, &state, Some(&went_back("N1R1", 300)));
    }
    assert_eq!((back(&ledger), findings(&ledger)), (300, vec![]));
}

#[test]
fn a_refund_counts_only_with_a_statement_of_just_this_refund() {
    let state = paid(vec![refund(Some("N1R1"), 300)]);
    for wrong in [
        None,
        Some(went_back("N1R2", 300)),
        Some(went_back("N1R1", 299)),
        Some(Evidence::Paid(money(1000))),
        Some(Evidence::TradeClosedPaid(money(1000))),
    ] {
        let mut ledger = with_money();
        book(&mut ledger, &state, wrong.as_ref());
        assert_eq!((back(&ledger), findings(&ledger)), (0, vec!["UNPROVED_REFUND"]), "{wrong:?}");
    }
}

#[test]
fn more_than_came_never_goes_back() {
    let mut ledger = with_money();
    book(&mut ledger, &paid(vec![refund(Some("N1R1"), 800)]), Some(&went_back("N1R1", 800)));
    let both = paid(vec![refund(Some("N1R1"), 800), refund(Some("N1R2"), 300)]);
    book(&mut ledger, &both, Some(&went_back("N1R2", 300)));
    assert_eq!((back(&ledger), findings(&ledger)), (800, vec!["UNPROVED_REFUND"]));
}

#[test]
fn a_closed_trade_that_was_paid_proves_the_money_and_that_all_of_it_went_back() {
    let mut ledger = Ledger::default();
    book(&mut ledger, &paid(vec![refund(None, 1000)]), Some(&Evidence::TradeClosedPaid(money(1000))));
    assert_eq!((ledger.receipts.len(), back(&ledger), findings(&ledger)), (1, 1000, vec![]));
}

#[test]
fn a_refund_known_only_as_a_fact_gets_its_number_and_stays_one() {
    let mut ledger = Ledger::default();
    book(&mut ledger, &paid(vec![refund(None, 1000)]), Some(&Evidence::TradeClosedPaid(money(1000))));
    // The row is written; another batch brings the number.
    let mut ledger = Ledger { receipts: ledger.receipts, refunds: ledger.refunds, ..Ledger::default() };
    book(&mut ledger, &paid(vec![refund(Some("N1R1"), 1000)]), None);
    assert_eq!((back(&ledger), findings(&ledger)), (1000, vec![]));
    assert!(ledger.explained_sums.contains(&trade()));
    assert_eq!(ledger.new_refunds.iter().map(|(_, number)| number.as_str()).collect::<Vec<_>>(), ["N1R1"]);
}

/// All of a trade went back, partly by the merchant's app: the till learns the parts one by one.
#[test]
fn a_sum_gets_its_numbers_one_by_one_and_stays_the_same_money() {
    let mut ledger = Ledger::default();
    book(&mut ledger, &paid(vec![refund(None, 1000)]), Some(&Evidence::TradeClosedPaid(money(1000))));
    let half = paid(vec![refund(None, 300), refund(Some("APP"), 700)]);
    let whole = paid(vec![refund(Some("N1R1"), 300), refund(Some("APP"), 700)]);
    for (state, numbers) in [(&half, ["", "APP"]), (&whole, ["APP", "N1R1"]), (&half, ["APP", "N1R1"])] {
        ledger = Ledger { receipts: ledger.receipts, refunds: ledger.refunds, ..Ledger::default() };
        book(&mut ledger, state, None);
        assert_eq!((back(&ledger), findings(&ledger)), (1000, vec![]));
        assert_eq!(ledger.refunds.keys().map(|(_, number)| number.as_str()).collect::<Vec<_>>(), numbers);
    }
    book(&mut ledger, &whole, None);
    assert!(ledger.settled.is_empty(), "nothing is news");
    book(&mut ledger, &paid(vec![refund(Some("N1R1"), 300), refund(Some("N1R2"), 700)]), None);
    assert_eq!((back(&ledger), findings(&ledger)), (1000, vec!["UNPROVED_REFUND"]), "a part that is not of the sum");
}

#[test]
fn a_sum_that_turns_out_to_be_a_refund_of_ours_counts_once() {
    let mut ledger = Ledger::default();
    let failed = |number| Refund { status: RefundStatus::Fail, ..refund(number, 1000) };
    let sum_first = paid(vec![failed(Some("N1R1")), refund(None, 1000)]);
    book(&mut ledger, &sum_first, Some(&Evidence::TradeClosedPaid(money(1000))));
    let explained = paid(vec![refund(Some("N1R1"), 1000), failed(None)]);
    book(&mut ledger, &explained, Some(&went_back("N1R1", 1000)));
    assert_eq!((back(&ledger), findings(&ledger)), (1000, vec![]));
}

#[test]
fn another_amount_for_a_trade_that_counts_changes_nothing_and_is_a_case() {
    let mut ledger = with_money();
    let mut state = paid(vec![]);
    state.receipts[0].receipt.total = fen(9999);
    book(&mut ledger, &state, Some(&Evidence::Paid(money(9999))));
    assert_eq!(ledger.receipts[&trade()].total, fen(1000));
    assert_eq!(findings(&ledger), ["UNPROVED_PAYMENT"]);
}

#[test]
fn suspense_money_that_was_given_back_settles_what_the_terminal_had_reported() {
    let mut ledger = Ledger::default();
    let mut state = paid(vec![]);
    state.status = StatusName::Suspense;
    state.receipts[0].receipt.booked = Booked::Suspense;
    book(&mut ledger, &state, Some(&Evidence::Paid(money(1000))));
    ledger.settled.clear();
    state.refunds = vec![refund(Some("N1RX1"), 1000)];
    book(&mut ledger, &state, Some(&went_back("N1RX1", 1000)));
    assert_eq!(back(&ledger), 1000);
    assert!(ledger.settled.iter().any(|settled| settled.what == Settles::AllReported));
}

#[test]
fn an_older_line_that_is_read_later_does_not_undo_a_decision() {
    let recognised = paid(vec![]);
    let mut suspended = recognised.clone();
    suspended.receipts[0].receipt.booked = Booked::Suspense;
    let mut ledger = Ledger::default();
    book_line(&mut ledger, (1, 7), &suspended, Some(&Evidence::Paid(money(1000))));
    book_line(&mut ledger, (2, 3), &recognised, None);
    book_line(&mut ledger, (1, 8), &suspended, None);
    assert_eq!(ledger.receipts[&trade()].booked, Booked::Recognised);
}

/// A terminal that was given back its past tells what it knew before it learnt the number.
#[test]
fn an_older_telling_without_the_number_is_no_finding() {
    let mut ledger = with_money();
    let named = paid(vec![refund(Some("R1"), 400)]);
    book(&mut ledger, &named, Some(&went_back("R1", 400)));

    book_line(&mut ledger, (2, 1), &paid(vec![refund(None, 400)]), None);
    assert_eq!((back(&ledger), findings(&ledger)), (400, vec![]));

    book_line(&mut ledger, (2, 2), &paid(vec![refund(None, 500)]), None);
    assert_eq!((back(&ledger), findings(&ledger)), (400, vec!["UNPROVED_REFUND"]), "more than is known");
}
