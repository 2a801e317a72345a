//! The buyer: a phone that scans and pays at the sandbox.

use yidan_payment::Payment;
use yidan_sandbox::{BuyerRefusal, PayResult, Sandbox, ScanResult};

/// A person with a phone.
#[derive(Clone)]
pub struct Buyer {
    pub(crate) sandbox: Sandbox,
    pub(crate) name: &'static str,
}

impl Buyer {
    /// Scans the newest code of a payment.
    ///
    /// # Errors
    /// What the phone shows.
    pub fn scans(&self, payment: &Payment) -> Result<ScanResult, BuyerRefusal> {
        let code = self.sandbox.latest_qr(payment.out_trade_no.as_str()).ok_or(BuyerRefusal::UnknownCode)?;
        self.sandbox.scan(&code, self.name)
    }

    /// Pays what was scanned.
    ///
    /// # Errors
    /// What the phone shows.
    pub fn pays(&self, payment: &Payment) -> Result<PayResult, BuyerRefusal> {
        self.sandbox.pay(payment.out_trade_no.as_str(), self.name)
    }

    /// Scans and pays.
    pub fn scans_and_pays(&self, payment: &Payment) {
        self.scans(payment).expect("the phone can scan");
        self.pays(payment).expect("the phone can pay");
    }
}
