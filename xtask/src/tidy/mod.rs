//! `xtask tidy`: the rules of ARCHITECTURE.md that a program can check.
//!
//! Each rule lives in the file of what it reads: manifests, sources, documents.

mod documents;
pub(crate) mod manifest;
mod sources;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::Result;

/// Everything that may stand at the top level of the repository.
const TOP_LEVEL: [&str; 23] = [
    ".cargo",
    ".ci",
    ".git",
    ".gitignore",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "GUIDE.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "autodream",
    "claudemd",
    "clippy.toml",
    "compact-sm",
    "deny.toml",
    "memdir-age",
    "memdir-index",
    "memdir-paths",
    "memdir-recall",
    "memdir-types",
    "xtask",
];
/// Present in a work tree, or allowed to come later.
const TOP_LEVEL_OPTIONAL: [&str; 2] = ["fuzz", "target"];

/// What is wrong, and where.
pub(crate) struct Findings(pub(crate) Vec<String>);

impl Findings {
    pub(crate) fn add(&mut self, place: impl std::fmt::Display, what: impl std::fmt::Display) {
        self.0.push(format!("{place}: {what}"));
    }
}

pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    let mut findings = Findings(Vec::new());
    top_level(root, &mut findings)?;
    manifest::check(root, &mut findings)?;
    let files = sources::check(root, &mut findings)?;
    documents::check(root, &mut findings)?;
    for finding in &findings.0 {
        say!("{finding}");
    }
    say!("tidy: {files} source files, {} findings", findings.0.len());
    Ok(if findings.0.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn top_level(root: &Path, findings: &mut Findings) -> Result<()> {
    let mut seen = Vec::new();
    for entry in std::fs::read_dir(root)? {
        seen.push(entry?.file_name().to_string_lossy().into_owned());
    }
    seen.sort();
    for name in &seen {
        if !TOP_LEVEL.contains(&name.as_str()) && !TOP_LEVEL_OPTIONAL.contains(&name.as_str()) {
            findings.add(name, "does not belong at the top level");
        }
    }
    for name in TOP_LEVEL {
        // A packed source tree has no `.git`.
        if name != ".git" && !seen.iter().any(|have| have == name) {
            findings.add(name, "is missing at the top level");
        }
    }
    Ok(())
}

/// All files below `dir` that end in `suffix`, sorted, without build output and hidden folders.
pub(crate) fn files_below(dir: &Path, suffix: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(&dir)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.file_type()?.is_dir() {
                if name != "target" && !name.starts_with('.') {
                    open.push(entry.path());
                }
            } else if name.ends_with(suffix) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// `path` as a person in the repository would write it.
pub(crate) fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
}
