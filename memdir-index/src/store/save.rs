//! The writes: a memory in two steps, removing, renaming, and the one line of the index.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use memdir_types::{Cleared, Memory};

use super::index_file::Committed;
use super::journal::{Intent, Recovery};
use super::lock::Lock;
use super::place::{Link, check_depth, move_file};
use super::{MAX_READ_BYTES, Store, atomic, entry_of};
use crate::index::Change;
use crate::{Budget, Entry, Error, ErrorKind, Fingerprint, budget};

/// What step one of a save did to the memory file.
///
/// Deliberately closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Written {
    /// The file is new.
    Created,
    /// The file was replaced.
    Updated,
    /// The file had these bytes already and was not touched.
    Unchanged,
}

/// What a save did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Saved {
    /// The memory's file, relative to the directory.
    pub file: String,
    /// Where it is.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub path: PathBuf,
    /// What happened to the file.
    pub written: Written,
    /// What the file looks like now.
    pub fingerprint: Fingerprint,
    /// What happened to the index.
    pub index: Change,
    /// The entry before its line was shortened.
    pub entry: Entry,
    /// The line in the index was shortened; the memory has the full text.
    pub shortened: bool,
    /// Advice, if the index is near its caps.
    pub budget: Option<Budget>,
    /// How often another program had changed the index in the middle of this write; its changes
    /// were merged.
    pub merges: usize,
    /// What a killed writer had left, completed before this write.
    pub recovered: Option<Recovery>,
}

/// What removing a memory did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Removed {
    /// The file, relative to the directory.
    pub file: String,
    /// What the file looked like; [`Fingerprint::ABSENT`] if only its line was left, or if it was
    /// a link to no memory of this store.
    pub fingerprint: Fingerprint,
    /// What happened to the index.
    pub index: Change,
    /// How often another program had changed the index in the middle of this write.
    pub merges: usize,
    /// What a killed writer had left, completed before this write.
    pub recovered: Option<Recovery>,
}

/// What renaming a memory did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Renamed {
    /// The new file, relative to the directory.
    pub file: String,
    /// What happened to the index.
    pub index: Change,
    /// How often another program had changed the index in the middle of this write.
    pub merges: usize,
    /// What a killed writer had left, completed before this write.
    pub recovered: Option<Recovery>,
}

