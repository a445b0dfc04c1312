//! Which edits of the notes are let through.

use compact_sm::{EditGuard, EditRefused, Gated};
use serde_json::{Value, json};

const PATH: &str = "/c/projects/-p/s/session-memory/summary.md";

fn edit(old: &str, new: &str) -> Value {
    json!({"file_path": PATH, "old_string": old, "new_string": new})
}

fn pass(_: &str) -> Gated {
    Gated::Pass
}

#[test]
fn one_file_may_be_edited_and_nothing_else_done() {
    let guard = EditGuard::new(PATH);
    assert_eq!(guard.judge("Edit", &edit("a", "b")), Ok(()));
    let cases = [
        (
            "Write",
            json!({"file_path": PATH, "content": "x"}),
            EditRefused::OtherTool,
        ),
        ("Bash", json!({"command": "true"}), EditRefused::OtherTool),
        ("edit", edit("a", "b"), EditRefused::OtherTool),
        (
            "Edit",
            json!({"file_path": "/etc/passwd", "old_string": "a", "new_string": "b"}),
            EditRefused::OtherFile,
        ),
        (
            "Edit",
            json!({"file_path": format!("{PATH}/../x"), "old_string": "a", "new_string": "b"}),
            EditRefused::OtherFile,
        ),
        ("Edit", json!({"file_path": [PATH]}), EditRefused::OtherFile),
        (
            "Edit",
            json!({"file_path": PATH, "old_string": "a"}),
            EditRefused::BadInput,
        ),
        ("Edit", edit("", "b"), EditRefused::BadInput),
        ("Edit", edit("a", "a"), EditRefused::BadInput),
        ("Edit", json!([1]), EditRefused::OtherFile),
    ];
    for (tool, input, why) in cases {
        assert_eq!(guard.judge(tool, &input), Err(why), "{tool} {input}");
    }
}

#[test]
fn edits_are_applied_below_the_descriptions_and_nowhere_else() {
    let guard = EditGuard::new(PATH);
    let notes = "# Current State\n_What is next._\nold\n\n# Worklog\n_Steps._\nold step\n";
    let apply = |old: &str, new: &str| guard.apply(notes, "Edit", &edit(old, new), &pass);
    assert!(
        apply("old\n\n", "new\n\n")
            .unwrap()
            .contains("_What is next._\nnew\n")
    );
    assert_eq!(apply("nowhere", "x"), Err(EditRefused::NotFound));
    assert_eq!(apply("old", "x"), Err(EditRefused::NotUnique { times: 2 }));
    for (old, new) in [
        ("# Worklog", "# Work log"),
        ("_Steps._", "_All steps._"),
        ("_Steps._\n", ""),
        ("old step", "old step\n# Extra\n"),
        ("# Current State\n_What is next._\nold\n\n", ""),
    ] {
        assert_eq!(apply(old, new), Err(EditRefused::FormChanged), "{old}");
    }
    let stars = "# Mine\n*what is mine*\nold\n";
    let refused = guard.apply(stars, "Edit", &edit("*what", "*all"), &pass);
    assert_eq!(refused, Err(EditRefused::FormChanged));
    // A comment in a fence is no heading.
    assert!(apply("old step", "```sh\n# comment\nmake\n```").is_ok());
    let all =
        json!({"file_path": PATH, "old_string": "old", "new_string": "new", "replace_all": true});
    assert_eq!(
        guard
            .apply(notes, "Edit", &all, &pass)
            .unwrap()
            .matches("new")
            .count(),
        2
    );
}

#[test]
fn what_the_gate_refuses_leaves_the_old_notes() {
    let guard = EditGuard::new(PATH);
    let notes = "# Workflow\n_Commands._\nmake\n";
    let gate = |text: &str| match text.contains("sk-live") {
        true => Gated::Refuse {
            reason: "a key".to_owned(),
        },
        false => Gated::Pass,
    };
    let refused = guard.apply(notes, "Edit", &edit("make", "make KEY=sk-live-1"), &gate);
    assert_eq!(
        refused,
        Err(EditRefused::Gate {
            reason: "a key".to_owned()
        })
    );
    assert!(
        guard
            .apply(notes, "Edit", &edit("make", "make all"), &gate)
            .is_ok()
    );
}

#[test]
fn an_edit_cannot_blow_the_notes_up() {
    let guard = EditGuard::new(PATH);
    let notes = "a".repeat(100_000);
    let all = json!({"file_path": PATH, "old_string": "a", "new_string": "b".repeat(100_000), "replace_all": true});
    assert_eq!(
        guard.apply(&notes, "Edit", &all, &pass),
        Err(EditRefused::TooLarge)
    );
}
