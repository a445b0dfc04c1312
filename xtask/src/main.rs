//! The workspace's own commands; `cargo xtask help` lists them.
#![allow(
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "this is the one program here: it speaks, reads the clock, and starts processes"
)]

/// A line on standard output.
macro_rules! say {
    ($($text:tt)*) => { $crate::tell(&format!("{}\n", format_args!($($text)*))) };
}

mod agent;
mod bench;
mod bench_recall;
mod check;
mod conform;
mod dream;
mod e2e;
mod matrix;
mod scratch;
mod server;
mod show;
mod soak;
mod text;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Errors of commands are for a person to read once, at the top.
type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

const HELP: &str = "\
cargo xtask COMMAND

  e2e                    eight days in the life of an agent's memory, on a real repository; then
                         chapters on instructions, recall and a session of 300 turns, and two
                         weeks of a complete agent (--json, --report FILE.html, --only CHAPTER:
                         days, instructions, recall, conversation, weeks)
  dream [--dry-run]      puts the memory of your own project in order, with a model
                         (dream runs, dream undo; dream --help)
  show WHAT              what the crates see in your own project, read-only
                         (paths | index | memories | prompt | claudemd [FILE] |
                         recall QUERY | gates | window FILE | compact FILE; --cwd DIR,
                         --home DIR, --window TOKENS, --json)
  conform FILE...        run the conformance vectors of the format
                         (--json, --crate NAME, --verbose, --no-make)
                         The vectors hold shell lines (\"make\"), which run in a temporary
                         directory with a clean environment; --no-make leaves those cases out.
  bench                  every bench beside its floor, the median of several runs in one table
                         (--runs N, --only NAME, --json)
  bench recall           how good recall is without a model, on the project's own set or on
                         --data DIR with files of the same form; --floor PERCENT to try another
                         one, --out FILE for the picks
  tidy                   the rules of ARCHITECTURE.md that a program can check
  matrix                 every feature combination of every crate, one line each
  scratch                uses each crate from its packed archive, alone, by its README
  soak [WHAT]            the long runs: lock (64 processes and 64 threads ask for the lock of a
                         consolidation together), disk (one that is full), dream and writers
                         (each killed at random instants), story (10,000 turns of the small
                         agent with a service that fails), all of them unless one is named
                         (--kills N, --rounds N, --racers N, --turns N)
  serve                  a strict Messages API on loopback, for trying things by hand
                         (--address HOST:PORT, --window TOKENS)
  help                   this text; COMMAND --help is the part about one command
";

/// What the text says about one command.
fn help(command: &str) -> String {
    let mut is_about = false;
    let lines = HELP.lines().filter(|line| {
        if let Some(entry) = line.strip_prefix("  ").filter(|it| !it.starts_with(' ')) {
            is_about = entry.split(' ').next() == Some(command);
        }
        is_about
    });
    lines.fold(String::new(), |text, line| text + line + "\n")
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rest = args.get(1..).unwrap_or_default();
    let asks = [rest.first(), rest.last()]
        .into_iter()
        .flatten()
        .any(|arg| arg == "--help" || arg == "-h");
    let outcome = match args.first().map(String::as_str) {
        // `dream` has a longer one of its own.
        Some(command) if asks && command != "dream" && !help(command).is_empty() => {
            tell(&help(command));
            Ok(ExitCode::SUCCESS)
        }
        Some("e2e") => e2e::run(rest),
        Some("show") => show::run(rest),
        Some(e2e::WRITER) => e2e::run_writer(rest),
        Some(e2e::PART) => e2e::run_part(rest),
        Some("conform") => conform::run(rest),
        Some("matrix") => matrix::run(rest),
        Some("bench") => bench::run(rest),
        Some("dream") => dream::run(rest),
        Some("soak") => soak::run(rest),
        Some(soak::RACER) => soak::run_racer(rest),
        Some("scratch") => scratch::run(rest),
        Some("serve") => server::run(rest),
        Some("tidy") => tidy::run(&workspace_root()),
        Some("help" | "--help" | "-h") | None => {
            tell(HELP);
            Ok(ExitCode::SUCCESS)
        }
        Some(other) => Err(format!("no command `{other}`; `cargo xtask help` lists them").into()),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("xtask: {error}");
        ExitCode::from(2)
    })
}

/// Text on standard output. Whoever reads it may stop reading (`| head`); that is no error.
fn tell(text: &str) {
    use std::io::Write as _;
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// The folder of the virtual manifest: xtask's own folder has it as parent.
fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap_or_else(|_| ".".into())
}
