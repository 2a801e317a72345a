//! What a merchant sets: where, who, with which keys.

use crate::{certificates::Certificates, gateway_url::GatewayUrl, key::AppKey, merchant::Merchant, trust::Trust};
use reqwest::Url;
use std::time::Duration;
use yidan_payment::Account;

/// Everything the client needs to speak for one app. Its `Debug` shows no private key.
#[derive(Debug)]
pub struct Settings {
    /// Where requests go.
    pub gateway: GatewayUrl,
    /// The app's number: digits.
    pub app_id: String,
    /// The merchant's number (2088…), which notices must carry.
    pub seller_id: Option<String>,
    /// Signs.
    pub app_key: AppKey,
    /// Checks.
    pub trust: Trust,
    /// Where Alipay sends its notices. `None`: asking alone must do.
    pub notify_url: Option<String>,
    /// How long a connection may take. [`Settings::CONNECT`] unless there is a reason.
    pub connect_timeout: Duration,
    /// How long a whole call may take. [`Settings::WHOLE`] unless there is a reason.
    pub timeout: Duration,
}

/// Settings that cannot work, named by what to correct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// `app_id` is 1–32 digits.
    #[error("the app_id must be the digits that Alipay's console shows")]
    AppId,
    /// `seller_id` is 2088 and 12 more digits.
    #[error("the seller_id must be 2088 and 12 more digits")]
    SellerId,
    /// The app's own public key stands in the box for Alipay's.
    #[error("the key in the box for Alipay's public key is the app's own public key")]
    OwnPublicKey,
    /// Certificate mode needs the app's certificate too.
    #[error("certificate mode needs the app's certificate")]
    NoAppCertificate,
    /// The app's certificate vouches for another key.
    #[error("the app's certificate does not belong to the app's private key")]
    OtherCertificate,
    /// `notify_url` is an http or https address of at most 256 characters.
    #[error("the notify_url must be an http or https address of at most 256 characters")]
    NotifyUrl,
    /// The system's TLS set-up is unusable.
    #[error("this computer's TLS set-up is unusable")]
    Tls,
}

impl Settings {
    /// What Alipay's own SDK waits for a connection.
    pub const CONNECT: Duration = Duration::from_secs(3);
    /// What Alipay's own SDK waits for an answer.
    pub const WHOLE: Duration = Duration::from_secs(15);

    /// `app_id@host`: answers count only for payments made with the same account.
    #[must_use]
    pub fn account(&self) -> Account {
        Account(format!("{}@{}", self.app_id, self.gateway.host()))
    }

    /// Who we are, for reading notices and stored proofs.
    #[must_use]
    pub fn merchant(&self) -> Merchant {
        Merchant { app_id: self.app_id.clone(), seller_id: self.seller_id.clone(), trust: self.trust.clone() }
    }

    /// Refuses what cannot work before anything is sent.
    ///
    /// # Errors
    /// See [`SettingsError`].
    pub fn check(&self) -> Result<(), SettingsError> {
        if !is_digits(&self.app_id, 1..=32) {
            return Err(SettingsError::AppId);
        }
        if self.seller_id.as_deref().is_some_and(|id| !id.starts_with("2088") || !is_digits(id, 16..=16)) {
            return Err(SettingsError::SellerId);
        }
        if self.notify_url.as_deref().is_some_and(|url| !is_notify_url(url)) {
            return Err(SettingsError::NotifyUrl);
        }
        if self.app_key.matches(&self.trust.pinned_key()) {
            return Err(SettingsError::OwnPublicKey);
        }
        match &self.trust {
            Trust::Keys(_) => Ok(()),
            Trust::Certificates(certificates) => self.check_app_certificate(certificates),
        }
    }

    fn check_app_certificate(&self, certificates: &Certificates) -> Result<(), SettingsError> {
        let key = certificates.app().and_then(|app| app.key().ok()).ok_or(SettingsError::NoAppCertificate)?;
        self.app_key.matches(&key).then_some(()).ok_or(SettingsError::OtherCertificate)
    }
}

fn is_digits(text: &str, length: std::ops::RangeInclusive<usize>) -> bool {
    length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_notify_url(text: &str) -> bool {
    text.len() <= 256 && Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}
