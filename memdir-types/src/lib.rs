#![doc = include_str!("../README.md")]

// In reading order: what a memory is …
mod kind;

mod document;

mod header;

// … how a text becomes one …
mod fence;

mod scan;

mod read;

mod yaml;

mod fast;

mod recover;

mod warning;

// … how it is changed and written …
mod edit;

mod repair;

mod quote;

mod file_name;

mod error;

// … and what is said and checked about it.
pub mod guidance;

mod lint;

mod gate;

mod date;

pub use date::Date;
pub use document::{MAX_FRONTMATTER_BYTES, Memory, TypePlace};
pub use error::{Error, ErrorKind};
pub use file_name::{MAX_TOPIC_BYTES, file_name};
pub use gate::{
    Audience, Cleared, GateAction, GateFinding, GateRule, Refusal, Severity, gate, gate_text,
};
pub use header::{HEADER_LINES, Header, parse_header};
pub use kind::{MemoryType, Scope};
pub use lint::{Lint, LintRule, MAX_DESCRIPTION_CHARS, MAX_INDEX_ENTRY_CHARS, lint};
pub use warning::{Warning, WarningKind};
