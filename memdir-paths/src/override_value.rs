//! Lexical guard for the values of overrides: what may name a memory directory.

use std::fmt;

use crate::env::Platform;
use crate::guard::MAX_NAME_BYTES;
use crate::project_key::strip_verbatim;
use crate::read::nfc;

/// 3 UTF-16 units: an override shorter than this (`/`, `/a`) is refused, as the format has it.
pub const MIN_OVERRIDE_UNITS: usize = 3;

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
    /// It holds another control character or a line separator: prompts announce the directory,
    /// and a path must not bring lines of its own into them.
    ControlCharacter,
    /// It is not Unicode text.
    NotUnicode,
    /// It is relative; a memory directory has to be absolute or begin with `~/`.
    Relative,
    /// It begins with `~` in an environment variable, where that is an ordinary character.
    TildeInVariable,
    /// It is `~`, or leaves the home that it begins with (`~/..`).
    HomeItself,
    /// It begins with `~` and a name: the home of somebody else.
    OtherHome,
    /// It begins with `~/`, and no home directory with an absolute path is known.
    NoHome,
    /// It is shorter than [`MIN_OVERRIDE_UNITS`] once trailing separators are gone.
    TooShort,
    /// It is longer than [`MAX_NAME_BYTES`](crate::MAX_NAME_BYTES).
    TooLong,
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
            RejectReason::ControlCharacter => "it holds a control character",
            RejectReason::NotUnicode => "it is not Unicode text",
            RejectReason::Relative => {
                "it is relative; give an absolute path or one that begins with ~/"
            }
            RejectReason::TildeInVariable => "~ is not expanded in this variable",
            RejectReason::HomeItself => "it names the home directory itself or a place above it",
            RejectReason::OtherHome => "it names the home of another user",
            RejectReason::NoHome => "it begins with ~/ and no home directory is known",
            RejectReason::TooShort => "it is too close to the root of the file system",
            RejectReason::TooLong => "it is too long for a path",
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
/// assert_eq!(check_override("~/mem/", Tilde::Expand, home, Platform::Linux).as_deref(), Ok("/home/u/mem"));
/// assert_eq!(check_override("./mem", Tilde::Expand, home, Platform::Linux), Err(RejectReason::Relative));
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
    if value.len() > MAX_NAME_BYTES {
        return Err(RejectReason::TooLong);
    }
    if value.contains('\0') {
        return Err(RejectReason::Nul);
    }
    if value.contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
        return Err(RejectReason::ControlCharacter);
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
        if !is_absolute(home, windows) {
            return Err(RejectReason::NoHome);
        }
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
        if plain.starts_with('~') {
            return Err(RejectReason::Relative);
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

fn is_absolute(home: &str, windows: bool) -> bool {
    if windows {
        is_drive(home) || home.starts_with(r"\\")
    } else {
        home.starts_with('/')
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
