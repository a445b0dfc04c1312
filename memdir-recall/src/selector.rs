//! The port to a model, and ways to fill it.

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::{SelectReply, SelectRequest};

/// A small model that picks memories.
///
/// Implementations may be written as `async fn select`. A closure becomes one through
/// [`selector_fn`]; references and `Arc`s of one are ones, and [`BoxSelector`] is for the choice
/// at run time.
pub trait Selector {
    /// What may go wrong. Its text stands in the receipt; it never stops the turn.
    type Error: StdError + Send + Sync + 'static;

    /// Asks the model. Dropping the future cancels the call.
    fn select(
        &self,
        request: SelectRequest,
    ) -> impl Future<Output = Result<SelectReply, Self::Error>> + Send;
}

impl<S: Selector + Sync + ?Sized> Selector for &S {
    type Error = S::Error;

    fn select(
        &self,
        request: SelectRequest,
    ) -> impl Future<Output = Result<SelectReply, Self::Error>> + Send {
        (**self).select(request)
    }
}

impl<S: Selector + Send + Sync + ?Sized> Selector for Arc<S> {
    type Error = S::Error;

    fn select(
        &self,
        request: SelectRequest,
    ) -> impl Future<Output = Result<SelectReply, Self::Error>> + Send {
        (**self).select(request)
    }
}

/// A closure as a [`Selector`].
#[derive(Clone, Copy)]
pub struct SelectorFn<F>(F);

impl<F> fmt::Debug for SelectorFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SelectorFn")
    }
}

/// Turns an async closure, or one that returns a future, into a [`Selector`].
pub fn selector_fn<F, Fut, E>(closure: F) -> SelectorFn<F>
where
    F: Fn(SelectRequest) -> Fut,
    Fut: Future<Output = Result<SelectReply, E>> + Send,
    E: StdError + Send + Sync + 'static,
{
    SelectorFn(closure)
}

impl<F, Fut, E> Selector for SelectorFn<F>
where
    F: Fn(SelectRequest) -> Fut,
    Fut: Future<Output = Result<SelectReply, E>> + Send,
    E: StdError + Send + Sync + 'static,
{
    type Error = E;

    fn select(
        &self,
        request: SelectRequest,
    ) -> impl Future<Output = Result<SelectReply, E>> + Send {
        (self.0)(request)
    }
}

type Reply<'a> = Pin<Box<dyn Future<Output = Result<SelectReply, SelectorError>> + Send + 'a>>;

trait Erased: Send + Sync {
    fn select(&self, request: SelectRequest) -> Reply<'_>;
}

impl<S: Selector + Send + Sync> Erased for S {
    fn select(&self, request: SelectRequest) -> Reply<'_> {
        Box::pin(async move {
            Selector::select(self, request)
                .await
                .map_err(|e| SelectorError(Box::new(e)))
        })
    }
}

/// Any [`Selector`], chosen at run time.
pub struct BoxSelector(Box<dyn Erased>);

impl BoxSelector {
    /// Boxes a selector.
    pub fn new<S: Selector + Send + Sync + 'static>(selector: S) -> BoxSelector {
        BoxSelector(Box::new(selector))
    }
}

impl fmt::Debug for BoxSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BoxSelector")
    }
}

impl Selector for BoxSelector {
    type Error = SelectorError;

    fn select(
        &self,
        request: SelectRequest,
    ) -> impl Future<Output = Result<SelectReply, SelectorError>> + Send {
        self.0.select(request)
    }
}

/// What went wrong behind a [`BoxSelector`]: reads as the error of the selector inside, which is
/// its source.
#[derive(Debug)]
pub struct SelectorError(Box<dyn StdError + Send + Sync>);

impl fmt::Display for SelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for SelectorError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.0)
    }
}
