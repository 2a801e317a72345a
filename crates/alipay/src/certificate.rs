//! One certificate: its number as Alipay computes it, its key, its dates.
//!
//! Deliberately absent: certificate policies, revocation lists and everything else of X.509 that Alipay does not use.

use crate::{
    armor::read_blocks,
    key::{AlipayKey, KeyError},
};
use md5::{Digest, Md5};
use num_bigint::BigUint;
use rsa::{PublicKey, pkcs8::DecodePublicKey};
use std::fmt;
use x509_cert::{
    der::{Decode, Encode, oid::ObjectIdentifier},
    ext::pkix::BasicConstraints,
};
use yidan_payment::UtcMs;

const SHA256_WITH_RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.11");
/// Every signature algorithm that is RSA begins with it.
const RSA_SIGNATURES: &str = "1.2.840.113549.1.1.";
/// The attribute of a subject that names it.
const CN: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
const DAY_MS: i64 = 24 * 3600 * 1000;

/// A certificate of the app, of Alipay, or of one of its roots.
#[derive(Clone)]
pub struct Certificate {
    parsed: x509_cert::Certificate,
    sn: String,
}

/// Why a text is not the certificate it should be, named by what the person at the settings page must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    /// Choose the .crt file that Alipay's console gives.
    #[error("this is not a certificate")]
    NotACertificate,
    /// Only RSA2 apps are supported.
    #[error("this certificate holds no RSA key of at least 2048 bits")]
    NotRsa,
    /// The root file holds no root that signs with RSA.
    #[error("this file holds no RSA root of Alipay")]
    NoRoot,
    /// It was issued by nobody we know.
    #[error("this certificate does not lead to Alipay's root")]
    NotTrusted,
    /// It is a merchant's certificate, not Alipay's.
    #[error("this is an app's certificate, not Alipay's")]
    IsAnApps,
    /// Its end has passed.
    #[error("this certificate has expired")]
    Expired,
    /// Its beginning has not come.
    #[error("this certificate is not valid yet")]
    NotYetValid,
    /// Another one than the one that was asked for.
    #[error("this is another certificate than the one asked for")]
    OtherNumber,
}

impl Certificate {
    /// Reads the first certificate of a text. Alipay's file may hold the issuer's behind it.
    ///
    /// # Errors
    /// [`CertificateError::NotACertificate`].
    pub fn parse(text: &str) -> Result<Certificate, CertificateError> {
        let blocks = read_blocks(text).map_err(|_| CertificateError::NotACertificate)?;
        blocks.first().and_then(|block| Certificate::from_der(&block.der)).ok_or(CertificateError::NotACertificate)
    }

    /// Reads every certificate of a text. What this program cannot read (SM2 roots) is left out, as Alipay does.
    ///
    /// # Errors
    /// [`CertificateError::NotACertificate`] if the text is damaged.
    pub fn parse_all(text: &str) -> Result<Vec<Certificate>, CertificateError> {
        let blocks = read_blocks(text).map_err(|_| CertificateError::NotACertificate)?;
        Ok(blocks.iter().filter_map(|block| Certificate::from_der(&block.der)).collect())
    }

    fn from_der(der: &[u8]) -> Option<Certificate> {
        let parsed = x509_cert::Certificate::from_der(der).ok()?;
        let sn = number_of(&parsed);
        Some(Certificate { parsed, sn })
    }

    /// Its number as Alipay computes it: MD5 over issuer and serial number, 32 hex digits.
    #[must_use]
    pub fn sn(&self) -> &str {
        &self.sn
    }

    /// The key it vouches for.
    ///
    /// # Errors
    /// [`CertificateError::NotRsa`].
    pub fn key(&self) -> Result<AlipayKey, CertificateError> {
        let spki = self.parsed.tbs_certificate().subject_public_key_info().to_der();
        let key =
            spki.ok().and_then(|der| PublicKey::from_public_key_der(&der).ok()).ok_or(CertificateError::NotRsa)?;
        AlipayKey::from_rsa(key).map_err(|_: KeyError| CertificateError::NotRsa)
    }

    /// How many whole days are left; negative after its end.
    #[must_use]
    pub fn days_left(&self, now: UtcMs) -> i64 {
        (self.dates().1.0 - now.0).div_euclid(DAY_MS)
    }

    /// Whether it is valid at a moment.
    ///
    /// # Errors
    /// [`CertificateError::Expired`], [`CertificateError::NotYetValid`].
    pub fn check_dates(&self, now: UtcMs) -> Result<(), CertificateError> {
        let (begin, end) = self.dates();
        match now {
            now if now < begin => Err(CertificateError::NotYetValid),
            now if now > end => Err(CertificateError::Expired),
            _ => Ok(()),
        }
    }

    fn dates(&self) -> (UtcMs, UtcMs) {
        let validity = self.parsed.tbs_certificate().validity();
        let ms = |time: x509_cert::time::Time| i64::try_from(time.to_unix_duration().as_millis()).unwrap_or(i64::MAX);
        (UtcMs(ms(validity.not_before)), UtcMs(ms(validity.not_after)))
    }

    /// Whether it is signed with RSA: only such roots count for `alipay_root_cert_sn`.
    #[must_use]
    pub fn is_rsa_signed(&self) -> bool {
        self.parsed.signature_algorithm().oid.to_string().starts_with(RSA_SIGNATURES)
    }

    /// Whether nobody stands above it: it names itself as its issuer, and may issue others.
    #[must_use]
    pub fn is_root(&self) -> bool {
        let tbs = self.parsed.tbs_certificate();
        tbs.issuer() == tbs.subject() && self.is_authority()
    }

    /// Whether it says of itself that it may issue others.
    pub(crate) fn is_authority(&self) -> bool {
        let constraints = self.parsed.tbs_certificate().get_extension::<BasicConstraints>();
        constraints.is_ok_and(|found| found.is_some_and(|(_, constraints)| constraints.ca))
    }

    /// Whether `issuer` signed it.
    pub(crate) fn is_issued_by(&self, issuer: &Certificate) -> bool {
        let tbs = self.parsed.tbs_certificate();
        let is_named = tbs.issuer() == issuer.parsed.tbs_certificate().subject();
        let is_sha256 = self.parsed.signature_algorithm().oid == SHA256_WITH_RSA;
        let (Ok(key), Ok(signed), Some(signature)) = (issuer.key(), tbs.to_der(), self.parsed.signature().as_bytes())
        else {
            return false;
        };
        is_named && is_sha256 && key.verify_bytes(&signed, signature)
    }

    /// An app's certificate is named by numbers (`2088…-2021…`), Alipay's own by the company's name. Both come from the
    /// same root, so without this any merchant could pass for Alipay.
    #[must_use]
    pub fn is_an_apps(&self) -> bool {
        self.name().is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'))
    }

    fn name(&self) -> Option<String> {
        let attributes = self.parsed.tbs_certificate().subject().iter();
        let name = attributes.into_iter().find(|attribute| attribute.oid == CN)?;
        Some(String::from_utf8_lossy(name.value.value()).into_owned())
    }
}

/// MD5 over the issuer (RFC 4514 text, most specific first, no blanks) and the serial number in decimal.
fn number_of(certificate: &x509_cert::Certificate) -> String {
    let tbs = certificate.tbs_certificate();
    let serial = BigUint::from_bytes_be(tbs.serial_number().as_bytes());
    hex::encode(Md5::digest(format!("{}{serial}", tbs.issuer())))
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Certificate({})", self.sn)
    }
}
