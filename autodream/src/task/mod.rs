//! A consolidation as a UI sees it: plain data that turns update, and a handle to share it.

mod handle;
mod words;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use memdir_index::ENTRYPOINT;

use crate::{Cap, DreamKind, Turn, TurnTool, Usage};

pub use handle::TaskHandle;

/// The most turns that a task keeps, the latest. In items; the format's.
pub const KEPT_TURNS: usize = 30;
/// The turns that [`DreamTask::details`] shows, the latest. In items; the format's.
pub const SHOWN_TURNS: usize = 6;
/// 500 files: more names are counted, not kept. Our own choice, more than a run touches.
pub const KEPT_FILES: usize = 500;
/// 1,000 characters: more of what was said in a turn is not kept.
const KEPT_CHARS: usize = 1_000;

/// A consolidation: how far it is, what it looked at and changed, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct DreamTask {
    /// What it is for.
    pub kind: DreamKind,
    /// Whether it runs, and how it ended.
    pub state: TaskState,
    /// What the agent seems to be at; where it was when it ended.
    pub phase: Phase,
    /// How many sessions there were since the last consolidation.
    pub sessions: usize,
    /// The files that were written, by their names below the memory directory, in order.
    pub files: Vec<String>,
    /// The latest turns, at most [`KEPT_TURNS`].
    pub turns: Vec<TaskTurn>,
    /// How many turns there were in all.
    pub turn_count: usize,
    /// What it cost up to now.
    pub usage: Usage,
    /// When it began.
    pub started: Option<SystemTime>,
    /// When it ended.
    pub ended: Option<SystemTime>,
    /// Where the agent works; left out of what is stored.
    #[cfg_attr(feature = "serde", serde(skip))]
    directory: PathBuf,
}

/// Whether a consolidation runs. It goes from the first to the last, never back, and every way
/// leads to an end: dropping the future is [`TaskEnd::Aborted`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TaskState {
    /// It has not said anything yet.
    #[default]
    Starting,
    /// The agent works.
    Running,
    /// The agent is done; its result is checked and taken over. Too late to stop it.
    Finishing,
    /// It is over.
    Ended(TaskEnd),
}

/// How a consolidation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TaskEnd {
    /// Changes were taken over.
    Improved {
        /// How many files were created, changed, moved or deleted.
        files: usize,
    },
    /// The agent found nothing to change.
    NothingToDo,
    /// Nothing had changed since the last one, so no model was asked.
    Idle,
    /// Only a look: nothing was written.
    DryRun {
        /// How many files would have been created, changed, moved or deleted.
        files: usize,
    },
    /// The result was not good enough to be taken over.
    Refused {
        /// What is wrong with it.
        why: String,
    },
    /// The agent would not do it, or answered with an error.
    Declined {
        /// What it said.
        why: String,
    },
    /// It took more than it may.
    CapReached(Cap),
    /// Something went wrong.
    Failed {
        /// What.
        why: String,
    },
    /// The person stopped it, or the host dropped it.
    Aborted,
}

impl TaskEnd {
    /// Whether this counts as a consolidation: its time is kept, and the next one is due as if
    /// it had been one. Everything else leaves time and memories as they were.
    #[must_use]
    pub fn counts(&self) -> bool {
        matches!(
            self,
            TaskEnd::Improved { .. } | TaskEnd::NothingToDo | TaskEnd::Idle
        )
    }
}

/// What the agent seems to be at, told from the tools that it uses. Never goes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Phase {
    /// Before the first turn.
    #[default]
    Starting,
    /// It looks at the memories.
    Orienting,
    /// It has looked at logs, at transcripts, at the code, or searched for something.
    Gathering,
    /// It has written a memory.
    Consolidating,
    /// It has written the index.
    Pruning,
}

/// One turn, as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct TaskTurn {
    /// What was said, at most 1,000 characters, without control characters but line breaks.
    pub text: String,
    /// How many tools were used.
    pub tools: usize,
}

impl DreamTask {
    /// A task that starts: its kind, the number of sessions, and when.
    #[must_use]
    pub fn new(kind: DreamKind, sessions: usize, started: SystemTime) -> DreamTask {
        DreamTask {
            kind,
            sessions,
            started: Some(started),
            ..DreamTask::default()
        }
    }

    /// Sets where the agent works, so that files go by their names below it.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> DreamTask {
        self.directory = directory.into();
        self
    }

    /// Takes in a turn.
    pub fn turn(&mut self, turn: &Turn) {
        if !matches!(self.state, TaskState::Starting | TaskState::Running) {
            return;
        }
        self.state = TaskState::Running;
        self.phase = self.phase.max(Phase::Orienting);
        for tool in &turn.tools {
            self.see(tool);
        }
        if self.turns.len() >= KEPT_TURNS {
            self.turns.drain(..=self.turns.len() - KEPT_TURNS);
        }
        self.turns.push(TaskTurn {
            text: words::cleaned(&turn.text, KEPT_CHARS),
            tools: turn.tools.len(),
        });
        self.turn_count = self.turn_count.saturating_add(1);
        self.usage.add(&turn.usage);
    }

    fn see(&mut self, tool: &TurnTool) {
        let below = tool.path.as_deref().map(|path| self.below(path));
        if tool.writes() {
            // What was refused changed nothing.
            let Some(Some(name)) = below.filter(|_| tool.succeeded) else {
                return;
            };
            self.phase = self.phase.max(if name == ENTRYPOINT {
                Phase::Pruning
            } else {
                Phase::Consolidating
            });
            if !self.files.contains(&name) && self.files.len() < KEPT_FILES {
                self.files.push(name);
            }
            return;
        }
        let gathers = match below {
            Some(Some(name)) => tool.name == "Grep" || name.starts_with("logs/"),
            Some(None) => true,
            // A command line may look at anything.
            None => tool.name == "Grep",
        };
        if gathers {
            self.phase = self.phase.max(Phase::Gathering);
        }
    }

    /// The name of a path below the directory; `None` if it lies elsewhere.
    fn below(&self, path: &str) -> Option<String> {
        let path = Path::new(path);
        if self.directory.as_os_str().is_empty() {
            return Some(path.to_string_lossy().into_owned());
        }
        let below = path.strip_prefix(&self.directory).ok()?;
        Some(below.to_string_lossy().replace('\\', "/"))
    }

    /// The agent is done; its result is looked at.
    pub fn finishing(&mut self) {
        if !self.is_over() {
            self.state = TaskState::Finishing;
        }
    }

    /// It is over. The first end is the one that holds; of a reason 1,000 characters are kept.
    pub fn end(&mut self, mut end: TaskEnd, now: SystemTime) {
        if self.is_over() {
            return;
        }
        if let TaskEnd::Refused { why } | TaskEnd::Declined { why } | TaskEnd::Failed { why } =
            &mut end
        {
            *why = words::cleaned(why, KEPT_CHARS);
        }
        self.state = TaskState::Ended(end);
        self.ended = Some(now);
    }

    /// How it ended, if it did.
    #[must_use]
    pub fn ended_as(&self) -> Option<&TaskEnd> {
        match &self.state {
            TaskState::Ended(end) => Some(end),
            _ => None,
        }
    }

    /// Whether it is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.ended_as().is_some()
    }

    /// Whether it can still be stopped.
    #[must_use]
    pub fn can_abort(&self) -> bool {
        matches!(self.state, TaskState::Starting | TaskState::Running)
    }
}
