//! Where the name of a memory leads, and whether a memory may be put there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::scan::MAX_DEPTH;
use super::{Store, atomic};
use crate::{Error, ErrorKind, Index};

impl Store {
    /// Whether the line of that file, which the index may know in another spelling (the other
    /// Unicode form), is not that of a second file: a line that is taken over would be lost to it.
    pub(super) fn check_free(&self, file: &str, index: &Index) -> Result<(), Error> {
        let Some(listed) = index.find(file).map(|entry| entry.file.as_str()) else {
            return Ok(());
        };
        if listed == file || self.check_name(listed).is_err() || !self.exists(listed)? {
            return Ok(());
        }
        if self.exists(file)? && self.link(listed, file)? != Link::None {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Exists, self.dir.join(listed)))
    }

    /// The real place of a file, links inside the directory followed.
    pub(super) fn real(&self, file: &str) -> Result<PathBuf, Error> {
        memdir_paths::resolve_inside(&self.dir, file)
            .map_err(|e| atomic::from_paths(e, self.dir.join(file)))
    }

    /// Where a memory really is. A link may lead to another memory, not to the index or the lock.
    pub(super) fn memory_target(&self, file: &str) -> Result<PathBuf, Error> {
        let target = self.real(file)?;
        let root = fs::canonicalize(&self.dir).map_err(|e| Error::io(&self.dir, e))?;
        let inside = target.strip_prefix(root).ok().and_then(Path::to_str);
        match inside {
            Some(inside) => self.check_name(inside).map(|()| target),
            None => Err(Error::new(ErrorKind::LeadsOut, target)),
        }
    }

    /// The place of the name itself: links of its folders followed, its own not.
    pub(super) fn spelled(&self, file: &str) -> Result<PathBuf, Error> {
        match file.rsplit_once('/') {
            Some((folder, name)) => Ok(self.real(folder)?.join(name)),
            None => Ok(self.dir.join(file)),
        }
    }

    /// Whether something has that name, be it a link without a target.
    pub(super) fn exists(&self, file: &str) -> Result<bool, Error> {
        let path = self.spelled(file)?;
        match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_file() || meta.is_symlink() => Ok(true),
            Ok(_) => Err(Error::new(ErrorKind::NotAFile, path)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(e) => Err(Error::io(path, e)),
        }
    }

    /// How two names that both exist hang together.
    pub(super) fn link(&self, a: &str, b: &str) -> Result<Link, Error> {
        let (a, b) = (self.spelled(a)?, self.spelled(b)?);
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let meta = |path: &PathBuf| fs::symlink_metadata(path).map_err(|e| Error::io(path, e));
            let (a, b) = (meta(&a)?, meta(&b)?);
            Ok(match (a.dev(), a.ino()) == (b.dev(), b.ino()) {
                true if a.nlink() == 1 => Link::OneName,
                true => Link::OneFile,
                false => Link::None,
            })
        }
        #[cfg(not(unix))]
        {
            // The real path has the name as it is on disk, so equal paths are one name.
            let real = |path: &PathBuf| fs::canonicalize(path).map_err(|e| Error::io(path, e));
            Ok(match real(&a)? == real(&b)? {
                true => Link::OneName,
                false => Link::None,
            })
        }
    }
}

/// How two names hang together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// They are one name, spelled in two ways.
    OneName,
    /// They are two names of one file.
    #[cfg_attr(not(unix), expect(dead_code, reason = "told apart on Unix only"))]
    OneFile,
    /// They are two files.
    None,
}

/// A memory so deep that no scan finds it would be written and not be there.
pub(super) fn check_depth(file: &str) -> Result<(), Error> {
    if file.matches('/').count() > MAX_DEPTH {
        let reason = format!("more than {MAX_DEPTH} folder levels");
        return Err(Error::new(ErrorKind::Name { reason }, file));
    }
    Ok(())
}

/// Moves a file without replacing one that somebody made meanwhile: a second name first, then the
/// old name goes. A link, and a file system without hard links, can only be renamed.
pub(super) fn move_file(old: &Path, new: &Path, case_only: bool) -> io::Result<()> {
    if !case_only && !old.is_symlink() {
        match fs::hard_link(old, new) {
            Ok(()) => return fs::remove_file(old),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Err(e),
            // Not every file system knows hard links.
            Err(_) => {}
        }
    }
    fs::rename(old, new)
}
