//! What the host runs around a compaction.

use std::future::{Future, ready};

use crate::boundary::By;
use crate::{Message, Origin};

/// Why a compaction is about to run, for a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct BeforeCompaction {
    /// Who asked for it.
    pub trigger: By,
    /// The person's instructions.
    pub instructions: Option<String>,
    /// What a block leads to.
    pub if_blocked: IfBlocked,
}

/// What becomes of a compaction that a hook blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum IfBlocked {
    /// It does not take place, and the conversation goes on.
    Skipped,
    /// A request was refused as too long, and nothing but a compaction would help: that error is
    /// what the person has to see.
    ErrorSurfaces,
}

/// What a hook says before a compaction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Before {
    /// Nothing against it.
    #[default]
    Go,
    /// Nothing against it, and this is to be kept in mind by the summary.
    GoWith {
        /// Instructions, which follow the person's own.
        instructions: String,
    },
    /// It must not take place.
    Block {
        /// Why, for the person.
        reason: String,
    },
}

/// What a compaction did, for a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AfterCompaction {
    /// Who asked for it.
    pub trigger: By,
    /// The text that stands for what was left out.
    pub summary: String,
}

/// What a hook of the session's start had to say.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct HookResult {
    /// The hook.
    pub name: String,
    /// Its output, for the model.
    pub text: String,
}

impl HookResult {
    /// The output of a hook.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> HookResult {
        HookResult {
            name: name.into(),
            text: text.into(),
        }
    }

    /// The message that tells the model; none if there is nothing to tell.
    #[must_use]
    pub fn to_message(&self) -> Option<Message> {
        let says = !self.text.trim().is_empty();
        says.then(|| Message::user(self.text.as_str()).origin(Origin::Meta))
    }
}

/// The hooks of a host, as the client calls them `PreCompact`, `PostCompact` and `SessionStart`
/// with the source `compact`. Each does nothing unless it is written.
///
/// Neither micro-compaction nor an attempt that fails runs the last two.
pub trait Hooks {
    /// Before notes or a summary are tried.
    fn before(&self, event: &BeforeCompaction) -> impl Future<Output = Before> + Send {
        let _ = event;
        ready(Before::Go)
    }

    /// After one of them succeeded.
    fn after(&self, event: &AfterCompaction) -> impl Future<Output = ()> + Send {
        let _ = event;
        ready(())
    }

    /// What the hooks of a session's start say, now that it starts again.
    fn session_start(&self) -> impl Future<Output = Vec<HookResult>> + Send {
        ready(Vec::new())
    }
}

/// No hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoHooks;

impl Hooks for NoHooks {}

impl<H: Hooks + Sync + ?Sized> Hooks for &H {
    fn before(&self, event: &BeforeCompaction) -> impl Future<Output = Before> + Send {
        (**self).before(event)
    }

    fn after(&self, event: &AfterCompaction) -> impl Future<Output = ()> + Send {
        (**self).after(event)
    }

    fn session_start(&self) -> impl Future<Output = Vec<HookResult>> + Send {
        (**self).session_start()
    }
}
