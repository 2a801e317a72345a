//! How a terminal becomes known: a code that a person reads out once, and from then on the terminal's own key.
//!
//! Must always hold: a code works once, within 15 minutes, and only its hash is stored. It is consumed in the transaction
//! that stores the key. Enrolling again is a new epoch: the old key stops working at once.

use crate::app::App;
use crate::database::Database;
use crate::given::Given;
use crate::identity::read_enrolment;
use crate::live::tell;
use crate::problem::Problem;
use crate::push::ring;
use crate::secret::Secret;
use crate::sign_in::Editor;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use serde::{Deserialize, Serialize};
use sqlx::{AnyConnection, Row as _};
use std::time::Duration;
use yidan_payment::{Hash, UtcMs};
use yidan_wire::signature::check_public_key;
use yidan_wire::{Enrolled, Enrolment, Mode};

/// How long a code works.
pub const CODE_LIFE: Duration = Duration::from_mins(15);

/// A store's number is part of every `out_trade_no`, which has room for so much.
const LONGEST_STORE: usize = 10;
/// So is the till's: what is left of a terminal's name without its store's.
const LONGEST_TILL: usize = 8;

/// For whom a code is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewCode {
    /// The store: letters and digits; part of every number its terminals mint.
    pub store_id: String,
    /// What the screens show.
    pub store_name: String,
    /// A terminal that enrols again, or the name a new one shall have. Without it the store's next free one.
    pub terminal_id: Option<String>,
}

/// A code, to be read out once.
#[derive(Clone, Debug)]
pub struct Code {
    /// The code itself.
    pub code: Secret,
    /// Which terminal it makes.
    pub terminal_id: String,
    /// Until when (UTC ms).
    pub expires_at: UtcMs,
}

/// A code as the console shows it.
#[derive(Serialize)]
pub struct CodeView {
    code: String,
    terminal_id: String,
    expires_at: UtcMs,
}

/// `POST /api/v1/enrolment-codes`
pub async fn make_code(
    editor: Editor,
    State(app): State<App>,
    Given(wanted): Given<NewCode>,
) -> Result<Json<CodeView>, Problem> {
    let code = create_code(&app.database, &wanted, app.clock.now()).await?;
    let Code { code, terminal_id, expires_at } = code;
    tracing::info!(terminal_id, by = editor.name, "enrolment code made");
    Ok(Json(CodeView { code: code.reveal().to_owned(), terminal_id, expires_at }))
}

/// Makes a code and remembers its hash.
///
/// # Errors
/// A name that cannot be part of a number, a terminal of another store, or the database.
pub async fn create_code(database: &Database, wanted: &NewCode, now: UtcMs) -> Result<Code, Problem> {
    check_name(&wanted.store_id, LONGEST_STORE)?;
    let mut transaction = database.writer.begin().await?;
    sqlx::query(
        "insert into stores (store_id, store_name, created_at) values ($1, $2, $3) \
         on conflict (store_id) do update set store_name = excluded.store_name",
    )
    .bind(&wanted.store_id)
    .bind(&wanted.store_name)
    .bind(now.0)
    .execute(&mut *transaction)
    .await?;
    let terminal_id = choose_terminal(&mut transaction, wanted).await?;
    let code = Secret::random_code();
    let expires_at = now.after(CODE_LIFE);
    sqlx::query(
        "insert into enrolment_codes (code_hash, store_id, terminal_id, created_at, expires_at) \
         values ($1, $2, $3, $4, $5)",
    )
    .bind(code.hash_of_code())
    .bind(&wanted.store_id)
    .bind(&terminal_id)
    .bind(now.0)
    .bind(expires_at.0)
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(Code { code, terminal_id, expires_at })
}

/// `POST /api/v1/enrol`
pub async fn enrol(State(app): State<App>, request: Request<Body>) -> Result<Json<Enrolled>, Problem> {
    let enrolment = read_enrolment(&app, request).await?;
    check_public_key(&enrolment.public_key).map_err(Problem::NotSigned)?;
    if let Some(what) = app.merchant.find_difference(&enrolment) {
        return Err(Problem::OtherMerchant(what));
    }
    let enrolled = take_code(&app.database, &enrolment, app.clock.now()).await?;
    let enrolled = Enrolled { notify_url: app.notify_url.clone(), ..enrolled };
    ring(&app, &enrolled.terminal_id);
    tell(&app, &enrolled.terminal_id, &enrolled.store_id, Vec::new());
    tracing::info!(terminal_id = enrolled.terminal_id, epoch = enrolled.epoch, "terminal enrolled");
    Ok(Json(enrolled))
}

async fn take_code(database: &Database, enrolment: &Enrolment, now: UtcMs) -> Result<Enrolled, Problem> {
    let code_hash = Secret::new(enrolment.code.clone()).hash_of_code();
    let mut transaction = database.writer.begin().await?;
    let taken = sqlx::query(
        "update enrolment_codes set used_at = $1, used_by = $2 \
         where code_hash = $3 and used_at is null and expires_at > $1",
    )
    .bind(now.0)
    .bind(&enrolment.public_key)
    .bind(&code_hash)
    .execute(&mut *transaction)
    .await?
    .rows_affected();
    if taken == 0 {
        // The answer may have been lost: the same key gets the same answer again. Any other is refused.
        return find_enrolled(&mut transaction, &code_hash, &enrolment.public_key).await;
    }
    let terminal_id = open_epoch(&mut transaction, &code_hash, now).await?;
    insert_epoch(&mut transaction, &terminal_id, enrolment, now).await?;
    let enrolled = find_enrolled(&mut transaction, &code_hash, &enrolment.public_key).await?;
    transaction.commit().await?;
    Ok(enrolled)
}

