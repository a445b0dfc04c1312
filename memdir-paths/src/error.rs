//! The error of this crate: a kind, the path or name it is about, and the cause.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::guard::NameFault;

/// What went wrong, and where.
///
/// Refused overrides, broken settings files and forged pointers are not errors: they are
/// values inside [`Resolution`](crate::Resolution), [`Settings`](crate::Settings) and
/// [`Root`](crate::Root).
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    path: Option<PathBuf>,
    source: Option<io::Error>,
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A default directory was asked for and neither a home nor a config directory is known.
    NoHome,
    /// A path that has to be absolute is relative. Libraries do not know the current directory.
    RelativePath,
    /// An untrusted name may not be used as a path below a directory.
    UnsafeName(NameFault),
    /// The real place of a path lies outside the directory that it has to stay in.
    Outside,
    /// A symbolic link on the way has no target, so what it would create is unknown.
    DanglingLink,
    /// A directory could not be created. Prompt assembly may go on without it.
    CannotCreate,
    /// Something that has to be a regular file is a folder, a pipe, a device or a socket.
    NotAFile,
    /// Nothing is at this place.
    NotFound,
    /// The operating system refused for another reason; the source says which.
    Io,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, path: impl Into<PathBuf>) -> Error {
        Error {
            kind,
            path: Some(path.into()),
            source: None,
        }
    }

    pub(crate) fn bare(kind: ErrorKind) -> Error {
        Error {
            kind,
            path: None,
            source: None,
        }
    }

    pub(crate) fn io(kind: ErrorKind, path: impl Into<PathBuf>, source: io::Error) -> Error {
        Error {
            kind,
            path: Some(path.into()),
            source: Some(source),
        }
    }

    /// An error of the operating system, with "not found" told apart.
    pub(crate) fn from_io(path: impl Into<PathBuf>, source: io::Error) -> Error {
        let kind = match source.kind() {
            io::ErrorKind::NotFound => ErrorKind::NotFound,
            _ => ErrorKind::Io,
        };
        Error::io(kind, path, source)
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The path or the untrusted name that the error is about.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Debug formatting quotes the name and escapes control and bidirectional characters, so
        // that a hostile name cannot rewrite the terminal line that shows this message.
        if let Some(path) = &self.path {
            write!(f, "{path:?}: ")?;
        }
        match self.kind {
            ErrorKind::NoHome => f.write_str(
                "no home directory is known, so the default memory directory cannot be named",
            )?,
            ErrorKind::RelativePath => f.write_str("expected an absolute path")?,
            ErrorKind::UnsafeName(fault) => write!(f, "not a safe name: {fault}")?,
            ErrorKind::Outside => f.write_str("leads out of its directory")?,
            ErrorKind::DanglingLink => f.write_str("goes through a link without a target")?,
            ErrorKind::CannotCreate => f.write_str("cannot create the directory")?,
            ErrorKind::NotAFile => f.write_str("expected a regular file")?,
            ErrorKind::NotFound => f.write_str("not found")?,
            ErrorKind::Io => f.write_str("cannot be examined")?,
        }
        match &self.source {
            // "not found: No such file or directory" would say it twice.
            Some(source) if self.kind != ErrorKind::NotFound => write!(f, ": {source}"),
            _ => Ok(()),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_ref().map(|e| e as _)
    }
}
