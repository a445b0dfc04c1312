#![doc = include_str!("../README.md")]

// In reading order: what a conversation is, and which ones are valid, …
mod message;
mod transcript;

pub use message::{Block, Content, Extra, Message, Origin, Role, Usage};
pub use transcript::{
    Ending, Kind, Limits, MAX_CACHE_MARKS, MAX_DOCUMENTS, MAX_IMAGES, Repair, RepairKind, Repaired,
    Rule, Violation, repair, validate, validate_with,
};
