//! Texts of errors, and that public values go anywhere.

use std::error::Error as _;

use memdir_types::{
    Audience, Cleared, Date, Error, GateFinding, Header, Lint, Memory, MemoryType, Refusal, Scope,
    Warning, gate_text,
};

#[test]
fn errors_say_what_was_expected() {
    let recovered = Memory::parse("---\nname: a: b\n---\n")
        .set_name("x")
        .unwrap_err();
    assert_eq!(
        recovered.to_string(),
        "the frontmatter is not valid yaml; expected a repair before the update"
    );
    assert_eq!(
        recovered.source().unwrap().to_string(),
        "line 2: the frontmatter is not valid yaml; read line by line"
    );
    let recovered = recovered.at("memory/x.md");
    assert_eq!(
        recovered.to_string(),
        "memory/x.md: the frontmatter is not valid yaml; expected a repair before the update"
    );
    assert_eq!(recovered.path(), Some(std::path::Path::new("memory/x.md")));
    let error = Memory::from_bytes(b"\xff").set_name("x").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the text is not valid utf-8; expected a repair before the update"
    );
    let error = Memory::parse("---\n{name: n}\n---\n")
        .set_name("x")
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the value cannot be replaced without changing others; expected `key: value` on a line of its own"
    );
    let error = Memory::parse("b").set_modified("x").unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no frontmatter to put the value into"
    );
    let error = Memory::parse(&format!("---\n{}\n---\n", "x".repeat(70_000)))
        .repair()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the frontmatter is too large; expected at most 65536 bytes"
    );
    let error = "decision".parse::<MemoryType>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown memory type; expected user, feedback, project or reference"
    );
    let error = "2026-02-30".parse::<Date>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "not a calendar date; expected YYYY-MM-DD"
    );
}

#[test]
fn the_closed_sets_have_their_words() {
    assert_eq!(
        MemoryType::ALL.map(MemoryType::as_str),
        ["user", "feedback", "project", "reference"]
    );
    for kind in MemoryType::ALL {
        assert_eq!(kind.to_string().to_uppercase().parse(), Ok(kind));
    }
    for text in ["", "users", "use", "decision", "user,"] {
        assert!(text.parse::<MemoryType>().is_err(), "{text:?}");
    }
    assert_eq!(Scope::ALL.map(Scope::as_str), ["private", "team"]);
}

#[test]
fn dates_are_days_of_the_calendar() {
    for text in ["2026-11-30", "0000-01-01", "9999-12-31", "2024-02-29"] {
        assert_eq!(text.parse::<Date>().unwrap().to_string(), text);
    }
    for text in [
        "",
        "2026-11-31",
        "2026-13-01",
        "2026-00-10",
        "2023-02-29",
        "2026-1-1",
        "2026/11/30",
        "2026-11-30 ",
        "２026-11-3",
        "+026-11-30",
    ] {
        assert!(text.parse::<Date>().is_err(), "{text:?}");
    }
}

#[test]
fn public_values_are_send_sync_and_static() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Memory>();
    check::<Header>();
    check::<Error>();
    check::<Warning>();
    check::<Lint>();
    check::<GateFinding>();
    check::<Refusal>();
    check::<Cleared<Memory>>();
    check::<Cleared<String>>();
    check::<MemoryType>();
    check::<Date>();
    check::<Audience>();
}

#[test]
fn debug_output_does_not_spill_a_body() {
    let memory = Memory::parse("---\nname: n\n---\nsecret body");
    assert!(!format!("{memory:?}").contains("secret"));
    assert!(!format!("{:?}", gate_text("\u{202e}secret", Audience::Team)).contains("secret"));
}
