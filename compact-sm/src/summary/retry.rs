//! A request for a summary that was too long itself: its oldest part goes.

use super::SummaryRequest;
use super::fit::{Drop, fit};
use super::prompt::{CUT_MARK, WORDS_MARK};
use super::request::marks;
use crate::keep::is_summary;
use crate::tokens::Counter;
use crate::{Message, Origin, Role};

/// How often a request is made shorter, in tries. Origin: several analyses.
pub const MAX_TRIMS: u32 = 3;

/// One group of so many is left out, if nobody said by how much the request is too long. In items.
/// Origin: several analyses, as 20 %.
const SHARE: usize = 5;

/// What was left out of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Trim {
    /// These.
    Dropped {
        /// Rounds: a response with what follows it.
        groups: usize,
        /// Messages.
        messages: usize,
    },
    /// Nothing, because only one round is there, and nothing in it can be shortened.
    OneLeft,
}

impl SummaryRequest {
    /// Leaves out the oldest rounds: as many as cover what the request is too long by, in tokens,
    /// or every fifth; one remains in any case, and is shortened where it can be. An earlier summary stays, because nothing else
    /// tells of what it stands for. Images and documents become marks.
    ///
    /// Linear in the list.
    pub fn trim(&mut self, over_by: Option<u64>, counter: &dyn Counter) -> Trim {
        let (mut saved, mut marked_media) = (0_u64, 0);
        for message in &mut self.messages {
            let has_media = message
                .content
                .blocks
                .iter()
                .any(|block| !matches!(block, crate::Block::Text { .. }));
            if has_media && over_by.is_some() {
                let before = counter.message(message);
                marked_media += marks(&mut message.content);
                saved = saved.saturating_add(before.saturating_sub(counter.message(message)));
            } else if has_media {
                marked_media += marks(&mut message.content);
            }
        }
        let first = usize::from(self.messages.first().is_some_and(is_summary));
        let marked = self.messages.get(first).is_some_and(is_cut_mark);
        if marked {
            self.messages.remove(first);
        }
        let last = self.messages.len().saturating_sub(1);
        let starts = groups(&self.messages[first.min(last)..last]);
        let drop = match over_by {
            None => (starts.len() / SHARE).max(1),
            Some(tokens) => {
                let tokens = tokens.saturating_sub(saved);
                let mut ends = starts[1.min(starts.len())..].iter().map(|end| first + end);
                let (mut sum, mut at, mut groups) = (0_u64, first, 0);
                while sum < tokens
                    && let Some(end) = ends.next()
                {
                    let sizes = self.messages[at..end].iter().map(|m| counter.message(m));
                    sum = sizes.fold(sum, u64::saturating_add);
                    (at, groups) = (end, groups + 1);
                }
                // Images were all that was too much, but a retry has to be another request.
                if marked_media == 0 {
                    groups.max(1)
                } else {
                    groups
                }
            }
        };
        let drop = drop.min(starts.len().saturating_sub(1));
        if drop == 0 {
            if marked {
                self.messages.insert(first, cut_mark());
            }
            if marked_media > 0 || self.shorten(over_by, counter) {
                return Trim::Dropped {
                    groups: 0,
                    messages: 0,
                };
            }
            return Trim::OneLeft;
        }
        let messages = starts[drop];
        self.messages.splice(first..first + messages, [cut_mark()]);
        Trim::Dropped {
            groups: drop,
            messages,
        }
    }
}

impl SummaryRequest {
    /// Shortens what is left, by as much as it is too long or by half; says whether anything was.
    fn shorten(&mut self, over_by: Option<u64>, counter: &dyn Counter) -> bool {
        let Some(prompt) = self.messages.pop() else {
            return false;
        };
        let sizes = self.messages.iter().map(|message| counter.message(message));
        let all = sizes.fold(0_u64, u64::saturating_add);
        let room = all.saturating_sub(over_by.unwrap_or(all / 2).max(1));
        let fitted = fit(&mut self.messages, room, counter, Drop::Nothing);
        self.messages.push(prompt);
        self.shortened += fitted.shortened;
        fitted.shortened > 0
    }
}

/// Stands for what was left out.
pub(crate) fn cut_mark() -> Message {
    Message::user(CUT_MARK).origin(Origin::Meta)
}

/// Does it stand for what was left out?
pub(crate) fn is_cut_mark(message: &Message) -> bool {
    message.role == Role::User
        && matches!(
            message.content.blocks.as_slice(),
            [block] if matches!(block.as_text(), Some(CUT_MARK | WORDS_MARK))
        )
}

/// Where rounds begin: at each response, and before what the user said first. The records of one
/// response are one, and so are neighbors, whose results may stand together behind them.
pub(super) fn groups(messages: &[Message]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut id = None;
    let mut spoke = Role::User;
    for (at, message) in messages.iter().enumerate() {
        let is_new = message.role == Role::Assistant
            && spoke == Role::User
            && (message.id.is_none() || message.id != id);
        if at == 0 || is_new {
            starts.push(at);
        }
        if message.role == Role::Assistant {
            id.clone_from(&message.id);
        }
        spoke = message.role;
    }
    starts
}
