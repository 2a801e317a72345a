//! Headquarters over real HTTP on a real database, as terminals and people meet it.

mod evidence;
mod house;
mod ingest;
mod people;
mod till;
