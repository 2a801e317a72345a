//! RSA2 (SHA-256) and RSA (SHA-1) signatures, PKCS#1 v1.5, in base64, as Alipay's gateway makes and checks them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rsa::pkcs1v15::{Signature, SigningKey, VerifyingKey};
use rsa::signature::{SignatureEncoding as _, Signer as _, Verifier as _};
use rsa::{PrivateKey, PublicKey};
use sha1::Sha1;
use sha2::Sha256;

/// The value of `sign_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignType {
    Rsa2,
    Rsa,
}

impl SignType {
    pub fn read(text: &str) -> Option<Self> {
        match text {
            "RSA2" => Some(Self::Rsa2),
            "RSA" => Some(Self::Rsa),
            _ => None,
        }
    }

    pub fn text(self) -> &'static str {
        match self {
            Self::Rsa2 => "RSA2",
            Self::Rsa => "RSA",
        }
    }
}

/// One of Alipay's keys, and in certificate mode the number of the certificate it belongs to.
#[derive(Clone)]
pub struct Signer {
    pub key: PrivateKey,
    pub cert_sn: Option<String>,
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Signer({:?})", self.cert_sn)
    }
}

impl Signer {
    pub fn sign(&self, sign_type: SignType, bytes: &[u8]) -> String {
        let signature = match sign_type {
            SignType::Rsa2 => SigningKey::<Sha256>::new(self.key.clone()).sign(bytes),
            SignType::Rsa => SigningKey::<Sha1>::new(self.key.clone()).sign(bytes),
        };
        STANDARD.encode(signature.to_bytes())
    }
}

pub fn is_signed_by(key: &PublicKey, sign_type: SignType, bytes: &[u8], sign: &str) -> bool {
    let Some(signature) = STANDARD.decode(sign).ok().and_then(|raw| Signature::try_from(raw.as_slice()).ok()) else {
        return false;
    };
    match sign_type {
        SignType::Rsa2 => VerifyingKey::<Sha256>::new(key.clone()).verify(bytes, &signature),
        SignType::Rsa => VerifyingKey::<Sha1>::new(key.clone()).verify(bytes, &signature),
    }
    .is_ok()
}

/// Joins `name=value` with `&`, sorted by name, leaving out empty values and the named ones.
pub fn text_to_sign<'a>(pairs: impl Iterator<Item = (&'a str, &'a [u8])>, left_out: &[&str]) -> Vec<u8> {
    let mut kept: Vec<(&str, &[u8])> =
        pairs.filter(|(name, value)| !value.is_empty() && !left_out.contains(name)).collect();
    kept.sort_unstable();
    let lines: Vec<Vec<u8>> = kept.into_iter().map(|(name, value)| [name.as_bytes(), b"=", value].concat()).collect();
    lines.join(&b'&')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_values_and_the_sign_are_left_out_and_names_are_sorted() {
        let pairs: [(&str, &[u8]); 4] = [("b", b"2"), ("sign", b"x"), ("a", b"1=&"), ("c", b"")];
        let text = text_to_sign(pairs.into_iter(), &["sign"]);
        assert_eq!(text, b"a=1=&&b=2");
    }
}
