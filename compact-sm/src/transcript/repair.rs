//! Makes a list from elsewhere one that validates: what cannot be sent is left out and reported.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::blocks::turns;
use super::ids::{NewIds, is_word, word};
use super::{is_empty_text, is_malformed, is_malformed_inside, is_results, object};
use crate::{Block, Message, Role};

/// What a call is answered with when its result is nowhere.
const INTERRUPTED: &str = "The call was interrupted and has no result.";

/// What stands before a list that begins with the model.
const CUT: &str = "[The beginning of this conversation is not available.]";

/// A list that validates, and what was done to it.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Repaired {
    /// The messages.
    pub messages: Vec<Message>,
    /// What was changed, by the index in the list that was given.
    pub repairs: Vec<Repair>,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Repair {
    /// The message in the list that was given, counted from 0.
    pub index: usize,
    /// What was done.
    pub kind: RepairKind,
}

/// What was done to a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum RepairKind {
    /// Nothing of it was left.
    Dropped,
    /// An empty text was left out.
    EmptyText,
    /// A block without what its type demands was left out.
    Malformed,
    /// A block that this role may not say was left out.
    WrongRole,
    /// A second call of one id was left out.
    DuplicateCall,
    /// A result without a call, or a second one, was left out.
    StrayResult,
    /// A call without a result got one that says so.
    Interrupted,
    /// Results were put first, or into the message after their call.
    ResultMoved,
    /// An id or a tool's name that the API does not take is another now.
    Renamed,
    /// Arguments that were no object are one now.
    Input,
    /// Reasoning without a signature, or at the end of a response, was left out.
    Thinking,
    /// The second half of a response was parted from the first.
    ResponseParted,
    /// A message of the user was put before the first one.
    Opened,
}

/// Leaves out or mends what [`validate`](super::validate) would report, but for the counts of
/// images, documents and cache marks. A list that validates is handed back as it is.
///
/// For lists that come from elsewhere: transcripts hold responses that were stopped while thinking,
/// calls without results, results without calls.
#[must_use]
pub fn repair(messages: Vec<Message>) -> Repaired {
    let mut work = Work::default();
    let mut list: Vec<(usize, Message)> = messages.into_iter().enumerate().collect();
    work.ids(&mut list);
    work.blocks(&mut list);
    work.empty(&mut list);
    work.thoughts(&mut list);
    work.empty(&mut list);
    work.pairs(&mut list);
    work.empty(&mut list);
    work.responses(&mut list);
    let mut messages: Vec<Message> = list.into_iter().map(|(_, message)| message).collect();
    if messages.first().is_some_and(|m| m.role == Role::Assistant) {
        messages.insert(0, Message::user(CUT).origin(crate::Origin::Meta));
        work.add(0, RepairKind::Opened);
    }
    work.0.sort_by_key(|repair| repair.index);
    Repaired {
        messages,
        repairs: work.0,
    }
}

#[derive(Default)]
struct Work(Vec<Repair>);

type List = Vec<(usize, Message)>;

impl Work {
    fn add(&mut self, index: usize, kind: RepairKind) {
        let repair = Repair { index, kind };
        if self.0.last() != Some(&repair) {
            self.0.push(repair);
        }
    }

    /// Ids and names that are no words.
    fn ids(&mut self, list: &mut List) {
        let mut new = NewIds::of(list.iter().map(|(_, message)| message));
        for (index, message) in list {
            for block in &mut message.content.blocks {
                let mut renamed = new.as_mut().is_some_and(|new| new.rename(block));
                if let Block::ToolUse { name, .. } = block
                    && !is_word(name)
                {
                    *name = word(name);
                    renamed = true;
                }
                if renamed {
                    self.add(*index, RepairKind::Renamed);
                }
            }
        }
    }

