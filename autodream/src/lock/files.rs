//! The two files of the lock, and all that is written to them.
//!
//! The lock file changes by renaming alone: at every instant it is as it was or as it will be,
//! body and time together. The guard is written in place, one record in one write.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use memdir_paths::MemoryDir;

use super::record::{RECORD_BYTES, Record};
use crate::{Error, ErrorKind};

/// What the guard's name adds to that of the lock file.
const GUARD: &str = ".guard";
/// What the name of the next lock file adds. Written only under the guard, so one is enough.
const NEXT: &str = ".next";
/// The most of a lock file that is read, in bytes; a process number has ten digits.
const MAX_BODY_BYTES: u64 = 64;
/// Somebody who deletes the guard while it is held makes two of one; so often it is opened anew.
const MAX_REOPENS: usize = 16;

#[derive(Clone, Debug)]
pub(super) struct Files {
    dir: PathBuf,
    lock: PathBuf,
}

/// What the lock file says, with its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    Missing,
    Free(SystemTime),
    Process(u32, SystemTime),
    /// Text that is no process number.
    Other(SystemTime),
    Unreadable(String),
}

/// What to do about a guard that is not there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    Create,
    Leave,
}

impl Files {
    pub(super) fn of(dir: &MemoryDir) -> Files {
        Files {
            dir: dir.path().to_owned(),
            lock: dir.lock_file(),
        }
    }

    pub(super) fn lock(&self) -> &Path {
        &self.lock
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.lock.clone().into_os_string();
        name.push(ending);
        PathBuf::from(name)
    }

    /// What stands in the guard, read without its lock.
    pub(super) fn record(&self) -> Option<Record> {
        let mut options = OpenOptions::new();
        no_follow(options.read(true));
        read_record(&mut options.open(self.beside(GUARD)).ok()?)
    }

    /// Whether somebody seems to hold the lock: one `stat`.
    pub(super) fn has_body(&self) -> bool {
        fs::symlink_metadata(&self.lock)
            .is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0)
    }

    pub(super) fn read(&self) -> Body {
        let metadata = match fs::symlink_metadata(&self.lock) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Body::Missing,
            Err(error) => return Body::Unreadable(error.to_string()),
        };
        if !metadata.is_file() {
            return Body::Unreadable("it is no regular file".to_owned());
        }
        self.read_file().unwrap_or_else(|error| {
            if error.kind() == io::ErrorKind::NotFound {
                Body::Missing
            } else {
                Body::Unreadable(error.to_string())
            }
        })
    }

    /// Body and time of one and the same file, whatever is renamed meanwhile.
    fn read_file(&self) -> io::Result<Body> {
        let mut options = OpenOptions::new();
        no_follow(options.read(true));
        let file = options.open(&self.lock)?;
        let modified = file.metadata()?.modified()?;
        let mut body = Vec::new();
        file.take(MAX_BODY_BYTES).read_to_end(&mut body)?;
        let text = String::from_utf8_lossy(&body);
        Ok(match text.trim() {
            "" => Body::Free(modified),
            pid => match pid.parse() {
                Ok(pid) => Body::Process(pid, modified),
                Err(_) => Body::Other(modified),
            },
        })
    }

    /// Replaces the lock file: body and time in one step.
    pub(super) fn put(&self, body: &str, modified: SystemTime) -> Result<(), Error> {
        let next = self.beside(NEXT);
        let write = || -> io::Result<()> {
            match fs::remove_file(&next) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            // A new file, so that no link leads anywhere else.
            let mut file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&next)?;
            file.write_all(body.as_bytes())?;
            file.set_modified(modified)?;
            file.sync_all()?;
            fs::rename(&next, &self.lock)
        };
        write().map_err(|error| {
            // Nothing of a failed try stays.
            let _ = fs::remove_file(&next);
            Error::io(&self.lock, error)
        })?;
        self.sync_dir();
        Ok(())
    }

    /// The lock file as it was before anybody held it.
    pub(super) fn restore(&self, previous: Option<SystemTime>) -> Result<(), Error> {
        if let Some(previous) = previous {
            return self.put("", previous);
        }
        match fs::remove_file(&self.lock) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Error::io(&self.lock, error))
            }
            _ => {
                self.sync_dir();
                Ok(())
            }
        }
    }

    /// Best effort, against power loss.
    fn sync_dir(&self) {
        if let Ok(dir) = File::open(&self.dir) {
            let _ = dir.sync_all();
        }
    }
}

/// The guard, locked.
#[derive(Debug)]
pub(super) struct Guard {
    file: File,
    path: PathBuf,
}

impl Drop for Guard {
    /// Closing is not enough: a process that is being started right now has a copy of the open
    /// file for a moment, and with it the lock.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

pub(super) enum GuardState {
    Locked(Guard),
    /// By somebody else, with what they wrote.
    Held(Option<Record>),
    NoLocks(String),
    Missing,
}

impl Guard {
    pub(super) fn lock(files: &Files, missing: Missing) -> Result<GuardState, Error> {
        let path = files.beside(GUARD);
        for _ in 0..MAX_REOPENS {
            let mut options = OpenOptions::new();
            options.read(true).write(true);
            if missing == Missing::Create {
                options.create(true).truncate(false);
            }
            no_follow(&mut options);
            let mut file = match options.open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return match missing {
                        Missing::Leave => Ok(GuardState::Missing),
                        Missing::Create if files.dir.exists() => Err(Error::io(path, error)),
                        Missing::Create => Err(Error::new(ErrorKind::NoDirectory, &files.dir)),
                    };
                }
                Err(error) => return Err(Error::io(path, error)),
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Ok(GuardState::Held(read_record(&mut file)));
                }
                Err(TryLockError::Error(error)) => {
                    return Ok(GuardState::NoLocks(error.to_string()));
                }
            }
            if is_still(&file, &path) {
                return Ok(GuardState::Locked(Guard { file, path }));
            }
        }
        Ok(GuardState::Held(None))
    }

    pub(super) fn record(&mut self) -> Option<Record> {
        read_record(&mut self.file)
    }

    pub(super) fn write(&mut self, record: &Record) -> Result<(), Error> {
        self.try_write(record)
            .map_err(|error| Error::io(&self.path, error))
    }

    fn try_write(&mut self, record: &Record) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&record.to_bytes())?;
        self.file.sync_data()
    }

    /// Says that nobody holds the lock. If that fails, the lock file still says it, and the next
    /// holder looks there first.
    pub(super) fn free(&mut self) {
        if let Some(mut record) = self.record() {
            record.held = false;
            let _ = self.try_write(&record);
        }
    }
}

fn read_record(file: &mut File) -> Option<Record> {
    file.seek(SeekFrom::Start(0)).ok()?;
    let mut bytes = Vec::new();
    file.take(RECORD_BYTES as u64)
        .read_to_end(&mut bytes)
        .ok()?;
    Record::parse(&bytes)
}

#[cfg(unix)]
fn is_still(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(held), Ok(there)) => (held.dev(), held.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// An open file cannot be replaced there.
#[cfg(not(unix))]
fn is_still(_file: &File, _path: &Path) -> bool {
    true
}

/// A link in the place of a file is refused by the system itself.
#[cfg(unix)]
fn no_follow(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    options.custom_flags(flags.bits() as i32);
}

#[cfg(not(unix))]
fn no_follow(_options: &mut OpenOptions) {}
