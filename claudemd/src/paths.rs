//! Paths: lexical cleaning, real paths with a cache, containment.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// Removes `.`, `..` and doubled separators without looking at the disk.
pub(crate) fn clean(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                // At the root there is nothing to remove, and `..` of the root is the root.
                if matches!(out.components().next_back(), Some(Component::Normal(_))) {
                    out.pop();
                } else if !out.has_root() {
                    out.push("..");
                }
            }
            part => out.push(part.as_os_str()),
        }
    }
    out
}

/// Whether [`clean`] would change nothing: absolute, without `.`, `..` and doubled separators.
pub(crate) fn is_clean(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    if cfg!(windows) || !path.is_absolute() || (bytes.len() > 1 && bytes.ends_with(b"/")) {
        return false;
    }
    // A part that begins with a dot is rare enough to look twice.
    !bytes.windows(2).any(|two| two == b"//")
        && !bytes
            .split(|byte| *byte == b'/')
            .any(|part| part == b"." || part == b"..")
}

/// The real path of something that exists, without the prefix that Windows puts before it.
pub(crate) fn canonical(path: &Path) -> Option<PathBuf> {
    let real = std::fs::canonicalize(path).ok()?;
    if cfg!(windows) {
        let text = real.to_str()?;
        let short = text.strip_prefix(r"\\?\");
        let drive = |short: &&str| short.as_bytes().get(1) == Some(&b':');
        return Some(
            short
                .filter(drive)
                .map_or_else(|| real.clone(), PathBuf::from),
        );
    }
    Some(real)
}

/// Real paths of directories, each resolved once.
#[derive(Debug, Clone, Default)]
pub(crate) struct RealDirs {
    known: HashMap<PathBuf, PathBuf>,
    /// The last answer: files come folder by folder, and long paths take long to hash.
    last: Option<(PathBuf, PathBuf)>,
}

impl RealDirs {
    /// The real path of a directory. What does not exist stands below the real path of what does.
    pub(crate) fn dir(&mut self, dir: &Path) -> PathBuf {
        if let Some(real) = self.known.get(dir) {
            return real.clone();
        }
        let mut missing = Vec::new();
        let mut at = dir;
        let mut real = loop {
            if let Some(real) = self.known.get(at) {
                break real.clone();
            }
            let (Some(parent), Some(_)) = (at.parent(), at.file_name()) else {
                let real = canonical(at).unwrap_or_else(|| at.to_path_buf());
                self.known.insert(at.to_path_buf(), real.clone());
                break real;
            };
            missing.push(at);
            at = parent;
        };
        while let Some(next) = missing.pop() {
            let name = next.file_name().unwrap_or_default();
            match std::fs::symlink_metadata(next) {
                // Where names ignore case, only the system knows how a name is really spelled.
                Ok(meta) if meta.is_symlink() || cfg!(any(windows, target_os = "macos")) => {
                    real = canonical(next).unwrap_or_else(|| real.join(name));
                }
                Ok(_) => real.push(name),
                Err(_) => {
                    // Not remembered: it may be created while the session lives.
                    real.push(name);
                    continue;
                }
            }
            self.known.insert(next.to_path_buf(), real.clone());
        }
        real
    }

    /// The real path of a file that is no link itself.
    pub(crate) fn file(&mut self, path: &Path) -> PathBuf {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return path.to_path_buf();
        };
        if let Some((last, real)) = &self.last
            && last.as_os_str() == parent.as_os_str()
        {
            return real.join(name);
        }
        let real = self.dir(parent);
        let file = real.join(name);
        if self.known.contains_key(parent) {
            self.last = Some((parent.to_path_buf(), real));
        }
        file
    }
}

/// Whether a path is inside a directory, as spelled and in reality: `..` and links that lead out
/// are outside, a path that does not exist is judged by the part of it that does.
///
/// ```
/// use std::path::Path;
///
/// assert!(claudemd::is_inside(Path::new("/no/such/a.md"), Path::new("/no/such")));
/// assert!(!claudemd::is_inside(Path::new("/no/such/../a.md"), Path::new("/no/such")));
/// ```
pub fn is_inside(path: &Path, directory: &Path) -> bool {
    let (path, directory) = (clean(path), clean(directory));
    if !path.starts_with(&directory) {
        return false;
    }
    let mut dirs = RealDirs::default();
    let real = canonical(&path).unwrap_or_else(|| dirs.dir(&path));
    real.starts_with(dirs.dir(&directory))
}

/// Whether a character takes no place, or changes how others stand: controls, line and paragraph
/// separators, marks of direction, zero-width and tag characters.
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// A path for a message: one line, invisible characters shown as escapes. Joiners stay: scripts
/// and signs need them.
pub(crate) fn printable(path: &Path) -> Cow<'_, str> {
    let text = path.to_string_lossy();
    // The bytes of ASCII text tell at once; only other text has to be decoded.
    let plain = text.bytes().all(|byte| (b' '..0x7f).contains(&byte));
    if plain || !text.chars().any(is_shown_escaped) {
        return text;
    }
    let escaped = text.chars().fold(String::new(), |mut out, c| {
        match is_shown_escaped(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
        out
    });
    Cow::Owned(escaped)
}

fn is_shown_escaped(c: char) -> bool {
    is_invisible(c) && !matches!(c, '\u{200c}' | '\u{200d}')
}
