//! Opening and reading files: bounded, never blocking, regular files only.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::time::SystemTime;

/// Why a file gave nothing.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Nothing is there.
    Missing,
    /// A link is there that leads to nothing.
    Dangling,
    /// A folder, a pipe or a device is there.
    NotAFile(Stamp),
    /// The system refused.
    Io(io::Error),
}

/// An open file, not yet read.
#[derive(Debug)]
pub(crate) struct Opened {
    file: File,
    pub(crate) meta: Metadata,
    /// Whether the last part of the path is a link.
    pub(crate) link: bool,
}

/// A folder that is open, so that its files are found without walking the whole path again.
#[derive(Debug, Clone)]
pub(crate) struct OpenDir(#[cfg(unix)] std::sync::Arc<std::os::fd::OwnedFd>);

#[cfg(unix)]
impl OpenDir {
    /// Opens a folder, and says what state it is in.
    pub(crate) fn open(path: &Path) -> Option<(OpenDir, Stamp)> {
        use rustix::fs::{Mode, OFlags, open};
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY | OFlags::NONBLOCK;
        let file = File::from(open(path, flags, Mode::empty()).ok()?);
        let stamp = Stamp::of(&file.metadata().ok()?);
        Some((OpenDir(std::sync::Arc::new(file.into())), stamp))
    }
}

#[cfg(not(unix))]
impl OpenDir {
    /// Folders stay closed here.
    pub(crate) fn open(_path: &Path) -> Option<(OpenDir, Stamp)> {
        None
    }
}

#[cfg(unix)]
fn open_with(
    dir: Option<&OpenDir>,
    path: &Path,
    more: rustix::fs::OFlags,
) -> Result<File, rustix::io::Errno> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    use std::os::fd::AsFd;
    // Without NONBLOCK, opening a pipe that nobody writes to never returns.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY | more;
    let file = match (dir, path.file_name()) {
        (Some(dir), Some(name)) => openat(dir.0.as_fd(), name, flags, Mode::empty()),
        _ => openat(CWD, path, flags, Mode::empty()),
    };
    Ok(File::from(file?))
}

/// Opens a path for reading, and says whether it is a link. `dir` is its folder, if that is open.
#[cfg(unix)]
pub(crate) fn open(dir: Option<&OpenDir>, path: &Path) -> Result<Opened, Fault> {
    use rustix::fs::OFlags;
    use rustix::io::Errno;
    let mut link = false;
    let file = match open_with(dir, path, OFlags::NOFOLLOW) {
        // Two spellings of "the last part is a link".
        Err(Errno::LOOP | Errno::MLINK) => {
            link = true;
            // Opening a device may do something: only what a stat calls a file is opened.
            match std::fs::metadata(path) {
                Ok(meta) if !meta.is_file() => return Err(Fault::NotAFile(Stamp::of(&meta))),
                _ => open_with(dir, path, OFlags::empty()),
            }
        }
        other => other,
    };
    let file = file.map_err(|errno| match errno {
        Errno::NOENT | Errno::NOTDIR if link => Fault::Dangling,
        Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG => Fault::Missing,
        errno => Fault::Io(errno.into()),
    })?;
    let meta = file.metadata().map_err(Fault::Io)?;
    if !meta.is_file() {
        return Err(Fault::NotAFile(Stamp::of(&meta)));
    }
    Ok(Opened { file, meta, link })
}

/// Opens a path for reading, and says whether it is a link.
#[cfg(not(unix))]
pub(crate) fn open(_dir: Option<&OpenDir>, path: &Path) -> Result<Opened, Fault> {
    let link = std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
    if let Ok(meta) = std::fs::metadata(path)
        && !meta.is_file()
    {
        return Err(Fault::NotAFile(Stamp::of(&meta)));
    }
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if link => Fault::Dangling,
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => {
            Fault::Missing
        }
        _ => Fault::Io(error),
    })?;
    let meta = file.metadata().map_err(Fault::Io)?;
    Ok(Opened { file, meta, link })
}

impl Opened {
    /// Reads at most `cap` bytes; `None` if there are more. The file may grow meanwhile.
    pub(crate) fn read(mut self, cap: u64) -> io::Result<Option<Vec<u8>>> {
        // One byte more than expected: a short read then tells the end without another call.
        let expected = usize::try_from(self.meta.len().min(cap)).unwrap_or(0);
        let mut bytes = vec![0; expected + 1];
        let mut filled = 0;
        loop {
            match self.file.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            if filled == expected {
                break;
            }
            if filled == bytes.len() {
                if filled as u64 > cap {
                    return Ok(None);
                }
                bytes.resize((filled * 2).min(cap as usize + 1), 0);
            }
        }
        bytes.truncate(filled);
        Ok(Some(bytes))
    }
}

/// What makes two paths the same file: device and inode.
#[cfg(unix)]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct FileId(u64, u64);

/// What makes two paths the same file: the path behind all links.
#[cfg(not(unix))]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct FileId(std::path::PathBuf);

impl FileId {
    #[cfg(unix)]
    pub(crate) fn new(meta: &Metadata, _real: &Path) -> FileId {
        use std::os::unix::fs::MetadataExt;
        FileId(meta.dev(), meta.ino())
    }

    #[cfg(not(unix))]
    pub(crate) fn new(_meta: &Metadata, real: &Path) -> FileId {
        FileId(real.to_path_buf())
    }

    /// Whether a path still is this file. Systems give the number of a replaced file to the next.
    pub(crate) fn is_still_at(&self, path: &Path) -> bool {
        std::fs::metadata(path).is_ok_and(|meta| FileId::new(&meta, path) == *self)
    }
}

/// The state of a path that a stat can tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    /// Device, inode and time of the last change of any kind, where the system knows them.
    system: [i64; 4],
}

impl Stamp {
    pub(crate) fn of(meta: &Metadata) -> Stamp {
        Stamp {
            len: meta.len(),
            modified: meta.modified().ok(),
            system: system(meta),
        }
    }

    /// The state of a path now; `None` if nothing is there.
    pub(crate) fn at(path: &Path) -> Option<Stamp> {
        std::fs::metadata(path).ok().as_ref().map(Stamp::of)
    }
}

#[cfg(unix)]
fn system(meta: &Metadata) -> [i64; 4] {
    use std::os::unix::fs::MetadataExt;
    [
        meta.dev().cast_signed(),
        meta.ino().cast_signed(),
        meta.ctime(),
        meta.ctime_nsec(),
    ]
}

#[cfg(not(unix))]
fn system(_meta: &Metadata) -> [i64; 4] {
    [0; 4]
}
