//! Bill beside books: one table for every class, a real day, and the laws that hold for any bill.

use crate::start::{fen, trade};
use proptest::prelude::*;
use serde_json::Value;
use yidan_payment::{
    BillRow, Class, Coverage, OurBooks, OurReceipt, OurRefund, PaymentId, RefundStatus, RowKind, UtcMs, Whose,
    reconcile,
};

/// 2026-11-29 00:00 in Beijing.
const MIDNIGHT: i64 = 1_795_881_600_000;
const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;
const NOON: i64 = MIDNIGHT + DAY / 2;

/// The bill of the day is in, and so is that of the day before.
fn of_the_day() -> Coverage {
    Coverage::of(vec![(UtcMs(MIDNIGHT), UtcMs(MIDNIGHT + DAY)), (UtcMs(MIDNIGHT - DAY), UtcMs(MIDNIGHT))])
}

fn row(number: &str, trade_no: &str, amount_fen: i64) -> BillRow {
    BillRow {
        out_trade_no: number.into(),
        trade_no: trade(trade_no),
        kind: RowKind::Trade,
        out_request_no: None,
        at: UtcMs(NOON),
        amount_fen,
        whose: Whose::Ours,
    }
}

fn back(number: &str, trade_no: &str, request: Option<&str>, amount_fen: i64) -> BillRow {
    let out_request_no = request.map(Into::into);
    BillRow { kind: RowKind::Refund, out_request_no, ..row(number, trade_no, amount_fen) }
}

fn unpaid(number: &str) -> OurBooks {
    OurBooks {
        pay_id: PaymentId::new(uuid::Uuid::from_u128(1)),
        out_trade_no: number.into(),
        receipts: Vec::new(),
        booked_at: None,
        refunds: Vec::new(),
        refunded_at: None,
    }
}

fn paid(number: &str, trade_no: &str, amount: i64) -> OurBooks {
    let receipt = OurReceipt { trade_no: trade(trade_no), total: fen(amount), paid_at: Some(UtcMs(NOON)) };
    OurBooks { receipts: vec![receipt], ..unpaid(number) }
}

fn refund(trade_no: &str, request: Option<&str>, amount: i64, status: RefundStatus) -> OurRefund {
    let out_request_no = request.map(Into::into);
    OurRefund { trade_no: trade(trade_no), out_request_no, amount: fen(amount), status }
}

fn refunded(books: OurBooks, refunds: Vec<OurRefund>) -> OurBooks {
    OurBooks { refunds, refunded_at: Some(UtcMs(NOON)), ..books }
}

fn classes(rows: &[BillRow], books: &[OurBooks]) -> Vec<Class> {
    reconcile(&of_the_day(), rows, books).into_iter().map(|finding| finding.class).collect()
}

type Story<'a> = (&'a str, Vec<BillRow>, Vec<OurBooks>, Vec<Class>);

fn tells(table: Vec<Story<'_>>) {
    for (story, rows, books, mut expected) in table {
        expected.sort_unstable();
        assert_eq!(classes(&rows, &books), expected, "{story}");
    }
}

fn sale() -> BillRow {
    row("N1", "T1", 1000)
}

fn ours() -> OurBooks {
    paid("N1", "T1", 1000)
}

