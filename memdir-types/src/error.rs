//! The error of this crate: an edit or a text that was refused.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why an edit was refused, or a text is not what it should be.
///
/// Reading a memory never fails: what is odd about a file is told by
/// [`Memory::warnings`](crate::Memory::warnings). Errors are for writing.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    path: Option<PathBuf>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ErrorKind {
    /// The frontmatter is not valid YAML and was only recovered line by line.
    /// Call [`Memory::repair`](crate::Memory::repair) first.
    Recovered,
    /// The file holds bytes that are not UTF-8, which an edit would not bring back.
    /// Call [`Memory::repair`](crate::Memory::repair) first.
    NotUtf8,
    /// The value stands in a form that cannot be replaced without touching something else.
    NotEditable,
    /// The file has no frontmatter, and this edit does not add one.
    NoFrontmatter,
    /// The frontmatter is larger than [`MAX_FRONTMATTER_BYTES`](crate::MAX_FRONTMATTER_BYTES), or
    /// would be after the edit.
    TooLarge,
    /// The text is not one of the four memory types.
    UnknownType,
    /// The text is not a calendar date of the form `YYYY-MM-DD`.
    BadDate,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Error {
        Error {
            kind,
            path: None,
            source: None,
        }
    }

    /// The same error with the reason behind it, which [`source`](std::error::Error::source) tells.
    pub(crate) fn because(mut self, reason: String) -> Error {
        self.source = Some(reason.into());
        self
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The file concerned, if the caller named one with [`Error::at`].
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The same error, naming the file that it is about. This crate handles texts, not files,
    /// so only the caller knows the path.
    #[must_use]
    pub fn at(mut self, path: impl Into<PathBuf>) -> Error {
        self.path = Some(path.into());
        self
    }
}

impl PartialEq for Error {
    fn eq(&self, other: &Error) -> bool {
        self.kind == other.kind && self.path == other.path
    }
}

impl Eq for Error {}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ErrorKind::Recovered => {
                "the frontmatter is not valid yaml; expected a repair before the update"
            }
            ErrorKind::NotUtf8 => {
                "the text is not valid utf-8; expected a repair before the update"
            }
            ErrorKind::NotEditable => {
                "the value cannot be replaced without changing others; \
                 expected `key: value` on a line of its own"
            }
            ErrorKind::NoFrontmatter => "there is no frontmatter to put the value into",
            ErrorKind::TooLarge => "the frontmatter is too large; expected at most 65536 bytes",
            ErrorKind::UnknownType => {
                "unknown memory type; expected user, feedback, project or reference"
            }
            ErrorKind::BadDate => "not a calendar date; expected YYYY-MM-DD",
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{}: {}", path.display(), self.kind),
            None => self.kind.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source
            .as_deref()
            .map(|source| source as &(dyn std::error::Error + 'static))
    }
}
