//! Headers that no YAML parser accepts, read as the person meant them.

use memdir_types::MemoryType::{Feedback, User};
use memdir_types::{Memory, WarningKind};

use crate::read::check;

/// A value that is not YAML is read as this text, in a block that stays otherwise readable.
#[track_caller]
fn value(written: &str, expected: &str) {
    let text = format!("---\nname: n\ndescription: {written}\ntype: feedback\n---\nb\n");
    let memory = check(&text, Some("n"), Some(expected), Some(Feedback));
    assert!(memory.is_recovered(), "{written:?}");
    let kinds: Vec<_> = memory
        .warnings()
        .iter()
        .map(|w| (w.line, &w.kind))
        .collect();
    assert_eq!(kinds[0], (2, &WarningKind::NotYaml), "{written:?}");
}

#[test]
fn a_colon_in_an_unquoted_description_loses_nothing() {
    let memory = check(
        "---\nname: x\ndescription: Rules for specs (REQ/TASK): read a.md\ntype: feedback\n---",
        Some("x"),
        Some("Rules for specs (REQ/TASK): read a.md"),
        Some(Feedback),
    );
    assert!(memory.is_recovered());
    insta::assert_snapshot!(
        memory.warnings().iter().map(|w| format!("{w}\n")).collect::<String>(),
        @r"
    line 2: the frontmatter is not valid yaml; read line by line
    line 3: the value of `description` is not valid yaml; taken as written
    "
    );
}

#[test]
fn what_people_write_without_thinking_is_read_as_meant() {
    value("Use this: it works", "Use this: it works");
    value("a: b: c", "a: b: c");
    value("ends with a colon:", "ends with a colon:");
    value("@mention first", "@mention first");
    value("`code` first", "`code` first");
    value("%percent", "%percent");
    value("*bold* claim", "*bold* claim");
    value("**/*.ts files", "**/*.ts files");
    value("[WIP] do it", "[WIP] do it");
    value("[5] do it", "[5] do it");
    value("{a} and b", "{a} and b");
    value("!important note", "!important note");
    value("- a dash", "- a dash");
    value("? a question", "? a question");
    value("| a pipe", "| a pipe");
    value("\u{a0}a no-break space: here", "a no-break space: here");
    value("fix: issue #12", "fix: issue #12");
}

#[test]
fn broken_quotes_are_read_as_meant() {
    value("\"abc \"def\" ghi\"", "abc \"def\" ghi");
    value("\"quoted\" then more", "\"quoted\" then more");
    value("\"never closed", "never closed");
    value("'it's here'", "it's here");
    value("\"C:\\Users\\me\"", "C:\\Users\\me");
    value("\"bad \\q escape\"", "bad \\q escape");
}

#[test]
fn good_values_beside_a_bad_one_are_read_as_yaml_reads_them() {
    let memory = check(
        "---\nname: \"a \\\"b\\\" \\u00e9\"\ndescription: 'it''s'\ntype: \"user\"\nnote: a: b\n---\n",
        Some("a \"b\" é"),
        Some("it's"),
        Some(User),
    );
    assert!(memory.is_recovered());
    check(
        "---\nname: >-\n  folded\n  text\nnote: a: b\n---\n",
        Some("folded text"),
        None,
        None,
    );
    check(
        "---\nname: |\n  two\n   lines\n\nnote: a: b\n---\n",
        Some("two\n lines"),
        None,
        None,
    );
    check(
        "---\nname: goes\n  on\nnote: a: b\n---\n",
        Some("goes on"),
        None,
        None,
    );
    check(
        "---\nname: null\ndescription: \"\"\nnote: a: b\n---\n",
        None,
        Some(""),
        None,
    );
    check("---\nname:\nnote: a: b\n---\n", None, None, None);
}

#[test]
fn tabs_are_read_like_blanks() {
    let memory = check(
        "---\nname:\tn\n\tdescription: d\n---\n",
        Some("n description: d"),
        None,
        None,
    );
    assert!(memory.is_recovered());
    check(
        "---\n\tname: n\n\tdescription: d\n---\n",
        Some("n"),
        Some("d"),
        None,
    );
    check(
        "---\nname: n\nmetadata:\n\ttype: user\n---\n",
        Some("n"),
        None,
        Some(User),
    );
}

