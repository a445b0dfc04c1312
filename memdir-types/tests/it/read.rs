//! What is read from a text, and that it comes back unchanged.

use memdir_types::{Memory, MemoryType, WarningKind};

use MemoryType::{Feedback, Project, User};

/// Name, description and type of a text; `render` gives the text back.
#[track_caller]
pub(crate) fn check(
    text: &str,
    name: Option<&str>,
    description: Option<&str>,
    kind: Option<MemoryType>,
) -> Memory {
    let memory = Memory::parse(text);
    assert_eq!(memory.render(), text);
    assert_eq!(
        (memory.name(), memory.description(), memory.kind()),
        (name, description, kind),
        "{text:?}: {:?}",
        memory.warnings()
    );
    memory
}

/// The same, of a text that is as it should be.
#[track_caller]
fn clean(text: &str, name: Option<&str>, description: Option<&str>, kind: Option<MemoryType>) {
    let memory = check(text, name, description, kind);
    assert!(!memory.is_recovered(), "{text:?}");
    assert_eq!(memory.warnings(), [], "{text:?}");
}

#[track_caller]
fn warned(memory: &Memory, expected: &[(usize, WarningKind)]) {
    let found: Vec<_> = memory
        .warnings()
        .iter()
        .map(|warning| (warning.line, warning.kind.clone()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_plain_header_is_read() {
    let memory = check(
        "---\nname: Tests\ndescription: no mocks\ntype: feedback\n---\n\nUse a database.\n",
        Some("Tests"),
        Some("no mocks"),
        Some(Feedback),
    );
    assert_eq!(memory.body(), "Use a database.\n");
    assert!(memory.warnings().is_empty() && memory.has_frontmatter());
}

#[test]
fn values_in_any_yaml_notation_are_read() {
    clean(
        "---\nname: n\ndescription: \"q: with: colons\"\n---\nb",
        Some("n"),
        Some("q: with: colons"),
        None,
    );
    clean("---\nname: 'it''s'\n---\n", Some("it's"), None, None);
    clean(
        "---\nname: \"a\\tb\\u00e9\"\n---\n",
        Some("a\tbé"),
        None,
        None,
    );
    clean(
        "---\nname: >\n  folded\n  text\n---\n",
        Some("folded text"),
        None,
        None,
    );
    clean(
        "---\nname: |-\n  two\n  lines\n---\n",
        Some("two\nlines"),
        None,
        None,
    );
    clean(
        "---\nname: plain\n  goes on\n---\n",
        Some("plain goes on"),
        None,
        None,
    );
    clean(
        "---\nname: \"quoted\n  goes on\"\n---\n",
        Some("quoted goes on"),
        None,
        None,
    );
    clean("---\nname:\n  below\n---\n", Some("below"), None, None);
    clean(
        "---\n\"name\": n\n'type' : user\n---\n",
        Some("n"),
        None,
        Some(User),
    );
    clean(
        "---\n{name: n, type: user}\n---\n",
        Some("n"),
        None,
        Some(User),
    );
    clean(
        "---\n# a comment\nname: n # not a comment of ours\n---\n"
            .replace(" # not a comment of ours", "")
            .as_str(),
        Some("n"),
        None,
        None,
    );
    clean(
        "---\nname: 用户背景：后端\n---\n",
        Some("用户背景：后端"),
        None,
        None,
    );
    clean(
        "---\nname: 👩‍💻 https://x.example/#frag\n---\n",
        Some("👩‍💻 https://x.example/#frag"),
        None,
        None,
    );
}

#[test]
fn indentation_of_all_keys_is_accepted() {
    clean(
        "---\n  name: n\n  description: d\n---\nb",
        Some("n"),
        Some("d"),
        None,
    );
}

#[test]
fn carriage_returns_lose_no_metadata() {
    for text in [
        "---\r\nname: n\r\ndescription: d\r\ntype: user\r\n---\r\nb\r\n",
        "---\r\nname: n\ndescription: d\r\ntype: user\n---\nb\r\n",
        "---\nname: n\r\ndescription: d\ntype: user\r\n---\r\nb\r\n",
    ] {
        clean(text, Some("n"), Some("d"), Some(User));
        assert_eq!(Memory::parse(text).body(), "b\r\n");
    }
    clean("---\r\nname: n\r\n---\r\nbody", Some("n"), None, None);
    clean("---\r\nname: n\r\n---", Some("n"), None, None);
    // Recovered line by line, the line ends stay out of the values all the same.
    let memory = check(
        "---\r\nname: n\r\ndescription: a: b\r\ntype: user\r\n---\r\n",
        Some("n"),
        Some("a: b"),
        Some(User),
    );
    assert!(memory.is_recovered());
    let memory = check(
        "---\r\nname: \"n\r\n  m\"\r\n---\r\n",
        Some("n m"),
        None,
        None,
    );
    assert!(!memory.is_recovered());
}

#[test]
fn a_closing_fence_at_the_end_of_the_file_is_enough() {
    clean("---\nname: n\n---", Some("n"), None, None);
    assert_eq!(Memory::parse("---\nname: n\n---").body(), "");
}

#[test]
fn a_byte_order_mark_is_skipped_and_kept() {
    clean(
        "\u{feff}---\nname: n\ndescription: d\n---\nb",
        Some("n"),
        Some("d"),
        None,
    );
    let memory = check("\u{feff}no header", None, None, None);
    assert_eq!(memory.body(), "no header");
}

#[test]
fn text_without_fences_is_all_body() {
    for text in [
        "# no front matter\n",
        "# T\n\n---\ntext",
        "----\nname: n\n----\n",
        "",
        "\n\n---\nname: n\n---\nb",
        "text\nname: n\n",
    ] {
        let memory = check(text, None, None, None);
        assert!(!memory.has_frontmatter() && !memory.is_recovered());
        assert_eq!(
            (memory.body(), memory.warnings().len()),
            (text, 0),
            "{text:?}"
        );
    }
}

#[test]
fn an_unclosed_block_is_all_body_with_one_warning() {
    for text in [
        "---\ntext without closing",
        "---\ntext\n...\n",
        "---",
        "---\n\nname: n\n",
    ] {
        let memory = check(text, None, None, None);
        assert!(!memory.has_frontmatter());
        assert_eq!(memory.body(), text);
        warned(&memory, &[(1, WarningKind::Unclosed)]);
    }
}

#[test]
fn only_three_dashes_close_a_block() {
    let memory = check(
        "---\nname: n\n...\ntype: user\n---\nb",
        Some("n"),
        None,
        Some(User),
    );
    assert_eq!(memory.body(), "b");
    assert!(memory.is_recovered());
}

#[test]
fn an_empty_block_is_a_block() {
    for text in ["---\n---\nb", "---\n\n---\nb", "---\n# nothing\n---\nb"] {
        clean(text, None, None, None);
        assert!(Memory::parse(text).has_frontmatter());
        assert_eq!(Memory::parse(text).body(), "b");
    }
}

#[test]
fn one_empty_line_separates_header_and_body() {
    assert_eq!(Memory::parse("---\n---\n\n\nb\n").body(), "\nb\n");
    assert_eq!(Memory::parse("---\n---\n\r\nb\n").body(), "b\n");
    assert_eq!(
        Memory::parse("---\n---\nb\n\n---\nc\n").body(),
        "b\n\n---\nc\n"
    );
}

#[test]
fn the_type_is_read_at_both_places() {
    clean(
        "---\nname: a\ndescription: b\nmetadata:\n  node_type: memory\n  type: feedback\n  originSessionId: 5a3c\n---\n",
        Some("a"),
        Some("b"),
        Some(Feedback),
    );
    clean(
        "---\nname: a\nmetadata: {node_type: memory, type: feedback, originSessionId: 1}\n---\n",
        Some("a"),
        None,
        Some(Feedback),
    );
    clean(
        "---\nmetadata:\n  type: project\ntype: project\n---\n",
        None,
        None,
        Some(Project),
    );
    // The value of `metadata` may be anything else.
    for other in ["", " text", " 5", " [type, user]", " true", "\n  - type"] {
        clean(
            &format!("---\nname: a\nmetadata:{other}\n---\n"),
            Some("a"),
            None,
            None,
        );
    }
}

#[test]
fn two_types_that_differ_are_reported_and_the_first_known_one_counts() {
    let memory = check(
        "---\ntype: user\nmetadata:\n  type: project\n---\n",
        None,
        None,
        Some(User),
    );
    warned(&memory, &[(2, WarningKind::TypesDiffer)]);
    let memory = check(
        "---\ntype: decision\nmetadata:\n  type: project\n---\n",
        None,
        None,
        Some(Project),
    );
    assert_eq!(memory.kind_text(), Some("project"));
    warned(&memory, &[]);
}

#[test]
fn a_missing_null_or_unknown_type_is_none_and_its_text_is_kept() {
    let kind_text = |text: &str| Memory::parse(text).kind_text().map(str::to_owned);
    clean("---\nname: n\n---\n", Some("n"), None, None);
    assert_eq!(kind_text("---\nname: n\n---\n"), None);
    clean("---\ntype:\n---\n", None, None, None);
    assert_eq!(kind_text("---\ntype:\n---\n").as_deref(), Some(""));
    clean("---\ntype: ~\n---\n", None, None, None);
    let memory = check("---\ntype: decision # hm\n---\n", None, None, None);
    assert_eq!(memory.kind_text(), Some("decision"));
    warned(&memory, &[(2, WarningKind::UnknownType)]);
    let memory = check("---\nname: n\ntype: [user]\n---\n", Some("n"), None, None);
    assert_eq!(memory.kind_text(), Some("[user]"));
    warned(
        &memory,
        &[
            (3, WarningKind::NotText("type")),
            (3, WarningKind::UnknownType),
        ],
    );
}

#[test]
fn the_case_of_a_type_does_not_matter() {
    for text in [
        "Feedback",
        "FEEDBACK",
        "\"feedback\"",
        "feedback   ",
        "feedback # old",
    ] {
        clean(
            &format!("---\ntype: {text}\n---\n"),
            None,
            None,
            Some(Feedback),
        );
    }
}

#[test]
fn an_empty_description_is_not_a_missing_one() {
    clean("---\ndescription: \"\"\n---\n", None, Some(""), None);
    clean("---\ndescription: ''\n---\n", None, Some(""), None);
    clean("---\ndescription:\n---\n", None, None, None);
    clean("---\ndescription: null\n---\n", None, None, None);
    clean("---\ndescription: ~\n---\n", None, None, None);
    clean(
        "---\ndescription: \"null\"\n---\n",
        None,
        Some("null"),
        None,
    );
}

#[test]
fn values_that_yaml_would_type_keep_their_spelling() {
    for text in [
        "2_4_13",
        "0x11",
        "0o11",
        "yes",
        "No",
        "true",
        "018",
        "1e3",
        ".inf",
        "1.50",
        "2026-04-01",
        "12:30:45",
        "+1",
        "-0",
    ] {
        clean(&format!("---\nname: {text}\n---\n"), Some(text), None, None);
        // Also where another value keeps the parser from reading texts only.
        let memory = Memory::parse(&format!("---\nname: {text}\ndescription: [a, b]\n---\n"));
        assert_eq!((memory.name(), memory.is_recovered()), (Some(text), false));
    }
}

#[test]
fn a_hash_after_a_blank_is_text_in_name_and_description() {
    let memory = check(
        "---\nname: issue #12 matters\ndescription: see #3 # and #4\ntype: user # who\n---\n",
        Some("issue #12 matters"),
        Some("see #3 # and #4"),
        Some(User),
    );
    assert!(!memory.is_recovered());
    warned(
        &memory,
        &[
            (2, WarningKind::HashIsText("name")),
            (3, WarningKind::HashIsText("description")),
        ],
    );
    // Behind quotes it is a comment, inside a word and inside quotes it is text to everybody.
    clean(
        "---\nname: \"a #1\" # comment\ndescription: issue#12\n---\n",
        Some("a #1"),
        Some("issue#12"),
        None,
    );
}

#[test]
fn a_list_or_mapping_is_not_a_text() {
    let memory = check(
        "---\nname: n\ndescription: [a, b]\ntype: user\n---\n",
        Some("n"),
        None,
        Some(User),
    );
    assert!(!memory.is_recovered());
    warned(&memory, &[(3, WarningKind::NotText("description"))]);
    let memory = check(
        "---\nname: n\ndescription:\n- a\n- b\n---\n",
        Some("n"),
        None,
        None,
    );
    warned(&memory, &[(3, WarningKind::NotText("description"))]);
    let memory = check("---\nname: {a: b}\n---\n", None, None, None);
    warned(&memory, &[(2, WarningKind::NotText("name"))]);
    check(
        "---\nname: n\ndescription: [1, 2] (a list)\n---\n",
        Some("n"),
        None,
        None,
    );
    // A label is one.
    check("---\nname: [WIP]\n---\n", Some("[WIP]"), None, None);
    check("---\nname: [[link]]\n---\n", Some("[[link]]"), None, None);
}

#[test]
fn the_time_of_the_last_change_is_read_as_text() {
    let memory = Memory::parse("---\nname: n\nmodified: 2026-05-01T10:00:00Z\n---\n");
    assert_eq!(memory.modified(), Some("2026-05-01T10:00:00Z"));
    let memory = Memory::parse("---\nmetadata:\n  modified: '2026-05-01'\n---\n");
    assert_eq!(memory.modified(), Some("2026-05-01"));
    assert_eq!(Memory::parse("---\nmodified:\n---\n").modified(), None);
}

#[test]
fn bytes_that_are_not_utf8_are_replaced_and_reported() {
    let memory = Memory::from_bytes(b"---\nname: caf\xe9\n---\nb\n");
    assert_eq!((memory.name(), memory.body()), (Some("caf\u{fffd}"), "b\n"));
    assert!(!memory.is_recovered());
    warned(&memory, &[(2, WarningKind::NotUtf8)]);
    assert_eq!(
        Memory::from_bytes(b"---\nname: n\n---\n"),
        Memory::parse("---\nname: n\n---\n")
    );
    assert!(
        Memory::from_bytes("\u{fffd}".as_bytes())
            .warnings()
            .is_empty()
    );
}

#[test]
fn parsing_by_from_str_never_fails() {
    let Ok(memory) = "---\nname: n\n---\n".parse::<Memory>();
    assert_eq!(memory.name(), Some("n"));
    assert_eq!(memory.to_string(), memory.render());
}
