//! Edits change the bytes of their own value and nothing else.

use memdir_types::{ErrorKind, Memory, MemoryType};

/// A memory that is edited, and the text that comes of it.
#[track_caller]
fn check(
    text: &str,
    edit: impl FnOnce(&mut Memory) -> Result<(), memdir_types::Error>,
    expected: &str,
) {
    let mut memory = Memory::parse(text);
    let body = memory.body().to_owned();
    edit(&mut memory).unwrap();
    assert_eq!(memory.render(), expected);
    assert_eq!(memory.body(), body);
    assert_eq!(Memory::parse(expected), memory);
}

/// An edit that is refused leaves the text byte for byte.
#[track_caller]
fn refused(
    text: &str,
    kind: ErrorKind,
    edit: impl FnOnce(&mut Memory) -> Result<(), memdir_types::Error>,
) {
    let mut memory = Memory::parse(text);
    assert_eq!(*edit(&mut memory).unwrap_err().kind(), kind);
    assert_eq!(memory.render(), text);
}

#[test]
fn only_the_value_changes() {
    check(
        "\u{feff}---\r\n# top\r\nname:   old  \r\nother: [1,\r\n  2] # kept\r\ndescription: d\r\ntype: user\t# who\r\n---\r\n\r\nbody\r\n",
        |m| m.set_name("new"),
        "\u{feff}---\r\n# top\r\nname:   new  \r\nother: [1,\r\n  2] # kept\r\ndescription: d\r\ntype: user\t# who\r\n---\r\n\r\nbody\r\n",
    );
    check(
        "---\ntype: user # who\n---\n",
        |m| m.set_kind(MemoryType::Project),
        "---\ntype: project # who\n---\n",
    );
    check(
        "---\nname: 'a' # c\n---\n",
        |m| m.set_name("b: c"),
        "---\nname: \"b: c\" # c\n---\n",
    );
    check(
        "---\nname: a #1\n---\n",
        |m| m.set_name("b #2"),
        "---\nname: \"b #2\"\n---\n",
    );
    check(
        "---\n  name: a\n  x: y\n---\n",
        |m| m.set_name("b"),
        "---\n  name: b\n  x: y\n---\n",
    );
    check(
        "---\n\"name\" : a\n---\n",
        |m| m.set_name("b"),
        "---\n\"name\" : b\n---\n",
    );
}

#[test]
fn a_comment_behind_a_value_stays_a_comment() {
    check(
        "---\nname: 'a' # c\n---\n",
        |m| m.set_name("title"),
        "---\nname: \"title\" # c\n---\n",
    );
}

#[test]
fn a_value_of_several_lines_is_replaced_as_a_whole() {
    let expected = "---\nname: nn\ndescription: new\ntype: user\n---\nb";
    for value in [
        "|\n  one\n  two",
        ">-\n  one\n\n  two",
        "one\n  two",
        "\"one\n  two\"",
        "'one\n  two'",
        "[a,\n  b]",
    ] {
        let text = format!("---\nname: nn\ndescription: {value}\ntype: user\n---\nb");
        check(&text, |m| m.set_description("new"), expected);
    }
    // A value below its key stays there, and a comment beside the key too.
    check(
        "---\ndescription: # c\n  one\n  two\ntype: user\n---\nb",
        |m| m.set_description("new"),
        "---\ndescription: # c\n  new\ntype: user\n---\nb",
    );
    check(
        "---\ndescription:\n- a\n- b\ntype: user\n---\nb",
        |m| m.set_description("new"),
        "---\ndescription: new\ntype: user\n---\nb",
    );
}

#[test]
fn an_empty_value_gets_a_text() {
    check(
        "---\nname:\n---\n",
        |m| m.set_name("nn"),
        "---\nname: nn\n---\n",
    );
    check(
        "---\nname: # later\n---\n",
        |m| m.set_name("nn"),
        "---\nname: \"nn\" # later\n---\n",
    );
    check(
        "---\nname: nn\n---\n",
        |m| m.set_name(""),
        "---\nname: \"\"\n---\n",
    );
}

