//! `POST /api/v1/instructions`: what headquarters wants a terminal to do; `GET`: what became of it.
//!
//! Headquarters never changes a payment: the terminal does it, once, under its own rules, and says so in its journal.

use crate::app::App;
use crate::given::Given;
use crate::problem::Problem;
use crate::push::{append, ring};
use crate::sign_in::{Editor, Reader};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};
use uuid::Uuid;
use yidan_payment::{Fen, OutTradeNo, TradeNo, UtcMs};
use yidan_wire::{Instructed, Instruction, PushId, Resolution, Told};

const MAX_PAGE: i64 = 500;

/// What is wanted.
#[derive(Deserialize)]
pub struct Wanted {
    terminal_id: String,
    #[serde(flatten)]
    act: Act,
}

#[derive(Deserialize)]
#[serde(tag = "act", rename_all = "kebab-case")]
enum Act {
    Ask { out_trade_no: OutTradeNo },
    Resolve { out_trade_no: OutTradeNo, trade_no: TradeNo, resolution: Resolution },
    Refund { out_trade_no: OutTradeNo, amount_fen: Fen, reason: String },
}

/// An instruction, and what became of it.
#[derive(Serialize)]
pub struct InstructionView {
    instruction_id: String,
    terminal_id: String,
    what: serde_json::Value,
    made_by: String,
    made_at: i64,
    /// `null`: the terminal has not answered yet.
    outcome: Option<String>,
    detail: String,
    answered_at: Option<i64>,
}

/// Instructions, the newest first.
#[derive(Serialize)]
pub struct Instructions {
    instructions: Vec<InstructionView>,
}

/// `POST /api/v1/instructions`
pub async fn make(
    editor: Editor,
    State(app): State<App>,
    Given(wanted): Given<Wanted>,
) -> Result<Json<InstructionView>, Problem> {
    let instruction = wanted.act.said_by(&editor.name);
    let (id, now) = (PushId::new(Uuid::now_v7()), app.clock.now());
    let mut transaction = app.database.writer.begin().await?;
    let inserted = sqlx::query(
        "insert into instructions (push_id, terminal_id, what, made_by, made_at) \
         select $1, terminal_id, $3, $4, $5 from terminals where terminal_id = $2",
    )
    .bind(id.to_string())
    .bind(&wanted.terminal_id)
    .bind(serde_json::to_string(&instruction).map_err(|error| sqlx::Error::Encode(Box::new(error)))?)
    .bind(&editor.name)
    .bind(now.0)
    .execute(&mut *transaction)
    .await?
    .rows_affected();
    if inserted == 0 {
        return Err(Problem::NotFound("terminal"));
    }
    append(&mut transaction, &wanted.terminal_id, id, &Told::Instruction { instruction }, now).await?;
    let row = sqlx::query("select * from instructions where push_id = $1")
        .bind(id.to_string())
        .fetch_one(&mut *transaction)
        .await?;
    transaction.commit().await?;
    ring(&app, &wanted.terminal_id);
    tracing::info!(terminal_id = wanted.terminal_id, instruction_id = %id, by = editor.name, "instruction given");
    Ok(Json(view(&row)?))
}

/// `GET /api/v1/instructions`
pub async fn list(_: Reader, State(app): State<App>) -> Result<Json<Instructions>, Problem> {
    let rows = sqlx::query("select * from instructions order by made_at desc, push_id desc limit $1")
        .bind(MAX_PAGE)
        .fetch_all(&app.database.reader)
        .await?;
    let instructions = rows.iter().map(view).collect::<Result<_, _>>()?;
    Ok(Json(Instructions { instructions }))
}

/// A terminal says what became of an instruction. Said twice it stays as it was said first.
///
/// # Errors
/// If the database refuses.
pub async fn note_outcome(
    db: &mut AnyConnection,
    terminal_id: &str,
    told: &Instructed,
    at: UtcMs,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update instructions set outcome = $3, detail = $4, answered_at = $5 \
         where push_id = $1 and terminal_id = $2 and outcome is null",
    )
    .bind(told.id.to_string())
    .bind(terminal_id)
    .bind(told.outcome.as_str())
    .bind(&told.detail)
    .bind(at.0)
    .execute(db)
    .await?;
    Ok(())
}

impl Act {
    fn said_by(self, name: &str) -> Instruction {
        let by = name.to_owned();
        match self {
            Act::Ask { out_trade_no } => Instruction::Ask { out_trade_no },
            Act::Resolve { out_trade_no, trade_no, resolution } => {
                Instruction::Resolve { out_trade_no, trade_no, resolution, by }
            }
            Act::Refund { out_trade_no, amount_fen, reason } => {
                Instruction::Refund { out_trade_no, amount_fen, reason, by }
            }
        }
    }
}

fn view(row: &AnyRow) -> Result<InstructionView, sqlx::Error> {
    let what: String = row.try_get("what")?;
    Ok(InstructionView {
        instruction_id: row.try_get("push_id")?,
        terminal_id: row.try_get("terminal_id")?,
        what: serde_json::from_str(&what).map_err(|error| sqlx::Error::Decode(Box::new(error)))?,
        made_by: row.try_get("made_by")?,
        made_at: row.try_get("made_at")?,
        outcome: row.try_get("outcome")?,
        detail: row.try_get("detail")?,
        answered_at: row.try_get("answered_at")?,
    })
}
