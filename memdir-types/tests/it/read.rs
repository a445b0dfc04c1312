//! What is read from a text, and that it comes back unchanged.

use memdir_types::{Memory, MemoryType};

/// Name, description and type of a text; `render` gives the text back.
#[track_caller]
fn check(
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

#[test]
fn a_plain_header_is_read() {
    let memory = check(
        "---\nname: Tests\ndescription: no mocks\ntype: feedback\n---\n\nUse a database.\n",
        Some("Tests"),
        Some("no mocks"),
        Some(MemoryType::Feedback),
    );
    assert_eq!(memory.body(), "Use a database.\n");
    assert!(memory.warnings().is_empty());
}
