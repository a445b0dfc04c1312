//! Rewrites a block that was recovered line by line as strict YAML, keeping every line.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::edit::{is_too_large, line_end};
use crate::fence::{self, Block};
use crate::read::{Layout, last, word, word_of};
use crate::scan::{Entry, Style};
use crate::{Error, ErrorKind, Memory, quote, recover, yaml};

pub(crate) fn repair(memory: &mut Memory) -> Result<(), Error> {
    if is_too_large(memory) {
        return Err(Error::new(ErrorKind::TooLarge));
    }
    if !memory.fields.recovered {
        memory.lossy = false;
        memory
            .fields
            .warnings
            .retain(|warning| warning.kind != crate::WarningKind::NotUtf8);
        return Ok(());
    }
    let (head, inner, tail) = parts(memory);
    let eol = line_end(&memory.text);
    // First with every unknown key as it is, then, if the parts do not fit together, with all of
    // them as comments, and at last with all lines as comments below the keys that were read.
    for keep in [Keep::UnknownKeys, Keep::KnownKeysOnly, Keep::Nothing] {
        let block = match keep {
            Keep::Nothing => written_anew(memory, inner.clone(), eol),
            keep => rewritten(memory, inner.clone(), keep, eol),
        };
        let candidate = Memory::from_text(format!("{head}{block}{tail}"));
        if says_the_same(memory, &candidate) {
            *memory = candidate;
            return Ok(());
        }
    }
    // With all lines as comments, only their number can stand in the way.
    Err(Error::new(ErrorKind::TooLarge))
}

/// What stands before the block with its opening fence, the range of the block, and the closing
/// fence with what follows.
fn parts(memory: &Memory) -> (String, Range<usize>, String) {
    let text = &memory.text;
    let eol = line_end(text);
    let bom = memory.fields.split.bom;
    match &memory.fields.split.block {
        Block::Closed { inner, .. } => (
            text[..inner.start].to_owned(),
            inner.clone(),
            text[inner.end..].to_owned(),
        ),
        Block::Unclosed { start } => {
            let end = header_end(text, *start);
            (
                text[..*start].to_owned(),
                *start..end,
                format!("---{eol}{}", &text[end..]),
            )
        }
        Block::None => {
            let mut end = bom;
            while end < text.len() {
                let (line, next) = fence::line_at(text, end);
                if fence::is_fence(line) {
                    break;
                }
                end = next;
            }
            (
                format!("{}---{eol}", &text[..bom]),
                bom..end,
                text[end..].to_owned(),
            )
        }
    }
}

/// The end of the lines that an unclosed header was read from.
fn header_end(text: &str, start: usize) -> usize {
    let mut at = start;
    for _ in 0..crate::HEADER_LINES {
        let (line, next) = fence::line_at(text, at);
        if line.trim().is_empty() || next - start > crate::MAX_FRONTMATTER_BYTES {
            break;
        }
        at = next;
    }
    at
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    UnknownKeys,
    KnownKeysOnly,
    Nothing,
}

fn written_anew(memory: &Memory, inner: Range<usize>, eol: &str) -> String {
    let mut out = String::new();
    let fields = [
        ("name", memory.name()),
        ("description", memory.description()),
        ("type", memory.kind_text()),
        ("modified", memory.modified()),
    ];
    for (key, value) in fields {
        if let Some(value) = value {
            out.push_str(&format!("{key}: {}{eol}", quote::scalar(value)));
        }
    }
    comment(&memory.text[inner], eol, &mut out);
    out
}

fn rewritten(memory: &Memory, inner: Range<usize>, keep: Keep, eol: &str) -> String {
    let text = &memory.text;
    let layout = Layout::of(text, inner.clone());
    let mut out = String::new();
    let mut at = inner.start;
    let mut seen = BTreeSet::new();
    let counting: Vec<Option<usize>> = ["name", "description", "type", "modified", "metadata"]
        .into_iter()
        .map(|key| last(text, &layout.top, key).map(|entry| entry.lines.start))
        .collect();
    for entry in &layout.top {
        // Empty lines and comments between the entries.
        copy_plain_lines(&text[at..entry.lines.start], eol, &mut out);
        at = entry.lines.end;
        match entry.key(text) {
            _ if entry.style == Style::Junk => comment(&text[entry.lines.clone()], eol, &mut out),
            key @ ("name" | "description" | "type" | "modified") => {
                let own_word = word_of(text, entry);
                let value = match key {
                    "name" => memory.name(),
                    "description" => memory.description(),
                    _ => Some(own_word.as_str()).filter(|_| says_something(text, entry)),
                };
                match value {
                    Some(value) if counting.contains(&Some(entry.lines.start)) => {
                        known(text, entry, key, value, eol, &mut out);
                    }
                    _ => comment(&text[entry.lines.clone()], eol, &mut out),
                }
            }
            "metadata" if counting.contains(&Some(entry.lines.start)) => {
                metadata(memory, entry, &layout, keep, eol, &mut out);
            }
            // Of other keys that stand twice, the first one stays: nobody here reads either.
            key if keep == Keep::UnknownKeys && key != "metadata" && seen.insert(key) => {
                other(text, entry, eol, &mut out);
            }
            _ => comment(&text[entry.lines.clone()], eol, &mut out),
        }
    }
    copy_plain_lines(&text[at..inner.end], eol, &mut out);
    if !out.is_empty() && !out.ends_with('\n') {
        out.push_str(eol);
    }
    out
}

