//! Two readings line by line: a fast one for what is surely YAML, a lenient one for what is not.

use super::yaml::{self, Item, Value};

type Found = (Value, Vec<String>);

/// Reads a flat block: keys with one plain or quoted text each, or a list of such texts. Answers
/// only where YAML says the same.
pub(super) fn flat(block: &str) -> Option<Found> {
    let mut paths = Value::Missing;
    let mut keys: Vec<String> = Vec::new();
    let mut lines = block.lines().peekable();
    while let Some(line) = lines.next() {
        let line = line.trim_end_matches(' ');
        if line.is_empty() {
            continue;
        }
        let (key, value) = line.split_once(':')?;
        let name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        // A key like `true` or `12` is no text in YAML, `<<` is more than one.
        let first = key.as_bytes().first()?;
        if !first.is_ascii_alphabetic() || !key.bytes().all(name) || is_word(key) {
            return None;
        }
        if keys.iter().any(|known| known == key) {
            return None;
        }
        let value = match value {
            "" => {
                let mut items = Vec::new();
                let mut indent = None;
                while let Some(next) = lines.peek() {
                    let text = next.trim_start_matches(' ');
                    let depth = next.len() - text.len();
                    let Some(item) = text.strip_prefix("- ") else {
                        break;
                    };
                    if *indent.get_or_insert(depth) != depth {
                        return None;
                    }
                    items.push(Item::Text(scalar(item)?));
                    lines.next();
                }
                // What follows more deeply indented would belong to this key.
                if lines
                    .peek()
                    .is_some_and(|next| next.starts_with([' ', '-', '\t']))
                {
                    return None;
                }
                match items.is_empty() {
                    true => Value::Null,
                    false => Value::List(items),
                }
            }
            value => {
                let text = scalar(value.strip_prefix(' ')?)?;
                if lines
                    .peek()
                    .is_some_and(|next| next.starts_with([' ', '-', '\t']))
                {
                    return None;
                }
                Value::Text(text)
            }
        };
        if key == "paths" {
            paths = value;
        }
        keys.push(key.to_owned());
    }
    Some((paths, keys))
}

/// A text that needs no second thought: quoted without escapes, or plain and of no other type.
fn scalar(text: &str) -> Option<String> {
    let text = text.trim_matches(' ');
    let inner = |quote: char| {
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        let fine = |c: char| c != quote && c != '\\' && !c.is_control() && c != '\u{feff}';
        inner.chars().all(fine).then(|| inner.to_owned())
    };
    match text.as_bytes().first()? {
        b'"' => inner('"'),
        b'\'' => inner('\''),
        first if first.is_ascii_alphabetic() => {
            let fine = |byte: u8| {
                byte.is_ascii_alphanumeric() || b" ./_-*,{}()!?[]+@$%&'\"~=;".contains(&byte)
            };
            (text.bytes().all(fine) && !is_word(text)).then(|| text.to_owned())
        }
        _ => None,
    }
}

/// Words that YAML takes for a truth value or for nothing, in some version of it.
fn is_word(text: &str) -> bool {
    [
        "y", "yes", "n", "no", "on", "off", "true", "false", "null", "nan", "inf",
    ]
    .iter()
    .any(|word| text.eq_ignore_ascii_case(word))
}

/// Reads what YAML refuses: the lines of `paths` alone, as YAML if possible, else each value as
/// if quoted.
pub(super) fn lenient(block: &str, warnings: &mut Vec<String>) -> Found {
    let lines: Vec<&str> = block.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let content = |line: &&&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let top = lines.iter().find(content).map_or(0, |line| indent(line));
    // Lines that begin a key at the top, with the key.
    let starts: Vec<(usize, &str)> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| indent(line) <= top)
        .filter_map(|(at, line)| Some((at, key(line)?)))
        .collect();
    let keys: Vec<String> = starts.iter().map(|(_, key)| (*key).to_owned()).collect();
    let mut mine = starts
        .iter()
        .enumerate()
        .filter(|(_, (_, key))| *key == "paths");
    let Some((nth, (start, _))) = mine.next_back() else {
        warnings.push("the frontmatter is no valid YAML".to_owned());
        return (Value::Missing, keys);
    };
    if mine.next().is_some() {
        warnings.push("`paths` stands there more than once; the last one counts".to_owned());
    }
    let end = starts.get(nth + 1).map_or(lines.len(), |(next, _)| *next);
    let section = &lines[*start..end];
    let value = section[0]
        .split_once(':')
        .map_or("", |(_, value)| value.trim());
    // A block scalar means one pattern per line; YAML would join the lines of a folded one.
    if is_block_mark(value) {
        let deeper = |line: &str| line.len() - line.trim_start().len() > top;
        let inside = |line: &&&str| line.trim().is_empty() || deeper(line);
        let mine = section[1..].iter().take_while(inside);
        let text = mine.map(|line| line.trim());
        warnings.push("`paths` is a block of text; each line counts as a pattern".to_owned());
        return (Value::Text(text.collect::<Vec<_>>().join("\n")), keys);
    }
    if let Some((paths, _)) = yaml::parse(&section.join("\n")) {
        warnings.push("the frontmatter is no valid YAML; `paths` could be read".to_owned());
        return (paths, keys);
    }
    warnings.push("`paths` is no valid YAML and was read as if quoted".to_owned());
    if !bare(value).is_empty() {
        return (Value::Text(bare(value).to_owned()), keys);
    }
    let mut items = Vec::new();
    for line in &section[1..] {
        let line = line.trim();
        let Some(item) = line
            .strip_prefix('-')
            .filter(|item| item.is_empty() || item.starts_with([' ', '\t']))
        else {
            continue;
        };
        items.push(item_of(item.trim()));
    }
    match items.is_empty() {
        true => (Value::Null, keys),
        false => (Value::List(items), keys),
    }
}

/// Whether a value only says that a block scalar follows: `|`, `>-`, `|2 # why`.
fn is_block_mark(value: &str) -> bool {
    let Some(rest) = value.strip_prefix(['|', '>']) else {
        return false;
    };
    let rest = rest.trim_start_matches(|c: char| matches!(c, '+' | '-') || c.is_ascii_digit());
    rest.is_empty() || rest.starts_with([' ', '\t']) && rest.trim_start().starts_with('#')
}

/// The key with which a line begins.
pub(super) fn key(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let (key, rest) = line.split_once(':')?;
    let starts = rest.is_empty() || rest.starts_with([' ', '\t']);
    let key = key.trim_end().trim_matches(['"', '\'']);
    let fine = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
    (starts && !key.is_empty() && !key.starts_with('-') && key.chars().all(fine)).then_some(key)
}

/// One item of a list, as YAML if it is that.
fn item_of(item: &str) -> Item {
    // A tag without a value is what a person wrote as a negation.
    if item.starts_with(['!', '*']) {
        return Item::Text(bare(item).to_owned());
    }
    match yaml::parse(&format!("paths: {item}")) {
        Some((Value::Text(text), _)) => Item::Text(text),
        Some(_) => Item::Other,
        None => Item::Text(bare(item).to_owned()),
    }
}

/// A value as its author meant it: without a comment at its end and without quotes around it,
/// even if one of them is missing.
fn bare(value: &str) -> &str {
    let value = value.trim();
    let quoted = value.starts_with(['"', '\'']);
    let value = match value.find(" #") {
        Some(at) if !quoted => value[..at].trim_end(),
        _ => value,
    };
    match value.starts_with('#') {
        true => "",
        false => value.trim_matches(['"', '\'']),
    }
}
