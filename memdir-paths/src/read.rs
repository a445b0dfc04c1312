//! Small helpers around files and paths: bounded reads, lexical cleaning, Unicode forms.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use unicode_normalization::{UnicodeNormalization, is_nfc};

/// Why a bounded read gave nothing.
#[derive(Debug)]
pub(crate) enum ReadFault {
    /// Nothing is there.
    Missing,
    /// A folder, a pipe, a device: reading it could block for ever.
    NotAFile,
    /// The file is larger than the cap; its size in bytes if known.
    TooLarge,
    /// The system refused.
    Io(io::Error),
}

/// Reads a whole regular file of at most `cap` bytes, following links.
pub(crate) fn read_capped(path: &Path, cap: u64) -> Result<Vec<u8>, ReadFault> {
    let file = open_for_read(path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadFault::Missing,
        _ => ReadFault::Io(e),
    })?;
    read_open(file, cap)
}

#[cfg(unix)]
fn open_for_read(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    // Without NONBLOCK, opening a pipe that nobody writes to never returns.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    Ok(File::from(open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open_for_read(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Reads an open file of at most `cap` bytes.
pub(crate) fn read_open(file: File, cap: u64) -> Result<Vec<u8>, ReadFault> {
    let meta = file.metadata().map_err(ReadFault::Io)?;
    if !meta.is_file() {
        return Err(ReadFault::NotAFile);
    }
    if meta.len() > cap {
        return Err(ReadFault::TooLarge);
    }
    let mut bytes = Vec::new();
    // The file may grow while it is read; the limit holds all the same.
    file.take(cap + 1)
        .read_to_end(&mut bytes)
        .map_err(ReadFault::Io)?;
    if bytes.len() as u64 > cap {
        return Err(ReadFault::TooLarge);
    }
    Ok(bytes)
}

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

/// The same path in Unicode form NFC; what is not Unicode is left as it is.
pub(crate) fn nfc_path(value: &OsStr) -> PathBuf {
    match value.to_str() {
        Some(text) => PathBuf::from(&*nfc(text)),
        None => PathBuf::from(value),
    }
}

/// Unicode form NFC.
pub(crate) fn nfc(text: &str) -> Cow<'_, str> {
    if is_nfc(text) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

/// Bytes from a file as a path: bytes on Unix, UTF-8 elsewhere.
pub(crate) fn bytes_to_path(bytes: &[u8]) -> Option<PathBuf> {
    if bytes.is_empty() || bytes.contains(&0) {
        return None;
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Some(PathBuf::from(OsStr::from_bytes(bytes)))
    }
    #[cfg(not(unix))]
    {
        std::str::from_utf8(bytes).ok().map(PathBuf::from)
    }
}