fn says_something(text: &str, entry: &Entry) -> bool {
    matches!(recover::value_of(text, entry).0, recover::Value::Text(_))
}

/// A key that was read: its value anew, and whatever else stands on its lines as a comment.
fn known(text: &str, entry: &Entry, key: &str, value: &str, eol: &str, out: &mut String) {
    let is_word = matches!(key, "type" | "modified");
    let rest = match entry.style {
        Style::Plain if is_word => &entry.value(text)[word(entry.value(text)).len()..],
        Style::Empty => text[entry.key.end..entry.first_line_end]
            .find('#')
            .map_or("", |at| &text[entry.key.end + at..entry.first_line_end]),
        Style::Block => entry.block_comment(text),
        Style::Double | Style::Single => fence::line_at(text, entry.value.end).0,
        _ => text
            .get(entry.value.end..entry.first_line_end)
            .unwrap_or(""),
    };
    if rest.contains('#') {
        // In quotes, a value does not take the comment behind it for its own.
        let rest = quote::printable(rest.trim());
        out.push_str(&format!("{key}: {} {rest}{eol}", quote::quoted(value)));
    } else {
        out.push_str(&format!("{key}: {}{eol}", quote::scalar(value)));
    }
    if matches!(entry.style, Style::Double | Style::Single) {
        let (_, next) = fence::line_at(text, entry.value.end);
        comment(&text[next.min(entry.lines.end)..entry.lines.end], eol, out);
    }
}

/// An entry that this crate does not read: kept if it is YAML, quoted if that makes it YAML,
/// else a comment.
fn other(text: &str, entry: &Entry, eol: &str, out: &mut String) {
    let lines = &text[entry.lines.clone()];
    let key = entry.key(text);
    if entry.indent == 0 && yaml::parse(lines).is_some() {
        push_lines(lines, eol, out);
    } else if !entry.is_multi_line(text) && entry.style != Style::Empty {
        let value = match recover::value_of(text, entry).0 {
            recover::Value::Text(value) => value,
            _ => entry.value(text).to_owned(),
        };
        let (key, value) = (quote::scalar(key), quote::scalar(&value));
        let rest = &text[entry.value.end..entry.first_line_end];
        let rest = quote::printable(rest.trim_end());
        out.push_str(&format!("{key}: {value}{rest}{eol}"));
    } else {
        comment(lines, eol, out);
    }
}

/// `metadata` with what stands below it.
fn metadata(
    memory: &Memory,
    entry: &Entry,
    layout: &Layout,
    keep: Keep,
    eol: &str,
    out: &mut String,
) {
    let text = &memory.text;
    let lines = &text[entry.lines.clone()];
    let sound = entry.indent == 0
        && yaml::parse(lines).is_some_and(|leaves| leaves.nested_kind != yaml::Leaf::Nested);
    if sound && keep == Keep::UnknownKeys {
        push_lines(lines, eol, out);
        return;
    }
    comment(lines, eol, out);
    let mut nested = String::new();
    for key in ["type", "modified"] {
        let Some(place) = last(text, &layout.nested, key) else {
            continue;
        };
        if !says_something(text, place) {
            continue;
        }
        let value = word_of(text, place);
        nested.push_str(&format!("  {key}: {}{eol}", quote::scalar(&value)));
    }
    if !nested.is_empty() {
        out.push_str(&format!("metadata:{eol}{nested}"));
    }
}

/// Lines as they are, with a line end behind the last one.
fn push_lines(lines: &str, eol: &str, out: &mut String) {
    out.push_str(lines);
    if !lines.is_empty() && !lines.ends_with('\n') {
        out.push_str(eol);
    }
}

/// Empty lines and comments, which only an unprintable character keeps from being YAML.
fn copy_plain_lines(lines: &str, eol: &str, out: &mut String) {
    let mut at = 0;
    while at < lines.len() {
        let (line, next) = fence::line_at(lines, at);
        if line.trim().is_empty() && line.chars().all(|c| c == ' ') || is_clean_comment(line) {
            out.push_str(&lines[at..next]);
        } else if line.trim().is_empty() {
            out.push_str(eol);
        } else {
            comment(&lines[at..next], eol, out);
        }
        at = next;
    }
}

fn is_clean_comment(line: &str) -> bool {
    line.trim_start_matches(' ').starts_with('#') && line == quote::printable(line)
}

/// Lines as comments.
fn comment(lines: &str, eol: &str, out: &mut String) {
    let mut at = 0;
    while at < lines.len() {
        let (line, next) = fence::line_at(lines, at);
        let line = quote::printable(line);
        let sign = if line.starts_with('#') { "" } else { "# " };
        out.push_str(&format!("{sign}{line}{eol}"));
        at = next;
    }
}

fn says_the_same(old: &Memory, new: &Memory) -> bool {
    let (a, b) = (&old.fields, &new.fields);
    !b.recovered
        && a.name == b.name
        && a.description == b.description
        && a.kind == b.kind
        && (a.kind_text == b.kind_text || a.kind.is_none())
        && a.modified == b.modified
        && (!old.has_frontmatter() || old.body() == new.body())
}
