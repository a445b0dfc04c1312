//! The header alone, from the first lines of a file.

use memdir_types::{HEADER_LINES, Memory, MemoryType, WarningKind, parse_header};

/// A header of so many lines, fences included, with its keys at the end.
fn of_lines(lines: usize, eol: &str) -> String {
    let mut text = format!("---{eol}");
    for line in 0..lines - 4 {
        text.push_str(&format!("key{line}: x{eol}"));
    }
    text + &format!("name: title{eol}type: user{eol}---{eol}{eol}body{eol}")
}

#[test]
fn a_header_is_read_like_the_whole() {
    let text = "---\nname: a: b\ndescription: d\nmodified: 2026-05-01\nmetadata:\n  type: user\n---\n\nbody";
    let header = parse_header(text);
    let memory = Memory::parse(text);
    assert_eq!(header.name.as_deref(), Some("a: b"));
    assert_eq!(header.description.as_deref(), Some("d"));
    assert_eq!(header.modified.as_deref(), Some("2026-05-01"));
    assert_eq!(
        (header.kind, header.kind_text.as_deref()),
        (Some(MemoryType::User), Some("user"))
    );
    assert_eq!(
        (header.recovered, header.warnings.as_slice()),
        (true, memory.warnings())
    );
}

#[test]
fn thirty_lines_are_looked_at() {
    assert_eq!(HEADER_LINES, 30);
    for eol in ["\n", "\r\n"] {
        let header = parse_header(&of_lines(30, eol));
        assert_eq!(
            (header.name.as_deref(), header.kind, header.warnings.len()),
            (Some("title"), Some(MemoryType::User), 0)
        );
        // One line more: the closing fence is out of sight, the keys above are not.
        let header = parse_header(&of_lines(31, eol));
        assert_eq!(
            (header.name.as_deref(), header.kind),
            (Some("title"), Some(MemoryType::User))
        );
        assert_eq!(header.warnings.len(), 1);
        assert_eq!(
            (header.warnings[0].line, &header.warnings[0].kind),
            (30, &WarningKind::HeaderTooLong)
        );
        let header = parse_header(&of_lines(33, eol));
        assert_eq!((header.name.as_deref(), header.kind), (None, None));
        assert!(header.recovered);
    }
}

#[test]
fn what_follows_the_header_does_not_matter() {
    let header = parse_header("---\nname: title\n---\n");
    let long = format!(
        "---\nname: title\n---\n{}",
        "---\nname: other\n".repeat(1_000)
    );
    assert_eq!(parse_header(&long), header);
    assert_eq!(header.warnings, []);
}

#[test]
fn a_file_without_header_has_none() {
    for text in ["", "# T\n", "# T\n\n---\n", &"text\n".repeat(100)] {
        assert_eq!(parse_header(text), Default::default());
    }
    let header = parse_header(&format!("---\n{}", "text\n".repeat(100)));
    assert_eq!(
        (header.name, header.recovered, header.warnings.len()),
        (None, false, 1)
    );
    assert_eq!(header.warnings[0].kind, WarningKind::HeaderTooLong);
}

#[test]
fn one_endless_line_is_not_read_to_its_end() {
    let header = parse_header(&format!("---\nname: title\nx: {}", "y".repeat(1_000_000)));
    assert_eq!(header.name.as_deref(), Some("title"));
    assert_eq!(header.warnings[0].kind, WarningKind::HeaderTooLong);
}
