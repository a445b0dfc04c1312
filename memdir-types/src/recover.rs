//! Reads the text of one value as the person meant it, with no YAML parser involved.

use crate::fence::line_at;
use crate::quote;
use crate::scan::{Entry, Style, closing_quote};

/// What a value says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    Text(String),
    /// A list or a mapping.
    NotText,
}

/// The value of an entry, and whether it had to be taken as it stands because YAML would not
/// read it.
pub(crate) fn value_of(text: &str, entry: &Entry) -> (Value, bool) {
    let value = entry.value(text);
    match entry.style {
        Style::Junk => (Value::NotText, false),
        Style::Empty => {
            let below = &text[entry.continuation(text)];
            let first = below.trim_start();
            if first.is_empty() {
                (Value::Null, false)
            } else if first.starts_with("- ") || first.starts_with("-\n") || first == "-" {
                (Value::NotText, false)
            } else {
                (Value::Text(fold(below)), false)
            }
        }
        Style::Plain => {
            let joined = fold(value);
            if is_null(&joined) {
                return (Value::Null, entry.tight);
            }
            let literal = entry.tight || joined.contains(": ") || joined.ends_with(':');
            (Value::Text(joined), literal)
        }
        Style::Double => {
            let inner = &value[1..value.len() - 1];
            match quote::unescape(&fold_quoted(inner)) {
                Some(unescaped) => (Value::Text(unescaped), entry.tight),
                None => (Value::Text(inner.to_owned()), true),
            }
        }
        Style::Single => {
            let inner = &value[1..value.len() - 1];
            (
                Value::Text(fold_quoted(inner).replace("''", "'")),
                entry.tight,
            )
        }
        Style::BrokenQuote => (Value::Text(broken_quote(value)), true),
        Style::Block => (Value::Text(block(text, entry)), false),
        Style::Flow => flow(value),
        Style::Reserved => (Value::Text(fold(value)), true),
    }
}

pub(crate) fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// Joins the lines of a text as YAML folds them: a line end is a blank, an empty line a line end.
fn fold(text: &str) -> String {
    fold_lines(text.lines().map(str::trim))
}

/// The same inside quotes, where the outer blanks of the whole text count.
fn fold_quoted(text: &str) -> String {
    if !text.contains('\n') {
        return text.to_owned();
    }
    let last = text.lines().count() - 1;
    fold_lines(text.lines().enumerate().map(|(at, line)| match at {
        0 => line.trim_end(),
        at if at == last => line.trim_start(),
        _ => line.trim(),
    }))
}

fn fold_lines<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let mut out = String::new();
    let mut empty = 0;
    let mut first = true;
    for line in lines {
        if line.is_empty() && !first {
            empty += 1;
            continue;
        }
        if !first {
            match empty {
                0 => out.push(' '),
                count => out.extend(std::iter::repeat_n('\n', count)),
            }
        }
        empty = 0;
        first = false;
        out.push_str(line);
    }
    out
}

/// A text that opens with a quotation mark and breaks the rules of quoting. If the marks enclose
/// the whole, they go; if there is only the first, it goes; else they belong to the text.
fn broken_quote(value: &str) -> String {
    let quote = if value.starts_with('"') { '"' } else { '\'' };
    let rest = &value[1..];
    match rest.strip_suffix(quote) {
        Some(inner) if closing_quote(value).is_some() => inner.to_owned(),
        None if !rest.contains(quote) => fold(rest),
        _ => fold(value),
    }
}

/// A block scalar. The line ends at its end are dropped: they come from the notation, and a name
/// or a description is one line.
fn block(text: &str, entry: &Entry) -> String {
    let folded = entry.value(text).starts_with('>');
    let below = &text[entry.continuation(text)];
    let indent = below
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start_matches([' ', '\t']).len())
        .min()
        .unwrap_or(0);
    let mut lines = Vec::new();
    let mut at = 0;
    while at < below.len() {
        let (line, next) = line_at(below, at);
        lines.push(line.get(indent..).unwrap_or(""));
        at = next;
    }
    let joined = if folded {
        fold_lines(lines.iter().map(|line| line.trim_end()))
    } else {
        lines.join("\n")
    };
    joined.trim_end_matches('\n').to_owned()
}

/// A value that opens like a list or a mapping. A placeholder (`{{name}}`), a link (`[[name]]`)
/// and a label (`[WIP] clean up`) are texts; a list of several items, or of numbers and the like
/// with a remark behind it, is not.
fn flow(value: &str) -> (Value, bool) {
    if value.starts_with("{{") || value.starts_with("[[") {
        return (Value::Text(fold(value)), true);
    }
    let Some(rest) = value.strip_prefix('[') else {
        return match value.ends_with('}') {
            true => (Value::NotText, false),
            false => (Value::Text(fold(value)), true),
        };
    };
    let Some((inner, after)) = rest.split_once(']') else {
        return (Value::Text(fold(value)), true);
    };
    let mut items = inner.split(',').map(str::trim);
    let is_list = if after.trim().is_empty() {
        items.clone().count() != 1 || inner.trim().is_empty()
    } else {
        items.clone().count() > 1 && items.all(is_typed)
    };
    if is_list {
        (Value::NotText, false)
    } else {
        (Value::Text(fold(value)), true)
    }
}

/// Whether YAML would make a number, a truth value or nothing of a text.
fn is_typed(text: &str) -> bool {
    is_null(text)
        || ["true", "false"]
            .iter()
            .any(|word| word.eq_ignore_ascii_case(text))
        || (text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
            && text.parse::<f64>().is_ok())
}
