//! What each tool of the runner answers.

use std::fs;
use std::path::Path;

use autodream::{NoShell, Runner, Subagent, SubagentTask, ToolPolicy};
use serde_json::{Value, json};

use super::scripted::{MEMORY, Scripted, call, says, uses};
use super::shell_world::ShellWorld;
use crate::world::now_or_never;

/// What one use of a tool answers, and whether it is an error.
fn use_of(world: &ShellWorld, name: &str, input: &Value) -> (String, bool) {
    let chat = Scripted::new([uses([call(name, input)]), says("Done.")]);
    let policy = ToolPolicy::new(world.roots(), &world.project);
    let runner = Runner::new(chat.clone(), NoShell::new()).result_bytes(4_000);
    now_or_never(runner.run(SubagentTask::new("Go.", policy), &mut |_| {})).unwrap();
    let mut results = chat.results(0);
    assert_eq!(results.len(), 1);
    results.remove(0)
}

#[track_caller]
fn good(world: &ShellWorld, name: &str, input: &Value) -> String {
    let (text, is_error) = use_of(world, name, input);
    assert!(!is_error, "{text}");
    assert!(text.len() < 4_200, "{}", text.len());
    text
}

#[track_caller]
fn bad(world: &ShellWorld, name: &str, input: &Value) -> String {
    let (text, is_error) = use_of(world, name, input);
    assert!(is_error, "{text}");
    text
}

