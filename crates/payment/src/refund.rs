//! Money that goes back: how refunds are wished for, sent, and noted on a payment.
//!
//! Must always hold: the sum of refunds never exceeds what a trade brought; a number is minted once and carries one
//! refund; FAIL needs a signed refusal *and* a refund query at least [`REFUND_PATIENCE`] later that names no money.
//! Deliberately absent: amounts from `refund_fee`, which is cumulative.

use crate::outcome::{CaseKind, Outcome, Step, is_ours};
use crate::record::{Booked, Payment, Refund, RefundOrigin, RefundStatus};
use crate::status::Status;
use crate::{Fen, NoRefund, RefundFact, Refusal, TradeNo, UtcMs};
use std::time::Duration;

pub(crate) mod wish;

/// A refund query that names no money is believed this long after the refund was sent (Alipay: wait at least ten seconds).
pub const REFUND_PATIENCE: Duration = Duration::from_secs(10);

/// What a refund needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refunding {
    /// Ask for it; if nothing is known of its number and it may be sent, send it.
    Settle,
    /// It moved money by the gateway's word, and a statement that others can check is missing: ask for it.
    Prove,
    /// As [`Refunding::Prove`], but it has no number: ask for the trade.
    ProveByTrade,
}

impl Payment {
    /// Refunds that need something, by their place.
    #[must_use]
    pub fn refunds_to_ask(&self) -> Vec<(usize, Refunding)> {
        let work = |refund: &Refund| match (refund.status, refund.origin, &refund.out_request_no) {
            (RefundStatus::Init | RefundStatus::Processing, _, Some(_)) => Some(Refunding::Settle),
            (RefundStatus::Success, _, Some(_)) if !refund.proved => Some(Refunding::Prove),
            (RefundStatus::Success, RefundOrigin::Cancel, None) if !refund.proved => Some(Refunding::ProveByTrade),
            (RefundStatus::Init | RefundStatus::Processing | RefundStatus::Success | RefundStatus::Fail, _, _) => None,
        };
        self.refunds.iter().enumerate().filter_map(|(place, refund)| Some((place, work(refund)?))).collect()
    }

    /// Whether nothing was refunded under this refund's number, by this answer, so that it may be sent (again).
    #[must_use]
    pub fn may_send_refund(&self, place: usize, answer: &NoRefund) -> bool {
        let Some(refund) = self.refunds.get(place) else { return false };
        match refund.status {
            RefundStatus::Init => true,
            // The same number once more: the gateway refunds it once.
            RefundStatus::Processing => refund.refused.is_none() && is_patient(refund, answer),
            RefundStatus::Success | RefundStatus::Fail => false,
        }
    }

    /// The payment as it must be written down *before* a refund is sent.
    #[must_use]
    pub fn before_refund(&self, place: usize, sent_at: UtcMs) -> Payment {
        let mut after = self.clone();
        if let Some(refund) = after.refunds.get_mut(place) {
            refund.status = RefundStatus::Processing;
            refund.sent_at = Some(sent_at);
            refund.tries = refund.tries.saturating_add(1);
            refund.refused = None;
        }
        after
    }

    /// The next number for a refund of this payment: `R` and a count, or `RX` and a count for money in suspense.
    #[must_use]
    pub fn next_refund_number(&self, booked: Booked) -> String {
        let prefix = self.refund_prefix(booked);
        let taken = |number: &str| number.strip_prefix(&prefix).and_then(|count| count.parse::<u32>().ok());
        let numbers = self.refunds.iter().filter_map(|refund| refund.out_request_no.as_deref());
        let last = numbers.filter_map(taken).max().unwrap_or(0);
        format!("{prefix}{}", last.saturating_add(1))
    }

