//! What is written, and that every reader gets it back.

use memdir_types::{Memory, MemoryType, TypePlace};

#[test]
fn a_new_memory_has_three_keys_and_a_body() {
    let memory = Memory::new(
        MemoryType::Feedback,
        "Tests",
        "No mocks: ever",
        "Use a database.",
    );
    assert_eq!(
        memory.render(),
        "---\nname: Tests\ndescription: \"No mocks: ever\"\ntype: feedback\n---\n\nUse a database.\n"
    );
    assert!(memory.warnings().is_empty());
}

#[test]
fn the_type_can_be_written_below_metadata() {
    let memory = Memory::with_type_at(
        TypePlace::Metadata,
        MemoryType::User,
        "Role",
        "backend",
        "b\n",
    );
    assert_eq!(
        memory.render(),
        "---\nname: Role\ndescription: backend\nmetadata:\n  type: user\n---\n\nb\n"
    );
    assert_eq!(memory.kind(), Some(MemoryType::User));
    assert!(memory.warnings().is_empty());
}

#[test]
fn an_empty_description_is_written_as_an_empty_text() {
    let memory = Memory::new(MemoryType::User, "Role", "", "");
    assert_eq!(
        memory.render(),
        "---\nname: Role\ndescription: \"\"\ntype: user\n---\n\n"
    );
    assert_eq!((memory.description(), memory.body()), (Some(""), ""));
}

/// The text is written like this, on one line, and read back as it was.
#[track_caller]
fn check(text: &str, written: &str) {
    let memory = Memory::new(MemoryType::User, text, text, "b");
    let line = memory.render().lines().nth(1).unwrap().to_owned();
    assert_eq!(line, format!("name: {written}"));
    assert_eq!(
        (memory.name(), memory.description()),
        (Some(text), Some(text))
    );
    assert_eq!(memory.kind(), Some(MemoryType::User));
    assert!(memory.warnings().is_empty(), "{:?}", memory.warnings());
}

#[test]
fn texts_that_read_back_as_something_else_are_quoted() {
    for text in [
        "2_4_13",
        "0x11",
        "0o11",
        "1e3",
        ".inf",
        "yes",
        "~",
        "018",
        "- x",
        "a: b",
        " leading",
        "trailing ",
        "null",
        "Null",
        "true",
        "off",
        "Y",
        "n",
        "190:20:30",
        "2026-04-01",
        "+12",
        "-.INF",
        ".NaN",
        "0b101",
        "=",
        "<<",
        "1_000",
        "685.230_15e+03",
        "@x",
        "`x`",
        "%x",
        "&a",
        "*a",
        "!t",
        "|",
        ">",
        "[a]",
        "{a}",
        "# c",
        "a #b",
        "a:",
        ":",
        "---",
        "...",
        "'q'",
        "? k",
        ", c",
        "{{name}}",
        "[[link]]",
        "10",
    ] {
        check(text, &format!("\"{text}\""));
    }
}

#[test]
fn characters_that_end_a_line_or_are_not_shown_are_escaped() {
    check("a\nb", "\"a\\nb\"");
    check("a\r\nb", "\"a\\r\\nb\"");
    check("a\tb", "\"a\\tb\"");
    check("\"quoted\" then", "\"\\\"quoted\\\" then\"");
    check("\\ back", "\"\\\\ back\"");
    check(
        "nul\0 esc\u{1b} del\u{7f}",
        "\"nul\\x00 esc\\x1b del\\x7f\"",
    );
    check(
        "nel\u{85} ls\u{2028} ps\u{2029}",
        "\"nel\\x85 ls\\u2028 ps\\u2029\"",
    );
    check("bom\u{feff} nbsp\u{a0}", "\"bom\\ufeff nbsp\\xa0\"");
    check("non\u{ffff}char\u{10ffff}", "\"non\\uffffchar\\U0010ffff\"");
}

#[test]
fn ordinary_texts_stay_plain() {
    for text in [
        "Tests use a database",
        "it's 100% fine (really)",
        "用户背景：后端",
        "10年 Go 经验，首次接触 React",
        "a:b and c#d",
        "né – ok",
        "x, y & z!",
        "🦀 first".trim_start_matches("🦀 "),
    ] {
        check(text, text);
    }
    check("🦀 first", "\"🦀 first\"");
    check("👩‍💻", "\"👩‍💻\"");
}

#[test]
fn a_body_is_kept_and_ends_with_a_line_end() {
    for (body, read) in [
        ("", ""),
        ("x", "x\n"),
        ("x\n", "x\n"),
        ("\n\nx\n", "\n\nx\n"),
        ("---\nname: y\n---\n", "---\nname: y\n---\n"),
        ("x\r\n", "x\r\n"),
    ] {
        assert_eq!(
            Memory::new(MemoryType::User, "Role", "d", body).body(),
            read
        );
    }
}