#[test]
fn the_type_is_written_where_the_file_has_it() {
    check(
        "---\nname: a\nmetadata:\n  node_type: memory\n  type: feedback\n  originSessionId: 5a\n---\n",
        |m| m.set_kind(MemoryType::User),
        "---\nname: a\nmetadata:\n  node_type: memory\n  type: user\n  originSessionId: 5a\n---\n",
    );
    check(
        "---\nmetadata: {node_type: memory, type: feedback, id: 5}\n---\n",
        |m| m.set_kind(MemoryType::User),
        "---\nmetadata: {node_type: memory, type: user, id: 5}\n---\n",
    );
    check(
        "---\nmetadata: { type: 'feedback' }\n---\n",
        |m| m.set_kind(MemoryType::User),
        "---\nmetadata: { type: user }\n---\n",
    );
    check(
        "---\ntype: feedback\nmetadata:\n  type: project\n---\n",
        |m| m.set_kind(MemoryType::User),
        "---\ntype: user\nmetadata:\n  type: user\n---\n",
    );
    check(
        "---\nmetadata:\n  node_type: memory\n---\n",
        |m| m.set_kind(MemoryType::User),
        "---\nmetadata:\n  node_type: memory\ntype: user\n---\n",
    );
    check(
        "---\ntype: decision\n---\n",
        |m| m.set_kind(MemoryType::User),
        "---\ntype: user\n---\n",
    );
}

#[test]
fn a_missing_key_gets_a_sensible_place() {
    let text = "---\n# top\ntype: user\nother: 1\n---\nb";
    check(
        text,
        |m| m.set_name("nn"),
        "---\nname: nn\n# top\ntype: user\nother: 1\n---\nb",
    );
    check(
        text,
        |m| m.set_modified("2026-05-01T10:00:00Z"),
        "---\n# top\ntype: user\nother: 1\nmodified: \"2026-05-01T10:00:00Z\"\n---\nb",
    );
    check(
        "---\nname: nn\nother: 1\n---\n",
        |m| m.set_description("d"),
        "---\nname: nn\ndescription: d\nother: 1\n---\n",
    );
    check(
        "---\nname: nn\ndescription: |\n  d\n\nother: 1\n---\n",
        |m| m.set_kind(MemoryType::User),
        "---\nname: nn\ndescription: |\n  d\ntype: user\n\nother: 1\n---\n",
    );
    check(
        "---\r\n  other: 1\r\n---\r\n",
        |m| m.set_kind(MemoryType::User),
        "---\r\n  other: 1\r\n  type: user\r\n---\r\n",
    );
    check("---\n---\nb", |m| m.set_name("nn"), "---\nname: nn\n---\nb");
    // Behind `+`, the empty lines are part of the name.
    check(
        "---\nname: |+\n  a\n\n\nother: 1\n---\n",
        |m| m.set_description("d"),
        "---\nname: |+\n  a\n\n\ndescription: d\nother: 1\n---\n",
    );
}

#[test]
fn the_comment_above_a_block_scalar_stays() {
    check(
        "---\r\nname: >-  # mine\r\n  old\r\n  text\r\ntype: user\r\n---\r\n",
        |m| m.set_name("new"),
        "---\r\nname: \"new\" # mine\r\ntype: user\r\n---\r\n",
    );
    check(
        "---\ntype: | # mine\n  user\n---\n",
        |m| m.set_kind(MemoryType::Project),
        "---\ntype: project # mine\n---\n",
    );
}

#[test]
fn a_memory_without_a_block_gets_one() {
    check(
        "body\n",
        |m| m.set_name("nn"),
        "---\nname: nn\n---\n\nbody\n",
    );
    check(
        "\u{feff}body\r\n",
        |m| m.set_kind(MemoryType::User),
        "\u{feff}---\r\ntype: user\r\n---\r\n\r\nbody\r\n",
    );
    check(
        "\n\nbody\n",
        |m| m.set_name("nn"),
        "---\nname: nn\n---\n\n\n\nbody\n",
    );
    check(
        "---\nrule, not a fence",
        |m| m.set_name("nn"),
        "---\nname: nn\n---\n\n---\nrule, not a fence",
    );
    // A stamp alone is no reason to add one.
    refused("body\n", ErrorKind::NoFrontmatter, |m| {
        m.set_modified("2026-05-01")
    });
}

#[test]
fn the_time_of_the_last_change_is_replaced_in_place() {
    check(
        "---\nmodified: 2026-04-01 # c\n---\n",
        |m| m.set_modified("2026-05-01"),
        "---\nmodified: \"2026-05-01\" # c\n---\n",
    );
    check(
        "---\nmetadata: {type: user, modified: '2026-04-01'}\n---\n",
        |m| m.set_modified("2026-05-01"),
        "---\nmetadata: {type: user, modified: \"2026-05-01\"}\n---\n",
    );
}

