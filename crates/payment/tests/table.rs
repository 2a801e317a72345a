//! The language of the table: each cell says everything that happens, and nothing else may happen.
//!
//! A line is `given | INIT | PRECREATED | PAYING | CLOSING | SUCCESS | CLOSED and FAIL | SUSPENSE`. A cell is words:
//!
//! - `=` or a status: where the payment stands afterwards. CLOSED says by which proof: `CLOSED(a)` the trade is closed,
//!   `CLOSED(b)` no trade after the last code was dead, `CLOSED(c)` stopped and never shown.
//! - `P` a timer asks again, `Q` query, `C` close, `R` refund query, `precreate`. A payment that is over needs no `P`.
//! - `W` watched (2 h 10 min after the last precreate), `W5` (in 5 s), `-W` no longer watched.
//! - `seen` a trade is known now; `trade:T2` another one than before.
//! - `code` the QR text is stored (elsewhere it stays hidden), `newbody` the next precreate gets new bytes.
//! - `by:PERSON` who stopped it, `by:-` nobody any more.
//! - `booked:T1` a receipt that pays for the sale, `aside:T1` one in suspense, `recognised:T1` a decision.
//! - `FOREIGN:3.00` a new refund row, `back:R1` a known one has moved money, `send:RX1` one to be sent.
//! - `!X` a case, `no:X` a wish that is refused.
//! - `same` is the cell to the left once more; `.` what is given cannot be there.

use crate::start::{NOW, given, usual};
use std::collections::BTreeSet;
use yidan_payment::{Booked, Death, Input, Outcome, Payment, RefundStatus, Status, StatusName, Step, UtcMs, apply};

/// Which statuses each column stands for.
const COLUMNS: [&[StatusName]; 7] = [
    &[StatusName::Init],
    &[StatusName::Precreated],
    &[StatusName::Paying],
    &[StatusName::Closing],
    &[StatusName::Success],
    &[StatusName::Closed, StatusName::Fail],
    &[StatusName::Suspense],
];

/// Plays one input on every status, once per line of the table.
pub fn check(input: &Input, table: &str) {
    let lines = table.lines().map(str::trim).filter(|line| !line.is_empty());
    let wrong: Vec<String> = lines.flat_map(|line| check_line(input, line)).collect();
    assert!(wrong.is_empty(), "{input:?}\n{}", wrong.join("\n"));
}

fn check_line(input: &Input, line: &str) -> Vec<String> {
    let mut columns = line.split('|').map(str::trim);
    let words = columns.next().unwrap();
    let cells: Vec<&str> = columns.collect();
    assert_eq!(cells.len(), COLUMNS.len(), "a line has one cell per column: {line}");
    let mut wrong = Vec::new();
    for (at, names) in COLUMNS.into_iter().enumerate() {
        let cell = cells[..=at].iter().rev().find(|cell| **cell != "same").unwrap();
        let played = names.iter().filter(|_| *cell != ".");
        wrong.extend(played.filter_map(|name| find_difference(*name, words, input, cell)));
    }
    wrong
}

fn find_difference(name: StatusName, words: &str, input: &Input, cell: &str) -> Option<String> {
    let before = given(usual(name), words);
    let happened = describe(&before, &apply(&before, input, NOW));
    let expected: BTreeSet<String> = cell.split_whitespace().map(Into::into).collect();
    let said = happened.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    let name = name.as_str();
    (happened != expected).then(|| format!("{name} [{words}]\n  the table says: {cell}\n  apply says:     {said}"))
}

/// Says in words everything that happened.
fn describe(before: &Payment, outcome: &Outcome) -> BTreeSet<String> {
    let after = &outcome.payment;
    check_untouched(before, after);
    after.books().expect("the books are right after every step");
    let mut words = BTreeSet::from([status_word(before, &after.status)]);
    words.extend(step_word(after, outcome.then).map(Into::into));
    words.extend(watch_word(before, after).map(Into::into));
    words.extend(trade_word(before, after));
    words.extend((before.qr_code != after.qr_code).then(|| "code".into()));
    words.extend((before.request_body != after.request_body).then(|| "newbody".into()));
    words.extend(stop_word(before, after));
    words.extend(receipt_words(before, after));
    words.extend(refund_words(before, after));
    words.extend(outcome.cases.iter().map(|case| format!("!{}", case.kind.as_str())));
    words.extend(outcome.refused.map(|why| format!("no:{why:?}")));
    words
}

