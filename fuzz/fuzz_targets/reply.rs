//! Answers of a selector: never more than five names, none that was not offered, none twice.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memdir_recall::{MAX_PICKS, read_reply};

const OFFERED: [&str; 7] =
    ["a.md", "b.md", "feedback/c.md", "d e.md", "测试.md", "A.md", "a.md.md"];

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let selection = read_reply(&text, &OFFERED);
    assert!(selection.picks.len() <= MAX_PICKS);
    for (at, pick) in selection.picks.iter().enumerate() {
        assert!(OFFERED.contains(&pick.as_str()));
        assert!(!selection.picks[..at].contains(pick));
    }
});
