//! What is left of MEMORY.md before its size is measured: no BOM, no frontmatter, no comments.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The text of a MEMORY.md as a model sees it, before the caps: invalid UTF-8 is replaced, a
/// byte order mark dropped, leading YAML frontmatter and block-level HTML comments removed, both
/// ends trimmed. Everything else stays byte for byte. Borrowed when nothing inside is removed.
///
/// Frontmatter is a block between two lines `---` at the very start; after a byte order mark the
/// format does not take it for one. A comment counts when it is a block of its own: outside code,
/// lists, quotes and other HTML, and closed.
///
/// ```
/// assert_eq!(memdir_index::strip(b"---\na: b\n---\nA\n<!-- hidden -->\nB\n"), "A\nB");
/// ```
pub fn strip(bytes: &[u8]) -> Cow<'_, str> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => strip_text(text),
        Cow::Owned(text) => Cow::Owned(strip_text(&text).into_owned()),
    }
}

fn strip_text(text: &str) -> Cow<'_, str> {
    let hidden = hidden_ranges(text);
    // Ranges at the ends only narrow the slice.
    let mut start = 0;
    let mut inner = Vec::new();
    for range in hidden {
        if range.start == start {
            start = range.end;
        } else {
            inner.push(range);
        }
    }
    if inner.is_empty() {
        return Cow::Borrowed(trim(&text[start..]));
    }
    let mut out = String::with_capacity(text.len() - start);
    for range in inner {
        out.push_str(&text[start..range.start]);
        start = range.end;
    }
    out.push_str(&text[start..]);
    match trim(&out) {
        trimmed if trimmed.len() == out.len() => Cow::Owned(out),
        trimmed => Cow::Owned(trimmed.to_owned()),
    }
}

/// White space as the format trims it: the byte order mark counts, the next-line character not.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}'))
}

/// The byte ranges that [`strip`] removes apart from trimming, in order and without overlap.
pub(crate) fn hidden_ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    if let Some(rest) = text.strip_prefix('\u{feff}') {
        start = text.len() - rest.len();
    } else if let Some(end) = frontmatter_end(text) {
        start = end;
    }
    if start > 0 {
        ranges.push(0..start);
    }
    // Most indexes hold no comment, and then no Markdown has to be parsed.
    if text[start..].contains("<!--") {
        for range in comments(&text[start..]) {
            ranges.push(range.start + start..range.end + start);
        }
    }
    ranges
}

/// Where the text after the frontmatter begins.
pub(crate) fn frontmatter_end(text: &str) -> Option<usize> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next()?;
    if !is_fence(first) {
        return None;
    }
    let mut at = first.len();
    for line in lines {
        at += line.len();
        if is_fence(line) {
            return Some(at);
        }
    }
    None
}

fn is_fence(line: &str) -> bool {
    line.strip_prefix("---")
        .is_some_and(|rest| rest.trim().is_empty())
}

/// Closed comments that are blocks of their own at the top level of the document.
fn comments(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::HtmlBlock) => {
                if depth == 0 {
                    comments_of_block(text, range, &mut ranges);
                }
                depth += 1;
            }
            Event::End(TagEnd::HtmlBlock) => depth = depth.saturating_sub(1),
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    ranges
}

/// The comments of one HTML block that begins with one. If nothing else stands in the block, it
/// goes with its line and the blank lines after it; else what else stands there stays in place.
fn comments_of_block(text: &str, block: Range<usize>, ranges: &mut Vec<Range<usize>>) {
    let html = &text[block.clone()];
    if !html.trim_start().starts_with("<!--") {
        return;
    }
    let mut found = Vec::new();
    let mut rest_is_blank = true;
    let mut at = 0;
    while let Some(open) = html[at..].find("<!--").map(|i| at + i) {
        let Some(close) = html[open + 4..].find("-->").map(|i| open + 4 + i + 3) else {
            break;
        };
        rest_is_blank &= html[at..open].trim().is_empty();
        found.push(block.start + open..block.start + close);
        at = close;
    }
    rest_is_blank &= html[at..].trim().is_empty();
    if !rest_is_blank {
        ranges.extend(found);
        return;
    }
    let mut end = block.end;
    while let Some(newline) = ["\n", "\r\n"].iter().find(|n| text[end..].starts_with(**n)) {
        end += newline.len();
    }
    // The range of a block begins after its indentation.
    let start = text[..block.start].rfind('\n').map_or(0, |i| i + 1);
    let start = if text[start..block.start].trim().is_empty() {
        start
    } else {
        block.start
    };
    ranges.push(start..end);
}
