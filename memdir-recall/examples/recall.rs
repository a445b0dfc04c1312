//! Recalls memories by words: `cargo run --example recall -- DIRECTORY "the user's message"`.
//!
//! Without arguments it makes a small directory of its own and asks that.

#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use std::error::Error;
use std::path::PathBuf;

use memdir_recall::{Options, Query, Recall, SessionBudget, surface};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let example = tempfile::tempdir()?;
    let dir = match arguments.next() {
        Some(dir) => PathBuf::from(dir).canonicalize()?,
        None => {
            let memory = |file: &str, kind: &str, description: &str, body: &str| {
                let text =
                    format!("---\ndescription: {description}\ntype: {kind}\n---\n\n{body}\n");
                std::fs::write(example.path().join(file), text)
            };
            memory(
                "db.md",
                "feedback",
                "Integration tests use a real database",
                "No mocks.",
            )?;
            memory(
                "freeze.md",
                "project",
                "Merge freeze before the release",
                "From Thursday.",
            )?;
            memory(
                "role.md",
                "user",
                "A data scientist, new to Rust",
                "Explain lifetimes.",
            )?;
            example.path().to_owned()
        }
    };
    let message = arguments
        .next()
        .unwrap_or_else(|| "Should I mock the database in this test?".to_owned());

    let recall = Recall::scan(&dir, &Options::default())?;
    for skipped in recall.skipped() {
        println!("left out {skipped}");
    }
    let picked = recall.pick(&Query::new(&message));
    println!("{}\n", picked.receipt);

    let mut budget = SessionBudget::new();
    let surfacing = surface(&dir, &picked.memories, &mut budget, |_| None);
    for attachment in &surfacing.attachments {
        println!("{}\n", attachment.surfaced.text);
    }
    println!("{} bytes left in this session", budget.left());
    Ok(())
}
