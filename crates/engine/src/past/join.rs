//! What is known here and what headquarters gives back, made one.
//!
//! Must always hold: nothing that is known is undone, and a number belongs to one refund. Refunds keep their places: each
//! is a row.

use yidan_payment::{Booked, Fen, Payment, Receipt, Refund, RefundStatus, StatusName};

/// What is known here and what is given back, together.
pub(super) fn join(here: &Payment, given: &Payment) -> Payment {
    // Of two tellings the one nearer to the end tells how it is; of two equal ones the later one, which is the given one
    // as long as nothing has happened here since.
    let is_news = rank(given) >= rank(here);
    let (later, earlier) = if is_news { (given, here) } else { (here, given) };
    let mut receipts = later.receipts.clone();
    receipts.extend(earlier.receipts.iter().filter(|one| later.find_receipt(&one.trade_no).is_none()).cloned());
    receipts.sort_by(|one, other| one.trade_no.cmp(&other.trade_no));
    // An end without money that was told stays as it was told.
    let status = if has_ended(here) && has_ended(given) { &here.status } else { &later.status };
    Payment {
        status: status.clone(),
        trade_no: later.trade_no.clone().or_else(|| earlier.trade_no.clone()),
        trade_seen: here.trade_seen || given.trade_seen,
        request_body: later.request_body.clone().or_else(|| earlier.request_body.clone()),
        body_expires_at: later.body_expires_at.or(earlier.body_expires_at),
        // A real code is better than one whose text is lost.
        qr_code: here.qr_code.clone().or_else(|| given.qr_code.clone()),
        code_expires_at: here.code_expires_at.max(given.code_expires_at),
        stopped_by: later.stopped_by.or(earlier.stopped_by),
        close_sent_at: here.close_sent_at.max(given.close_sent_at),
        precreated_at: here.precreated_at.max(given.precreated_at),
        dead_after: here.dead_after.max(given.dead_after),
        watch_at: later.watch_at,
        booked_at: later.booked_at.or(earlier.booked_at),
        refunds: join_refunds(here, &receipts, &given.refunds),
        receipts,
        ..here.clone()
    }
}

/// Every refund once. Those that are here stay where they are; those that are not are added.
fn join_refunds(here: &Payment, receipts: &[Receipt], given: &[Refund]) -> Vec<Refund> {
    let mut joined = Payment { receipts: receipts.to_vec(), ..here.clone() };
    for refund in given {
        match find_same(&joined.refunds, refund) {
            Some(place) if is_other_wish(&joined.refunds[place], refund) => share_number(&mut joined, place, refund),
            Some(place) => keep_nearer(&mut joined.refunds[place], refund),
            None => {
                let is_wished = joined.refunds.iter().any(|known| is_same_wish(known, refund));
                let wish = refund.wish.clone().filter(|_| !is_wished);
                joined.refunds.push(Refund { wish, ..refund.clone() });
            }
        }
    }
    take_out_of_sum(&mut joined);
    joined.refunds
}

/// By its number. The one of which only the fact is known is one row of its trade; the other side may have learnt its number.
fn find_same(known: &[Refund], refund: &Refund) -> Option<usize> {
    let of_trade = |other: &Refund| other.trade_no == refund.trade_no;
    let has_number = |other: &Refund| other.out_request_no.is_some() && other.out_request_no == refund.out_request_no;
    let is_fact = |other: &Refund| {
        let (here, given) = (other.out_request_no.is_none(), refund.out_request_no.is_none());
        let is_unwished = other.wish.is_none() && refund.wish.is_none();
        is_unwished && ((here && given) || ((here || given) && other.amount == refund.amount))
    };
    let by_number = known.iter().position(|other| of_trade(other) && has_number(other));
    by_number.or_else(|| known.iter().position(|other| of_trade(other) && is_fact(other)))
}

/// What is known with its number was part of the sum of which only the fact was known, not more of it.
fn take_out_of_sum(joined: &mut Payment) {
    for receipt in joined.receipts.clone() {
        let back = joined.refunded_of(&receipt.trade_no);
        let mut excess = back.minus(receipt.total).unwrap_or(Fen::ZERO);
        let is_fact = |refund: &&mut Refund| {
            let has_moved = refund.status == RefundStatus::Success;
            refund.trade_no == receipt.trade_no && refund.out_request_no.is_none() && has_moved
        };
        for sum in joined.refunds.iter_mut().filter(is_fact) {
            match sum.amount.minus(excess) {
                Some(rest) if !rest.is_zero() => (sum.amount, excess) = (rest, Fen::ZERO),
                Some(_) | None => {
                    excess = excess.minus(sum.amount).unwrap_or(Fen::ZERO);
                    sum.status = RefundStatus::Fail;
                }
            }
        }
    }
}

fn is_same_wish(one: &Refund, other: &Refund) -> bool {
    let wishes = one.wish.as_ref().zip(other.wish.as_ref());
    wishes.is_some_and(|(one, other)| one.request_id == other.request_id)
}

/// Two people wished, and the records that were restored gave both the same number.
fn is_other_wish(one: &Refund, other: &Refund) -> bool {
    one.wish.is_some() && other.wish.is_some() && !is_same_wish(one, other)
}

fn keep_nearer(known: &mut Refund, given: &Refund) {
    let number = known.out_request_no.clone().or_else(|| given.out_request_no.clone());
    if nearness(given) > nearness(known) {
        *known = Refund { wish: known.wish.clone(), ..given.clone() };
    }
    known.out_request_no = number;
}

