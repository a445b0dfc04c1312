//! The law of a valid conversation: what every request has to obey, found out without sending it.

mod blocks;
mod ids;
mod repair;
mod rule;

pub use repair::{Repair, RepairKind, Repaired, repair};
pub use rule::{Kind, Rule, Violation};

use std::collections::{HashMap, HashSet};

pub(crate) use blocks::{
    count, images, is_empty_text, is_malformed, is_malformed_inside, is_results, object, shape,
};

use crate::{Block, Message, Role};

/// Images that one request takes: 100 items on models with a window of 200,000 tokens. Origin: the
/// API's documentation; larger models take 600.
pub const MAX_IMAGES: usize = 100;

/// Documents that one request takes, counted in items: each has at least one page, and pages share
/// the limit of images. Origin: the API's documentation.
pub const MAX_DOCUMENTS: usize = 100;

/// Marks of the prompt cache in one request, in items. Origin: the API's documentation.
pub const MAX_CACHE_MARKS: usize = 4;

/// How a list of messages may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ending {
    /// As a history: the model spoke last, or its calls wait for their results.
    #[default]
    History,
    /// As a request: every call has its result, and the user speaks last.
    Request,
}

/// What a list is measured by.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How the list may end.
    pub ending: Ending,
    /// Most images. In items.
    pub images: usize,
    /// Most documents. In items.
    pub documents: usize,
    /// Most cache marks in the messages; lower it by those in system prompt and tools. In items.
    pub cache_marks: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            ending: Ending::History,
            images: MAX_IMAGES,
            documents: MAX_DOCUMENTS,
            cache_marks: MAX_CACHE_MARKS,
        }
    }
}

impl Limits {
    /// The limits of a list that is sent as it is.
    #[must_use]
    pub fn request() -> Limits {
        Limits {
            ending: Ending::Request,
            ..Limits::default()
        }
    }

    /// Sets the most images.
    #[must_use]
    pub fn images(mut self, images: usize) -> Limits {
        self.images = images;
        self
    }

    /// Sets the most documents.
    #[must_use]
    pub fn documents(mut self, documents: usize) -> Limits {
        self.documents = documents;
        self
    }

    /// Sets the most cache marks.
    #[must_use]
    pub fn cache_marks(mut self, cache_marks: usize) -> Limits {
        self.cache_marks = cache_marks;
        self
    }
}

/// Everything that the API would refuse, in the order of the messages; empty if nothing.
///
/// Neighbors of one role are one turn, as the API reads them. The last response may still wait for
/// the results of its calls: see [`Limits::request`] for a list that is sent.
#[must_use]
pub fn validate(messages: &[Message]) -> Vec<Violation> {
    validate_with(messages, &Limits::default())
}

/// [`validate`] with limits of your own.
#[must_use]
pub fn validate_with(messages: &[Message], limits: &Limits) -> Vec<Violation> {
    let mut law = Law::new(limits);
    for (index, message) in messages.iter().enumerate() {
        law.message(index, message);
    }
    law.end(messages)
}

/// A call that waits for its result.
struct Waiting {
    index: usize,
    block: usize,
    answered: bool,
}

/// What is known of a response.
#[derive(Clone, Copy, Default)]
struct Seen {
    thinks: bool,
    /// It stands in two places.
    apart: bool,
}

struct Law<'a> {
    limits: &'a Limits,
    found: Vec<Violation>,
    role: Option<Role>,
    /// Calls of the last assistant turn.
    waiting: HashMap<&'a str, Waiting>,
    calls: HashSet<&'a str>,
    /// The user turn has something else than results.
    spoke: bool,
    /// The response that the next message may belong to.
    response: Option<&'a str>,
    /// Responses, and what is known of them.
    responses: HashMap<&'a str, Seen>,
    /// The last block of the assistant turn, if it is reasoning.
    thinking: Option<(usize, usize)>,
    images: usize,
    documents: usize,
    marks: usize,
}

