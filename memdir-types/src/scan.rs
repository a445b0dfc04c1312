//! Finds keys and the bytes of their values line by line, without judging whether it is YAML.
//!
//! Two parts need it: edits, which replace the bytes of one value, and the lenient reader, which
//! has to find values in text that no YAML parser accepts.

use std::borrow::Cow;
use std::ops::Range;

use crate::fence::line_at;
use crate::quote;

/// One key with its value, or a line that is neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The key as written, without quotes; empty for a line that has none.
    pub(crate) key: Range<usize>,
    /// The bytes that an edit replaces. Empty, and standing where a value would go, if there is
    /// no value.
    pub(crate) value: Range<usize>,
    pub(crate) style: Style,
    /// All lines of the entry, line ends included.
    pub(crate) lines: Range<usize>,
    /// The end of the first line's content, where continuation lines begin after.
    pub(crate) first_line_end: usize,
    /// The number of leading blanks.
    pub(crate) indent: usize,
    /// No blank between the colon and the value: `name:x`, which YAML does not take for a key.
    pub(crate) tight: bool,
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// No key on this line.
    Junk,
    /// Nothing follows the colon on its line.
    Empty,
    /// Unquoted text, on one line or folded over several.
    Plain,
    /// `"text"`, closed.
    Double,
    /// `'text'`, closed.
    Single,
    /// Begins with a quotation mark and does not end with it, or ends too early.
    BrokenQuote,
    /// `|` or `>`.
    Block,
    /// `[…` or `{…`.
    Flow,
    /// Begins with a character that has a meaning of its own in YAML.
    Reserved,
}

/// Keys that the lenient reader accepts without a blank after the colon.
const KNOWN: [&str; 5] = ["name", "description", "type", "modified", "metadata"];

impl Entry {
    pub(crate) fn key<'t>(&self, text: &'t str) -> &'t str {
        &text[self.key.clone()]
    }

    /// The key as YAML has it: with the escape sequences of double quotes read.
    pub(crate) fn spelled_key<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let key = self.key(text);
        if key.contains('\\') && text[..self.key.start].ends_with('"') {
            quote::unescape(key).map_or(Cow::Borrowed(key), Cow::Owned)
        } else {
            Cow::Borrowed(key)
        }
    }

    pub(crate) fn value<'t>(&self, text: &'t str) -> &'t str {
        &text[self.value.clone()]
    }

    /// Whether the value goes on after its first line.
    pub(crate) fn is_multi_line(&self, text: &str) -> bool {
        !text[self.first_line_end..self.lines.end].trim().is_empty()
    }

    /// Whether a block scalar is marked `+`: the empty lines behind it are part of its text.
    pub(crate) fn keeps_empty_lines(&self, text: &str) -> bool {
        self.value(text).chars().skip(1).take(2).any(|c| c == '+')
    }

    /// The comment in the line above a block scalar, with its `#`.
    pub(crate) fn block_comment<'t>(&self, text: &'t str) -> &'t str {
        let header = &text[self.value.start..self.first_line_end];
        comment_in(header).map_or("", |at| header[at..].trim_end())
    }

    /// The lines after the first one.
    pub(crate) fn continuation(&self, text: &str) -> Range<usize> {
        let (_, next) = line_at(text, self.first_line_end);
        next.min(self.lines.end)..self.lines.end
    }
}

/// All entries of one nesting level, in order. `range` has to begin at the start of a line.
pub(crate) fn entries(text: &str, range: Range<usize>) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    let mut base = None;
    let mut at = range.start;
    while at < range.end {
        let (line, next) = line_at(&text[..range.end], at);
        let start = at;
        at = next;
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let content = line[indent..].trim_end();
        let in_block = found.last().is_some_and(|entry| {
            entry.style == Style::Block && indent > entry.indent && !content.is_empty()
        });
        if !in_block && (content.is_empty() || content.starts_with('#')) {
            continue;
        }
        let level = *base.get_or_insert(indent);
        if let Some(last) = found.last_mut() {
            let item = content == "-" || content.starts_with("- ");
            let listed = indent == level && item && last.style == Style::Empty;
            if (indent > level && last.style != Style::Junk) || listed {
                last.lines.end = next;
                continue;
            }
        }
        found.push(entry(text, start, start + line.len(), next, indent));
    }
    for entry in &mut found {
        extend(text, entry);
    }
    found
}