#[test]
fn a_missing_blank_after_the_colon_is_forgiven_for_known_keys() {
    let memory = check(
        "---\nname:n\ndescription:d\n---\nb",
        Some("n"),
        Some("d"),
        None,
    );
    assert!(memory.is_recovered());
    check(
        "---\nname:n\ntype:user\n---\nb",
        Some("n"),
        None,
        Some(User),
    );
}

#[test]
fn of_duplicate_keys_the_last_one_counts() {
    let memory = check(
        "---\nname: n\ndescription: first\ndescription: second\ntype: user\n---\nb\n",
        Some("n"),
        Some("second"),
        Some(User),
    );
    assert!(memory.is_recovered());
    let kinds: Vec<_> = memory
        .warnings()
        .iter()
        .map(|w| (w.line, w.kind.clone()))
        .collect();
    assert_eq!(
        kinds,
        [
            (2, WarningKind::NotYaml),
            (4, WarningKind::Duplicate("description"))
        ]
    );
}

#[test]
fn the_type_below_metadata_is_recovered_too() {
    check(
        "---\nname: a: b\nmetadata:\n  node_type: memory\n  type: feedback\n---\n",
        Some("a: b"),
        None,
        Some(Feedback),
    );
    check(
        "---\nname: a: b\nmetadata: {node_type: memory, type: feedback}\n---\n",
        Some("a: b"),
        None,
        Some(Feedback),
    );
    check(
        "---\nname: a: b\nmetadata: {node_type: \"x, type: user\", type: 'feedback'\n---\n",
        Some("a: b"),
        None,
        Some(Feedback),
    );
    let memory = check(
        "---\nname: a: b\nmodified: 2026-05-01T10:00:00Z # by a client\n---\n",
        Some("a: b"),
        None,
        None,
    );
    assert_eq!(memory.modified(), Some("2026-05-01T10:00:00Z"));
}

#[test]
fn lines_that_are_no_keys_are_skipped_and_reported() {
    let memory = check(
        "---\nhello\nname: n\n- item\ntype: user\n---\n",
        Some("n"),
        None,
        Some(User),
    );
    let junk: Vec<_> = memory
        .warnings()
        .iter()
        .filter(|w| w.kind == WarningKind::NotAKey)
        .map(|w| w.line)
        .collect();
    assert_eq!(junk, [2, 4]);
}

#[test]
fn a_header_without_its_closing_fence_still_tells_its_keys() {
    let memory = check(
        "---\nname: n\ndescription: d\ntype: user\n\nBody\n",
        Some("n"),
        Some("d"),
        Some(User),
    );
    assert!(memory.is_recovered() && !memory.has_frontmatter());
    assert_eq!(memory.body(), memory.as_str());
    assert_eq!(memory.warnings().len(), 1);
    assert_eq!(memory.warnings()[0].kind, WarningKind::Unclosed);
}

#[test]
fn a_header_without_its_opening_fence_still_tells_its_keys() {
    let memory = check(
        "name: n\ndescription: d\ntype: user\n---\n\nBody\n",
        Some("n"),
        Some("d"),
        Some(User),
    );
    assert!(memory.is_recovered() && !memory.has_frontmatter());
    assert_eq!(memory.warnings()[0].kind, WarningKind::Unopened);
    // One known key, or prose above a rule, is not a header.
    check("name: n\n---\ntext\n", None, None, None);
    check(
        "A title\nname: n\ntype: user\n---\ntext\n",
        None,
        None,
        None,
    );
}

#[test]
fn a_document_marker_or_a_list_is_no_header() {
    for text in [
        "---\n- a\n- b\n---\n",
        "---\njust text\n---\n",
        "---\n{\n---\n",
    ] {
        let memory = Memory::parse(text);
        assert!(
            memory.is_recovered() && memory.has_frontmatter(),
            "{text:?}"
        );
        assert_eq!(memory.warnings()[0].kind, WarningKind::NotYaml);
    }
}

#[test]
fn anchors_and_aliases_are_taken_as_text() {
    check(
        "---\nname: &a n\ndescription: *a\n---\n",
        Some("&a n"),
        Some("*a"),
        None,
    );
}
