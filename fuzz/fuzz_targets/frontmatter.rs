//! Any text as a rule: the body is an end of the text, and patterns are never empty.
#![no_main]

use claudemd::{Header, PathsKey};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let header = Header::parse(&text);
    assert!(text.ends_with(header.body));
    if let PathsKey::Only(patterns) = &header.paths {
        assert!(!patterns.is_empty());
        for pattern in patterns {
            assert!(!pattern.is_empty() && pattern.trim() == pattern);
        }
    }
    // The same frontmatter in front of another body says the same.
    if header.body.len() < text.len() {
        let head = &text[..text.len() - header.body.len()];
        if head.ends_with('\n') {
            let other = format!("{head}OTHER");
            let again = Header::parse(&other);
            assert_eq!((again.body, again.paths), ("OTHER", header.paths));
        }
    }
});
