//! `cargo xtask show`, as a person runs it, on a home made for the test.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

struct Person {
    dir: TempDir,
}

impl Person {
    fn new() -> Person {
        let person = Person {
            dir: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(person.memory()).unwrap();
        fs::create_dir_all(person.project().join(".git")).unwrap();
        person.write(
            "user_role.md",
            "---\nname: role\ndescription: ten years of Go\ntype: user\n---\n\nGo.\n",
        );
        person.write("MEMORY.md", "- [role](user_role.md) — ten years of Go\n");
        person
    }

    fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    fn project(&self) -> PathBuf {
        self.root().join("app")
    }

    fn memory(&self) -> PathBuf {
        let slug: String = self
            .project()
            .to_string_lossy()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        self.root()
            .join("home/.claude/projects")
            .join(slug)
            .join("memory")
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.memory().join(name), text).unwrap();
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "runs the command as a person does"
    )]
    fn show(&self, args: &[&str]) -> Output {
        let before = tree(&self.root());
        let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .arg("show")
            .args(args)
            .arg("--cwd")
            .arg(self.project())
            .arg("--home")
            .arg(self.root().join("home"))
            .output()
            .unwrap();
        assert_eq!(before, tree(&self.root()), "show wrote something");
        output
    }
}

/// Every file with its content, every folder.
fn tree(root: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path.clone());
            }
            found.push((path.clone(), fs::read(&path).ok()));
        }
    }
    found.sort();
    found
}

