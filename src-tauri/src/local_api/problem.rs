//! What a caller is told when something is not done: RFC 9457 problem details. One place, one match.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use yidan_engine::{Error, Stopped};

/// A problem: what went wrong and what to do.
#[derive(Debug, Serialize)]
pub struct Problem {
    /// Stable word to switch on.
    #[serde(rename = "type")]
    kind: &'static str,
    status: u16,
    /// A sentence for a person.
    detail: String,
}

impl Problem {
    /// The input is nonsense; nothing was stored.
    #[must_use]
    pub fn bad_input(detail: String) -> Problem {
        Problem { kind: "bad-input", status: 400, detail }
    }

    /// No such bill.
    #[must_use]
    pub fn not_found(order_id: &str) -> Problem {
        Problem { kind: "not-found", status: 404, detail: format!("there is no order {order_id:?}") }
    }

    /// Not from here.
    #[must_use]
    pub fn forbidden(detail: &str) -> Problem {
        Problem { kind: "forbidden", status: 403, detail: detail.into() }
    }

    /// No token, or a wrong one.
    #[must_use]
    pub fn unauthorized() -> Problem {
        let detail = "send the token of the token file as `Authorization: Bearer …`";
        Problem { kind: "unauthorized", status: 401, detail: detail.into() }
    }
}

impl From<&Error> for Problem {
    fn from(error: &Error) -> Problem {
        let (kind, status) = match error {
            Error::BadInput(_) => ("bad-input", 400),
            Error::ContentChanged { .. } => ("content-changed", 409),
            Error::BillChanged { .. } => ("bill-changed", 409),
            Error::BillOwned(_) => ("bill-owned", 409),
            Error::NoClaim(_) => ("no-claim", 503),
            Error::SourceNotOurs { .. } => ("source-not-ours", 409),
            Error::NoSuchPayment(_) => ("not-found", 404),
            Error::Refused(_) => ("not-now", 409),
            Error::StillPayable => ("still-payable", 409),
            Error::NotApproved => ("not-approved", 403),
            Error::AlreadyDecided { .. } => ("already-decided", 409),
            Error::CodeUsed => ("code-used", 409),
            Error::HistoryDiffers => ("history-differs", 503),
            Error::Recovering => ("recovering", 503),
            Error::Storage { .. } => ("storage", 500),
            Error::PaymentsLive(_) => ("payments-live", 409),
        };
        Problem { kind, status, detail: error.to_string() }
    }
}

impl From<Stopped> for Problem {
    fn from(stopped: Stopped) -> Problem {
        Problem { kind: "stopping", status: 503, detail: stopped.to_string() }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_string(&self).unwrap_or_default();
        (status, [(header::CONTENT_TYPE, "application/problem+json")], body).into_response()
    }
}
