//! Makes the copy of a conversation fit the room that a request has for it.
//!
//! What is shortened keeps its place, so that every call has its result. What is left out goes
//! from the oldest end, whole rounds at a time, and what the person said in them stays as long as
//! it can. Reasoning is signed, so it stays as it is or goes with its round.

use serde_json::Value;

use super::head;
use super::prompt::{RECENT_MARK, UNKNOWN_MARK, WORDS_MARK, shortened};
use super::request::marks;
use super::retry::{groups, is_cut_mark};
use crate::keep::is_summary;
use crate::tokens::Counter;
use crate::transcript::is_results;
use crate::{Block, Content, Message, Origin, Role};

/// The longest text that is never shortened at first. In bytes; our own choice.
const LONG_BYTES: usize = 2_000;

/// The same if that was not enough.
const SHORT_BYTES: usize = 400;

/// May rounds be left out?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Drop {
    /// The oldest ones, and the last one if it cannot be shortened.
    Oldest,
    /// Only if it is the last one and cannot be shortened: the host takes the list in pieces.
    Last,
    /// No.
    Nothing,
}

/// What became of a list.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Fitted {
    /// Messages of which a part is left out.
    pub(super) shortened: usize,
    /// Messages that are left out.
    pub(super) left_out: usize,
}

/// What is shortened, in this order.
const STEPS: [Step; 5] = [
    Step::Results(LONG_BYTES),
    Step::Media,
    Step::Results(SHORT_BYTES),
    Step::Arguments(SHORT_BYTES),
    Step::Unknown,
];

/// What is shortened last, when no round is left that could go.
const LAST_STEPS: [Step; 2] = [Step::Texts(LONG_BYTES), Step::Texts(SHORT_BYTES)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Results longer than this, in bytes.
    Results(usize),
    /// Images and documents.
    Media,
    /// Texts in the arguments of calls.
    Arguments(usize),
    /// Blocks of which nothing is known, all of them: one may be the result of another.
    Unknown,
    /// What was said.
    Texts(usize),
}

/// Shortens and leaves out until the list has room, the oldest first. Linear.
pub(super) fn fit(list: &mut Vec<Message>, room: u64, counter: &dyn Counter, drop: Drop) -> Fitted {
    let sizes: Vec<u64> = list.iter().map(|m| counter.message(m)).collect();
    let total = sizes.iter().fold(0_u64, |sum, n| sum.saturating_add(*n));
    let mut fit = Fit {
        touched: vec![false; sizes.len()],
        sizes,
        total,
        room,
        counter,
    };
    let mut left_out = 0;
    fit.steps(list, &STEPS);
    if drop == Drop::Oldest {
        left_out = fit.rounds(list);
    }
    fit.steps(list, &LAST_STEPS);
    if drop != Drop::Nothing {
        left_out += fit.last_round(list);
    }
    if drop == Drop::Oldest && left_out > 0 {
        left_out += fit.words(list);
    }
    Fitted {
        shortened: fit.touched.iter().filter(|touched| **touched).count(),
        left_out,
    }
}

struct Fit<'a> {
    /// Tokens of each message.
    sizes: Vec<u64>,
    /// Messages that are shorter than they were.
    touched: Vec<bool>,
    total: u64,
    room: u64,
    counter: &'a dyn Counter,
}

