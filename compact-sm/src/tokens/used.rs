//! What a conversation holds: the API's own figure for what it has seen, an estimate for the rest.

use super::Counter;
use crate::transcript::is_results;
use crate::{Message, Role};

/// What a conversation holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Used {
    /// What the last response reported, all inputs and its output; or the host's exact count. In
    /// tokens. Zero if nothing was reported.
    pub base: u64,
    /// The message that reported it, counted from 0.
    pub base_index: Option<usize>,
    /// What came after, estimated and padded; or all, if nothing was reported. In tokens.
    pub pending: u64,
}

impl Used {
    /// An exact count of the whole request, for example by the API's endpoint for it. In tokens.
    #[must_use]
    pub fn exact(tokens: u64) -> Used {
        Used {
            base: tokens,
            ..Used::default()
        }
    }

    /// The sum. In tokens.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.base.saturating_add(self.pending)
    }

    /// Adds what stands in no message, such as system prompt and tools, unless a report, which
    /// counts them, is the base.
    #[must_use]
    pub(crate) fn with_overhead(mut self, overhead: u64) -> Used {
        if self.base == 0 {
            self.pending = self.pending.saturating_add(overhead);
        }
        self
    }
}

/// What a conversation holds: the last reported usage is the base, and only what follows is
/// estimated.
#[must_use]
pub fn used(messages: &[Message], counter: &dyn Counter) -> Used {
    let mut used = reported(messages);
    let after = used.base_index.map_or(0, |at| at + 1);
    let pending = unseen(messages, used.base_index).chain(&messages[after..]);
    let pending = pending.fold(0_u64, |sum, message| {
        sum.saturating_add(counter.message(message))
    });
    used.pending = counter.padded(pending);
    used
}

/// What stands before the report and is not in it: results that came while the response was still
/// on its way, between its records. The report is of the request, which had none of them.
fn unseen(messages: &[Message], base: Option<usize>) -> impl Iterator<Item = &Message> {
    let response = base.and_then(|at| Some((at, messages.get(at)?.id.as_ref()?)));
    let between = response.map_or(&[][..], |(at, id)| {
        let mut first = at;
        for (before, message) in messages[..at].iter().enumerate().rev() {
            if message.role == Role::Assistant && message.id.as_ref() == Some(id) {
                first = before;
            } else if !is_results(message) {
                break;
            }
        }
        &messages[first..at]
    });
    between.iter().filter(|message| message.role == Role::User)
}

/// The base alone.
pub(crate) fn reported(messages: &[Message]) -> Used {
    let mut reported = messages
        .iter()
        .enumerate()
        .rev()
        .filter_map(|(at, message)| {
            let tokens = message.usage.as_ref()?.total();
            (tokens > 0).then_some((at, tokens))
        });
    let (base_index, base) = match reported.next() {
        Some((at, tokens)) => (Some(at), tokens),
        None => (None, 0),
    };
    Used {
        base,
        base_index,
        pending: 0,
    }
}

/// A conversation, before anything is done to it. In tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measure {
    /// All messages.
    pub(crate) all: u64,
    /// What stands in no message and stays, whatever is done: the part of a report that its
    /// messages do not explain.
    pub(crate) overhead: u64,
    /// What the conversation holds.
    pub(crate) before: u64,
}

/// Asks the counter about every message once.
pub(crate) fn measure(messages: &[Message], given: Option<Used>, counter: &dyn Counter) -> Measure {
    let mut used = given.unwrap_or_else(|| reported(messages));
    let known = used.base_index.map_or(0, |at| at.saturating_add(1));
    let (mut all, mut seen) = (0_u64, 0_u64);
    for (at, message) in messages.iter().enumerate() {
        all = all.saturating_add(counter.message(message));
        if at + 1 == known {
            seen = all;
        }
    }
    for message in unseen(messages, used.base_index) {
        seen = seen.saturating_sub(counter.message(message));
    }
    if given.is_none() {
        used.pending = counter.padded(all.saturating_sub(seen));
    }
    let overhead = match (used.base, used.base_index) {
        (0, _) => used.pending.saturating_sub(counter.padded(all)),
        (base, Some(_)) => base.saturating_sub(seen),
        (base, None) => base.saturating_sub(all),
    };
    Measure {
        all,
        overhead,
        before: used.total(),
    }
}
