//! The intent of a write in two steps, on disk while it runs, so that the next open or write can
//! complete it.
//!
//! The journal holds no text of the memory: step one is a rename, so the file is as before or as
//! after, and its fingerprint says which. If it is as after, step two (the index line) is repeated
//! from the file itself; if it is as before, the write has not happened. A batch is in `batch`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use memdir_types::Memory;

use super::batch::{BATCH_FOLDER, Step};
use super::lock::Lock;
use super::place::Link;
use super::{Durability, MAX_READ_BYTES, Store, atomic, entry_of};
use crate::index::Change;
use crate::{Entry, Error, ErrorKind, Fingerprint, Index};

/// A dot file beside the index, so that no scan takes it for a memory.
pub(super) const JOURNAL_FILE: &str = ".memdir-index.journal";

/// The first line; another version's journal is reported, not guessed at.
const MAGIC: &str = "memdir-index journal 1";

/// The most bytes of a journal: 4 MiB, as of any other file. That is a batch of some 25,000 files;
/// anything larger is no journal.
pub(super) const MAX_JOURNAL_BYTES: usize = MAX_READ_BYTES as usize;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Intent {
    Save {
        file: String,
        before: Fingerprint,
        after: Fingerprint,
    },
    Remove {
        file: String,
    },
    Rename {
        from: String,
        to: String,
    },
    /// Several files; the contents lie beside the journal.
    Batch(Vec<Step>),
}

/// A write that a killed process had begun, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Recovery {
    /// The memory that it was about; empty if the journal could not be read, or if it was about
    /// several.
    pub file: String,
    /// What became of it.
    pub outcome: Outcome,
    /// The files of a batch that somebody changed since, which were left alone.
    pub left: Vec<String>,
}

/// What became of an interrupted write.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum Outcome {
    /// The memory had been written; now the index agrees with it.
    Completed,
    /// The memory had not been touched; the write has not happened.
    NotHappened,
    /// Another program changed the memory since; nothing was done, and the check says how index
    /// and files differ.
    ChangedSince,
    /// The journal was not readable; the check says how index and files differ.
    Unreadable,
    /// It could not be completed; the next write tries again.
    Pending {
        /// What stood in the way.
        reason: String,
    },
}

/// Whether a write to this memory directory was interrupted, or is under way: one `stat`. Opening
/// a store for writing completes what was interrupted.
#[must_use]
pub fn is_interrupted(dir: &Path) -> bool {
    dir.join(JOURNAL_FILE).symlink_metadata().is_ok()
}

impl Intent {
    pub(super) fn to_text(&self) -> String {
        let body = match self {
            Intent::Save {
                file,
                before,
                after,
            } => format!("save\n{file}\n{before}\n{after}"),
            Intent::Remove { file } => format!("remove\n{file}"),
            Intent::Rename { from, to } => format!("rename\n{from}\n{to}"),
            Intent::Batch(steps) => {
                let mut body = "batch".to_owned();
                for step in steps {
                    // Names hold no control characters, so a line is one name.
                    body.push_str(&format!("\n{} {}\n{}", step.before, step.after, step.file));
                }
                body
            }
        };
        format!("{MAGIC}\n{body}\nend\n")
    }

    fn from_text(text: &str) -> Option<Intent> {
        let lines: Vec<&str> = text.split('\n').collect();
        match lines.as_slice() {
            [MAGIC, "save", file, before, after, "end", ""] => Some(Intent::Save {
                file: (*file).to_owned(),
                before: before.parse().ok()?,
                after: after.parse().ok()?,
            }),
            [MAGIC, "remove", file, "end", ""] => Some(Intent::Remove {
                file: (*file).to_owned(),
            }),
            [MAGIC, "rename", from, to, "end", ""] => Some(Intent::Rename {
                from: (*from).to_owned(),
                to: (*to).to_owned(),
            }),
            [MAGIC, "batch", steps @ .., "end", ""] if steps.len() % 2 == 0 => steps
                .chunks_exact(2)
                .map(|pair| {
                    let (before, after) = pair[0].split_once(' ')?;
                    Some(Step {
                        file: pair[1].to_owned(),
                        before: before.parse().ok()?,
                        after: after.parse().ok()?,
                    })
                })
                .collect::<Option<Vec<Step>>>()
                .map(Intent::Batch),
            _ => None,
        }
    }
}

impl Store {
    fn journal_path(&self) -> PathBuf {
        self.dir.join(JOURNAL_FILE)
    }

