//! The kinds of `autodream` and `compact-sm`.

use serde_json::{Value, json};

use crate::{check, interop, peer};

#[track_caller]
fn both_ways(krate: &str, kind: &str, input: Value, right: Value, wrong: Value) {
    check(peer(krate, kind, "adopt", input.clone(), right), "passed");
    check(peer(krate, kind, "adopt", input.clone(), wrong), "failed");
    check(
        peer(
            krate,
            kind,
            "adopt",
            input.clone(),
            json!({ "unheard_of": 1 }),
        ),
        "failed",
    );
    let mut odd = input;
    odd["unheard_of"] = json!(1);
    check(peer(krate, kind, "adopt", odd, json!({})), "unsupported");
}

#[test]
fn lock_vectors_pass_and_fail() {
    for (lock, acquired, holder) in [
        (json!(null), true, json!("self")),
        (
            json!({ "pid": "alive", "age_min": 59 }),
            false,
            json!("other"),
        ),
        (
            json!({ "pid": "alive", "age_min": 61 }),
            true,
            json!("self"),
        ),
        (json!({ "pid": "dead", "age_min": 0 }), true, json!("self")),
    ] {
        let right = json!({ "acquired": acquired, "holder": holder });
        let wrong = json!({ "acquired": !acquired });
        both_ways("autodream", "lock", json!({ "lock": lock }), right, wrong);
    }
    let odd = json!({ "lock": { "pid": "sleeping", "age_min": 1 } });
    check(
        peer("autodream", "lock", "adopt", odd, json!({})),
        "unsupported",
    );
}

#[test]
fn throttle_and_session_vectors_pass_and_fail() {
    for (last, runs) in [(29, false), (30, true)] {
        let input = json!({ "last_run_min": last, "min_interval_min": 30 });
        both_ways(
            "autodream",
            "throttle",
            input,
            json!({ "runs": runs }),
            json!({ "runs": !runs }),
        );
    }
    let right = json!({ "sessions": 0, "error": null });
    both_ways(
        "autodream",
        "sessions",
        json!({ "dir": null }),
        right,
        json!({ "sessions": 1 }),
    );
}

#[test]
fn a_race_is_run_by_real_processes_and_binds() {
    let input = json!({ "two_processes_reclaim_stale": true });
    let case = |winners: u32| {
        peer(
            "autodream",
            "lock_race",
            "differs",
            input.clone(),
            json!({ "winners": winners }),
        )
    };
    check(case(1), "passed");
    check(case(2), "failed");
}

fn auto(env: Value, tokens: u64, compacted: bool) -> Value {
    let setup = json!({
        "files": {}, "cwd": ".", "env": env, "model": "claude-haiku-4-5",
        "reported_usage": { "input_tokens": tokens }, "tool_round_trips_before": 6,
    });
    interop("compact-sm", setup, json!({ "compacted": compacted }))
}

