//! Whose signature is believed.

use crate::{answer::AnswerError, key::AlipayKey};
use encoding_rs::GB18030;
use std::borrow::Cow;

/// What Alipay's signatures are checked with.
#[derive(Clone, Debug)]
pub enum Trust {
    /// Key mode: the one public key that Alipay's console shows for the app.
    Keys(AlipayKey),
}

impl Trust {
    /// Checks the signature of an answer's text.
    ///
    /// The gateway signs the bytes it sends. Its own SDK tries once more with `\/` written as `/`; so do we.
    ///
    /// # Errors
    /// [`AnswerError::BadSignature`], [`AnswerError::UnknownCertificate`].
    pub fn check(&self, text: &str, signature: &str, cert_sn: Option<&str>) -> Result<(), AnswerError> {
        let key = self.key_of(cert_sn)?;
        let is_signed = |text: &str| encodings(text).any(|bytes| key.verify(&bytes, signature));
        if is_signed(text) || (text.contains("\\/") && is_signed(&text.replace("\\/", "/"))) {
            return Ok(());
        }
        Err(AnswerError::BadSignature)
    }

    pub(crate) fn key_of(&self, _cert_sn: Option<&str>) -> Result<&AlipayKey, AnswerError> {
        match self {
            Trust::Keys(key) => Ok(key),
        }
    }
}

/// The bytes a text may have had on the wire: UTF-8, and GBK if that is something else.
fn encodings(text: &str) -> impl Iterator<Item = Cow<'_, [u8]>> {
    let gbk = (!text.is_ascii()).then(|| GB18030.encode(text)).filter(|(_, _, had_errors)| !had_errors);
    std::iter::once(Cow::Borrowed(text.as_bytes())).chain(gbk.map(|(bytes, _, _)| bytes))
}