impl Fit<'_> {
    fn has_room(&self) -> bool {
        self.total <= self.room
    }

    fn steps(&mut self, list: &mut [Message], steps: &[Step]) {
        for step in steps {
            if self.has_room() {
                return;
            }
            for (at, message) in list.iter_mut().enumerate() {
                if self.has_room() && *step != Step::Unknown {
                    return;
                }
                // Nothing else tells of what an earlier summary stands for.
                let is_kept = matches!(step, Step::Texts(_)) && is_summary(message);
                if !is_kept && shorten(message, *step) {
                    let size = self.counter.message(message);
                    self.total = self
                        .total
                        .saturating_sub(self.sizes[at])
                        .saturating_add(size);
                    self.sizes[at] = size;
                    self.touched[at] = true;
                }
            }
        }
    }

    /// Leaves out the oldest rounds but for what the person said; one round remains.
    fn rounds(&mut self, list: &mut Vec<Message>) -> usize {
        if self.has_room() {
            return 0;
        }
        let first = usize::from(list.first().is_some_and(is_summary));
        let mut starts = groups(&list[first..]);
        let last = starts.pop().map_or(first, |start| first + start);
        let mark = Message::user(WORDS_MARK).origin(Origin::Meta);
        self.total = self.total.saturating_add(self.counter.message(&mark));
        let ends = starts.iter().skip(1).map(|end| first + end).chain([last]);
        let (mut at, mut gone) = (first, 0);
        let mut stays: Vec<(Message, u64, bool)> = Vec::new();
        for end in ends {
            if self.has_room() {
                break;
            }
            for (message, place) in list[at..end].iter_mut().zip(at..) {
                self.total = self.total.saturating_sub(self.sizes[place]);
                let Some(said) = said(message) else {
                    gone += 1;
                    continue;
                };
                let size = self.counter.message(&said);
                self.total = self.total.saturating_add(size);
                stays.push((said, size, self.touched[place]));
            }
            at = end;
        }
        if gone == 0 {
            // Somebody spoke, and nothing else is there that could go.
            let said = stays.into_iter().map(|(said, ..)| said);
            list.splice(first..at, said);
            self.total = self.total.saturating_sub(self.counter.message(&mark));
            return 0;
        }
        stays.insert(0, (mark, 0, false));
        stays[0].1 = self.counter.message(&stays[0].0);
        self.sizes
            .splice(first..at, stays.iter().map(|(_, size, _)| *size));
        self.touched
            .splice(first..at, stays.iter().map(|(.., touched)| *touched));
        list.splice(first..at, stays.into_iter().map(|(said, ..)| said));
        gone
    }

    /// Leaves out the last round too, if nothing else is left that could go: reasoning cannot be
    /// shortened, nor can thousands of short results. What the person said stays.
    fn last_round(&mut self, list: &mut Vec<Message>) -> usize {
        if self.has_room() {
            return 0;
        }
        let first = usize::from(list.first().is_some_and(is_summary));
        let summary = self.sizes[..first].iter().sum::<u64>();
        if summary > self.room {
            // It would have too much without the round as well.
            return 0;
        }
        let is_marked = list.get(first).is_some_and(is_cut_mark);
        let from = first + usize::from(is_marked);
        let mut gone = 0;
        let (mut stays, mut sizes, mut touched) = (Vec::new(), Vec::new(), Vec::new());
        for (message, at) in list[from..].iter_mut().zip(from..) {
            match said(message) {
                Some(said) => {
                    sizes.push(self.counter.message(&said));
                    touched.push(self.touched[at]);
                    stays.push(said);
                }
                None => gone += 1,
            }
        }
        if gone > 0 && !is_marked {
            let mark = Message::user(WORDS_MARK).origin(Origin::Meta);
            sizes.insert(0, self.counter.message(&mark));
            touched.insert(0, false);
            stays.insert(0, mark);
        }
        list.splice(from.., stays);
        self.sizes.splice(from.., sizes);
        self.touched.splice(from.., touched);
        let sizes = self.sizes.iter();
        self.total = sizes.fold(0_u64, |sum, n| sum.saturating_add(*n));
        gone
    }

    /// Leaves out what is left of rounds that went, behind the mark that says so.
    fn words(&mut self, list: &mut Vec<Message>) -> usize {
        let first = 1 + usize::from(list.first().is_some_and(is_summary));
        let words = list.iter().skip(first);
        let words = words
            .take_while(|message| message.role == Role::User)
            .count();
        let mut gone = 0;
        while gone < words && !self.has_room() {
            self.total = self.total.saturating_sub(self.sizes[first + gone]);
            gone += 1;
        }
        list.drain(first..first + gone);
        self.touched.drain(first..first + gone);
        gone
    }
}

/// What the person said in a message, taken out of it; none if it is somebody else's.
fn said(message: &mut Message) -> Option<Message> {
    if message.role != Role::User || is_results(message) {
        return None;
    }
    let is_mark = message.texts().next() == Some(RECENT_MARK);
    if message.origin == Origin::Meta && !is_mark {
        return None;
    }
    message
        .content
        .blocks
        .retain(|block| !matches!(block, Block::ToolResult { .. }));
    Some(std::mem::replace(message, Message::user("")))
}

/// Shortens a message; says whether anything was.
fn shorten(message: &mut Message, step: Step) -> bool {
    if step == Step::Media {
        return marks(&mut message.content) > 0;
    }
    if step == Step::Unknown {
        return unknown(&mut message.content);
    }
    let mut any = false;
    for block in &mut message.content.blocks {
        any |= match (step, block) {
            (
                Step::Results(most),
                Block::ToolResult {
                    content: Some(content),
                    ..
                },
            ) => texts(content, most),
            (Step::Arguments(most), Block::ToolUse { input, .. }) => strings(input, most),
            (Step::Texts(most), Block::Text { text, .. }) => cut(text, most),
            _ => false,
        };
    }
    any
}

/// Puts marks in the place of blocks of which nothing is known.
fn unknown(content: &mut Content) -> bool {
    let mut any = false;
    for block in &mut content.blocks {
        match block {
            Block::Other(_) => {
                *block = Block::text(UNKNOWN_MARK);
                any = true;
            }
            Block::ToolResult {
                content: Some(inner),
                ..
            } => any |= unknown(inner),
            _ => {}
        }
    }
    any
}

fn texts(content: &mut Content, most: usize) -> bool {
    let mut any = false;
    for block in &mut content.blocks {
        if let Block::Text { text, .. } = block {
            any |= cut(text, most);
        }
    }
    any
}

fn strings(value: &mut Value, most: usize) -> bool {
    let mut any = false;
    match value {
        Value::String(text) => any = cut(text, most),
        Value::Array(list) => list.iter_mut().for_each(|v| any |= strings(v, most)),
        Value::Object(map) => map.values_mut().for_each(|v| any |= strings(v, most)),
        _ => {}
    }
    any
}

/// Half of the most that is never shortened, and how much more there was.
fn cut(text: &mut String, most: usize) -> bool {
    if text.len() <= most {
        return false;
    }
    let kept = head(text, most / 2);
    *text = format!("{kept}{}", shortened(text.len() - kept.len()));
    true
}
