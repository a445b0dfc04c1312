//! The memory directory as it is when a run ends: sessions may have saved meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use memdir_index::{ENTRYPOINT, Exclusive, Fingerprint, Listing, Store};

use super::base::Base;
use crate::Error;

/// Who reads: with the lock held, or without for a dry run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Access<'a> {
    Locked(&'a Exclusive<'a>),
    Free(&'a Store),
}

impl Access<'_> {
    fn list(self) -> Listing {
        match self {
            Access::Locked(live) => live.list(),
            Access::Free(store) => store.list(),
        }
    }

    fn read(self, file: &str) -> Result<Option<Vec<u8>>, memdir_index::Error> {
        match self {
            Access::Locked(live) => live.read_bytes(file),
            Access::Free(store) => store.read_bytes(file),
        }
    }
}

/// A memory that is there.
#[derive(Debug)]
pub(super) enum LiveFile {
    /// As when the run began.
    Same,
    /// With these bytes.
    Other(Vec<u8>),
    /// With bytes that are not looked at.
    Opaque,
}

#[derive(Debug, Default)]
pub(super) struct Live {
    pub(super) files: BTreeMap<String, LiveFile>,
    pub(super) index: Option<Vec<u8>>,
    /// Files and folders that are there and cannot be listed.
    unseen: BTreeSet<String>,
}

impl Live {
    pub(super) fn read(base: &Base, access: Access<'_>) -> Result<Live, Error> {
        let listing = access.list();
        let not_staged: BTreeSet<&str> = base.left_out.iter().map(|l| &*l.file).collect();
        let mut live = Live {
            index: access.read(ENTRYPOINT).map_err(Error::index)?,
            unseen: listing.left_out.into_iter().map(|left| left.file).collect(),
            ..Live::default()
        };
        for file in listing.files {
            if not_staged.contains(&*file) {
                live.files.insert(file, LiveFile::Opaque);
                continue;
            }
            let seen = match access.read(&file) {
                Ok(Some(bytes)) => {
                    let before = base.files.get(&file).map(|file| &*file.bytes);
                    match before == Some(&*bytes) {
                        true => LiveFile::Same,
                        false => LiveFile::Other(bytes),
                    }
                }
                // It went away in this moment.
                Ok(None) => continue,
                Err(_) => LiveFile::Opaque,
            };
            live.files.insert(file, seen);
        }
        Ok(live)
    }

    pub(super) fn index(&self) -> &[u8] {
        self.index.as_deref().unwrap_or_default()
    }

    pub(super) fn index_print(&self) -> Fingerprint {
        super::print(self.index.as_deref())
    }

    /// The bytes of a file, if they are known.
    pub(super) fn bytes<'a>(&'a self, base: &'a Base, file: &str) -> Option<&'a [u8]> {
        match self.files.get(file)? {
            LiveFile::Same => base.files.get(file).map(|file| &*file.bytes),
            LiveFile::Other(bytes) => Some(bytes),
            LiveFile::Opaque => None,
        }
    }

    /// Whether a file that was not listed may be there all the same: it is among what cannot be
    /// listed, or below a folder that cannot be looked into.
    pub(super) fn may_be_there(&self, file: &str) -> bool {
        is_among(&self.unseen, file)
    }
}

/// Whether a file is one of these, or below one of them. `.` is all.
pub(super) fn is_among(names: &BTreeSet<String>, file: &str) -> bool {
    names.contains(".")
        || names.contains(file)
        || file
            .match_indices('/')
            .any(|(at, _)| names.contains(&file[..at]) || names.contains(&file[..=at]))
}
