//! The seam to headquarters.

use crate::GatewayClock;
use crate::event_stream::EventStream;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::{LocalBoxStream, StreamExt, unfold};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use std::time::Duration;
use yidan_payment::UtcMs;
use yidan_wire::signature::{ENROLLING, TerminalKey};
use yidan_wire::{Ack, Batch, Claim, Conflict, Enrolled, Enrolment, Granted, Heard, NotGranted, Past, Push, Since};

/// What headquarters tells, in pieces as they come; an empty piece is a sign of life.
pub type Pushes = LocalBoxStream<'static, Result<Vec<Push>, HqError>>;

/// What the engine needs of headquarters.
pub trait Hq {
    /// Hands over a piece of the journal. May be repeated: headquarters knows every line by its name and hash.
    fn send<'a>(&'a self, batch: &'a Batch) -> LocalBoxFuture<'a, Result<Ack, HqError>>;
    /// Asks for a bill of another program. May be repeated.
    fn claim<'a>(&'a self, claim: &'a Claim) -> LocalBoxFuture<'a, Result<Granted, HqError>>;
    /// Asks for what this terminal wrote under earlier enrolments.
    fn history(&self, since: Since) -> LocalBoxFuture<'_, Result<Past, HqError>>;
    /// Listens to what headquarters tells, after what is handled already.
    fn listen(&self, heard: Heard) -> LocalBoxFuture<'_, Result<Pushes, HqError>>;
    /// Everything up to here is handled, durably.
    fn acknowledge(&self, heard: Heard) -> LocalBoxFuture<'_, Result<(), HqError>>;
}

/// Why headquarters did not acknowledge, named by what the terminal does about it. Nothing is ever dropped.
#[derive(Debug, thiserror::Error)]
pub enum HqError {
    /// No answer, or one that is none (a proxy's page): send the same again later.
    #[error("headquarters gave no usable answer")]
    Unanswered(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Headquarters asks to wait.
    #[error("headquarters asks to wait")]
    Busy {
        /// How long, if it says so.
        retry_after: Option<Duration>,
    },
    /// The batch is too large: send less at a time.
    #[error("headquarters finds the batch too large")]
    TooLarge,
    /// Headquarters does not accept this terminal: an administrator must act. Everything is kept.
    #[error("headquarters refuses this terminal: {0}")]
    Refused(String),
    /// The bill is another terminal's, or known with another amount.
    #[error("{}", .0.detail)]
    NotGranted(Box<NotGranted>),
    /// Another history: a restored or cloned database.
    #[error("headquarters knows another history of this terminal")]
    Conflict(Conflict),
}

/// Headquarters over HTTP: every request signed with this terminal's key.
pub struct HqClient {
    http: reqwest::Client,
    /// A stream has no end, so it has no time limit either.
    endless: reqwest::Client,
    base: reqwest::Url,
    terminal_id: String,
    key: TerminalKey,
    clock: Rc<GatewayClock>,
}

/// A headquarters address that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("headquarters' address must be https, or http on this computer: {0}")]
pub struct AddressError(String);

const EVENTS: &str = "/api/v1/events";
const ENROL: &str = "/api/v1/enrol";
const CLAIMS: &str = "/api/v1/claims";
const HISTORY: &str = "/api/v1/history";
const STREAM: &str = "/api/v1/stream";
const ACK: &str = "/api/v1/stream/ack";

/// Reads an address of headquarters: https, or http on this computer.
///
/// # Errors
/// [`AddressError`].
pub fn check_address(text: &str) -> Result<reqwest::Url, AddressError> {
    let wrong = || AddressError(text.into());
    let url = reqwest::Url::parse(text.trim()).map_err(|_| wrong())?;
    let is_here = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_here => Ok(url),
        _ => Err(wrong()),
    }
}

impl HqClient {
    /// # Errors
    /// [`HqError::Unanswered`] if the system's TLS cannot be used.
    pub fn new(
        base: reqwest::Url,
        terminal_id: String,
        key: TerminalKey,
        clock: Rc<GatewayClock>,
    ) -> Result<HqClient, HqError> {
        let endless = builder().build().map_err(unanswered)?;
        Ok(HqClient { http: http()?, endless, base, terminal_id, key, clock })
    }

    async fn post<Q: Serialize, A: DeserializeOwned>(&self, path: &str, question: &Q) -> Result<A, HqError> {
        let body = serde_json::to_vec(question).map_err(|error| HqError::Unanswered(Box::new(error)))?;
        let headers = self.key.sign("POST", path, &body, &self.terminal_id, self.clock.now());
        let answer = send(&self.http, &self.base, path, headers, body).await?;
        read_answer(answer).await
    }

    async fn open_stream(&self, heard: Heard) -> Result<Pushes, HqError> {
        let id = heard.id.map(|id| format!("&id={id}")).unwrap_or_default();
        let path = format!("{STREAM}?after={}{id}", heard.after);
        let url = self.base.join(&path).map_err(|error| HqError::Unanswered(Box::new(error)))?;
        let headers = self.key.sign("GET", &path, b"", &self.terminal_id, self.clock.now());
        let request = self.endless.get(url).header("accept", "text/event-stream");
        let request = headers.into_iter().fold(request, |request, (name, value)| request.header(name, value));
        let answer = request.send().await.map_err(unanswered)?;
        if answer.status() != reqwest::StatusCode::OK {
            return Err(read_refusal(answer).await);
        }
        Ok(unfold((answer, EventStream::default()), next_piece).boxed_local())
    }
}

