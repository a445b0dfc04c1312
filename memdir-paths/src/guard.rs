//! Lexical guards: names from a model or a team member, and values of overrides.

use std::fmt;

use unicode_normalization::UnicodeNormalization;

use crate::env::Platform;
use crate::error::{Error, ErrorKind};
use crate::project_key::strip_verbatim;
use crate::read::nfc;

/// 255 bytes: the longest name of one path component on the common file systems.
pub const MAX_COMPONENT_BYTES: usize = 255;

/// 4,096 bytes: the longest relative name that is looked at; the limit of a path on Linux.
pub const MAX_NAME_BYTES: usize = 4_096;

/// 3 UTF-16 units: an override shorter than this (`/`, `/a`) is refused, as the format has it.
pub const MIN_OVERRIDE_UNITS: usize = 3;

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

/// Checks an untrusted name that has to be one component, such as a session id.
pub(crate) fn check_component(name: &str) -> Result<(), Error> {
    check_name(name)?;
    if name.contains('/') {
        let fault = NameFault::NotOneComponent;
        return Err(Error::new(ErrorKind::UnsafeName(fault), shown(name)));
    }
    Ok(())
}

/// The part of a refused name that goes into its error: enough to recognise it, never megabytes.
fn shown(name: &str) -> String {
    name.chars().take(200).collect()
}

fn name_fault(name: &str) -> Option<NameFault> {
    if name.len() > MAX_NAME_BYTES {
        return Some(NameFault::TooLong);
    }
    if let Some(fault) = name.chars().find_map(character_fault) {
        return Some(fault);
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
        // mark, tag characters. Joiners (U+200C, U+200D) stay: emoji and several scripts need them.
        '\u{061c}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}' => Some(NameFault::HiddenCharacter),
        _ => None,
    }
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
    if escapes_after_nfkc(part) {
        return Some(NameFault::Disguised);
    }
    let mut text = part.to_owned();
    // `%252e` hides `%2e` hides `.`. Each round is shorter than the last, so this ends.
    while let Some(decoded) = percent_decode(&text) {
        let bad = decoded.contains(['/', '\\'])
            || decoded.chars().any(char::is_control)
            || only_dots(&decoded)
            || escapes_after_nfkc(&decoded);
        if bad {
            return Some(NameFault::PercentEncoded);
        }
        text = decoded;
    }
    None
}

fn only_dots(part: &str) -> bool {
    part.chars().all(|c| c == '.' || c == ' ')
}

fn escapes_after_nfkc(part: &str) -> bool {
    if part.is_ascii() {
        return false;
    }
    let folded: String = part.nfkc().collect();
    folded.contains(['/', '\\', '\0']) || only_dots(&folded)
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

/// Why a value was not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum RejectReason {
    /// It is empty.
    Empty,
    /// It holds a NUL character.
    Nul,
    /// It is not Unicode text.
    NotUnicode,
    /// It is relative; a memory directory has to be absolute or begin with `~/`.
    Relative,
    /// It begins with `~` in an environment variable, where that is an ordinary character.
    TildeInVariable,
    /// It names the home directory itself or a place above it.
    HomeItself,
    /// It begins with `~` and a name: the home of somebody else.
    OtherHome,
    /// It begins with `~/`, and no home directory is known.
    NoHome,
    /// It is shorter than [`MIN_OVERRIDE_UNITS`] once trailing separators are gone.
    TooShort,
    /// It is a drive without a folder.
    BareDrive,
    /// It is a share on a server.
    NetworkShare,
    /// It is not a string.
    NotAString,
    /// It comes from the project's own settings, which a cloned repository brings along.
    Untrusted,
    /// It is not a name of 1 to 64 letters, digits, `-` and `_`.
    BadDirName,
    /// It needs `CLAUDE_CONFIG_DIR`, which is not set.
    NeedsConfigDir,
    /// It is none of the words that the variable knows.
    UnknownWord,
}

impl fmt::Display for RejectReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RejectReason::Empty => "it is empty",
            RejectReason::Nul => "it holds a NUL character",
            RejectReason::NotUnicode => "it is not Unicode text",
            RejectReason::Relative => {
                "it is relative; give an absolute path or one that begins with ~/"
            }
            RejectReason::TildeInVariable => "~ is not expanded in this variable",
            RejectReason::HomeItself => "it names the home directory itself or a place above it",
            RejectReason::OtherHome => "it names the home of another user",
            RejectReason::NoHome => "it begins with ~/ and no home directory is known",
            RejectReason::TooShort => "it is too close to the root of the file system",
            RejectReason::BareDrive => "it is a drive without a folder",
            RejectReason::NetworkShare => "it is a share on a server",
            RejectReason::NotAString => "it is not a string",
            RejectReason::Untrusted => {
                "project settings may not move the memory directory unless the host trusts them"
            }
            RejectReason::BadDirName => "it is not a name of 1 to 64 letters, digits, - and _",
            RejectReason::NeedsConfigDir => "it needs CLAUDE_CONFIG_DIR, which is not set",
            RejectReason::UnknownWord => "it is none of 1, true, yes, on, 0, false, no, off",
        })
    }
}

