//! What memories a directory holds: names, times and headers, without changing anything.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use memdir_types::Header;

use crate::Error;

mod engine;
mod flat;
#[cfg_attr(unix, path = "folder_unix.rs")]
#[cfg_attr(not(unix), path = "folder_portable.rs")]
mod folder;
mod read;
mod store;
mod walk;

pub(crate) use engine::scan_with;
pub(crate) use read::{Depth, read_text};
pub(crate) use store::Store;

/// How many memories a scan lists unless told otherwise, newest first: 200 files, the limit of
/// the format.
pub const MAX_NEWEST: usize = 200;

/// The most memories that a scan looks at: 100,000 files, as the index of the family does.
pub const MAX_FILES: usize = 100_000;

/// How deep sub-folders are followed: 8 levels, as the index of the family does.
pub const MAX_DEPTH: usize = 8;

/// How much of a memory is read for the lexical stage: 256 KiB (262,144 bytes), this crate's own
/// choice; what is beyond is not found by its words.
pub const MAX_MEMORY_BYTES: usize = 256 * 1024;

/// Whether the folder `team/` at the top of the directory belongs to a scan.
///
/// Deliberately closed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum TeamFolder {
    /// It does: an agent that shares memories with a team recalls both.
    #[default]
    Include,
    /// It does not.
    Exclude,
}

/// What a scan lists.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScanOptions {
    /// How many memories at most, newest first; [`MAX_NEWEST`] by default, `usize::MAX` for all.
    pub newest: usize,
    /// Whether `team/` is part of it.
    pub team: TeamFolder,
}

impl Default for ScanOptions {
    fn default() -> ScanOptions {
        ScanOptions {
            newest: MAX_NEWEST,
            team: TeamFolder::default(),
        }
    }
}

impl ScanOptions {
    /// Sets how many memories at most, newest first.
    #[must_use]
    pub fn newest(mut self, files: usize) -> ScanOptions {
        self.newest = files;
        self
    }

    /// Sets whether `team/` is part of it.
    #[must_use]
    pub fn team(mut self, team: TeamFolder) -> ScanOptions {
        self.team = team;
        self
    }
}

/// One memory as a scan sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MemoryFile {
    /// Its name relative to the memory directory, with `/`.
    pub file: String,
    /// Where it is, absolute.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub path: PathBuf,
    /// When the file was last written.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "crate::ser::time::serialize")
    )]
    pub modified: SystemTime,
    /// Its size in bytes.
    pub bytes: u64,
    /// What its frontmatter says, from the first 30 lines.
    pub header: Header,
}

/// What was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Skipped {
    /// The name relative to the memory directory, `.` for the directory itself.
    pub file: String,
    /// Why.
    pub reason: SkipReason,
}

impl std::fmt::Display for Skipped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", crate::text::printable(&self.file), self.reason)
    }
}

/// Why something in the directory is not listed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum SkipReason {
    /// The system refused; the text says how.
    Unreadable(String),
    /// The name cannot be the name of a memory; the text says why.
    Name(String),
    /// A link that leads out of the directory, or nowhere.
    LeadsOut,
    /// A link to a folder; folders are followed only where they are.
    LinkedFolder,
    /// A link to something in the directory that is no memory, such as the index or a log.
    LinkedOther,
    /// Something that is not a regular file, under the name of a memory.
    NotAFile,
    /// Beyond [`MAX_DEPTH`] levels.
    TooDeep,
    /// Beyond [`MAX_FILES`] files.
    TooMany,
}

impl std::fmt::Display for SkipReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SkipReason::Unreadable(reason) => write!(f, "unreadable: {reason}"),
            SkipReason::Name(reason) => write!(f, "not a name for a memory: {reason}"),
            SkipReason::LeadsOut => f.write_str("a link that leads out of the memory directory"),
            SkipReason::LinkedFolder => f.write_str("a link to a folder is not followed"),
            SkipReason::LinkedOther => f.write_str("a link to what is no memory"),
            SkipReason::NotAFile => f.write_str("not a regular file"),
            SkipReason::TooDeep => write!(f, "deeper than {MAX_DEPTH} levels"),
            SkipReason::TooMany => write!(f, "beyond the first {MAX_FILES} files"),
        }
    }
}

/// What a scan found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Scan {
    /// The memories, newest first, equal times by name.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::shared"))]
    pub memories: Vec<Arc<MemoryFile>>,
    /// What was left out, by name.
    pub skipped: Vec<Skipped>,
    /// How many memories are older than those that were listed.
    pub older: usize,
    /// How many files were opened; the rest was known from an earlier scan.
    pub opened: usize,
}

/// Lists the memories of a directory.
///
/// A directory that does not exist has no memories, and is not created. Blocking: it reads the
/// headers of the files.
///
/// # Errors
///
/// An [`Error`] if the path is relative, is no directory, or cannot be opened.
pub fn scan(dir: impl AsRef<Path>, options: &ScanOptions) -> Result<Scan, Error> {
    let mut cache = ScanCache {
        dir: PathBuf::new(),
        known: Store::of_nothing(),
    };
    cache.find(dir.as_ref(), options)
}

/// Remembers headers from one scan to the next, so that an unchanged directory costs one stat per
/// file.
///
/// A file counts as unchanged if path, time and size are.
#[derive(Debug, Default)]
pub struct ScanCache {
    dir: PathBuf,
    known: Store<()>,
}

impl ScanCache {
    /// An empty cache.
    #[must_use]
    pub fn new() -> ScanCache {
        ScanCache::default()
    }

    /// Lists the memories of a directory, as [`scan`] does. Another directory than the last time
    /// empties the cache.
    ///
    /// # Errors
    ///
    /// Those of [`scan`].
    pub fn scan(&mut self, dir: impl AsRef<Path>, options: &ScanOptions) -> Result<Scan, Error> {
        let dir = dir.as_ref();
        if self.dir != dir {
            self.known = Store::default();
            self.dir = dir.to_owned();
        }
        self.find(dir, options)
    }

    fn find(&mut self, dir: &Path, options: &ScanOptions) -> Result<Scan, Error> {
        let found = scan_with(dir, options, &mut self.known, Depth::Header, |_, _| ())?;
        Ok(Scan {
            memories: found.files,
            skipped: found.skipped,
            older: found.older,
            opened: found.opened,
        })
    }
}
