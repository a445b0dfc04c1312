//! Edits: the bytes of one value change, and nothing else.

use crate::fence::{self, Block};
use crate::read::{Layout, last, word};
use crate::scan::{Entry, Style};
use crate::{Error, ErrorKind, Memory, quote, scan, yaml};

/// The keys that can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Name,
    Description,
    Kind,
    Modified,
}

impl Key {
    fn word(self) -> &'static str {
        match self {
            Key::Name => "name",
            Key::Description => "description",
            Key::Kind => "type",
            Key::Modified => "modified",
        }
    }
}

/// Refuses a memory whose text does not say for certain what an edit would change.
fn check_editable(memory: &Memory) -> Result<(), Error> {
    let kind = if memory.lossy {
        ErrorKind::NotUtf8
    } else if !memory.fields.recovered {
        return Ok(());
    } else if is_too_large(memory) {
        ErrorKind::TooLarge
    } else {
        ErrorKind::Recovered
    };
    let error = Error::new(kind);
    Err(match memory.warnings().first() {
        Some(warning) => error.because(warning.to_string()),
        None => error,
    })
}

pub(crate) fn is_too_large(memory: &Memory) -> bool {
    matches!(&memory.fields.split.block, Block::Closed { inner, .. }
        if inner.len() > crate::MAX_FRONTMATTER_BYTES)
}

pub(crate) fn set(memory: &mut Memory, key: Key, value: &str) -> Result<(), Error> {
    check_editable(memory)?;
    let text = match &memory.fields.split.block {
        Block::Closed { inner, .. } => {
            let layout = Layout::of(&memory.text, inner.clone());
            if !is_seen_through(memory, &layout) {
                return Err(Error::new(ErrorKind::NotEditable));
            }
            edited(memory, &layout, key, value)
        }
        Block::None | Block::Unclosed { .. } if key == Key::Modified => {
            return Err(Error::new(ErrorKind::NoFrontmatter));
        }
        Block::None | Block::Unclosed { .. } => {
            let bom = memory.fields.split.bom;
            let eol = line_end(&memory.text);
            let (word, value) = (key.word(), quote::scalar(value));
            let (before, body) = memory.text.split_at(bom);
            format!("{before}---{eol}{word}: {value}{eol}---{eol}{eol}{body}")
        }
    };
    let candidate = Memory::from_text(text);
    if is_too_large(&candidate) {
        return Err(Error::new(ErrorKind::TooLarge));
    }
    if !is_only_change(memory, &candidate, key, value) {
        return Err(Error::new(ErrorKind::NotEditable));
    }
    *memory = candidate;
    Ok(())
}

/// Whether the line scanner found the keys that YAML has, and no others: only then it knows
/// where a value ends.
fn is_seen_through(memory: &Memory, layout: &Layout) -> bool {
    let Block::Closed { inner, .. } = &memory.fields.split.block else {
        return false;
    };
    let Some((_, keys)) = yaml::parse_with_keys(&memory.text[inner.clone()]) else {
        return false;
    };
    let same = |entries: &[Entry], keys: &[String]| {
        entries.len() == keys.len()
            && entries.iter().zip(keys).all(|(entry, key)| {
                entry.style != Style::Junk && entry.spelled_key(&memory.text) == **key
            })
    };
    same(&layout.top, &keys.top) && (keys.nested.is_empty() || same(&layout.nested, &keys.nested))
}

/// The text with one value replaced or added.
fn edited(memory: &Memory, layout: &Layout, key: Key, value: &str) -> String {
    let text = &memory.text;
    let mut places: Vec<&Entry> = layout
        .top
        .iter()
        .filter(|entry| entry.key(text) == key.word())
        .collect();
    let flow = last(text, &layout.top, "metadata").is_some_and(|entry| entry.style == Style::Flow);
    if matches!(key, Key::Kind | Key::Modified) {
        places.extend(
            layout
                .nested
                .iter()
                .filter(|entry| entry.key(text) == key.word()),
        );
    }
    if places.is_empty() {
        return with_key_added(memory, layout, key, value);
    }
    // From the end, so that the positions of the others stay right.
    places.sort_by_key(|entry| std::cmp::Reverse(entry.value.start));
    let mut out = text.clone();
    for entry in places {
        let mut range = entry.value.clone();
        let one_line = !entry.is_multi_line(text);
        if entry.style == Style::Plain && one_line && matches!(key, Key::Kind | Key::Modified) {
            // What stands behind ` #` is a comment here, not text.
            range.end = range.start + word(entry.value(text)).len();
        }
        let in_flow = flow && layout.nested.iter().any(|nested| nested == entry);
        // Unquoted, a name would take the comment behind it for its own.
        let comment = text[range.end..entry.first_line_end.max(range.end)].contains('#');
        let is_text = matches!(key, Key::Name | Key::Description);
        // The comment of a block scalar stands between its sign and its text.
        let block_comment = match entry.style {
            Style::Block => entry.block_comment(text),
            _ => "",
        };
        let comment = comment || !block_comment.is_empty();
        let written = if (in_flow && key != Key::Kind) || (comment && is_text) {
            quote::quoted(value)
        } else {
            quote::scalar(value)
        };
        let gap = if range.start == entry.key.end || text[..range.start].ends_with(':') {
            " "
        } else {
            ""
        };
        let written = match block_comment {
            "" => format!("{gap}{written}"),
            comment => format!("{gap}{written} {comment}"),
        };
        out.replace_range(range, &written);
    }
    out
}