/// How `~` at the start of an override is read.
///
/// Deliberately exhaustive: an override comes from a setting or from a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tilde {
    /// `~/x` is a path below the home directory, as in settings.
    Expand,
    /// `~` is refused, as in environment variables.
    Refuse,
}

/// Checks the value of an override and brings it into its final form: `~/` expanded, `.`, `..`,
/// doubled and trailing separators removed, Unicode form NFC. Pure: the disk is not looked at.
///
/// `home` is the home directory as text; it is needed only for `~/`.
///
/// # Errors
///
/// The [`RejectReason`], which a host can show.
///
/// ```
/// use memdir_paths::{Platform, RejectReason, Tilde, check_override};
///
/// let home = Some("/home/u");
/// assert_eq!(check_override("~/mem/", Tilde::Expand, home, Platform::Unix).as_deref(), Ok("/home/u/mem"));
/// assert_eq!(check_override("./mem", Tilde::Expand, home, Platform::Unix), Err(RejectReason::Relative));
/// ```
pub fn check_override(
    value: &str,
    tilde: Tilde,
    home: Option<&str>,
    platform: Platform,
) -> Result<String, RejectReason> {
    if value.is_empty() {
        return Err(RejectReason::Empty);
    }
    if value.contains('\0') {
        return Err(RejectReason::Nul);
    }
    let windows = platform == Platform::Windows;
    let separators: &[char] = if windows { &['/', '\\'] } else { &['/'] };
    if let Some(rest) = value.strip_prefix('~') {
        if tilde == Tilde::Refuse {
            return Err(RejectReason::TildeInVariable);
        }
        if !rest.is_empty() && !rest.starts_with(separators) {
            return Err(RejectReason::OtherHome);
        }
        let parts = below(rest, separators).ok_or(RejectReason::HomeItself)?;
        if parts.is_empty() {
            return Err(RejectReason::HomeItself);
        }
        let home = home
            .filter(|home| !home.is_empty())
            .ok_or(RejectReason::NoHome)?;
        // The home itself is not judged here: whatever it is, the value lies below it.
        let separator = if windows { '\\' } else { '/' };
        let mut path = home.trim_end_matches(separators).to_owned();
        for part in parts {
            path.push(separator);
            path.push_str(part);
        }
        return checked_length(nfc(&path).into_owned());
    }
    if value.starts_with(r"\\") || (windows && value.starts_with("//")) {
        let plain = strip_verbatim(value);
        if !windows || plain.starts_with(r"\\") || plain.starts_with("//") {
            return Err(RejectReason::NetworkShare);
        }
        return check_override(&plain, tilde, home, platform);
    }
    if !windows {
        if is_drive(value) && value.len() == 2 {
            return Err(RejectReason::BareDrive);
        }
        if !value.starts_with('/') {
            return Err(RejectReason::Relative);
        }
        let path = format!("/{}", clamped(value, separators).join("/"));
        return checked_length(nfc(&path).into_owned());
    }
    let (Some(drive), Some(rest)) = (value.get(..2), value.get(2..)) else {
        return Err(RejectReason::Relative);
    };
    if !is_drive(drive) {
        return Err(RejectReason::Relative);
    }
    if rest.is_empty() {
        return Err(RejectReason::BareDrive);
    }
    if !rest.starts_with(separators) {
        return Err(RejectReason::Relative);
    }
    let parts = clamped(rest, separators);
    if parts.is_empty() {
        return Err(RejectReason::BareDrive);
    }
    checked_length(nfc(&format!(r"{drive}\{}", parts.join(r"\"))).into_owned())
}

fn checked_length(path: String) -> Result<String, RejectReason> {
    if path.encode_utf16().count() < MIN_OVERRIDE_UNITS {
        Err(RejectReason::TooShort)
    } else {
        Ok(path)
    }
}

fn is_drive(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':'
}

/// The components of an absolute path; `..` of the root is the root.
fn clamped<'a>(path: &'a str, separators: &[char]) -> Vec<&'a str> {
    let mut parts = Vec::new();
    for part in path.split(separators) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts
}

/// The components of a path that has to stay below its start; `None` when it leaves.
fn below<'a>(path: &'a str, separators: &[char]) -> Option<Vec<&'a str>> {
    let mut parts = Vec::new();
    for part in path.split(separators) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts)
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
