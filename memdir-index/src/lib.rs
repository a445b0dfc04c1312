#![doc = include_str!("../README.md")]

mod entry;
mod error;
mod index;
mod notice;
mod strip;
mod truncate;

pub use entry::{Entry, MAX_ENTRY_CHARS};
pub use error::{Error, ErrorKind};
pub use index::{Change, Index, NameCase};
pub use notice::size_figure;
pub use strip::strip;
pub use truncate::{Dropped, Exceeded, Limits, MAX_BYTES, MAX_LINES, Measure, Truncated, truncate};

/// The name of the index inside a memory directory, in exactly this case.
pub const ENTRYPOINT: &str = "MEMORY.md";

/// A whole-index write that would take away more than this share of the index, in percent of its
/// bytes or of its entries, is refused unless asked for. Half is this crate's own choice: a person
/// who tidies removes less, a lost file loses more.
pub const SHRINK_PERCENT: usize = 50;
