//! Finds the `@path` references and the block comments of a Markdown text, in one pass.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// An `@path` in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Reference {
    /// The path as written, without `@`, fragment and the backslashes before spaces. Punctuation
    /// at the end still belongs to it: only a look at the disk can tell.
    pub path: String,
    /// Bytes of the text that `@` and path take, the fragment included.
    pub range: Range<usize>,
    /// What else may have been meant if `path` names no file, best first.
    alternatives: Vec<String>,
    /// A bare lower-case word, more often a person than a file.
    pub(crate) handle: bool,
}

impl Reference {
    /// All paths that may have been meant, best first: as written, without punctuation at the end,
    /// and, if `@` begins a line, the whole line with its spaces.
    pub fn candidates(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for path in std::iter::once(&self.path).chain(&self.alternatives) {
            let mut path = path.as_str();
            for _ in 0..=MAX_PUNCTUATION {
                if !path.is_empty() && !out.iter().any(|known| known == path) {
                    out.push(path.to_owned());
                }
                match path.strip_suffix(is_punctuation) {
                    Some(shorter) => path = shorter,
                    None => break,
                }
            }
        }
        out
    }
}

/// Punctuation marks at the end of a reference that are tried away, one by one. Our choice.
const MAX_PUNCTUATION: usize = 4;
/// Bytes of a reference at most; no system has longer paths.
const MAX_REFERENCE_BYTES: usize = 4_096;
/// References of one text at most. Our choice: a session looks up as many, and one more tells that
/// there were more.
const MAX_REFERENCES: usize = MAX_LOOKUPS + 1;
/// References that a session looks up on disk at most. Our choice: a file may hold a million.
pub(crate) const MAX_LOOKUPS: usize = 10_000;

fn is_punctuation(c: char) -> bool {
    matches!(
        c,
        ',' | '.'
            | ';'
            | ':'
            | '!'
            | '?'
            | ')'
            | '，'
            | '。'
            | '、'
            | '；'
            | '：'
            | '！'
            | '？'
            | '）'
    )
}

/// The references of a Markdown text that look like paths, in order. Code of every kind, comments,
/// HTML blocks, tables, struck-through text, link targets and escaped `\@` hold none; neither do
/// e-mail addresses and bare lower-case words. After 10,001 of them the rest of the text is not
/// looked at.
///
/// ```
/// let text = "See @docs/style.md and `@not/this.md`, or ask @somebody.";
/// let found = claudemd::references(text);
/// assert_eq!(found.len(), 1);
/// assert_eq!(found[0].path, "docs/style.md");
/// assert_eq!(&text[found[0].range.clone()], "@docs/style.md");
/// ```
pub fn references(text: &str) -> Vec<Reference> {
    let mut found = scan(text).references;
    found.retain(|reference| !reference.handle);
    found
}

/// What one pass over a text finds.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// Block comments, in order and without overlap.
    pub(crate) comments: Vec<Range<usize>>,
    /// References, handles included.
    pub(crate) references: Vec<Reference>,
    /// Whether a block comment never ends.
    pub(crate) unclosed: bool,
}

pub(crate) fn scan(text: &str) -> Scan {
    let mut scan = Scan::default();
    // Most files hold neither, and then no Markdown has to be parsed.
    let (ats, comments) = (text.contains('@'), text.contains("<!--"));
    if !ats && !comments {
        return scan;
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut run = Run::default();
    // How many open elements there are, and how many of them hide references.
    let (mut depth, mut hidden) = (0_usize, 0_usize);
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Text(_) if hidden == 0 && ats => {
                run.add(text, range, &mut scan.references);
                continue;
            }
            Event::Start(Tag::HtmlBlock) => {
                if depth == 0 {
                    html_block(text, range, &mut scan);
                }
                depth += 1;
                hidden += 1;
            }
            Event::Start(tag) => {
                depth += 1;
                hidden += usize::from(hides_start(&tag));
            }
            Event::End(tag) => {
                depth = depth.saturating_sub(1);
                hidden = hidden.saturating_sub(usize::from(hides_end(&tag)));
            }
            _ => {}
        }
        run.finish(text, &mut scan.references);
    }
    run.finish(text, &mut scan.references);
    scan.references
        .sort_by_key(|reference| reference.range.start);
    scan
}

fn hides_start(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::CodeBlock(_) | Tag::Table(_) | Tag::Strikethrough | Tag::Image { .. }
    )
}

fn hides_end(tag: &TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::CodeBlock
            | TagEnd::Table
            | TagEnd::Strikethrough
            | TagEnd::Image
            | TagEnd::HtmlBlock
    )
}

/// Text that belongs together, although the parser hands it out in pieces.
#[derive(Debug, Default)]
struct Run {
    text: String,
    /// Where pieces begin: in `text`, and in the source.
    pieces: Vec<(usize, usize)>,
    /// The end of the last piece in the source.
    end: usize,
}

impl Run {
    fn add(&mut self, source: &str, range: Range<usize>, out: &mut Vec<Reference>) {
        if !self.pieces.is_empty() {
            match source.get(self.end..range.start) {
                Some("") => {}
                // An escaped mark: part of the text, except that `\@` begins no reference.
                Some("\\") if source[range.start..].starts_with('@') => self.text.push('\\'),
                Some("\\") => {}
                _ => self.finish(source, out),
            }
        }
        if self.pieces.is_empty() && source[..range.start].ends_with('\\') {
            self.text.push('\\');
        }
        self.pieces.push((self.text.len(), range.start));
        self.text.push_str(&source[range.clone()]);
        self.end = range.end;
    }

