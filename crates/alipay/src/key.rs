//! The two keys of key mode: the app's private key, which signs, and Alipay's public key, which checks.
//!
//! `rsa` parses, converts and checks; the signature itself is made by aws-lc-rs (docs/decisions/0001). Both are PKCS#1
//! v1.5 with SHA-256, which Alipay calls RSA2. SHA-1 (`RSA`) is deliberately absent. A private key never shows: its
//! `Debug` prints dots, and its memory is wiped.

use crate::armor::{ArmorError, Block, read_blocks};
use aws_lc_rs::{rand::SystemRandom, rsa::KeyPair, signature::RSA_PKCS1_SHA256};
use base64::{Engine, prelude::BASE64_STANDARD};
use rsa::{
    PrivateKey, PublicKey,
    pkcs1::{DecodeRsaPrivateKey, DecodeRsaPublicKey},
    pkcs1v15::{Signature, VerifyingKey},
    pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey},
    signature::Verifier,
    traits::PublicKeyParts,
};
use sha2::Sha256;
use std::fmt;
use yidan_payment::Hash;

/// The app's private key.
pub struct AppKey {
    signer: KeyPair,
    public: PublicKey,
}

/// Alipay's public key, as its console shows it after the app's public key was uploaded.
#[derive(Clone, PartialEq, Eq)]
pub struct AlipayKey {
    public: PublicKey,
}

/// Why a text is not the key it should be, named by what the person at the settings page must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Paste the whole key.
    #[error("this is not a key: expected base64 text with or without BEGIN and END lines")]
    NotAKey,
    /// Save it without a password first.
    #[error("this key is protected by a password")]
    Encrypted,
    /// The public key was pasted where the private key belongs.
    #[error("this is a public key; the app's private key belongs here")]
    IsPublic,
    /// The private key was pasted where Alipay's public key belongs.
    #[error("this is a private key; Alipay's public key belongs here")]
    IsPrivate,
    /// A certificate was pasted where a key belongs.
    #[error("this is a certificate; a key belongs here")]
    IsCertificate,
    /// RSA2 needs 2048 bits.
    #[error("this key has {bits} bits; Alipay's RSA2 needs at least 2048")]
    TooShort {
        /// What it has.
        bits: usize,
    },
    /// Its numbers do not fit one another.
    #[error("this key is damaged")]
    Damaged,
}

impl AppKey {
    /// Reads a private key: PKCS#8 or PKCS#1, PEM or bare base64, one line or many.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn parse(text: &str) -> Result<AppKey, KeyError> {
        let block = only_block(text)?;
        let private = PrivateKey::from_pkcs8_der(&block.der)
            .or_else(|_| PrivateKey::from_pkcs1_der(&block.der))
            .map_err(|_| if public_of(&block).is_some() { KeyError::IsPublic } else { KeyError::NotAKey })?;
        check_length(&private.to_public_key())?;
        let pkcs8 = private.to_pkcs8_der().map_err(|_| KeyError::Damaged)?;
        let signer = KeyPair::from_pkcs8(pkcs8.as_bytes()).map_err(|_| KeyError::Damaged)?;
        Ok(AppKey { signer, public: private.to_public_key() })
    }

    /// Signs a text: base64 on one line.
    ///
    /// # Panics
    /// Never: a key that was parsed signs any text.
    #[must_use]
    pub fn sign(&self, text: &[u8]) -> String {
        let mut signature = vec![0; self.signer.public_modulus_len()];
        self.signer
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text, &mut signature)
            .expect("a checked key of at least 2048 bits signs any text");
        BASE64_STANDARD.encode(signature)
    }

    /// Whether the other key is this one's own public half. In the box for Alipay's key it would fail every check.
    #[must_use]
    pub fn matches(&self, key: &AlipayKey) -> bool {
        self.public == key.public
    }

    /// The public half as Alipay's console wants it for upload: base64 on one line, without BEGIN and END.
    ///
    /// # Panics
    /// Never: an RSA key can always be written as DER.
    #[must_use]
    pub fn public_text(&self) -> String {
        BASE64_STANDARD.encode(spki(&self.public))
    }
}

impl AlipayKey {
    /// Reads a public key: PEM or bare base64.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn parse(text: &str) -> Result<AlipayKey, KeyError> {
        let block = only_block(text)?;
        let public = public_of(&block).ok_or_else(|| refusal_of(&block))?;
        AlipayKey::from_rsa(public)
    }

    pub(crate) fn from_rsa(public: PublicKey) -> Result<AlipayKey, KeyError> {
        check_length(&public)?;
        Ok(AlipayKey { public })
    }

    /// Whether the signature (base64) is this key's over exactly these bytes.
    #[must_use]
    pub fn verify(&self, text: &[u8], signature: &str) -> bool {
        let Ok(bytes) = BASE64_STANDARD.decode(signature) else { return false };
        self.verify_bytes(text, &bytes)
    }

    /// The same for a signature that is not base64 text.
    pub(crate) fn verify_bytes(&self, text: &[u8], signature: &[u8]) -> bool {
        let Ok(signature) = Signature::try_from(signature) else { return false };
        VerifyingKey::<Sha256>::new(self.public.clone()).verify(text, &signature).is_ok()
    }

    /// SHA-256 of the key's DER (SubjectPublicKeyInfo): by it the settings, HQ and the log name the key.
    #[must_use]
    pub fn fingerprint(&self) -> Hash {
        Hash::of(&spki(&self.public))
    }
}

fn only_block(text: &str) -> Result<Block, KeyError> {
    let mut blocks = read_blocks(text).map_err(|error| match error {
        ArmorError::NotBase64 => KeyError::NotAKey,
        ArmorError::Encrypted => KeyError::Encrypted,
    })?;
    if blocks.iter().any(|block| block.label.as_deref() == Some("CERTIFICATE")) {
        return Err(KeyError::IsCertificate);
    }
    match (blocks.pop(), blocks.is_empty()) {
        (Some(block), true) => Ok(block),
        (Some(_) | None, _) => Err(KeyError::NotAKey),
    }
}

fn public_of(block: &Block) -> Option<PublicKey> {
    PublicKey::from_public_key_der(&block.der).or_else(|_| PublicKey::from_pkcs1_der(&block.der)).ok()
}

fn refusal_of(block: &Block) -> KeyError {
    let is_private = PrivateKey::from_pkcs8_der(&block.der).is_ok() || PrivateKey::from_pkcs1_der(&block.der).is_ok();
    if is_private { KeyError::IsPrivate } else { KeyError::NotAKey }
}

fn check_length(key: &PublicKey) -> Result<(), KeyError> {
    match key.n().bit_width() as usize {
        bits @ ..2048 => Err(KeyError::TooShort { bits }),
        _ => Ok(()),
    }
}

fn spki(key: &PublicKey) -> Vec<u8> {
    key.to_public_key_der().expect("an RSA key can always be written as DER").into_vec()
}

impl fmt::Debug for AppKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AppKey(•••)")
    }
}

impl fmt::Debug for AlipayKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AlipayKey({})", self.fingerprint())
    }
}
