//! The client: sign, send, check, read.
//!
//! Needs a tokio runtime, a current-thread one will do. Keeps no state of any payment and never repeats a call by itself.
//! The corrected clock is handed in; the gateway's own clock is handed out, from every answer that looks like Alipay's,
//! so that a computer whose clock is years wrong can correct it even if its first request is refused for that.

use crate::{
    answer::{Answer, AnswerError},
    beijing::read_http_date,
    call::Call,
    close::read_close,
    merchant::Merchant,
    precreate::{precreate_content, read_precreate},
    query::read_query,
    request::{CONTENT_TYPE, sign_request},
    said::{Moments, Said},
    settings::{Settings, SettingsError},
};
use reqwest::{Response, header};
use serde_json::json;
use yidan_payment::{Account, Evidence, GatewayError, OutTradeNo, PrecreateOrder, Proof, Statement, UtcMs};

/// No answer of the gateway comes near it.
const LONGEST_ANSWER: usize = 1 << 20;

/// Speaks for one app with one gateway.
pub struct Client {
    settings: Settings,
    http: reqwest::Client,
    clock: Box<dyn Fn() -> UtcMs>,
    gateway_date: Box<dyn Fn(UtcMs)>,
}

impl Client {
    /// Makes a client. `clock` is UTC corrected to the gateway's clock as far as that is known.
    ///
    /// # Errors
    /// Settings that cannot work: see [`SettingsError`].
    pub fn new(settings: Settings, clock: impl Fn() -> UtcMs + 'static) -> Result<Client, SettingsError> {
        settings.check()?;
        let http = http_client(&settings).map_err(|_| SettingsError::Tls)?;
        Ok(Client { settings, http, clock: Box::new(clock), gateway_date: Box::new(|_| ()) })
    }

    /// Hands the `Date` of every answer of the gateway to `tell`, whatever else the answer says.
    #[must_use]
    pub fn on_gateway_date(self, tell: Box<dyn Fn(UtcMs)>) -> Client {
        Client { gateway_date: tell, ..self }
    }

    /// The account that payments of this client belong to.
    #[must_use]
    pub fn account(&self) -> Account {
        self.settings.account()
    }

    /// Who we are, for reading notices and stored proofs.
    #[must_use]
    pub fn merchant(&self) -> Merchant {
        self.settings.merchant()
    }

    /// The exact text to store and to send for an order.
    #[must_use]
    pub fn precreate_body(&self, order: &PrecreateOrder) -> String {
        precreate_content(order)
    }

    /// Registers an order: `body` is the stored text of [`Client::precreate_body`]. Repeatable.
    ///
    /// # Errors
    /// See [`GatewayError`]: nothing is known then.
    pub async fn precreate(&self, out_trade_no: &OutTradeNo, body: &str) -> Result<Statement, GatewayError> {
        self.ask(Call::Precreate, body, |said, _| read_precreate(said, out_trade_no)).await
    }

    /// Asks what became of a number.
    ///
    /// # Errors
    /// See [`GatewayError`]: nothing is known then.
    pub async fn query(&self, out_trade_no: &OutTradeNo) -> Result<Statement, GatewayError> {
        let body = number_content(out_trade_no);
        self.ask(Call::Query, &body, |said, moments| read_query(said, out_trade_no, moments)).await
    }

    /// Closes a trade that was not paid. Moves no money and proves nothing: ask afterwards.
    ///
    /// # Errors
    /// See [`GatewayError`]: nothing is known then.
    pub async fn close(&self, out_trade_no: &OutTradeNo) -> Result<Statement, GatewayError> {
        let body = number_content(out_trade_no);
        self.ask(Call::Close, &body, |said, _| read_close(said, out_trade_no)).await
    }

    async fn ask(
        &self,
        call: Call,
        body: &str,
        read: impl Fn(&Said, Moments) -> Result<Evidence, AnswerError>,
    ) -> Result<Statement, GatewayError> {
        let (answer, moments) = self.exchange(call, body).await?;
        let evidence = self.believe(&answer).and_then(|said| read(&said, moments)).map_err(to_gateway_error)?;
        let Answer { node, signature, cert_sn } = answer;
        let proof = Proof { source: call.source(), text: node, signature, cert_sn };
        Ok(Statement { evidence, proof, asked_at: moments.asked_at, answered_at: moments.answered_at })
    }

    /// A signature that is there must fit; one that is missing is for the reader of the call to judge.
    fn believe(&self, answer: &Answer) -> Result<Said, AnswerError> {
        if let Some(signature) = &answer.signature {
            self.settings.trust.check(&answer.node, signature, answer.cert_sn.as_deref())?;
        }
        Said::read(&answer.node, answer.signature.is_some())
    }

    async fn exchange(&self, call: Call, body: &str) -> Result<(Answer, Moments), GatewayError> {
        let asked_at = (self.clock)();
        let request = sign_request(&self.settings, call, body, asked_at);
        let response = self
            .http
            .post(request.url)
            .header(header::CONTENT_TYPE, CONTENT_TYPE)
            .body(request.body)
            .send()
            .await
            .map_err(to_send_error)?;
        let answered_at = date_of(&response);
        let answer = read_answer(call, response).await.map_err(to_gateway_error)?;
        if let Some(date) = answered_at {
            (self.gateway_date)(date);
        }
        Ok((answer, Moments { asked_at, answered_at }))
    }
}

fn http_client(settings: &Settings) -> reqwest::Result<reqwest::Client> {
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

fn number_content(out_trade_no: &OutTradeNo) -> String {
    json!({ "out_trade_no": out_trade_no.as_str() }).to_string()
}

async fn read_answer(call: Call, mut response: Response) -> Result<Answer, AnswerError> {
    if response.status() != reqwest::StatusCode::OK {
        return Err(AnswerError::Status(response.status().as_u16()));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| AnswerError::Lost(error.without_url().into()))? {
        if body.len() + chunk.len() > LONGEST_ANSWER {
            return Err(AnswerError::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Answer::open(call, &body)
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

fn to_gateway_error(error: AnswerError) -> GatewayError {
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
        | AnswerError::OtherNumber
        | AnswerError::Missing(_) => GatewayError::Unanswered(Box::new(error)),
    }
}
