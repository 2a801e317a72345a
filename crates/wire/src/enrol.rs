//! How a terminal becomes known to headquarters: a one-time code, and from then on its own key.

use serde::{Deserialize, Serialize};
use yidan_payment::Hash;

/// Body of `POST /api/v1/enrol`, signed with the key it introduces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enrolment {
    /// The code an administrator read out; one use, 15 minutes.
    pub code: String,
    /// Ed25519 public key, base64 of 32 bytes.
    pub public_key: String,
    /// The merchant's app_id at Alipay: pinned.
    pub app_id: String,
    /// SHA-256 of the key (DER) that the terminal verifies Alipay's answers with: pinned.
    pub alipay_key: Hash,
    /// Real money or not: pinned.
    pub mode: Mode,
}

/// Real money or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The sandbox: no money.
    Demo,
    /// Real money.
    Live,
}

/// Answer to an enrolment: who the terminal is from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enrolled {
    /// `keyid` of every request.
    pub terminal_id: String,
    /// Rises with every enrolment of the same terminal; part of every number it mints.
    pub epoch: u32,
    /// The store the code was bound to.
    pub store_id: String,
    /// What the screens show.
    pub store_name: String,
    /// Where Alipay shall send its notices; none if headquarters cannot be reached from outside.
    #[serde(default)]
    pub notify_url: Option<String>,
}
