//! The one error type of the crate: what went wrong, at which path, and what lies beneath.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What went wrong in a [`Store`](crate::Store), with the path that it concerns.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    path: Option<PathBuf>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The system refused an operation on a file.
    Io,
    /// The memory directory does not exist; ensuring it is a step of its own.
    NoDirectory,
    /// The path of the memory directory is not absolute.
    RelativePath,
    /// There is no memory of that name.
    NotFound,
    /// Something of that name exists already.
    Exists,
    /// The name cannot be the name of a memory.
    Name {
        /// What is wrong with it.
        reason: String,
    },
    /// The memory lacks what a file name is made of: its name or its type.
    Unnamed,
    /// The file on disk is not the one that the caller saw; nothing was written.
    Conflict,
    /// The path is a link, or lies below one, whose real place is outside the memory directory.
    LeadsOut,
    /// Something that has to be a regular file is a folder, a pipe or a device.
    NotAFile,
    /// The file is larger than this crate reads into memory; nothing was written.
    TooLarge {
        /// The size of the file in bytes.
        bytes: u64,
        /// The most that is read, in bytes.
        limit: u64,
    },
    /// The write would take more than [`SHRINK_PERCENT`](crate::SHRINK_PERCENT) of the index away.
    Shrinks {
        /// Bytes of the index now.
        bytes_before: usize,
        /// Bytes it would have.
        bytes_after: usize,
        /// Entries of the index now.
        entries_before: usize,
        /// Entries it would have.
        entries_after: usize,
    },
    /// The lock could not be had: held by another writer, or not supported by the file system.
    Busy {
        /// Which of the two, in words.
        reason: String,
    },
    /// Another program kept changing the index while this one merged; the memory file is written,
    /// its line in the index is not, and the next open or write completes it.
    Contended,
    /// The text was cleared for the person alone, and this is the team's store.
    Audience,
    /// The store was opened for reading only.
    ReadOnly,
    /// A write of several files could neither be completed nor taken back; every file is whole,
    /// and the next open or write tries again.
    Unfinished,
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

    pub(crate) fn with_source(
        mut self,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Error {
        self.source = Some(source.into());
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// What the system said, if it was the system: without the paths that stand around it.
    fn system(&self) -> Option<&io::Error> {
        let mut source = self.source();
        while let Some(error) = source {
            if let Some(error) = error.downcast_ref::<io::Error>() {
                return Some(error);
            }
            source = error.source();
        }
        None
    }

    /// Whether the system refused for lack of permission.
    pub(crate) fn is_denied(&self) -> bool {
        self.kind == ErrorKind::Io
            && self
                .system()
                .is_some_and(|e| e.kind() == io::ErrorKind::PermissionDenied)
    }

    /// The file or directory that it concerns.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            // A name may hold a line break or an escape sequence; the message stays one line.
            let shown = path.to_string_lossy();
            write!(f, "{}: ", crate::entry::printable(&shown))?;
        }
        match &self.kind {
            ErrorKind::Io => match self.system() {
                Some(source) => write!(f, "{source}"),
                None => f.write_str("the system refused the operation"),
            },
            ErrorKind::NoDirectory => f.write_str("the memory directory does not exist"),
            ErrorKind::RelativePath => f.write_str("expected an absolute path"),
            ErrorKind::NotFound => f.write_str("no such memory"),
            ErrorKind::Exists => f.write_str("the name is taken"),
            ErrorKind::Name { reason } => write!(f, "not a name for a memory: {reason}"),
            ErrorKind::Unnamed => f.write_str(
                "the memory has no name or no type to make a file name from; give it one",
            ),
            ErrorKind::Conflict => f.write_str(
                "not what was expected, as somebody changed or made it; nothing was written",
            ),
            ErrorKind::LeadsOut => f.write_str("a link that leads out of the memory directory"),
            ErrorKind::NotAFile => f.write_str("expected a regular file"),
            ErrorKind::TooLarge { bytes, limit } => {
                write!(f, "{bytes} bytes, and at most {limit} are read")
            }
            ErrorKind::Shrinks {
                bytes_before,
                bytes_after,
                entries_before,
                entries_after,
            } => write!(
                f,
                "the write would shrink the index from {bytes_before} to {bytes_after} bytes \
                 and from {entries_before} to {entries_after} entries; it has to be asked for"
            ),
            ErrorKind::Busy { reason } => write!(f, "the index cannot be locked: {reason}"),
            ErrorKind::Contended => f.write_str(
                "another program kept changing the index; the memory is written, \
                 and the next open or write adds its line",
            ),
            ErrorKind::Audience => {
                f.write_str("the text is not cleared for the team that reads this store")
            }
            ErrorKind::ReadOnly => f.write_str("the store was opened for reading only"),
            ErrorKind::Unfinished => f.write_str(
                "a write of several files was interrupted, and the next open or write goes on",
            ),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source
            .as_deref()
            .map(|e| e as &(dyn StdError + 'static))
    }
}

impl Error {
    /// What went wrong in words, without the path in front.
    pub fn reason(&self) -> String {
        match (&self.kind, self.system()) {
            (ErrorKind::Name { reason }, _) => reason.clone(),
            (ErrorKind::Io, Some(source)) => source.to_string(),
            (kind, _) => Error {
                kind: kind.clone(),
                path: None,
                source: None,
            }
            .to_string(),
        }
    }
}
