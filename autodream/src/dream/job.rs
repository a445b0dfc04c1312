//! What a consolidation is made of.

use std::path::PathBuf;

use memdir_types::Date;

use crate::{Caps, DreamKind, StageOptions};

/// What a consolidation is made of, besides its ticket.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DreamJob {
    /// The working directory: where the code is, which may be read.
    pub project: PathBuf,
    /// What it is for; [`DreamKind::Automatic`] unless set.
    pub kind: DreamKind,
    /// Whether it writes.
    pub mode: DreamMode,
    /// How the result is looked at and written.
    pub stage: StageOptions,
    /// When the agent is stopped.
    pub caps: Caps,
    /// The date of the person, so that relative dates can be made absolute.
    pub today: Option<Date>,
}

/// Whether a consolidation writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum DreamMode {
    /// It does.
    #[default]
    Commit,
    /// It only tells what it would write, and does not count.
    DryRun,
}

impl DreamJob {
    /// An automatic consolidation that writes.
    #[must_use]
    pub fn new(project: impl Into<PathBuf>) -> DreamJob {
        DreamJob {
            project: project.into(),
            kind: DreamKind::default(),
            mode: DreamMode::default(),
            stage: StageOptions::default(),
            caps: Caps::default(),
            today: None,
        }
    }

    /// Sets what it is for.
    #[must_use]
    pub fn kind(mut self, kind: DreamKind) -> DreamJob {
        self.kind = kind;
        self
    }

    /// Sets whether it writes.
    #[must_use]
    pub fn mode(mut self, mode: DreamMode) -> DreamJob {
        self.mode = mode;
        self
    }

    /// Sets how the result is looked at and written.
    #[must_use]
    pub fn stage(mut self, options: StageOptions) -> DreamJob {
        self.stage = options;
        self
    }

    /// Sets when the agent is stopped.
    #[must_use]
    pub fn caps(mut self, caps: Caps) -> DreamJob {
        self.caps = caps;
        self
    }

    /// Sets the date.
    #[must_use]
    pub fn today(mut self, today: impl Into<Option<Date>>) -> DreamJob {
        self.today = today.into();
        self
    }
}