/// Reads one line as `key: value`.
fn entry(text: &str, start: usize, end: usize, next: usize, indent: usize) -> Entry {
    let from = start + indent;
    let line = &text[from..end];
    let junk = Entry {
        key: from..from,
        value: from..from + line.trim_end().len(),
        style: Style::Junk,
        lines: start..next,
        first_line_end: end,
        indent,
        tight: false,
    };
    let Some((key, colon)) = key_of(line) else {
        return junk;
    };
    let after = &line[colon + 1..];
    let tight = !after.is_empty() && !after.starts_with([' ', '\t']);
    let text_part = after.trim();
    let value_start = from + colon + 1 + (after.len() - after.trim_start().len());
    let (length, style) = value_of(text_part);
    Entry {
        key: from + key.start..from + key.end,
        value: if style == Style::Empty {
            from + colon + 1..from + colon + 1
        } else {
            value_start..value_start + length
        },
        style,
        tight,
        ..junk
    }
}

/// The key at the start of a line, and where its colon is.
fn key_of(line: &str) -> Option<(Range<usize>, usize)> {
    for known in KNOWN {
        if line
            .strip_prefix(known)
            .is_some_and(|rest| rest.starts_with(':'))
        {
            return Some((0..known.len(), known.len()));
        }
    }
    let first = line.chars().next()?;
    if first == '"' || first == '\'' {
        let close = 1 + line[1..].find(first)?;
        let rest = &line[close + 1..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        return rest[blanks..]
            .starts_with(':')
            .then_some((1..close, close + 1 + blanks));
    }
    if "-?[]{}&*!|>%@`,".contains(first) {
        return None;
    }
    let colon = line.match_indices(':').map(|(at, _)| at).find(|at| {
        let rest = &line[at + 1..];
        rest.is_empty() || rest.starts_with([' ', '\t'])
    })?;
    let key = line[..colon].trim_end();
    (!key.is_empty()).then_some((0..key.len(), colon))
}

/// The length and the style of a value that begins on the line of its key.
fn value_of(value: &str) -> (usize, Style) {
    let Some(first) = value.chars().next() else {
        return (0, Style::Empty);
    };
    match first {
        '#' => (0, Style::Empty),
        '"' | '\'' => match closing_quote(value) {
            Some(close) if is_comment_or_nothing(&value[close + 1..]) => (
                close + 1,
                if first == '"' {
                    Style::Double
                } else {
                    Style::Single
                },
            ),
            _ => (value.len(), Style::BrokenQuote),
        },
        '|' | '>' if is_block_header(value) => (value.len(), Style::Block),
        '|' | '>' => (value.len(), Style::Reserved),
        '[' | '{' => (value.len(), Style::Flow),
        '&' | '*' | '!' | '%' | '@' | '`' => (value.len(), Style::Reserved),
        _ => (value.len(), Style::Plain),
    }
}

/// The offset of the quotation mark that closes the one at the start.
pub(crate) fn closing_quote(value: &str) -> Option<usize> {
    let bytes = value.as_bytes();
    let quote = *bytes.first()?;
    let mut at = 1;
    while at < bytes.len() {
        if bytes[at] == quote {
            if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') {
                at += 1;
            } else {
                return Some(at);
            }
        } else if quote == b'"' && bytes[at] == b'\\' {
            at += 1;
        }
        at += 1;
    }
    None
}

