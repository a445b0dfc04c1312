//! Counts what a text is made of, in one pass: the features that the estimate weighs.
//!
//! For ASCII, one look into a table for each two neighbors counts all features at once.

/// What is counted. The order is that of the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Letter,
    /// First letters of words.
    Word,
    /// Letters from the ninth of a word on.
    Long,
    /// Capitals behind a small letter.
    Camel,
    /// Capitals behind a capital.
    Capital,
    Digit,
    /// First digits of numbers.
    Number,
    Punctuation,
    /// First signs of runs of punctuation.
    Signs,
    Newline,
    /// Spaces behind a space.
    Indent,
    Han,
    Kana,
    Hangul,
    /// Punctuation and full-width forms of East Asia.
    Wide,
    Latin,
    Vietnamese,
    Greek,
    Cyrillic,
    /// Arabic, Hebrew and their neighbors.
    Semitic,
    Symbol,
    Dingbat,
    Box,
    /// Emoji, and everything else beyond 16 bits.
    Astral,
    /// India and Southeast Asia but for Thai and Lao.
    Indic,
    Thai,
    Other,
}

/// How many classes there are.
pub(super) const CLASSES: usize = Class::Other as usize + 1;

/// Bytes counted at once. Below 256, so that each count fits a byte.
const BLOCK: usize = 192;

/// Letters of a word that are not [`Class::Long`].
const SHORT: u32 = 8;

// Kinds of bytes.
const NONE: usize = 0;
const LOWER: usize = 1;
const UPPER: usize = 2;
const DIGIT: usize = 3;
const SPACE: usize = 4;
const NEWLINE: usize = 5;
const SIGN: usize = 6;
const KINDS: usize = 8;

/// What two neighbors can count as; each has a byte of its own in [`PAIRS`].
const PAIR_CLASSES: [Class; 10] = [
    Class::Letter,
    Class::Word,
    Class::Camel,
    Class::Capital,
    Class::Digit,
    Class::Number,
    Class::Punctuation,
    Class::Signs,
    Class::Newline,
    Class::Indent,
];

const KIND_OF: [u8; 256] = {
    let mut kinds = [NONE as u8; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b' ' | b'\t' | b'\r' => SPACE,
            b'\n' => NEWLINE,
            _ => SIGN,
        } as u8;
        byte += 1;
    }
    kinds
};

/// For the kind before and the kind now, what it counts as.
const PAIRS: [u128; KINDS * KINDS] = {
    let mut pairs = [0; KINDS * KINDS];
    let mut before = 0;
    while before < KINDS {
        let letter = before == LOWER || before == UPPER;
        let mut now = 0;
        while now < KINDS {
            let is_letter = now == LOWER || now == UPPER;
            let is = [
                is_letter,
                is_letter && !letter,
                now == UPPER && before == LOWER,
                now == UPPER && before == UPPER,
                now == DIGIT,
                now == DIGIT && before != DIGIT,
                now == SIGN,
                now == SIGN && before != SIGN,
                now == NEWLINE,
                now == SPACE && before == SPACE,
            ];
            let mut at = 0;
            while at < is.len() {
                pairs[before * KINDS + now] |= (is[at] as u128) << (8 * at);
                at += 1;
            }
            now += 1;
        }
        before += 1;
    }
    pairs
};

/// The counts, and what stood before.
#[derive(Debug, Clone)]
pub(super) struct Classes {
    pub(super) counts: [u64; CLASSES],
    before: usize,
    /// Letters of the word so far.
    word: u32,
}

impl Default for Classes {
    fn default() -> Classes {
        Classes {
            counts: [0; CLASSES],
            before: NEWLINE,
            word: 0,
        }
    }
}

