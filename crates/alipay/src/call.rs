//! The calls this client knows, as Alipay names them.

/// One method of the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Registers an order and gets a QR code.
    Precreate,
    /// Asks what became of a number.
    Query,
    /// Closes a trade that was not paid; never moves money.
    Close,
    /// Undoes a payment-code trade: closes it, or refunds it if it was paid.
    Cancel,
    /// Collects with the code on the buyer's phone.
    Pay,
    /// Gives money back.
    Refund,
    /// Asks what became of a refund.
    RefundQuery,
    /// Asks where a day's bill can be fetched.
    BillUrl,
    /// Fetches one of Alipay's own certificates.
    CertificateDownload,
}

impl Call {
    /// The `method` parameter.
    #[must_use]
    pub fn method(self) -> &'static str {
        match self {
            Call::Precreate => "alipay.trade.precreate",
            Call::Query => "alipay.trade.query",
            Call::Close => "alipay.trade.close",
            Call::Cancel => "alipay.trade.cancel",
            Call::Pay => "alipay.trade.pay",
            Call::Refund => "alipay.trade.refund",
            Call::RefundQuery => "alipay.trade.fastpay.refund.query",
            Call::BillUrl => "alipay.data.dataservice.bill.downloadurl.query",
            Call::CertificateDownload => "alipay.open.app.alipaycert.download",
        }
    }

    /// The member of the answer that is signed: the method with `.` → `_`, and `_response`.
    #[must_use]
    pub fn answer_member(self) -> String {
        format!("{}_response", self.method().replace('.', "_"))
    }

    /// Whether the call names the address for notices: only the two that start a payment. Later notices about the same
    /// trade, refunds included, go to the same address.
    pub(crate) fn carries_notify_url(self) -> bool {
        match self {
            Call::Precreate | Call::Pay => true,
            Call::Query
            | Call::Close
            | Call::Cancel
            | Call::Refund
            | Call::RefundQuery
            | Call::BillUrl
            | Call::CertificateDownload => false,
        }
    }
}
