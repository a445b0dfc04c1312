//! The task of taking notes: what a fork of the conversation is told, and what it may do.

use super::guard::EditGuard;
use super::prompt;
use super::sections::over_budget;
use super::{SECTION_TOKENS, SectionSize, TOTAL_NOTES_TOKENS};
use crate::compact::{not_waiting, safe_cuts};
use crate::keep::{Summarized, covered, floor, is_command};
use crate::summary::{
    Drop, Scope, SummaryOptions, cut_mark, is_cut_mark, open_call, open_calls, request_of,
};
use crate::tokens::{Counter, MESSAGE_TOKENS};
use crate::{Block, Message, Origin, Role};

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
    /// Messages of which a part is left out of the copy, because one round alone had no room.
    pub shortened: usize,
    /// Messages of one round that are left out of the copy but for what the person said, because
    /// they could not be shortened. The notes will count as if they knew of them. In items.
    pub unsent: usize,
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
/// the border of a turn; or if one turn alone has no room, up to a border between two rounds of
/// calls and results in it. If a single round has none, it is shortened in the copy, and if it
/// cannot be, as reasoning and many short pieces, it is left out but for what the person said. A list that validates
/// gives messages that do, by [`Limits::request`](crate::Limits::request); where they would begin
/// with a response, a mark stands before it. Linear in the list.
#[must_use]
pub fn notes_task(messages: &[Message], job: &NotesJob, counter: &dyn Counter) -> NotesTask {
    let floor = floor(messages);
    let from = covered(messages, &job.summarized).unwrap_or(0);
    let from = from.clamp(floor, messages.len());
    let over_budget = over_budget(&job.current, job.section_tokens, job.total_tokens, counter);
    let prompt = prompt::take(job, &over_budget);
    let room = job.max_input_tokens.unwrap_or(u64::MAX);
    let room = room.saturating_sub(counter.text(&prompt));
    let (begin, end) = bounded(messages, floor, from, room, counter);
    let options = SummaryOptions::new(Scope::Whole)
        .room(room)
        .images(crate::Images::Keep);
    let part = &messages[begin..end];
    let request = request_of(part, &(0..part.len()), &options, counter, Drop::Last);
    let mut list = request.messages;
    if let Some(first) = list.first_mut().filter(|first| is_cut_mark(first)) {
        *first = part_mark();
    }
    if let Some(last) = list.last_mut() {
        last.content.blocks.pop();
        last.content.blocks.push(Block::text(prompt));
    }
    NotesTask {
        messages: list,
        left_out: begin,
        still_to_come: messages.len() - end,
        shortened: request.shortened,
        unsent: request.left_out,
        summarized: mark(messages, floor, from, end),
        guard: EditGuard::new(job.path.as_str()),
        over_budget,
    }
}

/// The messages that a task takes: as many turns behind `from` as have room, or else as many
/// rounds, at least one; then as many turns before it, and an earlier summary in front of all.
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
    // What asked for a compaction is in no task, so a piece of nothing else would be empty.
    let commands = messages[from..]
        .iter()
        .take_while(|m| is_command(m))
        .count();
    let reach = from + commands;
    let (mut turns, mut rounds) = (None, None);
    let mut sum = frame(messages, counter);
    for at in start..len {
        sum = sum.saturating_add(size(at));
        let border = border(messages, &safe, at + 1);
        if border == Border::None || (at < reach && at + 1 < len) {
            continue;
        }
        if sum > room && rounds.is_some() {
            break;
        }
        rounds = Some((at + 1, sum));
        if border == Border::Turn {
            turns = rounds;
        }
        if sum > room {
            break;
        }
    }
    // A turn that has no room is divided only if no whole one comes before it.
    let within = |piece: &(usize, u64)| piece.1 <= room;
    let piece = turns.filter(within).or(rounds);
    let (end, used) = piece.unwrap_or((start, 0));
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
    // An earlier summary is sent too, if there is room for everything behind it.
    let has_summary = start == floor && floor > 0;
    let begin = match has_summary && sum.saturating_add(size(floor - 1)) <= room {
        true => floor - 1,
        false => start,
    };
    (begin, end)
}

/// Stands in front of a piece that begins with a response.
fn part_mark() -> Message {
    Message::user(prompt::PART).origin(Origin::Meta)
}

/// What stands around a piece, without the text of its prompt. In tokens.
fn frame(messages: &[Message], counter: &dyn Counter) -> u64 {
    let mark = counter
        .message(&part_mark())
        .max(counter.message(&cut_mark()));
    let results = open_calls(messages);
    let results = results.iter().map(|id| counter.block(&open_call(id)));
    results.fold(mark.saturating_add(MESSAGE_TOKENS), u64::saturating_add)
}

/// Where a piece may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Border {
    None,
    /// Between two rounds of one turn.
    Round,
    /// Before what the person says, and at the end.
    Turn,
}

fn border(messages: &[Message], safe: &[bool], at: usize) -> Border {
    match messages.get(at).map(|message| message.role) {
        None => Border::Turn,
        Some(_) if !safe[at] => Border::None,
        Some(Role::User) => Border::Turn,
        // Two responses in a row are one turn of the API, of which a part may not end everywhere.
        Some(Role::Assistant) if at > 0 && messages[at - 1].role == Role::User => Border::Round,
        Some(Role::Assistant) => Border::None,
    }
}

/// The last message that notes of this part cover.
fn mark(messages: &[Message], floor: usize, from: usize, end: usize) -> Option<Summarized> {
    // Only at the end of the list do calls wait; elsewhere nobody will answer them.
    let mut to = match end == messages.len() {
        true => not_waiting(messages, floor),
        false => end,
    };
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
