//! What a compaction came to.

use std::error::Error as StdError;
use std::fmt;

use crate::boundary::Boundary;
use crate::breaker::Refusal;
use crate::from_notes::Fallback;
use crate::hooks::{HookResult, IfBlocked};
use crate::keep::Summarized;
use crate::micro::{Clearing, NotCleared};
use crate::reinject::SessionStart;
use crate::restore::{Attachment, Restored};
use crate::summary::{BadSummary, open_calls};
use crate::transcript::shape;
use crate::window::Switch;
use crate::{Message, Origin};

/// A way to compact, the cheapest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Way {
    /// Old results of tools are cleared.
    Micro,
    /// The notes stand for what is left out.
    Notes,
    /// A summary does.
    Summary,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::Micro => "micro-compaction",
            Way::Notes => "notes",
            Way::Summary => "summary",
        })
    }
}

/// A way that was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Tried {
    /// The way.
    pub way: Way,
    /// Why.
    pub why: PassedOver,
}

/// Why a way was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum PassedOver {
    /// The host did not offer it.
    NotOffered,
    /// The person asked for a summary.
    PersonAsked,
    /// It is switched off, and this is what decided.
    SwitchedOff(String),
    /// There is nothing to clear.
    NotCleared(NotCleared),
    /// The threshold would still be reached, or the window that the service named.
    NotEnough {
        /// What the conversation would hold. In tokens.
        after: u64,
        /// What it has to stay below, if that is known. In tokens.
        limit: Option<u64>,
    },
    /// The notes will not do.
    Notes(Fallback),
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.way)?;
        match &self.why {
            PassedOver::NotOffered => f.write_str("not offered"),
            PassedOver::PersonAsked => f.write_str("the person asked for a summary"),
            PassedOver::SwitchedOff(by) => write!(f, "switched off by {by}"),
            PassedOver::NotCleared(NotCleared::NotIdle { left }) => {
                write!(f, "not idle for {} s more", left.as_secs())
            }
            PassedOver::NotCleared(NotCleared::NothingOld) => f.write_str("nothing to clear"),
            PassedOver::NotEnough { after, limit } => {
                write!(f, "{after} tokens would be left")?;
                limit.map_or(Ok(()), |limit| write!(f, ", expected fewer than {limit}"))
            }
            PassedOver::Notes(why) => why.fmt(f),
        }
    }
}

/// A compacted conversation, of which the host's is still untouched.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Compaction {
    /// What it was made by.
    pub by: Way,
    /// Cheaper ways, and why they were passed over.
    pub attempts: Vec<Tried>,
    /// The record; none after micro-compaction, which leaves out no message.
    pub boundary: Option<Boundary>,
    /// What stands before a part that was summarized, as it was.
    pub head: Vec<Message>,
    /// What stands for what was left out; nothing after micro-compaction.
    pub summary_messages: Vec<Message>,
    /// What stays. The messages have no usage any more, because theirs tells of the conversation
    /// before.
    pub kept: Vec<Message>,
    /// What was brought back, in the order of `restored`.
    pub attachments: Vec<Message>,
    /// What the hooks of the session's start said, as `hooks` has it.
    pub hook_results: Vec<Message>,
    /// What was brought back, what was not, and which files are present again.
    pub restored: Restored,
    /// The hooks of the session's start.
    pub hooks: Vec<HookResult>,
    /// What the next request has to hold: what a session starts with, what its hooks said, what
    /// was brought back. [`SessionStart::missing`] checks it. Nothing after micro-compaction, which
    /// takes nothing of it away.
    pub reinject: SessionStart,
    /// Results that micro-compaction cleared.
    pub cleared: Vec<Clearing>,
    /// Messages that not even the summary knows of, because the request was too long with them.
    pub trimmed: usize,
    /// How far the notes reach in the new list.
    pub summarized: Summarized,
    /// What the conversation held. In tokens.
    pub before: u64,
    /// What it holds. In tokens, estimated.
    pub after: u64,
    pub(super) shape: u64,
}

impl Compaction {
    /// Was it made from this list? If the session was cleared or went on meanwhile, a late result
    /// must not bring the old one back.
    #[must_use]
    pub fn is_for(&self, messages: &[Message]) -> bool {
        shape(messages) == self.shape
    }

    /// The new conversation: what stands before, the summary, what was kept, attachments, results
    /// of hooks.
    ///
    /// If calls in what was kept wait for their results, those have to follow at once: then
    /// attachments and results of hooks stand right behind the summary.
    #[must_use]
    pub fn into_messages(self) -> Vec<Message> {
        let mut list = self.head;
        list.extend(self.summary_messages);
        let extras = self.attachments.into_iter().chain(self.hook_results);
        if open_calls(&self.kept).is_empty() {
            list.extend(self.kept);
            list.extend(extras);
        } else {
            list.extend(extras);
            list.extend(self.kept);
        }
        list
    }

