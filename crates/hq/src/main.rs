//! The `yidan-hq` program.
fn main() {}
