//! The task of taking notes: what a fork of the conversation is told, and what it may do.

use super::guard::EditGuard;
use super::prompt;
use super::sections::over_budget;
use super::{SECTION_TOKENS, SectionSize, TOTAL_NOTES_TOKENS};
use crate::compact::safe_cuts;
use crate::keep::{Summarized, covered, floor, is_command};
use crate::summary::{Scope, SummaryOptions, open_calls, summary_request};
use crate::tokens::Counter;
use crate::{Block, Message, Role};

/// What notes are to be taken of, and where.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct NotesJob {
    /// The notes file, as the model is told.
    pub path: String,
    /// What stands in it: the template the first time.
    pub current: String,
    /// The person's own prompt, in which `{{currentNotes}}` and `{{notesPath}}` are replaced.
    pub prompt: Option<String>,
    /// How far the notes reach.
    pub summarized: Summarized,
    /// What the messages may have. In tokens; none if nothing is known.
    pub max_input_tokens: Option<u64>,
    /// Most of one section. In tokens.
    pub section_tokens: u64,
    /// Most of all sections together. In tokens.
    pub total_tokens: u64,
}

impl NotesJob {
    /// Notes at a path, with what stands there now.
    pub fn new(path: impl Into<String>, current: impl Into<String>) -> NotesJob {
        NotesJob {
            path: path.into(),
            current: current.into(),
            section_tokens: SECTION_TOKENS,
            total_tokens: TOTAL_NOTES_TOKENS,
            ..NotesJob::default()
        }
    }

    /// Sets the person's own prompt.
    #[must_use]
    pub fn prompt(mut self, text: impl Into<String>) -> NotesJob {
        self.prompt = Some(text.into());
        self
    }

    /// Sets how far the notes reach.
    #[must_use]
    pub fn summarized(mut self, summarized: Summarized) -> NotesJob {
        self.summarized = summarized;
        self
    }

    /// Sets what the messages may have. In tokens.
    #[must_use]
    pub fn max_input_tokens(mut self, tokens: u64) -> NotesJob {
        self.max_input_tokens = Some(tokens);
        self
    }

    /// Sets the most of one section, and of all. In tokens.
    #[must_use]
    pub fn budgets(mut self, section: u64, total: u64) -> NotesJob {
        (self.section_tokens, self.total_tokens) = (section, total);
        self
    }
}

/// The task for a fork of the conversation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NotesTask {
    /// The conversation, as far as there is room, and the prompt as its last message. With system
    /// prompt, tools and model of the conversation it is a request.
    pub messages: Vec<Message>,
    /// Messages before that which there was no room for; the notes cover them already.
    pub left_out: usize,
    /// Messages behind that which there was no room for; the next time takes them.
    pub still_to_come: usize,
    /// How far the notes reach once the task has succeeded; none if that does not change. Never
    /// beyond a turn whose calls wait for their results.
    pub summarized: Option<Summarized>,
    /// What the fork may do.
    pub guard: EditGuard,
    /// Sections that are over their budget; the prompt asks to shorten them.
    pub over_budget: Vec<SectionSize>,
}

/// The task of taking notes of what they do not cover yet.
///
/// If not everything has room, the oldest messages that the notes do not cover come first, up to
/// the border of a turn. A list that validates gives messages that do, by
/// [`Limits::request`](crate::Limits::request). Linear in the list.
#[must_use]
pub fn notes_task(messages: &[Message], job: &NotesJob, counter: &dyn Counter) -> NotesTask {
    let floor = floor(messages);
    let from = covered(messages, &job.summarized).unwrap_or(0);
    let from = from.clamp(floor, messages.len());
    let over_budget = over_budget(&job.current, job.section_tokens, job.total_tokens, counter);
    let prompt = prompt::take(job, &over_budget);
    let room = job.max_input_tokens.unwrap_or(u64::MAX);
    let room = room.saturating_sub(counter.text(&prompt));
    let (start, end) = bounded(messages, floor, from, room, counter);
    // An earlier summary is sent too, if there is room for everything behind it.
    let begin = if start == floor {
        floor.saturating_sub(1)
    } else {
        start
    };
    let options = SummaryOptions::new(Scope::Whole)
        .room(room)
        .images(crate::Images::Keep);
    let part = &messages[begin..end];
    let mut list = summary_request(part, &(0..part.len()), &options, counter).messages;
    if let Some(last) = list.last_mut() {
        last.content.blocks.pop();
        last.content.blocks.push(Block::text(prompt));
    }
    NotesTask {
        messages: list,
        left_out: begin,
        still_to_come: messages.len() - end,
        summarized: mark(messages, from, end),
        guard: EditGuard::new(job.path.as_str()),
        over_budget,
    }
}

/// As many turns behind `from` as have room, at least one, and then as many before it.
fn bounded(
    messages: &[Message],
    floor: usize,
    from: usize,
    room: u64,
    counter: &dyn Counter,
) -> (usize, usize) {
    let len = messages.len();
    let safe = safe_cuts(messages, floor);
    let size = |at: usize| counter.message(&messages[at]);
    let mut start = (floor..=from).rev().find(|at| safe[*at]).unwrap_or(floor);
    let (mut end, mut used, mut sum) = (start, 0_u64, 0_u64);
    for at in start..len {
        sum = sum.saturating_add(size(at));
        let is_border = at + 1 == len || safe[at + 1] && messages[at + 1].role == Role::User;
        if !is_border {
            continue;
        }
        if sum > room && end > from {
            break;
        }
        (end, used) = (at + 1, sum);
        if sum > room {
            break;
        }
    }
    let mut sum = used;
    for at in (floor..start).rev() {
        sum = sum.saturating_add(size(at));
        if sum > room {
            break;
        }
        // Behind an earlier summary, which is sent then, the model may come first.
        let may_begin = messages[at].role == Role::User || (at == floor && floor > 0);
        if safe[at] && may_begin {
            start = at;
        }
    }
    (start, end)
}

/// The last message that notes of this part cover.
fn mark(messages: &[Message], from: usize, end: usize) -> Option<Summarized> {
    let mut to = end;
    if !open_calls(&messages[..end]).is_empty() {
        let back = |to: usize, is_it: fn(&Message) -> bool| {
            to - messages[..to].iter().rev().take_while(|m| is_it(m)).count()
        };
        to = back(to, |message| message.role == Role::User);
        to = back(to, |message| message.role == Role::Assistant);
    }
    while to > from && is_command(&messages[to - 1]) {
        to -= 1;
    }
    if to <= from {
        return None;
    }
    Some(match &messages[to - 1].uuid {
        Some(uuid) => Summarized::Uuid(uuid.clone()),
        None => Summarized::Count(to),
    })
}
