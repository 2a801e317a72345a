//! "I have paid": one verdict, its evidence, and the one safe thing to do.

use super::{OrderLine, show_line};
use serde::Serialize;
use ts_rs::TS;
use yidan_engine::{Engine, Error, OrderSearch, Resolved, SafeAction, Said, Verdict, What, Who};
use yidan_payment::{Payment, PaymentId, StatusName, UtcMs};

/// What was found for a hint, and what is true of the most likely order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ResolveView {
    pub hits: Vec<OrderLine>,
    pub verdict: Option<VerdictView>,
}

/// One verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct VerdictView {
    pub kind: VerdictKind,
    pub pay_id: String,
    pub order_no: String,
    pub amount: String,
    pub proofs: Vec<ProofLine>,
    pub next: SafeAct,
    /// The order on which the money is, if it is another one.
    pub other: Option<OrderLine>,
}

/// What is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum VerdictKind {
    Paid,
    NotPaid,
    StillOpen,
    PaidElsewhere,
    /// It was paid, and all of it went back.
    GivenBack,
    Unreachable,
    /// Money came, and it waits for a decision.
    AskAPerson,
}

/// The one thing that is safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SafeAct {
    HandOver,
    CollectAgain,
    NewOrder,
    /// Nobody has scanned it: the same code once more.
    ShowCode,
    Wait,
    HandOverOther,
    AskAgain,
    OpenCase,
}

/// One reason for the verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ProofLine {
    /// Names the sentence.
    pub what: String,
    /// An amount, a number or a name that the sentence says.
    pub detail: Option<String>,
    /// A moment that the sentence says.
    pub about_ms: Option<i64>,
    /// When we were told.
    pub at_ms: Option<i64>,
    /// How long the answer took.
    pub took_ms: Option<i64>,
}

/// How many of the last orders are offered before anything is typed.
const LATEST: i64 = 3;

/// The last orders: what a customer who comes back usually speaks of.
///
/// # Errors
/// [`Error::Storage`].
pub fn show_latest(engine: &Engine) -> Result<ResolveView, Error> {
    let latest = OrderSearch { statuses: StatusName::ALL.to_vec(), limit: LATEST, ..OrderSearch::default() };
    let found = engine.database().search_orders(&latest)?.into_iter();
    let hits = found.map(|(order, pay_id)| show_line(engine, order, pay_id)).collect::<Result<_, _>>()?;
    Ok(ResolveView { hits, verdict: None })
}

/// Shows a verdict. None is made up where the engine gives none.
///
/// # Errors
/// [`Error::Storage`].
pub fn show_resolved(engine: &Engine, resolved: Resolved) -> Result<ResolveView, Error> {
    let line = |pay_id: PaymentId| {
        let order_id = engine.database().load_payment(pay_id)?.order_id;
        show_line(engine, engine.database().load_order(order_id)?, pay_id)
    };
    let hits = resolved.hits.iter().map(|hit| line(hit.pay_id)).collect::<Result<_, _>>()?;
    let (Some(kind), Some(order)) = (kind_of(resolved.verdict), &resolved.order) else {
        return Ok(ResolveView { hits, verdict: None });
    };
    let (next, on) = act_of(resolved.action, order.pay_id);
    let other = on.filter(|pay_id| *pay_id != order.pay_id).map(line).transpose()?;
    let payment = engine.database().load_payment(order.pay_id)?;
    let verdict = VerdictView {
        kind,
        pay_id: order.pay_id.to_string(),
        order_no: order.order_no.clone(),
        amount: order.amount.to_string(),
        proofs: list_proofs(&resolved, kind, &payment, engine.now()),
        next,
        other,
    };
    Ok(ResolveView { hits, verdict: Some(verdict) })
}

fn kind_of(verdict: Verdict) -> Option<VerdictKind> {
    match verdict {
        Verdict::Paid => Some(VerdictKind::Paid),
        Verdict::NotPaid => Some(VerdictKind::NotPaid),
        Verdict::StillOpen => Some(VerdictKind::StillOpen),
        Verdict::PaidOnAnother => Some(VerdictKind::PaidElsewhere),
        Verdict::GivenBack => Some(VerdictKind::GivenBack),
        Verdict::NeedsManager => Some(VerdictKind::AskAPerson),
        Verdict::Unreachable => Some(VerdictKind::Unreachable),
        Verdict::SeveralFit | Verdict::NoneFits => None,
    }
}

