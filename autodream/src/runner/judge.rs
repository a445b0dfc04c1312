//! Who says what a run may do.

use std::path::{Path, PathBuf};

use crate::{Refusal, ToolPolicy, ToolUse, Verdict};

/// What judges each use of a tool: [`ToolPolicy`], or a host's own, for an agent that does
/// something else than consolidating.
pub trait Judge: Send + Sync {
    /// Allows or refuses a use.
    fn judge(&self, tool: &ToolUse) -> Verdict;

    /// Whether a file that a search comes across may be read; its real place.
    ///
    /// # Errors
    ///
    /// Why it may not.
    fn may_read(&self, path: &Path) -> Result<PathBuf, Refusal>;

    /// Whether a file may become this. Asked last, when the new text is known.
    ///
    /// # Errors
    ///
    /// Why it may not, for the model.
    fn may_write(&self, write: &PlannedWrite<'_>) -> Result<(), String> {
        let _ = write;
        Ok(())
    }
}

/// A file that is about to be written.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PlannedWrite<'a> {
    /// Its real place.
    pub path: &'a Path,
    /// What stands there; `None` if there is no file, or one that is no text.
    pub before: Option<&'a str>,
    /// What will stand there.
    pub after: &'a str,
    /// The name of the tool.
    pub tool: &'a str,
    /// The input of the tool, as JSON text.
    pub input: &'a str,
}

impl Judge for ToolPolicy {
    fn judge(&self, tool: &ToolUse) -> Verdict {
        ToolPolicy::judge(self, tool)
    }

    fn may_read(&self, path: &Path) -> Result<PathBuf, Refusal> {
        self.roots().may_read(path)
    }
}