/// The gateway refunds once under a number: whoever is nearer to that refund keeps it. The other wish takes the next number
/// and waits for a person, who may not know that money is back.
fn share_number(joined: &mut Payment, place: usize, given: &Refund) {
    let booked = joined.find_receipt(&given.trade_no).map_or(Booked::Recognised, |receipt| receipt.booked);
    let next = joined.next_refund_number(booked);
    let known = joined.refunds[place].clone();
    let without_number = |refund: &Refund| {
        let mut other = refund.clone();
        other.give_way(next.clone(), given.amount);
        other
    };
    if holds(given) > holds(&known) {
        joined.refunds[place] = without_number(&known);
        joined.refunds.push(given.clone());
    } else if joined.refunds.iter().all(|other| !is_same_wish(other, given)) {
        joined.refunds.push(without_number(given));
    }
}

/// How surely a number is this refund's.
fn holds(refund: &Refund) -> u8 {
    match refund.status {
        RefundStatus::Fail => 0,
        RefundStatus::Init => 1,
        RefundStatus::Processing => 2,
        RefundStatus::Success => 3,
    }
}

fn nearness(refund: &Refund) -> u8 {
    match refund.status {
        RefundStatus::Init => 0,
        RefundStatus::Processing => 1,
        RefundStatus::Fail => 2,
        RefundStatus::Success => 3,
    }
}

fn has_ended(payment: &Payment) -> bool {
    matches!(payment.status.name(), StatusName::Closed | StatusName::Fail)
}

/// How near to its end a payment is, and how sure.
fn rank(payment: &Payment) -> (u8, usize) {
    let nearness = match payment.status.name() {
        StatusName::Init => 0,
        StatusName::Precreated => 1,
        StatusName::Paying => 2,
        StatusName::Closing => 3,
        StatusName::Closed | StatusName::Fail => 4,
        StatusName::Suspense => 5,
        StatusName::Success => 6,
    };
    (nearness, payment.receipts.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use yidan_payment::{
        Account, Death, Evidence, Fen, Id, Input, Intent, Method, OutTradeNo, PaidTrade, RefundOrigin, RefundWish,
        Refusal, RequestId, Status, TradeNo, UtcMs, apply,
    };

    const NUMBER: &str = "S01T02_1_261130_0001_0123456789abcdef";

    fn yuan(text: &str) -> Fen {
        Fen::parse(text).expect("an amount")
    }

    /// A paid payment of 10.00.
    fn paid() -> Payment {
        let name = uuid::Uuid::from_u128(1);
        let intent = Intent {
            pay_id: Id::new(name),
            order_id: Id::new(name),
            sale_id: Id::new(name),
            method: Method::Qr,
            account: Account("app@gateway".into()),
            out_trade_no: OutTradeNo::new(NUMBER).expect("a number"),
            amount: yuan("10"),
            created_at: UtcMs(0),
        };
        let (trade_no, total) = (TradeNo::new("T1").expect("a number"), yuan("10"));
        let paid = PaidTrade { trade_no, total, receipt: total, paid_at: None };
        apply(&intent.begin(), &Input::Told(Evidence::Paid(paid)), UtcMs(1)).payment
    }

    fn with_refund(count: u32, amount: &str, who: u128, status: RefundStatus) -> Payment {
        let paid = paid();
        let trade_no = paid.receipts[0].trade_no.clone();
        let number = Some(format!("{NUMBER}R{count}"));
        let wish = RefundWish {
            request_id: RequestId::new(uuid::Uuid::from_u128(who)),
            reason: String::new(),
            operator_id: "o".into(),
            approver_id: "o".into(),
            asked_at: UtcMs(2),
        };
        let refund = Refund::new(trade_no, number, yuan(amount), RefundOrigin::Ours, status);
        Payment { refunds: vec![Refund { wish: Some(wish), ..refund }], ..paid }
    }

    fn told(payment: &Payment) -> Vec<(String, RefundStatus, Fen)> {
        let number = |refund: &Refund| refund.out_request_no.as_deref().unwrap_or("").replace(NUMBER, "");
        payment.refunds.iter().map(|refund| (number(refund), refund.status, refund.amount)).collect()
    }

    #[test]
    fn a_forgotten_refund_and_a_new_wish_of_the_same_number_are_two_and_only_one_has_moved() {
        let here = with_refund(1, "4.00", 7, RefundStatus::Init);
        let given = with_refund(1, "3.00", 8, RefundStatus::Success);

        let joined = join(&here, &given);

        let refused = ("R2".to_owned(), RefundStatus::Fail, yuan("4"));
        assert_eq!(told(&joined), [refused, ("R1".to_owned(), RefundStatus::Success, yuan("3"))]);
        assert_eq!(joined.books().expect("balanced").refunded, yuan("3"));
        assert_eq!(told(&join(&joined, &given)), told(&joined), "the same line once more");
    }

    #[test]
    fn an_end_that_was_told_stays_however_it_ended_before_it_was_forgotten() {
        let refusal = Refusal { code: "40004".into(), sub_code: "ACQ.ACCESS_FORBIDDEN".into(), text: String::new() };
        let closed = Payment { status: Status::Closed(Death::TradeClosed), receipts: Vec::new(), ..paid() };
        let failed = Payment { status: Status::Fail(refusal), ..closed.clone() };

        assert_eq!(join(&closed, &failed).status, closed.status);
        assert_eq!(join(&failed, &closed).status, failed.status);
        assert_eq!(join(&failed, &paid()).status, paid().status, "money is news");
    }

    #[test]
    fn the_same_refund_is_one_and_the_side_nearer_to_its_end_tells_how_it_is() {
        let here = with_refund(1, "3.00", 8, RefundStatus::Processing);
        let given = with_refund(1, "3.00", 8, RefundStatus::Success);

        for joined in [join(&here, &given), join(&given, &here)] {
            assert_eq!(told(&joined), [("R1".to_owned(), RefundStatus::Success, yuan("3"))]);
        }
    }
}
