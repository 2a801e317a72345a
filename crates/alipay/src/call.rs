//! The calls this client knows, as Alipay names them.

use yidan_payment::Source;

/// One method of the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Registers an order and gets a QR code.
    Precreate,
    /// Asks what became of a number.
    Query,
    /// Closes a trade that was not paid; never moves money.
    Close,
}

impl Call {
    /// The `method` parameter.
    #[must_use]
    pub fn method(self) -> &'static str {
        match self {
            Call::Precreate => "alipay.trade.precreate",
            Call::Query => "alipay.trade.query",
            Call::Close => "alipay.trade.close",
        }
    }

    /// The member of the answer that is signed: the method with `.` → `_`, and `_response`.
    #[must_use]
    pub fn answer_member(self) -> String {
        format!("{}_response", self.method().replace('.', "_"))
    }

    /// Whether the call names the address for notices. Later calls about the same trade go to the same one.
    pub(crate) fn carries_notify_url(self) -> bool {
        self == Call::Precreate
    }

    pub(crate) fn source(self) -> Source {
        match self {
            Call::Precreate => Source::Precreate,
            Call::Query => Source::Query,
            Call::Close => Source::Close,
        }
    }
}