fn memory(world: &ShellWorld, name: &str, text: &[u8]) -> String {
    let path = world.memory.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn read_numbers_lines_and_says_where_to_go_on() {
    let world = ShellWorld::new();
    let file = memory(&world, "r.md", b"one\r\ntwo\n\nfour");
    assert_eq!(
        good(&world, "Read", &json!({"file_path": file})),
        "     1\tone\n     2\ttwo\n     3\t\n     4\tfour\n"
    );
    assert_eq!(
        good(
            &world,
            "Read",
            &json!({"file_path": file, "offset": 2, "limit": "1"})
        ),
        "     2\ttwo\n[more lines follow: go on with offset 3]"
    );
    assert_eq!(
        bad(&world, "Read", &json!({"file_path": file, "offset": 9})),
        "The file has 4 lines, none at 9."
    );
    let empty = memory(&world, "empty.md", b"");
    assert_eq!(
        good(&world, "Read", &json!({"file_path": empty})),
        "[the file is empty]"
    );
}

#[test]
fn read_of_a_large_file_is_bounded_and_goes_on_to_its_end() {
    let world = ShellWorld::new();
    let lines: String = (1..=3_000).map(|n| format!("line {n}\n")).collect();
    let file = memory(&world, "large.md", lines.as_bytes());
    let mut seen = 0;
    let mut offset = 1;
    loop {
        let text = good(
            &world,
            "Read",
            &json!({"file_path": file, "offset": offset}),
        );
        seen += text.matches("\tline ").count();
        match text.rsplit_once("go on with offset ") {
            Some((_, rest)) => offset = rest.trim_end_matches(']').parse().unwrap(),
            None => break,
        }
    }
    assert_eq!(seen, 3_000);
}

#[test]
fn read_of_one_endless_line_or_of_no_text_is_bounded() {
    let world = ShellWorld::new();
    let file = memory(&world, "line.md", "ü".repeat(3 << 20).as_bytes());
    let text = good(&world, "Read", &json!({"file_path": file}));
    assert!(
        text.contains("[line cut off]") || text.contains("[cut off"),
        "{text}"
    );
    let file = memory(&world, "bytes.md", &[0xff, 0, 0xfe, b'\n', 0xc3]);
    assert!(good(&world, "Read", &json!({"file_path": file})).contains('\u{fffd}'));
}

#[test]
fn grep_lists_files_lines_and_counts() {
    let world = ShellWorld::new();
    let a = memory(&world, "g/a.md", "first\nTimeout is 30\nlast\n".as_bytes());
    let b = memory(&world, "g/b.txt", b"timeout\ntimeout\n");
    let base = world.memory.join("g");
    let grep = |more: Value| {
        let mut input = json!({"pattern": "timeout", "path": base});
        input
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        good(&world, "Grep", &input)
    };
    assert_eq!(grep(json!({})), b);
    assert_eq!(grep(json!({"-i": true})), format!("{a}\n{b}"));
    assert_eq!(
        grep(json!({"output_mode": "count", "-i": true})),
        format!("{a}:1\n{b}:2")
    );
    assert_eq!(grep(json!({"glob": "*.md"})), "[no match]");
    assert_eq!(
        grep(json!({"-i": true, "glob": "*.md", "output_mode": "content", "-n": true, "-C": 1})),
        format!("{a}-1-first\n{a}:2:Timeout is 30\n{a}-3-last")
    );
    assert_eq!(
        grep(json!({"output_mode": "content", "head_limit": 1})),
        format!("{b}:timeout\n[more matches: narrow the search]")
    );
    assert_eq!(
        good(&world, "Grep", &json!({"pattern": "^\\w+$", "path": a})),
        a,
        "a single file, and a class of Unicode"
    );
}

#[test]
fn grep_separates_groups_of_lines() {
    let world = ShellWorld::new();
    let file = memory(&world, "g.md", b"x\n1\n2\n3\nx\nx\n4\n");
    let text = good(
        &world,
        "Grep",
        &json!({"pattern": "x", "path": file, "output_mode": "content", "-n": true, "-A": 1}),
    );
    let short = text.replace(&file, "f");
    assert_eq!(short, "f:1:x\nf-2-1\n--\nf:5:x\nf:6:x\nf-7-4");
}

#[test]
fn grep_shows_of_a_transcript_what_is_around_the_match() {
    let world = ShellWorld::new();
    let line = format!(
        "{{\"text\":\"{}the very words{}\"}}\n",
        "ü".repeat(200_000),
        "y".repeat(200_000)
    );
    fs::write(world.transcripts.join("long.jsonl"), line).unwrap();
    let text = good(
        &world,
        "Grep",
        &json!({"pattern": "the very words", "path": world.transcripts, "glob": "long.jsonl", "output_mode": "content"}),
    );
    assert!(
        text.contains("üthe very wordsy") && text.len() < 1_000,
        "{text}"
    );
}

#[test]
fn searches_pass_over_links_hidden_files_and_credentials() {
    let world = ShellWorld::new();
    let base = world.project.join("tree");
    let put = |name: &str| {
        let path = base.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "needle\n").unwrap();
    };
    for name in [
        "seen.txt",
        ".env",
        ".git/config",
        ".hidden",
        "id_rsa",
        "node_modules/x/y.js",
        "target/out.txt",
        "target/CACHEDIR.TAG",
    ] {
        put(name);
    }
    let outside = world.home.join("outside.txt");
    fs::write(&outside, "needle\n").unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&outside, base.join("link.txt")).unwrap();
        std::os::unix::fs::symlink(&world.home, base.join("folder")).unwrap();
    }
    let seen = base.join("seen.txt").display().to_string();
    assert_eq!(
        good(&world, "Grep", &json!({"pattern": "needle", "path": base})),
        seen
    );
    assert_eq!(
        good(&world, "Glob", &json!({"pattern": "**/*", "path": base})),
        format!("{seen}\n")
    );
    let listed = good(&world, "LS", &json!({"path": base}));
    assert_eq!(listed, ".hidden\nnode_modules/\nseen.txt\ntarget/");
}

#[test]
fn an_answer_about_many_files_is_bounded() {
    let world = ShellWorld::new();
    let base = world.project.join("many");
    fs::create_dir(&base).unwrap();
    for n in 0..600 {
        fs::write(base.join(format!("file-with-a-name-{n}.txt")), "needle\n").unwrap();
    }
    let text = good(&world, "Grep", &json!({"pattern": "needle", "path": base}));
    assert!(
        text.ends_with("[more matches: narrow the search]"),
        "{text}"
    );
    let text = good(&world, "Glob", &json!({"pattern": "*.txt", "path": base}));
    assert!(
        text.contains("[cut off: ") || text.contains("[and 400 more]"),
        "{text}"
    );
    good(&world, "LS", &json!({"path": base}));
}

