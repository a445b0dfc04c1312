//! The classic summary: what a model is asked, and what is read from its answer.

pub(crate) mod prompt;
mod reply;
mod request;
mod retry;

pub use prompt::summary_prompt;
pub(crate) use reply::head;
pub use reply::{BadSummary, Extent, MAX_SUMMARY_BYTES, Summary, SummaryReply, read_summary};
pub(crate) use request::open_calls;
pub use request::{Images, Returns, Scope, SummaryOptions, SummaryRequest, summary_request};
pub use retry::{MAX_TRIMS, Trim};
