//! When two names are one file.

use unicode_normalization::UnicodeNormalization;

use crate::entry::relative;

/// Whether two names that differ in case only are the same file.
///
/// Deliberately closed: a file system does or does not tell cases apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum NameCase {
    /// `A.md` and `a.md` are two files.
    Sensitive,
    /// They are one.
    Insensitive,
}

impl NameCase {
    /// What this platform's file systems do unless set up otherwise.
    pub const fn of_this_platform() -> NameCase {
        if cfg!(any(windows, target_vendor = "apple")) {
            NameCase::Insensitive
        } else {
            NameCase::Sensitive
        }
    }

    /// Whether two names are one file: `./` and the Unicode form do not count, and case only
    /// where the file system tells it apart.
    pub fn is_same(self, a: &str, b: &str) -> bool {
        let (a, b) = (relative(a), relative(b));
        match self {
            NameCase::Sensitive if a.is_ascii() && b.is_ascii() => a == b,
            NameCase::Insensitive if a.is_ascii() && b.is_ascii() => a.eq_ignore_ascii_case(b),
            _ => self.key(a) == self.key(b),
        }
    }

    /// The form of a name that equal names share, for comparing many.
    pub fn key(self, file: &str) -> String {
        let composed = relative(file).nfc();
        match self {
            NameCase::Sensitive => composed.collect(),
            NameCase::Insensitive => composed.flat_map(char::to_lowercase).collect(),
        }
    }
}

impl Default for NameCase {
    fn default() -> NameCase {
        NameCase::of_this_platform()
    }
}
