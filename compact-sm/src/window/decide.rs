//! The decision: compact now or not, by which rule, with its figures.

use std::fmt;

use super::Thresholds;
use super::policy::{Decider, Policy};
use crate::keep::floor;
use crate::tokens::{Counter, Used, used};
use crate::transcript::images;
use crate::{Message, Role};

/// Fewer round trips than this are too little history, in items. Origin: the client's behavior.
const MIN_ROUND_TRIPS: usize = 2;

/// Who is about to send a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Source {
    /// The main loop.
    #[default]
    Main,
    /// A subagent with a conversation of its own.
    Subagent,
    /// A compaction: it would wait for itself.
    Compaction,
    /// Whoever takes notes: its conversation is the main one.
    Notes,
    /// Any other helper that reads the main conversation.
    Context,
}

/// Why a conversation is compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Trigger {
    /// It holds as many tokens as the threshold.
    Tokens,
    /// It holds more images than a request takes.
    Images {
        /// Images, in items.
        count: usize,
        /// Most that a request takes, in items.
        max: usize,
    },
}

/// Why a conversation is left as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Wait {
    /// The request is part of a compaction or of taking notes.
    Recursion(Source),
    /// It is switched off.
    Disabled(Decider),
    /// Reactive mode: a request has to be refused first.
    Reactive,
    /// The model's window is unknown.
    UnknownWindow,
    /// There is room.
    Below,
    /// What cannot be compacted fills the window already.
    NothingToGain {
        /// System prompt, tools and the least that is kept. In tokens.
        least: u64,
    },
    /// There is next to nothing to compact.
    TooLittleHistory {
        /// Responses that were answered, in items.
        round_trips: usize,
    },
}

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Verdict {
    /// Compact before the next request.
    Compact(Trigger),
    /// Leave it as it is.
    Wait(Wait),
}

/// How full the window is, for the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Level {
    /// There is room.
    Free,
    /// Worth a warning.
    Warning,
    /// Worth an urgent one.
    Error,
    /// The next request should wait for a compaction.
    Blocking,
}

/// A decision with the figures behind it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Decision {
    /// What was decided, and by which rule.
    pub verdict: Verdict,
    /// What the conversation holds.
    pub used: Used,
    /// The thresholds; none if the window is unknown.
    pub thresholds: Option<Thresholds>,
    /// How full the window is.
    pub level: Level,
    /// How many messages there are.
    pub messages: usize,
}

impl Decision {
    /// Is the conversation to be compacted?
    #[must_use]
    pub fn compacts(&self) -> bool {
        matches!(self.verdict, Verdict::Compact(_))
    }
}

impl Policy {
    /// Decides before a request, at the end of a turn as well as inside a loop of tools.
    ///
    /// Linear in the messages after the last reported usage, but for counting images.
    #[must_use]
    pub fn decide(&self, messages: &[Message], counter: &dyn Counter, source: Source) -> Decision {
        let used = used(messages, counter).with_overhead(self.window.overhead);
        self.decide_used(messages, used, source)
    }

    /// The same with a count of the host's own.
    #[must_use]
    pub fn decide_used(&self, messages: &[Message], used: Used, source: Source) -> Decision {
        let verdict = match self.verdict(messages, used.total(), source) {
            Ok(trigger) => Verdict::Compact(trigger),
            Err(wait) => Verdict::Wait(wait),
        };
        let level = self.thresholds().map_or(Level::Free, |thresholds| {
            let total = used.total();
            if total >= thresholds.blocking {
                Level::Blocking
            } else if total >= thresholds.error {
                Level::Error
            } else if total >= thresholds.warning {
                Level::Warning
            } else {
                Level::Free
            }
        });
        Decision {
            verdict,
            used,
            thresholds: self.thresholds().cloned(),
            level,
            messages: messages.len(),
        }
    }

    fn verdict(&self, messages: &[Message], total: u64, source: Source) -> Result<Trigger, Wait> {
        if matches!(source, Source::Compaction | Source::Notes | Source::Context) {
            return Err(Wait::Recursion(source));
        }
        if !self.automatic().on {
            return Err(Wait::Disabled(self.automatic().decided_by));
        }
        if self.reactive {
            return Err(Wait::Reactive);
        }
        let (count, max) = (images(messages), self.window.max_images);
        if count > max {
            return Ok(Trigger::Images { count, max });
        }
        let thresholds = self.thresholds().ok_or(Wait::UnknownWindow)?;
        if total < thresholds.compact {
            return Err(Wait::Below);
        }
        let least = self.window.overhead.saturating_add(self.keep().min_tokens);
        if self.window.overhead > 0 && least >= thresholds.compact {
            return Err(Wait::NothingToGain { least });
        }
        let round_trips = round_trips(messages);
        if round_trips < MIN_ROUND_TRIPS {
            return Err(Wait::TooLittleHistory { round_trips });
        }
        Ok(Trigger::Tokens)
    }
}

/// Responses since the last summary that were answered, by results or by the person; counted only
/// as far as it matters.
pub(crate) fn round_trips(messages: &[Message]) -> usize {
    let since = &messages[floor(messages)..];
    let pairs = since.windows(2);
    let mut last = None;
    pairs
        .filter(|pair| pair[0].role == Role::Assistant && pair[1].role == Role::User)
        // A response whose calls were answered one by one is one.
        .filter(|pair| {
            let id = pair[0].id.as_deref();
            id.is_none() || std::mem::replace(&mut last, id) != id
        })
        .take(MIN_ROUND_TRIPS)
        .count()
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.verdict {
            Verdict::Compact(trigger) => write!(f, "compact: {trigger}")?,
            Verdict::Wait(wait) => write!(f, "wait: {wait}")?,
        }
        let Used { base, pending, .. } = self.used;
        write!(
            f,
            "; {} tokens ({base} reported, {pending} estimated)",
            self.used.total()
        )?;
        let Some(t) = &self.thresholds else {
            return Ok(());
        };
        let percent = self.used.total().saturating_mul(100) / t.window.max(1);
        write!(f, ", {percent} % of {}; threshold {}", t.window, t.compact)?;
        t.clamps.iter().try_for_each(|clamp| write!(f, "; {clamp}"))
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trigger::Tokens => f.write_str("the threshold is reached"),
            Trigger::Images { count, max } => {
                write!(f, "{count} images, and a request takes {max}")
            }
        }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wait::Recursion(source) => f.write_str(match source {
                Source::Compaction => "the request is a compaction itself",
                Source::Notes => "the request takes notes",
                _ => "the request is a helper's",
            }),
            Wait::Disabled(decider) => write!(f, "switched off by {decider}"),
            Wait::Reactive => f.write_str("reactive mode waits until a request is refused"),
            Wait::UnknownWindow => f.write_str("the model's window is unknown"),
            Wait::Below => f.write_str("the threshold is not reached"),
            Wait::NothingToGain { least } => {
                write!(f, "nothing to gain, {least} tokens stay in any case")
            }
            Wait::TooLittleHistory { round_trips } => {
                write!(
                    f,
                    "too little history, {round_trips} round trips of {MIN_ROUND_TRIPS}"
                )
            }
        }
    }
}
