//! Counts what a text is made of, in one pass: the features that the estimate weighs.
//!
//! Blocks of ASCII are counted in loops over bytes that the compiler turns into vector code.

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

/// Bytes counted at once. Below 256, so that a sum of bits fits a byte.
const BLOCK: usize = 192;

/// Blocks are counted in multiples of this many bytes.
const LANE: usize = 32;

/// How far back a byte is looked at.
const BACK: usize = 8;

const LETTER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
const SPACE: u8 = 8;
const NEWLINE: u8 = 16;
const SIGN: u8 = 32;

/// The counts, and what stood before.
#[derive(Debug, Clone)]
pub(super) struct Classes {
    pub(super) counts: [u64; CLASSES],
    before: [u8; BACK],
}

impl Default for Classes {
    fn default() -> Classes {
        Classes {
            counts: [0; CLASSES],
            before: [NEWLINE; BACK],
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
        let end = bytes.len();
        // Whole lanes: what stands behind the text belongs to no class.
        let lanes = end.next_multiple_of(LANE);
        let mut padded = [0; BLOCK];
        padded[..end].copy_from_slice(bytes);
        let mut flags = [0; BLOCK + BACK];
        flags[..BACK].copy_from_slice(&self.before);
        for (flag, byte) in flags[BACK..].iter_mut().zip(&padded[..lanes]) {
            *flag = flag_of(*byte);
        }
        flags[BACK + end..BACK + lanes].fill(0);
        let at = |back: usize| &flags[BACK - back..BACK - back + lanes];
        let (now, one) = (at(0), at(1));
        let pairs = |test: fn(u8, u8) -> bool| {
            let hits = now
                .iter()
                .zip(one)
                .map(|(now, one)| u8::from(test(*now, *one)));
            u64::from(hits.fold(0_u8, u8::wrapping_add))
        };
        let mut long = [0; BLOCK];
        let long = &mut long[..lanes];
        long.copy_from_slice(now);
        for back in 1..=BACK {
            for (long, flag) in long.iter_mut().zip(at(back)) {
                *long &= *flag;
            }
        }
        let hits = long.iter().map(|flags| flags & LETTER);
        let long = u64::from(hits.fold(0_u8, u8::wrapping_add));
        let found = [
            (Class::Letter, pairs(|now, _| now & LETTER != 0)),
            (Class::Word, pairs(|now, one| now & !one & LETTER != 0)),
            (Class::Long, long),
            (
                Class::Camel,
                pairs(|now, one| now & UPPER != 0 && one & (LETTER | UPPER) == LETTER),
            ),
            (Class::Capital, pairs(|now, one| now & one & UPPER != 0)),
            (Class::Digit, pairs(|now, _| now & DIGIT != 0)),
            (Class::Number, pairs(|now, one| now & !one & DIGIT != 0)),
            (Class::Punctuation, pairs(|now, _| now & SIGN != 0)),
            (Class::Signs, pairs(|now, one| now & !one & SIGN != 0)),
            (Class::Newline, pairs(|now, _| now & NEWLINE != 0)),
            (Class::Indent, pairs(|now, one| now & one & SPACE != 0)),
        ];
        self.before.copy_from_slice(&flags[end..end + BACK]);
        for (class, count) in found {
            self.add(class, count);
        }
    }

    fn char(&mut self, c: char) {
        self.before = [0; BACK];
        self.add(class_of(c), 1);
    }
}

fn flag_of(byte: u8) -> u8 {
    let lower = byte | 0x20;
    let is_letter = lower.wrapping_sub(b'a') < 26;
    let is_upper = byte.wrapping_sub(b'A') < 26;
    let is_digit = byte.wrapping_sub(b'0') < 10;
    let is_space = (byte == b' ') | (byte == b'\t') | (byte == b'\r');
    let is_newline = byte == b'\n';
    let is_sign = !(is_letter | is_digit | is_space | is_newline);
    let flag = |is: bool, flag: u8| u8::from(is) * flag;
    flag(is_letter, LETTER)
        | flag(is_upper, UPPER)
        | flag(is_digit, DIGIT)
        | flag(is_space, SPACE)
        | flag(is_newline, NEWLINE)
        | flag(is_sign, SIGN)
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