#[test]
fn a_recovered_block_is_not_edited() {
    for text in [
        "---\nname: a: b\n---\nbody\n",
        "---\nname: nn\ndescription: \"abc \"def\" ghi\"\ntags: [a, b]\n---\nbody\n",
        "---\nname: nn\nname: m\n---\nbody\n",
        "---\nname: nn\ntype: user\n\nnever closed\n",
        "name: nn\ntype: user\n---\nnever opened\n",
    ] {
        refused(text, ErrorKind::Recovered, |m| m.set_name("x"));
        refused(text, ErrorKind::Recovered, |m| m.set_description("x"));
        refused(text, ErrorKind::Recovered, |m| m.set_kind(MemoryType::User));
        refused(text, ErrorKind::Recovered, |m| m.set_modified("x"));
        refused(text, ErrorKind::Recovered, |m| m.set_body("x"));
    }
    let large = format!("---\nname: nn\nx: {}\n---\n", "y".repeat(70_000));
    refused(&large, ErrorKind::TooLarge, |m| m.set_name("x"));
}

#[test]
fn a_text_that_was_not_utf8_is_not_edited() {
    let mut memory = Memory::from_bytes(b"---\nname: nn\n---\ncaf\xe9");
    assert_eq!(
        *memory.set_name("x").unwrap_err().kind(),
        ErrorKind::NotUtf8
    );
    assert_eq!(
        *memory.set_body("x").unwrap_err().kind(),
        ErrorKind::NotUtf8
    );
    memory.repair().unwrap();
    memory.set_name("x").unwrap();
    assert_eq!(memory.render(), "---\nname: x\n---\ncaf\u{fffd}");
    assert!(memory.warnings().is_empty());
}

#[test]
fn a_form_that_cannot_be_edited_in_place_is_refused() {
    refused(
        "---\n{name: n, type: user}\n---\n",
        ErrorKind::NotEditable,
        |m| m.set_name("x"),
    );
    refused("---\n? name\n: n\n---\n", ErrorKind::NotEditable, |m| {
        m.set_name("x")
    });
    refused(
        "---\nname: \"a\nb: c\"\n---\n",
        ErrorKind::NotEditable,
        |m| m.set_name("x"),
    );
}

#[test]
fn the_body_is_replaced_and_the_block_stays() {
    #[track_caller]
    fn check(text: &str, body: &str, expected: &str) {
        let mut memory = Memory::parse(text);
        memory.set_body(body).unwrap();
        assert_eq!((memory.render().as_str(), memory.body()), (expected, body));
    }
    check(
        "---\nname: nn\n---\n\nold\n",
        "new\n",
        "---\nname: nn\n---\n\nnew\n",
    );
    check(
        "---\nname: nn\n---\nold\n",
        "new\n",
        "---\nname: nn\n---\n\nnew\n",
    );
    check(
        "---\r\nname: nn\r\n---",
        "new",
        "---\r\nname: nn\r\n---\r\n\r\nnew",
    );
    check(
        "---\nname: nn\n---\n\nold",
        "\n\nnew",
        "---\nname: nn\n---\n\n\n\nnew",
    );
    check("---\nname: nn\n---\n\nold", "", "---\nname: nn\n---\n\n");
    check(
        "old",
        "---\nname: x\n---\n",
        "---\n---\n\n---\nname: x\n---\n",
    );
    check("old", "---\nname: x\n", "---\n---\n\n---\nname: x\n");
    check(
        "\u{feff}old",
        "name: x\ntype: user\n---\n",
        "\u{feff}---\n---\n\nname: x\ntype: user\n---\n",
    );
    check("old", "new", "new");
}

#[test]
fn an_edit_that_outgrows_the_limit_is_refused() {
    let text = format!("---\nname: nn\nx: {}\n---\n", "y".repeat(65_520));
    assert!(!Memory::parse(&text).is_recovered());
    refused(&text, ErrorKind::TooLarge, |m| {
        m.set_name("a longer name than before")
    });
}

#[test]
fn a_key_spelled_with_escape_sequences_is_not_doubled() {
    refused(
        "---\n\"n\\x61me\": nn\ntype: user\n---\n",
        ErrorKind::NotEditable,
        |m| m.set_name("x"),
    );
    // Other keys may be spelled as they like.
    check(
        "---\nname: nn\n\"k\\x61y\": v\n---\n",
        |m| m.set_name("x"),
        "---\nname: x\n\"k\\x61y\": v\n---\n",
    );
}
