//! The one error type of the crate: what went wrong, at which path, and what lies beneath.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What went wrong, with the path that it concerns. A closed gate is no error.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    path: Option<PathBuf>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The kinds of [`Error`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The system refused an operation on a file.
    Io,
    /// The memory directory does not exist, so there is nothing to consolidate.
    NoDirectory,
    /// Another program took the lock over while it was held; nothing of its file was touched.
    LostLock,
    /// The memory directory could not be read or written; the source says which file and why.
    Index,
    /// Something else stands where a folder of ours belongs, a link for example.
    NotAFolder,
    /// There is no run of that name.
    NoRun,
    /// A record of ours cannot be read.
    Damaged,
    /// The agent could not go on; the source says why.
    Subagent,
    /// What a model answered is not of the form that is known.
    Reply,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, path: impl Into<PathBuf>) -> Error {
        Error {
            kind,
            path: Some(path.into()),
            source: None,
        }
    }

    pub(crate) fn io(path: impl Into<PathBuf>, source: io::Error) -> Error {
        Error {
            kind: ErrorKind::Io,
            path: Some(path.into()),
            source: Some(Box::new(source)),
        }
    }

    pub(crate) fn subagent(source: impl StdError + Send + Sync + 'static) -> Error {
        Error {
            kind: ErrorKind::Subagent,
            path: None,
            source: Some(Box::new(source)),
        }
    }

    #[cfg(feature = "runner")]
    pub(crate) fn reply() -> Error {
        Error {
            kind: ErrorKind::Reply,
            path: None,
            source: None,
        }
    }

    pub(crate) fn index(source: memdir_index::Error) -> Error {
        Error {
            kind: match source.kind() {
                memdir_index::ErrorKind::NoDirectory => ErrorKind::NoDirectory,
                _ => ErrorKind::Index,
            },
            path: None,
            source: Some(Box::new(source)),
        }
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The file or directory.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ErrorKind::Io => f.write_str("the system refused an operation")?,
            ErrorKind::NoDirectory => f.write_str("the memory directory does not exist")?,
            ErrorKind::LostLock => f.write_str("another program took the lock over")?,
            ErrorKind::Index => f.write_str("the memory directory could not be read or written")?,
            ErrorKind::NotAFolder => f.write_str("expected a folder, and no link")?,
            ErrorKind::NoRun => f.write_str("no such run")?,
            ErrorKind::Damaged => f.write_str("a record cannot be read")?,
            ErrorKind::Subagent => f.write_str("the agent could not go on")?,
            ErrorKind::Reply => {
                f.write_str("expected an answer in the form of the Messages API")?;
            }
        }
        if let Some(path) = &self.path {
            write!(f, ": {}", path.display())?;
        }
        if let Some(source) = &self.source {
            write!(f, " ({source})")?;
        }
        Ok(())
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source
            .as_ref()
            .map(|source| source.as_ref() as &(dyn StdError + 'static))
    }
}
