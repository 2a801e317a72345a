//! What headquarters decides about what a terminal reports. Pure: no clock, no database, no network, so that a
//! simulation can run the same decisions over tables in memory.
//!
//! [`chain`] decides whether lines may be stored; [`money`] decides what they may count; [`route`] whose a notice is, and [`claim`] whose a bill;
//! [`resume`] where a terminal's stream goes on.

pub mod chain;
pub mod claim;
pub mod money;
#[cfg(test)]
mod money_tests;
mod proof;
pub mod resume;
pub mod route;