/// What no input may change: who it is, how much, and everything that is written before something is sent.
fn check_untouched(before: &Payment, after: &Payment) {
    let expected = Payment {
        status: after.status.clone(),
        trade_no: after.trade_no.clone(),
        trade_seen: before.trade_seen || after.trade_seen,
        request_body: after.request_body.clone(),
        qr_code: after.qr_code.clone(),
        code_expires_at: if before.qr_code == after.qr_code { before.code_expires_at } else { before.body_expires_at },
        stopped_by: after.stopped_by,
        watch_at: after.watch_at,
        booked_at: if before.receipts.len() < after.receipts.len() { Some(NOW) } else { before.booked_at },
        receipts: after.receipts.clone(),
        refunds: after.refunds.clone(),
        ..before.clone()
    };
    assert_eq!(*after, expected);
}

fn status_word(before: &Payment, after: &Status) -> String {
    match after {
        same if *same == before.status => "=".into(),
        Status::Closed(Death::TradeClosed) => "CLOSED(a)".into(),
        Status::Closed(Death::NobodyScanned) => "CLOSED(b)".into(),
        Status::Closed(Death::NeverShown) => "CLOSED(c)".into(),
        Status::Init
        | Status::Precreated
        | Status::Paying
        | Status::Closing
        | Status::Success(_)
        | Status::Fail(_)
        | Status::Suspense => after.name().as_str().into(),
    }
}

fn step_word(after: &Payment, then: Step) -> Option<&'static str> {
    match then {
        Step::Rest => after.status.is_live().then_some("P"),
        Step::Precreate => Some("precreate"),
        Step::Query => Some("Q"),
        Step::Close => Some("C"),
        Step::QueryRefunds => Some("R"),
    }
}

fn watch_word(before: &Payment, after: &Payment) -> Option<&'static str> {
    let usual = before.precreated_at.map(|sent| UtcMs(sent.0 + (2 * 60 + 10) * 60_000));
    match after.watch_at {
        same if same == before.watch_at => None,
        None => Some("-W"),
        at if at == usual => Some("W"),
        Some(at) => (at == UtcMs(NOW.0 + 5_000)).then_some("W5").or(Some("W?")),
    }
}

fn stop_word(before: &Payment, after: &Payment) -> Option<String> {
    match after.stopped_by {
        same if same == before.stopped_by => None,
        None => Some("by:-".into()),
        Some(by) => Some(format!("by:{}", format!("{by:?}").to_uppercase())),
    }
}

fn trade_word(before: &Payment, after: &Payment) -> Option<String> {
    match (&before.trade_no, &after.trade_no) {
        (None, Some(_)) => Some("seen".into()),
        (Some(old), Some(new)) if old != new => Some(format!("trade:{new}")),
        (Some(_), None) => Some("forgotten".into()),
        (Some(_), Some(_)) | (None, None) => None,
    }
}

fn receipt_words(before: &Payment, after: &Payment) -> Vec<String> {
    assert!(after.receipts.len() >= before.receipts.len(), "a receipt is never lost");
    let word = |at: usize| match (before.receipts.get(at), &after.receipts[at]) {
        (None, new) => {
            let how = if new.booked == Booked::Recognised { "booked" } else { "aside" };
            Some(format!("{how}:{}", new.trade_no))
        }
        (Some(old), new) if old == new => None,
        (Some(_), new) => Some(format!("recognised:{}", new.trade_no)),
    };
    (0..after.receipts.len()).filter_map(word).collect()
}

fn refund_words(before: &Payment, after: &Payment) -> Vec<String> {
    assert!(after.refunds.len() >= before.refunds.len(), "a refund is never lost");
    let number = |at: usize| after.refunds[at].out_request_no.clone().unwrap_or_default();
    let word = |at: usize| match (before.refunds.get(at), &after.refunds[at]) {
        (None, new) if new.status == RefundStatus::Init => Some(format!("send:{}", number(at))),
        (None, new) => Some(format!("{:?}:{}", new.origin, new.amount).to_uppercase()),
        (Some(old), new) if old == new => None,
        (Some(_), _) => Some(format!("back:{}", number(at))),
    };
    (0..after.refunds.len()).filter_map(word).collect()
}