#[track_caller]
fn text(output: &Output) -> String {
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn paths_name_the_directory_and_why() {
    let person = Person::new();
    let output = person.show(&["paths"]);
    let shown = text(&output);
    assert!(
        shown.contains(&format!("memory       {}/\n", person.memory().display())),
        "{shown}"
    );
    assert!(shown.contains("exists       yes\n"), "{shown}");
    assert!(output.status.success());
    let value: Value = serde_json::from_str(&text(&person.show(&["paths", "--json"]))).unwrap();
    assert_eq!(
        value["dir"].as_str().map(Path::new),
        Some(&*person.memory())
    );
}

#[test]
fn index_shows_what_loads_and_fails_on_faults() {
    let person = Person::new();
    let output = person.show(&["index"]);
    assert!(text(&output).contains("check: 1 memories, 1 entries, 0 faults\n"));
    assert_eq!(output.status.code(), Some(0));
    person.write(
        "orphan.md",
        "---\nname: o\ndescription: d\ntype: user\n---\n",
    );
    let output = person.show(&["index"]);
    assert!(
        text(&output).contains("fault: orphan.md"),
        "{}",
        text(&output)
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn memories_fit_a_terminal() {
    let person = Person::new();
    let long = "很长的描述".repeat(30);
    person.write(
        "feedback_长.md",
        &format!("---\nname: l\ndescription: {long}\ntype: feedback\n---\n"),
    );
    let output = person.show(&["memories"]);
    let shown = text(&output);
    let rows: Vec<&str> = shown
        .lines()
        .filter(|line| line.starts_with("feedback"))
        .collect();
    assert_eq!(rows.len(), 1, "{shown}");
    let columns: usize = rows[0]
        .chars()
        .map(|c| if c > '\u{2e00}' { 2 } else { 1 })
        .sum();
    assert!(columns <= 80, "{columns}: {}", rows[0]);
    assert!(shown.contains("today"), "{shown}");
    assert!(shown.ends_with("2 memories, 1 fault\n"), "{shown}");
}

#[test]
fn prompt_shows_instructions_and_context() {
    let person = Person::new();
    let shown = text(&person.show(&["prompt"]));
    assert!(shown.starts_with("# auto memory\n"), "{shown}");
    assert!(shown.contains("--- user context ---"), "{shown}");
    assert!(
        shown.contains("- [role](user_role.md) — ten years of Go"),
        "{shown}"
    );
}

#[test]
fn gates_say_which_one_is_closed_and_when_to_ask_again() {
    let person = Person::new();
    let home = person.root().join("home/.claude");
    let shown = text(&person.show(&["gates"]));
    assert!(
        shown
            .contains("verdict     closed, off: neither the setting autoDreamEnabled nor the flag"),
        "{shown}"
    );
    fs::write(home.join("settings.json"), r#"{"autoDreamEnabled": true}"#).unwrap();
    let transcripts = person.memory().parent().unwrap().to_owned();
    for n in 0..6 {
        fs::write(transcripts.join(format!("session-{n}.jsonl")), "{}\n").unwrap();
    }
    // What a cloned repository says about it does not count.
    fs::create_dir_all(person.project().join(".claude")).unwrap();
    fs::write(
        person.project().join(".claude/settings.json"),
        r#"{"autoDreamEnabled": false}"#,
    )
    .unwrap();
    let shown = text(&person.show(&["gates"]));
    assert!(
        shown.contains("enabled     on, decided by the setting autoDreamEnabled"),
        "{shown}"
    );
    assert!(
        shown.contains("last        never (every 24 h at most)"),
        "{shown}"
    );
    assert!(shown.contains("6 of 5 since then: session-"), "{shown}");
    assert!(shown.contains("verdict     all gates are open"), "{shown}");
    assert!(
        shown.lines().all(|line| line.chars().count() <= 80),
        "{shown}"
    );
    fs::write(person.memory().join(".consolidate-lock"), "").unwrap();
    let shown = text(&person.show(&["gates"]));
    assert!(shown.contains("verdict     closed, too soon: "), "{shown}");
    assert!(shown.contains("; ask again at "), "{shown}");
}

/// A transcript of many reads, the last line of which is cut off.
fn transcript(person: &Person, turns: u64) -> PathBuf {
    let mut lines = Vec::new();
    let mut add = |kind: &str, message: Value| {
        let parent = lines.len().checked_sub(1).map(|n: usize| format!("u{n}"));
        let line = serde_json::json!({
            "type": kind, "uuid": format!("u{}", lines.len()), "parentUuid": parent,
            "isSidechain": false, "sessionId": "s", "timestamp": "2026-11-30T10:00:00.000Z",
            "message": message,
        });
        lines.push(line.to_string());
    };
    add(
        "user",
        serde_json::json!({ "role": "user", "content": "Why does the build fail?" }),
    );
    for turn in 0..turns {
        let id = format!("toolu_{turn}");
        add(
            "assistant",
            serde_json::json!({
                "id": format!("msg_{turn}"), "role": "assistant", "model": "m",
                "content": [
                    { "type": "text", "text": "Let me look." },
                    { "type": "tool_use", "id": id, "name": "Read", "input": { "file_path": "/a" } },
                ],
                "usage": { "input_tokens": 5_000 + turn * 1_000, "output_tokens": 80 },
            }),
        );
        add(
            "user",
            serde_json::json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": id, "content": "fn main() {}\n".repeat(300) },
        ] }),
        );
    }
    let path = person.root().join("session.jsonl");
    fs::write(&path, lines.join("\n") + "\n{\"type\": \"us").unwrap();
    path
}

#[test]
fn window_says_how_full_it_is_and_what_follows() {
    let person = Person::new();
    let path = transcript(&person, 100);
    let shown = text(&person.show(&["window", &path.to_string_lossy()]));
    assert!(shown.contains("201 that live, never compacted"), "{shown}");
    assert!(shown.contains("an API would take them"), "{shown}");
    assert!(
        shown.contains("line 202: the last line is not finished"),
        "{shown}"
    );
    assert!(shown.contains("compaction at"), "{shown}");
    assert!(shown.contains("verdict     wait: "), "{shown}");
    let small = text(&person.show(&["window", &path.to_string_lossy(), "--window", "130000"]));
    assert!(
        small.contains("verdict     compact: the threshold is reached"),
        "{small}"
    );
    assert!(
        small
            .lines()
            .all(|line| line.chars().count() <= 80 || line.contains(" /")),
        "{small}"
    );
}

#[test]
fn compact_says_what_would_be_kept_and_from_what() {
    let person = Person::new();
    let path = transcript(&person, 100);
    let shown = text(&person.show(&["compact", &path.to_string_lossy(), "--window", "130000"]));
    assert!(shown.contains("to 201 of 201"), "{shown}");
    assert!(
        shown.contains("not from notes: there are no notes"),
        "{shown}"
    );
    let notes = person.root().join("session/session-memory");
    fs::create_dir_all(&notes).unwrap();
    fs::write(
        notes.join("summary.md"),
        "# Current State\n\nThe linker needs zlib.\n",
    )
    .unwrap();
    let shown = text(&person.show(&["compact", &path.to_string_lossy(), "--window", "130000"]));
    assert!(shown.contains("messages go, "), "{shown}");
    let missing = person.show(&["compact", "none.jsonl"]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn nothing_is_made_for_a_project_without_memory() {
    let person = Person::new();
    fs::remove_dir_all(person.root().join("home")).unwrap();
    let output = person.show(&["memories"]);
    assert!(text(&output).ends_with("0 memories, 0 faults\n"));
}

#[test]
fn unknown_words_are_refused() {
    let person = Person::new();
    for args in [&["everything"][..], &["paths", "index"], &["--loud"], &[]] {
        assert_eq!(person.show(args).status.code(), Some(2), "{args:?}");
    }
}
