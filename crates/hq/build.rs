//! Tells cargo that a new migration or a new console means a new program.

use std::io::Write as _;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "cargo:rerun-if-changed=../../migrations/hq")?;
    writeln!(out, "cargo:rerun-if-changed=build.rs")
}
