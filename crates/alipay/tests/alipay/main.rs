//! The client against real HTTP, real keys, and every public vector and case that concerns it.

#![expect(clippy::unwrap_used, reason = "a test stops at the first thing it cannot read")]

mod answers;
mod bills;
mod certificates;
mod client;
mod fixtures;
mod fuzz;
mod keys;
mod money_and_time;
mod notices;
mod properties;
mod self_test;
mod states;
mod vectors;