impl Store {
    /// Saves a memory under a file name made of its type and name, and gives it its line.
    ///
    /// The name is updated in place if that file holds a memory of the same `name`; a file that
    /// holds another memory is never overwritten, the next free name (`_2`, `_3`, …) is taken.
    /// `expected` is checked against the file that is chosen: `None` expects nothing,
    /// [`Fingerprint::ABSENT`] that the memory is new.
    ///
    /// Only what passed the gate can be saved:
    ///
    /// ```compile_fail,E0308
    /// # use memdir_types::{Memory, MemoryType};
    /// # fn save(store: &memdir_index::Store) {
    /// let memory = Memory::new(MemoryType::User, "Role", "ten years of Go", "");
    /// store.save(memory, None);
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unnamed`], and those of [`save_as`](Store::save_as).
    pub fn save(
        &self,
        memory: Cleared<Memory>,
        expected: Option<Fingerprint>,
    ) -> Result<Saved, Error> {
        self.check_audience(memory.audience())?;
        let (Some(kind), Some(name)) = (memory.kind(), memory.name()) else {
            return Err(Error::new(ErrorKind::Unnamed, &self.dir));
        };
        let (lock, recovered) = self.begin()?;
        let file = memdir_types::file_name(kind, name, |candidate| {
            match self.snapshot(candidate) {
                Ok(None) => false,
                Ok(Some(snapshot)) => Memory::from_bytes(&snapshot.bytes).name() != Some(name),
                // What cannot be read is somebody else's.
                Err(_) => true,
            }
        });
        self.save_locked(&lock, recovered, &file, &memory, expected)
    }

    /// Saves a memory under that file name and gives it its line: the file first, then the index.
    ///
    /// A writer that is killed in between is completed by the next open or write.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Name`]; [`ErrorKind::Conflict`] if the file is not what `expected` says (`None`
    /// expects nothing, [`Fingerprint::ABSENT`] that there is no file); [`ErrorKind::LeadsOut`],
    /// [`ErrorKind::NotAFile`], [`ErrorKind::TooLarge`], [`ErrorKind::NoDirectory`],
    /// [`ErrorKind::Busy`], [`ErrorKind::ReadOnly`], [`ErrorKind::Audience`], [`ErrorKind::Io`]:
    /// nothing was written.
    /// [`ErrorKind::Contended`], and [`ErrorKind::Io`] with the path of the index: the memory is
    /// written, its line is not.
    pub fn save_as(
        &self,
        file: &str,
        memory: Cleared<Memory>,
        expected: Option<Fingerprint>,
    ) -> Result<Saved, Error> {
        self.check_audience(memory.audience())?;
        self.check_name(file)?;
        let (lock, recovered) = self.begin()?;
        self.save_locked(&lock, recovered, file, &memory, expected)
    }

    fn save_locked(
        &self,
        lock: &Lock,
        recovered: Option<Recovery>,
        file: &str,
        memory: &Memory,
        expected: Option<Fingerprint>,
    ) -> Result<Saved, Error> {
        self.check_name(file)?;
        check_depth(file)?;
        let target = self.memory_target(file)?;
        let bytes = memory.render().into_bytes();
        if bytes.len() as u64 > MAX_READ_BYTES {
            let kind = ErrorKind::TooLarge {
                bytes: bytes.len() as u64,
                limit: MAX_READ_BYTES,
            };
            return Err(Error::new(kind, target));
        }
        let old = self.snapshot(file)?;
        let before = atomic::fingerprint(old.as_ref());
        expect(expected, before, &target)?;
        // An index that could not be written to refuses the save before anything is on disk.
        let index = self.index_target()?;
        let entry = entry_of(file, memory);
        let mut planned = self.index()?;
        self.check_free(file, &planned)?;
        planned.upsert(&entry);
        let bytes_planned = planned.to_bytes().len() as u64;
        if bytes_planned > MAX_READ_BYTES {
            let kind = ErrorKind::TooLarge {
                bytes: bytes_planned,
                limit: MAX_READ_BYTES,
            };
            return Err(Error::new(kind, index));
        }

        let after = Fingerprint::of(&bytes);
        let written = match old {
            Some(_) if before == after => Written::Unchanged,
            Some(_) => Written::Updated,
            None => Written::Created,
        };
        self.begin_intent(&Intent::Save {
            file: file.to_owned(),
            before,
            after,
        })?;
        if written != Written::Unchanged {
            let step_one = self.write_memory(&target, &bytes, file, before);
            if step_one.is_err() {
                // The file is as before, so there is nothing to complete.
                self.end_intent()?;
            }
            step_one?;
        }
        let committed = self.commit(lock, |index| index.upsert(&entry))?;
        self.finish(&[&target, &index])?;
        Ok(Saved {
            file: file.to_owned(),
            path: target,
            written,
            fingerprint: after,
            index: committed.result,
            shortened: entry.is_shortened(),
            entry,
            budget: budget(&committed.bytes, self.options.limits),
            merges: committed.merges,
            recovered,
        })
    }

    fn write_memory(
        &self,
        target: &Path,
        bytes: &[u8],
        file: &str,
        before: Fingerprint,
    ) -> Result<(), Error> {
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
        }
        // An editor may have saved in the meantime; it is asked once more right before.
        let is_due = || Ok(atomic::fingerprint(self.snapshot(file)?.as_ref()) == before);
        match atomic::replace(target, bytes, self.options.durability, is_due)? {
            true => Ok(()),
            false => Err(Error::new(ErrorKind::Conflict, target)),
        }
    }

    /// Removes a memory and its line: the file first, then the index.
    ///
    /// A memory that is a link loses the link only.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] if there is neither file nor line; else as
    /// [`save_as`](Store::save_as).
    pub fn remove(&self, file: &str, expected: Option<Fingerprint>) -> Result<Removed, Error> {
        self.check_name(file)?;
        let (lock, recovered) = self.begin()?;
        let path = self.spelled(file)?;
        let fingerprint = match self.snapshot(file) {
            Ok(snapshot) => atomic::fingerprint(snapshot.as_ref()),
            // A link that leads out is removed without a look at what it leads to.
            Err(_) if expected.is_none() && path.is_symlink() => Fingerprint::ABSENT,
            Err(e) => return Err(e),
        };
        expect(expected, fingerprint, &path)?;
        let index = self.index_target()?;
        let exists = self.exists(file)?;
        if !exists && self.index()?.find(file).is_none() {
            return Err(Error::new(ErrorKind::NotFound, path));
        }
        self.begin_intent(&Intent::Remove {
            file: file.to_owned(),
        })?;
        if exists && let Err(e) = fs::remove_file(&path) {
            self.end_intent()?;
            return Err(Error::io(path, e));
        }
        let committed = self.commit(&lock, |index| index.remove(file))?;
        self.finish(&[&path, &index])?;
        Ok(Removed {
            file: file.to_owned(),
            fingerprint,
            index: committed.result,
            merges: committed.merges,
            recovered,
        })
    }

    /// Renames a memory and lets its line point at the new name. Its content is not touched.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`]; [`ErrorKind::Exists`] if the new name is taken; else as
    /// [`save_as`](Store::save_as).
    pub fn rename(&self, from: &str, to: &str) -> Result<Renamed, Error> {
        self.check_name(from)?;
        self.check_name(to)?;
        check_depth(to)?;
        let (lock, recovered) = self.begin()?;
        let (old, new) = (self.spelled(from)?, self.spelled(to)?);
        let index = self.index_target()?;
        self.index()?;
        if !self.exists(from)? {
            return Err(Error::new(ErrorKind::NotFound, old));
        }
        // A name that only changes its Unicode form keeps its own line.
        if !self.options.name_case.is_same(from, to) {
            self.check_free(to, &self.index()?)?;
        }
        let is_taken = self.exists(to)?;
        // Where case does not count, the new name may be the old one in another case.
        let case_only = is_taken && self.link(from, to)? == Link::OneName;
        if is_taken && !case_only {
            return Err(Error::new(ErrorKind::Exists, new));
        }
        self.begin_intent(&Intent::Rename {
            from: from.to_owned(),
            to: to.to_owned(),
        })?;
        let moved = match new.parent() {
            Some(folder) => fs::create_dir_all(folder),
            None => Ok(()),
        };
        let moved = moved.and_then(|()| move_file(&old, &new, case_only));
        if let Err(e) = moved {
            self.end_intent()?;
            let kind = e.kind();
            return Err(match kind {
                io::ErrorKind::AlreadyExists => Error::new(ErrorKind::Exists, new),
                _ => Error::io(new, e),
            });
        }
        let committed = self.commit(&lock, |index| index.rename(from, to))?;
        self.finish(&[&old, &new, &index])?;
        Ok(renamed(to, committed, recovered))
    }
}

fn renamed(to: &str, committed: Committed<Change>, recovered: Option<Recovery>) -> Renamed {
    Renamed {
        file: to.to_owned(),
        index: committed.result,
        merges: committed.merges,
        recovered,
    }
}

pub(super) fn expect(
    expected: Option<Fingerprint>,
    now: Fingerprint,
    path: &Path,
) -> Result<(), Error> {
    match expected {
        Some(expected) if expected != now => Err(Error::new(ErrorKind::Conflict, path)),
        _ => Ok(()),
    }
}