impl<'a> Law<'a> {
    fn new(limits: &'a Limits) -> Law<'a> {
        Law {
            limits,
            found: Vec::new(),
            role: None,
            waiting: HashMap::new(),
            calls: HashSet::new(),
            spoke: false,
            response: None,
            responses: HashMap::new(),
            thinking: None,
            images: 0,
            documents: 0,
            marks: 0,
        }
    }

    fn add(&mut self, index: usize, block: Option<usize>, rule: Rule) {
        self.found.push(Violation { index, block, rule });
    }

    fn message(&mut self, index: usize, message: &'a Message) {
        if self.role != Some(message.role) {
            self.turn(index, message.role);
        }
        if message.content.blocks.is_empty() {
            self.add(index, None, Rule::EmptyContent);
        }
        match message.role {
            Role::User => {
                if !is_results(message) {
                    self.response = None;
                }
            }
            Role::Assistant => self.response(index, message),
        }
        for (at, block) in message.content.blocks.iter().enumerate() {
            match message.role {
                Role::User => self.said(index, at, block),
                Role::Assistant => self.answered(index, at, block),
            }
            self.counted(index, at, block);
        }
    }

    /// A turn begins: the one before has ended.
    fn turn(&mut self, index: usize, role: Role) {
        match role {
            Role::Assistant => {
                if self.role.is_none() {
                    self.add(index, None, Rule::FirstNotUser);
                }
                self.unanswered();
            }
            Role::User => {
                self.spoke = false;
                self.thought();
            }
        }
        self.role = Some(role);
    }

    fn unanswered(&mut self) {
        let waiting = self.waiting.drain();
        let mut open: Vec<_> = waiting
            .filter(|(_, call)| !call.answered)
            .map(|(id, call)| (call.index, call.block, id))
            .collect();
        open.sort_unstable();
        for (index, block, id) in open {
            let id = id.to_owned();
            self.add(index, Some(block), Rule::CallWithoutResult { id });
        }
    }

    fn thought(&mut self) {
        if let Some((index, block)) = self.thinking.take() {
            self.add(index, Some(block), Rule::EndsInThinking);
        }
    }

    fn response(&mut self, index: usize, message: &'a Message) {
        let Some(id) = message.id.as_deref() else {
            self.response = None;
            return;
        };
        let thinks = message.content.blocks.iter().any(Block::is_thinking);
        let before = self.responses.get(id).copied();
        let mut seen = before.unwrap_or_default();
        let returns = before.is_some() && self.response != Some(id);
        let was_wrong = seen.apart && seen.thinks;
        seen.apart |= returns;
        seen.thinks |= thinks;
        if seen.apart && seen.thinks && (returns || !was_wrong) {
            self.add(index, None, Rule::ResponseApart { id: id.to_owned() });
        }
        self.responses.insert(id, seen);
        self.response = Some(id);
    }

    fn said(&mut self, index: usize, at: usize, block: &'a Block) {
        match block {
            Block::ToolResult {
                tool_use_id,
                content,
                is_error,
                ..
            } => {
                let id = || tool_use_id.clone();
                match self.waiting.get_mut(tool_use_id.as_str()) {
                    None => self.add(index, Some(at), Rule::ResultWithoutCall { id: id() }),
                    Some(call) if call.answered => {
                        self.add(index, Some(at), Rule::DuplicateResult { id: id() });
                    }
                    Some(call) => {
                        call.answered = true;
                        if self.spoke {
                            self.add(index, Some(at), Rule::ResultsNotFirst);
                        }
                    }
                }
                let inner = content.iter().flat_map(|content| &content.blocks);
                let list = content.as_ref().is_some_and(|c| c.as_plain().is_none());
                if list && inner.clone().any(is_empty_text) {
                    self.add(index, Some(at), Rule::EmptyText);
                }
                if inner.clone().any(is_malformed_inside) {
                    self.add(index, Some(at), Rule::Malformed);
                }
                if *is_error == Some(true) && inner.clone().all(is_empty_text) {
                    self.add(index, Some(at), Rule::EmptyError);
                }
            }
            other => {
                self.spoke = true;
                match other {
                    Block::ToolUse { .. } => self.wrong(index, at, Kind::Call),
                    thinking if thinking.is_thinking() => self.wrong(index, at, Kind::Thinking),
                    broken if is_malformed(broken) => self.add(index, Some(at), Rule::Malformed),
                    text if is_empty_text(text) => self.add(index, Some(at), Rule::EmptyText),
                    _ => {}
                }
            }
        }
    }

    fn answered(&mut self, index: usize, at: usize, block: &'a Block) {
        self.thinking = None;
        match block {
            Block::ToolUse {
                id, name, input, ..
            } => {
                if !ids::is_word(id) {
                    self.add(index, Some(at), Rule::BadId { id: id.clone() });
                }
                if !ids::is_word(name) {
                    let name = name.clone();
                    self.add(index, Some(at), Rule::BadName { name });
                }
                if !self.calls.insert(id) {
                    self.add(index, Some(at), Rule::DuplicateCall { id: id.clone() });
                }
                if !input.is_object() {
                    self.add(index, Some(at), Rule::InputNotObject);
                }
                let waiting = Waiting {
                    index,
                    block: at,
                    answered: false,
                };
                self.waiting.insert(id, waiting);
            }
            Block::ToolResult { .. } => self.wrong(index, at, Kind::Result),
            Block::Image { .. } => self.wrong(index, at, Kind::Image),
            Block::Document { .. } => self.wrong(index, at, Kind::Document),
            Block::Thinking { signature, .. } => {
                self.thinking = Some((index, at));
                if signature.is_empty() {
                    self.add(index, Some(at), Rule::UnsignedThinking);
                }
            }
            Block::RedactedThinking { .. } => self.thinking = Some((index, at)),
            broken if is_malformed(broken) => self.add(index, Some(at), Rule::Malformed),
            text if is_empty_text(text) => self.add(index, Some(at), Rule::EmptyText),
            _ => {}
        }
    }

    fn wrong(&mut self, index: usize, at: usize, what: Kind) {
        self.add(index, Some(at), Rule::WrongRole { what });
    }

    fn counted(&mut self, index: usize, at: usize, block: &Block) {
        let before = (self.images, self.documents, self.marks);
        count(block, &mut |block| {
            self.images += usize::from(matches!(block, Block::Image { .. }));
            self.documents += usize::from(matches!(block, Block::Document { .. }));
            let mark = block.other_field("cache_control");
            self.marks += usize::from(mark.is_some_and(|mark| !mark.is_null()));
        });
        let crossed = |before: usize, now: usize, max: usize| before <= max && now > max;
        if crossed(before.0, self.images, self.limits.images) {
            let max = self.limits.images;
            self.add(index, Some(at), Rule::TooManyImages { max });
        }
        if crossed(before.1, self.documents, self.limits.documents) {
            let max = self.limits.documents;
            self.add(index, Some(at), Rule::TooManyDocuments { max });
        }
        if crossed(before.2, self.marks, self.limits.cache_marks) {
            let max = self.limits.cache_marks;
            self.add(index, Some(at), Rule::TooManyCacheMarks { max });
        }
    }

    fn end(mut self, messages: &[Message]) -> Vec<Violation> {
        self.thought();
        let is_request = self.limits.ending == Ending::Request;
        // Calls wait no longer once somebody has spoken instead.
        if is_request || (self.role == Some(Role::User) && self.spoke) {
            self.unanswered();
        }
        if is_request && self.role != Some(Role::User) {
            let index = messages.len().saturating_sub(1);
            self.add(index, None, Rule::LastNotUser);
        }
        self.found
            .sort_by_key(|violation| (violation.index, violation.block));
        self.found
    }
}
