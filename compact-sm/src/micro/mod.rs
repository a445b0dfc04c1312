//! Clears old results of tools: the cheapest way to make room.

mod apply;
mod options;

pub use options::{
    CLEARED_MARK, COMPACTABLE_TOOLS, LastReads, MICRO_IDLE_MINUTES, MICRO_KEEP,
    MICRO_PROTECT_TOKENS, MicroOptions, Tools,
};

use std::collections::{HashMap, HashSet};
use std::io;
use std::time::Duration;

use crate::tokens::Counter;
use crate::transcript::{count, shape};
use crate::{Block, Message, Role};

/// What sets it off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum When {
    /// The model has been silent for this long.
    Idle(Duration),
    /// Now: everything beyond the budget is cleared.
    Budget,
}

/// A result that is cleared.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Clearing {
    /// The message, counted from 0.
    pub message: usize,
    /// The block in it, counted from 0.
    pub block: usize,
    /// The call.
    pub tool_use_id: String,
    /// The tool.
    pub tool: String,
    /// What it had. In tokens.
    pub tokens: u64,
}

impl Clearing {
    /// What is saved if a mark of so many tokens stands there instead.
    fn saves(&self, mark: u64) -> u64 {
        self.tokens.saturating_sub(mark)
    }
}

/// Why nothing is cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum NotCleared {
    /// The model has not been silent for long enough.
    NotIdle {
        /// How long is left.
        left: Duration,
    },
    /// Everything is new, protected, cleared already, or of tools that are not cleared.
    NothingOld,
}

/// What will be cleared. Nothing has been changed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MicroPlan {
    /// The results, oldest first.
    pub clear: Vec<Clearing>,
    /// What is saved. In tokens, estimated.
    pub saved_tokens: u64,
    /// Why nothing is, if nothing is.
    pub why_not: Option<NotCleared>,
    messages: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    shape: u64,
    /// What stands there instead. In tokens.
    #[cfg_attr(feature = "serde", serde(skip))]
    mark: u64,
}

/// A result that could not be saved, and was not cleared.
#[derive(Debug)]
#[non_exhaustive]
pub struct NotSaved {
    /// The result.
    pub clearing: Clearing,
    /// What the system said.
    pub error: io::Error,
}

/// The messages after clearing.
#[derive(Debug)]
#[non_exhaustive]
pub struct MicroDone {
    /// The messages.
    pub messages: Vec<Message>,
    /// What was cleared, oldest first.
    pub cleared: Vec<Clearing>,
    /// What was saved. In tokens, estimated.
    pub saved_tokens: u64,
    /// What could not be saved to a file and is still there.
    pub not_saved: Vec<NotSaved>,
}

