//! The `yidan` program: the counter, with a window or without one.

use std::process::ExitCode;

fn main() -> ExitCode {
    yidan::cli::run()
}