    /// What is wrong with a block by itself.
    fn blocks(&mut self, list: &mut List) {
        let mut calls = HashSet::new();
        for (index, message) in list {
            let role = message.role;
            let mut keep = |block: &mut Block| match block {
                _ if is_empty_text(block) => Err(RepairKind::EmptyText),
                _ if is_malformed(block) => Err(RepairKind::Malformed),
                Block::ToolUse { id, input, .. } if role == Role::Assistant => {
                    if !calls.insert(id.clone()) {
                        return Err(RepairKind::DuplicateCall);
                    }
                    if input.is_object() {
                        return Ok(None);
                    }
                    *input = object(input.take());
                    Ok(Some(RepairKind::Input))
                }
                Block::ToolUse { .. } | Block::Thinking { .. } | Block::RedactedThinking { .. }
                    if role == Role::User =>
                {
                    Err(RepairKind::WrongRole)
                }
                Block::ToolResult { .. } | Block::Image { .. } | Block::Document { .. }
                    if role == Role::Assistant =>
                {
                    Err(RepairKind::WrongRole)
                }
                Block::Thinking { signature, .. } if signature.is_empty() => {
                    Err(RepairKind::Thinking)
                }
                Block::ToolResult { .. } => Ok(result(block)),
                _ => Ok(None),
            };
            let mut done = Vec::new();
            message
                .content
                .blocks
                .retain_mut(|block| match keep(block) {
                    Ok(mended) => {
                        done.extend(mended);
                        true
                    }
                    Err(why) => {
                        done.push(why);
                        false
                    }
                });
            for kind in done {
                self.add(*index, kind);
            }
        }
    }

    fn empty(&mut self, list: &mut List) {
        list.retain(|(index, message)| {
            let stays = !message.content.blocks.is_empty();
            if !stays {
                self.add(*index, RepairKind::Dropped);
            }
            stays
        });
    }

    /// No response ends in reasoning.
    fn thoughts(&mut self, list: &mut List) {
        let mut ends = true;
        for (index, message) in list.iter_mut().rev() {
            if message.role == Role::User {
                ends = true;
                continue;
            }
            while ends {
                match message.content.blocks.last() {
                    Some(block) if block.is_thinking() => {
                        message.content.blocks.pop();
                        self.add(*index, RepairKind::Thinking);
                    }
                    Some(_) => ends = false,
                    None => break,
                }
            }
        }
    }

    /// Every call has one result, first in the next turn.
    fn pairs(&mut self, list: &mut List) {
        let mut strays = self.strays(list);
        let turns = turns(list);
        // From the back, so that what is put in moves no turn that is still to come.
        for at in (0..turns.len()).rev() {
            let turn = &turns[at];
            if list[turn.start].1.role != Role::Assistant {
                continue;
            }
            let answers = turns.get(at + 1).cloned().unwrap_or(turn.end..turn.end);
            let is_last = answers.end == list.len();
            self.answer(list, turn.clone(), answers, is_last, &mut strays);
        }
    }

    /// Takes out results that do not follow their call.
    fn strays(&mut self, list: &mut List) -> HashMap<String, Block> {
        let mut strays = HashMap::new();
        let mut open: HashSet<String> = HashSet::new();
        let mut role = Role::User;
        for (index, message) in list {
            if message.role == Role::Assistant {
                if role == Role::User {
                    open.clear();
                }
                open.extend(message.calls().map(str::to_owned));
            } else if message.results().any(|id| !open.contains(id)) {
                self.add(*index, RepairKind::StrayResult);
                for block in std::mem::take(&mut message.content.blocks) {
                    match &block {
                        Block::ToolResult { tool_use_id, .. } if !open.remove(tool_use_id) => {
                            strays.entry(tool_use_id.clone()).or_insert(block);
                        }
                        _ => message.content.blocks.push(block),
                    }
                }
            } else {
                let mut twice = HashSet::new();
                message.content.blocks.retain(|block| match block {
                    Block::ToolResult { tool_use_id, .. } => {
                        open.remove(tool_use_id) && twice.insert(tool_use_id.clone())
                    }
                    _ => true,
                });
            }
            role = message.role;
        }
        strays
    }

