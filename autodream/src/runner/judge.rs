//! Who says what a run may do.

use std::path::{Path, PathBuf};

use memdir_index::ENTRYPOINT;
use memdir_types::{Audience, Memory, gate_text};

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

    /// What a commit would refuse or keep back anyway, said while the model can still do better.
    fn may_write(&self, write: &PlannedWrite<'_>) -> Result<(), String> {
        let below = self.roots().memory().below(write.path);
        if below.is_some_and(|below| below.starts_with(LOGS)) {
            return Err("Daily logs are only read.".to_owned());
        }
        // That is how a memory is removed.
        if write.after.trim().is_empty() {
            return Ok(());
        }
        let is_index = below == Some(Path::new(ENTRYPOINT));
        let is_memory = |text: &str| is_index || Memory::parse(text).has_frontmatter();
        if !is_memory(write.after) && write.before.is_none_or(is_memory) {
            return Err(
                "A memory begins with its frontmatter, between two lines of `---`.".to_owned(),
            );
        }
        let refused = |text: &str| gate_text(text, Audience::PrivateStrict).err();
        match refused(write.after) {
            // What stood there before is nobody's fault here.
            Some(why) if write.before.and_then(refused).is_none() => {
                Err(format!("Not written: {why}. Leave that out."))
            }
            _ => Ok(()),
        }
    }
}

/// The folder of the daily logs.
const LOGS: &str = "logs";