    /// Whether a journal or a temporary file lies in the directory.
    pub(super) fn has_leftovers(&self) -> bool {
        let Ok(entries) = fs::read_dir(&self.dir) else {
            return false;
        };
        entries.flatten().any(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name == JOURNAL_FILE || name == BATCH_FOLDER || atomic::is_temp(&name)
        })
    }

    /// Removes the temporary files of killed writers; with the lock held none is in use. Best
    /// effort: what cannot be removed stays, and every scan ignores it.
    fn clean_folder(&self, folder: PathBuf) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            if is_file && atomic::is_temp(&entry.file_name().to_string_lossy()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// What opening does about leftovers. A live writer holds the lock: then what looks left over
    /// is in its hands. A directory that cannot be written to can still be read.
    pub(super) fn recover_at_open(&self) -> Option<Recovery> {
        let attempt = || -> Result<Option<Recovery>, Error> {
            let Some(lock) = Lock::try_acquire(&self.dir)? else {
                return Ok(None);
            };
            let recovery = self.recover_locked(&lock)?;
            self.clean_folder(self.dir.clone());
            self.clean_batch();
            Ok(recovery)
        };
        attempt().unwrap_or_else(|error| {
            let reason = error.to_string();
            Some(Recovery {
                file: String::new(),
                outcome: Outcome::Pending { reason },
                left: Vec::new(),
            })
        })
    }

    /// Writes the intent before the first step.
    pub(super) fn begin_intent(&self, intent: &Intent) -> Result<(), Error> {
        let text = intent.to_text();
        // Replacing never follows a link, so a planted one just goes.
        let path = self.journal_path();
        let durability = match intent {
            Intent::Batch(_) => self.options.durability,
            // It has to outlive the process, not the machine: after a loss of power the check
            // finds what it would have told.
            _ => Durability::ProcessDeath,
        };
        atomic::replace(&path, text.as_bytes(), durability, || Ok(true))?;
        atomic::sync_folders(&[&path], durability);
        Ok(())
    }

    /// Makes the names of these files last, then removes the intent: the write is done.
    pub(super) fn finish(&self, files: &[&Path]) -> Result<(), Error> {
        atomic::sync_folders(files, self.options.durability);
        self.end_intent()
    }

    /// Removes the intent.
    pub(super) fn end_intent(&self) -> Result<(), Error> {
        let path = self.journal_path();
        // A folder in its place is none of ours, and would keep every write waiting.
        let removed = match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_dir() => fs::remove_dir_all(&path),
            _ => fs::remove_file(&path),
        };
        match removed {
            Ok(()) => Ok(()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(e) => Err(Error::io(path, e)),
        }
    }

    /// Completes what the journal says, if there is one.
    pub(super) fn recover_locked(&self, lock: &Lock) -> Result<Option<Recovery>, Error> {
        let path = self.journal_path();
        let meta = match fs::symlink_metadata(&path) {
            Ok(meta) => meta,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::io(path, e)),
        };
        let intent = if meta.is_file() && meta.len() <= MAX_JOURNAL_BYTES as u64 {
            let bytes = fs::read(&path).map_err(|e| Error::io(&path, e))?;
            String::from_utf8(bytes)
                .ok()
                .and_then(|text| Intent::from_text(&text))
        } else {
            None
        };
        let recovery = match intent {
            Some(intent) => self.complete(&intent, lock)?,
            None => Recovery {
                file: String::new(),
                outcome: Outcome::Unreadable,
                left: Vec::new(),
            },
        };
        self.finish(&[&path])?;
        self.clean_batch();
        Ok(Some(recovery))
    }

    fn complete(&self, intent: &Intent, lock: &Lock) -> Result<Recovery, Error> {
        let (file, found) = match intent {
            Intent::Save {
                file,
                before,
                after,
            } => (file, self.look_at_save(file, *before, *after)),
            Intent::Remove { file } => (file, self.look_at_remove(file)),
            Intent::Rename { from, to } => (to, self.look_at_rename(from, to)),
            Intent::Batch(steps) => return self.complete_batch(steps, lock),
        };
        let outcome = match found {
            Ok(Found::Untouched) => Outcome::NotHappened,
            Ok(Found::Other) => Outcome::ChangedSince,
            Ok(Found::Done(edit)) => match self.commit(lock, |index| edit.apply(index)) {
                Ok(_) => Outcome::Completed,
                // It will not be smaller the next time.
                Err(e) if matches!(e.kind(), ErrorKind::TooLarge { .. }) => Outcome::ChangedSince,
                Err(e) => return Err(e),
            },
            // A name that no write of ours could have put there.
            Err(e) if matches!(e.kind(), ErrorKind::Name { .. }) => Outcome::Unreadable,
            // Somebody put something else there, or closed it to us. To try again would change
            // nothing, and would keep every later write waiting for this one.
            Err(e) if is_lasting(&e) => Outcome::ChangedSince,
            Err(e) => return Err(e),
        };
        Ok(Recovery {
            file: file.clone(),
            outcome,
            left: Vec::new(),
        })
    }

    fn look_at_save(
        &self,
        file: &str,
        before: Fingerprint,
        after: Fingerprint,
    ) -> Result<Found, Error> {
        self.check_name(file)?;
        if let Some((folder, _)) = file.rsplit_once('/')
            && let Ok(folder) = memdir_paths::resolve_inside(&self.dir, folder)
        {
            self.clean_folder(folder);
        }
        let snapshot = self.snapshot(file)?;
        let now = atomic::fingerprint(snapshot.as_ref());
        Ok(match snapshot {
            Some(snapshot) if now == after => {
                let entry = entry_of(file, &Memory::from_bytes(&snapshot.bytes));
                Found::Done(Edit::Upsert(entry))
            }
            _ if now == before => Found::Untouched,
            _ => Found::Other,
        })
    }

    fn look_at_remove(&self, file: &str) -> Result<Found, Error> {
        self.check_name(file)?;
        Ok(match self.exists(file)? {
            true => Found::Untouched,
            false => Found::Done(Edit::Remove(file.to_owned())),
        })
    }

    fn look_at_rename(&self, from: &str, to: &str) -> Result<Found, Error> {
        self.check_name(from)?;
        self.check_name(to)?;
        match (self.exists(from)?, self.exists(to)?) {
            (true, false) => return Ok(Found::Untouched),
            (false, true) => {}
            (true, true) => match self.link(from, to)? {
                Link::OneFile => {
                    // Killed between giving the new name and taking the old one.
                    let path = self.spelled(from)?;
                    fs::remove_file(&path).map_err(|e| Error::io(path, e))?;
                }
                Link::OneName => {
                    // The old name in another case: the line can follow, whatever the case is now.
                    let (old, new) = (self.spelled(from)?, self.spelled(to)?);
                    fs::rename(&old, &new).map_err(|e| Error::io(old, e))?;
                }
                Link::None => return Ok(Found::Other),
            },
            (false, false) => return Ok(Found::Other),
        }
        Ok(Found::Done(Edit::Rename(from.to_owned(), to.to_owned())))
    }
}

