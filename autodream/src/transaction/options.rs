//! What a host decides about a transaction.

use std::path::PathBuf;

use memdir_index::StoreOptions;

/// The share of entries, bytes and files that a consolidation may take away, in percent. Ours: a
/// quarter is a thorough tidying, more looks like a mistake.
pub const DEFAULT_LOSS_PERCENT: u8 = 25;
/// How many runs are kept so that they can be undone, in items. Ours.
pub const DEFAULT_KEEP_RUNS: usize = 3;

/// How much of a memory directory one run may take away, in percent of what is there.
///
/// What moves to another file is not taken away, and text that is worded anew counts only as far
/// as its words are gone. Of a small directory a little may always go: one file or entry, if
/// others stay, and 256 bytes, if they are at most half. 0 allows nothing, 100 everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LossLimits {
    /// Of the entries of the index.
    pub entries: u8,
    /// Of the bytes of all memories.
    pub bytes: u8,
    /// Of the files.
    pub files: u8,
}

impl Default for LossLimits {
    fn default() -> LossLimits {
        LossLimits::all(DEFAULT_LOSS_PERCENT)
    }
}

impl LossLimits {
    /// The same share of all three.
    #[must_use]
    pub fn all(percent: u8) -> LossLimits {
        LossLimits {
            entries: percent,
            bytes: percent,
            files: percent,
        }
    }

    /// Sets the share of entries.
    #[must_use]
    pub fn entries(mut self, percent: u8) -> LossLimits {
        self.entries = percent;
        self
    }

    /// Sets the share of bytes.
    #[must_use]
    pub fn bytes(mut self, percent: u8) -> LossLimits {
        self.bytes = percent;
        self
    }

    /// Sets the share of files.
    #[must_use]
    pub fn files(mut self, percent: u8) -> LossLimits {
        self.files = percent;
        self
    }
}

/// How a [`Stage`](crate::Stage) works.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StageOptions {
    /// How much a run may take away; a quarter of each unless set.
    pub loss: LossLimits,
    /// Memories that no run changes, by file name relative to the directory. One whose
    /// frontmatter says `pinned: true` is among them anyway.
    pub pinned: Vec<String>,
    /// How many runs can be undone; [`DEFAULT_KEEP_RUNS`] unless set.
    pub keep_runs: usize,
    /// The folder that the staged copy is made in, which has to be on this machine and nobody
    /// else's; a hidden folder of the memory directory unless set. Programs that look into hidden
    /// folders too see staged memories there while a run lasts.
    pub place: Option<PathBuf>,
    /// How the memory directory is read and written.
    pub store: StoreOptions,
}

impl Default for StageOptions {
    fn default() -> StageOptions {
        StageOptions {
            loss: LossLimits::default(),
            pinned: Vec::new(),
            keep_runs: DEFAULT_KEEP_RUNS,
            place: None,
            store: StoreOptions::default(),
        }
    }
}

impl StageOptions {
    /// Sets how much a run may take away.
    #[must_use]
    pub fn loss(mut self, loss: LossLimits) -> StageOptions {
        self.loss = loss;
        self
    }

    /// Adds a memory that no run changes.
    #[must_use]
    pub fn pinned(mut self, file: impl Into<String>) -> StageOptions {
        self.pinned.push(file.into());
        self
    }

    /// Sets how many runs can be undone.
    #[must_use]
    pub fn keep_runs(mut self, runs: usize) -> StageOptions {
        self.keep_runs = runs;
        self
    }

    /// Sets the folder that the staged copy is made in.
    #[must_use]
    pub fn place(mut self, folder: impl Into<PathBuf>) -> StageOptions {
        self.place = Some(folder.into());
        self
    }

    /// Sets how the memory directory is read and written.
    #[must_use]
    pub fn store(mut self, options: StoreOptions) -> StageOptions {
        self.store = options;
        self
    }

    /// Whether the host pinned a memory.
    pub(super) fn is_pinned(&self, file: &str) -> bool {
        let case = self.store.name_case;
        self.pinned.iter().any(|pinned| case.is_same(pinned, file))
    }
}
