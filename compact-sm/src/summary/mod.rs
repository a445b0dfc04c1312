//! The classic summary: what a model is asked, and what is read from its answer.

mod fit;
mod phrases;
pub(crate) mod prompt;
mod reply;
mod request;
mod retry;
mod says;
mod sentence;
mod tags;
mod trust;

pub(crate) use fit::Drop;
pub use prompt::summary_prompt;
pub(crate) use reply::head;
pub(crate) use reply::unframed;
pub use reply::{
    BadSummary, Extent, FORM_SHARE, FORM_TOKENS, FREE_SHARE, FREE_TOKENS, MAX_SUMMARY_BYTES,
    SHORTEST_OF_TOKENS, Summary, SummaryForm, SummaryReply, read_summary,
};
pub use request::{Images, Returns, Scope, SummaryOptions, SummaryRequest, summary_request};
pub(crate) use request::{open_call, open_calls, request_of};
pub use retry::{MAX_TRIMS, Trim};
pub(crate) use retry::{cut_mark, is_cut_mark};
pub(crate) use says::says_nothing;
pub use trust::{TAIL_FROM_TOKENS, TRUSTED_TOKENS};