#[test]
fn every_class_of_money_and_what_makes_it() {
    use Class as C;
    tells(vec![
        ("both say the same", vec![sale()], vec![ours()], vec![C::Matched]),
        ("the bill has money, we have none", vec![sale()], vec![unpaid("N1")], vec![C::LocalNotPaid]),
        ("we have money, the bill has none", vec![], vec![ours()], vec![C::ChannelMissing]),
        ("neither has money", vec![], vec![unpaid("N1")], vec![]),
        ("another amount", vec![row("N1", "T1", 999)], vec![ours()], vec![C::Amount]),
        ("a second trade", vec![sale(), row("N1", "T2", 1000)], vec![ours()], vec![C::Matched, C::Duplicate]),
        (
            "two trades, and we know of none",
            vec![sale(), row("N1", "T2", 1000)],
            vec![unpaid("N1")],
            vec![C::LocalNotPaid, C::Duplicate],
        ),
        ("a number of ours that is not in our records", vec![sale()], vec![], vec![C::Forgotten]),
        (
            "a number of another terminal",
            vec![BillRow { whose: Whose::OtherTerminal, ..sale() }],
            vec![],
            vec![C::OtherTerminal],
        ),
        (
            "a number of another program, with its refund",
            vec![
                BillRow { whose: Whose::Stranger, ..sale() },
                BillRow { whose: Whose::Stranger, ..back("N1", "T1", Some("X"), -300) },
            ],
            vec![],
            vec![C::UnknownTrade],
        ),
        (
            "paid and refunded, and we know of neither: the payment comes first",
            vec![sale(), back("N1", "T1", Some("A"), -1000)],
            vec![unpaid("N1")],
            vec![C::LocalNotPaid],
        ),
        (
            "a line of a kind that nobody knows",
            vec![sale(), BillRow { kind: RowKind::Other, ..sale() }],
            vec![ours()],
            vec![C::Matched, C::UnknownTrade],
        ),
    ]);
}

#[test]
fn every_class_of_a_refund_and_what_makes_it() {
    use Class as C;
    use RefundStatus as R;
    let one = |status| refunded(ours(), vec![refund("T1", Some("N1R1"), 300, status)]);
    tells(vec![
        (
            "a refund that both know",
            vec![sale(), back("N1", "T1", Some("N1R1"), -300)],
            vec![one(R::Success)],
            vec![C::Matched, C::Matched],
        ),
        (
            "a refund that only the bill knows",
            vec![sale(), back("N1", "T1", Some("A"), -300)],
            vec![ours()],
            vec![C::Matched, C::RefundExtra],
        ),
        ("a refund that only we know", vec![sale()], vec![one(R::Success)], vec![C::Matched, C::RefundMissing]),
        ("a refund that is not known to have moved", vec![sale()], vec![one(R::Processing)], vec![C::Matched]),
        (
            "a refund that we believe was refused",
            vec![sale(), back("N1", "T1", Some("N1R1"), -300)],
            vec![one(R::Fail)],
            vec![C::Matched, C::RefundExtra],
        ),
        (
            "a refund of another amount",
            vec![sale(), back("N1", "T1", Some("N1R1"), -301)],
            vec![one(R::Success)],
            vec![C::Matched, C::Amount],
        ),
        (
            "of a refund only the fact is known: its number is worth asking for",
            vec![sale(), back("N1", "T1", Some("A"), -300)],
            vec![refunded(ours(), vec![refund("T1", None, 300, R::Success)])],
            vec![C::Matched, C::RefundExtra],
        ),
        (
            "lines without a number take what is left",
            vec![sale(), back("N1", "T1", Some("N1R1"), -300), back("N1", "T1", None, -300)],
            vec![refunded(
                ours(),
                vec![refund("T1", Some("N1R1"), 300, R::Success), refund("T1", None, 300, R::Success)],
            )],
            vec![C::Matched, C::Matched, C::Matched],
        ),
        (
            "a line without a number and of another amount is another refund",
            vec![sale(), back("N1", "T1", None, -500)],
            vec![refunded(ours(), vec![refund("T1", None, 300, R::Success)])],
            vec![C::Matched, C::RefundExtra, C::RefundMissing],
        ),
        (
            "the same amount went back of another trade",
            vec![sale(), back("N1", "T1", None, -300)],
            vec![refunded(ours(), vec![refund("T2", None, 300, R::Success)])],
            vec![C::Matched, C::RefundExtra, C::RefundMissing],
        ),
        (
            "a bill that has only the refund does not have the payment",
            vec![back("N1", "T1", Some("N1R1"), -300)],
            vec![one(R::Success)],
            vec![C::Matched, C::ChannelMissing],
        ),
    ]);
}

