//! How messages are written.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

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
        map.serialize_entry("input_tokens", &self.input_tokens)?;
        map.serialize_entry("output_tokens", &self.output_tokens)?;
        for (key, tokens) in [
            (
                "cache_creation_input_tokens",
                self.cache_creation_input_tokens,
            ),
            ("cache_read_input_tokens", self.cache_read_input_tokens),
        ] {
            // A zero that was read stands among the other fields.
            if tokens > 0 {
                map.serialize_entry(key, &tokens)?;
            } else if let Some(value) = self.extra.field(key) {
                map.serialize_entry(key, value)?;
            }
        }
        for (key, value) in self
            .extra
            .iter()
            .filter(|(key, _)| !key.starts_with("cache_") || !key.ends_with("_input_tokens"))
        {
            map.serialize_entry(key, value)?;
        }
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
        match self.origin {
            Origin::Said => {}
            Origin::Summary => map.serialize_entry("isCompactSummary", &true)?,
            Origin::Meta => map.serialize_entry("isMeta", &true)?,
        }
        entries(&mut map, &self.extra)?;
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
            entries(&mut map, extra)?;
        }
        map.end()
    }
}

fn media<M: SerializeMap>(map: &mut M, kind: &str, source: &Value) -> Result<(), M::Error> {
    map.serialize_entry("type", kind)?;
    map.serialize_entry("source", source)
}

fn entries<M: SerializeMap>(map: &mut M, extra: &Extra) -> Result<(), M::Error> {
    for (key, value) in extra.iter() {
        map.serialize_entry(key, value)?;
    }
    Ok(())
}
