//! The proof of what a payment may become: the table cell by cell, its laws, random worlds, refunds and amounts.

#![cfg(test)]

mod amounts;
mod laws;
mod matrix;
mod matrix_end;
mod reconcile;
mod refund_life;
mod refunds;
mod start;
mod table;
mod truth;
mod words;
mod worlds;
