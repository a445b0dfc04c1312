//! Reading `.git` pointer files and the few files of a git directory that a root depends on.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::read::{ReadFault, bytes_to_path, read_capped};

/// 64 KiB: a larger `.git`, `commondir` or `gitdir` file is not a pointer. A path on Linux has at
/// most 4,096 bytes; the rest is room.
pub(crate) const MAX_POINTER_BYTES: u64 = 64 * 1024;

/// 1 MiB: a larger `config` of a git directory is not read.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// Why a pointer file leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PointerFault {
    /// It is not of the form `gitdir: PATH`, or holds nothing.
    Malformed,
    /// It is larger than [`MAX_POINTER_BYTES`].
    TooLarge,
    /// It may not be read, or its target may not be looked at.
    Denied,
    /// Its target does not exist or is not a folder.
    Dangling,
}

/// The real git directory that the pointer file `folder/.git` names.
pub(crate) fn pointer_target(folder: &Path) -> Result<PathBuf, PointerFault> {
    let bytes = read_pointer(&folder.join(".git"))?;
    let path = bytes
        .strip_prefix(b"gitdir:")
        .map(trim_start)
        .and_then(bytes_to_path)
        .ok_or(PointerFault::Malformed)?;
    real_dir(&folder.join(path))
}

/// The common git directory that `git_dir/commondir` names; `None` when there is no such file.
pub(crate) fn common_dir(git_dir: &Path) -> Option<Result<PathBuf, PointerFault>> {
    let file = git_dir.join("commondir");
    if fs::symlink_metadata(&file).is_err() {
        return None;
    }
    Some(
        read_pointer(&file)
            .and_then(|bytes| bytes_to_path(&bytes).ok_or(PointerFault::Malformed))
            .and_then(|path| real_dir(&git_dir.join(path))),
    )
}

/// Whether the metadata of a linked worktree names exactly `folder/.git`, absolutely or relative
/// to the metadata itself.
///
/// The last component is compared as it is spelled: a `.git` that is a link to somebody else's
/// pointer file must not pass for that file.
pub(crate) fn names_back(git_dir: &Path, folder: &Path) -> bool {
    let Some(path) = read_pointer(&git_dir.join("gitdir"))
        .ok()
        .and_then(|bytes| bytes_to_path(&bytes))
    else {
        return false;
    };
    let path = git_dir.join(path);
    if path.file_name().is_none_or(|name| name != ".git") {
        return false;
    }
    path.parent()
        .and_then(|parent| fs::canonicalize(parent).ok())
        .is_some_and(|parent| parent == folder)
}

/// Whether `store` is a bare repository: the three things git asks for, and `core.bare`.
pub(crate) fn is_bare_store(store: &Path) -> bool {
    is_git_dir(store)
        && store.join("objects").is_dir()
        && store.join("refs").is_dir()
        && core_value(&store.join("config"), "bare").is_some_and(|value| is_true(&value))
}

/// A truth value of a git config: a word, or any number but zero.
fn is_true(value: &[u8]) -> bool {
    ["true", "yes", "on"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
        || std::str::from_utf8(value)
            .ok()
            .and_then(|number| number.parse::<i32>().ok())
            .is_some_and(|number| number != 0)
}

/// Whether this looks like a git directory at all. `HEAD` is there in every one of them.
pub(crate) fn is_git_dir(dir: &Path) -> bool {
    fs::symlink_metadata(dir.join("HEAD")).is_ok()
}

/// Whether `dir` may hold the stores of submodules: a whole git directory, or the metadata of a
/// worktree. A working tree with a file called `HEAD` is neither.
pub(crate) fn has_modules(dir: &Path) -> bool {
    is_git_dir(dir) && (dir.join("objects").is_dir() || dir.join("commondir").is_file())
}

/// The working root that the store of a submodule names in `core.worktree`, unchecked.
pub(crate) fn work_tree(store: &Path) -> Option<PathBuf> {
    // With `extensions.worktreeConfig` git keeps the key in the second file.
    ["config", "config.worktree"].iter().find_map(|file| {
        let value = core_value(&store.join(file), "worktree")?;
        real_dir(&store.join(bytes_to_path(&value)?)).ok()
    })
}

fn real_dir(path: &Path) -> Result<PathBuf, PointerFault> {
    let real = fs::canonicalize(path).map_err(|e| match e.kind() {
        io::ErrorKind::PermissionDenied => PointerFault::Denied,
        _ => PointerFault::Dangling,
    })?;
    if real.is_dir() {
        Ok(real)
    } else {
        Err(PointerFault::Dangling)
    }
}

/// The text of a small file without the line ends behind it, as git reads it: a folder may have
/// a line end in its name.
pub(crate) fn read_pointer(path: &Path) -> Result<Vec<u8>, PointerFault> {
    let mut bytes = read_capped(path, MAX_POINTER_BYTES).map_err(|fault| match fault {
        ReadFault::TooLarge => PointerFault::TooLarge,
        ReadFault::Io(_) => PointerFault::Denied,
        ReadFault::Missing | ReadFault::NotAFile => PointerFault::Malformed,
    })?;
    while matches!(bytes.last(), Some(b'\r' | b'\n')) {
        bytes.pop();
    }
    Ok(bytes)
}

fn trim_start(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|b| !matches!(b, b' ' | b'\t'));
    bytes
        .get(start.unwrap_or(bytes.len())..)
        .unwrap_or_default()
}

