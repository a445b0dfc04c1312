//! The folder name below `projects/`: an absolute path folded into ASCII.

use std::borrow::Cow;
use std::path::Path;

use unicode_normalization::UnicodeNormalization;

use crate::env::Platform;
use crate::read::nfc;

/// 200 UTF-16 units: a longer key is cut here and gets a hash, as the format has it.
pub const MAX_KEY_UNITS: usize = 200;

/// The folder name below `projects/` for an absolute path.
///
/// Every UTF-16 unit outside `A-Z a-z 0-9` becomes one `-`; nothing is squeezed, trimmed or
/// lower-cased. A key of more than [`MAX_KEY_UNITS`] is cut there and followed by `-` and a hash
/// of the whole original path. On macOS the path is brought to Unicode form NFC first; on Windows
/// a verbatim prefix (`\\?\`) is dropped.
///
/// Different paths may share a key (`/a/b-c` and `/a/b_c`): the format has it so. What really
/// uses a directory is recorded beside it, see [`collisions`](crate::collisions).
///
/// ```
/// use memdir_paths::{Platform, project_key};
///
/// assert_eq!(project_key("/home/u/my_app", Platform::Linux), "-home-u-my-app");
/// assert_eq!(project_key(r"C:\git\x", Platform::Windows), "C--git-x");
/// ```
pub fn project_key(path: &str, platform: Platform) -> String {
    let path = match platform {
        Platform::Linux => Cow::Borrowed(path),
        Platform::MacOs => nfc(path),
        Platform::Windows => strip_verbatim(path),
    };
    let mut key = String::with_capacity(path.len().min(MAX_KEY_UNITS + 8));
    let mut units = 0_usize;
    let mut hash = 0_i32;
    for unit in path.encode_utf16() {
        if units < MAX_KEY_UNITS {
            let letter = u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric);
            key.push(letter.map_or('-', char::from));
        }
        units += 1;
        hash = hash.wrapping_mul(31).wrapping_add(i32::from(unit));
    }
    if key.is_empty() {
        // An empty path has no folder; a name is still better than `projects/` itself.
        key.push('-');
    }
    if units > MAX_KEY_UNITS {
        key.push('-');
        push_base36(&mut key, hash.unsigned_abs());
    }
    key
}

/// The key of a path on disk. Bytes that are not Unicode count as one U+FFFD each run, so that
/// every path has a key.
pub fn project_key_of(path: &Path, platform: Platform) -> String {
    project_key(&path.to_string_lossy(), platform)
}

/// Which of the existing folder names below `projects/` belongs to this path, if any.
///
/// One folder of a user may be spelled in two ways: `C:` and `c:` on Windows, two Unicode forms
/// on macOS. A store that exists under the other spelling is used rather than doubled, and the
/// answer has the spelling of the disk. On Unix systems there is one spelling only.
///
/// ```
/// use memdir_paths::{Platform, existing_key};
///
/// let found = existing_key(r"C:\git\x", Platform::Windows, ["c--git-x"]);
/// assert_eq!(found.as_deref(), Some("c--git-x"));
/// ```
pub fn existing_key<'a>(
    path: &str,
    platform: Platform,
    existing: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let wanted = spellings(path, platform);
    let mut best: Option<(usize, &str)> = None;
    for name in existing {
        let rank = wanted.iter().position(|key| key == name);
        if let Some(rank) = rank
            && best.is_none_or(|(known, _)| rank < known)
        {
            best = Some((rank, name));
        }
    }
    best.map(|(_, name)| name.to_owned())
}

/// All keys that this path may have on this platform, the one to create first.
pub(crate) fn spellings(path: &str, platform: Platform) -> Vec<String> {
    let mut keys = vec![project_key(path, platform)];
    match platform {
        Platform::Linux => {}
        Platform::MacOs => {
            // NFC was first; a store that another program made from the decomposed form follows.
            let decomposed: String = path.nfd().collect();
            keys.push(project_key(&decomposed, Platform::Linux));
        }
        Platform::Windows => {
            let path = strip_verbatim(path);
            let mut chars = path.chars();
            if let (Some(drive), Some(':')) = (chars.next(), chars.next())
                && drive.is_ascii_alphabetic()
            {
                let other = if drive.is_ascii_uppercase() {
                    drive.to_ascii_lowercase()
                } else {
                    drive.to_ascii_uppercase()
                };
                let rest = path.get(1..).unwrap_or_default();
                keys.push(project_key(&format!("{other}{rest}"), platform));
            }
        }
    }
    keys.dedup();
    keys
}

/// `\\?\C:\x` is `C:\x`, and `\\?\UNC\srv\x` is `\\srv\x`: the long spelling of the same place.
pub(crate) fn strip_verbatim(path: &str) -> Cow<'_, str> {
    match path.strip_prefix(r"\\?\") {
        Some(rest) => match rest.strip_prefix(r"UNC\") {
            Some(share) => Cow::Owned(format!(r"\\{share}")),
            None => Cow::Borrowed(rest),
        },
        None => Cow::Borrowed(path),
    }
}

fn push_base36(out: &mut String, mut value: u32) {
    // 7 digits hold every u32: 36^7 > 2^32.
    let mut digits = [0_u8; 7];
    let mut at = digits.len();
    loop {
        at -= 1;
        let digit = (value % 36) as u8;
        digits[at] = if digit < 10 {
            b'0' + digit
        } else {
            b'a' + digit - 10
        };
        value /= 36;
        if value == 0 {
            break;
        }
    }
    out.extend(digits[at..].iter().copied().map(char::from));
}
