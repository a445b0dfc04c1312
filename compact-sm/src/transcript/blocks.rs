//! What the law and its repair ask of single blocks and messages.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use serde::Deserialize as _;
use serde_json::{Map, Value};

use crate::{Block, Message, Role};

/// Visits a block and those inside a tool's result.
pub(crate) fn count(block: &Block, see: &mut impl FnMut(&Block)) {
    see(block);
    if let Block::ToolResult {
        content: Some(content),
        ..
    } = block
    {
        content.blocks.iter().for_each(see);
    }
}

/// Images in a list, inside the results of tools too.
pub(crate) fn images(messages: &[Message]) -> usize {
    let mut images = 0;
    for block in messages.iter().flat_map(|m| &m.content.blocks) {
        count(block, &mut |block| {
            images += usize::from(matches!(block, Block::Image { .. }));
        });
    }
    images
}

/// Nothing but results of tools.
pub(crate) fn is_results(message: &Message) -> bool {
    message.role == Role::User
        && !message.content.blocks.is_empty()
        && message
            .content
            .blocks
            .iter()
            .all(|block| matches!(block, Block::ToolResult { .. }))
}

/// The API refuses texts of white space too.
pub(crate) fn is_empty_text(block: &Block) -> bool {
    block.as_text().is_some_and(|text| text.trim().is_empty())
}

/// A block that was kept as it is because it lacks what its type demands: every request with it is
/// refused. Blocks of types that have no name here are the API's business.
pub(crate) fn is_malformed(block: &Block) -> bool {
    let Block::Other(value) = block else {
        return false;
    };
    match value.get("type").and_then(Value::as_str) {
        None | Some("") => true,
        Some(
            "text" | "thinking" | "redacted_thinking" | "tool_use" | "tool_result" | "image"
            | "document",
        ) => matches!(Block::deserialize(value), Ok(Block::Other(_)) | Err(_)),
        Some(_) => false,
    }
}

/// The same inside the result of a tool, where no calls, results and reasoning may stand.
pub(crate) fn is_malformed_inside(block: &Block) -> bool {
    match block {
        Block::ToolUse { .. }
        | Block::ToolResult { .. }
        | Block::Thinking { .. }
        | Block::RedactedThinking { .. } => true,
        other => is_malformed(other),
    }
}

/// Arguments of a call are an object.
pub(crate) fn object(input: Value) -> Value {
    match input {
        Value::Object(_) => input,
        Value::Null => Value::Object(Map::new()),
        other => Value::Object([("input".to_owned(), other)].into_iter().collect()),
    }
}

/// Tells one list from another, for plans: by ids, kinds and lengths, so that no text is read.
pub(crate) fn shape(messages: &[Message]) -> u64 {
    let mut shape = DefaultHasher::new();
    messages.len().hash(&mut shape);
    for message in messages {
        (message.role, message.origin, message.content.blocks.len()).hash(&mut shape);
        (message.uuid.as_deref(), message.id.as_deref()).hash(&mut shape);
        for block in &message.content.blocks {
            count(block, &mut |block| {
                std::mem::discriminant(block).hash(&mut shape);
                match block {
                    Block::Text { text: said, .. }
                    | Block::Thinking { thinking: said, .. }
                    | Block::RedactedThinking { data: said, .. } => said.len().hash(&mut shape),
                    Block::ToolUse { id, .. } => id.hash(&mut shape),
                    Block::ToolResult { tool_use_id, .. } => tool_use_id.hash(&mut shape),
                    _ => {}
                }
            });
        }
    }
    shape.finish()
}

/// Neighbors of one role.
pub(super) fn turns(list: &[(usize, Message)]) -> Vec<Range<usize>> {
    let mut turns: Vec<Range<usize>> = Vec::new();
    for (at, (_, message)) in list.iter().enumerate() {
        match turns.last_mut() {
            Some(turn) if list[turn.start].1.role == message.role => turn.end = at + 1,
            _ => turns.push(at..at + 1),
        }
    }
    turns
}
