//! Turns a text into fields and warnings: strict where it can, line by line where it must.

use std::ops::Range;

use crate::fence::{self, Block, Split};
use crate::recover::{self, Value};
use crate::scan::{self, Entry, Style};
use crate::yaml::{self, Leaf, Leaves};
use crate::{MAX_FRONTMATTER_BYTES, MemoryType, Warning, WarningKind, fast};

/// At most this many lines are reported one by one as "not a key"; the rest of a binary file
/// would say nothing new.
const MAX_JUNK_WARNINGS: usize = 20;

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fields {
    pub(crate) split: Split,
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) kind: Option<MemoryType>,
    pub(crate) kind_text: Option<String>,
    pub(crate) modified: Option<String>,
    pub(crate) warnings: Vec<Warning>,
    /// YAML refused the block, or its fences are incomplete.
    pub(crate) recovered: bool,
}

/// All places of one block where a known key may stand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) top: Vec<Entry>,
    pub(crate) nested: Vec<Entry>,
}

impl Layout {
    pub(crate) fn of(text: &str, range: Range<usize>) -> Layout {
        let top = scan::entries(text, range);
        let nested = match last(text, &top, "metadata") {
            Some(entry) if entry.style == Style::Empty => {
                scan::entries(text, entry.continuation(text))
            }
            Some(entry) if entry.style == Style::Flow => {
                scan::flow_entries(text, entry.value.clone())
            }
            _ => Vec::new(),
        };
        Layout { top, nested }
    }
}

/// The last entry with a key: of several, it counts.
pub(crate) fn last<'e>(text: &str, entries: &'e [Entry], key: &str) -> Option<&'e Entry> {
    entries.iter().rev().find(|entry| entry.key(text) == key)
}

pub(crate) fn read(text: &str) -> Fields {
    let split = fence::split(text);
    let mut reader = Reader::new(text, split.clone());
    match split.block {
        Block::Closed { inner, .. } => reader.block(inner),
        Block::Unclosed { start } => {
            let range = reader.key_lines(start);
            reader.warn_at(split.bom, WarningKind::Unclosed);
            reader.incomplete(range);
        }
        Block::None => reader.unopened(split.bom),
    }
    reader.finish()
}

/// Reads the first lines of a header that does not end within them.
pub(crate) fn read_cut_header(text: &str, start: usize) -> Fields {
    let mut reader = Reader::new(text, fence::split(text));
    reader.warn_at(text.len().saturating_sub(1), WarningKind::HeaderTooLong);
    let opens_with_a_key = scan::entries(text, start..text.len())
        .first()
        .is_some_and(|entry| entry.style != Style::Junk);
    if opens_with_a_key {
        reader.lenient(start..text.len());
    }
    reader.finish()
}

