//! One request, one answer, over TLS.
//!
//! Must always hold: what did not leave is told from what may have arrived. No redirects, no repeats, no way to switch
//! the check of the server's certificate off; plain http only to this computer.

use crate::{
    answer::{Answer, AnswerError},
    beijing::read_http_date,
    call::Call,
    request::{CONTENT_TYPE, Request},
    settings::Settings,
};
use reqwest::{Response, StatusCode, Url, header};
use std::time::Duration;
use yidan_payment::{GatewayError, UtcMs};

/// No answer of the gateway comes near it.
const LONGEST_ANSWER: usize = 1 << 20;
/// A bill is a file of some megabytes.
const DOWNLOAD: Duration = Duration::from_secs(120);

/// Makes the connections of one client.
pub(crate) fn http_client(settings: &Settings) -> reqwest::Result<reqwest::Client> {
    let builder = reqwest::Client::builder()
        .connect_timeout(settings.connect_timeout)
        .timeout(settings.timeout)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never());
    match settings.gateway.is_loopback() {
        true => builder.no_proxy().build(),
        false => builder.https_only(true).build(),
    }
}

/// Sends a request and cuts its answer open. With it the answer's `Date`.
pub(crate) async fn send(
    http: &reqwest::Client,
    call: Call,
    request: Request,
) -> Result<(Answer, Option<UtcMs>), GatewayError> {
    let post = http.post(request.url).header(header::CONTENT_TYPE, CONTENT_TYPE).body(request.body);
    let response = post.send().await.map_err(to_send_error)?;
    let date = date_of(&response);
    let answer = read_answer(call, response).await.map_err(GatewayError::from)?;
    Ok((answer, date))
}

async fn read_answer(call: Call, response: Response) -> Result<Answer, AnswerError> {
    Answer::open(call, &read_body(response, LONGEST_ANSWER).await?)
}

/// Fetches a file of at most `longest` bytes; it may take longer than a call.
pub(crate) async fn download(http: &reqwest::Client, url: &Url, longest: usize) -> Result<Vec<u8>, AnswerError> {
    let response = http.get(url.clone()).timeout(DOWNLOAD).send().await;
    read_body(response.map_err(|error| AnswerError::Lost(error.without_url().into()))?, longest).await
}

/// Reads a body of at most `longest` bytes.
async fn read_body(mut response: Response, longest: usize) -> Result<Vec<u8>, AnswerError> {
    if response.status() != StatusCode::OK {
        return Err(AnswerError::Status(response.status().as_u16()));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| AnswerError::Lost(error.without_url().into()))? {
        if body.len() + chunk.len() > longest {
            return Err(AnswerError::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn date_of(response: &Response) -> Option<UtcMs> {
    read_http_date(response.headers().get(header::DATE)?.to_str().ok()?)
}

/// Without a connection nothing was sent. Everything later may have arrived.
fn to_send_error(error: reqwest::Error) -> GatewayError {
    match error.is_connect() || error.is_builder() {
        true => GatewayError::NotSent(error.without_url().into()),
        false => GatewayError::Unanswered(Box::new(AnswerError::Lost(error.without_url().into()))),
    }
}

impl From<AnswerError> for GatewayError {
    fn from(error: AnswerError) -> GatewayError {
        match error {
            AnswerError::Limited => GatewayError::Limited,
            AnswerError::Lost(_)
            | AnswerError::Status(_)
            | AnswerError::TooLong
            | AnswerError::NotAlipay
            | AnswerError::Unsigned { .. }
            | AnswerError::BadSignature
            | AnswerError::UnknownCertificate(_)
            | AnswerError::Unclear { .. }
            | AnswerError::AskAgain
            | AnswerError::OtherNumber
            | AnswerError::Missing(_) => GatewayError::Unanswered(Box::new(error)),
        }
    }
}
