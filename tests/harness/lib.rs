//! A whole shop in one process: a counter with the real engine and real files, a real sandbox and a real headquarters over
//! real HTTP, a buyer with a phone, and a clock to turn.
//!
//! Nothing waits for wall-clock time: turn the clock and everything that is due happens before the call returns.

mod alipay;
mod clock;
mod headquarters;
pub mod kill;
mod people;
pub mod programs;
mod shop;
mod till;

pub use alipay::Buyer;
pub use clock::ShopClock;
pub use headquarters::Headquarters;
pub use people::{CASHIER_PIN, MANAGER_PIN, approve, manager, new_request};
pub use shop::{Shop, ShopBuilder, hours, minutes, seconds, yuan};
pub use till::{Till, draft};
pub use yidan_sandbox::{CloseBeforeScan, Fault, FaultKind, Sandbox};
