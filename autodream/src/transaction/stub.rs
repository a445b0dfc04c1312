//! For the moment: what is staged is written file by file.

use std::fs;
use std::time::SystemTime;

use memdir_index::{Access, Fingerprint, Store, StoreOptions};
use memdir_paths::MemoryDir;

use super::{Committed, FileChange, KeptBack, Loss, Report, Review, RunId, Stage, What};
use crate::{Error, ErrorKind, Session};

/// A run that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Run {
    /// Its name.
    pub id: RunId,
    /// When it was.
    pub at: SystemTime,
    /// The files that it left other than before, by name.
    pub changes: Vec<FileChange>,
    /// When it was undone, if it was.
    pub undone: Option<SystemTime>,
}

/// What undoing a run did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Undone {
    /// The run.
    pub run: RunId,
    /// Files that are again what they were before it.
    pub restored: Vec<String>,
    /// Files that it had created, which are gone.
    pub removed: Vec<String>,
    /// Files that were left as they are, since they are not as the run left them.
    pub kept: Vec<KeptBack>,
}

impl Stage {
    /// See the names.
    #[must_use]
    pub fn is_idle(&self, sessions: &[Session]) -> bool {
        sessions.is_empty() && self.base.files.is_empty()
    }

    /// See the names.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn review(&self) -> Result<Review, Error> {
        let options = StoreOptions::default().access(Access::ReadOnly);
        let staged = Store::open_with(&self.path, options).map_err(Error::index)?;
        let mut names: Vec<String> = self.base.files.keys().cloned().collect();
        names.extend(staged.list().files);
        names.push("MEMORY.md".to_owned());
        names.sort();
        names.dedup();
        let mut changes = Vec::new();
        for file in names {
            let before = match &*file {
                "MEMORY.md" => self.base.index.as_deref(),
                file => self.base.files.get(file).map(|file| &*file.bytes),
            };
            let after = staged.read_bytes(&file).map_err(Error::index)?;
            let print = |bytes: Option<&[u8]>| bytes.map_or(Fingerprint::ABSENT, Fingerprint::of);
            let what = match (before, after.as_deref()) {
                (Some(_), None) => What::Deleted,
                (None, Some(_)) => What::Created,
                (before, after) if before != after => What::Changed,
                _ => continue,
            };
            changes.push(FileChange {
                file,
                what,
                before: print(before),
                after: print(after.as_deref()),
                bytes_before: before.map_or(0, |b| b.len() as u64),
                bytes_after: after.as_ref().map_or(0, |b| b.len() as u64),
                added: 0,
                removed: 0,
                diff: String::new(),
            });
        }
        Ok(Review {
            report: Report {
                run: RunId::new("1-20260101T0000Z"),
                at: self.now,
                changes,
                kept_back: Vec::new(),
                repairs: Vec::new(),
                left_out: self.base.left_out.clone(),
                loss: Loss::default(),
            },
            refused: Vec::new(),
        })
    }

    /// See the names.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn commit(self, now: SystemTime) -> Result<Committed, Error> {
        let mut review = self.review()?;
        review.report.at = now;
        let live = self.store.exclusive().map_err(Error::index)?;
        for change in &review.report.changes {
            let to = self.dir.path().join(&change.file);
            let done = match change.what {
                What::Deleted => fs::remove_file(&to),
                _ => fs::copy(self.path.join(&change.file), &to).map(drop),
            };
            done.map_err(|e| Error::io(&to, e))?;
        }
        drop(live);
        Ok(Committed::Done(review.report.clone()))
    }

    /// See the names.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn discard(self) -> Result<(), Error> {
        super::place::remove(&self.path)
    }
}

/// See the names.
///
/// # Errors
///
/// The system's.
pub fn runs(_dir: &MemoryDir) -> Result<Vec<Run>, Error> {
    Ok(Vec::new())
}

/// See the names.
///
/// # Errors
///
/// [`ErrorKind::NoRun`].
pub fn undo(dir: &MemoryDir, _run: &RunId, _now: SystemTime) -> Result<Undone, Error> {
    Err(Error::new(ErrorKind::NoRun, dir.path()))
}
