//! Lines of patterns, the last line a path: each pattern alone says what the list says.
#![no_main]

use std::path::Path;

use claudemd::PathGlobs;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut lines: Vec<&str> = text.lines().take(16).collect();
    let path = Path::new(lines.pop().unwrap_or_default());
    let globs = PathGlobs::new(&lines);
    let found = globs.is_match(path);
    let problems = globs.problems().len();
    assert!(problems <= lines.len() + 1);
    if path.is_absolute() {
        assert!(!found);
    }
    // The last pattern that covers decides; braces may hide a `!` and share a budget.
    if text.contains(['{', '}']) || text.len() > PathGlobs::MAX_COMPILED_BYTES {
        return;
    }
    let mut expected = false;
    for line in &lines {
        let line = line.trim();
        let (negative, pattern) = match line.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        // After `!` these two are characters, at the start of a line they are not, and white
        // space after it is no end of a pattern.
        if negative && (pattern.starts_with(['!', '#']) || pattern.trim() != pattern) {
            return;
        }
        if PathGlobs::new(&[pattern]).is_match(path) {
            expected = !negative;
        }
    }
    assert_eq!(found, expected, "{lines:?} on {path:?}");
});
