//! Who works here, and what a cashier may do alone. A manager agrees to every change.

use super::refund::approve;
use super::{Shared, ask};
use crate::view::{CommandError, ErrorKind, PeopleChange, PeopleDraft, PeopleView, show_people};
use std::rc::Rc;
use yidan_engine::{Act, Approval, Engine, Error, RefundRules};
use yidan_payment::Fen;

/// Everybody, and the rules.
#[tauri::command]
pub async fn people(till: Shared<'_>) -> Result<PeopleView, CommandError> {
    till.counter()?.ask(|engine| async move { Ok(show_people(&engine)?) }).await?
}

/// Carries a change out.
#[tauri::command]
pub async fn change_people(draft: PeopleDraft, till: Shared<'_>) -> Result<PeopleView, CommandError> {
    let change = move |engine: Rc<Engine>| async move {
        let approval = approve(&engine, Act::Rule, &draft.approver, &draft.pin)?;
        carry_out(&engine, draft.change, &approval)?;
        Ok(show_people(&engine)?)
    };
    ask(&till, change).await
}

fn carry_out(engine: &Engine, change: PeopleChange, approval: &Approval) -> Result<(), CommandError> {
    let done = match change {
        PeopleChange::Join { name, role, new_pin } => {
            engine.add_operator(&name, role.into(), new_pin.digits(), approval).map(|_| ())
        }
        PeopleChange::NewPin { operator_id, new_pin } => engine.reset_pin(&operator_id, new_pin.digits(), approval),
        PeopleChange::Leave { operator_id } => engine.remove_operator(&operator_id, approval),
        PeopleChange::Rules { cashier_limit, approver_must_differ } => {
            let cashier_limit =
                Fen::parse_stated(&cashier_limit).map_err(|_| CommandError::plain(ErrorKind::BadAmount))?;
            engine.save_refund_rules(RefundRules { cashier_limit, approver_must_differ }, approval)
        }
    };
    done.map_err(refusal_of)
}

/// The last manager, no name, too short a PIN: a form to put right, not an amount.
fn refusal_of(error: Error) -> CommandError {
    if let Error::BadInput(why) = error {
        return CommandError { kind: ErrorKind::BadSetup, message: why };
    }
    CommandError::from(error)
}
