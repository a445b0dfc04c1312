//! What was loaded, what waits, and what was left out and why.

use std::fmt;
use std::path::PathBuf;

use crate::file::{Extent, LoadReason, LoadedFile};
use crate::layer::{Layer, Source};
use crate::switch::Switch;

/// Misses that a report lists one by one; the rest is only counted. Our choice.
pub(crate) const MAX_LISTED_MISSES: usize = 1_000;

/// Everything that a load did. `Display` prints a readable tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// The working directory of the load.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub cwd: PathBuf,
    /// The switch that kept everything out.
    pub switched_off: Option<Switch>,
    /// The sources that were not read.
    pub sources_off: Vec<Source>,
    /// Loaded files in the order in which the model sees them; what `for_path` delivered follows.
    pub loaded: Vec<Loaded>,
    /// Rules that wait for a matching path.
    pub waiting: Vec<Waiting>,
    /// Files that exist and were left out.
    pub skipped: Vec<Skipped>,
    /// References in texts that name no file: mistyped imports, or no imports at all. Quiet, since
    /// most are handles, decorators and package names.
    pub misses: Vec<Miss>,
    /// Misses beyond the list.
    pub more_misses: usize,
    /// What a person should look at.
    pub warnings: Vec<Warning>,
}

/// A loaded file without its text. The fields are those of [`LoadedFile`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Loaded {
    /// The path as it is shown.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub path: PathBuf,
    /// The real path.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub real: PathBuf,
    /// Whose instructions these are.
    pub layer: Layer,
    /// Why it was loaded.
    pub reason: LoadReason,
    /// The file that imports it.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_path"))]
    pub parent: Option<PathBuf>,
    /// The path whose use delivered it.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_path"))]
    pub trigger: Option<PathBuf>,
    /// The patterns of a rule that waited.
    pub globs: Vec<String>,
    /// Size on disk in bytes.
    pub bytes: u64,
    /// Length of the text in characters.
    pub chars: usize,
    /// Estimated tokens of the text.
    pub tokens: usize,
    /// Whether the text is whole.
    pub extent: Extent,
}

impl From<&LoadedFile> for Loaded {
    fn from(file: &LoadedFile) -> Loaded {
        Loaded {
            path: file.path.clone(),
            real: file.real.clone(),
            layer: file.layer,
            reason: file.reason,
            parent: file.parent.clone(),
            trigger: file.trigger.clone(),
            globs: file.globs.clone(),
            bytes: file.bytes,
            chars: file.chars,
            tokens: file.tokens,
            extent: file.extent,
        }
    }
}

/// A rule that waits for a matching path.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Waiting {
    /// The path as it is shown.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub path: PathBuf,
    /// Whose rule it is.
    pub layer: Layer,
    /// Its patterns.
    pub globs: Vec<String>,
}

/// A file that exists and was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Skipped {
    /// The path as found.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub path: PathBuf,
    /// The layer it would have belonged to.
    pub layer: Layer,
    /// The file that imports it.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_path"))]
    pub parent: Option<PathBuf>,
    /// Why.
    pub reason: SkipReason,
}

