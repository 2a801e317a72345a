//! A day's bill against our books: what differs, what is planned, what came of it.

use super::CommandError;
use serde::Serialize;
use ts_rs::TS;
use yidan_engine::{Action, BillPlan, BillTrouble, BridgeDay, Engine, Error, Settlement};
use yidan_payment::{Class, Finding};

/// The bill of a day, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct BillPage {
    /// None before it was read for the first time.
    pub review: Option<BillReview>,
    /// Set while the program is going to fetch it by itself.
    pub automatic: Option<AutomaticFetch>,
}

/// A bill that the program fetches by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct AutomaticFetch {
    pub due_at_ms: i64,
    pub failed_at_ms: Option<i64>,
    /// Why the last try failed.
    pub why: Option<CommandError>,
}

/// The comparison of one day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct BillReview {
    pub day: String,
    pub count: i64,
    pub matched: i64,
    pub gross: String,
    pub refunds: String,
    pub fee: String,
    pub net: String,
    pub differences: Vec<DifferenceLine>,
    /// Which business days the bill's money counts for.
    pub bridge: Vec<BridgeLine>,
    /// Numbers of other terminals, which reconcile for themselves.
    pub elsewhere: i64,
    /// Whether the next day's bill is in too, so that nothing near midnight is open.
    pub next_day_in: bool,
    /// Set once the plan was carried out.
    pub applied_at_ms: Option<i64>,
}

/// One thing on which the bill and the books differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct DifferenceLine {
    pub kind: DifferenceKind,
    pub order_no: Option<String>,
    pub pay_id: Option<String>,
    pub number: String,
    pub ours: Option<String>,
    pub bill: Option<String>,
    pub plan: PlannedAct,
    pub outcome: Option<DifferenceOutcome>,
}

/// How they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DifferenceKind {
    LocalNotPaid,
    /// Only this terminal can have minted the number, and its records do not know it.
    Forgotten,
    ChannelMissing,
    Amount,
    RefundMissing,
    RefundExtra,
    Duplicate,
    UnknownTrade,
}

/// What is done about it: a bill line is never believed, only a reason to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PlannedAct {
    AskTrade,
    AskRefund,
    /// Ask for a number that our records lost, and write it down again.
    WriteDownAgain,
    OpenCase,
    /// No payment of ours is concerned.
    TellAPerson,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DifferenceOutcome {
    /// The books agree now.
    Settled,
    /// A case tells about it.
    Case,
    /// A person was told.
    Told,
    /// Nothing is known yet.
    Unknown,
}

/// Money of one business day on the bill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct BridgeLine {
    pub business_day: String,
    pub count: i64,
    pub amount: String,
}

/// Shows what is known of the bill of a day.
///
/// # Errors
/// [`BillTrouble::Engine`].
pub fn show_bill(engine: &Engine, day: &str) -> Result<BillPage, BillTrouble> {
    let review = match engine.plan_bill(day) {
        Ok(plan) => Some(show_plan(engine, &plan)?),
        Err(BillTrouble::NotRead(_)) => None,
        Err(trouble) => return Err(trouble),
    };
    let automatic = engine.planned_fetch(day)?.map(|planned| AutomaticFetch {
        due_at_ms: planned.at.0,
        failed_at_ms: planned.failed.as_ref().map(|failed| failed.at.0),
        why: planned.failed.map(|failed| CommandError::from(failed.why.as_ref())),
    });
    Ok(BillPage { review, automatic })
}

/// Shows what a bill says beside our books, and what is planned.
///
/// # Errors
/// [`Error::Storage`].
pub fn show_plan(engine: &Engine, plan: &BillPlan) -> Result<BillReview, Error> {
    let mut differences = Vec::new();
    for difference in &plan.differences {
        let act = act_of(difference.action);
        differences.push(show_difference(engine, &difference.finding, act, None)?);
    }
    for finding in &plan.settled {
        let (act, outcome) = match finding.pay_id {
            Some(_) => (PlannedAct::OpenCase, DifferenceOutcome::Case),
            None => (PlannedAct::TellAPerson, DifferenceOutcome::Told),
        };
        differences.push(show_difference(engine, finding, act, Some(outcome))?);
    }
    let day = &plan.day;
    Ok(BillReview {
        day: day.bill_day.clone(),
        count: day.trade_count + day.refund_count,
        matched: count(plan.matched),
        gross: yuan(day.trade_fen),
        refunds: yuan(-day.refund_fen),
        fee: yuan(-day.fee_fen),
        net: yuan(day.net_fen()),
        differences,
        bridge: plan.bridge.iter().map(show_bridge).collect(),
        elsewhere: count(plan.elsewhere.0),
        next_day_in: plan.is_next_day_in,
        applied_at_ms: None,
    })
}

