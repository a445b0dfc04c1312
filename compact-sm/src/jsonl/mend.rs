//! What no text can hold, replaced: clients that cut a text in the middle of a character write half
//! of it, and the JSON parser refuses the line.

/// The text with U+FFFD for bytes that are none, and for escapes of half a character; none if it
/// holds neither. Linear.
pub(super) fn text(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let halves = halves(text.as_bytes());
    if halves.is_empty() && matches!(text, std::borrow::Cow::Borrowed(_)) {
        return None;
    }
    let mut whole = String::with_capacity(text.len());
    let mut from = 0;
    for at in halves {
        whole.push_str(&text[from..at]);
        whole.push_str("\\ufffd");
        from = at + ESCAPE;
    }
    whole.push_str(&text[from..]);
    Some(whole)
}

/// Length of an escape of a character: `\uXXXX`. In bytes.
const ESCAPE: usize = 6;

/// Where escapes of halves of characters stand alone.
fn halves(bytes: &[u8]) -> Vec<usize> {
    let mut halves = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        at += match (unit(bytes, at), unit(bytes, at + ESCAPE)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 2 * ESCAPE,
            (Some(0xD800..=0xDFFF), _) => {
                halves.push(at);
                ESCAPE
            }
            (Some(_), _) => ESCAPE,
            // The backslash and what it escapes.
            (None, _) => 2,
        };
    }
    halves
}

/// The UTF-16 unit that is escaped here.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + ESCAPE)?.strip_prefix(b"\\u")?;
    let digits = digits.iter().try_fold(0_u32, |number, digit| {
        Some(number * 16 + char::from(*digit).to_digit(16)?)
    })?;
    u16::try_from(digits).ok()
}