impl Hq for HqClient {
    fn send<'a>(&'a self, batch: &'a Batch) -> LocalBoxFuture<'a, Result<Ack, HqError>> {
        Box::pin(self.post(EVENTS, batch))
    }

    fn claim<'a>(&'a self, claim: &'a Claim) -> LocalBoxFuture<'a, Result<Granted, HqError>> {
        Box::pin(self.post(CLAIMS, claim))
    }

    fn history(&self, since: Since) -> LocalBoxFuture<'_, Result<Past, HqError>> {
        Box::pin(async move { self.post(HISTORY, &since).await })
    }

    fn listen(&self, heard: Heard) -> LocalBoxFuture<'_, Result<Pushes, HqError>> {
        Box::pin(self.open_stream(heard))
    }

    fn acknowledge(&self, heard: Heard) -> LocalBoxFuture<'_, Result<(), HqError>> {
        Box::pin(async move { self.post(ACK, &heard).await.map(|_: Heard| ()) })
    }
}

/// Makes this terminal known to headquarters. The request is signed with the key it introduces.
///
/// # Errors
/// [`HqError::Refused`] with headquarters' sentence: the code is wrong, used or too old, or the account is another one.
pub async fn enrol(
    base: &reqwest::Url,
    enrolment: &Enrolment,
    key: &TerminalKey,
    now: UtcMs,
) -> Result<Enrolled, HqError> {
    let body = serde_json::to_vec(enrolment).map_err(|error| HqError::Unanswered(Box::new(error)))?;
    let headers = key.sign("POST", ENROL, &body, ENROLLING, now);
    let answer = send(&http()?, base, ENROL, headers, body).await?;
    read_answer(answer).await
}

fn http() -> Result<reqwest::Client, HqError> {
    builder().timeout(Duration::from_secs(30)).build().map_err(unanswered)
}

fn builder() -> reqwest::ClientBuilder {
    reqwest::Client::builder().connect_timeout(Duration::from_secs(5)).redirect(reqwest::redirect::Policy::none())
}

/// The next piece of a stream; none after its end.
async fn next_piece(
    (mut answer, mut events): (reqwest::Response, EventStream),
) -> Option<(Result<Vec<Push>, HqError>, (reqwest::Response, EventStream))> {
    let piece = match answer.chunk().await {
        Ok(None) => return None,
        Ok(Some(bytes)) => events.take(&bytes).map_err(|error| HqError::Unanswered(Box::new(error))),
        Err(error) => Err(unanswered(error)),
    };
    Some((piece, (answer, events)))
}

async fn send(
    http: &reqwest::Client,
    base: &reqwest::Url,
    path: &str,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
) -> Result<reqwest::Response, HqError> {
    let url = base.join(path).map_err(|error| HqError::Unanswered(Box::new(error)))?;
    let request = http.post(url).header("content-type", "application/json").body(body);
    let request = headers.into_iter().fold(request, |request, (name, value)| request.header(name, value));
    request.send().await.map_err(unanswered)
}

/// Only a 200 with the JSON that was asked for counts: a captive portal also answers 200.
async fn read_answer<T: DeserializeOwned>(answer: reqwest::Response) -> Result<T, HqError> {
    match answer.status().as_u16() {
        200 => answer.json().await.map_err(unanswered),
        _ => Err(read_refusal(answer).await),
    }
}

/// What a 409 says: which one it is, its members tell.
#[derive(Deserialize)]
#[serde(untagged)]
enum Contradiction {
    NotGranted(Box<NotGranted>),
    OtherHistory(Conflict),
}

async fn read_refusal(answer: reqwest::Response) -> HqError {
    match answer.status().as_u16() {
        409 => match answer.json().await {
            Ok(Contradiction::OtherHistory(conflict)) => HqError::Conflict(conflict),
            Ok(Contradiction::NotGranted(why)) => HqError::NotGranted(why),
            Err(error) => unanswered(error),
        },
        413 => HqError::TooLarge,
        429 | 503 => HqError::Busy { retry_after: read_retry_after(&answer) },
        400 | 401 | 403 => HqError::Refused(read_detail(answer).await),
        status => HqError::Unanswered(format!("headquarters answered {status}").into()),
    }
}

fn read_retry_after(answer: &reqwest::Response) -> Option<Duration> {
    let seconds = answer.headers().get("retry-after")?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// The sentence of a problem document (RFC 9457), else the status.
async fn read_detail(answer: reqwest::Response) -> String {
    let status = answer.status().to_string();
    let problem: Option<serde_json::Value> = answer.json().await.ok();
    let detail = problem.as_ref().and_then(|problem| problem.get("detail").or(problem.get("title")));
    detail.and_then(|detail| detail.as_str()).map_or(status, ToOwned::to_owned)
}

fn unanswered(error: reqwest::Error) -> HqError {
    HqError::Unanswered(Box::new(error.without_url()))
}
