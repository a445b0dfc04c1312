//! When to stop trying, and that there is one compaction at a time.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::window::{Decision, Verdict, Wait};

/// Failures in a row after which nothing is tried automatically any more, in tries. Origin: the
/// client's behavior.
pub const MAX_FAILURES: u32 = 3;

/// Rapid refills in a row after which nothing is tried automatically any more, in rounds. Origin:
/// the client's published changes.
pub const MAX_RAPID_REFILLS: u32 = 3;

/// A window that is full again before so many messages were added was refilled rapidly, in items;
/// our own choice: two responses with calls and their results, and what set them off.
pub const RAPID_REFILL_MESSAGES: usize = 6;

/// The circuit breaker of one session. Shared by reference between whoever may compact.
#[derive(Debug, Default)]
pub struct Breaker {
    state: Mutex<BreakerState>,
}

/// What a breaker remembers, for a host that stores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct BreakerState {
    /// Failures in a row.
    pub failures: u32,
    /// Rapid refills in a row.
    pub rapid_refills: u32,
    /// Messages after the last compaction that shrank the conversation.
    pub messages_after: Option<usize>,
    /// A compaction is running.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub running: bool,
}

/// Why a compaction may not begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Refusal {
    /// Another one is running.
    Busy,
    /// The decision was to wait.
    NotDue,
    /// Too many failures in a row; a manual compaction is still possible.
    Failures {
        /// How many.
        count: u32,
    },
    /// The window was full again right after each of the last compactions: something large comes
    /// back every time. A manual compaction is still possible.
    RapidRefills {
        /// How many.
        count: u32,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Busy => f.write_str("another compaction is running"),
            Refusal::NotDue => f.write_str("the decision was to wait"),
            Refusal::Failures { count } => {
                write!(
                    f,
                    "{count} compactions failed in a row; a manual one is still possible"
                )
            }
            Refusal::RapidRefills { count } => write!(
                f,
                "the window was full again right after {count} compactions; something large comes back each time"
            ),
        }
    }
}

impl std::error::Error for Refusal {}

/// How a compaction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Outcome {
    /// The conversation is shorter.
    Shrank,
    /// It is not, which counts as a failure: the old one should stay.
    DidNotShrink,
}

/// A compaction that is running. Whoever drops it without an end, or cancels it, has failed.
#[derive(Debug)]
#[must_use = "a compaction that is dropped has failed"]
pub struct Attempt<'a> {
    breaker: &'a Breaker,
    ended: bool,
}

impl Breaker {
    /// A breaker that has seen nothing.
    #[must_use]
    pub fn new() -> Breaker {
        Breaker::default()
    }

    /// A breaker that goes on where a stored one was; nothing is running.
    #[must_use]
    pub fn from_state(state: BreakerState) -> Breaker {
        Breaker {
            state: Mutex::new(BreakerState {
                running: false,
                ..state
            }),
        }
    }

    /// What it remembers.
    #[must_use]
    pub fn state(&self) -> BreakerState {
        *self.lock()
    }

    /// Begins an automatic compaction.
    ///
    /// A decision to wait because there is nothing to gain counts as a failure.
    ///
    /// # Errors
    ///
    /// The reason why it may not begin.
    pub fn begin(&self, decision: &Decision) -> Result<Attempt<'_>, Refusal> {
        let mut state = self.lock();
        match decision.verdict {
            Verdict::Compact(_) => {}
            Verdict::Wait(Wait::NothingToGain { .. }) => {
                state.failures = state.failures.saturating_add(1);
                return Err(Refusal::NotDue);
            }
            Verdict::Wait(_) => return Err(Refusal::NotDue),
        }
        state.automatic(decision.messages)?;
        drop(state);
        Ok(self.attempt())
    }

    /// Begins a compaction because a request was refused as too long; `messages` is how many there
    /// are. It counts as automatic.
    ///
    /// # Errors
    ///
    /// The reason why it may not begin.
    pub fn begin_refused(&self, messages: usize) -> Result<Attempt<'_>, Refusal> {
        self.lock().automatic(messages)?;
        Ok(self.attempt())
    }

    /// Begins a compaction that the person asked for, whatever has failed before.
    ///
    /// # Errors
    ///
    /// [`Refusal::Busy`].
    pub fn begin_manual(&self) -> Result<Attempt<'_>, Refusal> {
        self.lock().start()?;
        Ok(self.attempt())
    }

    fn attempt(&self) -> Attempt<'_> {
        Attempt {
            breaker: self,
            ended: false,
        }
    }

    /// A panic elsewhere leaves numbers that are still numbers.
    fn lock(&self) -> MutexGuard<'_, BreakerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BreakerState {
    fn start(&mut self) -> Result<(), Refusal> {
        if self.running {
            return Err(Refusal::Busy);
        }
        self.running = true;
        Ok(())
    }

    fn automatic(&mut self, messages: usize) -> Result<(), Refusal> {
        if self.running {
            return Err(Refusal::Busy);
        }
        if self.failures >= MAX_FAILURES {
            let count = self.failures;
            return Err(Refusal::Failures { count });
        }
        if let Some(after) = self.messages_after.take() {
            if messages.saturating_sub(after) < RAPID_REFILL_MESSAGES {
                self.rapid_refills = self.rapid_refills.saturating_add(1);
            } else {
                self.rapid_refills = 0;
            }
        }
        if self.rapid_refills >= MAX_RAPID_REFILLS {
            let count = self.rapid_refills;
            return Err(Refusal::RapidRefills { count });
        }
        self.start()
    }
}

impl Attempt<'_> {
    /// The compaction has a result. `before` and `after` are what the conversation held and holds,
    /// in tokens; `messages` is how many messages it has now.
    pub fn end(mut self, before: u64, after: u64, messages: usize) -> Outcome {
        self.ended = true;
        let mut state = self.breaker.lock();
        state.running = false;
        if after >= before {
            state.failures = state.failures.saturating_add(1);
            return Outcome::DidNotShrink;
        }
        state.failures = 0;
        state.messages_after = Some(messages);
        Outcome::Shrank
    }

    /// The same for a compaction that the person asked for: what has failed before is forgotten.
    pub fn end_manual(self, before: u64, after: u64, messages: usize) -> Outcome {
        let breaker = self.breaker;
        let outcome = self.end(before, after, messages);
        if outcome == Outcome::Shrank {
            breaker.lock().rapid_refills = 0;
        }
        outcome
    }

    /// The compaction has failed.
    pub fn fail(self) {}

    /// The compaction did not take place after all, because somebody objected: no failure.
    pub fn withdraw(mut self) {
        self.ended = true;
        self.breaker.lock().running = false;
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if !self.ended {
            let mut state = self.breaker.lock();
            state.running = false;
            state.failures = state.failures.saturating_add(1);
        }
    }
}
