//! Tells cargo that a new migration or a new console means a new program.

use std::io::Write as _;

const CONSOLE: &str = "../../ui/dist-hq";

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "cargo:rerun-if-changed=../../migrations/hq")?;
    // A debug build reads the console from its folder, but only from one that was there when it was compiled: a clone that
    // is compiled before its pages are built must find them afterwards.
    std::fs::create_dir_all(CONSOLE)?;
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        writeln!(out, "cargo:rerun-if-changed={CONSOLE}")?;
    }
    writeln!(out, "cargo:rerun-if-changed=build.rs")
}
