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

// … and what becomes of what it made.
mod transaction;

mod error;

pub use {memdir_index, memdir_paths, memdir_types};

pub use config::{
    Config, Consolidation, DEFAULT_MIN_HOURS, DEFAULT_MIN_SESSIONS, DecidedBy, Enabled, Flags,
    Host, Ignored, SCAN_INTERVAL_MINUTES, Settings, enabled,
};
pub use error::{Error, ErrorKind};
pub use gate::{Closed, ClosedReason, Gate, Opening, Outlook, Ticket};
pub use lock::{Acquired, Busy, BusyReason, Lock, Recovered, STALE_AFTER_MINUTES, recover};
pub use policy::{Allowed, Refusal, RefusalKind, Roots, ToolPolicy, ToolUse, Verdict};
pub use process::{Process, is_alive};
pub use sessions::{Session, SkippedTranscript, Touched, Transcripts, touched_since};
pub use shell::{
    Command, Join, MAX_COMMAND_BYTES, Redirection, SEARCH_PATH, Script, Step, judge_shell,
    parse_shell,
};
pub use transaction::{
    Committed, DEFAULT_KEEP_RUNS, DEFAULT_LOSS_PERCENT, Fault, FaultReason, FileChange, KeptBack,
    KeptReason, LeftOut, Loss, LossLimits, RecognizedBy, Repair, Report, Review, Run, RunId, Share,
    Stage, StageOptions, Undone, What, runs, undo,
};