#[test]
fn glob_patterns_are_relative_or_whole_and_the_latest_file_comes_first() {
    let world = ShellWorld::new();
    let a = memory(&world, "x/a.md", b"a");
    let b = memory(&world, "x/y/b.md", b"b");
    let old = std::time::UNIX_EPOCH;
    fs::File::options()
        .write(true)
        .open(&a)
        .unwrap()
        .set_modified(old)
        .unwrap();
    let base = world.memory.join("x");
    let both = format!("{b}\n{a}\n");
    assert_eq!(
        good(&world, "Glob", &json!({"pattern": "**/*.md", "path": base})),
        both
    );
    assert_eq!(
        good(&world, "Glob", &json!({"pattern": "./*.md", "path": base})),
        format!("{a}\n")
    );
    let whole = format!("{}/x/**/*.md", world.memory.display());
    assert_eq!(good(&world, "Glob", &json!({"pattern": whole})), both);
    assert_eq!(
        good(&world, "Glob", &json!({"pattern": a})),
        format!("{a}\n")
    );
    assert_eq!(
        good(&world, "Glob", &json!({"pattern": "*.rs", "path": base})),
        "[no file matches]"
    );
    bad(&world, "Glob", &json!({"pattern": "../*.md", "path": base}));
    bad(&world, "Glob", &json!({"pattern": "/etc/*"}));
}

#[test]
fn an_edit_replaces_exactly_what_it_names() {
    let world = ShellWorld::new();
    let file = memory(&world, "e.md", b"a b a\n");
    let edit = |old: &str, new: &str, all: bool| json!({"file_path": file, "old_string": old, "new_string": new, "replace_all": all});
    let why = bad(&world, "Edit", &edit("a", "c", false));
    assert!(
        why.starts_with("`old_string` is in the file 2 times"),
        "{why}"
    );
    let why = bad(&world, "Edit", &edit("z", "c", false));
    assert!(why.contains("is not in the file"), "{why}");
    bad(&world, "Edit", &edit("", "c", false));
    bad(&world, "Edit", &edit("a", "a", false));
    assert_eq!(fs::read(&file).unwrap(), b"a b a\n");
    assert!(good(&world, "Edit", &edit("a", "c", true)).ends_with("2 replacements"));
    assert!(good(&world, "Edit", &edit("b", "", false)).ends_with("1 replacement"));
    assert_eq!(fs::read(&file).unwrap(), b"c  c\n");
}

#[test]
fn an_edit_of_a_file_with_other_line_ends_keeps_them() {
    let world = ShellWorld::new();
    let file = memory(&world, "crlf.md", b"one\r\ntwo\r\n");
    good(
        &world,
        "Edit",
        &json!({"file_path": file, "old_string": "one\ntwo", "new_string": "1\n2"}),
    );
    assert_eq!(fs::read(&file).unwrap(), b"1\r\n2\r\n");
}

#[test]
fn several_edits_are_made_all_or_none() {
    let world = ShellWorld::new();
    let file = memory(&world, "m.md", b"one two\n");
    let edits = |second: &str| {
        json!({"file_path": file, "edits": [
            {"old_string": "one", "new_string": "1"},
            {"old_string": second, "new_string": "2"},
        ]})
    };
    let why = bad(&world, "MultiEdit", &edits("three"));
    assert!(
        why.starts_with("Edit 2: ") && why.ends_with("None of the edits was made."),
        "{why}"
    );
    assert_eq!(fs::read(&file).unwrap(), b"one two\n");
    // The second sees what the first wrote.
    good(&world, "MultiEdit", &edits("1 two"));
    assert_eq!(fs::read(&file).unwrap(), b"2\n");
}

#[test]
fn bytes_that_are_no_text_are_not_edited() {
    let world = ShellWorld::new();
    let file = memory(&world, "b.md", b"a\xff\n");
    let why = bad(
        &world,
        "Edit",
        &json!({"file_path": file, "old_string": "a", "new_string": "b"}),
    );
    assert!(why.contains("no valid UTF-8"), "{why}");
    assert_eq!(fs::read(&file).unwrap(), b"a\xff\n");
}

#[test]
fn a_file_is_written_whole_with_its_folders_and_keeps_its_mode() {
    let world = ShellWorld::new();
    let file = world.memory.join("new/topic.md");
    let write = json!({"file_path": file, "content": MEMORY});
    good(&world, "Write", &write);
    assert_eq!(fs::read_to_string(&file).unwrap(), MEMORY);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        good(&world, "Write", &write);
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o640
        );
    }
    assert_eq!(leftovers(file.parent().unwrap()), 0);
}