/// The act, and on which payment.
fn act_of(action: SafeAction, asked: PaymentId) -> (SafeAct, Option<PaymentId>) {
    match action {
        SafeAction::HandOver(pay_id) if pay_id != asked => (SafeAct::HandOverOther, Some(pay_id)),
        SafeAction::HandOver(pay_id) => (SafeAct::HandOver, Some(pay_id)),
        SafeAction::CollectAgain(pay_id) => (SafeAct::CollectAgain, Some(pay_id)),
        SafeAction::NewOrder(pay_id) => (SafeAct::NewOrder, Some(pay_id)),
        SafeAction::ShowCode(pay_id) => (SafeAct::ShowCode, Some(pay_id)),
        SafeAction::Wait(pay_id) => (SafeAct::Wait, Some(pay_id)),
        SafeAction::AskAgain(pay_id) => (SafeAct::AskAgain, Some(pay_id)),
        SafeAction::AskManager(pay_id) => (SafeAct::OpenCase, Some(pay_id)),
        SafeAction::Choose | SafeAction::LookAtBill => (SafeAct::AskAgain, None),
    }
}

fn list_proofs(resolved: &Resolved, kind: VerdictKind, payment: &Payment, now: UtcMs) -> Vec<ProofLine> {
    let took_ms = resolved.took.and_then(|took| i64::try_from(took.as_millis()).ok());
    let mut proofs: Vec<ProofLine> = resolved.said.iter().map(|said| proof_of(said, kind, now)).collect();
    if let Some(first) = resolved.said.iter().position(|said| said.who == Who::Gateway)
        && let Some(proof) = proofs.get_mut(first)
    {
        proof.took_ms = took_ms;
    }
    match kind {
        VerdictKind::Paid | VerdictKind::GivenBack => {
            proofs.push(plain("signed", None));
            proofs.extend(payment.trade_no.as_ref().map(|trade_no| plain("trade", Some(trade_no.to_string()))));
        }
        VerdictKind::AskAPerson => proofs.push(plain("aside", None)),
        VerdictKind::Unreachable => proofs.push(plain("since", None)),
        VerdictKind::NotPaid | VerdictKind::StillOpen | VerdictKind::PaidElsewhere => {}
    }
    proofs
}

fn plain(what: &str, detail: Option<String>) -> ProofLine {
    ProofLine { what: what.to_owned(), detail, about_ms: None, at_ms: None, took_ms: None }
}

fn proof_of(said: &Said, kind: VerdictKind, now: UtcMs) -> ProofLine {
    let is_past = said.at.is_some_and(|at| at <= now);
    let at_ms = said.at.map(|at| at.0);
    let (what, detail) = match &said.what {
        What::Paid(amount) if said.who == Who::Gateway => ("paid", Some(amount.to_string())),
        What::Paid(amount) => ("known_paid", Some(amount.to_string())),
        What::Refunded(amount) => ("refunded", Some(amount.to_string())),
        What::NobodyScanned if kind == VerdictKind::NotPaid => ("no_trade", None),
        What::NobodyScanned => ("unscanned", None),
        What::WaitingForBuyer => ("waiting", None),
        What::TradeClosed => ("closed", None),
        What::CodeEnds if is_past => ("code_ended", None),
        What::CodeEnds => ("code_until", None),
        What::DeadAfter if is_past => ("code_dead", None),
        What::DeadAfter => ("dead_at", None),
        What::Stopped(_) => ("stopped", None),
        What::Refused(text) => ("refused", Some(text.clone())),
        // Why there is no answer is for the log; what it means is for the cashier.
        What::NoAnswer(_) => ("no_answer", None),
        What::LastKnown(status) => ("last_known", Some(status.as_str().to_owned())),
        What::OtherOrder(order_no) => ("other_paid", Some(order_no.clone())),
    };
    match said.what {
        // Moments that the sentence itself says.
        What::Paid(_) | What::CodeEnds | What::DeadAfter | What::OtherOrder(_) => {
            ProofLine { about_ms: at_ms, ..plain(what, detail) }
        }
        What::Refunded(_)
        | What::NobodyScanned
        | What::WaitingForBuyer
        | What::TradeClosed
        | What::Stopped(_)
        | What::Refused(_)
        | What::NoAnswer(_)
        | What::LastKnown(_) => ProofLine { at_ms, ..plain(what, detail) },
    }
}
