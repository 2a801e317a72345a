//! Whose signature is believed.

use crate::{answer::AnswerError, certificates::Certificates, key::AlipayKey};
use encoding_rs::GB18030;
use std::borrow::Cow;

/// What Alipay's signatures are checked with.
#[derive(Clone, Debug)]
pub enum Trust {
    /// Key mode: the one public key that Alipay's console shows for the app.
    Keys(AlipayKey),
    /// Certificate mode: each signature names the certificate that made it.
    Certificates(Certificates),
}

impl Trust {
    /// Checks the signature of an answer's text.
    ///
    /// The gateway signs the bytes it sends. Its own SDK tries once more with `\/` written as `/`; so do we.
    ///
    /// # Errors
    /// [`AnswerError::BadSignature`]; in certificate mode also [`AnswerError::UnknownCertificate`] and a missing number.
    pub fn check(&self, text: &str, signature: &str, cert_sn: Option<&str>) -> Result<(), AnswerError> {
        let key = self.key_of(cert_sn)?;
        let is_signed = |text: &str| encodings(text).any(|bytes| key.verify(&bytes, signature));
        if is_signed(text) || (text.contains("\\/") && is_signed(&text.replace("\\/", "/"))) {
            return Ok(());
        }
        Err(AnswerError::BadSignature)
    }

    /// The key as it was set: by its fingerprint the settings, HQ and the log name it.
    #[must_use]
    pub fn pinned_key(&self) -> AlipayKey {
        match self {
            Trust::Keys(key) => key.clone(),
            Trust::Certificates(certificates) => certificates.pinned_key(),
        }
    }

    pub(crate) fn key_of(&self, cert_sn: Option<&str>) -> Result<AlipayKey, AnswerError> {
        match self {
            Trust::Keys(key) => Ok(key.clone()),
            Trust::Certificates(certificates) => certificates.key(cert_sn),
        }
    }
}

/// The bytes a text may have had on the wire: UTF-8, and GBK if that is something else.
fn encodings(text: &str) -> impl Iterator<Item = Cow<'_, [u8]>> {
    let gbk = (!text.is_ascii()).then(|| GB18030.encode(text)).filter(|(_, _, had_errors)| !had_errors);
    std::iter::once(Cow::Borrowed(text.as_bytes())).chain(gbk.map(|(bytes, _, _)| bytes))
}
