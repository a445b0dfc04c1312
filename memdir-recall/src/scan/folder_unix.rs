//! A folder by its handle: nothing in it is reached through a link, and no path is walked twice.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, RawMode, fstat, openat, statat};

/// What stands under a name. Deliberately closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
    Link,
    /// The file system did not say while listing.
    Unknown,
    Other,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Stat {
    pub(super) kind: Kind,
    pub(super) modified: SystemTime,
    pub(super) bytes: u64,
}

pub(super) struct Folder(OwnedFd);

const FOLDER: OFlags = OFlags::DIRECTORY
    .union(OFlags::CLOEXEC)
    .union(OFlags::RDONLY);

impl Folder {
    /// The directory itself may be a link.
    pub(super) fn open_root(path: &Path) -> io::Result<Folder> {
        Ok(Folder(openat(CWD, path, FOLDER, Mode::empty())?))
    }

    pub(super) fn child(&self, name: &str) -> io::Result<Folder> {
        let flags = FOLDER | OFlags::NOFOLLOW;
        Ok(Folder(openat(&self.0, name, flags, Mode::empty())?))
    }

    /// Opens a regular file for reading. NONBLOCK: a pipe that took its place would wait for a
    /// writer.
    pub(super) fn open(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        Ok(File::from(openat(&self.0, name, flags, Mode::empty())?))
    }

    /// Hands on each name and what it is, as far as the listing says, until told to stop.
    pub(super) fn for_each(&self, mut each: impl FnMut(&[u8], Kind) -> bool) -> io::Result<()> {
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name: &CStr = entry.file_name();
            if !each(name.to_bytes(), kind(entry.file_type())) {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn stat(&self, name: &[u8]) -> io::Result<Stat> {
        Ok(read(&statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }
}

impl Stat {
    pub(super) fn of(file: &File) -> io::Result<Stat> {
        Ok(read(&fstat(file)?))
    }
}

fn read(stat: &rustix::fs::Stat) -> Stat {
    Stat {
        kind: kind(FileType::from_raw_mode(stat.st_mode as RawMode)),
        #[allow(
            clippy::unnecessary_cast,
            clippy::cast_sign_loss,
            reason = "the types differ from system to system"
        )]
        modified: time(stat.st_mtime as i64, stat.st_mtime_nsec as u64),
        bytes: u64::try_from(stat.st_size).unwrap_or(0),
    }
}

fn kind(file_type: FileType) -> Kind {
    match file_type {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        FileType::Unknown => Kind::Unknown,
        _ => Kind::Other,
    }
}

fn time(seconds: i64, nanos: u64) -> SystemTime {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let base = if seconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(whole)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(whole)
    };
    base.and_then(|base| base.checked_add(Duration::from_nanos(nanos)))
        .unwrap_or(SystemTime::UNIX_EPOCH)
}
