//! How messages are written.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use super::de_message::{CREATED, READ};
use super::{Block, Content, Extra, Message, Origin, Role, Usage};

impl Serialize for Role {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Serialize for Extra {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl Serialize for Usage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let fields = [
            ("input_tokens", self.input_tokens, 0),
            ("output_tokens", self.output_tokens, 0),
            (CREATED, self.cache_creation_input_tokens, 1),
            (READ, self.cache_read_input_tokens, 1),
        ];
        // What was no number, or a zero of the cache, stands among the other fields.
        let writes = |key: &str, tokens: u64, least: u64| {
            tokens > 0 || (least == 0 && self.extra.field(key).is_none())
        };
        for (key, tokens, least) in fields {
            if writes(key, tokens, least) {
                map.serialize_entry(key, &tokens)?;
            }
        }
        entries(&mut map, &self.extra, |key| {
            let own = fields.iter().find(|(name, ..)| *name == key);
            own.is_some_and(|(_, tokens, least)| writes(key, *tokens, *least))
        })?;
        map.end()
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.as_plain() {
            Some(text) => serializer.serialize_str(text),
            None => serializer.collect_seq(&self.blocks),
        }
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", &self.role)?;
        map.serialize_entry("content", &self.content)?;
        if let Some(id) = &self.id {
            map.serialize_entry("id", id)?;
        }
        if let Some(usage) = &self.usage {
            map.serialize_entry("usage", usage)?;
        }
        if let Some(uuid) = &self.uuid {
            map.serialize_entry("uuid", uuid)?;
        }
        let origin = match self.origin {
            Origin::Said => None,
            Origin::Summary => Some("isCompactSummary"),
            Origin::Meta => Some("isMeta"),
        };
        if let Some(origin) = origin {
            map.serialize_entry(origin, &true)?;
        }
        entries(&mut map, &self.extra, |key| match key {
            "role" | "content" => true,
            "id" => self.id.is_some(),
            "usage" => self.usage.is_some(),
            "uuid" => self.uuid.is_some(),
            key => origin == Some(key),
        })?;
        map.end()
    }
}

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Block::Other(value) = self {
            return value.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        match self {
            Block::Text { text, .. } => {
                map.serialize_entry("type", "text")?;
                map.serialize_entry("text", text)?;
            }
            Block::Thinking {
                thinking,
                signature,
                ..
            } => {
                map.serialize_entry("type", "thinking")?;
                map.serialize_entry("thinking", thinking)?;
                map.serialize_entry("signature", signature)?;
            }
            Block::RedactedThinking { data, .. } => {
                map.serialize_entry("type", "redacted_thinking")?;
                map.serialize_entry("data", data)?;
            }
            Block::ToolUse {
                id, name, input, ..
            } => {
                map.serialize_entry("type", "tool_use")?;
                map.serialize_entry("id", id)?;
                map.serialize_entry("name", name)?;
                map.serialize_entry("input", input)?;
            }
            Block::ToolResult {
                tool_use_id,
                content,
                is_error,
                ..
            } => {
                map.serialize_entry("type", "tool_result")?;
                map.serialize_entry("tool_use_id", tool_use_id)?;
                if let Some(content) = content {
                    map.serialize_entry("content", content)?;
                }
                if let Some(is_error) = is_error {
                    map.serialize_entry("is_error", is_error)?;
                }
            }
            Block::Image { source, .. } => media(&mut map, "image", source)?,
            Block::Document { source, .. } => media(&mut map, "document", source)?,
            Block::Other(_) => {}
        }
        if let Some(extra) = self.extra() {
            entries(&mut map, extra, |key| self.writes(key))?;
        }
        map.end()
    }
}

fn media<M: SerializeMap>(map: &mut M, kind: &str, source: &Value) -> Result<(), M::Error> {
    map.serialize_entry("type", kind)?;
    map.serialize_entry("source", source)
}

/// The other fields; one that has been written already is not written twice.
fn entries<M: SerializeMap>(
    map: &mut M,
    extra: &Extra,
    written: impl Fn(&str) -> bool,
) -> Result<(), M::Error> {
    for (key, value) in extra.iter().filter(|(key, _)| !written(key)) {
        map.serialize_entry(key, value)?;
    }
    Ok(())
}

impl Block {
    /// Is there a named field of this name, and is it written?
    fn writes(&self, key: &str) -> bool {
        match (self, key) {
            (Block::Other(_), _) => false,
            (_, "type") => true,
            (Block::Text { .. }, key) => key == "text",
            (Block::Thinking { .. }, key) => matches!(key, "thinking" | "signature"),
            (Block::RedactedThinking { .. }, key) => key == "data",
            (Block::ToolUse { .. }, key) => matches!(key, "id" | "name" | "input"),
            (Block::ToolResult { content, .. }, "content") => content.is_some(),
            (Block::ToolResult { is_error, .. }, "is_error") => is_error.is_some(),
            (Block::ToolResult { .. }, key) => key == "tool_use_id",
            (Block::Image { .. } | Block::Document { .. }, key) => key == "source",
        }
    }
}
