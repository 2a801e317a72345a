//! Tells cargo that a new migration or a new console means a new program.

use std::io::Write as _;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "cargo:rerun-if-changed=../../migrations/hq")?;
    // A debug build reads the console from its folder; a folder that is missing would rebuild it every time.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        writeln!(out, "cargo:rerun-if-changed=../../ui/dist-hq")?;
    }
    writeln!(out, "cargo:rerun-if-changed=build.rs")
}
