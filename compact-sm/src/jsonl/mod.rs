//! Transcripts: one JSON object on a line.

mod line;
mod mend;
mod read;
mod reader;
mod tree;

pub use line::{Chain, Line, LineKind, Parent};
pub use read::Transcript;
pub use reader::{MAX_LINE_BYTES, MAX_SKIPPED, Reader, SkipReason, Skipped};
