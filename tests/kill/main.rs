//! `make kill ROUNDS=n`: real SIGKILLs of the real programs, at random and at named points, while customers keep buying.
//!
//! Checked at the end: every intent that was acknowledged is there under the same number, every customer was charged once,
//! and counter, sandbox and headquarters have the same books.

use anyhow::{Context, Result, ensure};
use std::io::Write as _;

fn main() -> Result<()> {
    let rounds = std::env::args().nth(1).unwrap_or_else(|| "25".into()).parse().context("how many rounds?")?;
    let seed = std::env::args().nth(2).map_or_else(|| Ok(rand::random()), |seed| seed.parse()).context("the seed")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let result = runtime.block_on(harness::kill::run(rounds, seed))?;
    writeln!(std::io::stdout(), "{result}")?;
    ensure!(result.is_clean(), "lost intents, double charges or different books: replay with seed {seed}");
    Ok(())
}
