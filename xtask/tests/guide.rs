//! The guide says what the example is, and the example does what the guide says.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a failed unwrap is a failed test; runs the commands as a person does"
)]

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    root.canonicalize().unwrap()
}

#[test]
fn the_guide_shows_the_example_and_counts_its_lines() {
    let guide = std::fs::read_to_string(root().join("GUIDE.md")).unwrap();
    let example = std::fs::read_to_string(root().join("xtask/examples/memory.rs")).unwrap();
    let shown = guide.split("```rust,no_run\n").nth(1).unwrap();
    let shown = shown.split("```\n").next().unwrap();
    let from = example.find("use std").unwrap();
    assert_eq!(shown, &example[from..], "GUIDE.md shows another program");

    let (mut counted, mut counts) = (0, false);
    for line in shown.lines() {
        counts = match line {
            line if line.starts_with("fn main") => false,
            line if line.starts_with("async fn") || line.starts_with("fn ") => true,
            _ => counts,
        };
        let is_code = !line.trim().is_empty() && !line.trim_start().starts_with("//");
        counted += usize::from(counts && is_code);
    }
    assert!(counted <= 60, "{counted} lines");
    assert!(
        guide.contains(&format!("it has {counted} lines")),
        "{counted} lines"
    );
}

/// The server of the guide, until it is dropped.
struct Serve(Child);

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn what_the_guide_shows_is_what_happens() {
    let mut serve = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["serve", "--address", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let said = serve.stdout.take().unwrap();
    let _serve = Serve(serve);
    BufReader::new(said).read_line(&mut first).unwrap();
    let url = first
        .split(' ')
        .find(|word| word.starts_with("http"))
        .unwrap();
    let url = url.trim_end_matches(',');

    let home = tempfile::tempdir().unwrap();
    let project = home.path().join("project");
    std::fs::create_dir(&project).unwrap();
    let ask = |question: &str| {
        let output = Command::new(env!("CARGO"))
            .args(["run", "--quiet", "--locked", "--example", "memory"])
            .args([
                "--manifest-path",
                concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
            ])
            .args(["--", question])
            .current_dir(&project)
            .env("HOME", home.path())
            .env("CARGO_HOME", cargo_home())
            .env("RUSTUP_HOME", rustup_home())
            .env("ANTHROPIC_BASE_URL", url)
            .env_remove("CLAUDE_CONFIG_DIR")
            .env_remove("CLAUDE_CODE_DISABLE_AUTO_MEMORY")
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(
            output.status.success(),
            "{said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        said
    };
    let guide = std::fs::read_to_string(root().join("GUIDE.md")).unwrap();
    let mut lines = guide
        .lines()
        .skip_while(|line| !line.contains("--example memory -- "));
    for _ in 0..2 {
        let command = lines.next().unwrap();
        let question = command.split('"').nth(1).unwrap();
        assert_eq!(ask(question).trim_end(), lines.next().unwrap());
    }
}

/// Where cargo and rustup are, whatever the home of the agent is.
fn cargo_home() -> std::ffi::OsString {
    std::env::var_os("CARGO_HOME").unwrap_or_else(|| below_home(".cargo"))
}

fn rustup_home() -> std::ffi::OsString {
    std::env::var_os("RUSTUP_HOME").unwrap_or_else(|| below_home(".rustup"))
}

fn below_home(name: &str) -> std::ffi::OsString {
    let home = std::env::var_os("HOME").unwrap_or_default();
    Path::new(&home).join(name).into_os_string()
}

#[test]
fn the_readme_shows_what_compiles() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let example = std::fs::read_to_string(root().join("xtask/examples/readme.rs")).unwrap();
    let unindented: Vec<&str> = example
        .lines()
        .map(|line| line.strip_prefix("    ").unwrap_or(line))
        .collect();
    let snippets: Vec<&str> = readme.split("```rust\n").skip(1).collect();
    assert_eq!(snippets.len(), 8, "one for each crate");
    for snippet in snippets {
        let lines: Vec<&str> = snippet.split("```").next().unwrap().lines().collect();
        assert!((4..=8).contains(&lines.len()), "{lines:#?}");
        let stands = unindented
            .windows(lines.len())
            .any(|window| window == lines);
        assert!(stands, "not in the example: {lines:#?}");
    }
}