#[test]
fn a_finding_says_what_each_side_has() {
    let sides = |rows: &[BillRow], books: &[OurBooks]| -> Vec<_> {
        let findings = reconcile(&of_the_day(), rows, books);
        findings.into_iter().map(|finding| (finding.class, finding.bill_fen, finding.our_fen)).collect()
    };
    let missing = refunded(ours(), vec![refund("T1", Some("N1R1"), 300, RefundStatus::Success)]);
    let matched = (Class::Matched, Some(1000), Some(1000));
    assert_eq!(sides(&[sale()], &[missing]), [matched, (Class::RefundMissing, None, Some(-300))]);
    // Of a number that is not in our records, the payment is told, whatever else it did.
    let unknown = [back("N1", "T1", None, -300), sale()];
    assert_eq!(sides(&unknown, &[]), [(Class::Forgotten, Some(1000), None)]);
}

#[test]
fn what_both_know_and_what_is_not_ours_is_no_difference() {
    let same = Class::ALL.into_iter().filter(|class| !class.is_difference());
    assert_eq!(same.collect::<Vec<_>>(), [Class::Matched, Class::OtherTerminal]);
}

#[test]
fn money_is_missing_only_once_every_bill_that_may_hold_it_is_in() {
    let missing_at = |at: i64, coverage: &Coverage| {
        let mut books = paid("N1", "T1", 1000);
        books.receipts[0].paid_at = Some(UtcMs(at));
        !reconcile(coverage, &[], &[books]).is_empty()
    };
    let two = of_the_day();
    let three =
        Coverage::of([-1, 0, 1].map(|day| (UtcMs(MIDNIGHT + day * DAY), UtcMs(MIDNIGHT + (day + 1) * DAY))).to_vec());

    assert!(missing_at(NOON, &two));
    assert!(missing_at(MIDNIGHT + DAY - 11 * MINUTE, &two));
    assert!(!missing_at(MIDNIGHT + DAY - 9 * MINUTE, &two), "it may stand in tomorrow's bill");
    assert!(!missing_at(MIDNIGHT + DAY - 10 * MINUTE, &two), "a day ends before its midnight");
    assert!(missing_at(MIDNIGHT + DAY - 9 * MINUTE, &three));
    assert!(!missing_at(MIDNIGHT + DAY + 1, &two), "no bill of that day was read");
    assert!(!missing_at(NOON, &Coverage::default()));
}

/// The day of a real bill's layout, with one difference of each kind.
#[test]
fn bl21_a_day_with_everything_wrong_is_told_apart() {
    let case: Value = serde_json::from_str(include_str!("../../../tests/fixtures/cases/bill/BL21_local.json")).unwrap();
    let text = |value: &Value, name: &str| value[name].as_str().unwrap().to_owned();
    let trade_of = |number: &str| format!("20261129220014000000000000{}", &number[number.len() - 2..]);
    let books: Vec<OurBooks> = case["local_orders_paid_on_2026_11_29"]
        .as_array()
        .unwrap()
        .iter()
        .map(|order| {
            let number = text(order, "out_trade_no");
            let refunds = order["refunds"].as_array().unwrap().iter().map(|known| {
                let amount = known["fen"].as_i64().unwrap();
                refund(&trade_of(&number), Some(&text(known, "req")), amount, RefundStatus::Success)
            });
            match order["status"].as_str().unwrap() {
                "PAID" => {
                    refunded(paid(&number, &trade_of(&number), order["total_fen"].as_i64().unwrap()), refunds.collect())
                }
                _closed => unpaid(&number),
            }
        })
        .collect();
    // The rows of BL2.zip, which `crates/alipay` reads in its own test.
    let number = |place: u32| format!("S01T02_20261129_{place:06}");
    let sale = |place: u32, amount| row(&number(place), &trade_of(&number(place)), amount);
    let gone = |place: u32, n: u32, amount| {
        back(&number(place), &trade_of(&number(place)), Some(&format!("{}_R{n}", number(place))), amount)
    };
    let rows = [
        sale(1, 100),
        sale(2, 10),
        sale(3, 8880),
        sale(4, 1_234_567),
        BillRow { whose: Whose::Stranger, ..sale(5, 1999) },
        gone(3, 1, -3880),
        gone(3, 2, -5000),
        gone(1, 1, -100),
    ];

    let findings = reconcile(&of_the_day(), &rows, &books);

    let expect = &case["expect"];
    let list = |name: &str| -> Vec<String> {
        expect[name].as_array().unwrap().iter().map(|text| text.as_str().unwrap().into()).collect()
    };
    let found = |class: Class| -> Vec<String> {
        let of_class = findings.iter().filter(|finding| finding.class == class);
        of_class.map(|finding| finding.out_request_no.clone().unwrap_or(finding.out_trade_no.clone())).collect()
    };
    let matched_sales: Vec<String> =
        found(Class::Matched).into_iter().filter(|number| !number.contains("_R")).collect();
    assert_eq!(matched_sales, list("matched_sales"));
    assert_eq!(found(Class::RefundExtra), list("refund_in_bill_not_local"));
    assert_eq!(found(Class::LocalNotPaid), list("paid_in_bill_but_local_closed"));
    assert_eq!(found(Class::UnknownTrade), list("in_bill_not_local"));
    assert_eq!(found(Class::ChannelMissing), list("local_not_in_bill"));
    let amounts: Vec<_> = findings
        .iter()
        .filter(|finding| finding.class == Class::Amount)
        .map(|finding| serde_json::json!({ "o": finding.out_trade_no, "bill": finding.bill_fen, "local": finding.our_fen }))
        .collect();
    assert_eq!(Value::from(amounts), expect["amount_mismatch"]);
}

