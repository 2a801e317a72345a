//! The client: sign, send, check, read.
//!
//! Needs a tokio runtime, a current-thread one will do. Keeps no state of any payment and never repeats a call by itself.
//! The corrected clock is handed in; the gateway's own clock is handed out, from every answer that looks like Alipay's,
//! so that a computer whose clock is years wrong can correct it even if its first request is refused for that.

use crate::{
    answer::{Answer, AnswerError},
    call::Call,
    cancel::read_cancel,
    certificate::CertificateError,
    certificates::Certificates,
    close::read_close,
    extra::ExtraContent,
    merchant::Merchant,
    pay::{PayOrder, pay_content, read_pay},
    precreate::{precreate_content, read_precreate},
    query::read_query,
    refund::{
        RefundOrder, RefundOutcome, RefundQueryOutcome, RefundQuestion, RefundStatement, read_refund,
        read_refund_query, refund_content, refund_query_content,
    },
    request::sign_request,
    said::{Moments, Said, Verdict},
    settings::{Settings, SettingsError},
    transport::{download, http_client, send},
    trust::Trust,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use reqwest::Url;
use serde_json::json;
use yidan_payment::{
    Account, Evidence, Fen, GatewayError, OutTradeNo, PrecreateOrder, Proof, Source, Statement, UtcMs,
};

/// Speaks for one app with one gateway.
pub struct Client {
    settings: Settings,
    extra: ExtraContent,
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
        let extra = ExtraContent::default();
        Ok(Client { settings, extra, http, clock: Box::new(clock), gateway_date: Box::new(|_| ()) })
    }

    /// Hands the `Date` of every answer of the gateway to `tell`, whatever else the answer says.
    #[must_use]
    pub fn on_gateway_date(self, tell: Box<dyn Fn(UtcMs)>) -> Client {
        Client { gateway_date: tell, ..self }
    }

    /// Sends further members with every precreate and pay.
    #[must_use]
    pub fn with_extra_content(self, extra: ExtraContent) -> Client {
        Client { extra, ..self }
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
        precreate_content(order, &self.extra)
    }

    /// Registers an order: `body` is the stored text of [`Client::precreate_body`]. Repeatable.
    ///
    /// # Errors
    /// See [`GatewayError`]: nothing is known then.
    pub async fn precreate(&self, out_trade_no: &OutTradeNo, body: &str) -> Result<Statement, GatewayError> {
        let told = self.ask(Call::Precreate, body, |said, _| read_precreate(said, out_trade_no)).await?;
        Ok(told.statement(Source::Precreate))
    }

    /// Asks what became of a number.
    ///
    /// # Errors
    /// See [`GatewayError`]: nothing is known then.
    pub async fn query(&self, out_trade_no: &OutTradeNo) -> Result<Statement, GatewayError> {
        let body = number_content(out_trade_no);
        let told = self.ask(Call::Query, &body, |said, moments| read_query(said, out_trade_no, moments)).await?;
        Ok(told.statement(Source::Query))
    }

    /// Closes a trade that was not paid. Moves no money and proves nothing: ask afterwards.
    ///
    /// # Errors
    /// See [`GatewayError`]: nothing is known then.
    pub async fn close(&self, out_trade_no: &OutTradeNo) -> Result<Statement, GatewayError> {
        let body = number_content(out_trade_no);
        let told = self.ask(Call::Close, &body, |said, _| read_close(said, out_trade_no)).await?;
        Ok(told.statement(Source::Close))
    }

    /// Collects with a buyer's code. Not repeatable: after it was sent once, only [`Client::query`] tells.
    ///
    /// # Errors
    /// See [`GatewayError`]: nothing is known then.
    pub async fn pay(&self, order: &PayOrder) -> Result<Statement, GatewayError> {
        let body = pay_content(order, &self.extra);
        let told = self.ask(Call::Pay, &body, |said, _| read_pay(said, &order.out_trade_no)).await?;
        Ok(told.statement(Source::Pay))
    }

    /// Undoes a payment-code trade of `amount` whose result is unknown: closes it, **or refunds all of it if it was paid**.
    ///
    /// # Errors
    /// See [`GatewayError`]; also if the gateway wants the same call again.
    pub async fn cancel(&self, out_trade_no: &OutTradeNo, amount: Fen) -> Result<Statement, GatewayError> {
        let body = number_content(out_trade_no);
        let told = self.ask(Call::Cancel, &body, |said, _| read_cancel(said, out_trade_no, amount)).await?;
        Ok(told.statement(Source::Cancel))
    }

    /// Gives money back. Repeatable with the same number and amount: the gateway refunds once.
    ///
    /// # Errors
    /// See [`GatewayError`]: the refund may have been done.
    pub async fn refund(&self, order: &RefundOrder) -> Result<RefundStatement<RefundOutcome>, GatewayError> {
        let told = self.ask(Call::Refund, &refund_content(order), |said, _| read_refund(said, order)).await?;
        Ok(told.refund_statement(Source::Refund))
    }

    /// Asks whether a refund moved money.
    ///
    /// # Errors
    /// See [`GatewayError`]; also if the answer speaks of another refund.
    pub async fn refund_query(
        &self,
        question: &RefundQuestion,
    ) -> Result<RefundStatement<RefundQueryOutcome>, GatewayError> {
        let read = |said: &Said, _: Moments| {
            let outcome = read_refund_query(said, &question.out_trade_no)?;
            let is_ours = question.is_answered_by(&outcome);
            is_ours.then_some(outcome).ok_or(AnswerError::OtherNumber)
        };
        let told = self.ask(Call::RefundQuery, &refund_query_content(question), read).await?;
        Ok(told.refund_statement(Source::RefundQuery))
    }

    /// What time it is, by the clock corrected to the gateway's.
    pub(crate) fn now(&self) -> UtcMs {
        (self.clock)()
    }

    pub(crate) fn seller_id(&self) -> Option<&str> {
        self.settings.seller_id.as_deref()
    }

    /// Whether the gateway is on this computer.
    pub(crate) fn is_demo(&self) -> bool {
        self.settings.gateway.is_loopback()
    }

    /// Whether the certificates, as they were set, are valid at a moment. Keys have no end.
    pub(crate) fn check_dates(&self, now: UtcMs) -> Result<(), CertificateError> {
        match &self.settings.trust {
            Trust::Keys(_) => Ok(()),
            Trust::Certificates(certificates) => certificates.check_dates(now),
        }
    }

    pub(crate) async fn download(&self, url: &Url, longest: usize) -> Result<Vec<u8>, AnswerError> {
        download(&self.http, url, longest).await
    }

    pub(crate) async fn ask<T>(
        &self,
        call: Call,
        body: &str,
        read: impl Fn(&Said, Moments) -> Result<T, AnswerError>,
    ) -> Result<Told<T>, GatewayError> {
        let (answer, moments) = self.exchange(call, body).await?;
        self.meet_signer(&answer).await.map_err(unanswered)?;
        let said = self.believe(&answer)?;
        let what = read(&said, moments)?;
        Ok(Told { what, answer, moments })
    }

    /// Alipay renews its certificates: one that signed and is not known yet is fetched and checked against the roots.
    pub(crate) async fn meet_signer(&self, answer: &Answer) -> Result<(), GatewayError> {
        match (&self.settings.trust, &answer.cert_sn) {
            (Trust::Certificates(certificates), Some(sn)) if answer.signature.is_some() && !certificates.knows(sn) => {
                self.fetch_certificate(certificates, sn).await
            }
            (Trust::Certificates(_) | Trust::Keys(_), _) => Ok(()),
        }
    }

    /// Fetches the certificate that signed a notice and is not known yet. Does nothing in key mode.
    ///
    /// # Errors
    /// See [`GatewayError`]; also if the certificate does not lead to the pinned roots.
    pub async fn learn_certificate(&self, sn: &str) -> Result<(), GatewayError> {
        match &self.settings.trust {
            Trust::Keys(_) => Ok(()),
            Trust::Certificates(certificates) => self.fetch_certificate(certificates, sn).await,
        }
    }

    /// The answer's own signature says nothing here, since nobody knows its signer yet. The chain is the proof.
    async fn fetch_certificate(&self, certificates: &Certificates, sn: &str) -> Result<(), GatewayError> {
        let body = json!({ "alipay_cert_sn": sn }).to_string();
        let (answer, moments) = self.exchange(Call::CertificateDownload, &body).await?;
        let text = read_certificate(&Said::read(&answer.node, false)?)?;
        let now = moments.answered_at.unwrap_or(moments.asked_at);
        certificates.learn(sn, &text, now).map_err(|error| GatewayError::Unanswered(Box::new(error)))
    }

    /// A signature that is there must fit; one that is missing is for the reader of the call to judge.
    pub(crate) fn believe(&self, answer: &Answer) -> Result<Said, AnswerError> {
        if let Some(signature) = &answer.signature {
            self.settings.trust.check(&answer.node, signature, answer.cert_sn.as_deref())?;
        }
        Said::read(&answer.node, answer.signature.is_some())
    }

    pub(crate) async fn exchange(&self, call: Call, body: &str) -> Result<(Answer, Moments), GatewayError> {
        let asked_at = (self.clock)();
        let request = sign_request(&self.settings, call, body, asked_at);
        let (answer, answered_at) = send(&self.http, call, request).await?;
        if let Some(date) = answered_at {
            (self.gateway_date)(date);
        }
        Ok((answer, Moments { asked_at, answered_at }))
    }
}

