//! Headquarters over real HTTP on a real database, as terminals and people meet it.

#![expect(clippy::unwrap_used, reason = "what a story needs and does not get ends the story")]

mod claims;
mod evidence;
mod exported;
mod house;
mod ingest;
mod notices;
mod people;
mod program;
mod stream;
mod till;