/// What an interrupted write has done to the memories.
enum Found {
    /// Nothing yet.
    Untouched,
    /// All of it; the index needs this edit.
    Done(Edit),
    /// They are neither as before nor as after.
    Other,
}

/// What is left to do in the index.
enum Edit {
    Upsert(Entry),
    Remove(String),
    Rename(String, String),
}

impl Edit {
    fn apply(&self, index: &mut Index) -> Change {
        match self {
            Edit::Upsert(entry) => index.upsert(entry),
            Edit::Remove(file) => index.remove(file),
            Edit::Rename(from, to) => index.rename(from, to),
        }
    }
}

/// Whether looking at a memory again would find the same obstacle.
pub(super) fn is_lasting(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::LeadsOut | ErrorKind::NotAFile | ErrorKind::TooLarge { .. } => true,
        _ => error.is_denied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intents_read_back() {
        let save = Intent::Save {
            file: "sub/a b.md".to_owned(),
            before: Fingerprint::ABSENT,
            after: Fingerprint::of(b"x"),
        };
        let remove = Intent::Remove {
            file: "项.md".to_owned(),
        };
        let rename = Intent::Rename {
            from: "a.md".to_owned(),
            to: "b.md".to_owned(),
        };
        let batch = Intent::Batch(vec![Step {
            file: "sub/a b.md".to_owned(),
            before: Fingerprint::of(b"x"),
            after: Fingerprint::ABSENT,
        }]);
        for intent in [save, remove, rename, batch, Intent::Batch(Vec::new())] {
            assert_eq!(Intent::from_text(&intent.to_text()), Some(intent));
        }
    }

    #[test]
    fn anything_else_is_no_intent() {
        for text in [
            "",
            "memdir-index journal 2\nremove\na.md\nend\n",
            "memdir-index journal 1\nremove\na.md\n",
            "memdir-index journal 1\nbatch\nabsent absent\nend\n",
            "memdir-index journal 1\nbatch\nabsent\na.md\nend\n",
        ] {
            assert_eq!(Intent::from_text(text), None, "{text}");
        }
    }
}
