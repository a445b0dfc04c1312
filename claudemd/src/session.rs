//! A session: loaded once, asked often, reset on purpose.

use std::path::{Path, PathBuf};

use crate::context::UserContext;
use crate::date::Date;
use crate::file::{Event, LoadReason, LoadedFile};
use crate::layer::Layer;
use crate::loader::Loader;
use crate::options::{Options, Trigger};
use crate::prompt;
use crate::read::Stamp;
use crate::report::Report;
use crate::roots::Roots;

/// What the agent does with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Operation {
    /// Reading a file, or mentioning it in a prompt.
    Read,
    /// Creating or changing a file; it need not exist yet.
    Write,
}

/// Why a session is loaded again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Reason {
    /// The conversation was cleared: a new start, with the events of a start.
    Clear,
    /// The conversation was compacted: everything may be delivered again, and events say so.
    Compact,
    /// Files changed, settings changed, the person edited instructions: silently, without events.
    Changed,
}

/// A rule that matches a path.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RuleMatch {
    /// The rule, as it is shown.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub path: PathBuf,
    /// Whose rule it is.
    pub layer: Layer,
    /// All its patterns.
    pub globs: Vec<String>,
    /// Whether the model has it.
    pub state: RuleState,
}

/// Whether the model has a rule.
///
/// Deliberately exhaustive: it has, or it has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RuleState {
    /// The next use of the path delivers it.
    Waiting,
    /// It was delivered already.
    Delivered,
}

/// The instruction files of one session.
///
/// Everything is read when the session is loaded and then stays as it is, whatever happens on
/// disk, so that the prompt keeps its bytes. Files are touched only in [`load`](Session::load),
/// [`for_path`](Session::for_path), [`invalidate`](Session::invalidate) and, by stat alone, in
/// [`is_stale`](Session::is_stale).
#[derive(Debug, Clone)]
pub struct Session {
    loader: Loader,
    files: Vec<LoadedFile>,
    claude_md: Option<String>,
}

impl Session {
    /// Loads what is in force from the start. Never fails: what could not be loaded is in the
    /// [`report`](Session::report).
    pub fn load(roots: &Roots, options: &Options) -> Session {
        let loader = Loader::new(roots.clone(), options.clone());
        Session::with(loader, LoadReason::SessionStart)
    }

    fn with(mut loader: Loader, reason: LoadReason) -> Session {
        let files = loader.start(reason);
        Session {
            loader,
            claude_md: prompt::claude_md(&files),
            files,
        }
    }

    /// The files that are in force from the start, in the order of the prompt. What
    /// [`for_path`](Session::for_path) delivers is not among them.
    pub fn files(&self) -> &[LoadedFile] {
        &self.files
    }

    /// What stands before the conversation: the instructions and the local date. Pass the date on
    /// which the session began as long as the prompt shall keep its bytes.
    pub fn user_context(&self, today: Date) -> UserContext {
        UserContext::new(self.claude_md.clone(), today)
    }

    /// Nested files and rules that become relevant by the use of a path, each once per session;
    /// imports of a rule come with it. The path may be relative to the working directory and need
    /// not exist. Nothing is delivered for paths outside the working directory, and an
    /// instruction file that is itself used is not delivered on top.
    pub fn for_path(&mut self, path: impl AsRef<Path>, operation: Operation) -> Vec<LoadedFile> {
        let off = self.loader.report.switched_off.is_some();
        let ignored =
            operation != Operation::Read && self.loader.options.trigger == Trigger::ReadOnly;
        if off || ignored {
            return Vec::new();
        }
        self.loader.deliver(path.as_ref())
    }

    /// What [`for_path`](Session::for_path) would deliver, without delivering it. Copies the
    /// session: meant for people who look, not for every file operation.
    pub fn preview(&self, path: impl AsRef<Path>, operation: Operation) -> Vec<LoadedFile> {
        self.clone().for_path(path, operation)
    }

    /// The rules that match a path, delivered or not, as far as they are known: rules of a nested
    /// directory are known once a file in it was used. Delivers nothing.
    pub fn rules_for(&self, path: impl AsRef<Path>) -> Vec<RuleMatch> {
        self.loader.rules_for(path.as_ref())
    }

    /// Forgets what was loaded and delivered, and loads again from disk.
    pub fn invalidate(&mut self, reason: Reason) {
        let mut loader = Loader::new(self.loader.roots.clone(), self.loader.options.clone());
        // Events that the host did not take yet stay for it.
        loader.events = std::mem::take(&mut self.loader.events);
        loader.silent = reason == Reason::Changed;
        let reason = match reason {
            Reason::Compact => LoadReason::Compact,
            Reason::Clear | Reason::Changed => LoadReason::SessionStart,
        };
        *self = Session::with(loader, reason);
        self.loader.silent = false;
    }

    /// Whether anything that was looked at has changed since: a file's size, time or identity, a
    /// folder's list of rules, a file that was missing. Costs one stat per path, reads nothing.
    pub fn is_stale(&self) -> bool {
        self.changes().next().is_some()
    }

    /// The paths that changed since they were looked at, sorted. Costs as much as
    /// [`is_stale`](Session::is_stale).
    pub fn changed(&self) -> Vec<PathBuf> {
        let mut changed: Vec<PathBuf> = self.changes().map(Path::to_path_buf).collect();
        changed.sort();
        changed.dedup();
        changed
    }

    fn changes(&self) -> impl Iterator<Item = &Path> {
        let stamps = self.loader.stamps.iter();
        stamps
            .filter(|(path, stamp)| Stamp::at(path) != *stamp)
            .map(|(path, _)| path.as_path())
    }

    /// What was loaded, what waits, what was left out and why.
    pub fn report(&self) -> &Report {
        &self.loader.report
    }

    /// The events of loading since the session began or the last
    /// [`take_events`](Session::take_events).
    pub fn events(&self) -> &[Event] {
        &self.loader.events
    }

    /// Takes the events, so that each is handled once.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.loader.events)
    }
}
