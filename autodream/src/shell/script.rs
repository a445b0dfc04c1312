//! What a judged command line is: argument lists, ready to run without a shell.

use std::path::{Path, PathBuf};

/// A command line that was understood. What stands here is what runs: no shell reads it again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Script {
    /// The pipelines, in order; at least one.
    pub steps: Vec<Step>,
    /// The directory that it was judged for, and must run in.
    pub cwd: PathBuf,
    /// What `git` must be told in its environment; empty unless it is called.
    pub(crate) repository: Vec<(&'static str, String)>,
}

/// One pipeline and when it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Step {
    /// How it hangs on the status of what ran before.
    pub join: Join,
    /// The commands, each reading what the one before it writes; at least one. The first reads
    /// nothing, unless it has an input of its own.
    pub pipeline: Vec<Command>,
}

/// When a pipeline runs. Deliberately exhaustive: these are all that a shell has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Join {
    /// Always: it is the first, or follows `;` or a line break.
    Always,
    /// If the last pipeline that ran succeeded: `&&`.
    IfSucceeded,
    /// If the last pipeline that ran failed: `||`.
    IfFailed,
}

/// One program call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Command {
    /// The bare name of the program, to be looked up in [`SEARCH_PATH`], and its arguments: globs
    /// replaced by names, and with what makes the call safe.
    pub argv: Vec<String>,
    /// In the order in which they take effect.
    pub redirections: Vec<Redirection>,
}

/// A redirection. Deliberately exhaustive: an executor has to know all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Redirection {
    /// `< FILE`: a file that was judged, or `/dev/null`.
    Input(String),
    /// `> /dev/null`
    OutputDropped,
    /// `2> /dev/null`
    ErrorsDropped,
    /// `2>&1`: errors go where the output goes at this point.
    ErrorsToOutput,
    /// `>&2`: the output goes where errors go at this point.
    OutputToErrors,
}

/// The folders in which a program is looked up, the system's own first.
pub const SEARCH_PATH: &str = "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin";

/// The whole environment of every program: no variable of the host may be added.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("PATH", SEARCH_PATH),
    ("LC_ALL", "C.UTF-8"),
    // Programs read files of theirs from home, and run some of them.
    ("HOME", "/nonexistent"),
    ("PAGER", "cat"),
];

/// What else `git` needs.
pub(crate) const GIT_ENVIRONMENT: &[(&str, &str)] = &[
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    // No protocol may be used, so that nothing is fetched for a partial clone.
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

impl Script {
    pub(crate) fn new(cwd: &Path) -> Script {
        Script {
            steps: Vec::new(),
            cwd: cwd.to_path_buf(),
            repository: Vec::new(),
        }
    }

    /// The environment of every command, complete: an executor clears its own first.
    #[must_use]
    pub fn environment(&self) -> Vec<(&str, &str)> {
        let mut all = ENVIRONMENT.to_vec();
        if !self.repository.is_empty() {
            all.extend(GIT_ENVIRONMENT);
            all.extend(
                self.repository
                    .iter()
                    .map(|(name, value)| (*name, value.as_str())),
            );
        }
        all
    }
}
