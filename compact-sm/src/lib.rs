#![doc = include_str!("../README.md")]

// In reading order: what a conversation is, and which ones are valid, …
mod message;
mod transcript;

// … how it is stored, …
mod boundary;
mod jsonl;

// … and how much it is.
mod tokens;

// When something has to be done, …
mod breaker;
mod config;
mod keep;
mod refused;
mod window;

// … and what is done, without a model.
mod from_notes;
mod micro;
mod notes;

// … and with one; what comes back afterwards.
mod compact;
mod hooks;
mod reinject;
mod restore;
mod summarizer;
mod summary;

mod error;

pub use boundary::{BOUNDARY_MARK, Boundary, By, Segment, boundary_text, read_boundary_text};
pub use breaker::{
    Attempt, Breaker, BreakerState, MAX_FAILURES, MAX_RAPID_REFILLS, Outcome,
    RAPID_REFILL_MESSAGES, Refusal,
};
pub use compact::{
    Cause, Compact, Compaction, NotCompacted, PassedOver, Tried, Way, WhyNot, compact,
    compact_within,
};
pub use config::{
    Ignored, IgnoredReason, KEEP_MAX_TOKENS, KEEP_MIN_TEXT_MESSAGES, KEEP_MIN_TOKENS, KeepConfig,
    LastTurn, NOTES_GROWTH_TOKENS, NOTES_START_TOKENS, NOTES_TOOL_CALLS, NotesConfig,
};
pub use error::{Error, ErrorKind};
pub use from_notes::{Applied, Fallback, Form, FromNotes, NotCovered, Plan, Unapplied, from_notes};
pub use hooks::{AfterCompaction, Before, BeforeCompaction, HookResult, Hooks, IfBlocked, NoHooks};
pub use jsonl::{
    Chain, Line, LineKind, MAX_LINE_BYTES, MAX_SKIPPED, Parent, Reader, SkipReason, Skipped,
    Transcript,
};
pub use keep::{Kept, Stop, Summarized, keep_window};
pub use message::{Block, Content, Extra, Message, Origin, Role, Usage};
pub use micro::{
    CLEARED_MARK, COMPACTABLE_TOOLS, Clearing, LastReads, MICRO_IDLE_MINUTES, MICRO_KEEP,
    MICRO_PROTECT_TOKENS, MicroDone, MicroOptions, MicroPlan, NotCleared, NotSaved, Tools, When,
    micro,
};
pub use notes::{
    EditGuard, EditRefused, Gated, MAX_NOTES_BYTES, NOTES_STALE_SECONDS, NOTES_WAIT_SECONDS,
    NotDue, NoteTaking, Notes, NotesError, NotesJob, NotesTask, NotesWait, SECTION_TOKENS,
    SectionCut, SectionSize, TOTAL_NOTES_TOKENS, Taking, notes_task, notes_template,
};
pub use refused::{Recovery, Refused, Resend};
pub use reinject::{Lack, Missing, Piece, Sent, SessionStart};
pub use restore::{
    Attachment, AttachmentKind, Elsewhere, FileText, Files, FilesFn, Named, NoFiles, NotRestored,
    Oversize, RESTORE_FILE_TOKENS, RESTORE_FILES, RESTORE_TOTAL_TOKENS, Recency, RecentFile,
    Restore, Restored, SKILL_TOKENS, SKILLS_TOTAL_TOKENS, Touch, WhyNotRestored, files_fn,
    recent_reads, restore,
};
pub use summarizer::{BoxSummarizer, SummarizeError, Summarizer, SummarizerFn, summarizer_fn};
pub use summary::{
    BadSummary, Extent, FORM_SHARE, FORM_TOKENS, FREE_SHARE, FREE_TOKENS, Images,
    MAX_SUMMARY_BYTES, MAX_TRIMS, Returns, SHORTEST_OF_TOKENS, Scope, Summary, SummaryForm,
    SummaryOptions, SummaryReply, SummaryRequest, TAIL_FROM_TOKENS, TRUSTED_TOKENS, Trim,
    read_summary, summary_prompt, summary_request,
};
pub use tokens::{
    Correction, Counter, Estimate, Estimator, IMAGE_TOKENS, MESSAGE_TOKENS, Margin, PAGE_BYTES,
    PAGE_TOKENS, TOOL_BLOCK_TOKENS, TOOLS_TOKENS, Tokenizer, Used, estimate, used,
};
pub use transcript::{
    Ending, Kind, Limits, MAX_CACHE_MARKS, MAX_DOCUMENTS, MAX_IMAGES, Repair, RepairKind, Repaired,
    Rule, Violation, repair, validate, validate_with,
};
pub use window::{
    BLOCKING_TOKENS, BUFFER_TOKENS, Clamp, Decider, Decision, Flags, Level, MIN_CONFIGURED_WINDOW,
    Overrides, Policy, RESERVE_TOKENS, Settings, Source, Switch, Thresholds, Trigger, Verdict,
    WARNING_TOKENS, Wait, Window,
};
