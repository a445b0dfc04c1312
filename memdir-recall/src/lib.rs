#![doc = include_str!("../README.md")]

// In reading order: what there is, what is asked, …
mod manifest;
mod query;
mod scan;

// … what a model is told and answers, …
mod prompt;
mod select;
mod selector;

// … what words alone can tell, …
mod lexical;

// … how the two make a choice and say why, …
mod options;
mod recall;
mod receipt;

// … and what of it enters the conversation.
mod surface;

#[cfg(feature = "http")]
mod http;

mod error;
#[cfg(feature = "serde")]
mod ser;
mod text;

// The siblings whose types stand in the signatures below, so that one dependency is enough.
pub use {memdir_paths, memdir_types};

pub use error::{Error, ErrorKind};
#[cfg(feature = "http")]
pub use http::{
    Auth, CONNECT_TIMEOUT, ClientOptions, DEFAULT_BASE_URL, DEFAULT_MODEL, HttpError,
    HttpErrorKind, MAX_BODY_BYTES, MAX_RETRIES, MessagesClient, SchemaField, TOTAL_TIMEOUT,
};
pub use manifest::{MAX_SHOWN_CHARS, iso_time, manifest, manifest_line};
pub use options::{
    BESIDE_BEST_PERCENT, FLOOR_PERCENT, Fill, MAX_MATCHING_LINES, ONE_WORD_FLOOR_PERCENT, Options,
    Stopwatch,
};
pub use query::{MAX_QUERY_BYTES, Query};
pub use recall::{MAX_INDEXED_BYTES, MAX_LINE_CHARS, Picked, Recall, Recalled, Refreshed, recall};
pub use receipt::{
    Candidate, Fallback, MAX_CANDIDATES, ModelCall, Pick, PickedBy, Receipt, Rules, Timings,
};
pub use scan::{
    MAX_DEPTH, MAX_FILES, MAX_MEMORY_BYTES, MAX_NEWEST, MemoryFile, Scan, ScanCache, ScanOptions,
    SkipReason, Skipped, TeamFolder, scan,
};
pub use select::{
    DropReason, DroppedName, MAX_PICKS, MAX_REPLY_BYTES, MAX_SELECT_TOKENS, ReplyProblem,
    SelectReply, SelectRequest, Selection, read_reply, select_request,
};
pub use selector::{BoxSelector, Selector, SelectorError, SelectorFn, selector_fn};
pub use surface::{
    Attachment, Cut, MAX_SESSION_BYTES, MAX_SURFACED_BYTES, MAX_SURFACED_LINES, SessionBudget,
    SurfacedText, Surfacing, surface, surface_text,
};
