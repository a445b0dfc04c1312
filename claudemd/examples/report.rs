//! Prints what an agent would load in a directory, and what a file in it would bring.
//!
//! ```text
//! cargo run --example report -- ~/my/project src/main.rs
//! ```

use std::path::PathBuf;

use claudemd::{Operation, Options, Roots, Session, Switches};

#[expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a program for the terminal asks its process and prints"
)]
fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let directory = arguments.next().map_or(PathBuf::from("."), PathBuf::from);
    let mut roots = Roots::new(std::path::absolute(directory)?);
    if let Some(home) = std::env::home_dir() {
        roots = roots.home(home);
    }
    let switches = Switches::from_lookup(|name| std::env::var_os(name));
    let mut session = Session::load(&roots, &Options::default().switches(switches));
    println!("{}", session.report());
    for path in arguments {
        let path = PathBuf::from(path);
        for rule in session.rules_for(&path) {
            println!("{} matches {}", rule.globs.join(", "), path.display());
        }
        for file in session.for_path(&path, Operation::Read) {
            println!("{} brings {}", path.display(), file.path.display());
        }
    }
    if session.is_stale() {
        println!("something changed meanwhile");
    }
    Ok(())
}
