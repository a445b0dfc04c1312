//! From the bytes of a file to the text that a model gets.

use crate::import::{Reference, scan};

/// The text of a file after cleaning, and what was found on the way.
#[derive(Debug)]
pub(crate) struct Cleaned {
    pub(crate) text: String,
    /// References of the text as it was before block comments went.
    pub(crate) references: Vec<Reference>,
    /// Whether a block comment never ends.
    pub(crate) unclosed: bool,
}

/// The text of the bytes; the flag says whether some were replaced.
pub(crate) fn decode(bytes: Vec<u8>) -> (String, bool) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
    }
}

/// Removes a byte order mark, block comments and outer white space. The frontmatter is off already.
pub(crate) fn clean_body(body: &str) -> Cleaned {
    let body = body.strip_prefix('\u{feff}').unwrap_or(body);
    let found = scan(body);
    let text = match found.comments.is_empty() {
        true => trim(body).to_owned(),
        false => {
            let mut out = String::with_capacity(body.len());
            let mut start = 0;
            for range in &found.comments {
                out.push_str(&body[start..range.start]);
                start = range.end;
            }
            out.push_str(&body[start..]);
            trim(&out).to_owned()
        }
    };
    Cleaned {
        text,
        references: found.references,
        unclosed: found.unclosed,
    }
}

/// White space as the format trims it: the byte order mark counts, the next-line character not.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}'))
}