#[test]
fn nothing_larger_than_a_memory_is_written() {
    let world = ShellWorld::new();
    let file = world.memory.join("huge.md");
    let content = "x".repeat((1 << 20) + 1);
    bad(
        &world,
        "Write",
        &json!({"file_path": file, "content": content}),
    );
    assert!(!file.exists());
    let file = memory(&world, "grow.md", "ab".repeat(1_000).as_bytes());
    bad(
        &world,
        "Edit",
        &json!({"file_path": file, "old_string": "a", "new_string": "c".repeat(2_000), "replace_all": true}),
    );
    assert_eq!(fs::metadata(&file).unwrap().len(), 2_000);
}

#[test]
fn what_a_commit_would_refuse_is_refused_while_it_can_be_written_better() {
    let world = ShellWorld::new();
    let file = world.memory.join("user_new.md");
    let write = |content: &str| json!({"file_path": file, "content": content});
    let why = bad(&world, "Write", &write("no frontmatter"));
    assert!(why.contains("frontmatter"), "{why}");
    let secret = format!("AKIA{}", "IOSFODNN7ABCDEFG");
    let why = bad(&world, "Write", &write(&format!("{MEMORY}key: {secret}\n")));
    assert!(
        why.starts_with("Not written: ") && !why.contains(&secret),
        "{why}"
    );
    let why = bad(
        &world,
        "Write",
        &write(&format!("{MEMORY}hid\u{202e}den\n")),
    );
    assert!(why.starts_with("Not written: "), "{why}");
    assert!(!file.exists());
    good(&world, "Write", &write(MEMORY));
    // Emptied is removed, once the run is over.
    good(&world, "Write", &write(""));
    let log = memory(&world, "logs/2026/05/2026-05-28.md", b"- 10:00 a\n");
    let why = bad(
        &world,
        "Edit",
        &json!({"file_path": log, "old_string": "a", "new_string": "b"}),
    );
    assert_eq!(why, "Daily logs are only read.");
}

#[test]
fn what_was_wrong_before_may_be_edited() {
    let world = ShellWorld::new();
    let secret = format!("AKIA{}", "IOSFODNN7ABCDEFG");
    let file = memory(
        &world,
        "old.md",
        format!("no frontmatter, {secret}, old\n").as_bytes(),
    );
    good(
        &world,
        "Edit",
        &json!({"file_path": file, "old_string": "old", "new_string": "new"}),
    );
}

/// Files whose write did not come to an end.
fn leftovers(folder: &Path) -> usize {
    fs::read_dir(folder)
        .unwrap()
        .filter(|entry| {
            entry
                .as_ref()
                .unwrap()
                .file_name()
                .to_string_lossy()
                .starts_with(".write-")
        })
        .count()
}

#[test]
fn line_ends_of_a_file_are_not_doubled_by_a_new_text_that_has_them() {
    let world = ShellWorld::new();
    let file = memory(
        &world,
        "ends.md",
        &[MEMORY.replace('\n', "\r\n").as_bytes(), b"one\r\ntwo\r\n"].concat(),
    );
    let edit = json!({"file_path": file, "old_string": "one\ntwo", "new_string": "1\r\n2\n3"});
    good(&world, "Edit", &edit);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.ends_with("1\r\n2\r\n3\r\n"), "{text:?}");
}

#[test]
fn an_expression_that_is_costly_searches_less_and_says_so() {
    let world = ShellWorld::new();
    let folder = world.project.join("much");
    fs::create_dir(&folder).unwrap();
    for name in ["a", "b", "c"] {
        fs::write(
            folder.join(name),
            format!("{}\n", "z".repeat(99)).repeat(3_000),
        )
        .unwrap();
    }
    let of = |pattern: &str| json!({"pattern": pattern, "path": folder});
    let all = good(&world, "Grep", &of("[ab]c"));
    assert_eq!(all, "[no match]");
    let some = good(&world, "Grep", &of("(?:[ab]{0,90}a[ab]{90}){100}c"));
    assert!(some.ends_with("name a folder or file]"), "{some}");
}
