//! An answer of the gateway, cut open but not yet believed.
//!
//! The signature covers the exact text of the response member, from its `{` to its `}`. So the text is never parsed and
//! written again: it is a slice of what came in. Member order, white space outside the node and a byte order mark do not
//! matter; a member named twice is refused. UTF-8 is always asked for; an answer that is not UTF-8 is read as GB18030,
//! in which the gateway sometimes says that it is busy.

use crate::{call::Call, members::Members};
use encoding_rs::GB18030;
use std::{borrow::Cow, fmt};

/// The response member of an answer and what should prove it.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    /// The signed text, byte for byte as it came (decoded, if it was GBK).
    pub node: String,
    /// Base64. `None`: nothing proves it.
    pub signature: Option<String>,
    /// Certificate mode: which platform certificate signed.
    pub cert_sn: Option<String>,
}

/// Why there is no usable answer. Never holds a key, a QR code or a buyer.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// The connection broke, or the time was over, after the request may have arrived.
    #[error("the answer was lost on the way")]
    Lost(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Not 200.
    #[error("something on the way answered with HTTP status {0}")]
    Status(u16),
    /// More than an answer ever is.
    #[error("the answer is longer than an answer of the gateway ever is")]
    TooLong,
    /// Empty, HTML (a proxy, a login page), damaged JSON, or JSON of somebody else.
    #[error("the answer is not one of Alipay's gateway")]
    NotAlipay,
    /// Content encryption (AES) is switched on for the app; switch it off in Alipay's console. It adds nothing to TLS and a
    /// signature, and headquarters could not read the proof.
    #[error("the answer is encrypted: switch content encryption off for this app in Alipay's console")]
    Encrypted,
    /// It should be signed and is not.
    #[error("the answer has no signature: {code} {sub_code} {text}")]
    Unsigned {
        /// `code`.
        code: String,
        /// `sub_code`, or nothing.
        sub_code: String,
        /// The gateway's own sentence.
        text: String,
    },
    /// The signature is not Alipay's, or the text was changed.
    #[error("the signature does not fit the answer: is the right Alipay public key set?")]
    BadSignature,
    /// Signed by a platform certificate that is not known yet.
    #[error("the answer was signed by platform certificate {0}, which is not known here")]
    UnknownCertificate(String),
    /// A code that says neither yes nor no.
    #[error("the gateway answered {code} {sub_code}: {text}")]
    Unclear {
        /// `code`.
        code: String,
        /// `sub_code`, or nothing.
        sub_code: String,
        /// The gateway's own sentence.
        text: String,
    },
    /// The gateway asks for fewer calls (40005).
    #[error("the gateway asks for fewer calls")]
    Limited,
    /// `cancel` answered `retry_flag=Y`.
    #[error("the gateway asks for the same call again")]
    AskAgain,
    /// It speaks of another number than the one asked for.
    #[error("the answer speaks of another number than the one asked for")]
    OtherNumber,
    /// A field that must be there is missing or unreadable.
    #[error("the answer has no usable {0}")]
    Missing(&'static str),
}

impl Answer {
    /// Finds the response member, or `error_response`, in the body of an answer.
    ///
    /// # Errors
    /// [`AnswerError::NotAlipay`] for everything that is not exactly one object with exactly one of the two;
    /// [`AnswerError::Encrypted`] if that one is text.
    pub fn open(call: Call, body: &[u8]) -> Result<Answer, AnswerError> {
        let body = decode(body)?;
        let body = body.strip_prefix('\u{feff}').unwrap_or(&body);
        let top = Members::parse(body).ok_or(AnswerError::NotAlipay)?;
        let node = match (top.raw(&call.answer_member()), top.raw("error_response")) {
            (Some(node), None) | (None, Some(node)) => node,
            (Some(_), Some(_)) | (None, None) => return Err(AnswerError::NotAlipay),
        };
        if node.starts_with('"') {
            return Err(AnswerError::Encrypted);
        }
        let has_code = Members::parse(node).is_some_and(|members| members.text("code").is_some());
        let (signature, cert_sn) = (top.text("sign"), top.text("alipay_cert_sn"));
        has_code.then(|| Answer { node: node.to_owned(), signature, cert_sn }).ok_or(AnswerError::NotAlipay)
    }
}

/// Shows no word of the answer: it may hold a code or a buyer.
impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answer({} bytes, signed: {})", self.node.len(), self.signature.is_some())
    }
}

fn decode(body: &[u8]) -> Result<Cow<'_, str>, AnswerError> {
    match std::str::from_utf8(body) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(_) => GB18030.decode_without_bom_handling_and_without_replacement(body).ok_or(AnswerError::NotAlipay),
    }
}
