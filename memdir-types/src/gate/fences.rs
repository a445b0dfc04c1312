//! Text that opens or closes one of the tags by which prompts mark where text comes from.

use std::ops::Range;

use super::hidden;

/// The tags. A text that holds one could end the part of a prompt that it stands in and speak
/// with another voice.
///
/// The parts of the type guidance that are everyday placeholders (`<type>`, `<name>`,
/// `<description>`, `<scope>`, `<examples>`) are left alone: they mean something only inside
/// `<types>`, and "git switch <name>" is what people write.
const TAGS: [&str; 6] = [
    "system-reminder",
    "team-memory-content",
    "types",
    "when_to_save",
    "how_to_use",
    "body_structure",
];

/// The places of all such tags, from `<` to the end of the tag's name.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    text.match_indices('<')
        .filter_map(|(at, _)| tag_end(&text[at..]).map(|length| at..at + length))
        .collect()
}

/// The length of a tag up to the end of its name, if the text opens with one: a sign, perhaps a
/// slash, the name in any case; white space before the name and characters that cannot be seen
/// anywhere in it do not make it another tag.
fn tag_end(text: &str) -> Option<usize> {
    let mut name = String::new();
    let mut end = 0;
    let mut slash = false;
    for (at, c) in text.char_indices().skip(1) {
        if hidden::is_hidden(c) {
            // Longer than any disguise of a name has to be: a run of a megabyte is not a tag.
            if at > MAX_TAG_BYTES {
                return None;
            }
            continue;
        }
        match c {
            '/' if name.is_empty() && !slash => slash = true,
            c if name.is_empty() && c.is_whitespace() => {}
            c if c.is_ascii_alphanumeric() || c == '-' || c == '_' => {
                name.push(c.to_ascii_lowercase());
                end = at + 1;
                if name.len() > 32 {
                    return None;
                }
            }
            c => {
                // `Vec<types::Kind>` is code. Names that are nobody's identifier need no care.
                if !name.contains('-') && !c.is_whitespace() && c != '/' && c != '>' {
                    return None;
                }
                break;
            }
        }
        if at > MAX_TAG_BYTES {
            return None;
        }
    }
    TAGS.contains(&name.as_str()).then_some(end)
}

/// How far after its `<` the name of a tag is looked for, in bytes.
const MAX_TAG_BYTES: usize = 1_024;

/// The text with the `<` at each of the offsets written as `&lt;`.
pub(super) fn escape(text: &str, tags: &[usize]) -> String {
    let mut out = String::with_capacity(text.len() + tags.len() * 3);
    let mut at = 0;
    for tag in tags {
        out.push_str(&text[at..*tag]);
        out.push_str("&lt;");
        at = tag + 1;
    }
    out.push_str(&text[at..]);
    out
}