struct Reader<'t> {
    text: &'t str,
    fields: Fields,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, split: Split) -> Reader<'t> {
        Reader {
            text,
            fields: Fields {
                split,
                name: None,
                description: None,
                kind: None,
                kind_text: None,
                modified: None,
                warnings: Vec::new(),
                recovered: false,
            },
        }
    }

    fn warn_at(&mut self, offset: usize, kind: WarningKind) {
        let line = fence::line_number(self.text, offset);
        self.fields.warnings.push(Warning::new(line, kind));
    }

    fn finish(mut self) -> Fields {
        self.fields.warnings.sort_by_key(|warning| warning.line);
        self.fields
    }

    /// A block with both fences.
    fn block(&mut self, inner: Range<usize>) {
        if inner.len() > MAX_FRONTMATTER_BYTES {
            self.warn_at(inner.start, WarningKind::TooLarge);
            let end = floor_boundary(self.text, inner.start + MAX_FRONTMATTER_BYTES);
            self.lenient(inner.start..end);
            return;
        }
        let layout = Layout::of(self.text, inner.clone());
        let block = &self.text[inner.clone()];
        match fast::parse(self.text, inner.clone(), &layout).or_else(|| yaml::parse(block)) {
            Some(leaves) => self.strict(leaves, &layout),
            None => {
                self.warn_at(inner.start, WarningKind::NotYaml);
                self.lenient(inner);
            }
        }
    }

    /// Lines that look like a header whose fences are incomplete.
    fn incomplete(&mut self, range: Range<usize>) {
        let keys = scan::entries(self.text, range.clone());
        let first_is_key = keys.first().is_some_and(|entry| entry.style != Style::Junk);
        let known = ["name", "description", "type"]
            .into_iter()
            .filter(|key| last(self.text, &keys, key).is_some())
            .count();
        if first_is_key && known > 0 {
            self.lenient(range);
        }
    }

    /// The lines from `start` up to the first empty one, within the header.
    fn key_lines(&self, start: usize) -> Range<usize> {
        let cap = floor_boundary(self.text, start.saturating_add(MAX_FRONTMATTER_BYTES));
        let mut at = start;
        for _ in 0..crate::HEADER_LINES {
            let (line, next) = fence::line_at(self.text, at);
            if line.trim().is_empty() || next > cap {
                break;
            }
            at = next;
        }
        start..at
    }

    /// A text that does not open with a fence, but may have lost just that: its first lines are
    /// keys, two of them known, and the next line is a fence.
    fn unopened(&mut self, start: usize) {
        let mut end = start;
        for _ in 0..crate::HEADER_LINES {
            let (line, next) = fence::line_at(self.text, end);
            if fence::is_fence(line) {
                let keys = scan::entries(self.text, start..end);
                let all_keys = keys.iter().all(|entry| entry.style != Style::Junk);
                let known = ["name", "description", "type"]
                    .into_iter()
                    .filter(|key| last(self.text, &keys, key).is_some())
                    .count();
                if all_keys && known >= 2 && end - start <= MAX_FRONTMATTER_BYTES {
                    self.warn_at(start, WarningKind::Unopened);
                    self.lenient(start..end);
                }
                return;
            }
            if line.trim().is_empty() || next == self.text.len() {
                return;
            }
            end = next;
        }
    }

    /// What YAML says, in the spelling of the file.
    fn strict(&mut self, leaves: Leaves, layout: &Layout) {
        self.fields.name = self.text_leaf("name", leaves.name, &layout.top);
        self.fields.description = self.text_leaf("description", leaves.description, &layout.top);
        let top = self.word_leaf("type", leaves.kind, &layout.top);
        let nested = self.word_leaf("type", leaves.nested_kind, &layout.nested);
        self.kind(top, nested, layout);
        self.fields.modified = self
            .word_leaf("modified", leaves.modified, &layout.top)
            .or_else(|| self.word_leaf("modified", leaves.nested_modified, &layout.nested))
            .filter(|text| !recover::is_null(text));
    }

    /// A name or a description: what follows ` #` is text to the person who wrote it.
    fn text_leaf(&mut self, key: &'static str, leaf: Leaf, entries: &[Entry]) -> Option<String> {
        let entry = last(self.text, entries, key);
        match leaf {
            Leaf::Missing | Leaf::Null => None,
            Leaf::Text(text) => {
                let Some(entry) = entry else {
                    return Some(text);
                };
                match entry.style {
                    Style::Block => Some(text.trim_end_matches('\n').to_owned()),
                    Style::Plain if scan::comment_in(entry.value(self.text)).is_some() => {
                        let offset = entry.lines.start;
                        match recover::value_of(self.text, entry).0 {
                            Value::Text(whole) => {
                                self.warn_at(offset, WarningKind::HashIsText(key));
                                Some(whole)
                            }
                            _ => Some(text),
                        }
                    }
                    _ => Some(text),
                }
            }
            Leaf::Typed | Leaf::Nested => {
                let offset = entry.map_or(0, |entry| entry.lines.start);
                let value = entry.map(|entry| recover::value_of(self.text, entry).0);
                if let Some(Value::Text(text)) = value {
                    if leaf == Leaf::Nested {
                        self.warn_at(offset, WarningKind::TakenLiterally(key));
                    }
                    return Some(text);
                }
                self.warn_at(offset, WarningKind::NotText(key));
                None
            }
        }
    }

    /// A type or a time: one word, behind which a comment is a comment. A null is answered in
    /// the spelling of the file.
    fn word_leaf(&mut self, key: &'static str, leaf: Leaf, entries: &[Entry]) -> Option<String> {
        let entry = last(self.text, entries, key);
        let as_written =
            |text: &str| entry.map_or(String::new(), |entry| word(entry.value(text)).to_owned());
        match leaf {
            Leaf::Missing => None,
            Leaf::Null | Leaf::Typed => Some(as_written(self.text)),
            Leaf::Text(text) => Some(text.trim().to_owned()),
            Leaf::Nested => {
                let offset = entry.map_or(0, |entry| entry.lines.start);
                self.warn_at(offset, WarningKind::NotText(key));
                (key == "type").then(|| as_written(self.text))
            }
        }
    }

    /// Decides between the two places of the type.
    fn kind(&mut self, top: Option<String>, nested: Option<String>, layout: &Layout) {
        let known = |text: &Option<String>| text.as_deref().and_then(MemoryType::from_text);
        let (top_kind, nested_kind) = (known(&top), known(&nested));
        let offset = last(self.text, &layout.top, "type")
            .or_else(|| last(self.text, &layout.nested, "type"))
            .map_or(0, |entry| entry.lines.start);
        if let (Some(top), Some(nested)) = (top_kind, nested_kind)
            && top != nested
        {
            self.warn_at(offset, WarningKind::TypesDiffer);
        }
        self.fields.kind = top_kind.or(nested_kind);
        self.fields.kind_text = if top_kind.is_none() && nested_kind.is_some() {
            nested
        } else {
            top.or(nested)
        };
        let text = self.fields.kind_text.as_deref().unwrap_or("");
        if self.fields.kind.is_none() && !recover::is_null(text) {
            self.warn_at(offset, WarningKind::UnknownType);
        }
    }

    /// Line by line.
    fn lenient(&mut self, range: Range<usize>) {
        self.fields.recovered = true;
        let layout = Layout::of(self.text, range);
        let junk = layout
            .top
            .iter()
            .filter(|entry| entry.style == Style::Junk)
            .take(MAX_JUNK_WARNINGS);
        for entry in junk {
            self.warn_at(entry.lines.start, WarningKind::NotAKey);
        }
        self.fields.name = self.recovered("name", &layout.top);
        self.fields.description = self.recovered("description", &layout.top);
        let top = self.recovered_word("type", &layout.top);
        let nested = self.recovered_word("type", &layout.nested);
        self.kind(top, nested, &layout);
        self.fields.modified = self
            .recovered_word("modified", &layout.top)
            .or_else(|| self.recovered_word("modified", &layout.nested))
            .filter(|text| !recover::is_null(text));
    }

    fn recovered(&mut self, key: &'static str, entries: &[Entry]) -> Option<String> {
        let entry = self.only(key, entries)?;
        let (value, literal) = recover::value_of(self.text, entry);
        let offset = entry.lines.start;
        match value {
            Value::Null => None,
            Value::NotText => {
                self.warn_at(offset, WarningKind::NotText(key));
                None
            }
            Value::Text(text) => {
                if literal {
                    self.warn_at(offset, WarningKind::TakenLiterally(key));
                } else if entry.style == Style::Plain
                    && scan::comment_in(entry.value(self.text)).is_some()
                {
                    self.warn_at(offset, WarningKind::HashIsText(key));
                }
                Some(text)
            }
        }
    }

    fn recovered_word(&mut self, key: &'static str, entries: &[Entry]) -> Option<String> {
        let entry = self.only(key, entries)?;
        if recover::value_of(self.text, entry).0 == Value::NotText {
            self.warn_at(entry.lines.start, WarningKind::NotText(key));
            if key != "type" {
                return None;
            }
        }
        Some(word_of(self.text, entry))
    }

    /// The entry that counts, with a warning if there are others.
    fn only<'e>(&mut self, key: &'static str, entries: &'e [Entry]) -> Option<&'e Entry> {
        let entry = last(self.text, entries, key)?;
        let count = entries
            .iter()
            .filter(|entry| entry.key(self.text) == key)
            .count();
        if count > 1 {
            self.warn_at(entry.lines.start, WarningKind::Duplicate(key));
        }
        Some(entry)
    }
}

/// The word that an entry gives, in the spelling of the file if it is not a text.
pub(crate) fn word_of(text: &str, entry: &Entry) -> String {
    match recover::value_of(text, entry).0 {
        Value::Text(value) if entry.style != Style::Plain => value.trim().to_owned(),
        _ => word(entry.value(text)).trim_start().to_owned(),
    }
}

/// A value without the comment behind it.
pub(crate) fn word(value: &str) -> &str {
    match scan::comment_in(value) {
        Some(at) => value[..at].trim_end(),
        None => value.trim_end(),
    }
}

/// The largest character boundary at or below an offset.
pub(crate) fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
