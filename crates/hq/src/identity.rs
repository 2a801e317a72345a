//! Who sent a request: the key says it, never the body.
//!
//! Must always hold: nothing of a body is read as JSON before its signature was checked.

use crate::app::App;
use crate::problem::Problem;
use axum::body::{Body, to_bytes};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Request, Uri, header};
use serde::de::DeserializeOwned;
use sqlx::Row as _;
use std::io::Read as _;
use std::time::Duration;
use yidan_payment::UtcMs;
use yidan_wire::signature::{ENROLLING, SignatureError, Verified, read_keyid, verify};

/// A request may be this much older or newer than now.
const CLOCK_TOLERANCE: Duration = Duration::from_mins(5);
/// The most bytes of a body as sent.
const MAX_BODY: usize = 4 * 1024 * 1024;
/// The most bytes of a body after decompression.
const MAX_INFLATED: u64 = 16 * 1024 * 1024;

/// The terminal that signed, in its present epoch.
#[derive(Clone, Debug)]
pub struct Terminal {
    /// Its name, the `keyid`.
    pub terminal_id: String,
    /// Its enrolment.
    pub epoch: i64,
    /// The store its code was bound to.
    pub store_id: String,
}

/// Reads a request that an enrolled terminal signed.
///
/// # Errors
/// If it is not signed, by nobody known, with a wrong clock, too large, or not the expected JSON.
pub async fn read_signed<T: DeserializeOwned>(app: &App, request: Request<Body>) -> Result<(Terminal, T), Problem> {
    let (parts, body) = request.into_parts();
    let keyid = read_keyid(|name| text_of(&parts.headers, name)).map_err(Problem::NotSigned)?;
    // Looked up before the body is read: who is unknown cannot make us read megabytes.
    let (terminal, key) = find_terminal(app, &keyid).await?.ok_or(Problem::NotEnrolled)?;
    let body = read_body(body).await?;
    check(app, &parts, &body, &key)?;
    Ok((terminal, parse(&parts.headers, &body)?))
}

/// Reads the enrolment, which is signed with the key it introduces.
///
/// # Errors
/// As [`read_signed`].
pub async fn read_enrolment(app: &App, request: Request<Body>) -> Result<yidan_wire::Enrolment, Problem> {
    let (parts, body) = request.into_parts();
    let keyid = read_keyid(|name| text_of(&parts.headers, name)).map_err(Problem::NotSigned)?;
    if keyid != ENROLLING {
        return Err(Problem::NotSigned(SignatureError::Malformed("signature-input")));
    }
    let body = read_body(body).await?;
    // The one exception: the key is in the body. What was read counts only after the check with it.
    let enrolment: yidan_wire::Enrolment = parse(&parts.headers, &body)?;
    check(app, &parts, &body, &enrolment.public_key)?;
    Ok(enrolment)
}

/// Reads a request without a body that an enrolled terminal signed; answers with its address too.
///
/// # Errors
/// As [`read_signed`].
pub async fn read_asker(app: &App, request: Request<Body>) -> Result<(Terminal, Uri), Problem> {
    let (parts, _) = request.into_parts();
    let keyid = read_keyid(|name| text_of(&parts.headers, name)).map_err(Problem::NotSigned)?;
    let (terminal, key) = find_terminal(app, &keyid).await?.ok_or(Problem::NotEnrolled)?;
    check(app, &parts, &[], &key)?;
    Ok((terminal, parts.uri))
}

/// Whether the key that signed is still the terminal's.
///
/// # Errors
/// If the database cannot be read.
pub async fn is_enrolled(app: &App, terminal: &Terminal) -> Result<bool, sqlx::Error> {
    let found = find_terminal(app, &terminal.terminal_id).await?;
    Ok(found.is_some_and(|(now, _)| now.epoch == terminal.epoch))
}

async fn find_terminal(app: &App, keyid: &str) -> Result<Option<(Terminal, String)>, sqlx::Error> {
    let row = sqlx::query(
        "select e.terminal_id, e.epoch, t.store_id, e.public_key from terminals t \
         join epochs e on e.terminal_id = t.terminal_id and e.epoch = t.epoch \
         where t.terminal_id = $1 and e.revoked_at is null",
    )
    .bind(keyid)
    .fetch_optional(&app.database.reader)
    .await?;
    row.map(|row| {
        let terminal = Terminal {
            terminal_id: row.try_get("terminal_id")?,
            epoch: row.try_get("epoch")?,
            store_id: row.try_get("store_id")?,
        };
        Ok((terminal, row.try_get("public_key")?))
    })
    .transpose()
}

fn check(app: &App, parts: &Parts, body: &[u8], key: &str) -> Result<Verified, Problem> {
    let path = path_and_query(&parts.uri);
    let verified = verify(key, parts.method.as_str(), path, body, |name| text_of(&parts.headers, name))
        .map_err(Problem::NotSigned)?;
    check_clock(app.clock.now(), verified.created)?;
    Ok(verified)
}

fn check_clock(now: UtcMs, created: UtcMs) -> Result<(), Problem> {
    if now.since(created) > CLOCK_TOLERANCE || created.since(now) > CLOCK_TOLERANCE {
        return Err(Problem::WrongClock { now, created });
    }
    Ok(())
}

async fn read_body(body: Body) -> Result<Vec<u8>, Problem> {
    let bytes = to_bytes(body, MAX_BODY).await.map_err(|_| Problem::TooLarge)?;
    Ok(bytes.into())
}

fn parse<T: DeserializeOwned>(headers: &HeaderMap, body: &[u8]) -> Result<T, Problem> {
    let not_understood = |error: serde_json::Error| Problem::NotUnderstood(error.to_string());
    match text_of(headers, header::CONTENT_ENCODING.as_str()) {
        None | Some("identity") => serde_json::from_slice(body).map_err(not_understood),
        Some("zstd") => serde_json::from_slice(&inflate(body)?).map_err(not_understood),
        Some(_) => Err(Problem::UnknownEncoding),
    }
}

fn inflate(body: &[u8]) -> Result<Vec<u8>, Problem> {
    let not_understood = |error: std::io::Error| Problem::NotUnderstood(error.to_string());
    let mut inflated = Vec::new();
    let decoder = zstd::stream::read::Decoder::new(body).map_err(not_understood)?;
    decoder.take(MAX_INFLATED + 1).read_to_end(&mut inflated).map_err(not_understood)?;
    if u64::try_from(inflated.len()).is_ok_and(|length| length <= MAX_INFLATED) {
        return Ok(inflated);
    }
    Err(Problem::TooLarge)
}

fn path_and_query(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", axum::http::uri::PathAndQuery::as_str)
}

fn text_of<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
