//! Lexical guard for names that come from a model or a team member.

use std::fmt;

use unicode_normalization::UnicodeNormalization;

use crate::error::{Error, ErrorKind};

/// 255 bytes: the longest name of one path component on the common file systems.
pub const MAX_COMPONENT_BYTES: usize = 255;

/// 4,096 bytes: the longest relative name that is looked at; the limit of a path on Linux.
pub const MAX_NAME_BYTES: usize = 4_096;

/// Why a name is not safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum NameFault {
    /// There is no name, or a component of it is empty (`a//b`, `a/`).
    Empty,
    /// A component is longer than [`MAX_COMPONENT_BYTES`], or the name than [`MAX_NAME_BYTES`].
    TooLong,
    /// It holds a control character, NUL among them.
    ControlCharacter,
    /// It holds a character that reorders or hides text.
    HiddenCharacter,
    /// It begins at the root of the file system.
    Absolute,
    /// It begins with a drive letter (`C:x`).
    Drive,
    /// It holds a backslash, which separates folders on Windows.
    Backslash,
    /// A component consists of dots and spaces only, `..` among them.
    Dots,
    /// A component ends in a dot or a space, which Windows drops.
    TrailingDotOrSpace,
    /// A component would be read as somebody's home directory.
    Tilde,
    /// A component is the name of a device on Windows, with any extension.
    Device,
    /// It holds one of `< > : " | ? *`, which Windows cannot store.
    ReservedCharacter,
    /// Percent-decoding turns it into something that leaves its folder.
    PercentEncoded,
    /// Unicode compatibility forms turn it into something that leaves its folder.
    Disguised,
    /// It names a place below a folder, where one plain component is expected.
    NotOneComponent,
    /// It is the name of a folder that the project's directory has for something else.
    Taken,
}

impl fmt::Display for NameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NameFault::Empty => "it is empty or has an empty component",
            NameFault::TooLong => "it is too long for a file name",
            NameFault::ControlCharacter => "it holds a control character",
            NameFault::HiddenCharacter => "it holds a character that hides or reorders text",
            NameFault::Absolute => "it is absolute",
            NameFault::Drive => "it begins with a drive letter",
            NameFault::Backslash => "it holds a backslash",
            NameFault::Dots => "a component consists of dots",
            NameFault::TrailingDotOrSpace => "a component ends in a dot or a space",
            NameFault::Tilde => "a component stands for a home directory",
            NameFault::Device => "a component is the name of a device",
            NameFault::ReservedCharacter => "it holds a character that not every system can store",
            NameFault::PercentEncoded => "percent-decoding makes it leave its folder",
            NameFault::Disguised => "a look-alike character makes it leave its folder",
            NameFault::NotOneComponent => "one plain component is expected",
            NameFault::Taken => "the folder of that name is for something else",
        })
    }
}

/// Checks an untrusted relative name (a topic file, a key of team memory) without touching the
/// disk.
///
/// The rules are the same on every platform, because team memory travels between them. Names
/// with folders (`feedback/a.md`), spaces, and any script pass. A malformed percent sequence is
/// taken as it stands.
///
/// # Errors
///
/// [`ErrorKind::UnsafeName`] with the [`NameFault`].
///
/// ```
/// assert!(memdir_paths::check_name("feedback_测试.md").is_ok());
/// assert_eq!(
///     memdir_paths::check_name("..%2fid_rsa").unwrap_err().to_string(),
///     r#""..%2fid_rsa": not a safe name: percent-decoding makes it leave its folder"#,
/// );
/// ```
pub fn check_name(name: &str) -> Result<(), Error> {
    match name_fault(name) {
        None => Ok(()),
        Some(fault) => Err(Error::new(ErrorKind::UnsafeName(fault), shown(name))),
    }
}

/// The folders beside those of the sessions: memory, and a team memory in its sibling layout.
const TAKEN: [&str; 2] = ["memory", "team"];

/// Checks an untrusted session id: one component that is none of the project's own folders.
pub(crate) fn check_session(id: &str) -> Result<(), Error> {
    check_name(id)?;
    let fault = if id.contains('/') {
        NameFault::NotOneComponent
    } else if TAKEN.iter().any(|name| id.eq_ignore_ascii_case(name)) {
        NameFault::Taken
    } else {
        return Ok(());
    };
    Err(Error::new(ErrorKind::UnsafeName(fault), shown(id)))
}

/// The part of a refused name that goes into its error: enough to recognise it, never megabytes.
fn shown(name: &str) -> String {
    name.chars().take(200).collect()
}

fn name_fault(name: &str) -> Option<NameFault> {
    if is_plain(name) {
        return None;
    }
    closer_look(name)
}

/// The longest name of a device, such as `COM1`: 4 letters.
const MAX_DEVICE: usize = 4;

/// The longest name that is plain: 64 letters.
const MAX_PLAIN: usize = 64;

/// Whether a name is one that nearly every memory has, and that no check refuses: letters,
/// digits, `_` and `-`, more of them than a device has, and `.md`. A scan checks thousands.
fn is_plain(name: &str) -> bool {
    let stem = name.strip_suffix(".md").unwrap_or_default();
    let is_usual = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    (MAX_DEVICE + 1..=MAX_PLAIN).contains(&stem.len()) && stem.bytes().all(is_usual)
}

