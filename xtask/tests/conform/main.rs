//! The conformance runner, run as a person runs it: on the suite, and on vectors made by hand.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod instructions;
mod later;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

#[expect(
    clippy::disallowed_methods,
    reason = "runs the command as a person does"
)]
fn conform(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("conform")
        .args(args)
        .output()
        .unwrap()
}

fn suite(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/conform")
        .join(name);
    path.to_string_lossy().into_owned()
}

struct File {
    _dir: tempfile::TempDir,
    path: PathBuf,
}

fn file(content: &str) -> File {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("vectors.json");
    std::fs::write(&path, content).unwrap();
    File { _dir: dir, path }
}

fn json_of(cases: &Value) -> (Value, Option<i32>) {
    let file = file(&cases.to_string());
    let output = conform(&["--json", &file.path.to_string_lossy()]);
    let text = String::from_utf8(output.stdout).unwrap();
    (
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("no JSON: {text}")),
        output.status.code(),
    )
}

/// One vector, its result, and the exit code that follows from it.
#[track_caller]
fn check(case: Value, result: &str) -> Value {
    let (report, code) = json_of(&json!([case]));
    let got = report["cases"][0].clone();
    assert_eq!(got["result"], result, "{got:#}");
    assert_eq!(code, Some(i32::from(result == "failed")), "{got:#}");
    assert_eq!(report["totals"][result], 1);
    got
}

fn interop(krate: &str, setup: Value, observed: Value) -> Value {
    json!({ "id": "case", "crate": krate, "setup": setup, "observed": observed })
}

fn peer(krate: &str, kind: &str, stance: &str, input: Value, expected: Value) -> Value {
    json!({
        "id": "p", "crate": krate, "kind": kind, "stance": stance,
        "input": input, "expected": expected,
    })
}

