//! The port to a model, and ways to fill it.

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::refused::Refused;
use crate::summary::{SummaryReply, SummaryRequest};

/// The model of the conversation, asked for a summary.
///
/// Implementations may be written as `async fn summarize`. They send the messages of the request
/// with the system prompt, the tools and the model of the conversation, and wait and try again on
/// their own where the service is busy; what they give up is the end of this attempt. A closure
/// becomes one through [`summarizer_fn`]; references and `Arc`s of one are ones, and
/// [`BoxSummarizer`] is for the choice at run time.
pub trait Summarizer {
    /// Asks the model. Dropping the future cancels the call.
    fn summarize(
        &self,
        request: SummaryRequest,
    ) -> impl Future<Output = Result<SummaryReply, SummarizeError>> + Send;
}

/// Why there is no answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum SummarizeError {
    /// The request was refused as too long: a shorter one follows.
    TooLong {
        /// By how much, if the service said so. In tokens.
        over_by: Option<u64>,
    },
    /// Anything else. It is not tried again.
    Other(Box<dyn StdError + Send + Sync>),
}

impl SummarizeError {
    /// Anything but a request that is too long.
    pub fn other(error: impl Into<Box<dyn StdError + Send + Sync>>) -> SummarizeError {
        SummarizeError::Other(error.into())
    }

    /// Reads the text of an error of the service: [`SummarizeError::TooLong`] where it says so.
    /// The text itself becomes the error otherwise, so leave out what should not be shown.
    #[must_use]
    pub fn read(text: &str) -> SummarizeError {
        match Refused::read(text) {
            Some(refused) => SummarizeError::TooLong {
                over_by: refused.over_by(),
            },
            None => SummarizeError::other(crate::summary::head(text, 500).to_owned()),
        }
    }
}

impl fmt::Display for SummarizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SummarizeError::TooLong {
                over_by: Some(tokens),
            } => write!(f, "the request is {tokens} tokens too long"),
            SummarizeError::TooLong { over_by: None } => f.write_str("the request is too long"),
            SummarizeError::Other(error) => error.fmt(f),
        }
    }
}

impl StdError for SummarizeError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            SummarizeError::TooLong { .. } => None,
            SummarizeError::Other(error) => error.source(),
        }
    }
}

impl<S: Summarizer + Sync + ?Sized> Summarizer for &S {
    fn summarize(
        &self,
        request: SummaryRequest,
    ) -> impl Future<Output = Result<SummaryReply, SummarizeError>> + Send {
        (**self).summarize(request)
    }
}

impl<S: Summarizer + Send + Sync + ?Sized> Summarizer for Arc<S> {
    fn summarize(
        &self,
        request: SummaryRequest,
    ) -> impl Future<Output = Result<SummaryReply, SummarizeError>> + Send {
        (**self).summarize(request)
    }
}

/// A closure as a [`Summarizer`].
#[derive(Clone, Copy)]
pub struct SummarizerFn<F>(F);

impl<F> fmt::Debug for SummarizerFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SummarizerFn")
    }
}

/// Turns an async closure, or one that returns a future, into a [`Summarizer`].
pub fn summarizer_fn<F, Fut>(closure: F) -> SummarizerFn<F>
where
    F: Fn(SummaryRequest) -> Fut,
    Fut: Future<Output = Result<SummaryReply, SummarizeError>> + Send,
{
    SummarizerFn(closure)
}

impl<F, Fut> Summarizer for SummarizerFn<F>
where
    F: Fn(SummaryRequest) -> Fut,
    Fut: Future<Output = Result<SummaryReply, SummarizeError>> + Send,
{
    fn summarize(
        &self,
        request: SummaryRequest,
    ) -> impl Future<Output = Result<SummaryReply, SummarizeError>> + Send {
        (self.0)(request)
    }
}

type Reply<'a> = Pin<Box<dyn Future<Output = Result<SummaryReply, SummarizeError>> + Send + 'a>>;

trait Erased: Send + Sync {
    fn summarize(&self, request: SummaryRequest) -> Reply<'_>;
}

impl<S: Summarizer + Send + Sync> Erased for S {
    fn summarize(&self, request: SummaryRequest) -> Reply<'_> {
        Box::pin(Summarizer::summarize(self, request))
    }
}

/// Any [`Summarizer`], chosen at run time.
pub struct BoxSummarizer(Box<dyn Erased>);

impl BoxSummarizer {
    /// Boxes a summarizer.
    pub fn new<S: Summarizer + Send + Sync + 'static>(summarizer: S) -> BoxSummarizer {
        BoxSummarizer(Box::new(summarizer))
    }
}

impl fmt::Debug for BoxSummarizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BoxSummarizer")
    }
}

impl Summarizer for BoxSummarizer {
    fn summarize(
        &self,
        request: SummaryRequest,
    ) -> impl Future<Output = Result<SummaryReply, SummarizeError>> + Send {
        self.0.summarize(request)
    }
}
