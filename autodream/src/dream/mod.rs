//! A consolidation from the open gate to its end: stage, prompt, agent, review, commit, lock.
//!
//! [`dream`] is the whole of it. [`Dream`] is its two halves, for a host that runs the agent in a
//! loop of its own. Either way there is one place where the lock is settled, and whatever is
//! dropped on the way leaves memories and lock as they were.

mod end;
mod job;

use std::error::Error as StdError;
use std::future::{Future, poll_fn};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::task::Poll;
use std::time::SystemTime;

use memdir_paths::MemoryDir;

pub use end::{DreamEnd, DreamOutcome};
pub use job::{DreamJob, DreamMode};

use crate::gate::Hold;
use crate::{
    Committed, DreamKind, DreamPrompt, DreamTask, EndReason, Error, Lock, Roots, Session, Stage,
    Subagent, SubagentEnd, SubagentTask, TaskEnd, TaskHandle, Ticket, ToolPolicy,
};

/// What beginning a consolidation came to.
#[derive(Debug)]
#[must_use = "a dream that is dropped is rolled back"]
#[expect(clippy::large_enum_variant, reason = "there is one of it at a time")]
pub enum Begun {
    /// The agent can start.
    Ready(Dream),
    /// It ended before a model was asked: there is nothing new, or the stage could not be made.
    Ended(DreamEnd),
}

/// A consolidation that has begun: the lock is held, the copy is made. Dropped, it is rolled
/// back, and the gate stays closed until the next session.
#[derive(Debug)]
#[must_use = "a dream that is dropped is rolled back"]
pub struct Dream {
    stage: Stage,
    settle: Settle,
    task: SubagentTask,
    mode: DreamMode,
}

impl Dream {
    /// Copies the memories and words the task. The lock of the ticket is settled by what follows,
    /// whatever it is.
    pub fn begin(ticket: Ticket, job: &DreamJob, now: SystemTime) -> Begun {
        let settle = Settle {
            lock: Some(ticket.lock),
            hold: ticket.hold,
        };
        let stage = match Stage::begin(&ticket.dir, &job.stage, now) {
            Ok(stage) => stage,
            Err(error) => {
                return Begun::Ended(settle.end(DreamOutcome::Failed(error), String::new(), now));
            }
        };
        // Who asks for a run gets one.
        if job.kind == DreamKind::Automatic && stage.is_idle(&ticket.sessions) {
            drop(stage);
            return Begun::Ended(settle.end(DreamOutcome::Idle, String::new(), now));
        }
        let task = task(&stage, job, &ticket.transcripts, ticket.sessions);
        Begun::Ready(Dream {
            stage,
            settle,
            task,
            mode: job.mode,
        })
    }

    /// What the agent is to do, with its policy.
    #[must_use]
    pub fn task(&self) -> SubagentTask {
        self.task.clone()
    }

    /// The directory that the agent works in.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.stage.path()
    }

    /// The agent ended: looks at what it did, writes it or not, and settles the lock.
    ///
    /// Only [`EndReason::Finished`] may be written; everything else gives up what is staged.
    pub fn finish<E>(self, ended: Result<SubagentEnd, E>, now: SystemTime) -> DreamEnd
    where
        E: StdError + Send + Sync + 'static,
    {
        let Dream {
            stage,
            settle,
            mode,
            ..
        } = self;
        let (outcome, said) = match ended {
            Ok(end) => {
                let outcome = match end.reason {
                    EndReason::Finished => {
                        written(stage, mode, now).unwrap_or_else(DreamOutcome::Failed)
                    }
                    EndReason::Declined => DreamOutcome::Declined,
                    EndReason::CapReached(cap) => DreamOutcome::CapReached(cap),
                };
                (outcome, end.text)
            }
            Err(error) => (DreamOutcome::Failed(Error::subagent(error)), String::new()),
        };
        settle.end(outcome, said, now)
    }

    /// The person stopped it.
    pub fn abort(self, now: SystemTime) -> DreamEnd {
        let Dream { stage, settle, .. } = self;
        drop(stage);
        settle.end(DreamOutcome::Aborted, String::new(), now)
    }
}

fn task(
    stage: &Stage,
    job: &DreamJob,
    transcripts: &[PathBuf],
    sessions: Vec<Session>,
) -> SubagentTask {
    let copy = MemoryDir::new(stage.path());
    let roots = transcripts
        .iter()
        .fold(Roots::new(&job.project, &copy), |roots, folder| {
            roots.transcripts(folder)
        });
    let prompt = DreamPrompt::new(stage.path())
        .kind(job.kind)
        .project(&job.project)
        .transcripts(transcripts)
        .sessions(sessions)
        .pinned(stage.pinned())
        .today(job.today)
        .limits(job.stage.store.limits);
    SubagentTask::new(prompt.text(), ToolPolicy::new(roots, &job.project)).caps(job.caps)
}

