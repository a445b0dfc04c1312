//! Reads the headers that nearly every memory has: flat, plain, one line per key.

use memdir_types::{HEADER_LINES, Header, MemoryType};

/// The header of a file's start, if every line of its block is a plain key with a plain value
/// that no reader could take for anything else. On such a block it is what
/// [`memdir_types::parse_header`] says, in a fraction of the time; `None` leaves it to that.
/// What is behind the block does not matter, nor whether it was read.
pub(super) fn header(start: &[u8]) -> Option<Header> {
    let mut rest = start.strip_prefix(b"---\n")?;
    let mut header = Header::default();
    // Other keys are no one's business here, but none may stand twice.
    let mut others: [&[u8]; MAX_OTHERS] = [b""; MAX_OTHERS];
    let mut count = 0;
    for _ in 2..HEADER_LINES {
        if rest.starts_with(b"---\n") {
            return Some(header);
        }
        let colon = rest.iter().position(|b| !is_of_key(*b))?;
        let (key, behind) = rest.split_at(colon);
        if !key.first().is_some_and(u8::is_ascii_lowercase) || key == b"null" {
            return None;
        }
        let value;
        (value, rest) = plain_value(behind.strip_prefix(b": ")?)?;
        let slot = match key {
            b"name" => &mut header.name,
            b"description" => &mut header.description,
            b"modified" => &mut header.modified,
            b"type" => {
                header.kind = Some(MemoryType::ALL.into_iter().find(|k| k.as_str() == value)?);
                &mut header.kind_text
            }
            b"metadata" => return None,
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

fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte == b'_'
}

/// The text of a value that is plain, or in quotes without anything that quotes change, and what
/// is behind its line.
fn plain_value(start: &[u8]) -> Option<(&str, &[u8])> {
    let end = start.iter().position(u8::is_ascii_control)?;
    let (value, rest) = (&start[..end], start[end..].strip_prefix(b"\n")?);
    let text = std::str::from_utf8(value).ok()?;
    if !text.is_ascii() && !text.chars().all(is_plain) {
        return None;
    }
    if let Some(inner) = text.strip_prefix('"') {
        let inner = inner.strip_suffix('"')?;
        return (!inner.contains(['"', '\'', '\\'])).then_some((inner, rest));
    }
    let is_plain = text.starts_with(char::is_alphanumeric)
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with([' ', ':'])
        && !text.eq_ignore_ascii_case("null");
    is_plain.then_some((text, rest))
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
