//! What comes of an input: the payment afterwards, what to do next, and what a person must be told.

use crate::{Fen, Payment, RefundOrigin, RefundWish, SaleId, TradeNo, UtcMs};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Everything that can happen to a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// The gateway told us something, and its signature holds.
    Told(crate::Evidence),
    /// The cashier stops.
    Stop,
    /// The sale got its money elsewhere.
    SaleSettled,
    /// The cashier wants the same code again: the same bytes are sent once more.
    Refresh,
    /// The code has ended and the cashier wants a later one, on the same number.
    NewCode,
    /// The cashier wants to go on after a stop, with the same code.
    Resume,
    /// The buyer's code is about to be sent, once. Only whoever gets this through sends it; everybody else asks.
    SendCode {
        /// How long the buyer may take to confirm.
        timeout: Duration,
    },
    /// The idle limit has passed without a usable answer.
    ClockPassed,
    /// A person decides that money in suspense pays for the sale.
    Recognise {
        /// Which money.
        trade_no: TradeNo,
        /// The sale that money of a second trade pays for.
        new_sale_id: SaleId,
    },
    /// A person decides that money in suspense goes back, all of it.
    Return {
        /// Which money.
        trade_no: TradeNo,
        /// The refund's number, minted for it once.
        out_request_no: String,
        /// Who and why.
        wish: RefundWish,
    },
    /// An operator gives back money of the sale.
    Refund {
        /// Of which trade.
        trade_no: TradeNo,
        /// The refund's number, minted for it once.
        out_request_no: String,
        /// How much.
        amount: Fen,
        /// Who and why.
        wish: RefundWish,
    },
    /// An operator tries a refused refund again, under its number.
    Retry {
        /// Which refund.
        out_request_no: String,
        /// Who approved it this time.
        approver_id: String,
    },
}

/// What to do now. The letters are those of the table in ARCHITECTURE.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing now: a timer asks again while the payment lives (P), or it is over.
    Rest,
    /// Send the precreate: the stored bytes, or new ones if there are none.
    Precreate,
    /// Ask for the trade (Q).
    Query,
    /// Ask the gateway to close the trade (C).
    Close,
    /// Ask for the refunds of the trade (R).
    QueryRefunds,
}

/// The payment afterwards, and what follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The payment afterwards.
    pub payment: Payment,
    /// What to do now.
    pub then: Step,
    /// What a person must decide or know (!X).
    pub cases: Vec<NewCase>,
    /// Why a person's wish was not followed.
    pub refused: Option<WishRefused>,
}

/// A case to open, unless the same one is open already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCase {
    /// What happened.
    pub kind: CaseKind,
    /// Whose money.
    pub trade_no: Option<TradeNo>,
    /// How much is in question.
    pub amount: Fen,
}

/// What happened that a person must decide or know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CaseKind {
    /// A trade asks or brought another amount than the order's.
    AmountMismatch,
    /// The gateway contradicts what it said before.
    Contradiction,
    /// A second trade paid under one number.
    DuplicatePayment,
    /// Money came after the payment was over.
    LatePayment,
    /// Money came although somebody had stopped the payment.
    PaidAfterStop,
    /// A trade we had seen is said not to exist.
    TradeVanished,
    /// A payment that was proved dead can be paid.
    ClosedButAlive,
    /// Booked money that the gateway does not know ten minutes later.
    ChannelMissing,
    /// Money went back and we did not do it.
    RefundedElsewhere,
}

impl CaseKind {
    /// Every kind.
    pub const ALL: [CaseKind; 9] = [
        CaseKind::AmountMismatch,
        CaseKind::Contradiction,
        CaseKind::DuplicatePayment,
        CaseKind::LatePayment,
        CaseKind::PaidAfterStop,
        CaseKind::TradeVanished,
        CaseKind::ClosedButAlive,
        CaseKind::ChannelMissing,
        CaseKind::RefundedElsewhere,
    ];

