//! A repaired block is strict YAML, says the same, and has lost no line.

use memdir_types::{ErrorKind, Memory};

/// A recovered text and what the repair makes of it.
#[track_caller]
fn check(text: &str, expected: &str) {
    let mut memory = Memory::parse(text);
    let before = (
        memory.name().map(str::to_owned),
        memory.description().map(str::to_owned),
        memory.kind(),
        memory.modified().map(str::to_owned),
    );
    assert!(memory.is_recovered());
    memory.repair().unwrap();
    assert_eq!(memory.render(), expected);
    assert!(!memory.is_recovered() && memory.has_frontmatter());
    let after = (
        memory.name().map(str::to_owned),
        memory.description().map(str::to_owned),
        memory.kind(),
        memory.modified().map(str::to_owned),
    );
    assert_eq!(before, after);
    // Only now it takes edits.
    memory.set_name("x").unwrap();
}

#[test]
fn values_are_quoted_and_the_rest_stays() {
    check(
        "---\n# top\nname: x\ndescription: Rules (REQ/TASK): read a.md\ntags: [a, b] # kept\ntype: feedback\n---\nb\n",
        "---\n# top\nname: x\ndescription: \"Rules (REQ/TASK): read a.md\"\ntags: [a, b] # kept\ntype: feedback\n---\nb\n",
    );
    check(
        "---\r\nname: nn\r\ndescription: \"abc \"def\" ghi\"\r\ntags: [a, b]\r\n---\r\nb\r\n",
        "---\r\nname: nn\r\ndescription: abc \"def\" ghi\r\ntags: [a, b]\r\n---\r\nb\r\n",
    );
    check(
        "---\nname:nn\nmodified: 2026-05-01\n---",
        "---\nname: nn\nmodified: \"2026-05-01\"\n---",
    );
}

#[test]
fn what_has_no_place_in_yaml_stays_as_a_comment() {
    check(
        "---\nname: nn\ndescription: first\ndescription: second\nhello there\n---\n",
        "---\nname: nn\n# description: first\ndescription: second\n# hello there\n---\n",
    );
    check(
        "---\nname: nn\nnote: a: b\n---\n",
        "---\nname: nn\nnote: \"a: b\"\n---\n",
    );
    check(
        "---\nname: nn\nnote:\n  - a\n -b\n\tc\n---\n",
        "---\nname: nn\n# note:\n#   - a\n#  -b\n# \tc\n---\n",
    );
    check(
        "---\nname: nn\n\u{1b}[0m\n---\n",
        "---\nname: nn\n# \\x1b[0m\n---\n",
    );
}

#[test]
fn what_stands_behind_a_value_stays() {
    check(
        "---\nname: 'one\n  two' # mine\n  stray: x\nbad: a: b\n---\n",
        "---\nname: \"one two\" # mine\n#   stray: x\nbad: \"a: b\"\n---\n",
    );
    check(
        "---\nname: > # mine\n  one\nbad: a: b\n---\n",
        "---\nname: \"one\" # mine\nbad: \"a: b\"\n---\n",
    );
    check(
        "---\nname: nn\nb\rc: \"d\" # mine\n---\n",
        "---\nname: nn\n\"b\\rc\": d # mine\n---\n",
    );
}

#[test]
fn metadata_keeps_its_keys() {
    check(
        "---\nname: a: b\nmetadata:\n  node_type: memory\n  type: feedback\n---\n",
        "---\nname: \"a: b\"\nmetadata:\n  node_type: memory\n  type: feedback\n---\n",
    );
    check(
        "---\nname: nn\nmetadata:\n\tnode_type: memory\n\ttype: feedback\n---\n",
        "---\nname: nn\n# metadata:\n# \tnode_type: memory\n# \ttype: feedback\nmetadata:\n  type: feedback\n---\n",
    );
}

#[test]
fn missing_fences_are_put_in() {
    check(
        "---\nname: nn\ntype: user\n\nBody\n",
        "---\nname: nn\ntype: user\n---\n\nBody\n",
    );
    check("---\nname: nn", "---\nname: nn\n---\n");
    check(
        "name: nn\ntype: user\n---\nBody\n",
        "---\nname: nn\ntype: user\n---\nBody\n",
    );
}

#[test]
fn a_sound_memory_is_left_alone() {
    for text in [
        "---\nname: nn # x\n---\nb",
        "no header",
        "---\nnothing closed",
    ] {
        let mut memory = Memory::parse(text);
        memory.repair().unwrap();
        assert_eq!(memory.render(), text);
    }
}

#[test]
fn a_block_that_is_too_large_is_not_repaired() {
    let text = format!("---\nname: nn\nx: {}\n---\n", "y".repeat(70_000));
    let mut memory = Memory::parse(&text);
    assert_eq!(*memory.repair().unwrap_err().kind(), ErrorKind::TooLarge);
    assert_eq!(memory.render(), text);
}

#[test]
fn a_block_that_would_grow_too_large_is_not_repaired() {
    let text = format!("---\n{}---\nbody", "a line\n".repeat(9_000));
    let mut memory = Memory::parse(&text);
    assert!(memory.is_recovered());
    assert_eq!(*memory.repair().unwrap_err().kind(), ErrorKind::TooLarge);
    assert_eq!(memory.render(), text);
}
