//! Other readings of a text, in which a secret shows that the text itself hides: wrapped lines
//! put together, and what stands in base64.

use std::ops::Range;

/// The least length of a run of base64 that is decoded: what is shorter holds no token.
const MIN_RUN: usize = 24;

/// The text with its wrapped lines put together, and where each part comes from.
pub(super) struct Joined {
    text: String,
    /// Offset in the joined text, offset in the original, of each part after a join.
    parts: Vec<(usize, usize)>,
}

impl Joined {
    /// `None` if no line ends in the middle of what could be a token.
    pub(super) fn of(text: &str) -> Option<Joined> {
        let bytes = text.as_bytes();
        let mut out = String::new();
        let mut parts = vec![(0, 0)];
        let mut from = 0;
        for (at, _) in text.match_indices('\n') {
            if at < from {
                continue;
            }
            let left = trim_line_end(&bytes[..at]);
            let right = at + 1 + wrapped_prefix(&bytes[at + 1..]);
            let ends_inside = left > from && is_token_byte(bytes[left - 1]);
            let goes_on = bytes.get(right).is_some_and(|b| is_token_byte(*b));
            if !ends_inside || !goes_on {
                continue;
            }
            out.push_str(&text[from..left]);
            parts.push((out.len(), right));
            from = right;
        }
        if parts.len() == 1 {
            return None;
        }
        out.push_str(&text[from..]);
        Some(Joined { text: out, parts })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where in the original a place is, if it reaches over a join.
    pub(super) fn original(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let last = range.end.checked_sub(1)?;
        (self.part(range.start) != self.part(last))
            .then(|| self.map(range.start)..self.map(last) + 1)
    }

    fn part(&self, at: usize) -> usize {
        self.parts
            .partition_point(|(from, _)| *from <= at)
            .saturating_sub(1)
    }

    fn map(&self, at: usize) -> usize {
        self.parts
            .get(self.part(at))
            .map_or(at, |(from, original)| original + (at - from))
    }
}

/// Where a line ends without what wrapping adds: white space, a backslash, a quotation mark and
/// the sign that joins two texts in code.
fn trim_line_end(line: &[u8]) -> usize {
    let mut end = line.len();
    let mut drop = |set: &[u8], most: usize| {
        let mut left = most;
        while left > 0 && end > 0 && set.contains(&line[end - 1]) {
            end -= 1;
            left -= 1;
        }
    };
    drop(b" \t\r", 16);
    drop(b"\\+.", 1);
    drop(b" \t", 4);
    drop(b"\"'", 1);
    end
}

/// The length of what wrapping puts in front of the next line: white space, marks of a quotation
/// or a comment, an opening quotation mark.
fn wrapped_prefix(line: &[u8]) -> usize {
    let mut at = 0;
    while at < 32 && line.get(at).is_some_and(|b| b" \t>|#*".contains(b)) {
        at += 1;
    }
    if line.get(at).is_some_and(|b| b"\"'".contains(b)) {
        at += 1;
    }
    at
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-+/=.".contains(&byte)
}

/// The runs of base64 that decode to readable text, with that text.
pub(super) fn decoded(text: &str) -> Vec<(Range<usize>, String)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let Some(start) = bytes[at..].iter().position(|b| sextet(*b).is_some()) else {
            break;
        };
        let start = at + start;
        let length = bytes[start..].iter().position(|b| sextet(*b).is_none());
        let end = length.map_or(bytes.len(), |length| start + length);
        if end - start >= MIN_RUN
            && let Some(plain) = decode(&bytes[start..end])
        {
            found.push((start..end, plain));
        }
        at = end;
    }
    found
}

fn sextet(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}

/// What a run stands for, if that is text without control characters. Gives up at the first byte
/// that is not, so that pictures cost next to nothing.
fn decode(run: &[u8]) -> Option<String> {
    let mut out = String::with_capacity(run.len() / 4 * 3);
    for group in run.chunks(4) {
        if group.len() < 2 {
            break;
        }
        let mut word = 0;
        for byte in group {
            word = word << 6 | sextet(*byte)?;
        }
        word <<= 6 * (4 - group.len());
        for at in 0..group.len() - 1 {
            let byte = (word >> (16 - 8 * at)) as u8;
            if !matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t') {
                return None;
            }
            out.push(char::from(byte));
        }
    }
    Some(out)
}

/// Whether base64 holds the first line of a private key, wherever its groups begin.
pub(super) fn encodes_private_key(run: &str) -> bool {
    const NAME: &[u8] = b"PRIVATE KEY";
    (0..4).any(|from| {
        let digits: Vec<u32> = run
            .bytes()
            .skip(from)
            .take(128)
            .filter_map(sextet)
            .collect();
        let plain: Vec<u8> = digits
            .chunks_exact(4)
            .flat_map(|group| {
                let word = group.iter().fold(0, |word, digit| word << 6 | digit);
                [(word >> 16) as u8, (word >> 8) as u8, word as u8]
            })
            .collect();
        plain.windows(NAME.len()).any(|window| window == NAME)
    })
}

/// How far a private key reaches behind its first line, or `None` if no key material follows.
pub(super) fn key_end(after: &str) -> Option<usize> {
    let mut material = 0;
    let mut end = 0;
    for (at, c) in after.char_indices() {
        match c {
            '-' if after[at..].starts_with("-----END") => {
                let close = after[at + 5..]
                    .find("-----")
                    .map_or(after.len(), |close| at + close + 10);
                return (material >= MIN_MATERIAL && has_run(&after[..at])).then_some(close);
            }
            'A'..='Z' | 'a'..='z' | '0'..='9' | '+' | '/' | '=' => {
                material += 1;
                end = at + 1;
            }
            // Line ends, as they are and as escape sequences, and the headers of old formats.
            ' ' | '\t' | '\r' | '\n' | '\\' | '"' | '\'' | ':' | ',' | '-' | '>' | '|' | '#'
            | '*' => {}
            _ => break,
        }
    }
    (material >= MIN_MATERIAL && has_run(&after[..end])).then_some(end)
}

/// So many characters of base64 behind the first line of a key are key material.
const MIN_MATERIAL: usize = 24;

/// Whether there is a run of base64 that no sentence has.
fn has_run(text: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '+' || c == '/' || c == '='))
        .any(|run| run.len() >= MIN_MATERIAL)
}
