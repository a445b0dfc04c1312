//! Input made to cost time or memory: answered at once, and given back as it came.

use memdir_types::{Audience, Date, Memory, WarningKind, gate, lint, parse_header};

/// Reads, gives back, lints and gates; says what is recovered of the name.
#[track_caller]
fn check(text: &str, name: Option<&str>) -> Memory {
    let memory = Memory::parse(text);
    assert!(memory.render() == text);
    assert_eq!(memory.name(), name);
    let _ = parse_header(text);
    let _ = lint(
        &memory,
        Date {
            year: 2026,
            month: 11,
            day: 30,
        },
    );
    let _ = gate(&memory, Audience::Team);
    let _ = gate(&memory, Audience::Private);
    let mut repaired = memory.clone();
    if repaired.repair().is_ok() {
        assert!(!repaired.is_recovered());
        assert_eq!(repaired.name(), name);
    }
    memory
}

fn block(inner: &str) -> String {
    format!("---\nname: title\n{inner}\n---\nbody\n")
}

#[test]
fn nesting_without_end() {
    check(&block(&format!("x: {}", "[".repeat(60_000))), Some("title"));
    check(
        &block(&format!("x: {}", "{a: ".repeat(15_000))),
        Some("title"),
    );
    check(
        &block(&format!("x:\n  {}", "- ".repeat(30_000))),
        Some("title"),
    );
    let mut steps = String::from("x:\n");
    for depth in 1..300 {
        steps.push_str(&format!("{}y:\n", " ".repeat(depth)));
    }
    check(&block(&steps), Some("title"));
}

#[test]
fn aliases_that_multiply() {
    let mut bomb = String::from("a: &a [x,x,x,x,x,x,x,x,x]\n");
    for step in b'b'..=b'i' {
        let (this, last) = (char::from(step), char::from(step - 1));
        bomb.push_str(&format!(
            "{this}: &{this} [{}]\n",
            vec![format!("*{last}"); 9].join(",")
        ));
    }
    let memory = check(&block(&bomb), Some("title"));
    assert!(memory.is_recovered());
    check(
        "---\nname: &n title\ndescription: *n\n---\n",
        Some("&n title"),
    );
    check(&block("<<: *x"), Some("title"));
}

/// Each of these would take seconds if a mark that nothing closes were searched for again and
/// again.
#[test]
fn quotation_marks_that_nothing_closes() {
    for marks in ["\"\\\"\\\"", "\"\\\"'\\\"", "'\"\\\""] {
        let inner = format!("{marks}{}", "\\\"".repeat(30_000));
        check(
            &block(&format!("metadata: {{a: [{inner}]}}")),
            Some("title"),
        );
        check(&block(&format!("metadata: {{a: {inner}")), Some("title"));
        check(&block(&format!("x: {inner}")), Some("title"));
    }
}

#[test]
fn findings_on_one_long_line() {
    let line = format!("{}\u{202e}", "a".repeat(2_000)).repeat(2_000);
    let refusal = gate(&Memory::parse(&line), Audience::Team).unwrap_err();
    let last = refusal.findings().last().unwrap();
    assert_eq!((last.line, last.column), (1, 1_000 * 2_001));
}

#[test]
fn a_block_above_the_limit_is_read_up_to_it() {
    let memory = check(
        &block(&format!("x: {}\ntype: user", "y".repeat(70_000))),
        Some("title"),
    );
    assert!(memory.is_recovered() && memory.has_frontmatter());
    assert_eq!((memory.kind(), memory.body()), (None, "body\n"));
    assert_eq!(memory.warnings()[0].kind, WarningKind::TooLarge);
    check(&block(&"中".repeat(30_000)), Some("title"));
    // What stands behind the limit is not looked at by anyone.
    let text = block(&format!("x: {}\ndescription: d", "y".repeat(70_000)));
    let today = Date::new(2026, 11, 30).unwrap();
    assert_eq!(lint(&Memory::parse(&text), today)[0].line, 1);
}

#[test]
fn many_keys_and_many_lines() {
    let keys: String = (0..5_000).map(|key| format!("k{key}: v\n")).collect();
    assert!(check(&block(&keys), Some("title")).is_recovered());
    let same = "name: title\n".repeat(5_000);
    let memory = check(&block(&same), Some("title"));
    assert!(memory.warnings().len() < 50);
    let junk = "?\n".repeat(30_000);
    let memory = check(&block(&junk), Some("title"));
    assert!(memory.warnings().len() < 50);
    check(&format!("---\n{}", "line\n".repeat(200_000)), None);
    check(&format!("---\n---\n{}", "x\n".repeat(200_000)), None);
}

#[test]
fn bytes_that_are_no_text() {
    check(&block("x: \0"), Some("title"));
    check("---\nname: a\0b\n---\n", Some("a\0b"));
    check("---\nname: \u{1b}[31mred\n---\n", Some("\u{1b}[31mred"));
    check(
        "---\nname: a\u{85}b\u{2028}c\n---\n",
        Some("a\u{85}b\u{2028}c"),
    );
    check("---\nname: a\rtype: user\n---\n", Some("a"));
    check("\u{feff}\u{feff}---\nname: x\n---\n", None);
    check("---\n\u{feff}name: x\n---\n", Some("x"));
    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    check(&Memory::from_bytes(&bytes).render(), None);
    check(&"\u{200b}".repeat(300_000), None);
    check(&"<".repeat(300_000), None);
    check(&"<\u{200b}".repeat(100_000), None);
    check(&"`".repeat(10_000), None);
    check(&"明天 next week in two days ".repeat(10_000), None);
}

#[test]
fn tags_and_documents_of_yaml() {
    check(
        "---\nname: !!python/object/apply:os.system [x]\n---\n",
        Some("!!python/object/apply:os.system [x]"),
    );
    check("---\nname: !!binary aGk=\n---\n", Some("hi"));
    check("---\nname: !!str 5\n---\n", Some("5"));
    check("---\n%YAML 1.1\nname: title\n---\n", Some("title"));
    check("---\nname: title\n...\nname: other\n---\n", Some("other"));
}
