//! What may be cleared, and when.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// What stands in the place of a cleared result. Part of the format.
pub const CLEARED_MARK: &str = "[Old tool result content cleared]";

/// How every mark begins, also that of a result that was saved.
pub(super) const MARK: &str = "[Old tool result content cleared";

/// Tools whose results are cleared: what they said can be had again, or is on disk.
pub const COMPACTABLE_TOOLS: [&str; 9] = [
    "Read",
    "Bash",
    "PowerShell",
    "Grep",
    "Glob",
    "WebSearch",
    "WebFetch",
    "Edit",
    "Write",
];

/// How long the model has to have been silent, so that the cache has expired. In minutes. Origin:
/// several analyses.
pub const MICRO_IDLE_MINUTES: u64 = 60;

/// How many of the newest results stay, in items. Origin: several analyses.
pub const MICRO_KEEP: usize = 5;

/// How much of the newest results stays when clearing by budget. In tokens; our own choice.
pub const MICRO_PROTECT_TOKENS: u64 = 40_000;

/// Which tools' results may be cleared.
#[derive(Clone)]
pub struct Tools(Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl Default for Tools {
    /// [`COMPACTABLE_TOOLS`]; never a tool that nobody named.
    fn default() -> Tools {
        Tools::matching(|name| COMPACTABLE_TOOLS.contains(&name))
    }
}

impl Tools {
    /// These tools alone.
    pub fn named<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Tools {
        let names: HashSet<String> = names.into_iter().map(Into::into).collect();
        Tools::matching(move |name| names.contains(name))
    }

    /// The tools that a closure says yes to.
    pub fn matching(test: impl Fn(&str) -> bool + Send + Sync + 'static) -> Tools {
        Tools(Arc::new(test))
    }

    /// May the results of this tool be cleared?
    #[must_use]
    pub fn allow(&self, name: &str) -> bool {
        (self.0)(name)
    }
}

impl fmt::Debug for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tools(..)")
    }
}

/// What happens to the newest read of each file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum LastReads {
    /// It is a result like any other.
    #[default]
    Clear,
    /// It stays, so that the model does not read the file again and again.
    Protect,
}

/// What is cleared.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MicroOptions {
    /// How many of the newest results stay; at least one does. In items.
    pub keep: usize,
    /// How long the model has to have been silent, for [`When::Idle`](crate::When::Idle).
    pub idle: Duration,
    /// How much of the newest results stays, for [`When::Budget`](crate::When::Budget). In tokens.
    pub protect_tokens: u64,
    /// What happens to the newest read of each file.
    pub last_reads: LastReads,
    /// Which tools' results may be cleared.
    pub tools: Tools,
}

impl Default for MicroOptions {
    fn default() -> MicroOptions {
        MicroOptions {
            keep: MICRO_KEEP,
            idle: Duration::from_secs(60 * MICRO_IDLE_MINUTES),
            protect_tokens: MICRO_PROTECT_TOKENS,
            last_reads: LastReads::Clear,
            tools: Tools::default(),
        }
    }
}

impl MicroOptions {
    /// Sets how many of the newest results stay. In items.
    #[must_use]
    pub fn keep(mut self, keep: usize) -> MicroOptions {
        self.keep = keep;
        self
    }

    /// Sets how long the model has to have been silent.
    #[must_use]
    pub fn idle(mut self, idle: Duration) -> MicroOptions {
        self.idle = idle;
        self
    }

    /// Sets how much of the newest results stays. In tokens.
    #[must_use]
    pub fn protect_tokens(mut self, tokens: u64) -> MicroOptions {
        self.protect_tokens = tokens;
        self
    }

    /// Sets what happens to the newest read of each file.
    #[must_use]
    pub fn last_reads(mut self, last_reads: LastReads) -> MicroOptions {
        self.last_reads = last_reads;
        self
    }

    /// Sets which tools' results may be cleared.
    #[must_use]
    pub fn tools(mut self, tools: Tools) -> MicroOptions {
        self.tools = tools;
        self
    }
}