impl Classes {
    pub(super) fn text(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let block = &rest.as_bytes()[..rest.len().min(BLOCK)];
            let run = if block.is_ascii() {
                block.len()
            } else {
                let run = block.iter().position(|byte| !byte.is_ascii());
                run.unwrap_or(block.len())
            };
            if run > 0 {
                self.ascii(&block[..run]);
            }
            rest = &rest[run..];
            while let Some(c) = rest.chars().next().filter(|c| !c.is_ascii()) {
                self.char(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }

    fn add(&mut self, class: Class, count: u64) {
        self.counts[class as usize] += count;
    }

    fn ascii(&mut self, bytes: &[u8]) {
        let (mut before, mut word) = (self.before, self.word);
        let (mut pairs, mut long) = (0_u128, 0_u64);
        for byte in bytes {
            let now = usize::from(KIND_OF[usize::from(*byte)]) % KINDS;
            pairs += PAIRS[before * KINDS + now];
            word = if now == LOWER || now == UPPER {
                word.saturating_add(1)
            } else {
                0
            };
            long += u64::from(word > SHORT);
            before = now;
        }
        (self.before, self.word) = (before, word);
        self.add(Class::Long, long);
        for (class, count) in PAIR_CLASSES.into_iter().zip(pairs.to_le_bytes()) {
            self.add(class, count.into());
        }
    }

    fn char(&mut self, c: char) {
        (self.before, self.word) = (NONE, 0);
        self.add(class_of(c), 1);
    }
}

fn class_of(c: char) -> Class {
    match u32::from(c) {
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0xF900..=0xFAFF => Class::Han,
        0x3040..=0x30FF => Class::Kana,
        0xAC00..=0xD7A3 => Class::Hangul,
        0x3000..=0x303F | 0xFF00..=0xFFEF => Class::Wide,
        0x80..=0x24F => Class::Latin,
        0x1E00..=0x1EFF => Class::Vietnamese,
        0x370..=0x3FF | 0x1F00..=0x1FFF => Class::Greek,
        0x400..=0x52F => Class::Cyrillic,
        0x590..=0x8FF => Class::Semitic,
        0x2600..=0x27BF | 0xFE00..=0xFE0F => Class::Dingbat,
        0x2500..=0x259F => Class::Box,
        0x2000..=0x2BFF => Class::Symbol,
        0x0900..=0x0DFF | 0x1000..=0x109F | 0x1780..=0x17FF => Class::Indic,
        0x0E00..=0x0EFF => Class::Thai,
        0x1_0000.. => Class::Astral,
        _ => Class::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::{CLASSES, Class, Classes};

    fn counts(text: &str) -> [u64; CLASSES] {
        let mut classes = Classes::default();
        classes.text(text);
        classes.counts
    }

    #[track_caller]
    fn check(text: &str, wanted: &[(Class, u64)]) {
        let mut expected = [0; CLASSES];
        for (class, count) in wanted {
            expected[*class as usize] = *count;
        }
        assert_eq!(counts(text), expected, "{text:?}");
    }

    #[test]
    fn features_are_counted_where_they_begin() {
        check(
            "the longwindedness",
            &[(Class::Letter, 17), (Class::Word, 2), (Class::Long, 6)],
        );
        check(
            "camelCaseHTTP",
            &[
                (Class::Letter, 13),
                (Class::Word, 1),
                (Class::Long, 5),
                (Class::Camel, 2),
                (Class::Capital, 3),
            ],
        );
        check(
            "a == 105\n",
            &[
                (Class::Letter, 1),
                (Class::Word, 1),
                (Class::Punctuation, 2),
                (Class::Signs, 1),
                (Class::Digit, 3),
                (Class::Number, 1),
                (Class::Newline, 1),
            ],
        );
        check(
            "x    y",
            &[(Class::Letter, 2), (Class::Word, 2), (Class::Indent, 3)],
        );
        check(
            "中か한。é",
            &[
                (Class::Han, 1),
                (Class::Kana, 1),
                (Class::Hangul, 1),
                (Class::Wide, 1),
                (Class::Latin, 1),
            ],
        );
    }

    #[test]
    fn it_does_not_matter_where_a_text_is_cut() {
        let text = "fn main() { let wordCount = 12345; }\n中文 and ASCII\n".repeat(40);
        let whole = counts(&text);
        for step in [1, 3, 7, 191, 192, 193, 500] {
            let mut classes = Classes::default();
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let mut at = step.min(rest.len());
                while !rest.is_char_boundary(at) {
                    at += 1;
                }
                classes.text(&rest[..at]);
                rest = &rest[at..];
            }
            assert_eq!(classes.counts, whole, "{step}");
        }
    }
}
