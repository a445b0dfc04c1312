//! Reads the headers that nearly every memory has: flat, plain, one line per key.

use memdir_types::{HEADER_LINES, Header, MemoryType};

/// The header of a text, if every line of its block is a plain key with a plain value that no
/// reader could take for anything else. On such a block it is what
/// [`memdir_types::parse_header`] says, in a fraction of the time; `None` leaves it to that.
pub(super) fn header(text: &str) -> Option<Header> {
    let mut rest = text.strip_prefix("---\n")?;
    let mut header = Header::default();
    // Other keys are no one's business here, but none may stand twice.
    let mut others: [&str; MAX_OTHERS] = [""; MAX_OTHERS];
    let mut count = 0;
    for _ in 2..HEADER_LINES {
        let (line, next) = rest.split_once('\n')?;
        if line == "---" {
            return Some(header);
        }
        rest = next;
        let (key, value) = line.split_once(": ")?;
        if !is_plain_key(key) {
            return None;
        }
        let value = plain_value(value)?;
        let slot = match key {
            "name" => &mut header.name,
            "description" => &mut header.description,
            "modified" => &mut header.modified,
            "type" => {
                header.kind = Some(MemoryType::ALL.into_iter().find(|k| k.as_str() == value)?);
                &mut header.kind_text
            }
            "metadata" => return None,
            other => {
                if others[..count].contains(&other) {
                    return None;
                }
                *others.get_mut(count)? = other;
                count += 1;
                continue;
            }
        };
        if slot.is_some() {
            return None;
        }
        *slot = Some(value.to_owned());
    }
    None
}

/// How many keys of other readers a plain header has at most: 8 keys.
const MAX_OTHERS: usize = 8;

fn is_plain_key(key: &str) -> bool {
    key.bytes().next().is_some_and(|b| b.is_ascii_lowercase())
        && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
        && key != "null"
}

/// The text of a value that is plain, or in quotes without anything that quotes change.
fn plain_value(value: &str) -> Option<&str> {
    if !value.chars().all(is_plain) {
        return None;
    }
    if let Some(inner) = value.strip_prefix('"') {
        let inner = inner.strip_suffix('"')?;
        return (!inner.contains(['"', '\'', '\\'])).then_some(inner);
    }
    let is_plain = value.starts_with(char::is_alphanumeric)
        && !value.ends_with([' ', ':'])
        && !value.contains(": ")
        && !value.contains(" #")
        && !value.eq_ignore_ascii_case("null");
    is_plain.then_some(value)
}

/// Characters that no version of YAML treats as anything but text.
fn is_plain(c: char) -> bool {
    let code = u32::from(c);
    match c {
        ' '..='~' => true,
        _ => {
            !(c.is_control()
                || c.is_whitespace()
                || c == '\u{feff}'
                || code & 0xfffe == 0xfffe
                || (0xfdd0..=0xfdef).contains(&code))
        }
    }
}
