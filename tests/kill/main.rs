//! `make kill ROUNDS=n`: real SIGKILLs of the real programs, at random and at named points, while customers keep buying.
//!
//! Checked at the end: every intent that was acknowledged is there under the same number, every customer was charged once,
//! and counter, sandbox and headquarters have the same books.

use anyhow::{Result, ensure};
use clap::Parser;
use std::io::Write as _;

/// Kills counter, sandbox and headquarters while customers keep buying, and compares the books in the end.
#[derive(Parser)]
struct Arguments {
    /// How many times a program is killed.
    #[arg(default_value_t = 25)]
    rounds: u32,
    /// When and what is killed; a fresh one if not given.
    seed: Option<u64>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let seed = arguments.seed.unwrap_or_else(rand::random);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let result = runtime.block_on(harness::kill::run(arguments.rounds, seed, |killed| {
        if killed.is_multiple_of(50) {
            // Whoever closed the terminal does not want to be told.
            drop(writeln!(std::io::stderr(), "{killed} of {} rounds", arguments.rounds));
        }
    }))?;
    writeln!(std::io::stdout(), "{result}")?;
    ensure!(result.is_clean(), "lost intents, double charges or different books: replay with seed {seed}");
    Ok(())
}