    /// How many messages that are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.head.len()
            + self.summary_messages.len()
            + self.kept.len()
            + self.attachments.len()
            + self.hook_results.len()
    }

    /// Are there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn attach(&mut self, restored: Restored) {
        let messages = restored.attachments.iter().map(Attachment::to_message);
        self.attachments = messages.collect();
        self.restored = restored;
    }

    /// The list of what has to be there.
    pub(super) fn list(&mut self, start: Option<&SessionStart>) {
        let mut list = start.cloned().unwrap_or_default();
        for hook in &self.hooks {
            list = list.hook(&hook.name, &hook.text);
        }
        for attachment in &self.restored.attachments {
            list = list.restored(&attachment.name, &attachment.text);
        }
        self.reinject = list;
    }

    pub(super) fn hooked(&mut self, hooks: Vec<HookResult>) {
        self.hook_results = hooks.iter().filter_map(HookResult::to_message).collect();
        self.hooks = hooks;
    }

    /// The text that stands for what was left out.
    #[must_use]
    pub fn summary_text(&self) -> String {
        let texts = self.summary_messages.iter().flat_map(Message::texts);
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// Why there is no compaction. The history is as it was.
#[derive(Debug)]
#[non_exhaustive]
pub struct NotCompacted {
    /// Why.
    pub why: WhyNot,
    /// Cheaper ways, and why they were passed over.
    pub attempts: Vec<Tried>,
}

/// Why there is no compaction.
#[derive(Debug)]
#[non_exhaustive]
pub enum WhyNot {
    /// It may not begin.
    NotStarted(Refusal),
    /// It is switched off, and this is what decided.
    SwitchedOff(String),
    /// A hook objects.
    Blocked {
        /// Why, as the hook says.
        reason: String,
        /// What becomes of it.
        then: IfBlocked,
    },
    /// The deadline passed.
    Deadline,
    /// There is too little to summarize.
    TooFewMessages,
    /// The selected run has nothing in it, or lies before the last summary.
    BadRun,
    /// The answer is no summary.
    BadSummary(BadSummary),
    /// The request for a summary stayed too long, although its oldest part was left out.
    TooLong {
        /// Requests that were made.
        requests: u32,
    },
    /// The result would not be shorter, with what came back and what hooks said.
    DoesNotShrink {
        /// What was there before. In tokens.
        before: u64,
        /// What would be there then. In tokens.
        after: u64,
    },
    /// The result would reach the threshold at once.
    StillTooLarge {
        /// What the conversation would hold. In tokens.
        after: u64,
        /// What it has to stay below. In tokens.
        threshold: u64,
    },
    /// The model could not be asked.
    Summarizer(Box<dyn StdError + Send + Sync>),
}

impl NotCompacted {
    pub(super) fn new(why: WhyNot) -> NotCompacted {
        NotCompacted {
            why,
            attempts: Vec::new(),
        }
    }
}

impl fmt::Display for NotCompacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            WhyNot::NotStarted(why) => why.fmt(f),
            WhyNot::SwitchedOff(by) => write!(f, "compaction is switched off by {by}"),
            WhyNot::Blocked { reason, .. } => write!(f, "blocked by a hook: {reason}"),
            WhyNot::Deadline => f.write_str("the deadline passed"),
            WhyNot::TooFewMessages => f.write_str("not enough messages to compact"),
            WhyNot::BadRun => f.write_str("expected a run of messages behind the last summary"),
            WhyNot::BadSummary(why) => why.fmt(f),
            WhyNot::TooLong { requests } => write!(
                f,
                "the request for a summary was too long, {requests} times, each shorter than before"
            ),
            WhyNot::StillTooLarge { after, threshold } => write!(
                f,
                "{after} tokens would be left, expected fewer than {threshold}"
            ),
            WhyNot::DoesNotShrink { before, after } => {
                write!(f, "{after} tokens would not be fewer than {before}")
            }
            WhyNot::Summarizer(_) => f.write_str("the model could not be asked for a summary"),
        }
    }
}

impl StdError for NotCompacted {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.why {
            WhyNot::NotStarted(why) => Some(why),
            WhyNot::BadSummary(why) => Some(why),
            WhyNot::Summarizer(why) => Some(&**why),
            _ => None,
        }
    }
}

/// What decided about a switch, in words.
pub(super) fn decider(switch: &Switch) -> String {
    switch.decided_by.to_string()
}

/// A message that stays: its usage tells of the conversation before.
pub(super) fn stays(message: &Message) -> Message {
    let mut message = message.clone();
    message.usage = None;
    message
}

/// Where a summary stands that has other messages before it, it is no end of the list.
pub(super) fn origin(head: &[Message]) -> Origin {
    match head.is_empty() {
        true => Origin::Summary,
        false => Origin::Meta,
    }
}
