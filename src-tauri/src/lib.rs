//! The desktop shell: composes the counter, forwards, shows. It decides nothing about money.

pub mod cli;
pub mod compose;
pub mod demo;
pub mod enrol;
pub mod local_api;
pub mod setup;
pub mod world;
