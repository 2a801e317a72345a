//! What a person must decide or know, with its story and what may be done.

use super::{OrderLine, Pin, RefundView, TimelineLine};
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use yidan_engine::{CaseRow, Engine, Error};

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
    engine.database().list_open_cases()?.iter().map(|case| show_line(engine, case)).collect()
}

fn show_line(engine: &Engine, case: &CaseRow) -> Result<CaseLine, Error> {
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
