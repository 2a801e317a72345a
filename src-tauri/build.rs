//! Runs before the shell is compiled.

fn main() {
    // The window part (tauri_build::build) arrives with the window.
}
