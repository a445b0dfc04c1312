//! The one error type of the crate: what went wrong, at which path, and what lies beneath.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::text::printable;

/// Why a directory could not be scanned at all.
///
/// A memory that cannot be read is no error: it is a [`Skipped`](crate::Skipped). Neither is a
/// selector that fails: the [`Receipt`](crate::Receipt) says so.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    path: PathBuf,
    source: Option<io::Error>,
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The memory directory was given as a relative path. Libraries do not know the current
    /// directory, and what is recalled has absolute paths.
    RelativePath,
    /// What was given as the memory directory is something else.
    NotADirectory,
    /// The system refused to open the directory.
    Io,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, path: impl Into<PathBuf>) -> Error {
        Error {
            kind,
            path: path.into(),
            source: None,
        }
    }

    pub(crate) fn io(path: impl Into<PathBuf>, source: io::Error) -> Error {
        Error {
            kind: match source.kind() {
                io::ErrorKind::NotADirectory => ErrorKind::NotADirectory,
                _ => ErrorKind::Io,
            },
            path: path.into(),
            source: Some(source),
        }
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The directory that it concerns.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", printable(&self.path.to_string_lossy()))?;
        match (self.kind, &self.source) {
            (ErrorKind::RelativePath, _) => f.write_str("expected an absolute path"),
            (ErrorKind::NotADirectory, _) => f.write_str("expected a directory"),
            (ErrorKind::Io, Some(source)) => write!(f, "{source}"),
            (ErrorKind::Io, None) => f.write_str("the system refused the operation"),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_ref().map(|e| e as &(dyn StdError + 'static))
    }
}
