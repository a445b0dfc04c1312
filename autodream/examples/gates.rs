//! The gates of a project's memory, at the end of a turn: `gates MEMORY_DIR [TRANSCRIPTS...]`.
//!
//! Where all are open, the lock is taken and rolled back: nothing is consolidated here.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program, not a library"
)]

use std::time::SystemTime;

use autodream::memdir_paths::MemoryDir;
use autodream::{Config, Flags, Gate, Host, Opening, Process, Settings, Transcripts, enabled};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args_os().skip(1);
    let memory = args.next().ok_or("which memory directory?")?;
    let settings = Settings::default().auto_dream_enabled(true);
    let enabled = enabled(&settings, &Flags::default(), &Host::default());
    let process = Process::current();
    let transcripts = Transcripts::new(args);
    let mut gate = Gate::new(MemoryDir::new(memory), transcripts, Config::default());

    println!("at the start: {:?}", gate.recover(&process)?);
    for turn in 1..=3 {
        match gate.check(SystemTime::now(), &enabled, &process)? {
            Opening::Closed(closed) => println!("after turn {turn}: {closed}"),
            Opening::Open(ticket) => {
                println!(
                    "after turn {turn}: open, {} sessions",
                    ticket.sessions.len()
                );
                ticket.lock.roll_back()?;
            }
        }
    }
    Ok(())
}
