//! Any text as an instruction file: references are in order, apart, and where they say.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut end = 0;
    for reference in claudemd::references(&text) {
        assert!(reference.range.start >= end);
        end = reference.range.end;
        assert!(text[reference.range.clone()].starts_with('@'));
        let candidates = reference.candidates();
        assert_eq!(candidates.first(), Some(&reference.path));
        assert!(candidates.iter().all(|path| !path.is_empty()));
    }
});