/// Few numbers, trades and amounts, so that everything collides with everything.
fn any_row() -> impl Strategy<Value = BillRow> {
    (0..4_u8, 0..4_u8, 0..3_u8, 1..3_i64, 0..3_u8).prop_map(|(number, trade_no, kind, amount, request)| {
        let (number, trade_no) = (format!("N{number}"), format!("T{trade_no}"));
        let request = (request > 0).then(|| format!("R{request}"));
        match kind {
            0 => row(&number, &trade_no, amount * 100),
            1 => back(&number, &trade_no, request.as_deref(), -amount * 100),
            _ => BillRow { whose: Whose::Stranger, ..row(&number, &trade_no, amount * 100) },
        }
    })
}

fn any_books() -> impl Strategy<Value = Vec<OurBooks>> {
    let one = (0..4_u8, 1..3_i64, 0..3_u8, any::<bool>());
    prop::collection::vec(one, 0..4).prop_map(|all| {
        let books = all.into_iter().zip(0_u8..).map(|((trade_no, amount, refunds, is_paid), number)| {
            let (number, trade_no) = (format!("N{number}"), format!("T{trade_no}"));
            let made = (1..=refunds)
                .map(|n| refund(&trade_no, (n > 1).then_some("R2"), 100 * i64::from(n), RefundStatus::Success));
            match is_paid {
                true => refunded(paid(&number, &trade_no, amount * 100), made.collect()),
                false => unpaid(&number),
            }
        });
        books.collect()
    })
}

proptest! {
    #[test]
    fn neither_order_nor_repetition_of_lines_changes_what_is_found(
        (rows, shuffled) in prop::collection::vec(any_row(), 0..24)
            .prop_flat_map(|rows| (Just(rows.clone()), Just([rows.clone(), rows].concat()).prop_shuffle())),
        books in any_books(),
    ) {
        prop_assert_eq!(reconcile(&of_the_day(), &rows, &books), reconcile(&of_the_day(), &shuffled, &books));
    }

    #[test]
    fn every_number_that_brought_money_is_spoken_for(
        rows in prop::collection::vec(any_row(), 0..24),
        books in any_books(),
    ) {
        let findings = reconcile(&of_the_day(), &rows, &books);
        for row in &rows {
            prop_assert!(findings.iter().any(|finding| finding.out_trade_no == row.out_trade_no), "{:?}", row);
        }
        for book in books.iter().filter(|book| !book.receipts.is_empty()) {
            prop_assert!(findings.iter().any(|finding| finding.out_trade_no == book.out_trade_no), "{:?}", book);
        }
    }
}