/// Why a file was left out. `Display` gives a sentence without a dot.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum SkipReason {
    /// The same real file is there already.
    Duplicate {
        /// Under this path.
        #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
        of: PathBuf,
    },
    /// `claudeMdExcludes` names it.
    Excluded {
        /// The pattern that does.
        pattern: String,
    },
    /// Nothing is left after cleaning.
    Empty,
    /// A folder, a pipe or a device.
    NotAFile,
    /// A rules folder that is no folder.
    NotAFolder,
    /// The system refused to read it.
    Unreadable {
        /// What the system said.
        message: String,
    },
    /// A link that leads to nothing.
    DanglingLink,
    /// Larger than [`MAX_FILE_BYTES`](crate::MAX_FILE_BYTES).
    TooLarge {
        /// Its size in bytes.
        bytes: u64,
    },
    /// All files together reached [`MAX_TOTAL_BYTES`](crate::MAX_TOTAL_BYTES).
    TotalBytes,
    /// The working directory is in a worktree inside this checkout, and has its own copy.
    OwnCopyInWorktree {
        /// The copy.
        #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
        copy: PathBuf,
    },
    /// An import from outside the working directory that nobody approved.
    External {
        /// Where the file really is.
        #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
        real: PathBuf,
    },
    /// Git's own files are never imported.
    GitMetadata,
    /// The extension is not one of a text file.
    NotText,
    /// More hops of imports than are followed.
    TooDeep {
        /// The limit, in hops.
        limit: usize,
    },
    /// More imported files than are allowed.
    TooManyImports {
        /// The limit, in files.
        limit: usize,
    },
    /// More bytes of imported files than are allowed.
    ImportBytes {
        /// The limit, in bytes.
        limit: u64,
    },
    /// The file holds more references than are looked up.
    TooManyReferences {
        /// The limit, in references per session.
        limit: usize,
    },
    /// A rules folder with more files than are read.
    TooManyRules {
        /// The limit, in files per folder.
        limit: usize,
    },
    /// Nothing of the caller's budget was left for it.
    Budget,
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use crate::paths::printable;
        match self {
            SkipReason::Duplicate { of } => write!(f, "already loaded as {}", printable(of)),
            SkipReason::Excluded { pattern } => write!(f, "excluded by {pattern:?}"),
            SkipReason::Empty => f.write_str("empty"),
            SkipReason::NotAFile => f.write_str("not a regular file"),
            SkipReason::NotAFolder => f.write_str("not a folder"),
            SkipReason::Unreadable { message } => write!(f, "cannot be read: {message}"),
            SkipReason::DanglingLink => f.write_str("a link that leads to nothing"),
            SkipReason::TooLarge { bytes } => write!(
                f,
                "{bytes} bytes, and at most {} are read",
                crate::options::MAX_FILE_BYTES
            ),
            SkipReason::TotalBytes => write!(
                f,
                "all files together would exceed {} bytes",
                crate::options::MAX_TOTAL_BYTES
            ),
            SkipReason::OwnCopyInWorktree { copy } => {
                write!(f, "the worktree has its own copy: {}", printable(copy))
            }
            SkipReason::External { .. } => {
                f.write_str("outside the working directory and not approved")
            }
            SkipReason::GitMetadata => f.write_str("git's own files are not imported"),
            SkipReason::NotText => f.write_str("not a text file by its extension"),
            SkipReason::TooDeep { limit } => {
                write!(f, "imported over more than {limit} hops")
            }
            SkipReason::TooManyImports { limit } => {
                write!(f, "more than {limit} imported files")
            }
            SkipReason::ImportBytes { limit } => {
                write!(f, "imported files would exceed {limit} bytes")
            }
            SkipReason::TooManyReferences { limit } => {
                write!(f, "only {limit} references are looked up")
            }
            SkipReason::TooManyRules { limit } => {
                write!(f, "only {limit} files of a rules folder are read")
            }
            SkipReason::Budget => f.write_str("nothing of the budget is left for it"),
        }
    }
}

/// A reference that names no file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Miss {
    /// The reference as written, without `@`.
    pub reference: String,
    /// The file it stands in.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub parent: PathBuf,
    /// The path that was looked up; `None` if the reference cannot be a path.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_path"))]
    pub looked_up: Option<PathBuf>,
    /// Whether that path is outside the working directory and would need approval.
    pub place: Place,
    /// A file that was probably meant: the same path from the directory above `.claude`, or from
    /// the working directory.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_path"))]
    pub hint: Option<PathBuf>,
}

/// Where a path is, seen from the working directory.
///
/// Deliberately exhaustive: it is inside, or it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Place {
    /// Inside, or imported by one of the user's own files: no approval needed.
    Inside,
    /// Outside.
    External,
}

/// Something a person should look at.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Warning {
    /// The file or directory that it concerns.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub path: PathBuf,
    /// What it is.
    pub kind: WarningKind,
}

/// The kinds of [`Warning`]. `Display` gives a sentence without a dot.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum WarningKind {
    /// The working directory does not exist.
    NoWorkingDirectory,
    /// The working directory is not absolute, so what loads depends on where the program runs.
    RelativeWorkingDirectory,
    /// The text is long enough to cost attention.
    Large {
        /// Its characters.
        chars: usize,
        /// The number from which reports warn.
        limit: usize,
    },
    /// Bytes that are not UTF-8 were replaced.
    InvalidUtf8,
    /// `<!--` is never closed; the text after it stays.
    UnclosedComment,
    /// Something about the header of a rule.
    Header {
        /// What.
        message: String,
    },
    /// A pattern of a rule matches nothing.
    Pattern {
        /// The pattern.
        pattern: String,
        /// Why.
        reason: String,
    },
    /// An entry of `claudeMdExcludes` does not do what it looks like.
    Exclude {
        /// The entry.
        pattern: String,
        /// Why.
        reason: String,
    },
}

impl fmt::Display for WarningKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WarningKind::NoWorkingDirectory => f.write_str("the working directory does not exist"),
            WarningKind::RelativeWorkingDirectory => {
                f.write_str("expected the absolute path of the working directory")
            }
            WarningKind::Large { chars, limit } => write!(
                f,
                "{chars} characters; above {limit} a file costs more attention than it gives"
            ),
            WarningKind::InvalidUtf8 => f.write_str("bytes that are not UTF-8 were replaced"),
            WarningKind::UnclosedComment => {
                f.write_str("a comment is never closed, so its text stays")
            }
            WarningKind::Header { message } => f.write_str(message),
            WarningKind::Pattern { pattern, reason } => {
                write!(f, "the pattern {pattern:?} matches nothing: {reason}")
            }
            WarningKind::Exclude { pattern, reason } => {
                write!(f, "the exclude {pattern:?}: {reason}")
            }
        }
    }
}
