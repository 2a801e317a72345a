//! Members of `biz_content` that a merchant's contract asks for and this program does not know.
//!
//! `product_code`, `disable_pay_channels`, `extend_params`, `bkagent_req_info` and the like: written by a person who read
//! Alipay's documents, sent as they are with every precreate and pay. What this program sets itself cannot be overridden.

use serde_json::{Map, Value};

/// Set by this program for every order.
const OURS: &[&str] = &[
    "auth_code",
    "operator_id",
    "out_trade_no",
    "passback_params",
    "qr_code_timeout_express",
    "scene",
    "store_id",
    "subject",
    "terminal_id",
    "time_expire",
    "timeout_express",
    "total_amount",
    "trade_no",
];

/// Further members, or none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtraContent(Map<String, Value>);

/// Why a text is not usable as further members.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtraContentError {
    /// Write it like `{"product_code":"QR_CODE_OFFLINE"}`.
    #[error("this is not a JSON object like {{\"product_code\":\"QR_CODE_OFFLINE\"}}")]
    NotAnObject,
    /// Take it out.
    #[error("{0} is set by this program for every order")]
    Ours(String),
}

impl ExtraContent {
    /// Reads a JSON object.
    ///
    /// # Errors
    /// See [`ExtraContentError`].
    pub fn parse(text: &str) -> Result<ExtraContent, ExtraContentError> {
        let members: Map<String, Value> = serde_json::from_str(text).map_err(|_| ExtraContentError::NotAnObject)?;
        match members.keys().find(|name| OURS.contains(&name.as_str())) {
            Some(name) => Err(ExtraContentError::Ours(name.clone())),
            None => Ok(ExtraContent(members)),
        }
    }

    pub(crate) fn members(&self) -> &Map<String, Value> {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ours_cannot_be_overridden() {
        assert!(ExtraContent::parse(r#"{"product_code":"QR_CODE_OFFLINE","extend_params":{"a":"b"}}"#).is_ok());
        let ours = ExtraContent::parse(r#"{"total_amount":"0.01"}"#);
        assert_eq!(ours, Err(ExtraContentError::Ours("total_amount".into())));
        assert_eq!(ExtraContent::parse("[]"), Err(ExtraContentError::NotAnObject));
    }
}