/// What an answer told, with the text that proves it.
pub(crate) struct Told<T> {
    what: T,
    answer: Answer,
    moments: Moments,
}

impl<T> Told<T> {
    /// What was told, where nobody will want it proved again.
    pub(crate) fn into_what(self) -> T {
        self.what
    }

    fn open(self, source: Source) -> (T, Proof, Moments) {
        let Answer { node, signature, cert_sn } = self.answer;
        (self.what, Proof { source, text: node, signature, cert_sn }, self.moments)
    }

    fn refund_statement(self, source: Source) -> RefundStatement<T> {
        let (outcome, proof, Moments { asked_at, answered_at }) = self.open(source);
        RefundStatement { outcome, proof, asked_at, answered_at }
    }
}

impl Told<Evidence> {
    fn statement(self, source: Source) -> Statement {
        let (evidence, proof, Moments { asked_at, answered_at }) = self.open(source);
        Statement { evidence, proof, asked_at, answered_at }
    }
}

/// The question itself was sent, whatever went wrong afterwards.
fn unanswered(error: GatewayError) -> GatewayError {
    match error {
        GatewayError::NotSent(cause) | GatewayError::Unanswered(cause) => GatewayError::Unanswered(cause),
        GatewayError::Limited => GatewayError::Unanswered(Box::new(AnswerError::Limited)),
    }
}

/// `alipay_cert_content` is the base64 of PEM text.
fn read_certificate(said: &Said) -> Result<String, AnswerError> {
    if said.verdict() != Verdict::Done {
        return Err(said.unclear());
    }
    let content = said.text("alipay_cert_content").ok_or(AnswerError::Missing("alipay_cert_content"))?;
    let bytes = BASE64_STANDARD.decode(content).map_err(|_| AnswerError::Missing("alipay_cert_content"))?;
    String::from_utf8(bytes).map_err(|_| AnswerError::Missing("alipay_cert_content"))
}

pub(crate) fn number_content(out_trade_no: &OutTradeNo) -> String {
    json!({ "out_trade_no": out_trade_no.as_str() }).to_string()
}