    /// Whether a refund of this number was made by this shop's terminal, whether or not it still knows it.
    #[must_use]
    pub fn is_own_refund(&self, number: &str) -> bool {
        let is_count = |booked| {
            let rest = number.strip_prefix(&self.refund_prefix(booked));
            rest.is_some_and(|count| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()))
        };
        // `cancel` refunds under the number of the payment.
        number == self.out_trade_no.as_str() || is_count(Booked::Recognised) || is_count(Booked::Suspense)
    }

    fn refund_prefix(&self, booked: Booked) -> String {
        match booked {
            Booked::Recognised => format!("{}R", self.out_trade_no),
            Booked::Suspense => format!("{}RX", self.out_trade_no),
        }
    }

    /// What is left of a trade's money once every refund that is not refused for good has gone back.
    #[must_use]
    pub fn refundable(&self, trade_no: &TradeNo) -> Fen {
        undecided(self, trade_no)
    }
}

fn is_patient(refund: &Refund, answer: &NoRefund) -> bool {
    refund.sent_at.is_none_or(|sent| answer.asked_at >= sent.after(REFUND_PATIENCE))
}

/// Notes a refund that has moved money. `proved`: a statement names it that others can check.
pub(crate) fn note_refund(payment: &Payment, fact: &RefundFact, origin: RefundOrigin, proved: bool) -> Outcome {
    match payment.status {
        // The payment comes first: ask for it, then for its refunds.
        Status::Init | Status::Precreated | Status::Paying | Status::Closing | Status::Closed(_) | Status::Fail(_) => {
            let outcome = Outcome::unchanged(payment, Step::Query);
            if is_ours(origin) {
                return outcome.with_case(CaseKind::Contradiction, Some(&fact.trade_no), fact.amount);
            }
            outcome
        }
        Status::Success(_) | Status::Suspense => note_on_money(payment, fact, origin, proved),
    }
}

fn note_on_money(payment: &Payment, fact: &RefundFact, origin: RefundOrigin, proved: bool) -> Outcome {
    let contradiction = || {
        Outcome::unchanged(payment, Step::Rest).with_case(CaseKind::Contradiction, Some(&fact.trade_no), fact.amount)
    };
    let mut after = payment.clone();
    make_room(&mut after, fact);
    let is_new = match find_known(&mut after.refunds, fact) {
        Some(known) if known.amount != fact.amount => return contradiction(),
        Some(known) => {
            known.status = RefundStatus::Success;
            known.proved = known.proved || proved;
            known.refused = None;
            if known.out_request_no.is_none() && known.origin == RefundOrigin::Foreign {
                known.origin = origin;
            }
            known.out_request_no.clone_from(&fact.out_request_no);
            false
        }
        None => true,
    };
    if is_new {
        after.refunds.push(Refund { proved, ..moved(fact, origin) });
    }
    take_out_of_sum(&mut after, &fact.trade_no);
    // More went back than came: one of the two is not true.
    if after.books().is_err() {
        return contradiction();
    }
    let is_more = after.refunded_of(&fact.trade_no) > payment.refunded_of(&fact.trade_no);
    let outcome = Outcome::changed(after, Step::Rest);
    if is_new && is_more && !is_ours(origin) {
        return outcome.with_case(CaseKind::RefundedElsewhere, Some(&fact.trade_no), fact.amount);
    }
    outcome
}

/// A number that was never sent has money already: a restored database has forgotten it. What was to be sent takes the
/// next number and waits for a person, who may not know that the money is back; if it waits already, it goes on waiting.
fn make_room(payment: &mut Payment, fact: &RefundFact) {
    let is_unsent = |refund: &Refund| {
        let same = refund.out_request_no.is_some() && refund.out_request_no == fact.out_request_no;
        same && ((refund.status == RefundStatus::Init && refund.sent_at.is_none()) || refund.held_back().is_some())
    };
    let Some(place) = payment.refunds.iter().position(is_unsent) else { return };
    let booked = payment.find_receipt(&fact.trade_no).map_or(Booked::Recognised, |receipt| receipt.booked);
    let next = payment.next_refund_number(booked);
    if let Some(refund) = payment.refunds.get_mut(place) {
        refund.give_way(next, fact.amount);
    }
}