    fn answer(
        &mut self,
        list: &mut List,
        turn: Range<usize>,
        answers: Range<usize>,
        is_last: bool,
        strays: &mut HashMap<String, Block>,
    ) {
        let calls: Vec<(usize, String)> = list[turn.clone()]
            .iter()
            .flat_map(|(index, message)| message.calls().map(|id| (*index, id.to_owned())))
            .collect();
        let blocks = || {
            list[answers.clone()]
                .iter()
                .flat_map(|(_, m)| &m.content.blocks)
        };
        let is_result = |block: &Block| matches!(block, Block::ToolResult { .. });
        let given: HashSet<String> = list[answers.clone()]
            .iter()
            .flat_map(|(_, message)| message.results().map(str::to_owned))
            .collect();
        let in_order = blocks()
            .skip_while(|block| is_result(block))
            .all(|b| !is_result(b));
        let speaks = blocks().any(|block| !is_result(block));
        let missing: Vec<_> = calls.iter().filter(|(_, id)| !given.contains(id)).collect();
        // At the end of a history calls may wait, unless somebody has spoken since.
        let waits = is_last && !speaks && missing.iter().all(|(_, id)| !strays.contains_key(id));
        if in_order && (missing.is_empty() || waits) {
            return;
        }
        let mut first: Vec<Block> = Vec::new();
        if !in_order {
            for (index, message) in &mut list[answers.clone()] {
                for block in std::mem::take(&mut message.content.blocks) {
                    if is_result(&block) {
                        first.push(block);
                    } else {
                        message.content.blocks.push(block);
                    }
                }
                self.add(*index, RepairKind::ResultMoved);
            }
        }
        for (index, id) in missing {
            if let Some(block) = strays.remove(id) {
                self.add(*index, RepairKind::ResultMoved);
                first.push(block);
            } else if !waits {
                self.add(*index, RepairKind::Interrupted);
                first.push(Block::tool_error(id.clone(), INTERRUPTED));
            }
        }
        match list[answers].first_mut() {
            Some((_, message)) => {
                message.content.blocks.splice(0..0, first);
            }
            None => {
                let index = list[turn.end - 1].0;
                list.insert(turn.end, (index, Message::user(first)));
            }
        }
    }

    /// A response that thinks stands in one place.
    fn responses(&mut self, list: &mut List) {
        let thinks = |message: &Message| message.content.blocks.iter().any(Block::is_thinking);
        let thinking = list.iter().filter(|(_, message)| thinks(message));
        let thinking: HashSet<String> = thinking.filter_map(|(_, m)| m.id.clone()).collect();
        let mut seen: HashSet<String> = HashSet::new();
        let mut current: Option<String> = None;
        for (index, message) in list {
            if message.role == Role::User {
                if !is_results(message) {
                    current = None;
                }
                continue;
            }
            if let Some(id) = &message.id
                && current.as_ref() != Some(id)
                && seen.contains(id)
                && thinking.contains(id)
            {
                self.add(*index, RepairKind::ResponseParted);
                message.id = None;
            }
            current.clone_from(&message.id);
            seen.extend(message.id.clone());
        }
    }
}

/// Empty texts inside a result, and errors that say nothing.
fn result(block: &mut Block) -> Option<RepairKind> {
    let Block::ToolResult {
        content, is_error, ..
    } = block
    else {
        return None;
    };
    let mut mended = None;
    if let Some(content) = content
        && content.as_plain().is_none()
    {
        let before = content.blocks.len();
        content.blocks.retain(|block| !is_empty_text(block));
        if content.blocks.len() != before {
            mended = Some(RepairKind::EmptyText);
        }
        let before = content.blocks.len();
        content.blocks.retain(|block| !is_malformed_inside(block));
        if content.blocks.len() != before {
            mended = Some(RepairKind::Malformed);
        }
    }
    let says = content
        .iter()
        .flat_map(|c| &c.blocks)
        .any(|b| !is_empty_text(b));
    if *is_error == Some(true) && !says {
        *content = Some("The tool failed without saying why.".into());
        mended = Some(RepairKind::EmptyText);
    }
    mended
}
