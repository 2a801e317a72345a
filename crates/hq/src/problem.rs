//! Every "no" of headquarters: RFC 9457 problem details, one file, one match.
//!
//! A refusal says what the caller must do. Causes that only concern this machine go to the log, not to the caller.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::time::Duration;
use yidan_payment::UtcMs;
use yidan_wire::{Conflict, NotGranted, SignatureError};

/// Named by what the caller must do about it.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// Sign the request as `wire` does.
    #[error("the request is not signed as it must be: {0}")]
    NotSigned(#[source] SignatureError),
    /// Enrol: no such terminal, or its key was revoked.
    #[error("this terminal is not enrolled, or its key was revoked")]
    NotEnrolled,
    /// Set the clock.
    #[error("the clock of the sender differs by more than 5 minutes")]
    WrongClock {
        /// Our time (UTC ms).
        now: UtcMs,
        /// The time the request was signed with.
        created: UtcMs,
    },
    /// Ask an administrator for a new code.
    #[error("this enrolment code is unknown, used or too old")]
    CodeRefused,
    /// Set the merchant as headquarters has it.
    #[error("headquarters expects another {0}")]
    OtherMerchant(&'static str),
    /// Stop selling and enrol again: this is not the history headquarters knows.
    #[error("{}", .0.detail)]
    OtherHistory(Conflict),
    /// Show how the bill stands: it is another terminal's, or has another amount.
    #[error("{}", .0.detail)]
    NotGranted(Box<NotGranted>),
    /// Send less at once.
    #[error("the request is larger than is taken")]
    TooLarge,
    /// Send JSON, plain or zstd.
    #[error("this content encoding is not understood: send identity or zstd")]
    UnknownEncoding,
    /// Send what is documented.
    #[error("{0}")]
    NotUnderstood(String),
    /// Sign in.
    #[error("sign in first")]
    SignInFirst,
    /// Try another name or password.
    #[error("the name or the password is wrong")]
    WrongPassword,
    /// Wait.
    #[error("too many wrong passwords")]
    LockedOut {
        /// Until when (UTC ms).
        until: UtcMs,
        /// Our time.
        now: UtcMs,
    },
    /// A page of another site may not act here.
    #[error("this request does not come from this site")]
    OtherSite,
    /// There is no such thing.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// Try again later: nothing was stored.
    #[error("the database is not available")]
    Database(#[from] sqlx::Error),
}

/// What a problem looks like from outside.
struct Face {
    status: StatusCode,
    word: &'static str,
    members: Value,
    retry_after: Option<u64>,
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let face = self.face();
        if let Problem::Database(cause) = &self {
            tracing::error!(error = cause as &dyn std::error::Error, "database");
        }
        let mut body = json!({
            "type": format!("urn:yidan:hq:{}", face.word),
            "title": face.word,
            "status": face.status.as_u16(),
            "detail": self.to_string(),
        });
        if let (Some(body), Value::Object(members)) = (body.as_object_mut(), face.members) {
            body.extend(members);
        }
        let mut response = (face.status, Json(body)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = face.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl Problem {
    fn face(&self) -> Face {
        let plain = |status, word| Face { status, word, members: Value::Null, retry_after: None };
        match self {
            Problem::NotSigned(_) => plain(StatusCode::UNAUTHORIZED, "not-signed"),
            Problem::NotEnrolled => plain(StatusCode::UNAUTHORIZED, "not-enrolled"),
            Problem::WrongClock { now, created } => Face {
                members: json!({ "server_time_ms": now.0, "offset_ms": now.0.saturating_sub(created.0) }),
                ..plain(StatusCode::UNAUTHORIZED, "wrong-clock")
            },
            Problem::CodeRefused => plain(StatusCode::FORBIDDEN, "code-refused"),
            Problem::OtherMerchant(_) => plain(StatusCode::FORBIDDEN, "other-merchant"),
            Problem::OtherHistory(conflict) => Face {
                members: serde_json::to_value(conflict).unwrap_or(Value::Null),
                ..plain(StatusCode::CONFLICT, "other-history")
            },
            Problem::NotGranted(why) => Face {
                members: serde_json::to_value(why).unwrap_or(Value::Null),
                ..plain(StatusCode::CONFLICT, "not-granted")
            },
            Problem::TooLarge => plain(StatusCode::PAYLOAD_TOO_LARGE, "too-large"),
            Problem::UnknownEncoding => plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unknown-encoding"),
            Problem::NotUnderstood(_) => plain(StatusCode::BAD_REQUEST, "not-understood"),
            Problem::SignInFirst => plain(StatusCode::UNAUTHORIZED, "sign-in-first"),
            Problem::WrongPassword => plain(StatusCode::UNAUTHORIZED, "wrong-password"),
            Problem::LockedOut { until, now } => Face {
                retry_after: Some(until.after(Duration::from_millis(999)).since(*now).as_secs()),
                ..plain(StatusCode::TOO_MANY_REQUESTS, "locked-out")
            },
            Problem::OtherSite => plain(StatusCode::FORBIDDEN, "other-site"),
            Problem::NotFound(_) => plain(StatusCode::NOT_FOUND, "not-found"),
            Problem::Database(_) => Face { retry_after: Some(5), ..plain(StatusCode::SERVICE_UNAVAILABLE, "database") },
        }
    }
}
