//! Reads the headers that nearly every memory has: flat, plain, one line per key.

use memdir_types::{HEADER_LINES, Header, MemoryType};

/// The header of a file's start, if every line of its block is a plain key with a plain value
/// that no reader could take for anything else. On such a block it is what
/// [`memdir_types::parse_header`] says, in a fraction of the time; `None` leaves it to that.
pub(super) fn header(start: &[u8]) -> Option<Header> {
    let mut rest = start.strip_prefix(b"---\n")?;
    let mut header = Header::default();
    // Other keys are no one's business here, but none may stand twice.
    let mut others: [&[u8]; MAX_OTHERS] = [b""; MAX_OTHERS];
    let mut count = 0;
    for _ in 2..HEADER_LINES {
        let end = rest.iter().position(|b| *b == b'\n')?;
        let line = &rest[..end];
        if line == b"---" {
            return Some(header);
        }
        rest = &rest[end + 1..];
        let colon = line.iter().position(|b| *b == b':')?;
        let (key, value) = (&line[..colon], line[colon + 1..].strip_prefix(b" ")?);
        if !is_plain_key(key) {
            return None;
        }
        let value = plain_value(value)?;
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

fn is_plain_key(key: &[u8]) -> bool {
    key.first().is_some_and(u8::is_ascii_lowercase)
        && key.iter().all(|b| b.is_ascii_lowercase() || *b == b'_')
        && key != b"null"
}

/// The text of a value that is plain, or in quotes without anything that quotes change.
fn plain_value(value: &[u8]) -> Option<&str> {
    // One look at each byte tells what most values are made of.
    let (mut quotes, mut signs, mut is_ascii) = (0, false, true);
    let mut before = 0;
    for byte in value {
        match byte {
            b'"' => quotes += 1,
            b'\'' | b'\\' => quotes += 3,
            b' ' if before == b':' => signs = true,
            b'#' if before == b' ' => signs = true,
            b' '..=b'~' => {}
            0x80.. => is_ascii = false,
            _ => return None,
        }
        before = *byte;
    }
    let text = std::str::from_utf8(value).ok()?;
    if !is_ascii && !text.chars().all(is_plain) {
        return None;
    }
    if let Some(inner) = text.strip_prefix('"') {
        // Two of them are the first and the last.
        let inner = inner.strip_suffix('"')?;
        return (quotes == 2).then_some(inner);
    }
    let is_plain = text.starts_with(char::is_alphanumeric)
        && !signs
        && !text.ends_with([' ', ':'])
        && !text.eq_ignore_ascii_case("null");
    is_plain.then_some(text)
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
