//! Cases: looked at by everybody, decided by a manager, once.

use super::refund::approve;
use super::{Shared, ask, read};
use crate::view::{CaseAct, CaseDetail, CommandError, DecisionDraft, ErrorKind, show_case};
use std::rc::Rc;
use yidan_engine::{Act, Decision, Engine};
use yidan_payment::CaseId;

/// One case with its story and what may be decided.
#[tauri::command]
pub async fn case_detail(case_id: String, till: Shared<'_>) -> Result<CaseDetail, CommandError> {
    let case_id = read::<CaseId>(&case_id)?;
    let look = move |engine: Rc<Engine>| async move {
        let case = engine.database().find_case(case_id)?.ok_or(CommandError::plain(ErrorKind::NotNow))?;
        Ok(show_case(&engine, &case)?)
    };
    till.counter()?.ask(look).await?
}

/// Decides a case. Money that goes back keeps it open until it is back.
#[tauri::command]
pub async fn decide(draft: DecisionDraft, till: Shared<'_>) -> Result<(), CommandError> {
    let case_id = read::<CaseId>(&draft.case_id)?;
    let decide = move |engine: Rc<Engine>| async move {
        let approval = approve(&engine, Act::Decide(case_id), &draft.approver, &draft.pin)?;
        engine.decide(case_id, decision_of(draft.act, draft.note), approval).await?;
        Ok(())
    };
    ask(&till, decide).await
}

fn decision_of(act: CaseAct, note: String) -> Decision {
    match act {
        CaseAct::Refund => Decision::Refund,
        CaseAct::Recognise => Decision::Recognise,
        CaseAct::Keep => Decision::Keep,
        CaseAct::Seen => Decision::Seen { note },
    }
}