/// Why we ourselves did not send a refund that somebody wished for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldBack {
    /// One that these records had forgotten has come to light: perhaps it was the same.
    EarlierFound,
    /// A later wish of as much took its place.
    Replaced,
}

impl HeldBack {
    const fn as_str(self) -> &'static str {
        match self {
            HeldBack::EarlierFound => "EARLIER_REFUND_FOUND",
            HeldBack::Replaced => "LATER_REFUND_WISHED",
        }
    }

    pub(crate) fn refusal(self, text: String) -> Refusal {
        Refusal { code: String::new(), sub_code: self.as_str().into(), text }
    }
}

impl Refund {
    /// Why we ourselves did not send it, if so. Its number is free: nothing was sent under it.
    #[must_use]
    pub fn held_back(&self) -> Option<HeldBack> {
        let said = self.refused.as_ref().filter(|_| self.status == RefundStatus::Fail)?;
        [HeldBack::EarlierFound, HeldBack::Replaced].into_iter().find(|why| why.as_str() == said.sub_code)
    }

    /// Its number belongs to an earlier refund of `found`: it takes the next one, and waits for a person before it is sent.
    pub fn give_way(&mut self, next: String, found: Fen) {
        // What was replaced stays replaced.
        if self.held_back().is_none() {
            self.refused = Some(HeldBack::EarlierFound.refusal(format!("an earlier refund of {found} was found")));
        }
        (self.status, self.out_request_no, self.sent_at) = (RefundStatus::Fail, Some(next), None);
    }
}

/// Keeps the reason of a refused refund. It is not proof: the money may have moved in an earlier try.
pub(crate) fn note_refusal(payment: &Payment, out_request_no: &str, refusal: &Refusal) -> Outcome {
    let mut after = payment.clone();
    for refund in after.refunds.iter_mut().filter(|refund| refund.out_request_no.as_deref() == Some(out_request_no)) {
        if refund.status == RefundStatus::Processing {
            refund.refused = Some(refusal.clone());
        }
    }
    Outcome::changed(after, Step::QueryRefunds)
}

/// A refund query that names no money: with a refusal before it, and long enough after the sending, the refund failed.
pub(crate) fn note_absence(payment: &Payment, answer: &NoRefund) -> Outcome {
    let mut after = payment.clone();
    let is_it = |refund: &&mut Refund| refund.out_request_no.as_deref() == Some(&answer.out_request_no);
    for refund in after.refunds.iter_mut().filter(is_it) {
        if refund.status == RefundStatus::Processing && refund.refused.is_some() && is_patient(refund, answer) {
            refund.status = RefundStatus::Fail;
        }
    }
    Outcome::changed(after, Step::Rest)
}

/// The refund of this number; else the one of the same money of which only the fact was known so far.
fn find_known<'a>(refunds: &'a mut [Refund], fact: &RefundFact) -> Option<&'a mut Refund> {
    let same_number = |refund: &Refund| refund.out_request_no.is_some() && refund.out_request_no == fact.out_request_no;
    let same_money = |refund: &Refund| refund.out_request_no.is_none() && refund.amount == fact.amount;
    let of_trade = |refund: &Refund| refund.trade_no == fact.trade_no;
    let place = refunds
        .iter()
        .position(|refund| of_trade(refund) && same_number(refund))
        .or_else(|| refunds.iter().position(|refund| of_trade(refund) && same_money(refund)))?;
    refunds.get_mut(place)
}

