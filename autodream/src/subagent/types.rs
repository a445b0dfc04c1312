//! What a subagent is given, what it reports, and how it ends.

use std::fmt;
use std::path::Path;

use serde_json::Value;

use super::LABEL;
use crate::ToolPolicy;

/// The most turns of a run, in rounds of request and answer. Our own choice: a consolidation
/// takes 10 to 30.
pub const MAX_TURNS: usize = 60;

/// The most tokens of a run, everything counted that [`Usage`] holds. Our own choice: as many as
/// [`MAX_TURNS`] requests of 50,000 tokens.
pub const MAX_TOKENS: u64 = 3_000_000;

/// What a subagent is to do, and within which bounds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SubagentTask {
    /// The one message that it starts with.
    pub prompt: String,
    /// What judges each use of a tool.
    pub policy: ToolPolicy,
    /// What the run is called, [`LABEL`].
    pub label: String,
    /// When it is stopped.
    pub caps: Caps,
}

impl SubagentTask {
    /// A task with the caps and the label of this crate.
    #[must_use]
    pub fn new(prompt: impl Into<String>, policy: ToolPolicy) -> SubagentTask {
        SubagentTask {
            prompt: prompt.into(),
            policy,
            label: LABEL.to_owned(),
            caps: Caps::default(),
        }
    }

    /// The directory that it works in: the only one in which its policy lets it write. In a dream
    /// the copy of the memories.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.policy.roots().memory_dir()
    }

    /// Sets what the run is called.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> SubagentTask {
        self.label = label.into();
        self
    }

    /// Sets when it is stopped.
    #[must_use]
    pub fn caps(mut self, caps: Caps) -> SubagentTask {
        self.caps = caps;
        self
    }
}

/// When a run is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Caps {
    /// The most turns.
    pub turns: usize,
    /// The most tokens, all that [`Usage::total`] counts.
    pub tokens: u64,
}

impl Default for Caps {
    /// [`MAX_TURNS`] and [`MAX_TOKENS`].
    fn default() -> Caps {
        Caps {
            turns: MAX_TURNS,
            tokens: MAX_TOKENS,
        }
    }
}

impl Caps {
    /// Sets the most turns.
    #[must_use]
    pub fn turns(mut self, turns: usize) -> Caps {
        self.turns = turns;
        self
    }

    /// Sets the most tokens.
    #[must_use]
    pub fn tokens(mut self, tokens: u64) -> Caps {
        self.tokens = tokens;
        self
    }
}

/// Tokens, as a service counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Usage {
    /// Sent, not from a cache.
    pub input: u64,
    /// Answered.
    pub output: u64,
    /// Read from a cache.
    pub cache_read: u64,
    /// Written to a cache.
    pub cache_write: u64,
}

impl Usage {
    /// Sent and answered tokens.
    #[must_use]
    pub fn new(input: u64, output: u64) -> Usage {
        Usage {
            input,
            output,
            ..Usage::default()
        }
    }

    /// Sets what was read from a cache and written to one.
    #[must_use]
    pub fn cache(mut self, read: u64, write: u64) -> Usage {
        self.cache_read = read;
        self.cache_write = write;
        self
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        [self.output, self.cache_read, self.cache_write]
            .into_iter()
            .fold(self.input, u64::saturating_add)
    }

    pub(crate) fn add(&mut self, other: &Usage) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
    }
}

/// One turn of a subagent: what it said and which tools it used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Turn {
    /// What it said.
    pub text: String,
    /// What it used, in order.
    pub tools: Vec<TurnTool>,
    /// What the turn cost.
    pub usage: Usage,
}

impl Turn {
    /// A turn in which this was said.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Turn {
        Turn {
            text: text.into(),
            ..Turn::default()
        }
    }

    /// Adds the use of a tool.
    #[must_use]
    pub fn tool(mut self, tool: TurnTool) -> Turn {
        self.tools.push(tool);
        self
    }

    /// Sets what it cost.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Turn {
        self.usage = usage;
        self
    }
}

/// One use of a tool, as far as a person wants to know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TurnTool {
    /// Its name.
    pub name: String,
    /// The file or folder that it names.
    pub path: Option<String>,
    /// Whether it did what it was asked to: `false` if it was refused, or failed.
    pub succeeded: bool,
}

impl TurnTool {
    /// A use that succeeded, of a file or of none.
    #[must_use]
    pub fn new(name: impl Into<String>, path: Option<String>) -> TurnTool {
        TurnTool {
            name: name.into(),
            path,
            succeeded: true,
        }
    }

    /// A use that succeeded, with the path that its input names. The input is JSON text.
    #[must_use]
    pub fn from_json(name: impl Into<String>, input: &str) -> TurnTool {
        let path = match serde_json::from_str(input) {
            Ok(Value::Object(input)) => ["file_path", "path"]
                .iter()
                .find_map(|key| input.get(*key))
                .and_then(Value::as_str)
                .map(str::to_owned),
            _ => None,
        };
        TurnTool::new(name, path)
    }

    /// Sets that it was refused or failed.
    #[must_use]
    pub fn failed(mut self) -> TurnTool {
        self.succeeded = false;
        self
    }

    /// Whether a tool of this name changes a file.
    pub(crate) fn writes(&self) -> bool {
        matches!(self.name.as_str(), "Edit" | "MultiEdit" | "Write")
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SubagentEnd {
    /// Why.
    pub reason: EndReason,
    /// What it said last.
    pub text: String,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum EndReason {
    /// It was done. That it changed nothing is a good end too.
    Finished,
    /// It would not do it, or its answer is marked as an error: what it left behind counts for
    /// nothing.
    Declined,
    /// It reached a cap before it was done.
    CapReached(Cap),
}

/// Which cap was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Cap {
    /// The turns of the run.
    Turns,
    /// The tokens of the run.
    Tokens,
    /// The length of one answer, several times in a row.
    Answer,
}

impl fmt::Display for Cap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cap::Turns => "it took as many turns as it may",
            Cap::Tokens => "it took as many tokens as it may",
            Cap::Answer => "its answers were cut off",
        })
    }
}

impl SubagentEnd {
    /// It was done, and said this.
    #[must_use]
    pub fn finished(text: impl Into<String>) -> SubagentEnd {
        SubagentEnd::new(EndReason::Finished, text)
    }

    /// It would not do it, or its answer is marked as an error.
    #[must_use]
    pub fn declined(text: impl Into<String>) -> SubagentEnd {
        SubagentEnd::new(EndReason::Declined, text)
    }

    /// It reached a cap.
    #[must_use]
    pub fn cap_reached(cap: Cap, text: impl Into<String>) -> SubagentEnd {
        SubagentEnd::new(EndReason::CapReached(cap), text)
    }

    fn new(reason: EndReason, text: impl Into<String>) -> SubagentEnd {
        SubagentEnd {
            reason,
            text: text.into(),
        }
    }
}
