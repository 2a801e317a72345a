//! What a person must decide or know, with its story and what may be done.

use super::timeline::tell;
use super::{OrderLine, Pin, RefundView, TimelineLine, show_line, show_refund};
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use yidan_engine::{CaseRow, Decision, Engine, Error, OrderSearch};
use yidan_payment::{Booked, Payment, Proposal, StatusName, TradeNo};

/// One open case in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct CaseLine {
    pub case_id: String,
    pub kind: String,
    pub pay_id: Option<String>,
    pub order_no: Option<String>,
    pub amount: String,
    pub opened_at_ms: i64,
    pub due_at_ms: i64,
}

/// One case, whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct CaseDetail {
    pub line: CaseLine,
    pub subject: String,
    pub trade_no: Option<String>,
    /// The last things that happened before it, at most three.
    pub steps: Vec<TimelineLine>,
    /// A paid order of the same amount nearby: it may have been paid twice.
    pub twin: Option<OrderLine>,
    pub choices: Vec<CaseChoice>,
    /// The refund that was decided and is not over.
    pub refund: Option<RefundView>,
}

/// One way to decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct CaseChoice {
    pub act: CaseAct,
    /// The one that is proposed.
    pub advised: bool,
    /// Why it is not possible now.
    pub bar: Option<CaseBar>,
}

/// What a manager may decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CaseAct {
    /// The money goes back.
    Refund,
    /// The money counts as the sale's.
    Recognise,
    /// The sale is booked already and stays so.
    Keep,
    /// Looked at; nothing to do with the money.
    Seen,
}

/// Why a decision is not possible now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CaseBar {
    /// The sale has another payment that lives or has brought money.
    SaleHasMoney,
    /// Its refund is under way.
    UnderWay,
}

/// What the decision asks for. The first decision stands.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct DecisionDraft {
    pub case_id: String,
    pub act: CaseAct,
    /// What was seen, if nothing else is decided.
    pub note: String,
    pub approver: String,
    #[ts(type = "string")]
    pub pin: Pin,
}

/// Every open case, the oldest first.
///
/// # Errors
/// [`Error::Storage`].
pub fn list_cases(engine: &Engine) -> Result<Vec<CaseLine>, Error> {
    engine.database().list_open_cases()?.iter().map(|case| show_case_line(engine, case)).collect()
}

fn show_case_line(engine: &Engine, case: &CaseRow) -> Result<CaseLine, Error> {
    let payment = engine.database().load_payment(case.pay_id)?;
    let order = engine.database().load_order(payment.order_id)?;
    Ok(CaseLine {
        case_id: case.case_id.to_string(),
        kind: case.kind.as_str().to_owned(),
        pay_id: Some(case.pay_id.to_string()),
        order_no: Some(order.order_no),
        amount: case.amount.to_string(),
        opened_at_ms: case.opened_at.0,
        due_at_ms: case.due_at.0,
    })
}

/// More of the story than this does not fit beside the decision.
const STEPS: usize = 3;
/// How many orders back a second payment of the same customer is looked for.
const NEARBY: i64 = 60;
/// The same customer pays twice within so many milliseconds.
const TWIN_MS: i64 = 30 * 60 * 1000;

/// Shows one case with its story.
///
/// # Errors
/// [`Error::Storage`].
pub fn show_case(engine: &Engine, case: &CaseRow) -> Result<CaseDetail, Error> {
    let payment = engine.database().load_payment(case.pay_id)?;
    let order = engine.database().load_order(payment.order_id)?;
    let mut steps = tell(&engine.database().list_events_of(case.pay_id)?);
    steps.retain(|step| step.at_ms <= case.opened_at.0);
    steps.drain(..steps.len().saturating_sub(STEPS));
    let under_way =
        payment.refunds.iter().find(|refund| refund.is_under_way() && Some(&refund.trade_no) == case.trade_no.as_ref());
    Ok(CaseDetail {
        line: show_case_line(engine, case)?,
        subject: order.subject,
        trade_no: case.trade_no.as_ref().map(TradeNo::to_string),
        twin: find_twin(engine, case, &payment)?,
        choices: list_choices(engine, case, &payment, under_way.is_some())?,
        refund: under_way.map(|refund| show_refund(engine, refund)).transpose()?,
        steps,
    })
}

/// Another paid order of the same amount shortly before or after. Only a hint: nothing is decided by it.
fn find_twin(engine: &Engine, case: &CaseRow, payment: &Payment) -> Result<Option<OrderLine>, Error> {
    let is_aside = payment.receipts.iter().any(|receipt| receipt.booked == Booked::Suspense);
    if !is_aside {
        return Ok(None);
    }
    let nearby = engine.database().search_orders(&OrderSearch {
        text: payment.amount.to_string(),
        statuses: vec![StatusName::Success],
        limit: NEARBY,
        ..OrderSearch::default()
    })?;
    let is_twin =
        |at: i64, amount: yidan_payment::Fen| amount == payment.amount && (at - case.opened_at.0).abs() <= TWIN_MS;
    let twin =
        nearby.into_iter().find(|(order, pay_id)| *pay_id != case.pay_id && is_twin(order.created_at.0, order.amount));
    twin.map(|(order, pay_id)| show_line(engine, order, pay_id)).transpose()
}

fn list_choices(
    engine: &Engine,
    case: &CaseRow,
    payment: &Payment,
    is_under_way: bool,
) -> Result<Vec<CaseChoice>, Error> {
    let has_money = case.trade_no.as_ref().is_some_and(|trade_no| {
        payment.find_receipt(trade_no).is_some_and(|receipt| payment.refunded_of(trade_no) < receipt.total)
    });
    let is_settled = !engine.may_recognise(payment)?;
    let advised = advised_act(case, is_settled);
    let note = || "-".to_owned();
    let possible = [
        (CaseAct::Refund, Decision::Refund),
        (CaseAct::Recognise, Decision::Recognise),
        (CaseAct::Keep, Decision::Keep),
        (CaseAct::Seen, Decision::Seen { note: note() }),
    ];
    let choice = |(act, decision): (CaseAct, Decision)| {
        let bar = match act {
            CaseAct::Recognise if is_settled => Some(CaseBar::SaleHasMoney),
            CaseAct::Refund | CaseAct::Recognise | CaseAct::Keep | CaseAct::Seen => {
                is_under_way.then_some(CaseBar::UnderWay)
            }
        };
        decision.fits(case.kind, has_money).then_some(CaseChoice { act, advised: advised == act, bar })
    };
    let mut choices: Vec<CaseChoice> = possible.into_iter().filter_map(choice).collect();
    choices.sort_by_key(|choice| !choice.advised);
    Ok(choices)
}

/// What is proposed, as the sale stands now.
fn advised_act(case: &CaseRow, is_settled: bool) -> CaseAct {
    match case.kind.proposal() {
        Proposal::Recognise if is_settled => CaseAct::Refund,
        Proposal::Recognise => CaseAct::Recognise,
        Proposal::Refund => CaseAct::Refund,
        Proposal::KeepOrRefund => CaseAct::Keep,
        Proposal::Look => CaseAct::Seen,
    }
}
