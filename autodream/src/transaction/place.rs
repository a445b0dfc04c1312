//! The hidden folder that is ours below a memory directory, and how files get there.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::{Error, ErrorKind};

/// Our folder in a memory directory. Hidden, so that no scan takes its files for memories.
pub(super) const OWN: &str = ".autodream";
/// The staged copy.
pub(super) const STAGE: &str = "stage";
/// The records of runs.
pub(super) const RUNS: &str = "runs";

/// The most bytes of a record that are read: 16 MiB, more than the runs that we write need. A
/// planted one takes some twenty times as much memory while it is looked at.
const MAX_RECORD_BYTES: u64 = 16 << 20;

/// Our folder, or one below it.
pub(super) fn own(dir: &Path, folder: Option<&str>) -> PathBuf {
    let own = dir.join(OWN);
    folder.map_or(own.clone(), |folder| own.join(folder))
}

/// Makes our folder, and one below it, for its owner alone.
///
/// A link in the place of one would put our files anywhere: it is refused.
pub(super) fn ensure(dir: &Path, folder: Option<&str>) -> Result<PathBuf, Error> {
    let path = make(&own(dir, None))?;
    match folder {
        Some(folder) => make(&path.join(folder)),
        None => Ok(path),
    }
}

/// One folder, made or found.
pub(super) fn make(path: &Path) -> Result<PathBuf, Error> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    match builder.create(path) {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(Error::io(path, e)),
        _ => {}
    }
    check(path)?;
    Ok(path.to_owned())
}

/// Whether a folder of ours is one; answers whether it is there.
pub(super) fn check(path: &Path) -> Result<bool, Error> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => Ok(true),
        Ok(_) => Err(Error::new(ErrorKind::NotAFolder, path)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(Error::io(path, e)),
    }
}

/// Removes a folder of ours with all that is in it. A link goes, and not what it leads to.
pub(super) fn remove(path: &Path) -> Result<(), Error> {
    let removed = match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(e) => Err(e),
    };
    match removed {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(Error::io(path, e)),
        _ => Ok(()),
    }
}

/// Writes a file of ours as a whole. A folder in its place, which is none of ours, goes.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir()) {
        remove(path)?;
    }
    let folder = path.parent().unwrap_or(path);
    let attempt = || -> io::Result<()> {
        let mut temp = tempfile::Builder::new()
            .prefix(".next-")
            .tempfile_in(folder)?;
        temp.write_all(bytes)?;
        temp.as_file().sync_all()?;
        temp.persist(path).map_err(|e| e.error)?;
        sync(folder);
        Ok(())
    };
    attempt().map_err(|e| Error::io(path, e))
}

/// Makes names last. Best effort: not every system can.
pub(super) fn sync(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// Reads a file of ours; `None` if there is none, or something that we did not write.
pub(super) fn read_if_whole(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match read(path) {
        Err(e) if *e.kind() == ErrorKind::Damaged => Ok(None),
        other => other,
    }
}

/// Reads a file of ours; `None` if there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_file() && meta.len() <= MAX_RECORD_BYTES => {}
        Ok(_) => return Err(Error::new(ErrorKind::Damaged, path)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::io(path, e)),
    }
    let mut bytes = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(MAX_RECORD_BYTES).read_to_end(&mut bytes));
    read.map_err(|e| Error::io(path, e))?;
    Ok(Some(bytes))
}
