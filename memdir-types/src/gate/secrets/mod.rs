//! Secrets: tokens of known shape, private keys, credentials in URLs, and values that the words
//! around them call a secret.
//!
//! One pass over the text looks for the keywords of all shapes, and only the patterns whose
//! keyword stands there run. The same is done for what the text becomes when wrapped lines are
//! put together again, and for what it holds in base64.

mod joined;
mod judge;
mod table;
mod views;

use std::fmt;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex::bytes::{Regex, RegexBuilder};

use super::{GateRule, Severity};
use joined::{Joined, Joints};
use judge::{Check, Reading};
use table::SHAPES;

/// The kind of a secret: one of the shapes that the gate knows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretKind(u8);

impl SecretKind {
    /// The stable name for programs, such as `github-token`.
    #[must_use]
    pub fn id(self) -> &'static str {
        SHAPES
            .get(usize::from(self.0))
            .map_or("secret", |shape| shape.id)
    }

    /// The name for people, such as `GitHub token`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        SHAPES
            .get(usize::from(self.0))
            .map_or("secret", |shape| shape.name)
    }

    /// All kinds, in the order in which they are tried.
    pub fn all() -> impl Iterator<Item = SecretKind> {
        (0..=u8::MAX).take(SHAPES.len()).map(SecretKind)
    }
}

impl fmt::Debug for SecretKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKind({})", self.id())
    }
}

impl fmt::Display for SecretKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for SecretKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

/// The keywords, and which shape each belongs to.
struct Keywords {
    search: Option<AhoCorasick>,
    owner: Vec<usize>,
}

static KEYWORDS: LazyLock<Keywords> = LazyLock::new(|| {
    let mut words = Vec::new();
    let mut owner = Vec::new();
    for (index, shape) in SHAPES.iter().enumerate() {
        for word in shape.keywords {
            words.push(*word);
            owner.push(index);
        }
    }
    let search = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(&words)
        .ok();
    Keywords { search, owner }
});

/// One compiled pattern for each shape, made when it is first needed.
static PATTERNS: [OnceLock<Option<Regex>>; SHAPES.len()] =
    [const { OnceLock::new() }; SHAPES.len()];

fn pattern(index: usize) -> Option<&'static Regex> {
    PATTERNS
        .get(index)?
        .get_or_init(|| {
            RegexBuilder::new(SHAPES[index].pattern)
                .unicode(false)
                .size_limit(4 << 20)
                .build()
                .ok()
        })
        .as_ref()
}

/// A secret and where it is.
#[derive(Clone, Debug)]
struct Found {
    shape: usize,
    severity: Severity,
    range: Range<usize>,
}

/// All secrets of a text, in order, none inside another, at most `limit`.
pub(super) fn find(text: &str, limit: usize) -> Vec<(GateRule, Severity, Range<usize>)> {
    let mut found = search(text, Reading::Plain, |_| false, limit);
    for (range, decoded) in views::decoded(text) {
        if let Some(hit) = search(&decoded, Reading::Decoded, |_| false, 1).pop() {
            found.push(Found { range, ..hit });
        }
    }
    for (joints, reading) in [
        (Joints::Marked, Reading::Marked),
        (Joints::Wrapped, Reading::Wrapped),
    ] {
        let Some(joined) = Joined::of(text, joints) else {
            continue;
        };
        for hit in search(joined.text(), reading, |at| joined.is_boundary(at), limit) {
            // Only what the joints kept apart is news.
            if let Some(range) = joined.original(&hit.range) {
                found.push(Found { range, ..hit });
            }
        }
        for (range, decoded) in views::decoded_lines(&joined) {
            if let Some(hit) = search(&decoded, Reading::Decoded, |_| false, 1).pop() {
                found.push(Found { range, ..hit });
            }
        }
    }
    merge(found, limit)
        .into_iter()
        .map(|found| {
            let kind = SecretKind(u8::try_from(found.shape).unwrap_or(u8::MAX));
            (GateRule::Secret(kind), found.severity, found.range)
        })
        .collect()
}

/// Sorted by place; of those that overlap the first in the table stays, over the whole place.
fn merge(mut found: Vec<Found>, limit: usize) -> Vec<Found> {
    found.sort_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)));
    let mut merged: Vec<Found> = Vec::new();
    for next in found {
        match merged.last_mut() {
            Some(last) if next.range.start < last.range.end => {
                last.range.end = last.range.end.max(next.range.end);
                last.severity = last.severity.max(next.severity);
                last.shape = last.shape.min(next.shape);
            }
            _ => merged.push(next),
        }
    }
    merged.truncate(limit);
    merged
}

/// One pass for the keywords, then the patterns whose keyword is there.
fn search(
    text: &str,
    reading: Reading,
    is_boundary: impl Fn(usize) -> bool,
    limit: usize,
) -> Vec<Found> {
    let mut wanted = [false; SHAPES.len()];
    if let Some(search) = &KEYWORDS.search {
        for hit in search.find_overlapping_iter(text) {
            if let Some(owner) = KEYWORDS.owner.get(hit.pattern().as_usize()) {
                wanted[*owner] = true;
            }
        }
    }
    if has_dots_seven_apart(text.as_bytes()) {
        for (wanted, shape) in wanted.iter_mut().zip(SHAPES) {
            *wanted |= shape.keywords.is_empty();
        }
    }
    let mut found = Vec::new();
    for (index, shape) in SHAPES.iter().enumerate() {
        if !wanted[index] || !shape.check.is_for(reading) {
            continue;
        }
        let Some(pattern) = pattern(index) else {
            continue;
        };
        let mut at = 0;
        while let Some(groups) = pattern.captures_at(text.as_bytes(), at) {
            let Some(whole) = groups.get(0) else { break };
            let range = groups.get(1).unwrap_or(whole).range();
            match verdict(shape.check, text, whole.range(), range, &is_boundary) {
                Some((severity, range)) => {
                    at = whole.end().max(range.end).max(at + 1);
                    found.push(Found {
                        shape: index,
                        severity,
                        range,
                    });
                }
                // What was no secret may hold the beginning of one.
                None => at = next_start(text, shape.check, whole.range()),
            }
            if found.len() >= limit || at > text.len() {
                break;
            }
        }
    }
    found
}

