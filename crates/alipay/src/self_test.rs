//! The test before opening: one signed question about a number that does not exist, and what its answer shows.
//!
//! Keys that do not parse, the own key in Alipay's box and a certificate of another key are refused earlier, when the
//! client is made. Nothing is collected and nothing is changed.

use crate::{
    answer::AnswerError,
    call::Call,
    certificate::CertificateError,
    client::{Client, number_content},
    query::read_query,
    said::Moments,
};
use yidan_payment::{GatewayError, OutTradeNo, Refusal};

/// A clock may be this far off before the set-up is refused, in ms.
const CLOCK_TOLERANCE_MS: u64 = 60_000;

/// What was looked at, in this order. The first trouble hides what comes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelfTestStep {
    /// The gateway answers, over TLS, and it is Alipay's.
    Gateway,
    /// This computer's clock agrees with the gateway's.
    Clock,
    /// The certificates are valid today, by the gateway's clock (certificate mode).
    Certificates,
    /// The gateway knows the app and takes our signature.
    App,
    /// The gateway's signature fits the key in Alipay's box.
    AlipayKey,
}

/// What is wrong, named by what a person must do.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// Get a new certificate from Alipay's console.
    #[error("a certificate cannot be used")]
    Certificate(#[source] CertificateError),
    /// Look at the network: cable, DNS, firewall, a proxy that breaks TLS.
    #[error("the gateway cannot be reached")]
    Unreachable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Look at the network: a login page, a proxy.
    #[error("something else answers in the gateway's place")]
    NotAlipay(#[source] AnswerError),
    /// Switch content encryption off for the app in Alipay's console.
    #[error("Alipay encrypts its answers to this app")]
    Encrypted(#[source] AnswerError),
    /// Set the computer's clock.
    #[error("this computer's clock is {seconds} seconds off")]
    ClockOff {
        /// Positive: the computer is ahead.
        seconds: i64,
    },
    /// Upload the app's public key in Alipay's console; it does not know the one that fits our private key.
    #[error("Alipay does not take our signature: {} {}", .0.sub_code, .0.text)]
    AppKey(Refusal),
    /// Fill in the three certificate files of this very app again.
    #[error("Alipay does not take the certificates: {} {}", .0.sub_code, .0.text)]
    Certificates(Refusal),
    /// Check the app_id, and that live keys meet the live gateway.
    #[error("Alipay does not know the app: {} {}", .0.sub_code, .0.text)]
    AppId(Refusal),
    /// Sign the contract for the product in Alipay's console.
    #[error("the app may not do this: {} {}", .0.sub_code, .0.text)]
    NotAllowed(Refusal),
    /// Copy Alipay's public key from the console again (not the app's, not another app's).
    #[error("the key in the box for Alipay's key did not sign the answer")]
    AlipayKey(#[source] AnswerError),
    /// Try again later.
    #[error("Alipay gave no clear answer")]
    TryLater(#[source] AnswerError),
    /// Try again more slowly.
    #[error("Alipay asks for fewer calls")]
    Limited,
}

/// A trouble, and at which step it was found. Earlier steps passed.
#[derive(Debug, thiserror::Error)]
#[error("the self-test found a trouble")]
pub struct SelfTestError {
    /// Where.
    pub step: SelfTestStep,
    /// What.
    #[source]
    pub trouble: Trouble,
}

impl Client {
    /// Asks about `probe`, a number that must not exist. The client's clock must be the computer's own here, not the
    /// corrected one, or its error cannot be seen.
    ///
    /// # Errors
    /// The first trouble found.
    pub async fn self_test(&self, probe: &OutTradeNo) -> Result<(), SelfTestError> {
        let fail = |step, trouble| SelfTestError { step, trouble };
        let asked = self.exchange(Call::Query, &number_content(probe)).await;
        let (answer, moments) = asked.map_err(|error| fail(SelfTestStep::Gateway, read_failure(error)))?;
        check_clock(moments).map_err(|trouble| fail(SelfTestStep::Clock, trouble))?;
        let now = moments.answered_at.unwrap_or(moments.asked_at);
        self.check_dates(now).map_err(|error| fail(SelfTestStep::Certificates, Trouble::Certificate(error)))?;
        if let Err(error) = self.meet_signer(&answer).await {
            return Err(fail(SelfTestStep::AlipayKey, read_failure(error)));
        }
        let answered = self.believe(&answer).and_then(|said| read_query(&said, probe, moments));
        answered.map(|_| ()).map_err(read_trouble)
    }
}

fn check_clock(moments: Moments) -> Result<(), Trouble> {
    let Some(gateway) = moments.answered_at else { return Ok(()) };
    let off_ms = moments.asked_at.0 - gateway.0;
    match off_ms.unsigned_abs() > CLOCK_TOLERANCE_MS {
        true => Err(Trouble::ClockOff { seconds: off_ms / 1000 }),
        false => Ok(()),
    }
}

/// Without a usable answer: is nobody there, or somebody else?
fn read_failure(error: GatewayError) -> Trouble {
    match error {
        GatewayError::NotSent(cause) => Trouble::Unreachable(cause),
        GatewayError::Limited => Trouble::Limited,
        GatewayError::Unanswered(cause) => match cause.downcast::<AnswerError>() {
            Ok(error) if matches!(*error, AnswerError::Lost(_)) => Trouble::Unreachable(error),
            Ok(error) if matches!(*error, AnswerError::Encrypted) => Trouble::Encrypted(*error),
            Ok(error) => Trouble::NotAlipay(*error),
            Err(cause) => Trouble::Unreachable(cause),
        },
    }
}

/// An answer that is Alipay's and not what it should be.
fn read_trouble(error: AnswerError) -> SelfTestError {
    let (step, trouble) = match error {
        AnswerError::BadSignature | AnswerError::UnknownCertificate(_) => {
            (SelfTestStep::AlipayKey, Trouble::AlipayKey(error))
        }
        AnswerError::Unclear { code, sub_code, text } => read_refusal(Refusal { code, sub_code, text }),
        AnswerError::Limited => (SelfTestStep::App, Trouble::Limited),
        AnswerError::Encrypted => (SelfTestStep::App, Trouble::Encrypted(error)),
        AnswerError::Lost(_)
        | AnswerError::Status(_)
        | AnswerError::TooLong
        | AnswerError::NotAlipay
        | AnswerError::Unsigned { .. }
        | AnswerError::AskAgain
        | AnswerError::OtherNumber
        | AnswerError::Missing(_) => (SelfTestStep::AlipayKey, Trouble::NotAlipay(error)),
    };
    SelfTestError { step, trouble }
}

fn read_refusal(refusal: Refusal) -> (SelfTestStep, Trouble) {
    match (refusal.code.as_str(), refusal.sub_code.as_str()) {
        (_, "isv.invalid-signature" | "isv.missing-signature-config" | "isv.missing-signature-key") => {
            (SelfTestStep::App, Trouble::AppKey(refusal))
        }
        (_, "isv.invalid-timestamp") => (SelfTestStep::Clock, Trouble::TryLater(unclear(refusal))),
        ("40001" | "40002", sub_code) if sub_code.contains("-cert") => {
            (SelfTestStep::App, Trouble::Certificates(refusal))
        }
        ("40001" | "40002", _) => (SelfTestStep::App, Trouble::AppId(refusal)),
        ("20001" | "40003" | "40006", _) => (SelfTestStep::App, Trouble::NotAllowed(refusal)),
        _ => (SelfTestStep::App, Trouble::TryLater(unclear(refusal))),
    }
}

fn unclear(Refusal { code, sub_code, text }: Refusal) -> AnswerError {
    AnswerError::Unclear { code, sub_code, text }
}
