//! Requests and answers in the JSON form of the Messages API, as text.

use serde_json::{Map, Value, json};

use super::chat::{ChatBlock, ChatReply, ChatRequest, ChatRole, StopReason};
use crate::{Error, Usage};

impl ChatRequest {
    /// The messages as a JSON array in the form of the Messages API.
    #[must_use]
    pub fn messages_json(&self) -> String {
        let messages = self.messages.iter().map(|message| {
            let role = match message.role {
                ChatRole::User => "user",
                ChatRole::Assistant => "assistant",
            };
            let content: Vec<Value> = message.blocks.iter().filter_map(block_json).collect();
            json!({"role": role, "content": content})
        });
        Value::Array(messages.collect()).to_string()
    }

    /// The tools as a JSON array in the form of the Messages API.
    #[must_use]
    pub fn tools_json(&self) -> String {
        let tools = self.tools.iter().map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "input_schema": object(tool.schema),
            })
        });
        Value::Array(tools.collect()).to_string()
    }
}

fn block_json(block: &ChatBlock) -> Option<Value> {
    Some(match block {
        ChatBlock::Text(text) => json!({"type": "text", "text": text}),
        ChatBlock::ToolUse { id, name, input } => {
            json!({"type": "tool_use", "id": id, "name": name, "input": object(input)})
        }
        ChatBlock::ToolResult { id, text, is_error } => json!({
            "type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error,
        }),
        ChatBlock::Raw(text) => serde_json::from_str(text).ok()?,
    })
}

/// A service refuses inputs that are no objects; the answer to the use said so already.
fn object(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Value::Object(object),
        _ => Value::Object(Map::new()),
    }
}

impl ChatReply {
    /// Reads an answer of the Messages API: `content`, `stop_reason` and `usage`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Reply`](crate::ErrorKind::Reply) if it is no such JSON; an error message of the service is one.
    pub fn from_json(text: &str) -> Result<ChatReply, Error> {
        let bad = Error::reply;
        let reply: Value = serde_json::from_str(text).map_err(|_| bad())?;
        let content = reply
            .get("content")
            .and_then(Value::as_array)
            .ok_or_else(bad)?;
        let mut blocks = Vec::with_capacity(content.len());
        for block in content {
            blocks.push(read_block(block).ok_or_else(bad)?);
        }
        let stop = match reply.get("stop_reason").and_then(Value::as_str) {
            Some("end_turn" | "stop_sequence") => StopReason::EndTurn,
            Some("tool_use") => StopReason::ToolUse,
            Some("max_tokens") => StopReason::MaxTokens,
            Some("refusal") => StopReason::Refusal,
            Some("pause_turn") => StopReason::Pause,
            Some(other) => StopReason::Other(other.chars().take(100).collect()),
            None => return Err(bad()),
        };
        let count = |key: &str| {
            let usage = reply.get("usage").and_then(|usage| usage.get(key));
            usage.and_then(Value::as_u64).unwrap_or(0)
        };
        let usage = Usage::new(count("input_tokens"), count("output_tokens")).cache(
            count("cache_read_input_tokens"),
            count("cache_creation_input_tokens"),
        );
        Ok(ChatReply::new(blocks, stop).usage(usage))
    }
}

fn read_block(block: &Value) -> Option<ChatBlock> {
    let text = |key: &str| block.get(key).and_then(Value::as_str).map(str::to_owned);
    match block.get("type").and_then(Value::as_str)? {
        "text" if block.get("citations").is_none_or(Value::is_null) => {
            Some(ChatBlock::Text(text("text")?))
        }
        "tool_use" => Some(ChatBlock::ToolUse {
            id: text("id")?,
            name: text("name")?,
            input: block.get("input")?.to_string(),
        }),
        _ => Some(ChatBlock::Raw(block.to_string())),
    }
}
