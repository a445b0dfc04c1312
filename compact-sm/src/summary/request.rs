//! The request for a summary: the conversation as it was sent, and one message more.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::fit::{Drop, Fitted, fit};
use super::prompt::{DOCUMENT_MARK, IMAGE_MARK, OPEN_CALL, RECENT_MARK, summary_prompt};
use super::retry::cut_mark;
use crate::keep::{floor, is_command, is_summary};
use crate::tokens::{Counter, MESSAGE_TOKENS};
use crate::transcript::{Limits, MAX_IMAGES, count, is_results, repair, validate_with};
use crate::window::RESERVE_TOKENS;
use crate::{Block, Content, Message, Origin, Role};

/// What a summary stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Scope {
    /// The conversation; at most a short tail stays.
    #[default]
    Whole,
    /// A part behind other messages, which stay and are sent before it.
    Recent,
    /// The beginning; newer messages follow it, which are not sent.
    Prefix,
}

/// What becomes of images and documents in the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Images {
    /// A mark stands for each, also inside results.
    #[default]
    Marks,
    /// They stay, so that the cached prefix of the conversation is hit; unless there are more than
    /// a request takes, or it was too long.
    Keep,
}

/// Which messages come back after a compaction anyway, and need no summary.
#[derive(Clone)]
pub struct Returns(Arc<dyn Fn(&Message) -> bool + Send + Sync>);

impl Default for Returns {
    /// None of them: whatever is left out ends the prefix that the cache knows.
    fn default() -> Returns {
        Returns::matching(|_| false)
    }
}

impl Returns {
    /// The messages that a closure says yes to, such as a listing of skills. Only messages of the
    /// user that hold nothing but text are left out.
    pub fn matching(test: impl Fn(&Message) -> bool + Send + Sync + 'static) -> Returns {
        Returns(Arc::new(test))
    }

    fn leaves_out(&self, message: &Message) -> bool {
        let is_text = |block: &Block| matches!(block, Block::Text { .. });
        message.role == Role::User
            && !is_summary(message)
            && message.content.blocks.iter().all(is_text)
            && (self.0)(message)
    }
}

impl fmt::Debug for Returns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Returns(..)")
    }
}

/// How to ask for a summary.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct SummaryOptions {
    /// What the summary stands for.
    pub scope: Scope,
    /// The person's own instructions.
    pub instructions: Option<String>,
    /// What becomes of images and documents.
    pub images: Images,
    /// What the messages of the request may have, without the prompt. In tokens. None if nothing is
    /// known.
    pub room: Option<u64>,
    /// Which messages come back anyway.
    pub returns: Returns,
}

impl SummaryOptions {
    /// The usual request for a scope.
    #[must_use]
    pub fn new(scope: Scope) -> SummaryOptions {
        SummaryOptions {
            scope,
            ..SummaryOptions::default()
        }
    }

    /// Sets the person's own instructions.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> SummaryOptions {
        self.instructions = Some(text.into());
        self
    }

    /// Sets what becomes of images and documents.
    #[must_use]
    pub fn images(mut self, images: Images) -> SummaryOptions {
        self.images = images;
        self
    }

    /// Sets what the messages of the request may have. In tokens.
    #[must_use]
    pub fn room(mut self, tokens: u64) -> SummaryOptions {
        self.room = Some(tokens);
        self
    }

    /// Sets which messages come back anyway.
    #[must_use]
    pub fn returns(mut self, returns: Returns) -> SummaryOptions {
        self.returns = returns;
        self
    }
}

/// What a model is asked.
///
/// Send it with the model, the system prompt, the tools and the thinking configuration of the
/// conversation: then everything up to the last message is what was sent before, and the cache is
/// hit. The tools cannot be left out, because calls of them stand in the messages; the prompt
/// forbids them at both ends, and an answer that calls one is refused.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SummaryRequest {
    /// What the summary stands for.
    pub scope: Scope,
    /// The conversation, and the request as its last message.
    pub messages: Vec<Message>,
    /// The longest answer. In tokens.
    pub max_tokens: u64,
    /// Messages of which a part is left out of the copy, because there was no room. In items.
    pub shortened: usize,
    /// Messages that are left out, because there was no room even so. In items.
    pub left_out: usize,
}

impl SummaryRequest {
    /// The value of `messages` in a request to the API.
    #[must_use]
    pub fn messages_json(&self) -> Value {
        self.messages.iter().map(Message::to_request).collect()
    }
}

/// The request for a summary of some messages.
///
/// It goes from the last summary, which is sent with it, up to the end of `what`; calls that wait
/// for their results get one that says so, and commands that asked for a compaction are left out.
/// A list that validates gives a request that does, by [`Limits::request`]. Linear in the list.
///
/// If it has more than its room, this happens to the copy until it has not, the oldest first: long
/// results are shortened, images become marks, then shorter results and the arguments of calls are
/// shortened, and blocks of which nothing is known become marks; then whole rounds are left out but
/// for what the person said, and one remains; at last what was said is shortened, the round goes
/// that remains, and then what was said is left out where its round is. The request says of how
/// many messages. It exceeds its room only if an earlier summary does so alone.
#[must_use]
pub fn summary_request(
    messages: &[Message],
    what: &Range<usize>,
    options: &SummaryOptions,
    counter: &dyn Counter,
) -> SummaryRequest {
    request_of(messages, what, options, counter, Drop::Oldest)
}

