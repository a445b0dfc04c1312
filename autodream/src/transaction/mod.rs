//! A consolidation as a transaction: the agent works on a copy, and what it made of it is looked
//! at, merged with what sessions saved meanwhile, and written as a whole, or not at all.
//!
//! Everything of ours lies below one hidden folder of the memory directory, and is written under
//! the lock of the index. Order of the locks: the consolidation's, then the index's.

#[allow(dead_code, reason = "used soon")]
mod base;
mod options;
#[allow(dead_code, reason = "used soon")]
mod place;
mod report;
mod stub;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use memdir_index::{Fingerprint, Store};
use memdir_paths::MemoryDir;
use memdir_types::Memory;
use unicode_normalization::UnicodeNormalization;

pub use options::{DEFAULT_KEEP_RUNS, DEFAULT_LOSS_PERCENT, LossLimits, StageOptions};
pub use report::{
    Committed, Fault, FaultReason, FileChange, KeptBack, KeptReason, LeftOut, Loss, RecognizedBy,
    Repair, Report, Review, RunId, Share, What,
};

pub use stub::{Run, Undone, runs, undo};

use crate::Error;
use base::Base;

/// A copy of a memory directory, to be worked on by a consolidating agent. Dropped, it is gone,
/// and the directory is as it was.
#[derive(Debug)]
#[must_use = "a stage that is dropped is discarded"]
pub struct Stage {
    dir: MemoryDir,
    options: StageOptions,
    store: Store,
    path: PathBuf,
    base: Base,
    now: SystemTime,
}

impl Drop for Stage {
    fn drop(&mut self) {
        // There is nobody to tell; the next stage clears it away.
        let _ = place::remove(&self.path);
    }
}

impl Stage {
    /// Copies the memories, the index and the daily logs of a directory. What a run that died left
    /// behind is cleared away, so the lock of the consolidation has to be held.
    ///
    /// Team memory is a store of its own and not staged. What is too large, cannot be read or
    /// leads out is left out; see [`left_out`](Stage::left_out). Times of files are kept, and links
    /// become files.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoDirectory`](crate::ErrorKind::NoDirectory);
    /// [`ErrorKind::Index`](crate::ErrorKind::Index) if the store does not open or its lock is not
    /// to be had; [`ErrorKind::NotAFolder`](crate::ErrorKind::NotAFolder) for something planted
    /// in the place of a folder of ours; or the system's.
    pub fn begin(dir: &MemoryDir, options: &StageOptions, now: SystemTime) -> Result<Stage, Error> {
        let store = Store::open_with(dir.path(), options.store.clone()).map_err(Error::index)?;
        let live = store.exclusive().map_err(Error::index)?;
        let path = stage_path(dir.path(), options)?;
        place::remove(&path)?;
        place::make(&path)?;
        let base = match Base::stage(dir.path(), &live, &path) {
            Ok(base) => base,
            Err(error) => {
                let _ = place::remove(&path);
                return Err(error);
            }
        };
        drop(live);
        Ok(Stage {
            dir: dir.clone(),
            options: options.clone(),
            store,
            path,
            base,
            now,
        })
    }

    /// The copy: the directory that the agent is told, and the memory directory of its policy.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was not copied, and why. It is never touched.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.base.left_out
    }

    /// The memories that this run may not change, by name.
    #[must_use]
    pub fn pinned(&self) -> Vec<&str> {
        let files = self.base.files.iter();
        files
            .filter(|(name, file)| file.pinned || self.options.pinned.contains(name))
            .map(|(name, _)| name.as_str())
            .collect()
    }
}

/// Where the copy is made.
fn stage_path(dir: &Path, options: &StageOptions) -> Result<PathBuf, Error> {
    match &options.place {
        // Several directories may share a place.
        Some(place) => {
            let key = Fingerprint::of(dir.as_os_str().as_encoded_bytes()).to_string();
            place::make(place)?;
            Ok(place.join(format!("stage-{key}")))
        }
        None => Ok(place::ensure(dir, None)?.join(place::STAGE)),
    }
}

/// A title as titles are compared: its words alone, without case and the forms of characters.
fn title_of(memory: &Memory) -> Option<String> {
    let name: String = memory.name()?.nfkc().flat_map(char::to_lowercase).collect();
    let words: Vec<&str> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// What a body is recognized by, without the white space at the ends of its lines.
fn body_of(memory: &Memory) -> Option<String> {
    let body: Vec<&str> = memory.body().trim().lines().map(str::trim_end).collect();
    let body = body.join("\n");
    (!body.is_empty()).then(|| Fingerprint::of(body.as_bytes()).to_string())
}
