//! The `yidan-sandbox` program.
fn main() {}