/// Shows what came of a plan. `after`: what is planned now.
///
/// # Errors
/// [`Error::Storage`].
pub fn show_settlement(engine: &Engine, settlement: &Settlement, after: &BillPlan) -> Result<BillReview, Error> {
    let ended = [
        (&settlement.booked, DifferenceOutcome::Settled),
        (&settlement.cases, DifferenceOutcome::Case),
        (&settlement.told, DifferenceOutcome::Told),
        (&settlement.unanswered, DifferenceOutcome::Unknown),
    ];
    let mut differences = Vec::new();
    for (findings, outcome) in ended {
        for finding in findings {
            differences.push(show_difference(engine, finding, act_for(finding.class), Some(outcome))?);
        }
    }
    let review = show_plan(engine, after)?;
    let is_shown = |line: &DifferenceLine| {
        differences.iter().any(|shown| (shown.kind, &shown.number) == (line.kind, &line.number))
    };
    let rest: Vec<DifferenceLine> = review.differences.iter().filter(|line| !is_shown(line)).cloned().collect();
    Ok(BillReview {
        differences: differences.into_iter().chain(rest).collect(),
        applied_at_ms: Some(engine.now().0),
        ..review
    })
}

fn show_difference(
    engine: &Engine,
    finding: &Finding,
    plan: PlannedAct,
    outcome: Option<DifferenceOutcome>,
) -> Result<DifferenceLine, Error> {
    let order_no = match finding.pay_id {
        Some(pay_id) => {
            let payment = engine.database().load_payment(pay_id)?;
            Some(engine.database().load_order(payment.order_id)?.order_no)
        }
        None => None,
    };
    Ok(DifferenceLine {
        kind: kind_of(finding.class),
        order_no,
        pay_id: finding.pay_id.map(|pay_id| pay_id.to_string()),
        number: finding.out_request_no.clone().unwrap_or_else(|| finding.out_trade_no.clone()),
        ours: finding.our_fen.map(yuan),
        bill: finding.bill_fen.map(yuan),
        plan,
        outcome,
    })
}

fn kind_of(class: Class) -> DifferenceKind {
    match class {
        Class::LocalNotPaid => DifferenceKind::LocalNotPaid,
        Class::Forgotten => DifferenceKind::Forgotten,
        Class::ChannelMissing => DifferenceKind::ChannelMissing,
        // What agrees is no difference and is not shown.
        Class::Amount | Class::Matched => DifferenceKind::Amount,
        Class::RefundMissing => DifferenceKind::RefundMissing,
        Class::RefundExtra => DifferenceKind::RefundExtra,
        Class::Duplicate => DifferenceKind::Duplicate,
        Class::UnknownTrade | Class::OtherTerminal => DifferenceKind::UnknownTrade,
    }
}

fn act_of(action: Action) -> PlannedAct {
    match action {
        Action::AskTrade => PlannedAct::AskTrade,
        Action::AskRefund => PlannedAct::AskRefund,
        Action::WriteDownAgain => PlannedAct::WriteDownAgain,
        Action::OpenCase(_) => PlannedAct::OpenCase,
        Action::TellAPerson => PlannedAct::TellAPerson,
    }
}

/// What was done about a difference that is over.
fn act_for(class: Class) -> PlannedAct {
    match class {
        Class::LocalNotPaid | Class::Duplicate => PlannedAct::AskTrade,
        Class::RefundMissing | Class::RefundExtra => PlannedAct::AskRefund,
        Class::Forgotten => PlannedAct::WriteDownAgain,
        Class::ChannelMissing | Class::Amount => PlannedAct::OpenCase,
        Class::UnknownTrade | Class::OtherTerminal | Class::Matched => PlannedAct::TellAPerson,
    }
}

fn show_bridge(day: &BridgeDay) -> BridgeLine {
    BridgeLine {
        business_day: day.business_day.clone(),
        count: count(day.count),
        amount: yuan(day.fen + day.refund_fen),
    }
}

fn count(things: usize) -> i64 {
    i64::try_from(things).unwrap_or(i64::MAX)
}

/// Signed fen as yuan: `-15.00`.
fn yuan(fen: i64) -> String {
    let sign = if fen < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", fen.unsigned_abs() / 100, fen.unsigned_abs() % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_that_went_back_is_written_with_its_sign() {
        assert_eq!(yuan(-1500), "-15.00");
        assert_eq!(yuan(-5), "-0.05");
        assert_eq!(yuan(123_456), "1234.56");
    }
}
