//! A gateway that answers like Alipay and fails like the world: for tests, demos and any Alipay integrator.
//!
//! A *session* (a code made by `precreate`) is not a *trade* (made by the buyer's scan). The ledger file is the truth
//! about money: charges are counted from it and it survives SIGKILL. It shares no type, signer or constant with any
//! client, so that an error in one is not repeated in the other. Absent on purpose: the V3 REST protocol.

mod answer;
mod bill_account;
mod bill_file;
mod bill_period;
mod bill_trade;
mod biz;
mod buyer;
mod calls;
mod certificate;
mod charset;
mod clock;
mod config;
mod control;
mod damage;
mod fault;
mod gateway;
mod keys;
mod ledger;
mod money;
mod notice;
mod notify;
mod phone;
mod platform;
mod request;
mod sandbox;
mod serve;
mod signature;
mod views;

pub use buyer::{BuyerRefusal, PayResult, ScanResult};
pub use config::{
    CloseBeforeScan, CloseOfClosed, Config, EmptyBill, GatewayErrors, NoticeCertSn, RefuseReuse, Settings, TimeoutFrom,
};
pub use fault::{Fault, FaultKind};
pub use keys::{Keys, KeysError};
pub use ledger::{CodeOutcome, NoticeView, TradeStatus};
pub use sandbox::{Sandbox, StartError, start};
pub use views::{SessionView, TradeView};
