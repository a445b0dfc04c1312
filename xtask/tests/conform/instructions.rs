//! The kinds of `claudemd`: what is loaded, matched, brought in later, and remembered.

use serde_json::{Value, json};

use crate::{check, interop, peer};

fn instructions(files: Value, observed: Value) -> Value {
    interop(
        "claudemd",
        json!({ "files": files, "env": {}, "cwd": "." }),
        observed,
    )
}

#[test]
fn load_vectors_pass_fail_and_differ() {
    let entry = |name: &str, text: &str| json!({ "path": format!("{{W}}/{name}"), "label": "PROJ", "text": text });
    let own = entry("CLAUDE.md", "Read @a.md, please.");
    let files = json!({ "CLAUDE.md": "Read @a.md, please.\n", "a.md": "A\n" });
    let got = check(
        instructions(files.clone(), json!({ "loaded": [own] })),
        "differs",
    );
    assert_eq!(got["rule"], "import-punctuation");
    let both = json!({ "loaded": [own, entry("a.md", "A")] });
    check(instructions(files.clone(), both), "passed");
    check(instructions(files, json!({ "loaded": [] })), "failed");
    let rules = json!({ ".claude/rules/b.md": "B\n", ".claude/rules/a.md": "A\n" });
    let any_order = json!({
        "loaded": [entry(".claude/rules/b.md", "B"), entry(".claude/rules/a.md", "A")],
        "order_inside_rules_dir_is_readdir_order": true,
    });
    check(instructions(rules, any_order), "passed");
    let mut case = instructions(json!({}), json!({ "loaded": [] }));
    case["setup"]["args"] = json!(["--bare", "--add-dir", "x"]);
    check(case, "unsupported");
}

#[test]
fn rule_vectors_pass_fail_and_differ() {
    let case = |paths: &str, hits: Value, misses: Value| {
        let rule = format!("---\npaths: {paths}\n---\nBODY\n");
        let files = json!({ ".claude/rules/r.md": rule, "*": ["src/a.ts", "src/gen/b.ts"] });
        let observed = json!({
            "unconditional": false, "injected_on_read_of": hits, "not_on_read_of": misses,
        });
        instructions(files, observed)
    };
    let all = json!(["src/a.ts", "src/gen/b.ts"]);
    check(case("'src/**'", all.clone(), json!([])), "passed");
    check(case("'src/**'", json!([]), all.clone()), "failed");
    let got = check(
        case("'src/**, !src/gen/**'", all.clone(), json!([])),
        "differs",
    );
    assert_eq!(got["rule"], "negation");
    check(
        case(
            "'src/**, !src/gen/**'",
            json!(["src/a.ts"]),
            json!(["src/gen/b.ts"]),
        ),
        "passed",
    );
    check(
        instructions(json!({}), json!({ "injected_on_read_of": [] })),
        "unsupported",
    );
}

#[test]
fn nested_vectors_pass_fail_and_differ() {
    let case = |files: Value, startup: Value, steps: Value| {
        let mut case = instructions(
            files,
            json!({ "startup": startup, "injected_after_each_step": steps }),
        );
        case["setup"]["tool_calls"] = json!([["Read", { "file_path": "{W}/s/a.ts" }]]);
        case
    };
    let files = json!({ "s/CLAUDE.md": "S\n", "s/a.ts": "x\n" });
    check(
        case(files.clone(), json!([]), json!([["{W}/s/CLAUDE.md"]])),
        "passed",
    );
    check(
        case(files.clone(), json!([]), json!([["{W}/other.md"]])),
        "failed",
    );
    check(case(files, json!([]), json!([[]])), "unsupported");
    let conditional = json!({
        ".claude/rules/r.md": "---\npaths: '**/*.ts'\n---\nR @../../i.md\n",
        "i.md": "I\n", "s/a.ts": "x\n",
    });
    let steps = json!([["{W}/.claude/rules/r.md"]]);
    let got = check(case(conditional, json!(["{W}/i.md"]), steps), "differs");
    assert_eq!(got["rule"], "conditional-import");
}

#[test]
fn memo_vectors_pass_and_fail() {
    let case = |seen: bool| {
        let mut case = instructions(
            json!({ "CLAUDE.md": "BEFORE" }),
            json!({ "new_text_visible_per_turn[CLAUDE.md]": [[false], [seen]] }),
        );
        case["setup"]["steps"] = json!(["turn 1", "CLAUDE.md := AFTER", "turn 2"]);
        case
    };
    check(case(false), "passed");
    check(case(true), "failed");
}

#[test]
fn peer_vectors_of_instructions_pass_and_fail() {
    let files = json!({ "P.md": "@x.md", "x.md": "X" });
    let pairs: [(&str, Value, Value, Value); 6] = [
        (
            "import",
            json!({ "files": files, "entry": "P.md" }),
            json!({ "imported": ["x.md"], "order": ["P.md", "x.md"] }),
            json!({ "not_imported": ["x.md"] }),
        ),
        (
            "import_parse",
            json!({ "text": "see @a.md" }),
            json!({ "refs": ["a.md"] }),
            json!({ "not_refs": ["a.md"] }),
        ),
        (
            "import_scope",
            json!({ "import_path": "x.md", "base": "/r", "allowed": ["/r"] }),
            json!({ "allowed": true }),
            json!({ "allowed": false }),
        ),
        (
            "nested",
            json!({ "root": "r", "files": ["r/s/M.md"], "touch": "r/s/t.txt" }),
            json!({ "loaded": ["r/s/M.md"] }),
            json!({ "loaded": [] }),
        ),
        (
            "encoding",
            json!({ "bytes_hex": "61ff62" }),
            json!({ "text": "a\u{fffd}b", "warning": true }),
            json!({ "warning": false }),
        ),
        (
            "layering",
            json!({ "user": "U", "files": { "r/A.md": "P" } }),
            json!({ "order": ["U", "P"] }),
            json!({ "order": ["P", "U"] }),
        ),
    ];
    for (kind, input, right, wrong) in pairs {
        let surprise = json!({ "surprise": 1 });
        check(
            peer("claudemd", kind, "adopt", input.clone(), right),
            "passed",
        );
        check(
            peer("claudemd", kind, "adopt", input.clone(), wrong),
            "failed",
        );
        check(
            peer("claudemd", kind, "adopt", input, surprise.clone()),
            "failed",
        );
        check(
            peer("claudemd", kind, "adopt", surprise, json!({})),
            "unsupported",
        );
    }
}