/// The same, perhaps without leaving out any round.
pub(crate) fn request_of(
    messages: &[Message],
    what: &Range<usize>,
    options: &SummaryOptions,
    counter: &dyn Counter,
    drop: Drop,
) -> SummaryRequest {
    let end = what.end.min(messages.len());
    let from = floor(&messages[..end]).saturating_sub(1);
    let images = images_of(&messages[from..end], options.images);
    let mut list = Vec::with_capacity(end - from + 1);
    for (at, message) in messages[..end].iter().enumerate().skip(from) {
        if at == what.start && at > from && options.scope == Scope::Recent {
            list.push(Message::user(RECENT_MARK).origin(Origin::Meta));
        }
        if is_command(message) || options.returns.leaves_out(message) {
            continue;
        }
        list.push(copy(message, images));
    }
    if list.first().is_some_and(|m| m.role == Role::Assistant) {
        list.insert(0, cut_mark());
    }
    let open = open_calls(&list);
    let mut last: Vec<Block> = open.iter().map(|id| open_call(id)).collect();
    let mut fitted = Fitted::default();
    if let Some(room) = options.room {
        let results = last.iter().map(|block| counter.block(block));
        let results = results.fold(MESSAGE_TOKENS, u64::saturating_add);
        fitted = fit(&mut list, room.saturating_sub(results), counter, drop);
    }
    let prompt = summary_prompt(options.scope, options.instructions.as_deref());
    last.push(Block::text(prompt));
    list.push(Message::user(last).origin(Origin::Meta));
    // A history that ends in reasoning, and lists that were not valid to begin with.
    if !validate_with(&list, &Limits::request()).is_empty() {
        list = repair(list).messages;
    }
    SummaryRequest {
        scope: options.scope,
        messages: list,
        max_tokens: RESERVE_TOKENS,
        shortened: fitted.shortened,
        left_out: fitted.left_out,
    }
}

/// The result of a call that waits for its own.
pub(crate) fn open_call(id: &str) -> Block {
    Block::tool_error(id, OPEN_CALL)
}

/// More than a request takes cannot be kept.
fn images_of(messages: &[Message], wanted: Images) -> Images {
    if wanted == Images::Marks {
        return Images::Marks;
    }
    let mut media = 0;
    for block in messages.iter().flat_map(|message| &message.content.blocks) {
        count(block, &mut |block| {
            media += usize::from(matches!(
                block,
                Block::Image { .. } | Block::Document { .. }
            ));
        });
    }
    if media > MAX_IMAGES {
        return Images::Marks;
    }
    Images::Keep
}

/// What the API is sent of a message; what hosts keep beside it can be large.
fn copy(message: &Message, images: Images) -> Message {
    let mut copy = Message::new(message.role, message.content.clone()).origin(message.origin);
    copy.id.clone_from(&message.id);
    if images == Images::Marks {
        marks(&mut copy.content);
    }
    copy
}

/// Puts marks in the place of images and documents, and counts them.
pub(super) fn marks(content: &mut Content) -> usize {
    let mut count = 0;
    for block in &mut content.blocks {
        match block {
            Block::Image { extra, .. } => *block = mark(IMAGE_MARK, extra.remove("cache_control")),
            Block::Document { extra, .. } => {
                *block = mark(DOCUMENT_MARK, extra.remove("cache_control"));
            }
            Block::ToolResult {
                content: Some(inner),
                ..
            } => {
                count += marks(inner);
                continue;
            }
            _ => continue,
        }
        count += 1;
    }
    count
}

fn mark(text: &str, cache: Option<Value>) -> Block {
    let mut block = Block::text(text);
    if let (Block::Text { extra, .. }, Some(cache)) = (&mut block, cache) {
        extra.insert("cache_control", cache);
    }
    block
}

/// Calls of the last turn without a result, in order.
pub(crate) fn open_calls(messages: &[Message]) -> Vec<String> {
    let results = |message: &&Message| message.role == Role::User && is_results(message);
    let answers = messages.iter().rev().take_while(results).count();
    let (rest, answers) = messages.split_at(messages.len() - answers);
    let answered: HashSet<&str> = answers.iter().flat_map(Message::results).collect();
    let turn = rest.iter().rev();
    let turn: Vec<&Message> = turn
        .take_while(|message| message.role == Role::Assistant)
        .collect();
    let calls = turn.into_iter().rev().flat_map(Message::calls);
    calls
        .filter(|id| !answered.contains(id))
        .map(str::to_owned)
        .collect()
}
