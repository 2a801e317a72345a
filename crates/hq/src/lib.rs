//! Headquarters: receives the journals of all terminals, proves their money itself, and shows it.
//!
//! Must always hold: what is acknowledged is durable and without a gap; what is counted is proved by Alipay's signature,
//! checked here. Headquarters never changes a payment: its terminal does.
//!
//! [`start`] runs it inside any process; the program `yidan-hq` does nothing else.

mod api;
mod app;
mod cases;
mod catch_up;
mod claims;
mod clock;
mod console;
mod database;
mod decide;
mod enrol;
mod export;
mod given;
mod history;
mod identity;
mod ingest;
mod instructions;
mod live;
mod merchant;
mod notify;
mod payments;
mod problem;
mod project;
mod push;
mod receipts;
mod secret;
mod sign_in;
mod start;
mod terminals;
mod totals;
mod unreported;
mod user;
mod verify;

pub use clock::Clock;
pub use database::{Database, OpenError, url_in};
pub use decide::{chain, claim, money};
pub use enrol::{Code, NewCode, create_code};
pub use export::{ExportError, ExportedLine, export};
pub use merchant::{Merchant, MerchantError};
pub use problem::Problem;
pub use secret::Secret;
pub use start::{Config, Hq, Notices, StartError, start};
pub use user::{MIN_PASSWORD, set_user};
pub use verify::{Unproved, Verified, VerifiedJournal, VerifyError, verify};
