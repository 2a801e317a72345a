//! The `yidan` program.
fn main() {}
