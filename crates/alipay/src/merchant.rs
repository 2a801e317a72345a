//! Who we are to Alipay, as far as its word to us needs it.

use crate::trust::Trust;

/// A merchant's app, and whose signature is believed for it.
#[derive(Clone, Debug)]
pub struct Merchant {
    /// The app's number, which every notice carries.
    pub app_id: String,
    /// The merchant's number (2088…), which every notice carries. `None`: the app's number must do.
    pub seller_id: Option<String>,
    /// Checks.
    pub trust: Trust,
}
