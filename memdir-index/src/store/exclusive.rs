//! A store whose lock is held across several reads and a write.

use super::batch::{Applied, Batch};
use super::journal::Recovery;
use super::lock::Lock;
use super::place::check_depth;
use super::rebuild::Unlisted;
use super::{Store, atomic, scan};
use crate::entry::is_markdown;
use crate::{ENTRYPOINT, Error, ErrorKind, Index};

/// The memories of a directory by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Listing {
    /// Names relative to the directory, with `/`, sorted.
    pub files: Vec<String>,
    /// What cannot be listed, and why.
    pub left_out: Vec<Unlisted>,
}

/// A store whose lock is held until this is dropped: what is read here stays as it is, as far as
/// our own writers are concerned, until [`apply`](Exclusive::apply) has written.
///
/// The other writes of the store wait for the same lock: called while this is alive, in the same
/// thread, they would wait for ever.
#[derive(Debug)]
#[must_use = "the lock is let go when this is dropped"]
pub struct Exclusive<'a> {
    store: &'a Store,
    lock: Lock,
    recovered: Option<Recovery>,
}

impl Store {
    /// Takes the lock for several reads and one write of several files.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoDirectory`], [`ErrorKind::Busy`], [`ErrorKind::ReadOnly`],
    /// [`ErrorKind::Io`].
    pub fn exclusive(&self) -> Result<Exclusive<'_>, Error> {
        let (lock, recovered) = self.begin()?;
        Ok(Exclusive {
            store: self,
            lock,
            recovered,
        })
    }

    /// The memories by name, without the index. A missing directory has none.
    #[must_use]
    pub fn list(&self) -> Listing {
        let scan = self.scan();
        let unlisted = |(file, why): (String, scan::Why)| Unlisted {
            reason: why.reason(),
            file,
        };
        Listing {
            files: scan.files,
            left_out: scan.left_out.into_iter().map(unlisted).collect(),
        }
    }

    /// The bytes of a memory or, under its name, of the index; `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Name`], [`ErrorKind::LeadsOut`], [`ErrorKind::NotAFile`],
    /// [`ErrorKind::TooLarge`], [`ErrorKind::Io`].
    pub fn read_bytes(&self, file: &str) -> Result<Option<Vec<u8>>, Error> {
        self.check_any(file)?;
        Ok(self.snapshot(file)?.map(|snapshot| snapshot.bytes))
    }

    /// Whether a name is that of the index or can be that of a memory.
    pub(super) fn check_any(&self, file: &str) -> Result<(), Error> {
        match file {
            ENTRYPOINT => Ok(()),
            file => check_name(file),
        }
    }
}

impl Exclusive<'_> {
    /// What a killed writer had left, completed when the lock was taken.
    #[must_use]
    pub fn recovered(&self) -> Option<&Recovery> {
        self.recovered.as_ref()
    }

    /// As [`Store::list`].
    #[must_use]
    pub fn list(&self) -> Listing {
        self.store.list()
    }

    /// As [`Store::read_bytes`].
    ///
    /// # Errors
    ///
    /// As [`Store::read_bytes`].
    pub fn read_bytes(&self, file: &str) -> Result<Option<Vec<u8>>, Error> {
        self.store.read_bytes(file)
    }

    /// As [`Store::index`].
    ///
    /// # Errors
    ///
    /// As [`Store::index`].
    pub fn index(&self) -> Result<Index, Error> {
        self.store.index()
    }

    /// Writes all files of a batch, or none: what a killed process had begun is completed by the
    /// next open or write.
    ///
    /// All contents are put beside their targets first, so that a full disk shows before anything
    /// is replaced. Then files are replaced, created and removed, and the index last. A file that
    /// another program changes in the very middle of this is left alone and reported, and gets
    /// the line in the index that it needs.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conflict`] if a file is not what the batch expects; [`ErrorKind::Name`],
    /// [`ErrorKind::Exists`] for two edits of one file, [`ErrorKind::LeadsOut`],
    /// [`ErrorKind::NotAFile`], [`ErrorKind::TooLarge`], [`ErrorKind::Audience`],
    /// [`ErrorKind::NotFound`] for kept bytes that are gone, [`ErrorKind::Io`]: everything is as
    /// before. [`ErrorKind::Unfinished`] if it was interrupted in the middle and could not be taken
    /// back, or if all is written and only the end is missing: the next open or write goes on.
    pub fn apply(&self, batch: &Batch) -> Result<Applied, Error> {
        self.store.apply_locked(&self.lock, batch)
    }
}

/// Whether a name, relative to the directory and with `/`, can be that of a memory. Looks at no
/// disk.
///
/// # Errors
///
/// [`ErrorKind::Name`] with the reason.
pub fn check_memory_name(file: &str) -> Result<(), Error> {
    check_name(file)?;
    check_depth(file)
}

pub(super) fn check_name(file: &str) -> Result<(), Error> {
    let refuse = |reason: &str| {
        let reason = reason.to_owned();
        Err(Error::new(ErrorKind::Name { reason }, file))
    };
    if let Err(error) = memdir_paths::check_name(file) {
        return Err(atomic::from_paths(error, std::path::PathBuf::from(file)));
    }
    if !is_markdown(file) {
        return refuse("it does not end in `.md`");
    }
    let mut components = file.split('/');
    let first = components.clone().next().unwrap_or_default();
    if first != file
        && scan::RESERVED_FOLDERS
            .iter()
            .any(|name| first.eq_ignore_ascii_case(name))
    {
        return refuse("that folder is no part of this store");
    }
    if components.any(|component| component.starts_with('.')) {
        return refuse("hidden files are no memories");
    }
    let last = file.rsplit('/').next().unwrap_or(file);
    if last.eq_ignore_ascii_case(ENTRYPOINT) {
        return refuse("it is the index");
    }
    Ok(())
}
