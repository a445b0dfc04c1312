//! What the consolidating agent is told: where it works, what it may use, and four phases.
//!
//! In reading order: `frame` is what stands before the phases and after them, `orient`, `gather`,
//! `consolidate` and `prune` are the phases, and `quote` shows names of files and sessions, which
//! are data of the host and never instructions.

mod consolidate;
mod frame;
mod gather;
mod orient;
mod prune;
mod quote;

use std::path::{Path, PathBuf};

use memdir_index::Limits;
use memdir_types::Date;

use crate::Session;
pub(crate) use prune::thousands;

/// The most sessions that the prompt lists, the latest first; the rest is counted.
pub const MAX_LISTED_SESSIONS: usize = 30;

/// The most other names that the prompt lists: pinned files, folders of transcripts. In names;
/// our own choice.
const MAX_LISTED_NAMES: usize = 50;

/// What a consolidation is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum DreamKind {
    /// Behind the gates, in the background: memories are put in order.
    #[default]
    Automatic,
    /// On request, where the session only appends to daily logs: these are distilled into
    /// memories and the index, and stay as they are.
    Logs,
}

/// What the prompt of a consolidation is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DreamPrompt {
    /// The directory that the agent works in: the staged copy, not the memory directory itself.
    pub directory: PathBuf,
    /// What the run is for.
    pub kind: DreamKind,
    /// The working directory, which is where the code is.
    pub project: Option<PathBuf>,
    /// The folders of transcripts. None: nothing is said about transcripts.
    pub transcripts: Vec<PathBuf>,
    /// The sessions since the last consolidation, the latest first.
    pub sessions: Vec<Session>,
    /// Files that stay as they are, as names below the directory.
    pub pinned: Vec<String>,
    /// The date of the person, so that relative dates can be made absolute.
    pub today: Option<Date>,
    /// What the index is loaded within; those of the format unless set.
    pub limits: Limits,
}

impl DreamPrompt {
    /// The prompt of an automatic consolidation in this directory.
    #[must_use]
    pub fn new(directory: impl Into<PathBuf>) -> DreamPrompt {
        DreamPrompt {
            directory: directory.into(),
            kind: DreamKind::Automatic,
            project: None,
            transcripts: Vec::new(),
            sessions: Vec::new(),
            pinned: Vec::new(),
            today: None,
            limits: Limits::default(),
        }
    }

    /// Sets what the run is for.
    #[must_use]
    pub fn kind(mut self, kind: DreamKind) -> DreamPrompt {
        self.kind = kind;
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn project(mut self, project: impl Into<PathBuf>) -> DreamPrompt {
        self.project = Some(project.into());
        self
    }

    /// Sets the folders of transcripts.
    #[must_use]
    pub fn transcripts(
        mut self,
        folders: impl IntoIterator<Item = impl Into<PathBuf>>,
    ) -> DreamPrompt {
        self.transcripts = folders.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the sessions since the last consolidation.
    #[must_use]
    pub fn sessions(mut self, sessions: impl Into<Vec<Session>>) -> DreamPrompt {
        self.sessions = sessions.into();
        self
    }

    /// Sets the files that stay as they are.
    #[must_use]
    pub fn pinned(mut self, pinned: impl IntoIterator<Item = impl Into<String>>) -> DreamPrompt {
        self.pinned = pinned.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the date.
    #[must_use]
    pub fn today(mut self, today: impl Into<Option<Date>>) -> DreamPrompt {
        self.today = today.into();
        self
    }

    /// Sets what the index is loaded within.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> DreamPrompt {
        self.limits = limits;
        self
    }

    /// The text: the one message that the agent starts with. The same for the same options.
    #[must_use]
    pub fn text(&self) -> String {
        let directory = quote::path(&self.directory);
        let mut sections = vec![frame::task(self, &directory), frame::tools(&directory)];
        sections.extend(frame::pinned(&self.pinned));
        sections.extend(frame::sessions(&self.sessions));
        sections.push(orient::text(&directory));
        sections.push(gather::text(self));
        sections.push(consolidate::text(self));
        sections.push(prune::text(self.kind, self.limits));
        sections.push(frame::end(self.kind));
        sections.join("\n\n")
    }

    fn has_transcripts(&self) -> bool {
        !self.transcripts.is_empty()
    }

    fn folders(&self) -> String {
        let folders = self.transcripts.iter().take(MAX_LISTED_NAMES);
        let folders: Vec<String> = folders.map(|folder| quote::path(folder)).collect();
        folders.join(", ")
    }

    fn project_path(&self) -> Option<&Path> {
        self.project.as_deref()
    }
}
