#![doc = include_str!("../README.md")]
//! (The text above is the README.)

mod date;
mod document;
mod edit;
mod error;
mod fast;
mod fence;
mod file_name;
mod gate;
pub mod guidance;
mod header;
mod kind;
mod lint;
mod quote;
mod read;
mod recover;
mod repair;
mod scan;
mod warning;
mod yaml;

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
