//! The port to whatever runs judged command lines.

use std::time::Duration;

use crate::Script;

/// The longest that a command line runs, in seconds. Our own choice: what the judge allows looks
/// and does not wait.
pub const MAX_RUN_SECONDS: u64 = 30;

/// The most output of a command line, in bytes. Our own choice, far more than a model is shown.
pub const MAX_OUTPUT_BYTES: usize = 1 << 20;

/// The most memory of one program, in bytes: 4 GiB. Our own choice; a `jq` program may grow what
/// it reads.
pub const MAX_MEMORY_BYTES: u64 = 4 << 30;

/// Runs command lines that were judged.
///
/// A [`Script`] is run as it stands there, without a shell, in its directory, with
/// [`Script::environment`] and nothing else. It may take as long as the limits allow: an
/// implementation that blocks keeps the thread that polls the run.
pub trait Execute: Send + Sync {
    /// Runs a script to its end, or to a limit.
    fn run(&self, script: &Script, limits: &ExecuteLimits) -> ExecuteOutput;

    /// Whether there is a shell at all. If not, the model is not offered one.
    fn is_available(&self) -> bool {
        true
    }
}

impl<E: Execute + ?Sized> Execute for &E {
    fn run(&self, script: &Script, limits: &ExecuteLimits) -> ExecuteOutput {
        (**self).run(script, limits)
    }

    fn is_available(&self) -> bool {
        (**self).is_available()
    }
}

impl<E: Execute + ?Sized> Execute for std::sync::Arc<E> {
    fn run(&self, script: &Script, limits: &ExecuteLimits) -> ExecuteOutput {
        (**self).run(script, limits)
    }

    fn is_available(&self) -> bool {
        (**self).is_available()
    }
}

/// When a command line is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ExecuteLimits {
    /// The longest that it runs, all of its steps together.
    pub time: Duration,
    /// The most bytes of output and errors together.
    pub output_bytes: usize,
    /// The most memory of one program in bytes, where the system can be told.
    pub memory_bytes: u64,
}

impl Default for ExecuteLimits {
    /// [`MAX_RUN_SECONDS`], [`MAX_OUTPUT_BYTES`], [`MAX_MEMORY_BYTES`].
    fn default() -> ExecuteLimits {
        ExecuteLimits {
            time: Duration::from_secs(MAX_RUN_SECONDS),
            output_bytes: MAX_OUTPUT_BYTES,
            memory_bytes: MAX_MEMORY_BYTES,
        }
    }
}

impl ExecuteLimits {
    /// Sets the longest that it runs.
    #[must_use]
    pub fn time(mut self, time: Duration) -> ExecuteLimits {
        self.time = time;
        self
    }

    /// Sets the most output.
    #[must_use]
    pub fn output_bytes(mut self, bytes: usize) -> ExecuteLimits {
        self.output_bytes = bytes;
        self
    }

    /// Sets the most memory.
    #[must_use]
    pub fn memory_bytes(mut self, bytes: u64) -> ExecuteLimits {
        self.memory_bytes = bytes;
        self
    }
}

/// What running a command line came to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ExecuteOutput {
    /// What it wrote, as far as the limit goes.
    pub stdout: Vec<u8>,
    /// What it wrote as errors, likewise.
    pub stderr: Vec<u8>,
    /// How it ended.
    pub end: ExecuteEnd,
}

/// How a command line ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ExecuteEnd {
    /// On its own.
    Exited {
        /// The status of the last program that ran; 128 and more for one that a signal ended,
        /// 127 for one that is not there.
        status: i32,
    },
    /// It took too long and was killed.
    TimedOut,
    /// It wrote too much and was killed.
    TooMuchOutput,
    /// It could not be run.
    NotRun {
        /// Why.
        why: String,
    },
}

impl ExecuteOutput {
    /// What came of a command line.
    #[must_use]
    pub fn new(
        stdout: impl Into<Vec<u8>>,
        stderr: impl Into<Vec<u8>>,
        end: ExecuteEnd,
    ) -> ExecuteOutput {
        ExecuteOutput {
            stdout: stdout.into(),
            stderr: stderr.into(),
            end,
        }
    }

    /// It could not be run.
    #[must_use]
    pub fn not_run(why: impl Into<String>) -> ExecuteOutput {
        ExecuteOutput::new([], [], ExecuteEnd::NotRun { why: why.into() })
    }
}

/// No shell: for hosts that have none, or that want none.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct NoShell;

impl NoShell {
    /// No shell.
    #[must_use]
    pub fn new() -> NoShell {
        NoShell
    }
}

impl Execute for NoShell {
    fn run(&self, _: &Script, _: &ExecuteLimits) -> ExecuteOutput {
        ExecuteOutput::not_run("there is no shell here")
    }

    fn is_available(&self) -> bool {
        false
    }
}