    /// The word stored in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            CaseKind::AmountMismatch => "AMOUNT_MISMATCH",
            CaseKind::Contradiction => "CONTRADICTION",
            CaseKind::DuplicatePayment => "DUPLICATE_PAYMENT",
            CaseKind::LatePayment => "LATE_PAYMENT",
            CaseKind::PaidAfterStop => "PAID_AFTER_STOP",
            CaseKind::TradeVanished => "TRADE_VANISHED",
            CaseKind::ClosedButAlive => "CLOSED_BUT_ALIVE",
            CaseKind::ChannelMissing => "CHANNEL_MISSING",
            CaseKind::RefundedElsewhere => "REFUNDED_ELSEWHERE",
        }
    }

    /// The kind with this word, if there is one.
    #[must_use]
    pub fn find(word: &str) -> Option<CaseKind> {
        CaseKind::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// What the case proposes to do.
    #[must_use]
    pub fn proposal(self) -> Proposal {
        match self {
            CaseKind::AmountMismatch | CaseKind::DuplicatePayment => Proposal::Refund,
            CaseKind::LatePayment => Proposal::Recognise,
            CaseKind::PaidAfterStop => Proposal::KeepOrRefund,
            CaseKind::Contradiction
            | CaseKind::TradeVanished
            | CaseKind::ClosedButAlive
            | CaseKind::ChannelMissing
            | CaseKind::RefundedElsewhere => Proposal::Look,
        }
    }
}

/// What a case proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Proposal {
    /// Book the money for the sale.
    Recognise,
    /// Give the money back.
    Refund,
    /// The customer keeps the goods, or the money goes back.
    KeepOrRefund,
    /// Compare with the gateway's own page.
    Look,
}

/// Why a person's wish was not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WishRefused {
    /// The money has come: refund instead.
    #[error("this payment is already paid; refund it instead")]
    AlreadyPaid,
    /// The payment is over, or not in a state where this makes sense.
    #[error("this is not possible now")]
    NotNow,
    /// The code has ended, `close` was sent, or somebody has scanned.
    #[error("the old code cannot be shown again")]
    NotResumable,
    /// There is no such money in suspense.
    #[error("there is no such money to decide on")]
    NoSuchMoney,
    /// The sum of refunds would be more than what came.
    #[error("not so much is left to give back")]
    MoreThanIsLeft,
    /// One refund of a payment at a time: two people may mean the same one.
    #[error("another refund of this payment is under way")]
    RefundUnderWay,
}

impl Outcome {
    /// Nothing changes; `then` is done.
    pub(crate) fn unchanged(payment: &Payment, then: Step) -> Outcome {
        Outcome { payment: payment.clone(), then, cases: Vec::new(), refused: None }
    }

    /// The payment becomes `payment`; `then` is done.
    pub(crate) fn changed(payment: Payment, then: Step) -> Outcome {
        Outcome { payment, then, cases: Vec::new(), refused: None }
    }

    /// A wish that is not followed.
    pub(crate) fn refused(payment: &Payment, why: WishRefused) -> Outcome {
        Outcome { refused: Some(why), ..Outcome::unchanged(payment, Step::Rest) }
    }

    /// Also opens a case.
    pub(crate) fn with_case(mut self, kind: CaseKind, trade_no: Option<&TradeNo>, amount: Fen) -> Outcome {
        self.cases.push(NewCase { kind, trade_no: trade_no.cloned(), amount });
        self
    }

    /// Does `then` instead.
    pub(crate) fn and_then(self, then: Step) -> Outcome {
        Outcome { then, ..self }
    }
}

/// When a payment closed without a trade is asked once more.
pub(crate) fn watch_at(payment: &Payment) -> Option<UtcMs> {
    payment.precreated_at.map(|sent| sent.after(crate::record::WATCH))
}

/// Whether a refund was made by this terminal.
pub(crate) fn is_ours(origin: RefundOrigin) -> bool {
    match origin {
        RefundOrigin::Ours | RefundOrigin::Found | RefundOrigin::Cancel => true,
        RefundOrigin::Foreign => false,
    }
}
