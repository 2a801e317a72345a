//! Who may look and act: a person with a session, or a program with the administrator's token.
//!
//! Must always hold: the session cookie is `HttpOnly` and `SameSite=Strict`; a page of another site cannot act
//! (`Origin` must be ours); five wrong passwords lock the name for a while, whether it exists or not.

use crate::app::App;
use crate::given::Given;
use crate::problem::Problem;
use crate::secret::Secret;
use crate::user::is_password_of;
use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse};
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use std::time::Duration;
use yidan_payment::UtcMs;

const COOKIE: &str = "yidan_hq";
const SESSION_LIFE: Duration = Duration::from_hours(12);
const MAX_FAILURES: i64 = 5;
const LOCK: Duration = Duration::from_mins(5);

/// Somebody who may look.
#[derive(Clone, Debug)]
pub struct Reader {
    /// The user, or `admin` for a program.
    pub name: String,
}

/// Somebody who may act.
#[derive(Clone, Debug)]
pub struct Editor {
    /// The user, or `admin` for a program.
    pub name: String,
}

/// Body of `POST /api/v1/sign-in`.
#[derive(Deserialize)]
pub struct SignIn {
    name: String,
    password: String,
}

/// Who is signed in.
#[derive(Serialize)]
pub struct Me {
    name: String,
}

/// `POST /api/v1/sign-in`
pub async fn sign_in(
    State(app): State<App>,
    headers: HeaderMap,
    Given(SignIn { name, password }): Given<SignIn>,
) -> Result<impl IntoResponse, Problem> {
    check_origin(&headers)?;
    let now = app.clock.now();
    check_not_locked(&app, &name, now).await?;
    let Ok(_permit) = app.password_checks.acquire().await else { return Err(Problem::SignInFirst) };
    if !is_password_of(&app.database, &name, Secret::new(password)).await? {
        return Err(count_failure(&app, &name, now).await?);
    }
    let token = open_session(&app, &name, now).await?;
    let cookie = cookie(&app, token.reveal(), SESSION_LIFE);
    Ok((AppendHeaders([(header::SET_COOKIE, cookie)]), Json(Me { name })))
}

/// `POST /api/v1/sign-out`
pub async fn sign_out(_: Editor, State(app): State<App>, headers: HeaderMap) -> Result<impl IntoResponse, Problem> {
    if let Some(token) = session_token(&headers) {
        sqlx::query("delete from sessions where token_hash = $1")
            .bind(token.hash())
            .execute(&app.database.writer)
            .await?;
    }
    let cookie = cookie(&app, "", Duration::ZERO);
    Ok((StatusCode::NO_CONTENT, AppendHeaders([(header::SET_COOKIE, cookie)])))
}

/// `GET /api/v1/me`
pub async fn me(reader: Reader) -> Json<Me> {
    Json(Me { name: reader.name })
}

impl FromRequestParts<App> for Reader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Reader, Problem> {
        if has_admin_token(app, &parts.headers) {
            return Ok(Reader { name: "admin".into() });
        }
        let name = find_user(app, &parts.headers).await?.ok_or(Problem::SignInFirst)?;
        Ok(Reader { name })
    }
}

impl FromRequestParts<App> for Editor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Editor, Problem> {
        if has_admin_token(app, &parts.headers) {
            return Ok(Editor { name: "admin".into() });
        }
        // Only a cookie is sent by a browser on its own.
        check_origin(&parts.headers)?;
        let name = find_user(app, &parts.headers).await?.ok_or(Problem::SignInFirst)?;
        Ok(Editor { name })
    }
}

/// Compared as hashes: how long it takes says nothing about the token.
fn has_admin_token(app: &App, headers: &HeaderMap) -> bool {
    let token = text_of(headers, header::AUTHORIZATION).and_then(|text| text.strip_prefix("Bearer "));
    token.is_some_and(|token| app.admin_token_hash == Some(Secret::new(token).hash()))
}