/// A refund that is known now was part of the sum of which only the fact was known, not more of it.
fn take_out_of_sum(payment: &mut Payment, trade_no: &TradeNo) {
    let received = payment.find_receipt(trade_no).map_or(Fen::ZERO, |receipt| receipt.total);
    let excess = payment.refunded_of(trade_no).minus(received).unwrap_or(Fen::ZERO);
    for sum in payment.refunds.iter_mut().filter(|refund| is_unnamed(refund, trade_no)) {
        match sum.amount.minus(excess) {
            Some(Fen::ZERO) => sum.status = RefundStatus::Fail,
            Some(rest) => sum.amount = rest,
            None => continue,
        }
        return;
    }
}

fn moved(fact: &RefundFact, origin: RefundOrigin) -> Refund {
    let RefundFact { trade_no, out_request_no, amount } = fact.clone();
    Refund::new(trade_no, out_request_no, amount, origin, RefundStatus::Success)
}

/// A paid trade is closed: everything went back. What our own refunds do not explain was done elsewhere.
pub(crate) fn refund_rest(outcome: Outcome, trade_no: &TradeNo) -> Outcome {
    let rest = undecided(&outcome.payment, trade_no);
    let mut outcome = outcome.and_then(Step::QueryRefunds);
    if rest.is_zero() {
        prove_all(&mut outcome.payment, trade_no);
        return outcome;
    }
    let fact = RefundFact { trade_no: trade_no.clone(), out_request_no: None, amount: rest };
    let is_sum = |refund: &&mut Refund| is_unnamed(refund, trade_no) && refund.origin == RefundOrigin::Foreign;
    // Of one closing there is one sum, however its parts come to light.
    let outcome = match outcome.payment.refunds.iter_mut().find(is_sum) {
        Some(sum) => {
            sum.amount = sum.amount.plus(rest).unwrap_or(sum.amount);
            outcome
        }
        None => push(outcome, &fact, RefundOrigin::Foreign, true),
    };
    outcome.with_case(CaseKind::RefundedElsewhere, Some(trade_no), rest)
}

/// Money that went back, of which only the fact is known.
fn is_unnamed(refund: &Refund, trade_no: &TradeNo) -> bool {
    refund.trade_no == *trade_no && refund.out_request_no.is_none() && refund.status == RefundStatus::Success
}

/// The signed word that all of a trade went back proves each of its refunds, if they come to exactly that.
fn prove_all(payment: &mut Payment, trade_no: &TradeNo) {
    let received = payment.find_receipt(trade_no).map(|receipt| receipt.total);
    if received != Some(payment.refunded_of(trade_no)) {
        return;
    }
    let of_trade = payment.refunds.iter_mut().filter(|refund| refund.trade_no == *trade_no);
    for refund in of_trade.filter(|refund| refund.status == RefundStatus::Success) {
        refund.proved = true;
    }
}

/// `cancel` gave back what was left of a trade. Its answer names no amount, so the trade is asked for afterwards.
pub(crate) fn cancel_rest(outcome: Outcome, trade_no: &TradeNo) -> Outcome {
    let rest = undecided(&outcome.payment, trade_no);
    let outcome = outcome.and_then(Step::QueryRefunds);
    if rest.is_zero() {
        return outcome;
    }
    let fact = RefundFact { trade_no: trade_no.clone(), out_request_no: None, amount: rest };
    push(outcome, &fact, RefundOrigin::Cancel, false)
}

fn push(mut outcome: Outcome, fact: &RefundFact, origin: RefundOrigin, proved: bool) -> Outcome {
    outcome.payment.refunds.push(Refund { proved, ..moved(fact, origin) });
    outcome
}

/// What a trade brought, less every refund of it that is not refused for good.
pub(crate) fn undecided(payment: &Payment, trade_no: &TradeNo) -> Fen {
    let known = payment
        .refunds
        .iter()
        .filter(|refund| refund.trade_no == *trade_no && refund.status != RefundStatus::Fail)
        .map(|refund| refund.amount);
    payment.find_receipt(trade_no).and_then(|receipt| receipt.total.minus(Fen::sum(known)?)).unwrap_or(Fen::ZERO)
}
