//! Whose money is counted: set by headquarters' administrator, never by a terminal.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use std::path::Path;
use yidan_payment::{Evidence, Hash, OutTradeNo, Proof};
use yidan_wire::{Enrolment, Mode};

/// The merchant at Alipay.
#[derive(Clone, Debug)]
pub struct Merchant {
    /// Its app.
    pub app_id: String,
    /// Who receives the money (for notices).
    pub seller_id: String,
    /// Real money or not.
    pub mode: Mode,
    key_der: Vec<u8>,
}

/// Why a merchant file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MerchantError {
    /// Check the path.
    #[error("cannot read the merchant file {path}")]
    Read {
        /// Which.
        path: String,
        /// Why.
        #[source]
        cause: std::io::Error,
    },
    /// Needed: app_id, seller_id, alipay_public_key, mode.
    #[error("the merchant file is not understood")]
    Parse(#[source] toml::de::Error),
    /// Copy Alipay's public key again, not your own.
    #[error("alipay_public_key is not a public key")]
    Key,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MerchantFile {
    app_id: String,
    seller_id: String,
    alipay_public_key: String,
    mode: Mode,
}

impl Merchant {
    /// Reads `app_id`, `seller_id`, `alipay_public_key` (PEM or bare base64) and `mode` (`demo` or `live`) from a TOML file.
    ///
    /// # Errors
    /// If it cannot be read or something in it is wrong.
    pub fn load(path: &Path) -> Result<Merchant, MerchantError> {
        let text = std::fs::read_to_string(path)
            .map_err(|cause| MerchantError::Read { path: path.display().to_string(), cause })?;
        Merchant::parse(&text)
    }

    /// Reads the text of a merchant file.
    ///
    /// # Errors
    /// As [`Merchant::load`].
    pub fn parse(text: &str) -> Result<Merchant, MerchantError> {
        let file: MerchantFile = toml::from_str(text).map_err(MerchantError::Parse)?;
        let base64: String = file
            .alipay_public_key
            .lines()
            .filter(|line| !line.contains("-----"))
            .flat_map(str::chars)
            .filter(|letter| !letter.is_whitespace())
            .collect();
        let key_der = STANDARD.decode(base64).map_err(|_| MerchantError::Key)?;
        Ok(Merchant { app_id: file.app_id, seller_id: file.seller_id, mode: file.mode, key_der })
    }

    /// What a terminal says about the merchant that differs from what is set here.
    #[must_use]
    pub fn find_difference(&self, enrolment: &Enrolment) -> Option<&'static str> {
        if enrolment.mode != self.mode {
            return Some("mode (demo or live)");
        }
        if enrolment.app_id != self.app_id {
            return Some("app_id");
        }
        (enrolment.alipay_key != Hash::of(&self.key_der)).then_some("public key of Alipay")
    }

    /// What Alipay states about this number, if the proof is signed with the key set here.
    #[must_use]
    pub fn read_proof(&self, _proof: &Proof, _number: &OutTradeNo) -> Option<Evidence> {
        None
    }
}
