//! A text put together again: without line wraps, quotation marks and signs between its parts,
//! hidden characters and needless escape sequences.

use std::ops::Range;

use crate::gate::hidden::is_hidden;

/// A text with what stood between its parts taken away, and where each part comes from.
pub(super) struct Joined {
    text: String,
    /// Offset in the joined text, offset in the original, of each part after a join.
    parts: Vec<(usize, usize)>,
    /// Where the original text ends.
    end: usize,
}

/// What is taken away.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Joints {
    /// What says that the parts belong together: hidden characters, escape sequences for plain
    /// characters, the signs between two quoted texts in code, a line end behind a backslash.
    Marked,
    /// The same, and line ends with what wrapping adds to them.
    Wrapped,
}

impl Joined {
    /// `None` if there is nothing to take away.
    pub(super) fn of(text: &str, joints: Joints) -> Option<Joined> {
        let bytes = text.as_bytes();
        let mut out = String::new();
        let mut parts = vec![(0, 0)];
        let mut from = 0;
        let mut at = 0;
        while at < bytes.len() {
            let Some(joint) = joint(text, from, at, joints) else {
                at += 1;
                continue;
            };
            out.push_str(&text[from..joint.left]);
            parts.push((out.len(), joint.left));
            if let Some(c) = joint.instead {
                out.push(c);
                parts.push((out.len(), joint.right));
            } else if let Some(last) = parts.last_mut() {
                last.1 = joint.right;
            }
            from = joint.right;
            at = joint.right.max(at + 1);
        }
        if parts.len() == 1 {
            return None;
        }
        out.push_str(&text[from..]);
        let end = text.len();
        Some(Joined {
            text: out,
            parts,
            end,
        })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where in the original a place is, if it reaches over a join.
    pub(super) fn original(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let last = range.end.checked_sub(1)?;
        (self.part(range.start) != self.part(last)).then(|| self.map(range.start)..self.after(last))
    }

    /// Whether a part begins there: what stood before it was taken away.
    pub(super) fn is_boundary(&self, at: usize) -> bool {
        self.parts
            .get(self.part(at))
            .is_some_and(|(from, _)| *from == at)
    }

    /// The places where parts begin, from the first one at or behind `at`.
    pub(super) fn boundaries(&self, at: usize) -> impl Iterator<Item = usize> {
        let first = self.parts.partition_point(|(from, _)| *from < at);
        self.parts[first..].iter().map(|(from, _)| *from)
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

    /// The end in the original of the character at `at`: of the whole escape sequence, if it
    /// comes from one.
    fn after(&self, at: usize) -> usize {
        let part = self.part(at);
        let is_last_of_part = self
            .parts
            .get(part + 1)
            .is_some_and(|next| next.0 == at + 1);
        let length_kept = match (self.parts.get(part), self.parts.get(part + 1)) {
            (Some(here), Some(next)) => next.1 - here.1 == next.0 - here.0,
            _ => true,
        };
        if is_last_of_part && !length_kept && self.is_boundary(at) {
            return self.parts[part + 1].1;
        }
        (self.map(at) + 1).min(self.end)
    }
}

/// A place where two parts are joined.
struct Joint {
    left: usize,
    right: usize,
    /// The character that an escape sequence stands for.
    instead: Option<char>,
}

/// The joint that shows at `at`, if there is one: nothing before `from` belongs to it.
fn joint(text: &str, from: usize, at: usize, joints: Joints) -> Option<Joint> {
    let bytes = text.as_bytes();
    let is_inside = |left: usize| left > from && is_token_byte(bytes[left - 1]);
    let (left, right) = match bytes[at] {
        b'\n' => {
            let left = trim_line_end(&bytes[from..at]) + from;
            let right = at + 1 + wrapped_prefix(&bytes[at + 1..]);
            let has = |set: &[u8], bytes: &[u8]| bytes.iter().any(|b| set.contains(b));
            let is_quoted = has(b"\"'", &bytes[left..at]) && has(b"\"'", &bytes[right - 1..right]);
            if joints == Joints::Marked && !is_quoted && !has(b"\\", &bytes[left..at]) {
                return None;
            }
            (left, right)
        }
        b'"' | b'\'' | b'`' if is_inside(at) => (at, at + concatenation(&bytes[at..])?),
        b'\\' => {
            return escape(&bytes[at..]).map(|(length, c)| Joint {
                left: at,
                right: at + length,
                instead: Some(c),
            });
        }
        byte if byte >= 0x80 && is_inside(at) => {
            let c = text.get(at..)?.chars().next()?;
            if !is_hidden(c) {
                return None;
            }
            let hidden = text[at..].chars().take_while(|c| is_hidden(*c));
            (at, at + hidden.map(char::len_utf8).sum::<usize>())
        }
        _ => return None,
    };
    let goes_on = bytes.get(right).is_some_and(|b| is_token_byte(*b));
    (is_inside(left) && goes_on).then_some(Joint {
        left,
        right,
        instead: None,
    })
}

/// The length of what joins two quoted texts on one line: `" + "`, `' . '`, `" "`.
fn concatenation(bytes: &[u8]) -> Option<usize> {
    let quote = *bytes.first()?;
    let inner = bytes.get(1..16)?.iter().position(|b| *b == quote)? + 1;
    let is_sign = |b: &u8| b" \t+.&~|\\".contains(b);
    (inner > 1 && bytes[1..inner].iter().all(is_sign)).then_some(inner + 1)
}

/// The length of an escape sequence of JSON, YAML or code, and the plain character that it stands
/// for. Such characters need none, so whoever wrote it meant to hide the text or used a machine.
fn escape(bytes: &[u8]) -> Option<(usize, char)> {
    let (length, digits) = match bytes.get(1)? {
        b'x' => (4, bytes.get(2..4)?),
        b'u' if bytes.get(2) == Some(&b'{') => {
            let close = bytes.get(3..10)?.iter().position(|b| *b == b'}')?;
            (close + 4, bytes.get(3..close + 3)?)
        }
        b'u' => (6, bytes.get(2..6)?),
        b'U' => (10, bytes.get(2..10)?),
        _ => return None,
    };
    let digits = std::str::from_utf8(digits).ok()?;
    let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    c.is_ascii_graphic().then_some((length, c))
}

/// Where a line ends without what wrapping adds: white space, a backslash, a quotation mark and
/// the sign that joins two texts in code. Without a quotation mark the sign is the token's own.
fn trim_line_end(line: &[u8]) -> usize {
    let drop = |end: usize, set: &[u8], most: usize| {
        let trimmed = line[..end].iter().rev().take(most);
        end - trimmed.take_while(|b| set.contains(b)).count()
    };
    let end = drop(line.len(), b" \t\r", 16);
    let end = drop(drop(end, b"\\", 1), b" \t", 4);
    let before_sign = drop(drop(end, b"+.&", 1), b" \t", 4);
    let unquoted = drop(before_sign, b"\"'", 1);
    if unquoted < before_sign {
        unquoted
    } else {
        end
    }
}

/// The length of what wrapping puts in front of the next line: white space, marks of a quotation
/// or a comment, the sign that joins two texts, an opening quotation mark.
fn wrapped_prefix(line: &[u8]) -> usize {
    let mut at = 0;
    while at < 32 && line.get(at).is_some_and(|b| b" \t>|#*;".contains(b)) {
        at += 1;
    }
    for mark in [
        b"// ".as_slice(),
        b"/// ",
        b"//! ",
        b"-- ",
        b"+ ",
        b". ",
        b"& ",
    ] {
        if line.get(at..).is_some_and(|rest| rest.starts_with(mark)) {
            at += mark.len();
            break;
        }
    }
    while at < 48 && line.get(at).is_some_and(|b| b" \t".contains(b)) {
        at += 1;
    }
    if line.get(at).is_some_and(|b| b"\"'".contains(b)) {
        at += 1;
    }
    at
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-+/=.~:@%".contains(&byte)
}
