//! The writers' lock: a file of its own that nobody deletes, locked by the operating system.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use crate::{Error, ErrorKind};

/// The name of the lock file. A dot file, so that no scan takes it for a memory.
pub(super) const LOCK_FILE: &str = ".memdir-index.lock";

/// Somebody who deletes the lock file while it is held makes two locks of one; so often the file
/// is opened anew before the answer is busy.
const MAX_REOPENS: usize = 16;

/// Held until dropped, or until the process dies.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Drop for Lock {
    /// Closing is not enough: a process that is being started right now has a copy of the open
    /// file for a moment, and with it the lock.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

impl Lock {
    /// Waits for the lock.
    pub(super) fn acquire(dir: &Path) -> Result<Lock, Error> {
        for _ in 0..MAX_REOPENS {
            let (file, path) = open(dir)?;
            loop {
                match file.lock() {
                    Ok(()) => break,
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    Err(e) => return Err(refused(&path, e)),
                }
            }
            if is_still(&file, &path) {
                return Ok(Lock { file });
            }
        }
        Err(replaced(dir))
    }

    /// The lock, or `None` if another writer holds it.
    pub(super) fn try_acquire(dir: &Path) -> Result<Option<Lock>, Error> {
        for _ in 0..MAX_REOPENS {
            let (file, path) = open(dir)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(e)) => return Err(refused(&path, e)),
            }
            if is_still(&file, &path) {
                return Ok(Some(Lock { file }));
            }
        }
        Err(replaced(dir))
    }
}

fn open(dir: &Path) -> Result<(File, std::path::PathBuf), Error> {
    let path = dir.join(LOCK_FILE);
    let mut options = OpenOptions::new();
    // Never truncated: the content does not matter, and a planted hard link keeps its target.
    options.read(true).write(true).create(true).truncate(false);
    // As open as the directory: people who share one share the lock too.
    super::atomic::no_follow(&mut options, 0o666);
    match options.open(&path) {
        Ok(file) => Ok((file, path)),
        Err(e) if !dir.exists() && e.kind() == io::ErrorKind::NotFound => {
            Err(Error::new(ErrorKind::NoDirectory, dir).with_source(e))
        }
        Err(_) if path.is_symlink() => Err(Error::new(ErrorKind::LeadsOut, path)),
        Err(e) => Err(Error::io(path, e)),
    }
}

/// A file system without locks never leaves the store unlocked in silence.
fn refused(path: &Path, source: io::Error) -> Error {
    let reason = format!("the file system does not lock files ({source})");
    Error::new(ErrorKind::Busy { reason }, path).with_source(source)
}

fn replaced(dir: &Path) -> Error {
    let reason = "the lock file keeps being replaced".to_owned();
    Error::new(ErrorKind::Busy { reason }, dir.join(LOCK_FILE))
}

/// Whether the path still names the file that was locked.
#[cfg(unix)]
fn is_still(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(held), Ok(named)) => (held.dev(), held.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// Elsewhere a file that is open cannot be replaced.
#[cfg(not(unix))]
fn is_still(_: &File, path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}