/// Plans which old results to clear.
///
/// Results that the model has not answered yet stay in any case, and so does one whose mark would
/// be longer than itself. Linear in the list.
///
/// ```
/// use std::time::Duration;
///
/// use compact_sm::{Block, Estimator, Message, MicroOptions, When, micro, validate};
///
/// let mut messages = vec![Message::user("Why does the build fail?")];
/// for at in 0..20 {
///     let id = format!("toolu_{at}");
///     let input = serde_json::json!({"command": "make"});
///     messages.push(Message::assistant([Block::tool_use(id.as_str(), "Bash", input)]));
///     messages.push(Message::user([Block::tool_result(id, "ld: cannot find -lz\n".repeat(99))]));
/// }
/// messages.push(Message::assistant("It is the linker."));
///
/// // The person is back after two hours: the service's cache is cold, so nothing of it is lost.
/// let silent = When::Idle(Duration::from_secs(2 * 3_600));
/// let plan = micro(&messages, silent, &MicroOptions::default(), &Estimator::default());
/// assert!(plan.saved_tokens > 0, "{:?}", plan.why_not); // why nothing is cleared, if nothing is
/// let done = plan.apply(messages)?;
/// println!("{} results cleared, {} tokens", done.cleared.len(), done.saved_tokens);
/// assert!(validate(&done.messages).is_empty());
/// # Ok::<(), compact_sm::Unapplied>(())
/// ```
#[must_use]
pub fn micro(
    messages: &[Message],
    when: When,
    options: &MicroOptions,
    counter: &dyn Counter,
) -> MicroPlan {
    let mut plan = MicroPlan {
        clear: Vec::new(),
        saved_tokens: 0,
        why_not: None,
        messages: messages.len(),
        shape: shape(messages),
        mark: counter.text(CLEARED_MARK),
    };
    if let When::Idle(gap) = when
        && let Some(left) = options.idle.checked_sub(gap)
        && !left.is_zero()
    {
        plan.why_not = Some(NotCleared::NotIdle { left });
        return plan;
    }
    let calls = calls(messages);
    let seen = messages.iter().rposition(|m| m.role == Role::Assistant);
    let mark = plan.mark;
    let (mut newer, mut newer_tokens) = (0_usize, 0_u64);
    let mut paths = HashSet::new();
    for (at, message) in messages.iter().enumerate().rev() {
        for (block, content) in message.content.blocks.iter().enumerate().rev() {
            let Block::ToolResult {
                tool_use_id,
                is_error,
                ..
            } = content
            else {
                continue;
            };
            let Some(call) = calls.get(tool_use_id.as_str()) else {
                continue;
            };
            if !options.tools.allow(call.name) || is_cleared(content) {
                continue;
            }
            // A read that failed is none: the one before it holds what the model knows.
            let reads = call.reads.filter(|_| *is_error != Some(true));
            let is_last_read = reads.is_some_and(|path| paths.insert(path));
            let tokens = counter.block(content);
            newer += 1;
            newer_tokens = newer_tokens.saturating_add(tokens);
            let is_new = newer <= options.keep.max(1) || seen.is_none_or(|seen| at > seen);
            let is_in_budget = when == When::Budget && newer_tokens <= options.protect_tokens;
            let is_protected = is_last_read && options.last_reads == LastReads::Protect;
            if is_new || is_in_budget || is_protected || !is_longer(content, tokens, mark) {
                continue;
            }
            let clearing = Clearing {
                message: at,
                block,
                tool_use_id: tool_use_id.clone(),
                tool: call.name.to_owned(),
                tokens,
            };
            plan.saved_tokens = plan.saved_tokens.saturating_add(clearing.saves(mark));
            plan.clear.push(clearing);
        }
    }
    plan.clear.reverse();
    plan.why_not = plan.clear.is_empty().then_some(NotCleared::NothingOld);
    plan
}

struct Call<'a> {
    name: &'a str,
    /// The file, if it is a read.
    reads: Option<&'a str>,
}

fn calls(messages: &[Message]) -> HashMap<&str, Call<'_>> {
    let blocks = messages.iter().flat_map(|m| &m.content.blocks);
    let calls = blocks.filter_map(|block| match block {
        Block::ToolUse {
            id, name, input, ..
        } => {
            let path = input.get("file_path").and_then(|path| path.as_str());
            let reads = path.filter(|_| name == "Read");
            Some((id.as_str(), Call { name, reads }))
        }
        _ => None,
    });
    calls.collect()
}

/// Cleared before, by us or by the client.
pub(crate) fn is_cleared(block: &Block) -> bool {
    let Block::ToolResult {
        content: Some(content),
        ..
    } = block
    else {
        return false;
    };
    match content.blocks.as_slice() {
        [only] => only
            .as_text()
            .is_some_and(|text| text.starts_with(options::MARK)),
        _ => false,
    }
}

/// Is there more than the mark that would take its place?
fn is_longer(block: &Block, tokens: u64, mark: u64) -> bool {
    let mut bytes = 0;
    let mut media = false;
    count(block, &mut |block| match block {
        Block::Text { text, .. } => bytes += text.len(),
        Block::ToolResult { .. } => {}
        _ => media = true,
    });
    tokens > mark && (media || bytes > CLEARED_MARK.len())
}