/// Raises the epoch of the code's terminal, which may be new, and revokes the key before.
async fn open_epoch(db: &mut AnyConnection, code_hash: &str, now: UtcMs) -> Result<String, Problem> {
    let row = sqlx::query("select store_id, terminal_id from enrolment_codes where code_hash = $1")
        .bind(code_hash)
        .fetch_one(&mut *db)
        .await?;
    let (store_id, terminal_id): (String, String) = (row.try_get("store_id")?, row.try_get("terminal_id")?);
    sqlx::query(
        "insert into terminals (terminal_id, store_id, epoch, created_at) values ($1, $2, 1, $3) \
         on conflict (terminal_id) do update set epoch = terminals.epoch + 1 \
         where terminals.store_id = excluded.store_id",
    )
    .bind(&terminal_id)
    .bind(&store_id)
    .bind(now.0)
    .execute(&mut *db)
    .await?;
    sqlx::query("update epochs set revoked_at = $1 where terminal_id = $2 and revoked_at is null")
        .bind(now.0)
        .bind(&terminal_id)
        .execute(&mut *db)
        .await?;
    Ok(terminal_id)
}

async fn insert_epoch(
    db: &mut AnyConnection,
    terminal_id: &str,
    enrolment: &Enrolment,
    now: UtcMs,
) -> Result<(), Problem> {
    let mode = match enrolment.mode {
        Mode::Demo => "demo",
        Mode::Live => "live",
    };
    let inserted = sqlx::query(
        "insert into epochs (terminal_id, epoch, public_key, app_id, alipay_key, mode, enrolled_at, head_hash) \
         select terminal_id, epoch, $2, $3, $4, $5, $6, $7 from terminals where terminal_id = $1 \
         on conflict do nothing",
    )
    .bind(terminal_id)
    .bind(&enrolment.public_key)
    .bind(&enrolment.app_id)
    .bind(enrolment.alipay_key.to_string())
    .bind(mode)
    .bind(now.0)
    .bind(Hash::ZERO.to_string())
    .execute(db)
    .await?
    .rows_affected();
    // A key names one terminal in one epoch: a second enrolment needs a new key.
    if inserted == 1 { Ok(()) } else { Err(Problem::CodeRefused) }
}

async fn find_enrolled(db: &mut AnyConnection, code_hash: &str, public_key: &str) -> Result<Enrolled, Problem> {
    let row = sqlx::query(
        "select e.terminal_id, e.epoch, s.store_id, s.store_name from enrolment_codes c \
         join epochs e on e.terminal_id = c.terminal_id and e.public_key = c.used_by \
         join stores s on s.store_id = c.store_id \
         where c.code_hash = $1 and c.used_by = $2 and e.revoked_at is null",
    )
    .bind(code_hash)
    .bind(public_key)
    .fetch_optional(db)
    .await?
    .ok_or(Problem::CodeRefused)?;
    Ok(Enrolled {
        terminal_id: row.try_get("terminal_id")?,
        epoch: u32::try_from(row.try_get::<i64, _>("epoch")?).map_err(|_| Problem::NotFound("epoch"))?,
        store_id: row.try_get("store_id")?,
        store_name: row.try_get("store_name")?,
        notify_url: None,
    })
}

/// The wanted terminal, if it is free or belongs to this store; else the first free name of the store.
async fn choose_terminal(db: &mut AnyConnection, wanted: &NewCode) -> Result<String, Problem> {
    if let Some(terminal_id) = &wanted.terminal_id {
        let till = terminal_id.strip_prefix(&wanted.store_id).unwrap_or(terminal_id);
        check_name(till, LONGEST_TILL)?;
        let owner = find_store_of(db, terminal_id).await?;
        if owner.is_some_and(|owner| owner != wanted.store_id) {
            return Err(Problem::NotUnderstood(format!("terminal {terminal_id} belongs to another store")));
        }
        return Ok(terminal_id.clone());
    }
    for number in 1..10_000 {
        let terminal_id = format!("{}T{number:02}", wanted.store_id);
        if find_store_of(db, &terminal_id).await?.is_none() {
            return Ok(terminal_id);
        }
    }
    Err(Problem::NotUnderstood("this store has too many terminals".into()))
}

/// The store of a terminal, or of a code that will make one.
async fn find_store_of(db: &mut AnyConnection, terminal_id: &str) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar(
        "select store_id from terminals where terminal_id = $1 \
         union all select store_id from enrolment_codes where terminal_id = $1 limit 1",
    )
    .bind(terminal_id)
    .fetch_optional(db)
    .await
}

/// Names become part of `out_trade_no`, where Alipay takes letters, digits and `_`; `_` separates.
fn check_name(name: &str, longest: usize) -> Result<(), Problem> {
    if name.is_empty() || name.len() > longest || !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(Problem::NotUnderstood(format!("{name:?}: a name must be 1 to {longest} letters and digits")));
    }
    Ok(())
}
