#![doc = include_str!("../README.md")]

// What a host decides, …
mod config;

// … the gates and what they look at, …
mod gate;
mod lock;
mod process;
mod sessions;

// … what its agent may do, …
mod policy;
mod shell;

// … what it does: its task, who works on it, what a UI sees, …
mod prompt;
mod subagent;
mod task;

// … who does it for a host without agents, …
#[cfg(feature = "runner")]
mod runner;

// … what becomes of what it made, and all of it together.
mod dream;
mod transaction;

mod error;

pub use {memdir_index, memdir_paths, memdir_types};

pub use config::{
    Config, Consolidation, DEFAULT_MIN_HOURS, DEFAULT_MIN_SESSIONS, DecidedBy, Enabled, Flags,
    Host, Ignored, SCAN_INTERVAL_MINUTES, Settings, enabled,
};
pub use dream::{Begun, Dream, DreamEnd, DreamJob, DreamMode, DreamOutcome, dream};
pub use error::{Error, ErrorKind};
pub use gate::{Closed, ClosedReason, Gate, Opening, Outlook, Ticket};
pub use lock::{Acquired, Busy, BusyReason, Lock, Recovered, STALE_AFTER_MINUTES, recover};
pub use policy::{Allowed, Refusal, RefusalKind, Roots, ToolPolicy, ToolUse, Verdict};
pub use process::{Process, is_alive};
pub use prompt::{DreamKind, DreamPrompt, MAX_LISTED_SESSIONS};
#[cfg(all(feature = "runner", unix))]
pub use runner::ProcessExecutor;
#[cfg(feature = "runner")]
pub use runner::{
    Chat, ChatBlock, ChatFn, ChatMessage, ChatReply, ChatRequest, ChatRole, Execute, ExecuteEnd,
    ExecuteLimits, ExecuteOutput, Judge, MAX_ANSWER_TOKENS, MAX_MEMORY_BYTES, MAX_OUTPUT_BYTES,
    MAX_RESULT_BYTES, MAX_RUN_SECONDS, NoShell, PlannedWrite, RunTask, Runner, StopReason,
    ToolDefinition, chat_fn, tools,
};
pub use sessions::{Session, SkippedTranscript, Touched, Transcripts, touched_since};
pub use shell::{
    Command, Join, MAX_COMMAND_BYTES, Redirection, SEARCH_PATH, Script, Step, judge_shell,
    parse_shell,
};
pub use subagent::{
    BoxSubagent, Cap, Caps, EndReason, LABEL, MAX_TOKENS, MAX_TURNS, OnTurn, Subagent, SubagentEnd,
    SubagentError, SubagentFn, SubagentFuture, SubagentTask, Turn, TurnTool, Usage, subagent_fn,
};
pub use task::{
    DreamTask, KEPT_FILES, KEPT_TURNS, Phase, SHOWN_TURNS, TaskEnd, TaskHandle, TaskState, TaskTurn,
};
pub use transaction::{
    Committed, DEFAULT_KEEP_RUNS, DEFAULT_LOSS_PERCENT, Fault, FaultReason, FileChange, KeptBack,
    KeptReason, LeftOut, Loss, LossLimits, RecognizedBy, Repair, Report, Review, Run, RunId, Share,
    Stage, StageOptions, Undone, What, runs, undo,
};
