#![doc = include_str!("../README.md")]

// In reading order: what a conversation is, and which ones are valid, …
mod message;
mod transcript;

// … how it is stored, …
mod boundary;
mod jsonl;

// … and how much it is.
mod tokens;

pub use boundary::{BOUNDARY_MARK, Boundary, By, Segment, boundary_text, read_boundary_text};
pub use jsonl::{
    Chain, Line, LineKind, MAX_LINE_BYTES, MAX_SKIPPED, Parent, Reader, SkipReason, Skipped,
    Transcript,
};
pub use message::{Block, Content, Extra, Message, Origin, Role, Usage};
pub use tokens::{
    Correction, Counter, Estimate, Estimator, IMAGE_TOKENS, MESSAGE_TOKENS, Margin, PAGE_BYTES,
    PAGE_TOKENS, TOOL_BLOCK_TOKENS, TOOLS_TOKENS, Tokenizer, Used, estimate, used,
};
pub use transcript::{
    Ending, Kind, Limits, MAX_CACHE_MARKS, MAX_DOCUMENTS, MAX_IMAGES, Repair, RepairKind, Repaired,
    Rule, Violation, repair, validate, validate_with,
};
