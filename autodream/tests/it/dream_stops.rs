//! Runs that are stopped, dropped, or fall over.

use std::future::{Future, pending};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Wake, Waker};

use autodream::{
    ClosedReason, Dream, DreamEnd, DreamOutcome, Subagent, SubagentEnd, SubagentTask, TaskEnd,
    TaskHandle, TaskState, Turn, dream,
};

use crate::night::{Agent, Night, clock, done, merge, staged_in};
use crate::world::{Broken, hours, now, now_or_never};

/// An agent that works, and then waits for ever.
struct Hangs;

impl Subagent for Hangs {
    type Error = Broken;

    async fn run(
        &self,
        task: SubagentTask,
        on_turn: &mut (dyn FnMut(&Turn) + Send),
    ) -> Result<SubagentEnd, Broken> {
        merge(&staged_in(&task));
        on_turn(&Turn::new("Merged."));
        pending().await
    }
}

/// Counts how often it is woken.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

type Running<'a> = Pin<Box<dyn Future<Output = DreamEnd> + Send + 'a>>;

/// Polls once, which has to be not enough.
#[track_caller]
fn poll_pending(running: &mut Running<'_>, woken: &Arc<Woken>) {
    let waker = Waker::from(Arc::clone(woken));
    let polled = running.as_mut().poll(&mut Context::from_waker(&waker));
    assert!(polled.is_pending());
}

#[test]
fn a_future_that_is_dropped_midway_rolls_back_once() {
    let mut night = Night::new();
    let before = night.files();
    let job = night.job();
    let task = TaskHandle::new();
    let mut running: Running<'_> = Box::pin(dream(night.ticket(), &job, &Hangs, &task, clock));
    poll_pending(&mut running, &Arc::default());
    assert_eq!(task.snapshot().state, TaskState::Running);
    assert!(night.staged() > 0);
    drop(running);
    assert_eq!(task.snapshot().ended_as(), Some(&TaskEnd::Aborted));
    night.check_rolled_back();
    assert_eq!(night.files(), before);
    night.check_gates(&ClosedReason::OnHold);
    // A second roll-back would take this away again.
    night.world.lock_file("", now() - hours(1));
    drop(task);
    assert_eq!(night.world.lock_state().unwrap().1, now() - hours(1));
}

#[test]
fn a_future_that_is_never_polled_ends_too() {
    let mut night = Night::new();
    let job = night.job();
    let task = TaskHandle::new();
    drop(dream(night.ticket(), &job, &Hangs, &task, clock));
    assert_eq!(task.snapshot().ended_as(), Some(&TaskEnd::Aborted));
    night.check_rolled_back();
    night.check_gates(&ClosedReason::OnHold);
}

#[test]
fn a_run_that_is_stopped_is_woken_rolled_back_once_and_on_hold() {
    let mut night = Night::new();
    let before = night.files();
    let job = night.job();
    let task = TaskHandle::new();
    let woken = Arc::<Woken>::default();
    let mut running: Running<'_> = Box::pin(dream(night.ticket(), &job, &Hangs, &task, clock));
    poll_pending(&mut running, &woken);
    poll_pending(&mut running, &woken);
    assert!(task.abort(), "it runs");
    assert!(task.abort(), "until it is polled again");
    assert_eq!(woken.0.load(Ordering::Relaxed), 1);
    let end = now_or_never(running);
    assert!(matches!(end.outcome, DreamOutcome::Aborted), "{end:?}");
    assert!(
        end.lock.is_none(),
        "a lock that is rolled back twice is lost"
    );
    assert!(!task.abort(), "it is over");
    assert_eq!(task.snapshot().ended_as(), Some(&TaskEnd::Aborted));
    night.check_rolled_back();
    assert_eq!(night.files(), before);
    night.check_gates(&ClosedReason::OnHold);
}

#[test]
fn stopping_wins_over_an_agent_that_is_done_in_the_same_moment() {
    let mut night = Night::new();
    let before = night.files();
    let job = night.job();
    let task = TaskHandle::new();
    let agent = Agent(|stage: &Path| {
        merge(stage);
        assert!(task.abort());
        done("Merged.")
    });
    let end = now_or_never(dream(night.ticket(), &job, &agent, &task, clock));
    assert!(matches!(end.outcome, DreamOutcome::Aborted), "{end:?}");
    night.check_rolled_back();
    assert_eq!(night.files(), before);
}

#[test]
fn a_task_that_is_stopped_before_it_starts_asks_no_model() {
    let mut night = Night::new();
    let job = night.job();
    let task = TaskHandle::new();
    assert!(task.abort());
    let agent = Agent(|_: &Path| -> Result<SubagentEnd, Broken> { panic!("it was asked") });
    let end = now_or_never(dream(night.ticket(), &job, &agent, &task, clock));
    assert!(matches!(end.outcome, DreamOutcome::Aborted), "{end:?}");
    night.check_rolled_back();
}

#[test]
fn an_agent_that_panics_leaves_everything_as_it_was() {
    let mut night = Night::new();
    let before = night.files();
    let job = night.job();
    let task = TaskHandle::new();
    let ticket = night.ticket();
    let (shown, job) = (task.clone(), &job);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
        let agent = Agent(|stage: &Path| -> Result<SubagentEnd, Broken> {
            merge(stage);
            panic!("a fault in the agent")
        });
        now_or_never(dream(ticket, job, &agent, &shown, clock))
    }));
    assert!(caught.is_err());
    assert!(matches!(
        task.snapshot().ended_as(),
        Some(TaskEnd::Failed { .. })
    ));
    night.check_rolled_back();
    assert_eq!(night.files(), before);
}

#[test]
fn a_dream_that_is_dropped_is_rolled_back_and_on_hold() {
    let mut night = Night::new();
    let job = night.job();
    drop(Dream::begin(night.ticket(), &job, now()));
    night.check_rolled_back();
    night.check_gates(&ClosedReason::OnHold);
}

#[test]
fn a_host_with_a_loop_of_its_own_hears_of_a_stop() {
    let task = TaskHandle::new();
    let mut waiting: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(task.aborted());
    let woken = Arc::<Woken>::default();
    let waker = Waker::from(Arc::clone(&woken));
    let mut context = Context::from_waker(&waker);
    assert!(waiting.as_mut().poll(&mut context).is_pending());
    task.abort();
    assert_eq!(woken.0.load(Ordering::Relaxed), 1);
    assert!(waiting.as_mut().poll(&mut context).is_ready());
}
