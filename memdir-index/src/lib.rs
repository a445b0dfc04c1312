#![doc = include_str!("../README.md")]

// In reading order: one line, the whole index, what of it is loaded, the directory, the prompt.
mod entry;
mod index;
mod name_case;

mod notice;
mod strip;
mod truncate;

mod budget;
mod fingerprint;
mod store;

mod load;
mod prompt;

mod error;
#[cfg(feature = "serde")]
mod ser;

// The siblings whose types stand in the signatures below, so that one dependency is enough.
pub use {memdir_paths, memdir_types};

pub use memdir_paths::ENTRYPOINT;

pub use budget::{Budget, Merge, NEAR_PERCENT, Shorten, TARGET_PERCENT, budget};
pub use entry::{Entry, MAX_ENTRY_CHARS};
pub use error::{Error, ErrorKind};
pub use fingerprint::{Fingerprint, ParseFingerprintError};
pub use index::{Change, Index};
pub use load::{
    DailyLog, Flags, IndexContext, LoadOptions, MemoryPrompt, SkippedIndex, TeamMemory,
    load_memory_prompt,
};
pub use name_case::NameCase;
pub use notice::size_figure;
pub use prompt::{Directory, IndexUse, Mode, Prompt, prompt};
pub use store::{
    Access, Applied, Batch, Check, Durability, Exclusive, ExistingLines, Fault, IndexWritten,
    Listing, Loaded, MAX_READ_BYTES, NoIndex, Outcome, RebuildOptions, Rebuilt, Recovery, Removed,
    Renamed, Saved, Shrink, Store, StoreOptions, Time, Unlisted, Wait, Written, check_memory_name,
    is_interrupted, local_date_time,
};
pub use strip::strip;
pub use truncate::{
    Dropped, Exceeded, Limits, MAX_BYTES, MAX_LINES, Measure, NoticeFacts, Truncated, truncate,
};

/// A whole-index write that would take away more than this share of the index, in percent of its
/// bytes or of its entries, is refused unless asked for. Half is this crate's own choice: a person
/// who tidies removes less, a lost file loses more.
pub const SHRINK_PERCENT: usize = 50;
