//! Whole files: bounded reading, and replacing so that a reader sees the old bytes or the new.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::{Durability, MAX_READ_BYTES};
use crate::{Error, ErrorKind, Fingerprint};

/// How the temporary files of this crate begin and end; a scan ignores every dot file.
const TEMP_PREFIX: &str = ".memdir-";
const TEMP_SUFFIX: &str = ".tmp";

/// Windows refuses to replace a file while a virus scanner or indexer looks at it; a few more
/// tries are all that a library that never sleeps can do.
const MAX_RENAMES: usize = 16;

/// A file's bytes, and the handle they were read through.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) bytes: Vec<u8>,
    file: File,
}

impl Snapshot {
    pub(super) fn read(mut file: File, path: &Path) -> Result<Snapshot, Error> {
        let (bytes, total) = read_bounded(&mut file).map_err(|e| Error::io(path, e))?;
        if total > MAX_READ_BYTES {
            let kind = ErrorKind::TooLarge {
                bytes: total,
                limit: MAX_READ_BYTES,
            };
            return Err(Error::new(kind, path));
        }
        Ok(Snapshot { bytes, file })
    }

    /// What the same file, even if it was replaced by another in the meantime, holds now.
    pub(super) fn again(&mut self) -> io::Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(0))?;
        read_bounded(&mut self.file).map(|(bytes, _)| bytes)
    }
}

/// At most [`MAX_READ_BYTES`] bytes, and the size of the whole file.
pub(super) fn read_bounded(file: &mut File) -> io::Result<(Vec<u8>, u64)> {
    let mut bytes = Vec::new();
    Read::by_ref(file)
        .take(MAX_READ_BYTES)
        .read_to_end(&mut bytes)?;
    let read = bytes.len() as u64;
    let total = if read < MAX_READ_BYTES {
        read
    } else {
        file.metadata()?.len().max(read)
    };
    Ok((bytes, total))
}

pub(super) fn fingerprint(snapshot: Option<&Snapshot>) -> Fingerprint {
    snapshot.map_or(Fingerprint::ABSENT, |s| Fingerprint::of(&s.bytes))
}

/// Refuses to open a link, never waits for a pipe, and sets the mode of a file that is created.
pub(super) fn no_follow(options: &mut OpenOptions, mode: u32) {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        options.custom_flags(flags.bits().cast_signed()).mode(mode);
    }
    #[cfg(not(unix))]
    {
        let _ = (options, mode);
    }
}

/// Replaces the file at `target`, a real path, unless `is_due`, asked right before, says no.
/// Answers whether it was replaced. The mode of an existing file is kept. The folder is not
/// synchronised; that is done once for a whole write.
pub(super) fn replace(
    target: &Path,
    bytes: &[u8],
    durability: Durability,
    is_due: impl FnOnce() -> Result<bool, Error>,
) -> Result<bool, Error> {
    let fail = |e: io::Error| Error::io(target, e);
    let dir = target.parent().unwrap_or(target);
    let existing = fs::symlink_metadata(target)
        .ok()
        .filter(fs::Metadata::is_file);
    let mut temp = temp_in(dir).map_err(fail)?;
    temp.write_all(bytes).map_err(fail)?;
    if let Some(meta) = existing {
        temp.as_file()
            .set_permissions(meta.permissions())
            .map_err(fail)?;
    }
    if durability == Durability::PowerLoss {
        temp.as_file().sync_all().map_err(fail)?;
    }
    if !is_due()? {
        return Ok(false); // dropping the temporary file removes it
    }
    for attempt in 1.. {
        match temp.persist(target) {
            Ok(_) => break,
            Err(e) if cfg!(windows) && attempt < MAX_RENAMES => temp = e.file,
            Err(e) => return Err(fail(e.error)),
        }
    }
    Ok(true)
}

/// A temporary file that a scan ignores and the next open clears away.
pub(super) fn temp_in(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder
        .prefix(TEMP_PREFIX)
        .suffix(TEMP_SUFFIX)
        .rand_bytes(12);
    if let Some(permissions) = new_file_permissions() {
        builder.permissions(permissions);
    }
    builder.tempfile_in(folder)
}

/// What a new file gets, before the process's umask takes bits away.
fn new_file_permissions() -> Option<Permissions> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        Some(Permissions::from_mode(0o666))
    }
    #[cfg(not(unix))]
    {
        None
    }
}

/// Makes the names of these files last, each folder once. Best effort: not every system can
/// synchronise a directory.
pub(super) fn sync_folders(files: &[&Path], durability: Durability) {
    if cfg!(not(unix)) || durability == Durability::ProcessDeath {
        return;
    }
    let mut folders: Vec<&Path> = files.iter().filter_map(|file| file.parent()).collect();
    folders.dedup();
    for folder in folders {
        if let Ok(folder) = File::open(folder) {
            let _ = folder.sync_all();
        }
    }
}

/// Whether this is the name of a temporary file of this crate.
pub(super) fn is_temp(name: &str) -> bool {
    name.starts_with(TEMP_PREFIX) && name.ends_with(TEMP_SUFFIX)
}

/// Whether the containment check says that there is no file, rather than that there may not be.
pub(super) fn is_absent(error: &memdir_paths::Error) -> bool {
    error.kind() == memdir_paths::ErrorKind::NotFound
}

/// The error of the containment check as one of this crate.
pub(super) fn from_paths(error: memdir_paths::Error, path: PathBuf) -> Error {
    use memdir_paths::ErrorKind as Paths;
    let kind = match error.kind() {
        Paths::NotFound => ErrorKind::NotFound,
        Paths::Outside | Paths::DanglingLink => ErrorKind::LeadsOut,
        Paths::NotAFile => ErrorKind::NotAFile,
        Paths::UnsafeName(fault) => ErrorKind::Name {
            reason: fault.to_string(),
        },
        // A socket cannot be opened at all, and the system does not say why.
        _ if fs::metadata(&path).is_ok_and(|meta| !meta.is_file()) => ErrorKind::NotAFile,
        _ => ErrorKind::Io,
    };
    Error::new(kind, path).with_source(error)
}