#[test]
fn auto_vectors_pass_fail_and_differ() {
    let window = json!({ "CLAUDE_CODE_AUTO_COMPACT_WINDOW": "150000" });
    check(auto(window.clone(), 118_000, true), "passed");
    check(auto(window.clone(), 116_000, false), "passed");
    check(auto(window.clone(), 116_000, true), "failed");
    // The rule does not excuse what a configured window decides.
    check(auto(window, 118_000, false), "failed");
    let got = check(auto(json!({}), 168_000, false), "differs");
    assert_eq!(got["rule"], "proactive");
    check(auto(json!({}), 166_000, false), "passed");
    check(auto(json!({}), 166_000, true), "differs");
    let share = json!({ "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "50" });
    assert_eq!(
        check(auto(share, 91_000, false), "differs")["rule"],
        "proactive"
    );
    let mut odd = auto(json!({}), 1, false);
    odd["setup"]["model"] = json!(null);
    check(odd, "unsupported");
    let mut odd = auto(json!({}), 1, false);
    odd["setup"]["unheard_of"] = json!(1);
    check(odd, "failed");
}

#[test]
fn threshold_window_and_estimate_vectors_pass_and_fail() {
    let compact = |yes: bool| json!({ "compact": yes });
    for (used, yes) in [(166_999, false), (167_000, true)] {
        let input = json!({ "context": 200_000, "output": 32_000, "used": used });
        both_ways(
            "compact-sm",
            "threshold",
            input,
            compact(yes),
            compact(!yes),
        );
    }
    let parts = json!({ "context": 100_000, "output": 32_000, "input": 60_000, "out": 10_000, "cache_read": 10_000 });
    both_ways(
        "compact-sm",
        "threshold",
        parts,
        compact(true),
        compact(false),
    );
    let kept = |kept: u32| json!({ "kept": kept, "evicted": 9 - kept });
    both_ways(
        "compact-sm",
        "keep_window",
        json!({ "messages": 9, "keep": 3 }),
        kept(3),
        kept(4),
    );
    let tokens = |count: u32| json!({ "tokens": count });
    both_ways(
        "compact-sm",
        "token_estimate",
        json!({ "text": "abcde" }),
        tokens(2),
        tokens(1),
    );
    let input = json!({ "tool_tokens": [500, 600, 700], "protect": 1_500 });
    let cleared = |indices: &[u32]| json!({ "cleared": indices });
    both_ways(
        "compact-sm",
        "micro",
        input,
        cleared(&[0]),
        cleared(&[0, 1]),
    );
}

#[test]
fn shell_vectors_pass_and_fail() {
    let allowed = |yes: bool| json!({ "allowed": yes });
    for (command, yes) in [("ls | wc -l", true), ("ls > out", false), ("rm x", false)] {
        for kind in ["shell_read_only", "shell_gap", "shell_overblock"] {
            let input = json!({ "command": command });
            both_ways("autodream", kind, input, allowed(yes), allowed(!yes));
        }
    }
    let argv = |words: Value| json!({ "argv": words });
    let input = json!({ "script": "rg -n 'a b' -g\"*.py\"" });
    let right = argv(json!([["rg", "-n", "a b", "-g*.py"]]));
    both_ways("autodream", "shell_parse", input, right, argv(json!(null)));
    let input = json!({ "script": "echo ${x}" });
    both_ways(
        "autodream",
        "shell_parse",
        input,
        argv(json!(null)),
        argv(json!([["echo"]])),
    );
}

#[test]
fn write_vectors_pass_and_fail() {
    let case = |path: &str, allowed: bool| {
        let files = json!({ "~/.claude/projects/{S}case/memory/MEMORY.md": "- x\n" });
        let setup = json!({ "files": files, "env": {}, "cwd": "." });
        let path = format!("~/.claude/projects/{{S}}case/memory/{path}");
        interop(
            "autodream",
            setup,
            json!({ "writes": [{ "path": path, "allowed": allowed }] }),
        )
    };
    check(case("new.md", true), "passed");
    check(case("new.md", false), "failed");
    check(case("../out.md", false), "passed");
    let mut odd = case("new.md", true);
    odd["observed"]["writes"][0]["unheard_of"] = json!(1);
    check(odd, "failed");
}

fn boundary(turns: Value, restored: Value) -> Value {
    let files = json!({ "a.txt": "a\n", "b.txt": "b\n", "long.txt": "30000 characters" });
    let setup = json!({
        "files": files, "env": {}, "cwd": ".", "args": [["-p", "/compact"]], "turns": turns,
        "reads_in_order": ["{W}/long.txt", "{W}/a.txt", "{W}/b.txt"],
    });
    let metadata = [
        "cumulativeDroppedTokens",
        "durationMs",
        "postTokens",
        "preTokens",
        "preservedMessages",
        "preservedSegment",
        "trigger",
    ];
    let line = [
        "compactMetadata",
        "content",
        "cwd",
        "isMeta",
        "level",
        "logicalParentUuid",
        "parentUuid",
        "subtype",
        "timestamp",
        "type",
        "uuid",
    ];
    let observed = json!({ "boundaries": [{
        "trigger": "manual", "metadata_fields": metadata, "line_fields": line,
        "kept_messages": 1, "restored": restored,
    }] });
    interop("compact-sm", setup, observed)
}

#[test]
fn boundary_vectors_pass_and_fail() {
    let latest_first = json!([
        ["file", "{W}/b.txt"],
        ["file", "{W}/a.txt"],
        ["compact_file_reference", "{W}/long.txt"],
    ]);
    let other_order = json!([
        ["file", "{W}/a.txt"],
        ["compact_file_reference", "{W}/long.txt"],
        ["file", "{W}/b.txt"],
    ]);
    check(boundary(json!([]), latest_first.clone()), "passed");
    check(boundary(json!([]), other_order.clone()), "failed");
    // In one process the times decide, and without any the order is open.
    check(boundary(json!(["hi", "/compact"]), other_order), "passed");
    check(
        boundary(json!(["hi", "/compact"]), json!([["file", "{W}/a.txt"]])),
        "failed",
    );
    let mut wrong = boundary(json!([]), latest_first.clone());
    wrong["observed"]["boundaries"][0]["trigger"] = json!("auto");
    check(wrong, "failed");
    let mut wrong = boundary(json!([]), latest_first.clone());
    wrong["observed"]["boundaries"][0]["metadata_fields"] = json!(["trigger"]);
    check(wrong, "failed");
    let mut odd = boundary(json!([]), latest_first.clone());
    odd["observed"]["boundaries"][0]["unheard_of"] = json!(1);
    check(odd, "failed");
    let mut odd = boundary(json!([]), latest_first);
    odd["setup"]["files"]["sub/CLAUDE.md"] = json!("x\n");
    check(odd, "unsupported");
}

#[test]
fn answers_are_checked_as_summaries() {
    let failed = json!({ "status": "failed", "history": "unchanged" });
    let compacted = json!({ "status": "compacted" });
    for says in ["", " \n", "{\"tool\":1}", "[1]"] {
        let input = json!({ "summary": says });
        both_ways(
            "compact-sm",
            "result_check",
            input,
            failed.clone(),
            compacted.clone(),
        );
    }
    let input = json!({ "summary": "prose with {\"json\":1} inside" });
    both_ways("compact-sm", "result_check", input, compacted, failed);
}