fn closer_look(name: &str) -> Option<NameFault> {
    if name.len() > MAX_NAME_BYTES {
        return Some(NameFault::TooLong);
    }
    if let Some(fault) = name.chars().find_map(character_fault) {
        return Some(fault);
    }
    if has_idle_joiner(name) {
        return Some(NameFault::HiddenCharacter);
    }
    if name.starts_with('/') {
        return Some(NameFault::Absolute);
    }
    let mut head = name.chars();
    if let (Some(drive), Some(':')) = (head.next(), head.next())
        && drive.is_ascii_alphabetic()
    {
        return Some(NameFault::Drive);
    }
    if name.contains(['<', '>', ':', '"', '|', '?', '*']) {
        return Some(NameFault::ReservedCharacter);
    }
    if name.starts_with('~') {
        return Some(NameFault::Tilde);
    }
    name.split('/').find_map(component_fault)
}

fn character_fault(c: char) -> Option<NameFault> {
    match c {
        '\\' => Some(NameFault::Backslash),
        c if c.is_control() => Some(NameFault::ControlCharacter),
        // Marks and overrides of writing direction, line and paragraph separators, the byte order
        // mark, fillers, annotations, tag characters: two names that look alike have to be alike.
        // Variation selectors stay, emoji and ideographs need them; for joiners see below.
        '\u{00ad}'
        | '\u{034f}'
        | '\u{061c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{2800}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e00ff}'
        | '\u{e01f0}'..='\u{e0fff}' => Some(NameFault::HiddenCharacter),
        _ => None,
    }
}

/// Whether a joiner (U+200C, U+200D) has nothing to join: behind ASCII, behind another joiner, or
/// at the beginning. Emoji and several scripts need joiners, so the others stay.
fn has_idle_joiner(name: &str) -> bool {
    let joins = |c: char| matches!(c, '\u{200c}' | '\u{200d}');
    let before = std::iter::once('/').chain(name.chars());
    before
        .zip(name.chars())
        .any(|(before, c)| joins(c) && (before.is_ascii() || joins(before)))
}

fn component_fault(part: &str) -> Option<NameFault> {
    if part.is_empty() {
        return Some(NameFault::Empty);
    }
    if part.len() > MAX_COMPONENT_BYTES {
        return Some(NameFault::TooLong);
    }
    if only_dots(part) {
        return Some(NameFault::Dots);
    }
    if part == "~" {
        return Some(NameFault::Tilde);
    }
    if part.ends_with(['.', ' ']) {
        return Some(NameFault::TrailingDotOrSpace);
    }
    if is_device(part) {
        return Some(NameFault::Device);
    }
    // `%252e` hides `%2e` hides `.`, and a full-width percent sign hides them all. Each round uses
    // up at least one percent sign, so this ends.
    let mut fault = NameFault::Disguised;
    let mut text = part.to_owned();
    loop {
        if !text.is_ascii() {
            text = text.nfkc().collect();
        }
        if leaves(&text) {
            return Some(fault);
        }
        text = percent_decode(&text)?;
        fault = NameFault::PercentEncoded;
    }
}

/// Whether a name that was one plain component is none any more.
fn leaves(text: &str) -> bool {
    text.contains(['/', '\\']) || text.chars().any(char::is_control) || only_dots(text)
}

fn only_dots(part: &str) -> bool {
    part.chars().all(|c| c == '.' || c == ' ')
}

/// One round of percent-decoding; `None` when nothing is encoded.
fn percent_decode(text: &str) -> Option<String> {
    let mut rest = text.as_bytes();
    let mut out = Vec::with_capacity(rest.len());
    let mut changed = false;
    while let Some((&byte, tail)) = rest.split_first() {
        match (byte, hex(tail.first()), hex(tail.get(1))) {
            (b'%', Some(high), Some(low)) => {
                out.push(high * 16 + low);
                rest = tail.get(2..).unwrap_or_default();
                changed = true;
            }
            _ => {
                out.push(byte);
                rest = tail;
            }
        }
    }
    changed.then(|| String::from_utf8_lossy(&out).into_owned())
}

fn hex(byte: Option<&u8>) -> Option<u8> {
    let digit = char::from(*byte?).to_digit(16)?;
    u8::try_from(digit).ok()
}

/// Device names of Windows: reserved in every folder, in any case, with any extension, also with
/// superscript digits and with spaces before the dot.
fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or_default().trim_end();
    let stem = stem.to_ascii_uppercase();
    if matches!(&*stem, "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") {
        return true;
    }
    let number = stem
        .strip_prefix("COM")
        .or_else(|| stem.strip_prefix("LPT"));
    let Some(number) = number else { return false };
    let mut digits = number.chars();
    matches!(
        (digits.next(), digits.next()),
        (Some('0'..='9' | '¹' | '²' | '³'), None)
    )
}

/// A value of `CLAUDE_CODE_PROJECT_DIR_NAME`: 1 to 64 letters, digits, `-` and `_`, and not the
/// name of a device.
pub(crate) fn is_dir_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        && !is_device(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{closer_look, is_plain};

    proptest! {
        #[test]
        fn a_plain_name_has_no_fault(
            name in "[A-Za-z0-9_./~$% -]{0,12}(\\.md)?|[A-Za-z0-9_-]{60,70}\\.md\
                     |(?i:con|prn|aux|nul|com[0-9]|lpt[0-9])[_.-]?\\.md|\\PC{0,8}\\.md",
        ) {
            prop_assert!(!is_plain(&name) || closer_look(&name).is_none());
        }
    }

    #[test]
    fn usual_names_are_plain_and_devices_are_not() {
        for name in ["feedback_db.md", "user-role.md", "Notes2026.md"] {
            assert!(is_plain(name), "{name}");
        }
        for name in [
            "com1.md",
            "NUL.md",
            "a.b.md",
            "sub/notes.md",
            "notes.MD",
            "~notes.md",
        ] {
            assert!(!is_plain(name), "{name}");
        }
    }
}