/// `|`, `>-`, `|2`: what may stand in the line above a block scalar.
fn is_block_header(value: &str) -> bool {
    let rest = value[1..].trim_start_matches(|c: char| c.is_ascii_digit() || "+-".contains(c));
    let header = &value[1..value.len() - rest.len()];
    let digits = header.bytes().filter(u8::is_ascii_digit).count();
    header.len() <= 2 && header.len() - digits <= 1 && digits <= 1 && is_comment_or_nothing(rest)
}

fn is_comment_or_nothing(rest: &str) -> bool {
    let trimmed = rest.trim_start_matches([' ', '\t']);
    trimmed.is_empty() || (trimmed.len() < rest.len() && trimmed.starts_with('#'))
}

/// Lets a value that goes on over several lines reach to its last one.
fn extend(text: &str, entry: &mut Entry) {
    // A quoted text that was closed on its line has no business on the next.
    let ends_on_its_line = matches!(entry.style, Style::Junk | Style::Double | Style::Single);
    if ends_on_its_line || !entry.is_multi_line(text) {
        return;
    }
    entry.value.end = text[..entry.lines.end].trim_end().len();
    if entry.style == Style::Empty {
        // The value stands on the lines below. It is replaced there, unless it is a list that
        // begins below its key, where a text would not belong to the key.
        let below = &text[entry.continuation(text)];
        let indent = below.len() - below.trim_start().len();
        let line_start = below[..indent].rfind('\n').map_or(0, |at| at + 1);
        if indent - line_start > entry.indent {
            entry.value.start = entry.continuation(text).start + indent;
        }
    }
    if entry.style == Style::BrokenQuote {
        // A quoted text may be closed on a later line.
        let value = entry.value(text);
        let quote = value.as_bytes()[0];
        if let Some(close) = closing_quote(value)
            && is_comment_or_nothing(&value[close + 1..])
        {
            entry.value.end = entry.value.start + close + 1;
            entry.style = if quote == b'"' {
                Style::Double
            } else {
                Style::Single
            };
        }
    }
}

/// Where ` #` begins in a value: there a YAML reader sees a comment.
pub(crate) fn comment_in(value: &str) -> Option<usize> {
    value
        .match_indices('#')
        .map(|(at, _)| at)
        .find(|at| *at > 0 && value[..*at].ends_with([' ', '\t']))
}

/// The entries of a mapping in flow style, `{a: b, c: d}`, whose braces `value` includes.
pub(crate) fn flow_entries(text: &str, value: Range<usize>) -> Vec<Entry> {
    let mut found = Vec::new();
    if !text[value.clone()].starts_with('{') {
        return found;
    }
    let inner = &text[value.start + 1..value.end];
    let mut depth = 0usize;
    // Marks that nothing closes: looked for once each.
    let mut unclosed = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < inner.len() {
        let byte = inner.as_bytes()[at];
        match byte {
            b'"' | b'\'' => {
                // Inside a plain text, a quotation mark is only itself.
                let before = inner[start..at].trim_end();
                let opens = before.is_empty() || before.ends_with(':') || depth > 0;
                if opens && !unclosed.contains(&byte) {
                    match closing_quote(&inner[at..]) {
                        Some(length) => at += length,
                        None => unclosed.push(byte),
                    }
                }
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth > 0 => depth -= 1,
            b',' | b'}' if depth == 0 => {
                found.extend(flow_entry(
                    text,
                    value.start + 1 + start,
                    value.start + 1 + at,
                ));
                if byte == b'}' {
                    return found;
                }
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    found.extend(flow_entry(text, value.start + 1 + start, value.end));
    found
}

fn flow_entry(text: &str, start: usize, end: usize) -> Option<Entry> {
    let item = &text[start..end];
    let from = start + (item.len() - item.trim_start().len());
    let entry = entry(text, from, end, end, 0);
    (entry.style != Style::Junk).then_some(entry)
}
