//! `cargo xtask dream`, run as a person runs it, against the server of this workspace.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a failed unwrap is a failed test; runs the commands as a person does"
)]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

struct World {
    home: TempDir,
    serve: Child,
    url: String,
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.serve.kill();
        let _ = self.serve.wait();
    }
}

impl World {
    fn new() -> World {
        let mut serve = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(["serve", "--address", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = String::new();
        let said = serve.stdout.take().unwrap();
        BufReader::new(said).read_line(&mut first).unwrap();
        let url = first
            .split([' ', ','])
            .find(|word| word.starts_with("http"))
            .unwrap();
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("project")).unwrap();
        World {
            url: url.to_owned(),
            home,
            serve,
        }
    }

    fn dream(&self, args: &[&str]) -> (String, bool) {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .arg("dream")
            .args(args)
            .args(["--home", self.home.path().to_str().unwrap()])
            .args(["--cwd", self.home.path().join("project").to_str().unwrap()])
            .args(["--url", &self.url, "--model", "claude-demo"])
            .env("ANTHROPIC_API_KEY", "no real key")
            .output()
            .unwrap();
        let mut said = String::from_utf8(output.stdout).unwrap();
        said.push_str(&String::from_utf8(output.stderr).unwrap());
        (said, output.status.success())
    }

    /// The memory directory, with a memory and a line that points at nothing.
    fn cluttered(&self) -> PathBuf {
        let (said, is_good) = self.dream(&["runs"]);
        assert!(is_good, "{said}");
        let projects = self.home.path().join(".claude/projects");
        let project = self.home.path().join("project").canonicalize().unwrap();
        let key: String = project
            .to_str()
            .unwrap()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let memory = projects.join(key).join("memory");
        std::fs::create_dir_all(&memory).unwrap();
        let text =
            "---\nname: build\ndescription: how it is built\ntype: project\n---\n\nWith make.\n";
        std::fs::write(memory.join("project_build.md"), text).unwrap();
        let index =
            "- [build](project_build.md) — how it is built\n- [gone](project_gone.md) — no more\n";
        std::fs::write(memory.join("MEMORY.md"), index).unwrap();
        memory
    }
}

fn contents(dir: &Path) -> BTreeMap<String, String> {
    std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "md"))
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(entry.path()).unwrap())
        })
        .collect()
}

#[test]
fn a_dry_run_shows_a_run_writes_and_an_undo_takes_back() {
    let world = World::new();
    let memory = world.cluttered();
    let before = contents(&memory);

    let (said, is_good) = world.dream(&["--dry-run"]);
    assert!(is_good, "{said}");
    assert!(
        said.contains("- [gone](project_gone.md)") || said.contains("-- [gone]"),
        "{said}"
    );
    assert!(said.contains("nothing was written"), "{said}");
    assert_eq!(contents(&memory), before);

    let (said, is_good) = world.dream(&[]);
    assert!(is_good, "{said}");
    for line in ["dreaming", "Improved 1 file", "To take it back"] {
        assert!(said.contains(line), "{line} is missing in {said}");
    }
    let index = std::fs::read_to_string(memory.join("MEMORY.md")).unwrap();
    assert_eq!(index, "- [build](project_build.md) — how it is built\n");

    // Without anything to do it counts all the same, and says so.
    let (said, is_good) = world.dream(&[]);
    assert!(is_good, "{said}");

    let (runs, _) = world.dream(&["runs"]);
    assert_eq!(runs.lines().count(), 1, "{runs}");
    let (said, is_good) = world.dream(&["undo"]);
    assert!(is_good && said.contains("restored  MEMORY.md"), "{said}");
    assert_eq!(contents(&memory), before);
}

#[test]
fn a_service_that_is_not_there_leaves_the_memory_as_it_was() {
    let mut world = World::new();
    let memory = world.cluttered();
    let before = contents(&memory);
    world.url = "http://127.0.0.1:9".to_owned();
    let (said, is_good) = world.dream(&[]);
    assert!(!is_good && said.contains("failed"), "{said}");
    assert_eq!(contents(&memory), before);
    let lock = memory.join(".consolidate-lock");
    assert!(!lock.exists(), "a run that failed counts");
}
