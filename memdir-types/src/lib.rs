#![doc = include_str!("../README.md")]

// In reading order: what a memory is, …
mod document;
mod header;
mod kind;

// … how a text becomes one, first strictly, then line by line, …
mod fence;
mod read;
mod scan;

mod fast;
mod recover;
mod yaml;

mod warning;

// … how it is changed and written, …
mod edit;
mod repair;

mod quote;

mod error;
mod file_name;

// … and what is said and checked about it.
pub mod guidance;

mod lint;

mod date;

mod gate;

pub use date::Date;
pub use document::{MAX_FRONTMATTER_BYTES, Memory, TypePlace};
pub use error::{Error, ErrorKind};
pub use file_name::{MAX_TOPIC_BYTES, file_name};
pub use gate::{
    Audience, Cleared, GateAction, GateFinding, GateRule, Redacted, Refusal, SecretKind, Severity,
    gate, gate_text, redact,
};
pub use header::{HEADER_LINES, Header, parse_header};
pub use kind::{MemoryType, Scope};
pub use lint::{Lint, LintRule, MAX_DESCRIPTION_CHARS, MAX_INDEX_ENTRY_CHARS, lint};
pub use warning::{Warning, WarningKind};
