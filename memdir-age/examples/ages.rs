//! Prints the age of each file that is named on the command line, as a memory would be shown.
//!
//! Run it with `cargo run -p memdir-age --example ages -- README.md`.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "an example is a program: it prints and reads the clock"
)]

use std::time::SystemTime;

fn main() -> std::io::Result<()> {
    let now = SystemTime::now();
    for file in std::env::args().skip(1) {
        let modified = std::fs::metadata(&file)?.modified()?;
        let days = memdir_age::age_days(modified, now);
        println!("{file}: {}", memdir_age::age_text(days));
        if let Some(note) = memdir_age::freshness(modified, now) {
            println!("  {note}");
        }
    }
    Ok(())
}
