//! Which sessions of a project were touched since a time: the files in its folders of transcripts.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Where the transcripts of a project are, and which of them do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transcripts {
    /// One folder for each working directory of the project: worktrees share a memory, and each
    /// has its own transcripts.
    pub folders: Vec<PathBuf>,
    /// Ids of sessions that do not count: the one that asks, and those that consolidations ran in.
    pub exclude: Vec<String>,
}

impl Transcripts {
    /// The transcripts in these folders.
    #[must_use]
    pub fn new(folders: impl IntoIterator<Item = impl Into<PathBuf>>) -> Transcripts {
        Transcripts {
            folders: folders.into_iter().map(Into::into).collect(),
            exclude: Vec::new(),
        }
    }

    /// Leaves out a session: the current one, or one that a consolidation ran in.
    #[must_use]
    pub fn exclude(mut self, id: impl Into<String>) -> Transcripts {
        self.exclude.push(id.into());
        self
    }
}

/// A session that was touched.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Session {
    /// Its id, which is the name of its file.
    pub id: String,
    /// Its transcript.
    pub path: PathBuf,
    /// When the transcript was last written.
    pub modified: SystemTime,
    /// The size of the transcript in bytes.
    pub bytes: u64,
}

/// What was found in the folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Touched {
    /// The sessions, the latest first; those of the same instant by id.
    pub sessions: Vec<Session>,
    /// What could not be looked at, and why. A folder that does not exist is not among it.
    pub skipped: Vec<SkippedTranscript>,
}

/// A file or folder that could not be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SkippedTranscript {
    /// Its path.
    pub path: PathBuf,
    /// Why.
    pub reason: String,
}

/// The ending of a transcript.
const ENDING: &str = ".jsonl";
/// What the transcript of a subagent begins with, where old versions left it beside the others.
const SUBAGENT: &str = "agent-";

/// All sessions whose transcript was written later than `since`; all there are, if it is `None`.
///
/// Transcripts lie directly in a folder, those of subagents below it; only the former count. A
/// link counts for nothing. A session in two folders counts once, by its later file.
#[must_use]
pub fn touched_since(transcripts: &Transcripts, since: Option<SystemTime>) -> Touched {
    let mut touched = Touched::default();
    let mut seen_folders: Vec<&Path> = Vec::new();
    for folder in &transcripts.folders {
        if seen_folders.contains(&folder.as_path()) {
            continue;
        }
        seen_folders.push(folder);
        match fs::read_dir(folder) {
            Ok(entries) => list(folder, entries, transcripts, since, &mut touched),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => touched.skip(folder.clone(), &error.to_string()),
        }
    }
    let sessions = &mut touched.sessions;
    sessions.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.id.cmp(&b.id)));
    let mut ids = std::collections::HashSet::new();
    sessions.retain(|session| ids.insert(session.id.clone()));
    touched
}

impl Touched {
    fn skip(&mut self, path: PathBuf, reason: &str) {
        self.skipped.push(SkippedTranscript {
            path,
            reason: reason.to_owned(),
        });
    }
}

fn list(
    folder: &Path,
    entries: fs::ReadDir,
    transcripts: &Transcripts,
    since: Option<SystemTime>,
    touched: &mut Touched,
) {
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                touched.skip(folder.to_owned(), &error.to_string());
                continue;
            }
        };
        let name = entry.file_name();
        // The id is text wherever it is used; a name that is none is no session's.
        let Some(id) = name.to_str().and_then(|name| name.strip_suffix(ENDING)) else {
            continue;
        };
        if id.is_empty()
            || id.starts_with(SUBAGENT)
            || transcripts.exclude.iter().any(|own| own == id)
        {
            continue;
        }
        let metadata = match entry.metadata() {
            Ok(metadata) => metadata,
            // It went away in this moment.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                touched.skip(entry.path(), &error.to_string());
                continue;
            }
        };
        if metadata.is_symlink() {
            touched.skip(entry.path(), "a link, expected a file");
            continue;
        }
        if !metadata.is_file() {
            continue;
        }
        match metadata.modified() {
            Ok(modified) if since.is_none_or(|since| modified > since) => {
                touched.sessions.push(Session {
                    id: id.to_owned(),
                    path: entry.path(),
                    modified,
                    bytes: metadata.len(),
                });
            }
            Ok(_) => {}
            Err(error) => touched.skip(entry.path(), &error.to_string()),
        }
    }
}
