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

/// The places of all such tags, from the sign that opens them to the end of the tag's name.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    text.match_indices(is_opening_sign)
        .filter_map(|(at, _)| tag_end(&text[..at], &text[at..]).map(|length| at..at + length))
        .collect()
}

/// The length of a tag up to the end of its name, if the text opens with one: a sign, perhaps a
/// slash, the name in any case. White space and slashes before the name, characters that cannot
/// be seen or only decorate a letter, and letters that look like the right ones do not make it
/// another tag.
///
/// No scan goes past the next opening sign, so that all of them together are linear.
fn tag_end(before: &str, text: &str) -> Option<usize> {
    let mut name = String::new();
    let mut end = 0;
    let mut slash = false;
    let mut chars = text.char_indices();
    let (_, sign) = chars.next()?;
    for (at, c) in chars {
        if hidden::is_hidden(c) || (!name.is_empty() && hidden::is_combining(c)) {
            continue;
        }
        match looks_like(c) {
            '/' | '\\' if name.is_empty() => slash = true,
            c if name.is_empty() && c.is_whitespace() => {}
            plain if plain.is_ascii_alphanumeric() || plain == '-' || plain == '_' => {
                name.push(plain.to_ascii_lowercase());
                end = at + c.len_utf8();
                if name.len() > MAX_NAME_BYTES {
                    return None;
                }
            }
            c => {
                // `Vec<types::Kind>` is code. Names that are nobody's identifier need no care.
                let ends = c.is_whitespace() || c == '/' || is_closing_sign(c);
                if !name.contains('-') && !ends {
                    return None;
                }
                break;
            }
        }
    }
    if !TAGS.contains(&name.as_str()) {
        return None;
    }
    // So is `Vec<types>`; and `‹types›` is a word in quotation marks.
    let behind_a_word = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let is_code = !name.contains('-') && behind_a_word && !slash;
    let is_quoted = name == "types" && !matches!(sign, '<' | '\u{fe64}' | '\u{ff1c}');
    (!is_code && !is_quoted).then_some(end)
}

/// Longer than any of the names.
const MAX_NAME_BYTES: usize = 32;

/// `<`, its wide and small forms, and signs that look like it.
fn is_opening_sign(c: char) -> bool {
    matches!(
        c,
        '<' | '\u{2c2}'
            | '\u{1438}'
            | '\u{2039}'
            | '\u{2329}'
            | '\u{276e}'
            | '\u{2770}'
            | '\u{27e8}'
            | '\u{3008}'
            | '\u{fe64}'
            | '\u{ff1c}'
    )
}

/// The other side of each.
fn is_closing_sign(c: char) -> bool {
    matches!(
        c,
        '>' | '\u{2c3}'
            | '\u{1433}'
            | '\u{203a}'
            | '\u{232a}'
            | '\u{276f}'
            | '\u{2771}'
            | '\u{27e9}'
            | '\u{3009}'
            | '\u{fe65}'
            | '\u{ff1e}'
    )
}

/// The ASCII character that a reader takes this one for, or the character itself: wide and
/// mathematical letters, dashes, and the letters of other alphabets that look the same.
pub(super) fn looks_like(c: char) -> char {
    let code = u32::from(c);
    let ascii = |code: u32| char::from_u32(code).unwrap_or(c);
    match c {
        '\u{ff01}'..='\u{ff5e}' => ascii(code - 0xfee0),
        // Upper and lower case by turns, in several styles.
        '\u{1d400}'..='\u{1d6a3}' => match (code - 0x1d400) % 52 {
            upper @ 0..26 => ascii(0x41 + upper),
            lower => ascii(0x61 + lower - 26),
        },
        '\u{24b6}'..='\u{24cf}' => ascii(0x41 + code - 0x24b6),
        '\u{24d0}'..='\u{24e9}' => ascii(0x61 + code - 0x24d0),
        '\u{2010}'..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => '-',
        '\u{2044}' | '\u{2215}' => '/',
        'а' | 'А' | 'α' | 'Α' => 'a',
        'в' | 'В' | 'Β' | 'Ь' | 'ь' => 'b',
        'с' | 'С' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'Е' | 'Ε' => 'e',
        'һ' | 'Н' | 'Η' => 'h',
        'і' | 'І' | 'ι' | 'Ι' | 'ı' | 'İ' => 'i',
        'к' | 'К' | 'κ' | 'Κ' | 'K' => 'k',
        'м' | 'М' | 'Μ' => 'm',
        'ո' | 'Ν' => 'n',
        'о' | 'О' | 'ο' | 'Ο' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' => 'p',
        'г' => 'r',
        'ѕ' | 'Ѕ' | 'ſ' => 's',
        'т' | 'Т' | 'τ' | 'Τ' => 't',
        'ս' | 'υ' => 'u',
        'ν' | 'ѵ' => 'v',
        'ԝ' => 'w',
        'у' | 'У' | 'Υ' | 'γ' => 'y',
        _ => c,
    }
}

/// The text with the opening sign at each of the offsets written as `&lt;`.
pub(super) fn escape(text: &str, tags: &[usize]) -> String {
    let mut out = String::with_capacity(text.len() + tags.len() * 3);
    let mut at = 0;
    for tag in tags {
        out.push_str(&text[at..*tag]);
        out.push_str("&lt;");
        at = tag + text[*tag..].chars().next().map_or(0, char::len_utf8);
    }
    out.push_str(&text[at..]);
    out
}
