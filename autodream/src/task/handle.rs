//! A task that a UI and a run share, and the person's way to stop it.

use std::fmt;
use std::future::{Future, poll_fn};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::SystemTime;

use super::{DreamTask, TaskEnd};
use crate::Turn;

/// A shared task: the run updates it, a UI looks at it and may stop it. Clones are the same task.
/// One for each run.
#[derive(Clone, Default)]
pub struct TaskHandle(Arc<Mutex<Shared>>);

#[derive(Default)]
struct Shared {
    task: Arc<DreamTask>,
    is_aborted: bool,
    /// Who waits for that.
    waiting: Vec<Waker>,
}

impl fmt::Debug for TaskHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TaskHandle").field(&self.snapshot()).finish()
    }
}

impl TaskHandle {
    /// A task that starts.
    #[must_use]
    pub fn new() -> TaskHandle {
        TaskHandle::default()
    }

    /// The task as it is now. Costs a counter: nothing is copied until the next turn comes in.
    #[must_use]
    pub fn snapshot(&self) -> Arc<DreamTask> {
        Arc::clone(&self.shared().task)
    }

    /// Stops the run: it gives up what it did and puts the lock back, once, however often this is
    /// called. Answers whether that was still possible: not while the result is taken over, and
    /// not afterwards.
    pub fn abort(&self) -> bool {
        let waiting = {
            let mut shared = self.shared();
            if !shared.task.can_abort() {
                return false;
            }
            shared.is_aborted = true;
            std::mem::take(&mut shared.waiting)
        };
        for waker in waiting {
            waker.wake();
        }
        true
    }

    /// Whether the person stopped it.
    #[must_use]
    pub fn is_aborted(&self) -> bool {
        self.shared().is_aborted
    }

    /// Waits until the person stops it, for a host with a loop of its own.
    pub fn aborted(&self) -> impl Future<Output = ()> + Send + '_ {
        poll_fn(|context| self.poll_aborted(context))
    }

    /// Takes in a turn, for a host with a loop of its own.
    pub fn turn(&self, turn: &Turn) {
        self.update(|task| task.turn(turn));
    }

    pub(crate) fn poll_aborted(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut shared = self.shared();
        if shared.is_aborted {
            return Poll::Ready(());
        }
        if !shared
            .waiting
            .iter()
            .any(|waker| waker.will_wake(context.waker()))
        {
            shared.waiting.push(context.waker().clone());
        }
        Poll::Pending
    }

    /// Another task in its place: what a run begins with.
    pub(crate) fn start(&self, task: DreamTask) {
        self.shared().task = Arc::new(task);
    }

    /// Where the agent works, once that is known.
    pub(crate) fn works_in(&self, directory: &Path) {
        self.update(|task| task.directory = directory.to_path_buf());
    }

    /// The agent is done. `false` if the person stopped it before: then nothing is taken over.
    pub(crate) fn finishing(&self) -> bool {
        let mut shared = self.shared();
        if shared.is_aborted {
            return false;
        }
        Arc::make_mut(&mut shared.task).finishing();
        true
    }

    pub(crate) fn end(&self, end: TaskEnd, now: SystemTime) {
        self.update(|task| task.end(end, now));
    }

    fn update(&self, change: impl FnOnce(&mut DreamTask)) {
        change(Arc::make_mut(&mut self.shared().task));
    }

    /// A panic elsewhere leaves the task whole: each change is made at once.
    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
