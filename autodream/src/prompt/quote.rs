//! Names in a prompt: between backticks, on one line, and unable to end what they stand in.

use std::path::Path;

/// 300 characters: more of a name is not shown. Longer than what a file system takes.
const MAX_NAME_CHARS: usize = 300;
/// 4,096 characters: more of a path is not shown. A path that is cut leads nowhere.
const MAX_PATH_CHARS: usize = 4_096;

/// A name between backticks. What could end them, break the line or hide is shown as an escape.
pub(super) fn name(text: &str) -> String {
    quoted(text, MAX_NAME_CHARS)
}

fn quoted(text: &str, most: usize) -> String {
    let mut out = String::from("`");
    for (count, c) in text.chars().enumerate() {
        if count == most {
            out.push('…');
            break;
        }
        match c {
            ' ' => out.push(c),
            '`' => out.extend(c.escape_unicode()),
            // Letters and marks that are not seen.
            '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => {
                out.extend(c.escape_unicode());
            }
            c if c.is_ascii_graphic() || c.is_alphanumeric() => out.push(c),
            c if c.is_ascii() || c.is_control() || c.is_whitespace() => {
                out.extend(c.escape_default());
            }
            c if is_plain_symbol(c) => out.push(c),
            c => out.extend(c.escape_unicode()),
        }
    }
    out.push('`');
    out
}

/// Punctuation and symbols that are seen, so that a path with them stays a path.
fn is_plain_symbol(c: char) -> bool {
    matches!(c,
        '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{bf}'
        | '\u{300}'..='\u{36f}'
        | '\u{900}'..='\u{dff}'
        | '\u{e31}'..='\u{e4e}'
        | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}'
        | '\u{20a0}'..='\u{20bf}' | '\u{2190}'..='\u{23ff}' | '\u{2500}'..='\u{27bf}'
        | '\u{3001}'..='\u{303f}' | '\u{3099}'..='\u{309c}' | '\u{ff01}'..='\u{ff5e}'
        | '\u{1f300}'..='\u{1faff}')
}

/// A path between backticks.
pub(super) fn path(path: &Path) -> String {
    quoted(&path.to_string_lossy(), MAX_PATH_CHARS)
}

/// A size in words.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{} KB", bytes.div_ceil(1_024)),
        _ => format!("{} MB", bytes.div_ceil(1_048_576)),
    }
}
