//! The names inside a memory directory, and creating it.

use std::fmt;
use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};

use crate::env::Env;
use crate::error::{Error, ErrorKind};
use crate::git_root::real_cwd;
use crate::guard::{check_name, check_session};
use crate::identity::{Recorded, record};
use crate::source::folder_name;

/// The index file of a memory directory.
pub const ENTRYPOINT: &str = "MEMORY.md";

/// The lock file of background consolidation, inside the memory directory.
pub const LOCK_FILE: &str = ".consolidate-lock";

/// The record of the roots that use a memory directory, inside it.
pub const IDENTITY_FILE: &str = ".memdir-identity.json";

/// A calendar date, for the daily log. The host knows the time zone; this crate does not.
///
/// Deliberately exhaustive: plain numbers, printed as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Date {
    /// The year, such as 2026.
    pub year: i32,
    /// The month, 1 to 12.
    pub month: u8,
    /// The day of the month, 1 to 31.
    pub day: u8,
}

/// `YYYY-MM-DD`.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// Where team memory lies.
///
/// Deliberately exhaustive: descriptions of the format show these two.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum TeamLayout {
    /// `<memory directory>/team/`.
    #[default]
    Inside,
    /// `team/` beside the memory directory.
    Sibling,
}

/// A memory directory: a path, not a promise that it exists.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct MemoryDir {
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    path: PathBuf,
}

/// What [`MemoryDir::ensure`] did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Ensured {
    /// The folders that were created, outermost first; empty when all were there.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::paths"))]
    pub created: Vec<PathBuf>,
    /// What became of the record of the root.
    pub recorded: Recorded,
}

impl MemoryDir {
    /// The memory directory at this path. Nothing is looked at or created.
    pub fn new(path: impl Into<PathBuf>) -> MemoryDir {
        MemoryDir { path: path.into() }
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path as text with one separator at the end, the form in which prompts announce it.
    pub fn announced(&self) -> String {
        let mut text = self.path.to_string_lossy().into_owned();
        if !text.ends_with(std::path::is_separator) {
            text.push(std::path::MAIN_SEPARATOR);
        }
        text
    }

    /// Whether the directory exists, through links.
    pub fn exists(&self) -> bool {
        self.path.is_dir()
    }

    /// The index, [`ENTRYPOINT`].
    pub fn entrypoint(&self) -> PathBuf {
        self.path.join(ENTRYPOINT)
    }

    /// The lock of background consolidation, [`LOCK_FILE`].
    pub fn lock_file(&self) -> PathBuf {
        self.path.join(LOCK_FILE)
    }

    /// The record of the roots that use this directory, [`IDENTITY_FILE`].
    pub fn identity_file(&self) -> PathBuf {
        self.path.join(IDENTITY_FILE)
    }

    /// The path of a topic file. Checks the name only; before reading or writing what a model
    /// asked for, use [`resolve_inside`](crate::resolve_inside) or
    /// [`open_inside`](crate::open_inside), which look at links as well.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnsafeName`], see [`check_name`].
    pub fn topic(&self, name: &str) -> Result<PathBuf, Error> {
        check_name(name)?;
        Ok(self.path.join(name))
    }

    /// The directory of team memory, with an index and topics of its own.
    pub fn team(&self, layout: TeamLayout) -> MemoryDir {
        let folder = match layout {
            TeamLayout::Inside => &self.path,
            // A memory directory without a parent cannot have a sibling.
            TeamLayout::Sibling => self.path.parent().unwrap_or(&self.path),
        };
        MemoryDir::new(folder.join("team"))
    }

    /// The daily log of a date: `logs/YYYY/MM/YYYY-MM-DD.md`.
    pub fn daily_log(&self, date: Date) -> PathBuf {
        let mut path = self.path.join("logs");
        path.push(format!("{:04}", date.year));
        path.push(format!("{:02}", date.month));
        path.push(format!("{date}.md"));
        path
    }

    /// The pattern of the daily logs as text, for a prompt that must not change with the day.
    pub fn daily_log_pattern(&self) -> String {
        let path = self.path.join("logs").join("YYYY").join("MM");
        path.join("YYYY-MM-DD.md").to_string_lossy().into_owned()
    }

    /// Creates the directory with its parents, mode 0700 on Unix for those that it creates, and
    /// records beside the memories that `root` uses it. Existing directories keep their mode, and
    /// a memory directory that is a link to a folder is used as it is.
    ///
    /// The one function of this crate that writes. Call it before a prompt says that the
    /// directory exists. Without a `root` nothing is recorded. While another process records a
    /// root of its own in the same directory, the call waits for it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::RelativePath`] for the directory or the root, and [`ErrorKind::CannotCreate`] when a parent may not be
    /// written, a file is in the way, or the path is a link without a target. A host may show it
    /// and assemble its prompt all the same. A record that could not be written is not an error,
    /// see [`Ensured::recorded`].
    pub fn ensure(&self, root: Option<&Path>) -> Result<Ensured, Error> {
        if !self.path.is_absolute() {
            return Err(Error::new(ErrorKind::RelativePath, &self.path));
        }
        if let Some(root) = root.filter(|root| !root.is_absolute()) {
            return Err(Error::new(ErrorKind::RelativePath, root));
        }
        let mut created: Vec<PathBuf> = self
            .path
            .ancestors()
            .take_while(|dir| is_missing(dir))
            .map(Path::to_path_buf)
            .collect();
        created.reverse();
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::DirBuilderExt;
            builder.mode(0o700);
        }
        builder
            .create(&self.path)
            .map_err(|e| Error::io(ErrorKind::CannotCreate, &self.path, e))?;
        let recorded = match root {
            Some(root) => record(self, root),
            None => Recorded::NotAsked,
        };
        Ok(Ensured { created, recorded })
    }
}

fn is_missing(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|e| e.kind() == io::ErrorKind::NotFound)
}

/// The folder of the transcripts of a working directory:
/// `<config home>/projects/<key of its real path>`.
///
/// Transcripts belong to the working directory, memory to the canonical root: the two keys are
/// never mixed. `CLAUDE_CODE_PROJECT_DIR_NAME` replaces the key here as well.
///
/// # Errors
///
/// Those of [`Env::config_home`] and [`real_cwd`].
pub fn transcript_dir(env: &Env, cwd: &Path) -> Result<PathBuf, Error> {
    let cwd = real_cwd(cwd)?;
    let home = env.config_home(&cwd)?;
    let name = folder_name(env, &home, &cwd);
    Ok(home.join("projects").join(name))
}

/// The notes of a session:
/// `<config home>/projects/<key of the real cwd>/<session>/session-memory/summary.md`.
///
/// # Errors
///
/// [`ErrorKind::UnsafeName`] when the session id is not one plain component, or is
/// the name of another folder there, and those of
/// [`transcript_dir`].
pub fn session_notes(env: &Env, cwd: &Path, session: &str) -> Result<PathBuf, Error> {
    check_session(session)?;
    let mut path = transcript_dir(env, cwd)?;
    path.extend([session, "session-memory", "summary.md"]);
    Ok(path)
}
