//! How a consolidation ends.

use std::fmt;

use crate::{Cap, Error, Report, Review, TaskEnd};

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
    pub(super) fn new(outcome: DreamOutcome) -> DreamEnd {
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
