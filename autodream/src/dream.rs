//! A consolidation from the open gate to its end: stage, prompt, agent, review, commit, lock.
//!
//! [`dream`] is the whole of it. [`Dream`] is its two halves, for a host that runs the agent in a
//! loop of its own. Either way there is one place where the lock is settled, and whatever is
//! dropped on the way leaves memories and lock as they were.

use std::error::Error as StdError;
use std::fmt;
use std::future::{Future, poll_fn};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::task::Poll;
use std::time::SystemTime;

use memdir_paths::MemoryDir;
use memdir_types::Date;

use crate::gate::Hold;
use crate::{
    Cap, Caps, Committed, DreamKind, DreamPrompt, DreamTask, EndReason, Error, Lock, Report,
    Review, Roots, Session, Stage, StageOptions, Subagent, SubagentEnd, SubagentTask, TaskEnd,
    TaskHandle, Ticket, ToolPolicy,
};

/// What a consolidation is made of, besides its ticket.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DreamJob {
    /// The working directory: where the code is, which may be read.
    pub project: PathBuf,
    /// What it is for; [`DreamKind::Automatic`] unless set.
    pub kind: DreamKind,
    /// Whether it writes.
    pub mode: DreamMode,
    /// How the result is looked at and written.
    pub stage: StageOptions,
    /// When the agent is stopped.
    pub caps: Caps,
    /// The date of the person, so that relative dates can be made absolute.
    pub today: Option<Date>,
}

/// Whether a consolidation writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum DreamMode {
    /// It does.
    #[default]
    Commit,
    /// It only tells what it would write, and does not count.
    DryRun,
}

impl DreamJob {
    /// An automatic consolidation that writes.
    #[must_use]
    pub fn new(project: impl Into<PathBuf>) -> DreamJob {
        DreamJob {
            project: project.into(),
            kind: DreamKind::default(),
            mode: DreamMode::default(),
            stage: StageOptions::default(),
            caps: Caps::default(),
            today: None,
        }
    }

    /// Sets what it is for.
    #[must_use]
    pub fn kind(mut self, kind: DreamKind) -> DreamJob {
        self.kind = kind;
        self
    }

    /// Sets whether it writes.
    #[must_use]
    pub fn mode(mut self, mode: DreamMode) -> DreamJob {
        self.mode = mode;
        self
    }

    /// Sets how the result is looked at and written.
    #[must_use]
    pub fn stage(mut self, options: StageOptions) -> DreamJob {
        self.stage = options;
        self
    }

    /// Sets when the agent is stopped.
    #[must_use]
    pub fn caps(mut self, caps: Caps) -> DreamJob {
        self.caps = caps;
        self
    }

    /// Sets the date.
    #[must_use]
    pub fn today(mut self, today: impl Into<Option<Date>>) -> DreamJob {
        self.today = today.into();
        self
    }
}

/// How a consolidation ended.
#[derive(Debug)]
#[non_exhaustive]
#[must_use = "it says whether anything was written, and what went wrong"]
pub struct DreamEnd {
    /// What came of it.
    pub outcome: DreamOutcome,
    /// What the agent said last.
    pub said: String,
    /// What went wrong with the lock: another program took it over, for example. What was written
    /// stays written.
    pub lock: Option<Error>,
}

/// What came of a consolidation. The first three count as one: the lock is kept. All others leave
/// the memories and the time of the last consolidation as they were, and close the gate until the
/// next session, so that what failed is tried again, yet not at every turn.
#[derive(Debug)]
#[non_exhaustive]
pub enum DreamOutcome {
    /// Changes were written.
    Improved(Report),
    /// The agent was done and there was nothing to write. What was kept back is in the report.
    NothingToDo(Report),
    /// Nothing had changed since the last one, so no model was asked.
    Idle,
    /// What would have been written; nothing was.
    DryRun(Review),
    /// The result is not good enough, for the reasons in the review; nothing was written.
    Refused(Review),
    /// The agent would not do it, or ended with an error.
    Declined,
    /// The agent took more than it may.
    CapReached(Cap),
    /// Something went wrong.
    Failed(Error),
    /// The person stopped it.
    Aborted,
}

impl DreamEnd {
    fn new(outcome: DreamOutcome) -> DreamEnd {
        DreamEnd {
            outcome,
            said: String::new(),
            lock: None,
        }
    }

    /// Whether this counts as a consolidation.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.task_end().counts()
    }

    /// The same as a UI keeps it.
    #[must_use]
    pub fn task_end(&self) -> TaskEnd {
        match &self.outcome {
            DreamOutcome::Improved(report) => TaskEnd::Improved {
                files: report.changes.len(),
            },
            DreamOutcome::NothingToDo(_) => TaskEnd::NothingToDo,
            DreamOutcome::Idle => TaskEnd::Idle,
            DreamOutcome::DryRun(review) => TaskEnd::DryRun {
                files: review.report.changes.len(),
            },
            DreamOutcome::Refused(review) => TaskEnd::Refused {
                why: Faults(review).to_string(),
            },
            DreamOutcome::Declined => TaskEnd::Declined {
                why: self.said.clone(),
            },
            DreamOutcome::CapReached(cap) => TaskEnd::CapReached(*cap),
            DreamOutcome::Failed(error) => TaskEnd::Failed {
                why: error.to_string(),
            },
            DreamOutcome::Aborted => TaskEnd::Aborted,
        }
    }
}

/// The reasons of a refusal in one line.
struct Faults<'a>(&'a Review);

impl fmt::Display for Faults<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in self.0.refused.iter().enumerate() {
            if at > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{fault}")?;
        }
        Ok(())
    }
}

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
                _ => self.hold.failed(),
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
