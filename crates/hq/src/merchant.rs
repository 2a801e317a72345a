//! Whose money is counted: set by headquarters' administrator, never by a terminal.

use serde::Deserialize;
use std::path::Path;
use yidan_alipay::{AlipayKey, CertificateError, Certificates, KeyError, Notice, NoticeError, Trust, read_proof};
use yidan_payment::{Evidence, Hash, OutTradeNo, Proof};
use yidan_wire::{Enrolment, Mode};

/// The merchant at Alipay.
#[derive(Clone, Debug)]
pub struct Merchant {
    at_alipay: yidan_alipay::Merchant,
    key: Hash,
    mode: Mode,
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
    /// Needed: app_id, seller_id, mode, and alipay_public_key or alipay_cert and alipay_root.
    #[error("the merchant file is not understood")]
    Parse(#[source] toml::de::Error),
    /// Copy Alipay's public key again, not your own.
    #[error("alipay_public_key is not Alipay's public key")]
    Key(#[source] KeyError),
    /// Copy both files of Alipay's console again.
    #[error("alipay_cert and alipay_root are not Alipay's certificates")]
    Certificates(#[source] CertificateError),
    /// Key mode needs the one, certificate mode the other two.
    #[error("the merchant file needs alipay_public_key, or alipay_cert and alipay_root")]
    NoKey,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MerchantFile {
    app_id: String,
    seller_id: String,
    alipay_public_key: Option<String>,
    alipay_cert: Option<String>,
    alipay_root: Option<String>,
    mode: Mode,
}

impl MerchantFile {
    fn trust(&self) -> Result<Trust, MerchantError> {
        match (&self.alipay_public_key, &self.alipay_cert, &self.alipay_root) {
            (Some(key), None, None) => AlipayKey::parse(key).map(Trust::Keys).map_err(MerchantError::Key),
            (None, Some(alipay), Some(root)) => {
                Certificates::new(None, alipay, root).map(Trust::Certificates).map_err(MerchantError::Certificates)
            }
            (..) => Err(MerchantError::NoKey),
        }
    }
}

impl Merchant {
    /// Reads `app_id`, `seller_id`, `mode` (`demo` or `live`), and the texts `alipay_public_key` (key mode; PEM or bare
    /// base64) or `alipay_cert` and `alipay_root` (certificate mode) from a TOML file.
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
        let trust = file.trust()?;
        let key = trust.pinned_key().fingerprint();
        let at_alipay = yidan_alipay::Merchant { app_id: file.app_id, seller_id: Some(file.seller_id), trust };
        Ok(Merchant { at_alipay, key, mode: file.mode })
    }

    /// The app whose trades are counted.
    #[must_use]
    pub fn app_id(&self) -> &str {
        &self.at_alipay.app_id
    }

    /// Real money or not.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// What a terminal says about the merchant that differs from what is set here.
    #[must_use]
    pub fn find_difference(&self, enrolment: &Enrolment) -> Option<&'static str> {
        if enrolment.mode != self.mode {
            return Some("mode (demo or live)");
        }
        if enrolment.app_id != self.app_id() {
            return Some("app_id");
        }
        (enrolment.alipay_key != self.key).then_some("public key of Alipay")
    }

    /// Checks and reads the body of a notice.
    ///
    /// # Errors
    /// It is not signed by Alipay, or not for this app and seller.
    pub fn read_notice(&self, body: &[u8]) -> Result<Notice, NoticeError> {
        Notice::read(body, &self.at_alipay)
    }

    /// What Alipay states about this number, if the proof is signed with the key set here.
    #[must_use]
    pub fn read_proof(&self, proof: &Proof, number: &OutTradeNo) -> Option<Evidence> {
        match read_proof(proof, &self.at_alipay, number) {
            Ok(evidence) => Some(evidence),
            Err(error) => {
                tracing::warn!(out_trade_no = %number, error = &error as &dyn std::error::Error, "not proved");
                None
            }
        }
    }
}