    fn source_offset(&self, at: usize) -> usize {
        let piece = self.pieces.partition_point(|(start, _)| *start <= at);
        let (start, source) = self.pieces[piece.saturating_sub(1)];
        source + at.saturating_sub(start)
    }

    fn finish(&mut self, source: &str, out: &mut Vec<Reference>) {
        if self.pieces.is_empty() {
            return;
        }
        let mut before: Option<char> = None;
        let mut taken = 0;
        for (at, c) in self.text.char_indices() {
            if c == '@'
                && out.len() < MAX_REFERENCES
                && at >= taken
                && before.is_none_or(char::is_whitespace)
                && let Some((path, end)) = path_at(&self.text[at + 1..])
            {
                taken = at + 1 + end;
                let start = self.source_offset(at);
                // The last byte of the path, so that a border between pieces does not matter.
                let end = self.source_offset(at + end) + 1;
                out.push(reference(source, path, start..end));
            }
            before = Some(c);
        }
        self.text.clear();
        self.pieces.clear();
    }
}

/// The path that a text begins with, and how many bytes it takes, fragment included.
fn path_at(text: &str) -> Option<(String, usize)> {
    if !may_begin(text) {
        return None;
    }
    let mut path = String::new();
    let mut fragment = false;
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let spaced = c == '\\' && chars.peek().is_some_and(|(_, next)| *next == ' ');
        if c.is_whitespace() || at > MAX_REFERENCE_BYTES {
            break;
        }
        end = at + c.len_utf8();
        fragment |= c == '#';
        let c = match spaced {
            true => {
                chars.next();
                end += 1;
                ' '
            }
            false => c,
        };
        if !fragment {
            path.push(c);
        }
    }
    (!path.is_empty() && path != "/").then_some((path, end))
}

/// Whether a path may begin so: with a letter, digit, `.`, `_`, `-`, `/` or `~/`.
fn may_begin(text: &str) -> bool {
    let mut chars = text.chars();
    match chars.next() {
        Some('~') => matches!(chars.next(), Some('/' | '\\')),
        Some('.' | '_' | '-' | '/') => true,
        Some(c) => c.is_ascii_alphanumeric(),
        None => false,
    }
}

fn reference(source: &str, path: String, range: Range<usize>) -> Reference {
    let mut alternatives = Vec::new();
    let after = &source[range.start + 1..];
    // Marks such as the underscores of `__init__.py` end the text, not the path.
    if let Some((whole, _)) = path_at(after) {
        alternatives.push(whole);
    }
    // A text may be one line with a million references: what is looked at around each is bounded.
    let before = source[..range.start].trim_end_matches(|c: char| c != '\n' && c.is_whitespace());
    if (before.is_empty() || before.ends_with('\n'))
        && let Some(line) = short_line(after)
        && line.contains([' ', '\t'])
    {
        let line = line.split('#').next().unwrap_or_default().trim_end();
        alternatives.push(line.replace("\\ ", " "));
    }
    alternatives.retain(|other| *other != path);
    let word =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
    let end = path.trim_end_matches(is_punctuation);
    let handle = alternatives.is_empty() && end.bytes().all(word);
    Reference {
        path,
        range,
        alternatives,
        handle,
    }
}

/// The line that a text begins with, unless it is too long for a reference.
fn short_line(text: &str) -> Option<&str> {
    let looked = text.len().min(MAX_REFERENCE_BYTES + 2);
    let end = text.as_bytes()[..looked]
        .iter()
        .position(|byte| *byte == b'\n');
    let line = match end {
        Some(end) => &text[..end],
        None if looked == text.len() => text,
        None => return None,
    };
    Some(line.trim_end()).filter(|line| line.len() <= MAX_REFERENCE_BYTES)
}

/// The comments of one HTML block, and the references in the rest of it. Only a block that begins
/// with a comment is looked into.
fn html_block(text: &str, block: Range<usize>, scan: &mut Scan) {
    let html = &text[block.clone()];
    if !html.trim_start().starts_with("<!--") {
        return;
    }
    let mut found = Vec::new();
    let mut rest = Vec::new();
    let mut at = 0;
    while let Some(open) = html[at..].find("<!--").map(|i| at + i) {
        let Some(close) = html[open + 4..].find("-->").map(|i| open + 4 + i + 3) else {
            scan.unclosed = true;
            break;
        };
        rest.push(at..open);
        found.push(block.start + open..block.start + close);
        at = close;
    }
    if found.is_empty() {
        return;
    }
    // What follows an unclosed comment stays in the text, but is no place for imports.
    let tail = html[at..].find("<!--").map_or(html.len(), |i| at + i);
    rest.push(at..tail);
    let is_blank = |range: &Range<usize>| html[range.clone()].trim().is_empty();
    if !rest.iter().all(is_blank) || tail < html.len() {
        for range in rest {
            let mut run = Run::default();
            run.add(
                text,
                block.start + range.start..block.start + range.end,
                &mut scan.references,
            );
            run.finish(text, &mut scan.references);
        }
        scan.comments.extend(found);
        return;
    }
    // Nothing else stands in the block: it goes with its line and the blank lines after it.
    let mut end = block.end;
    while let Some(newline) = ["\n", "\r\n"]
        .iter()
        .find(|newline| text[end..].starts_with(**newline))
    {
        end += newline.len();
    }
    // The range of a block begins after its indentation.
    let line = text[..block.start].rfind('\n').map_or(0, |i| i + 1);
    let start = match text[line..block.start].trim().is_empty() {
        true => line,
        false => block.start,
    };
    scan.comments.push(start..end);
}
