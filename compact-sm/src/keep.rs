//! Which messages stay as they are.

use std::collections::HashSet;
use std::ops::Range;

use crate::boundary::read_boundary_text;
use crate::config::KeepConfig;
use crate::tokens::Counter;
use crate::transcript::is_results;
use crate::{Block, Message, Origin, Role};

/// How far the notes reach.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Summarized {
    /// Nobody knows, as in a session that was resumed: they are taken to cover everything that is
    /// not kept.
    #[default]
    Unknown,
    /// So many messages from the start.
    Count(usize),
    /// Up to and with the message of this `uuid`.
    Uuid(String),
}

/// Why the kept tail begins where it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Stop {
    /// The minima are reached.
    Minima,
    /// One turn more would have exceeded the maximum.
    Maximum,
    /// The last summary stands before it, or the beginning.
    Floor,
    /// What the notes do not cover is more than the maximum by itself.
    NotCovered,
    /// There is no place to cut: results without calls stand in the way.
    NoCut,
}

/// The kept tail.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Kept {
    /// The messages, counted from 0.
    pub range: Range<usize>,
    /// Messages in the range that do not stay: the commands that asked for a compaction.
    pub left_out: Vec<usize>,
    /// What stays. In tokens.
    pub tokens: u64,
    /// Messages with text among what stays.
    pub text_messages: usize,
    /// Why it begins there.
    pub stop: Stop,
}

/// Which messages stay: from the first one that the notes do not cover, extended backwards until
/// both minima are reached, but not beyond the maximum or the last summary.
///
/// A call and its result, and the records of one response, are kept together or not at all; so the
/// last turn stays even if it exceeds the maximum. A `uuid` that is not in the list counts as
/// [`Summarized::Unknown`]. Linear in the list, and asks the counter about the tail alone.
#[must_use]
pub fn keep_window(
    messages: &[Message],
    summarized: &Summarized,
    config: &KeepConfig,
    counter: &dyn Counter,
) -> Kept {
    let floor = floor(messages);
    let end = messages.len();
    let from = covered(messages, summarized).unwrap_or(end);
    let from = from.clamp(floor, end);
    let from = from
        + messages[from..]
            .iter()
            .take_while(|m| is_command(m))
            .count();
    let mut tail = Tail::default();
    let mut kept = Kept {
        range: end..end,
        left_out: Vec::new(),
        tokens: 0,
        text_messages: 0,
        stop: Stop::Floor,
    };
    let mut commands = Vec::new();
    for at in (floor..end).rev() {
        let message = &messages[at];
        if is_command(message) {
            commands.push(at);
            continue;
        }
        tail.add(at, message, counter);
        if !tail.open.is_empty() || splits_response(messages, at, floor) {
            continue;
        }
        let is_first = kept.range.is_empty();
        // A turn that reaches into what the notes do not cover has to stay.
        let is_due = tail.newest.take().is_some_and(|newest| newest >= from);
        if tail.tokens > config.max_tokens && !is_first {
            if !is_due {
                kept.stop = Stop::Maximum;
                break;
            }
            kept.stop = Stop::NotCovered;
        }
        kept.range.start = at;
        kept.tokens = tail.tokens;
        kept.text_messages = tail.text_messages;
        kept.left_out.append(&mut commands);
        let enough =
            tail.tokens >= config.min_tokens && tail.text_messages >= config.min_text_messages;
        if at <= from && (enough || kept.stop == Stop::NotCovered) {
            if kept.stop != Stop::NotCovered {
                kept.stop = Stop::Minima;
            }
            break;
        }
    }
    // Nothing may be cut, or not where the notes end.
    let lost = tail.newest.is_some_and(|newest| newest >= from);
    if lost || (kept.range.is_empty() && tail.messages > 0) {
        kept.range.start = floor;
        kept.tokens = tail.tokens;
        kept.text_messages = tail.text_messages;
        kept.stop = Stop::NoCut;
    }
    kept.left_out.sort_unstable();
    kept
}

/// What a walk from the end has seen.
#[derive(Default)]
struct Tail<'a> {
    tokens: u64,
    text_messages: usize,
    messages: usize,
    /// The newest message since the last place to cut.
    newest: Option<usize>,
    /// Results whose call is still to come.
    open: HashSet<&'a str>,
}

impl<'a> Tail<'a> {
    fn add(&mut self, at: usize, message: &'a Message, counter: &dyn Counter) {
        self.messages += 1;
        self.newest.get_or_insert(at);
        self.tokens = self.tokens.saturating_add(counter.message(message));
        self.text_messages += usize::from(message.has_text());
        for block in message.content.blocks.iter().rev() {
            match block {
                Block::ToolResult { tool_use_id, .. } => {
                    self.open.insert(tool_use_id);
                }
                Block::ToolUse { id, .. } => {
                    self.open.remove(id.as_str());
                }
                _ => {}
            }
        }
    }
}

/// The first message that the notes do not cover; none if that is not known.
pub(crate) fn covered(messages: &[Message], summarized: &Summarized) -> Option<usize> {
    match summarized {
        Summarized::Unknown => None,
        Summarized::Count(count) => Some((*count).min(messages.len())),
        Summarized::Uuid(uuid) => {
            let is_it = |message: &Message| message.uuid.as_ref() == Some(uuid);
            // If several have it, the first one loses nothing.
            messages.iter().position(is_it).map(|at| at + 1)
        }
    }
}

/// Does a cut before this message go through a response? Its records may have the results of its
/// first calls between them, and records without an id belong to their neighbors.
pub(crate) fn splits_response(messages: &[Message], at: usize, floor: usize) -> bool {
    let message = &messages[at];
    if message.role != Role::Assistant {
        return false;
    }
    let before = &messages[floor..at];
    let results = before.iter().rev().take_while(|m| is_results(m)).count();
    let Some(last) = before.iter().rev().nth(results) else {
        return false;
    };
    last.role == Role::Assistant
        && match (&last.id, &message.id) {
            (Some(last), Some(this)) => last == this,
            _ => results == 0,
        }
}

/// Where the messages begin that may be kept: behind the last summary.
pub(crate) fn floor(messages: &[Message]) -> usize {
    messages
        .iter()
        .rposition(is_summary)
        .map_or(0, |summary| summary + 1)
}

/// A summary by its origin, or by the text form of a boundary.
pub(crate) fn is_summary(message: &Message) -> bool {
    if message.origin == Origin::Summary {
        return true;
    }
    message.role == Role::User
        && message.content.blocks.first().is_some_and(|block| {
            let text = block.as_text().unwrap_or_default();
            read_boundary_text(text).is_some()
        })
}

/// The command that asks for a compaction: as it was typed, or as the client records it. What it
/// asked for has been done, so it must not be read as a request again.
pub(crate) fn is_command(message: &Message) -> bool {
    let [Block::Text { text, .. }, beside @ ..] = message.content.blocks.as_slice() else {
        return false;
    };
    // Hosts put reminders beside what was typed.
    let reminds = |block: &Block| {
        let text = block.as_text().unwrap_or_default().trim_start();
        text.starts_with("<system-reminder>")
    };
    if !beside.iter().all(reminds) {
        return false;
    }
    let text = text.trim_start();
    let typed = text.strip_prefix("/compact").is_some_and(|rest| {
        let mut rest = rest.chars();
        rest.next().is_none_or(char::is_whitespace)
    });
    message.role == Role::User
        && (typed
            || text.starts_with("<command-name>/compact</command-name>")
            || (text.starts_with("<command-message>compact</command-message>")
                && text.contains("<command-name>/compact</command-name>")))
}
