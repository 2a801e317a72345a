//! The fault simulation: the real engine, the real table, the real SQLite and headquarters' real decisions, on a
//! simulated clock, disk, network, gateway and cashier, all from one seed.
//!
//! Must always hold: the same seed gives the same run on every build. Nothing here asks for the time or for chance.
//! Begin with `world.rs`; what is checked stands in `checks.rs`.

mod bills;
pub mod bugs;
mod chance;
mod channel;
mod checks;
mod customer;
mod day_bill;
/// The very decisions of headquarters, without its server: planted bugs are built again and again, and must be built fast.
#[path = "../../crates/hq/src/decide/mod.rs"]
pub mod decide;
mod disk;
mod events;
mod faults;
mod gateway;
mod headquarters;
mod lies;
mod locks;
mod machine;
mod network;
mod notices;
mod phone_codes;
mod power;
mod pushes;
mod refunding;
mod reporting;
mod restore;
mod returns;
mod seal;
mod seeds;
mod settling;
mod shop;
mod stream;
#[cfg(test)]
mod tests;
mod till;
mod vfs;
mod wire;
mod world;

pub use disk::Lie;
pub use faults::Counts;
pub use seeds::{ORDERS_PER_SEED, Summary, play_all, play_one};
pub use world::{Play, Told, Violation, play};
