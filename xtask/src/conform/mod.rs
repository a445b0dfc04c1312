//! `xtask conform`: runs vector files of the format against the crates.
//!
//! The contract (formats, results, deviations, output) is `xtask/fixtures/conform/CONTRACT.md`.

mod autodream;
mod boundary;
mod case;
mod compact;
pub(crate) mod compare;
mod instructions;
mod interop;
pub(crate) mod oracle;
mod peer;
mod recall;
mod report;
mod tree;

use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Duration;

use case::{Body, Case, Outcome};
use serde_json::Value;

use crate::{Result, tell};

/// A case that runs longer has failed.
const MAX_CASE_TIME: Duration = Duration::from_secs(20);

/// What the command line asked for.
#[derive(Default)]
struct Options {
    json: bool,
    verbose: bool,
    no_make: bool,
    crates: Vec<String>,
    files: Vec<String>,
}

pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let options = options(args)?;
    tree::check_surroundings()?;
    let mut cases = Vec::new();
    for file in &options.files {
        cases.extend(case::read(Path::new(file))?);
    }
    if !options.crates.is_empty() {
        cases.retain(|case| options.crates.contains(&case.krate));
    }
    if cases.is_empty() {
        return Err("no case was found".into());
    }
    let mut done = Vec::new();
    for case in cases {
        let outcome = run_alone(&case, options.no_make);
        done.push((case, outcome));
    }
    let text = if options.json {
        report::json(&done)
    } else {
        report::text(&done, options.verbose)
    };
    tell(&text);
    let failed = done
        .iter()
        .any(|(_, outcome)| matches!(outcome, Outcome::Failed(_)));
    Ok(if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn options(args: &[String]) -> Result<Options> {
    let mut options = Options::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--json" => options.json = true,
            "--verbose" => options.verbose = true,
            "--no-make" => options.no_make = true,
            "--crate" => {
                let name = args.next().ok_or("--crate needs the name of a crate")?;
                options.crates.push(name.clone());
            }
            flag if flag.starts_with("--") => return Err(format!("no option `{flag}`").into()),
            file => options.files.push(file.to_owned()),
        }
    }
    if options.files.is_empty() {
        return Err("conform needs at least one vector file".into());
    }
    Ok(options)
}

/// Runs one case in a thread of its own: a panic or a hang fails that case and no other.
fn run_alone(case: &Case, no_make: bool) -> Outcome {
    let (send, receive) = mpsc::channel();
    let owned = case.clone();
    // The default hook prints the panic to stderr in the middle of the report.
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::spawn(move || {
        let outcome = std::panic::catch_unwind(|| run_case(&owned, no_make));
        let outcome = outcome.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Outcome::broken(format!("panic: {}", text.unwrap_or("without a message")))
        });
        // The receiver is gone only if the time is up.
        let _ = send.send(outcome);
    });
    let outcome = receive.recv_timeout(MAX_CASE_TIME);
    let _ = std::panic::take_hook();
    outcome.unwrap_or_else(|_| Outcome::broken(format!("not done after {MAX_CASE_TIME:?}")))
}

fn run_case(case: &Case, no_make: bool) -> Outcome {
    match &case.body {
        Body::Interop { setup, observed } => interop::run(case, setup, observed, no_make),
        Body::Peer {
            kind,
            input,
            expected,
            stance,
        } => peer::run(&case.krate, kind, input, expected, *stance),
    }
}

/// The environment of a case as the crates get it: what the vector says, and the temporary home.
fn env(variables: &HashMap<String, String>, home: &Path, managed: &Path) -> memdir_paths::Env {
    let env = memdir_paths::Env::from_lookup(|name| match variables.get(name) {
        Some(value) => Some(value.into()),
        None if name == "HOME" => Some(home.into()),
        None => None,
    });
    env.managed_dir(managed)
}

/// The keys of an object that are not in `known`.
fn unknown_keys<'a>(value: &'a Value, known: &[&str]) -> Vec<&'a str> {
    let keys = value.as_object().into_iter().flat_map(|map| map.keys());
    keys.map(String::as_str)
        .filter(|key| !known.contains(key))
        .collect()
}
