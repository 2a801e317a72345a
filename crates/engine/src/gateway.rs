//! The seam to a payment channel. Every method may be called again: it is the number that makes it one payment.

use futures_util::future::LocalBoxFuture;
use yidan_payment::{Account, GatewayError, OutTradeNo, PrecreateOrder, Statement};

/// A verified statement, or why there is none.
pub type Answer<'a> = LocalBoxFuture<'a, Result<Statement, GatewayError>>;

/// What the engine needs of a payment channel. Only verified statements come back as `Ok`.
pub trait Gateway {
    /// Whose answers these are.
    fn account(&self) -> Account;
    /// The exact text to send for an order. Pure: it is written down before it is sent.
    fn precreate_body(&self, order: &PrecreateOrder) -> String;
    /// Registers an order and asks for a code. The same text may be sent again.
    fn precreate<'a>(&'a self, out_trade_no: &'a OutTradeNo, body: &'a str) -> Answer<'a>;
    /// Asks for the trade.
    fn query<'a>(&'a self, out_trade_no: &'a OutTradeNo) -> Answer<'a>;
    /// Asks to close the trade. Never moves money.
    fn close<'a>(&'a self, out_trade_no: &'a OutTradeNo) -> Answer<'a>;
}

impl Gateway for yidan_alipay::Client {
    fn account(&self) -> Account {
        yidan_alipay::Client::account(self)
    }

    fn precreate_body(&self, order: &PrecreateOrder) -> String {
        yidan_alipay::Client::precreate_body(self, order)
    }

    fn precreate<'a>(&'a self, out_trade_no: &'a OutTradeNo, body: &'a str) -> Answer<'a> {
        Box::pin(yidan_alipay::Client::precreate(self, out_trade_no, body))
    }

    fn query<'a>(&'a self, out_trade_no: &'a OutTradeNo) -> Answer<'a> {
        Box::pin(yidan_alipay::Client::query(self, out_trade_no))
    }

    fn close<'a>(&'a self, out_trade_no: &'a OutTradeNo) -> Answer<'a> {
        Box::pin(yidan_alipay::Client::close(self, out_trade_no))
    }
}
