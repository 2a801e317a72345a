//! What is written down before anything is sent, and the payment that begins with it.
//!
//! Must always hold: a payment begins here and nowhere else, so that its first status stands in this file.

use crate::{Account, Fen, Method, OrderId, OutTradeNo, Payment, PaymentId, SaleId, Status, UtcMs};

/// What is to be collected, how, and under which number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// The payment's name.
    pub pay_id: PaymentId,
    /// What is collected.
    pub order_id: OrderId,
    /// The sale the order belongs to.
    pub sale_id: SaleId,
    /// How the buyer pays.
    pub method: Method,
    /// With which account of the gateway.
    pub account: Account,
    /// Our number, for life.
    pub out_trade_no: OutTradeNo,
    /// What is to be collected.
    pub amount: Fen,
    /// When the intent is written.
    pub created_at: UtcMs,
}

impl Intent {
    /// A payment of which nothing was sent.
    #[must_use]
    pub fn begin(self) -> Payment {
        self.begin_as(Status::Init)
    }

    /// A payment whose records were lost, and whose number the gateway knows: it shows no code and waits for proof.
    #[must_use]
    pub fn begin_again(self) -> Payment {
        self.begin_as(Status::Closing)
    }

    fn begin_as(self, status: Status) -> Payment {
        Payment {
            pay_id: self.pay_id,
            order_id: self.order_id,
            sale_id: self.sale_id,
            method: self.method,
            account: self.account,
            out_trade_no: self.out_trade_no,
            amount: self.amount,
            status,
            trade_no: None,
            trade_seen: false,
            request_body: None,
            qr_code: None,
            body_expires_at: None,
            code_expires_at: None,
            stopped_by: None,
            close_sent_at: None,
            precreated_at: None,
            dead_after: None,
            watch_at: None,
            booked_at: None,
            receipts: Vec::new(),
            refunds: Vec::new(),
            version: 0,
            created_at: self.created_at,
        }
    }
}
