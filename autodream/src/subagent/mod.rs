//! The port to an agent that works on its own, and ways to fill it.

mod types;

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

pub use types::{
    Cap, Caps, EndReason, MAX_TOKENS, MAX_TURNS, SubagentEnd, SubagentTask, Turn, TurnTool, Usage,
};

/// The name under which a host accounts for a consolidation, and what its requests are labeled
/// with. The format's.
pub const LABEL: &str = "auto_dream";

/// An agent that works through a task with tools.
///
/// Implementations may be written as `async fn run`. A host with agents of its own runs one as a
/// fork that shares the cached beginning of the session, and lets [`SubagentTask::policy`] judge
/// each use of a tool; a host without takes the `Runner` of the feature `runner`. Nothing of the
/// run enters the messages or the transcript of the session: progress goes to `on_turn`, and if
/// the run has a transcript of its own, its session is one to
/// [exclude](crate::Transcripts::exclude).
///
/// A closure becomes one through [`subagent_fn`]; references and `Arc`s of one are ones, and
/// [`BoxSubagent`] is for the choice at run time.
pub trait Subagent {
    /// What may go wrong.
    type Error: StdError + Send + Sync + 'static;

    /// Runs the task to its end. `on_turn` is called after each turn. Dropping the future stops
    /// the run.
    fn run(
        &self,
        task: SubagentTask,
        on_turn: &mut (dyn FnMut(&Turn) + Send),
    ) -> impl Future<Output = Result<SubagentEnd, Self::Error>> + Send;
}

impl<S: Subagent + Sync + ?Sized> Subagent for &S {
    type Error = S::Error;

    fn run(
        &self,
        task: SubagentTask,
        on_turn: &mut (dyn FnMut(&Turn) + Send),
    ) -> impl Future<Output = Result<SubagentEnd, Self::Error>> + Send {
        (**self).run(task, on_turn)
    }
}

impl<S: Subagent + Send + Sync + ?Sized> Subagent for Arc<S> {
    type Error = S::Error;

    fn run(
        &self,
        task: SubagentTask,
        on_turn: &mut (dyn FnMut(&Turn) + Send),
    ) -> impl Future<Output = Result<SubagentEnd, Self::Error>> + Send {
        (**self).run(task, on_turn)
    }
}

/// What a closure of [`subagent_fn`] reports its turns to.
pub struct OnTurn<'a>(&'a mut (dyn FnMut(&Turn) + Send));

impl OnTurn<'_> {
    /// Reports a turn.
    pub fn turn(&mut self, turn: &Turn) {
        (self.0)(turn);
    }
}

impl fmt::Debug for OnTurn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnTurn")
    }
}

/// A closure as a [`Subagent`].
#[derive(Clone, Copy)]
pub struct SubagentFn<F>(F);

impl<F> fmt::Debug for SubagentFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SubagentFn")
    }
}

/// Turns a closure that returns a boxed future into a [`Subagent`]. Boxed, because the future
/// borrows what it reports its turns to:
///
/// ```
/// use autodream::{SubagentEnd, Turn, subagent_fn};
///
/// let agent = subagent_fn(|task, mut on_turn| {
///     Box::pin(async move {
///         on_turn.turn(&Turn::new("Looking around."));
///         Ok::<_, std::io::Error>(SubagentEnd::finished("Nothing to do."))
///     })
/// });
/// # fn is_subagent(_: impl autodream::Subagent) {}
/// # is_subagent(agent);
/// ```
pub fn subagent_fn<F, E>(closure: F) -> SubagentFn<F>
where
    F: for<'a> Fn(SubagentTask, OnTurn<'a>) -> SubagentFuture<'a, E>,
    E: StdError + Send + Sync + 'static,
{
    SubagentFn(closure)
}

/// What a closure of [`subagent_fn`] returns.
pub type SubagentFuture<'a, E> = Pin<Box<dyn Future<Output = Result<SubagentEnd, E>> + Send + 'a>>;

impl<F, E> Subagent for SubagentFn<F>
where
    F: for<'a> Fn(SubagentTask, OnTurn<'a>) -> SubagentFuture<'a, E>,
    E: StdError + Send + Sync + 'static,
{
    type Error = E;

    fn run(
        &self,
        task: SubagentTask,
        on_turn: &mut (dyn FnMut(&Turn) + Send),
    ) -> impl Future<Output = Result<SubagentEnd, E>> + Send {
        (self.0)(task, OnTurn(on_turn))
    }
}

trait Erased: Send + Sync {
    fn run<'a>(
        &'a self,
        task: SubagentTask,
        on_turn: &'a mut (dyn FnMut(&Turn) + Send),
    ) -> SubagentFuture<'a, SubagentError>;
}

impl<S: Subagent + Send + Sync> Erased for S {
    fn run<'a>(
        &'a self,
        task: SubagentTask,
        on_turn: &'a mut (dyn FnMut(&Turn) + Send),
    ) -> SubagentFuture<'a, SubagentError> {
        Box::pin(async move {
            Subagent::run(self, task, on_turn)
                .await
                .map_err(|error| SubagentError(Box::new(error)))
        })
    }
}

/// Any [`Subagent`], chosen at run time.
pub struct BoxSubagent(Box<dyn Erased>);

impl BoxSubagent {
    /// Boxes a subagent.
    pub fn new<S: Subagent + Send + Sync + 'static>(subagent: S) -> BoxSubagent {
        BoxSubagent(Box::new(subagent))
    }
}

impl fmt::Debug for BoxSubagent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BoxSubagent")
    }
}

impl Subagent for BoxSubagent {
    type Error = SubagentError;

    async fn run(
        &self,
        task: SubagentTask,
        on_turn: &mut (dyn FnMut(&Turn) + Send),
    ) -> Result<SubagentEnd, SubagentError> {
        self.0.run(task, on_turn).await
    }
}

/// What went wrong behind a [`BoxSubagent`]: reads as the error of the subagent inside, which is
/// its source.
#[derive(Debug)]
pub struct SubagentError(Box<dyn StdError + Send + Sync>);

impl fmt::Display for SubagentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for SubagentError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.0)
    }
}
