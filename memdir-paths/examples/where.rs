//! Prints where the memory of a folder lives and how that was decided.
//!
//! `cargo run -p memdir-paths --example where -- [FOLDER]`; without a folder, the current one.
#![expect(clippy::print_stdout, reason = "a program for people")]
#![expect(
    clippy::disallowed_methods,
    reason = "a program may ask for its current directory"
)]

use std::error::Error;
use std::path::PathBuf;

use memdir_paths::{Env, Settings, SettingsOptions, collisions, resolve, transcript_dir};

fn main() -> Result<(), Box<dyn Error>> {
    let cwd = match std::env::args_os().nth(1) {
        Some(folder) => std::path::absolute(PathBuf::from(folder))?,
        None => std::env::current_dir()?,
    };
    let env = Env::from_process();
    let settings = Settings::read(&env, &cwd, &SettingsOptions::default());
    let found = resolve(&env, &settings, &cwd)?;

    println!("memory       {}", found.switch);
    if let (Some(dir), Some(source)) = (&found.dir, found.source) {
        let exists = if dir.exists() {
            "exists"
        } else {
            "does not exist yet"
        };
        println!("directory    {} ({exists})", dir.announced());
        println!("named by     {source}");
        let shared = collisions(dir);
        if shared.is_shared() {
            println!("shared by    {:?}", shared.living);
        }
    }
    println!(
        "root         {} ({})",
        found.root.path.display(),
        found.root.kind
    );
    for note in &found.root.notes {
        println!("note         {note}");
    }
    println!("transcripts  {}", transcript_dir(&env, &cwd)?.display());
    for refused in &found.rejected {
        println!("ignored      {refused}");
    }
    for problem in &found.problems {
        println!("left out     {problem}");
    }
    Ok(())
}