async fn find_user(app: &App, headers: &HeaderMap) -> Result<Option<String>, sqlx::Error> {
    let Some(token) = session_token(headers) else { return Ok(None) };
    sqlx::query_scalar("select user_name from sessions where token_hash = $1 and expires_at > $2")
        .bind(token.hash())
        .bind(app.clock.now().0)
        .fetch_optional(&app.database.reader)
        .await
}

/// The page that sent this must be ours.
fn check_origin(headers: &HeaderMap) -> Result<(), Problem> {
    let host = text_of(headers, header::HOST);
    let origin = text_of(headers, header::ORIGIN).and_then(|origin| origin.split_once("://"));
    match (host, origin) {
        (Some(host), Some((_, origin))) if host == origin => Ok(()),
        (_, _) => Err(Problem::OtherSite),
    }
}

async fn check_not_locked(app: &App, name: &str, now: UtcMs) -> Result<(), Problem> {
    let until: Option<i64> = sqlx::query_scalar("select locked_until from sign_in_failures where name = $1")
        .bind(name)
        .fetch_optional(&app.database.reader)
        .await?;
    match until.map(UtcMs) {
        Some(until) if until > now => Err(Problem::LockedOut { until, now }),
        Some(_) | None => Ok(()),
    }
}

/// Counts a wrong password; failures that are older than the lock no longer count.
async fn count_failure(app: &App, name: &str, now: UtcMs) -> Result<Problem, sqlx::Error> {
    if name.len() > 64 {
        return Ok(Problem::WrongPassword);
    }
    let mut transaction = app.database.writer.begin().await?;
    sqlx::query("delete from sign_in_failures where last_at < $1 and locked_until < $2")
        .bind(now.before(LOCK).0)
        .bind(now.0)
        .execute(&mut *transaction)
        .await?;
    sqlx::query(
        "insert into sign_in_failures (name, failures, last_at, locked_until) values ($1, 1, $2, 0) \
         on conflict (name) do update set failures = sign_in_failures.failures + 1, last_at = $2, \
         locked_until = case when sign_in_failures.failures + 1 >= $3 then $4 else 0 end",
    )
    .bind(name)
    .bind(now.0)
    .bind(MAX_FAILURES)
    .bind(now.after(LOCK).0)
    .execute(&mut *transaction)
    .await?;
    let row = sqlx::query("select locked_until from sign_in_failures where name = $1")
        .bind(name)
        .fetch_one(&mut *transaction)
        .await?;
    let until = UtcMs(row.try_get("locked_until")?);
    transaction.commit().await?;
    Ok(if until > now { Problem::LockedOut { until, now } } else { Problem::WrongPassword })
}

async fn open_session(app: &App, name: &str, now: UtcMs) -> Result<Secret, sqlx::Error> {
    let token = Secret::random();
    let mut transaction = app.database.writer.begin().await?;
    sqlx::query("delete from sign_in_failures where name = $1").bind(name).execute(&mut *transaction).await?;
    sqlx::query("delete from sessions where expires_at <= $1").bind(now.0).execute(&mut *transaction).await?;
    sqlx::query("insert into sessions (token_hash, user_name, created_at, expires_at) values ($1, $2, $3, $4)")
        .bind(token.hash())
        .bind(name)
        .bind(now.0)
        .bind(now.after(SESSION_LIFE).0)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(token)
}

fn cookie(app: &App, token: &str, life: Duration) -> String {
    let secure = if app.behind_proxy { "; Secure" } else { "" };
    format!("{COOKIE}={token}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{secure}", life.as_secs())
}

fn session_token(headers: &HeaderMap) -> Option<Secret> {
    let cookies = text_of(headers, header::COOKIE)?;
    let pairs = cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.into_iter().find(|(name, _)| *name == COOKIE).map(|(_, token)| Secret::new(token))
}

fn text_of(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