#[test]
fn the_whole_suite_holds() {
    let output = conform(&["--json", &suite("interop.json"), &suite("peer.json")]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{:#}", report["totals"]);
    assert_eq!(report["totals"]["failed"], 0);
    // The kinds of the built crates are run, not waved through: what is not run has one of the
    // reasons that the contract foresees.
    let passed = report["totals"]["passed"].as_u64().unwrap();
    assert!(passed >= 500, "only {passed} passed");
    let foreseen = [
        "make: exit status: 128",
        "arguments --bare and --add-dir together",
        "no tool_calls",
        "the state of an earlier process, which the setup lacks",
    ];
    let built = [
        "slug", "switch", "inject", "note", "load", "rule", "nested", "memo", "auto", "write",
    ];
    for case in report["cases"].as_array().unwrap() {
        let reason = case["reason"].as_str().unwrap_or_default();
        let run = built.contains(&case["kind"].as_str().unwrap());
        let words = ["memdir-", "claudemd-"];
        let interop = !words
            .iter()
            .any(|word| case["id"].as_str().unwrap().starts_with(word));
        let waved = case["result"] == "unsupported" && run && interop;
        assert!(!waved || foreseen.contains(&reason), "{case:#}");
    }
}

#[test]
fn two_runs_print_the_same_bytes() {
    let args = [
        "--verbose",
        "--crate",
        "memdir-index",
        &suite("interop.json"),
    ];
    let (first, second) = (conform(&args), conform(&args));
    assert!(!first.stdout.is_empty());
    assert_eq!(first.stdout, second.stdout);
}

fn slug_case(observed_slug: &str) -> Value {
    interop(
        "memdir-paths",
        json!({ "files": {}, "env": {}, "cwd": "/x/y/w/case/a_b", "make": ["mkdir a_b"] }),
        json!({
            "real_cwd": "/x/y/w/case/a_b", "transcript_slug": "-x-y-w-case-a-b",
            "memory_slug": observed_slug,
            "memory_dir": format!("/x/y/home/.claude/projects/{observed_slug}/memory/"),
        }),
    )
}

#[test]
fn the_literal_root_may_be_any_path() {
    for literal in ["", "/tmp", "/x/home", "/home"] {
        let slug = format!("{}-w-case-a-b", literal.replace('/', "-"));
        let cwd = format!("{literal}/w/case/a_b");
        let setup = json!({
            "files": {}, "env": { "CLAUDE_CONFIG_DIR": format!("{literal}/home/other") },
            "cwd": cwd, "make": ["mkdir a_b"],
        });
        let observed = json!({
            "real_cwd": cwd, "transcript_slug": slug, "memory_slug": slug,
            "memory_dir": format!("{literal}/home/other/projects/{slug}/memory/"),
        });
        check(interop("memdir-paths", setup, observed), "passed");
    }
}

#[test]
fn slug_vectors_pass_and_fail() {
    check(slug_case("-x-y-w-case-a-b"), "passed");
    let got = check(slug_case("-x-y-w-case-a_b"), "failed");
    assert_eq!(got["fields"][0]["name"], "memory_slug");
    assert_eq!(got["fields"][0]["got"], "-x-y-w-case-a-b");
}

#[test]
fn a_deviation_is_told_apart_from_a_failure() {
    let relative = "git init -q repo && cd repo && git commit -q --allow-empty -m i && \
        git worktree add -q ../wt && echo ../../../../wt/.git > .git/worktrees/wt/gitdir";
    let case = |slug: &str| {
        interop(
            "memdir-paths",
            json!({ "files": {}, "env": {}, "cwd": "/x/w/case/wt", "make": [relative] }),
            json!({
                "real_cwd": "/x/w/case/wt", "transcript_slug": "-x-w-case-wt", "memory_slug": slug,
                "memory_dir": format!("/x/home/.claude/projects/{slug}/memory/"),
            }),
        )
    };
    let got = check(case("-x-w-case-wt"), "differs");
    assert_eq!(got["rule"], "relative-backlink");
    check(case("-x-w-case-repo"), "passed");
    // A rule excuses only the vector's value that it is about, never another one of ours.
    check(
        interop(
            "memdir-paths",
            json!({ "files": {}, "env": {}, "cwd": "/x/w/case/wt", "make": [relative] }),
            json!({
                "real_cwd": "/x/w/case/other", "transcript_slug": "-x-w-case-wt",
                "memory_slug": "-x-w-case-wt",
                "memory_dir": "/x/home/.claude/projects/-x-w-case-wt/memory/",
            }),
        ),
        "failed",
    );
}

#[test]
fn a_make_line_that_fails_makes_a_case_unsupported() {
    let mut case = slug_case("-x-y-w-case-a-b");
    case["setup"]["make"] = json!(["exit 3"]);
    let got = check(case, "unsupported");
    assert!(got["reason"].as_str().unwrap().starts_with("make"), "{got}");
}

#[test]
fn make_can_be_switched_off() {
    let file = file(&json!([slug_case("-x-y-w-case-a-b")]).to_string());
    let output = conform(&["--no-make", "--verbose", &file.path.to_string_lossy()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("unsupported memdir-paths/slug case: make (switched off)"),
        "{text}"
    );
}

#[test]
fn switch_vectors_pass_fail_and_differ() {
    let case = |env: Value, dir: Value, on: bool| {
        interop(
            "memdir-paths",
            json!({ "files": {}, "env": env, "cwd": ".", "args": [] }),
            json!({ "memory_dir": dir, "index_injected": false, "system_section": on }),
        )
    };
    let off = json!({ "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1" });
    let default = json!("~/.claude/projects/{S}case/memory/");
    check(case(json!({}), default.clone(), true), "passed");
    check(case(off.clone(), Value::Null, false), "passed");
    check(case(off, default, true), "failed");
    let empty = json!({ "CLAUDE_CONFIG_DIR": "" });
    let got = check(
        case(empty, json!("{W}/projects/{S}case/memory/"), true),
        "differs",
    );
    assert_eq!(got["rule"], "empty-config-dir");
    let unknown = interop(
        "memdir-paths",
        json!({ "files": {}, "env": {}, "cwd": ".", "args": ["--unheard-of"] }),
        json!({ "memory_dir": null, "index_injected": false, "system_section": false }),
    );
    check(unknown, "unsupported");
}

fn inject_case(content: Value, observed: Value) -> Value {
    let name = "~/.claude/projects/{S}case/memory/MEMORY.md";
    interop(
        "memdir-index",
        json!({ "files": { name: content }, "env": {}, "cwd": "." }),
        observed,
    )
}

#[test]
fn inject_vectors_pass_fail_and_differ() {
    let kept = json!({ "injected": true, "truncated": false, "kept": "- a", "kept_utf16": 3 });
    check(inject_case(json!("- a\n"), kept.clone()), "passed");
    check(inject_case(json!("- b\n"), kept), "failed");
    check(
        inject_case(json!(""), json!({ "injected": false })),
        "passed",
    );
    check(
        inject_case(json!({ "unheard": "of" }), json!({ "injected": false })),
        "unsupported",
    );
    // 12,499 pairs and one unit: the client cuts the last pair in two.
    let pairs = json!({ "segments": [["z", 1], ["😀", 13000]] });
    let cut = json!({
        "injected": true, "truncated": true, "kept_utf16": 25000,
        "notice": { "kind": "bytes", "lines": null, "size": "25.4KB" },
    });
    let got = check(inject_case(pairs, cut), "differs");
    assert_eq!(got["rule"], "char-boundary");
    let link = json!({ "link": "{R}/w/case/t.md" });
    let mut case = inject_case(link, json!({ "injected": true, "truncated": false }));
    case["setup"]["files"]["t.md"] = json!("OUT\n");
    let got = check(case, "differs");
    assert_eq!(got["rule"], "index-link-out");
}

#[test]
fn lines_are_filled_with_the_character_that_fits_the_digest() {
    let lines = json!({
        "lines": 2, "form": "L%05d padded with x to width", "width": 7,
        "final_newline": false, "then": "",
    });
    let observed = |digest: &str| {
        json!({
            "injected": true, "truncated": false, "kept_lines": 2, "kept_sha256": digest,
        })
    };
    // SHA-256 of "L00001\r\nL00002\r" without the white space at its end, made with sha256sum.
    let right = "548b56795e52f9d9bceb5ea6f18912049510ca3c32844ca9a358906d5f011437";
    check(inject_case(lines.clone(), observed(right)), "passed");
    let got = check(
        inject_case(lines, observed(&right.replace('5', "6"))),
        "failed",
    );
    assert_eq!(got["fields"].as_array().unwrap().len(), 1, "{got}");
}

#[test]
fn note_vectors_pass_and_fail() {
    let case = |days: f64, note: bool, shown: Value| {
        let name = "~/.claude/projects/{S}case/memory/a.md";
        let content = json!({ "text": "A\n", "mtime_days_ago": days });
        let placement = if note {
            json!("inside system-reminder tags")
        } else {
            Value::Null
        };
        interop(
            "memdir-age",
            json!({ "files": { name: content }, "env": {}, "cwd": "." }),
            json!({ "note_in_tool_result": note, "days": shown, "placement": placement }),
        )
    };
    check(case(47.2, true, json!(47)), "passed");
    check(case(1.5, false, Value::Null), "passed");
    check(case(1.5, true, json!(1)), "failed");
    let none = interop(
        "memdir-age",
        json!({ "files": {}, "env": {}, "cwd": "." }),
        json!({ "note_in_tool_result": false, "days": null, "placement": null }),
    );
    check(none, "unsupported");
}

#[test]
fn unknown_keys_fail() {
    let mut case = inject_case(json!("- a\n"), json!({ "injected": true, "surprise": 1 }));
    let got = check(case.clone(), "failed");
    assert_eq!(got["fields"][0]["name"], "observed.surprise");
    case["observed"] = json!({ "injected": true });
    case["setup"]["surprise"] = json!(1);
    let got = check(case, "failed");
    assert_eq!(got["fields"][0]["name"], "setup.surprise");
}

#[test]
fn peer_vectors_of_every_kind_pass_and_fail() {
    let pairs: [(&str, Value, Value, Value); 11] = [
        (
            "slug",
            json!({ "paths": ["/a/b", "/a/./b"] }),
            json!({ "same": true }),
            json!({ "same": false }),
        ),
        (
            "git_root",
            json!({ "tree": { "r/.git": "dir" }, "cwd": "r/s" }),
            json!({ "root": "r" }),
            json!({ "root": null }),
        ),
        (
            "worktree",
            json!({ "tree": { "w/.git": "gitdir: ../m/.git/worktrees/w" }, "cwd": "w" }),
            json!({ "root": "m" }),
            json!({ "root": "w" }),
        ),
        (
            "file_name_safety",
            json!({ "name": "../x" }),
            json!({ "accepted": false, "nothing_created": true }),
            json!({ "accepted": true }),
        ),
        (
            "memory_path_safety",
            json!({ "path": "a%2fb.md" }),
            json!({ "accepted": false }),
            json!({ "accepted": true }),
        ),
        (
            "frontmatter",
            json!({ "text": "---\nname: n\n---\nb" }),
            json!({ "name": "n" }),
            json!({ "name": "m" }),
        ),
        (
            "truncate_boundary",
            json!({ "text": "aé", "max_bytes": 2 }),
            json!({ "cut_at": 1 }),
            json!({ "cut_at": 2 }),
        ),
        (
            "missing",
            json!({ "dir_exists": false }),
            json!({ "index": null, "error": null }),
            json!({ "index": "x" }),
        ),
        (
            "hostile_name",
            json!({ "file": "a\nb.md" }),
            json!({ "listed": false }),
            json!({ "listed": true }),
        ),
        (
            "no_description",
            json!({ "description": "" }),
            json!({ "dangling_separator": false }),
            json!({ "dangling_separator": true }),
        ),
        (
            "casing",
            json!({ "file": "MEMORY.md" }),
            json!({ "displayed": "MEMORY.md" }),
            json!({ "displayed": "memory.md" }),
        ),
    ];
    for (at, (kind, input, right, wrong)) in pairs.into_iter().enumerate() {
        let krate = match at {
            0..=4 => "memdir-paths",
            5 => "memdir-types",
            _ => "memdir-index",
        };
        let surprise = json!({ "surprise": 1 });
        check(peer(krate, kind, "adopt", input.clone(), right), "passed");
        check(
            peer(krate, kind, "adopt", input.clone(), wrong.clone()),
            "failed",
        );
        check(
            peer(krate, kind, "decide", input.clone(), wrong),
            "optional",
        );
        check(
            peer(krate, kind, "adopt", input.clone(), surprise.clone()),
            "failed",
        );
        check(
            peer(krate, kind, "decide", input.clone(), surprise.clone()),
            "failed",
        );
        check(
            peer(krate, kind, "adopt", surprise, json!({})),
            "unsupported",
        );
        check(
            peer("compact-sm", kind, "adopt", input, json!({})),
            "unsupported",
        );
    }
}

#[test]
fn peer_vectors_of_recall_pass_and_fail() {
    let pairs: [(&str, Value, Value, Value); 4] = [
        (
            "scan_hidden",
            json!({ "file": ".hidden.md" }),
            json!({ "listed": false }),
            json!({ "listed": true }),
        ),
        (
            "scan_bad",
            json!({ "description": "a: b" }),
            json!({ "description": "a: b" }),
            json!({ "description": "" }),
        ),
        (
            "scan_readonly",
            json!({ "dir_missing": true, "op": "list" }),
            json!({ "directory_created": false }),
            json!({ "directory_created": true }),
        ),
        (
            "multi_paragraph",
            json!({ "stored": "p1\n\np2" }),
            json!({ "recalled": "p1\n\np2" }),
            json!({ "recalled": "p3" }),
        ),
    ];
    for (kind, input, right, wrong) in pairs {
        let surprise = json!({ "surprise": 1 });
        check(
            peer("memdir-recall", kind, "adopt", input.clone(), right),
            "passed",
        );
        check(
            peer("memdir-recall", kind, "adopt", input.clone(), wrong),
            "failed",
        );
        check(
            peer("memdir-recall", kind, "adopt", input, surprise.clone()),
            "failed",
        );
        check(
            peer("memdir-recall", kind, "adopt", surprise, json!({})),
            "unsupported",
        );
    }
}

#[test]
fn a_prompt_contains_what_is_asked_for() {
    let input = json!({ "mode": "standard", "private_path": "/p/MEMORY.md" });
    let case = |text: &str| {
        peer(
            "memdir-index",
            "prompt",
            "adopt",
            input.clone(),
            json!({ "contains": [text] }),
        )
    };
    check(case("/p/MEMORY.md"), "passed");
    check(case("no such words in it"), "failed");
}

#[test]
fn files_that_are_no_vectors_exit_with_2() {
    for content in ["", "[]", "{}", "[1]", "[{\"id\": \"a\"}]"] {
        let file = file(content);
        let output = conform(&[&file.path.to_string_lossy()]);
        assert_eq!(output.status.code(), Some(2), "{content:?}");
        assert!(!output.stderr.is_empty());
    }
    assert_eq!(conform(&["/no/such/file.json"]).status.code(), Some(2));
    assert_eq!(conform(&[]).status.code(), Some(2));
}

#[test]
fn the_report_ends_with_one_line_and_shows_failures() {
    let file = file(&json!([slug_case("wrong")]).to_string());
    let output = conform(&[&file.path.to_string_lossy()]);
    let text = String::from_utf8(output.stdout).unwrap();
    let wanted = "FAIL memdir-paths/slug case memory_slug\n  expected \"wrong\"\n  \
        got      \"-x-y-w-case-a-b\"\n";
    assert!(text.starts_with(wanted), "{text}");
    assert!(
        text.contains("\ncrate        kind passed differs failed optional unsupported\n"),
        "{text}"
    );
    let last = "conform: 1 cases, 0 passed, 0 differs, 1 failed, 0 optional, 0 unsupported\n";
    assert!(text.ends_with(last), "{text}");
}

#[test]
fn a_case_cannot_write_outside_its_root() {
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("x.txt");
    for name in [
        target.to_string_lossy().into_owned(),
        "../../../escaped.txt".to_owned(),
    ] {
        let setup = json!({ "files": { name: "x" }, "env": {}, "cwd": "." });
        check(
            interop("memdir-index", setup, json!({ "injected": false })),
            "unsupported",
        );
    }
    assert!(!target.exists());
}