/// The last value of `key` in the section `[core]` of a git config file.
///
/// Includes are not followed: they could name any file, and the answer is checked against the
/// disk in any case.
fn core_value(config: &Path, key: &str) -> Option<Vec<u8>> {
    let bytes = read_capped(config, MAX_CONFIG_BYTES).ok()?;
    // Git skips a byte order mark too.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let mut in_core = false;
    let mut found = None;
    for line in bytes.split(|&b| b == b'\n') {
        let mut line = line.trim_ascii();
        while let Some(rest) = line.strip_prefix(b"[") {
            let end = rest.iter().position(|&b| b == b']').unwrap_or(rest.len());
            let (section, after) = rest.split_at(end);
            in_core = section.trim_ascii().eq_ignore_ascii_case(b"core");
            line = after.strip_prefix(b"]").unwrap_or_default().trim_ascii();
        }
        if !in_core || line.is_empty() {
            continue;
        }
        let (name, value) = match line.iter().position(|&b| b == b'=') {
            Some(at) => (&line[..at], config_value(line[at + 1..].trim_ascii())),
            // A key alone is true, whereas a key with nothing behind `=` is not.
            None => {
                let end = line.iter().position(|b| matches!(b, b'#' | b';'));
                (&line[..end.unwrap_or(line.len())], b"true".to_vec())
            }
        };
        if name.trim_ascii().eq_ignore_ascii_case(key.as_bytes()) {
            found = Some(value);
        }
    }
    found
}

/// Quotes, escapes and comments of one value.
fn config_value(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    // Trailing blanks belong to the value only inside quotes.
    let mut keep = 0;
    let mut quoted = false;
    let mut bytes = raw.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => {
                quoted = !quoted;
                keep = out.len();
            }
            b'\\' => {
                match bytes.next() {
                    Some(b'n') => out.push(b'\n'),
                    Some(b't') => out.push(b'\t'),
                    Some(b'b') => out.push(8),
                    Some(other) => out.push(other),
                    None => {}
                }
                keep = out.len();
            }
            b'#' | b';' if !quoted => break,
            byte => {
                out.push(byte);
                if quoted || !byte.is_ascii_whitespace() {
                    keep = out.len();
                }
            }
        }
    }
    out.truncate(keep);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(config: &str, key: &str, expected: Option<&str>) {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config");
        fs::write(&file, config).unwrap();
        let value = core_value(&file, key).map(|v| String::from_utf8(v).unwrap());
        assert_eq!(value.as_deref(), expected);
    }

    #[test]
    fn config_values_are_read_as_git_reads_them() {
        check(
            "[core]\n\tworktree = ../../lib\n",
            "worktree",
            Some("../../lib"),
        );
        check("[CORE]\n WorkTree=a b \n", "worktree", Some("a b"));
        check(
            "[core]\nworktree = a\nworktree = b\n",
            "worktree",
            Some("b"),
        );
        check("[core] worktree = a\r\n", "worktree", Some("a"));
        check(
            "[core]\nworktree = \"a # b \" ; note\n",
            "worktree",
            Some("a # b "),
        );
        check(
            "[core]\nworktree = a\\\\b\\\"c # note\n",
            "worktree",
            Some("a\\b\"c"),
        );
        check("[core \"x\"]\nworktree = a\n", "worktree", None);
        check("[remote \"core\"]\nworktree = a\n", "worktree", None);
        check("[core]\nbare\n", "bare", Some("true"));
        check("[core]\nbare ; note\n", "bare", Some("true"));
        check("[core]\nbare =\n", "bare", Some(""));
        check("[other][core] bare\n", "bare", Some("true"));
        check("\u{feff}[core]\nbare = true\n", "bare", Some("true"));
        check("[core\nworktree = a", "worktree", Some("a"));
        check("", "worktree", None);
    }

    #[test]
    fn truth_values_are_read_as_git_reads_them() {
        for value in ["true", "YES", "on", "1", "2", "-1", "+1"] {
            assert!(is_true(value.as_bytes()), "{value}");
        }
        for value in ["", "false", "no", "off", "0", "00", "maybe", " "] {
            assert!(!is_true(value.as_bytes()), "{value}");
        }
    }
}
