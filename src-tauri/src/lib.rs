//! The desktop shell: composes the counter, forwards, shows. It decides nothing about money.

mod announce;
pub mod check;
mod checks;
pub mod cli;
mod commands;
pub mod compose;
pub mod demo;
pub mod enrol;
pub mod local_api;
pub mod place;
pub mod restore;
mod screen;
mod self_test;
pub mod setup;
mod till;
pub mod view;
mod window;
pub mod world;