/// Where to search on after a match that was no secret. Behind it, so that all searches together
/// stay linear; but what only its key called a secret may itself hold a key.
fn next_start(text: &str, check: Check, whole: Range<usize>) -> usize {
    if !check.by_context() {
        return whole.end.max(whole.start + 1);
    }
    let inside = text.as_bytes().get(whole.clone()).unwrap_or_default();
    let sign = inside.iter().position(|b| matches!(b, b'=' | b':' | b' '));
    whole.start + sign.map_or(whole.len(), |at| at + 1).max(1)
}

/// Two full stops with six characters between them.
fn has_dots_seven_apart(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .zip(bytes.iter().skip(7))
        .any(|(a, b)| (*a, *b) == (b'.', b'.'))
}

/// Whether a match is a secret, how bad that is, and the whole of its place.
fn verdict(
    check: Check,
    text: &str,
    whole: Range<usize>,
    range: Range<usize>,
    is_boundary: &impl Fn(usize) -> bool,
) -> Option<(Severity, Range<usize>)> {
    let value = text.get(range.clone())?;
    let after = text.get(range.end..)?;
    let is_secret = match check {
        Check::Token => stands_alone(text, &whole, false, is_boundary) && !judge::is_example(value),
        Check::PlainToken => {
            stands_alone(text, &whole, true, is_boundary) && !judge::is_example(value)
        }
        Check::DrawnToken => {
            stands_alone(text, &whole, true, is_boundary) && judge::is_drawn(value)
        }
        Check::EncodedHeader => views::encodes_private_key(value),
        Check::KeyHeader => {
            let key = views::key_end(after).map(|length| range.start..range.end + length);
            return Some(match key {
                Some(key) => (Severity::Error, key),
                None => (Severity::Warning, range),
            });
        }
        Check::UrlPassword => judge::is_url_password(value),
        Check::Password => judge::is_password(value, after),
        Check::Generic => {
            let before = text.get(..whole.start)?;
            let key = text.get(whole.start..)?;
            !judge::is_harmless_key(before, key) && judge::is_generic(value, after)
        }
    };
    let end = if check.by_context() {
        range.start + judge::trim_end(value).len()
    } else {
        range.end
    };
    is_secret.then_some((Severity::Error, range.start..end.max(range.start + 1)))
}

/// Whether a token is not a piece of a longer word. `\n` in front of it is an escape sequence and
/// `%3D` an encoded sign, not letters. What begins with a sign needs no room before it.
fn stands_alone(
    text: &str,
    range: &Range<usize>,
    among_base64: bool,
    is_boundary: &impl Fn(usize) -> bool,
) -> bool {
    let bytes = text.as_bytes();
    let before = &bytes[..range.start];
    let goes_on =
        |byte: &u8| byte.is_ascii_alphanumeric() || (among_base64 && b"+/".contains(byte));
    let starts = match before {
        _ if is_boundary(range.start) => true,
        _ if !bytes
            .get(range.start)
            .is_some_and(u8::is_ascii_alphanumeric) =>
        {
            true
        }
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', a, b] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => true,
        _ => !before.last().is_some_and(goes_on),
    };
    let ends = is_boundary(range.end) || !bytes.get(range.end).is_some_and(goes_on);
    starts && ends
}

/// A text in which the name of its kind stands for each secret.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Redacted {
    /// The text, with `[redacted: GitHub token]` and the like for each secret.
    pub text: String,
    /// What was replaced, in the order of the text.
    pub kinds: Vec<SecretKind>,
}

/// Replaces each secret by the name of its kind, for a log or a report.
///
/// ```
/// let line = "clone https://ci:vq7RmX2pLk9s@git.internal/team.git";
/// assert_eq!(
///     memdir_types::redact(line).text,
///     "clone https://ci:[redacted: credentials in a URL]@git.internal/team.git"
/// );
/// ```
#[must_use]
pub fn redact(text: &str) -> Redacted {
    let mut out = String::with_capacity(text.len());
    let mut kinds = Vec::new();
    let mut at = 0;
    for (rule, severity, range) in find(text, usize::MAX) {
        let (GateRule::Secret(kind), Severity::Error) = (rule, severity) else {
            continue;
        };
        out.push_str(&text[at..range.start]);
        out.push_str("[redacted: ");
        out.push_str(kind.as_str());
        out.push(']');
        at = range.end;
        kinds.push(kind);
    }
    out.push_str(&text[at..]);
    Redacted { text: out, kinds }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_all_keywords_are_searched_for() {
        for (index, shape) in SHAPES.iter().enumerate() {
            let built = RegexBuilder::new(shape.pattern).unicode(false).build();
            assert!(
                built.is_ok() && pattern(index).is_some(),
                "{}: {built:?}",
                shape.id
            );
        }
        assert!(KEYWORDS.search.is_some());
        assert!(SHAPES.len() < usize::from(u8::MAX));
    }
}