/// Writes what is staged, or says what would be.
fn written(stage: Stage, mode: DreamMode, now: SystemTime) -> Result<DreamOutcome, Error> {
    if mode == DreamMode::DryRun {
        let review = stage.review()?;
        return Ok(DreamOutcome::DryRun(review));
    }
    Ok(match stage.commit(now)? {
        Committed::Done(report) if report.changes.is_empty() => DreamOutcome::NothingToDo(report),
        Committed::Done(report) => DreamOutcome::Improved(report),
        Committed::Refused(review) => DreamOutcome::Refused(review),
    })
}

/// The lock and the gate, settled once: by an end, or by being dropped.
#[derive(Debug)]
struct Settle {
    lock: Option<Lock>,
    hold: Hold,
}

impl Settle {
    fn end(mut self, outcome: DreamOutcome, said: String, now: SystemTime) -> DreamEnd {
        let mut end = DreamEnd::new(outcome);
        end.said = said;
        let Some(lock) = self.lock.take() else {
            return end;
        };
        let settled = if end.counts() {
            lock.keep(now)
        } else {
            match end.outcome {
                DreamOutcome::Aborted => self.hold.stopped(),
                _ => self.hold.tried(),
            }
            lock.roll_back()
        };
        end.lock = settled.err();
        end
    }
}

impl Drop for Settle {
    fn drop(&mut self) {
        // The lock rolls itself back.
        if self.lock.is_some() {
            self.hold.stopped();
        }
    }
}

/// Consolidates: from the ticket of an open gate to an end, whatever happens.
///
/// `task` is what a UI looks at, and where the person stops it; `clock` tells the time, for
/// example `SystemTime::now`. Dropping the future is as stopping it: the agent's work is given up
/// and the lock rolled back, once. The memories are not touched before the agent is done, and then
/// as a whole.
///
/// Copying and writing files blocks the thread that polls, each for a moment.
///
/// ```no_run
/// # use std::time::SystemTime;
/// # use autodream::{DreamJob, Subagent, TaskHandle, Ticket, dream};
/// # async fn f(ticket: Ticket, agent: impl Subagent + Sync) {
/// let task = TaskHandle::new(); // a clone of it goes to the UI
/// let job = DreamJob::new("/home/me/project");
/// let end = dream(ticket, &job, &agent, &task, SystemTime::now).await;
/// if let Some(notice) = task.snapshot().notice() {
///     println!("{notice}"); // Improved 3 files
/// }
/// # }
/// ```
pub fn dream<'a, S: Subagent + Sync>(
    ticket: Ticket,
    job: &'a DreamJob,
    subagent: &'a S,
    task: &'a TaskHandle,
    clock: fn() -> SystemTime,
) -> impl Future<Output = DreamEnd> + Send + 'a {
    // Made here and not in the future: one that is never polled ends too.
    let now = clock();
    task.start(DreamTask::new(job.kind, ticket.sessions.len(), now));
    let settle = Ticketed {
        hold: ticket.hold.clone(),
        ticket: Some(ticket),
    };
    let shown = Shown { task, clock };
    async move {
        let shown = shown;
        let Some(ticket) = settle.take() else {
            return DreamEnd::new(DreamOutcome::Aborted);
        };
        let dream = match Dream::begin(ticket, job, now) {
            Begun::Ready(dream) => dream,
            Begun::Ended(end) => return shown.end(end),
        };
        task.works_in(dream.directory());
        let ended = {
            let mut on_turn = |turn: &crate::Turn| task.turn(turn);
            let mut run = pin!(subagent.run(dream.task(), &mut on_turn));
            poll_fn(|context| {
                if task.poll_aborted(context).is_ready() {
                    return Poll::Ready(None);
                }
                run.as_mut().poll(context).map(Some)
            })
            .await
        };
        let end = match ended {
            Some(ended) if task.finishing() => dream.finish(ended, clock()),
            _ => dream.abort(clock()),
        };
        shown.end(end)
    }
}

/// A ticket that closes the gate when it is dropped unused.
struct Ticketed {
    hold: Hold,
    ticket: Option<Ticket>,
}

impl Ticketed {
    fn take(mut self) -> Option<Ticket> {
        self.ticket.take()
    }
}

impl Drop for Ticketed {
    fn drop(&mut self) {
        if self.ticket.is_some() {
            self.hold.stopped();
        }
    }
}

/// What a UI sees, brought to an end whatever happens.
struct Shown<'a> {
    task: &'a TaskHandle,
    clock: fn() -> SystemTime,
}

impl Shown<'_> {
    fn end(&self, end: DreamEnd) -> DreamEnd {
        self.task.end(end.task_end(), (self.clock)());
        end
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        // The first end holds.
        let end = if std::thread::panicking() {
            TaskEnd::Failed {
                why: "the agent panicked".to_owned(),
            }
        } else {
            TaskEnd::Aborted
        };
        self.task.end(end, (self.clock)());
    }
}
