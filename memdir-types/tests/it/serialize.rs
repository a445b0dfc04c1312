//! Public values serialize.

use memdir_types::{Audience, Date, Memory, MemoryType, Scope, gate_text, lint, parse_header};
use serde_json::{json, to_value};

#[test]
fn a_memory_and_its_header_serialize() {
    let text = "---\nname: n\ntype: decision\n---\n\nb\n";
    let warnings = json!([{"line": 3, "kind": "unknown_type"}]);
    assert_eq!(
        to_value(Memory::parse(text)).unwrap(),
        json!({
            "name": "n", "description": null, "type": null, "type_text": "decision",
            "modified": null, "recovered": false, "body": "b\n", "warnings": warnings,
        })
    );
    assert_eq!(
        to_value(parse_header(text)).unwrap(),
        json!({
            "name": "n", "description": null, "kind": null, "kind_text": "decision",
            "modified": null, "recovered": false, "warnings": warnings,
        })
    );
}

#[test]
fn findings_serialize() {
    let refusal = gate_text("a\u{202e}b", Audience::Team).unwrap_err();
    assert_eq!(
        to_value(&refusal).unwrap(),
        json!({"audience": "team", "findings": [{
            "rule": "bidirectional", "range": {"start": 1, "end": 4}, "severity": "error",
            "line": 1, "column": 2, "code_point": "\u{202e}", "action": "reported",
        }]})
    );
    let found = lint(
        &Memory::parse("---\nname: n\ntype: user\n---\n"),
        Date {
            year: 2026,
            month: 11,
            day: 30,
        },
    );
    assert_eq!(to_value(&found[0]).unwrap()["rule"], "missing_description");
}

#[test]
fn a_cleared_text_serializes_with_what_was_found() {
    let cleared = gate_text("a <types>", Audience::Private).unwrap();
    let value = to_value(&cleared).unwrap();
    assert_eq!(
        (&value["value"], &value["audience"]),
        (&json!("a &lt;types>"), &json!("private"))
    );
    assert_eq!(
        (
            &value["findings"][0]["rule"],
            &value["findings"][0]["action"]
        ),
        (&json!("fence"), &json!("escaped"))
    );
    let error = Memory::parse("b").set_modified("x").unwrap_err();
    assert_eq!(to_value(error.kind()).unwrap(), json!("no_frontmatter"));
}

#[test]
fn words_and_dates_go_both_ways() {
    assert_eq!(to_value(MemoryType::Feedback).unwrap(), json!("feedback"));
    assert_eq!(
        serde_json::from_value::<Scope>(json!("team")).unwrap(),
        Scope::Team
    );
    let date = Date {
        year: 2026,
        month: 11,
        day: 30,
    };
    assert_eq!(
        serde_json::from_value::<Date>(to_value(date).unwrap()).unwrap(),
        date
    );
}