/// The text with a line for a key that it lacks: name first, then description, then type, and
/// the time of the last change at the end.
fn with_key_added(memory: &Memory, layout: &Layout, key: Key, value: &str) -> String {
    let text = &memory.text;
    let Block::Closed { inner, .. } = &memory.fields.split.block else {
        return text.clone();
    };
    let before: &[&str] = match key {
        Key::Name => &[],
        Key::Description => &["name"],
        Key::Kind => &["description", "name"],
        Key::Modified => &[],
    };
    let predecessor = before
        .iter()
        .find_map(|word| last(text, &layout.top, word))
        .map(|entry| match entry.style {
            // Behind `|+`, the empty lines belong to the text.
            Style::Block if entry.keeps_empty_lines(text) => {
                empty_lines_end(text, entry.lines.end, inner.end)
            }
            _ => entry.lines.end,
        });
    let at = predecessor.unwrap_or(match key {
        Key::Name | Key::Description => inner.start,
        Key::Kind | Key::Modified => inner.end,
    });
    let eol = line_end(text);
    let indent = layout.top.first().map_or("", |entry| {
        &text[entry.lines.start..entry.lines.start + entry.indent]
    });
    let mut out = text.clone();
    out.insert_str(
        at,
        &format!("{indent}{}: {}{eol}", key.word(), quote::scalar(value)),
    );
    out
}

/// Where the empty lines end that begin at an offset.
fn empty_lines_end(text: &str, mut at: usize, end: usize) -> usize {
    while at < end {
        let (line, next) = fence::line_at(text, at);
        if !line.trim().is_empty() {
            break;
        }
        at = next;
    }
    at
}

/// The line end of the first line, which new lines take over.
pub(crate) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Whether the second text says what the first one does, but for one value. This is what makes
/// an edit safe on forms that the line scanner does not see through.
fn is_only_change(old: &Memory, new: &Memory, key: Key, value: &str) -> bool {
    let (a, b) = (&old.fields, &new.fields);
    let same = |of: Key, a: &Option<String>, b: &Option<String>| {
        if of == key {
            b.as_deref() == Some(value)
        } else {
            a == b
        }
    };
    let kind = if key == Key::Kind {
        b.kind.map(crate::MemoryType::as_str) == Some(value)
    } else {
        a.kind == b.kind && a.kind_text == b.kind_text
    };
    !b.recovered
        && new.has_frontmatter()
        && kind
        && same(Key::Name, &a.name, &b.name)
        && same(Key::Description, &a.description, &b.description)
        && same(Key::Modified, &a.modified, &b.modified)
        && old.body() == new.body()
        && same_other_keys(old, new, key)
}

/// Whether the keys of both blocks are the same, in the same order, but for one that was added,
/// and the values of all others too.
fn same_other_keys(old: &Memory, new: &Memory, key: Key) -> bool {
    let of = |memory: &Memory| -> Vec<(String, String)> {
        let Block::Closed { inner, .. } = &memory.fields.split.block else {
            return Vec::new();
        };
        scan::entries(&memory.text, inner.clone())
            .iter()
            .filter(|entry| {
                let word = entry.key(&memory.text);
                word != key.word() && word != "metadata"
            })
            .map(|entry| {
                (
                    entry.key(&memory.text).to_owned(),
                    memory.text[entry.lines.clone()].to_owned(),
                )
            })
            .collect()
    };
    of(old) == of(new)
}

pub(crate) fn set_body(memory: &mut Memory, body: &str) -> Result<(), Error> {
    check_editable(memory)?;
    let eol = line_end(&memory.text);
    let text = match &memory.fields.split.block {
        Block::Closed { after, .. } => {
            let head = &memory.text[..*after];
            let end = if head.ends_with('\n') { "" } else { eol };
            let blank = &memory.text[*after..memory.body_start()];
            let blank = if blank.is_empty() { eol } else { blank };
            format!("{head}{end}{blank}{body}")
        }
        Block::None | Block::Unclosed { .. } => {
            let bare = format!("{}{body}", &memory.text[..memory.fields.split.bom]);
            let reread = Memory::parse(&bare);
            if reread.body() == body && reread.warnings().is_empty() {
                bare
            } else {
                // The body begins like a frontmatter block, or with a byte order mark. An empty
                // block in front of it keeps it a body.
                let (bom, body) = bare.split_at(memory.fields.split.bom);
                format!("{bom}---\n---\n\n{body}")
            }
        }
    };
    *memory = Memory::from_text(text);
    Ok(())
}
