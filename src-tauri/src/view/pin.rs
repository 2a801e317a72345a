//! A PIN on its way from the page to the engine.

use serde::Deserialize;
use std::fmt;
use zeroize::Zeroizing;

/// What somebody typed to prove who they are. Wiped when it is dropped; Debug prints dots; it cannot be sent back.
#[derive(Clone, Default, Deserialize)]
#[serde(from = "String")]
pub struct Pin(Zeroizing<String>);

impl Pin {
    /// The digits, for the check alone.
    #[must_use]
    pub fn digits(&self) -> &str {
        &self.0
    }
}

impl From<String> for Pin {
    fn from(digits: String) -> Pin {
        Pin(Zeroizing::new(digits))
    }
}

impl fmt::Debug for Pin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("••••••")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_is_read_and_never_shown() {
        let pin: Pin = serde_json::from_str("\"271828\"").unwrap();
        assert_eq!(pin.digits(), "271828");
        assert_eq!(format!("{pin:?}"), "••••••");
    }
}
