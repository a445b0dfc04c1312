//! How messages are read: straight into their types, and without losing what does not fit.
//!
//! A block that is not as its type demands becomes [`Block::Other`], so that reading a block never
//! fails; the JSON parser bounds the depth.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::content::Spelling;
use super::{Block, Content};

/// A key of an object: a known name, which needs no memory of its own, or another.
pub(crate) enum Key {
    Known(&'static str),
    Other(String),
}

/// Reads a key against the names that are known.
pub(crate) struct Keys(pub(crate) &'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Keys {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Keys {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Key, E> {
        Ok(match self.0.iter().find(|name| **name == key) {
            Some(name) => Key::Known(name),
            None => Key::Other(key.to_owned()),
        })
    }
}

/// A value that should be content, or what stands there instead.
pub(crate) enum MaybeContent {
    Content(Content),
    Not(Value),
}

impl MaybeContent {
    fn fits_result(&self) -> bool {
        matches!(
            self,
            MaybeContent::Content(_) | MaybeContent::Not(Value::Null)
        )
    }

    pub(crate) fn into_value(self) -> Value {
        match self {
            MaybeContent::Content(content) => content.to_json(),
            MaybeContent::Not(value) => value,
        }
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = MaybeContent;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of blocks")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<MaybeContent, E> {
        Ok(MaybeContent::Content(Content::from(text)))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<MaybeContent, E> {
        Ok(MaybeContent::Content(Content::from(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<MaybeContent, A::Error> {
        let mut blocks = Vec::new();
        while let Some(block) = list.next_element()? {
            blocks.push(block);
        }
        Ok(MaybeContent::Content(Content {
            blocks,
            spelling: Spelling::List,
        }))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MaybeContent, A::Error> {
        let value = Value::deserialize(MapAccessDeserializer::new(map))?;
        Ok(MaybeContent::Not(value))
    }

    fn visit_unit<E: Error>(self) -> Result<MaybeContent, E> {
        Ok(MaybeContent::Not(Value::Null))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<MaybeContent, E> {
        Ok(MaybeContent::Not(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<MaybeContent, E> {
        Ok(MaybeContent::Not(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<MaybeContent, E> {
        Ok(MaybeContent::Not(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<MaybeContent, E> {
        Ok(MaybeContent::Not(value.into()))
    }
}

impl<'de> Deserialize<'de> for MaybeContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MaybeContent, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Content, D::Error> {
        match MaybeContent::deserialize(deserializer)? {
            MaybeContent::Content(content) => Ok(content),
            MaybeContent::Not(_) => Err(D::Error::custom("expected a string or a list of blocks")),
        }
    }
}

/// The fields that some block has, until all of them are known.
#[derive(Default)]
struct Parts {
    kind: Option<Value>,
    text: Option<Value>,
    thinking: Option<Value>,
    signature: Option<Value>,
    data: Option<Value>,
    id: Option<Value>,
    name: Option<Value>,
    input: Option<Value>,
    tool_use_id: Option<Value>,
    content: Option<MaybeContent>,
    is_error: Option<Value>,
    source: Option<Value>,
    extra: Map<String, Value>,
}

const BLOCK_KEYS: &[&str] = &[
    "type",
    "text",
    "thinking",
    "signature",
    "data",
    "id",
    "name",
    "input",
    "tool_use_id",
    "content",
    "is_error",
    "source",
];

/// A string, taken out of its place; anything else stays there.
fn string(slot: &mut Option<Value>) -> Option<String> {
    match slot.take() {
        Some(Value::String(text)) => Some(text),
        other => {
            *slot = other;
            None
        }
    }
}

impl Parts {
    fn slot(&mut self, name: &str) -> Option<&mut Option<Value>> {
        Some(match name {
            "type" => &mut self.kind,
            "text" => &mut self.text,
            "thinking" => &mut self.thinking,
            "signature" => &mut self.signature,
            "data" => &mut self.data,
            "id" => &mut self.id,
            "name" => &mut self.name,
            "input" => &mut self.input,
            "tool_use_id" => &mut self.tool_use_id,
            "is_error" => &mut self.is_error,
            "source" => &mut self.source,
            _ => return None,
        })
    }

    /// What is left over once a block has taken its fields.
    fn rest(mut self) -> Map<String, Value> {
        for name in BLOCK_KEYS {
            if let Some(value) = self.slot(name).and_then(Option::take) {
                self.extra.insert((*name).to_owned(), value);
            }
        }
        if let Some(content) = self.content {
            self.extra
                .insert("content".to_owned(), content.into_value());
        }
        self.extra
    }

    fn fits(&self) -> bool {
        let is_string = |slot: &Option<Value>| matches!(slot, Some(Value::String(_)));
        match self.kind.as_ref().and_then(Value::as_str) {
            Some("text") => is_string(&self.text),
            Some("thinking") => is_string(&self.thinking) && is_string(&self.signature),
            Some("redacted_thinking") => is_string(&self.data),
            Some("tool_use") => {
                is_string(&self.id) && is_string(&self.name) && self.input.is_some()
            }
            Some("tool_result") => {
                is_string(&self.tool_use_id)
                    && self.content.as_ref().is_none_or(MaybeContent::fits_result)
                    && matches!(self.is_error, None | Some(Value::Bool(_) | Value::Null))
            }
            Some("image" | "document") => self.source.is_some(),
            _ => false,
        }
    }

    fn finish(mut self) -> Block {
        if !self.fits() {
            return Block::Other(Value::Object(self.rest()));
        }
        let kind = string(&mut self.kind).unwrap_or_default();
        let mut take = |name: &str| {
            let slot = self.slot(name);
            slot.and_then(string).unwrap_or_default()
        };
        match kind.as_str() {
            "text" => Block::Text {
                text: take("text"),
                extra: self.rest().into(),
            },
            "thinking" => Block::Thinking {
                thinking: take("thinking"),
                signature: take("signature"),
                extra: self.rest().into(),
            },
            "redacted_thinking" => Block::RedactedThinking {
                data: take("data"),
                extra: self.rest().into(),
            },
            "tool_use" => Block::ToolUse {
                id: take("id"),
                name: take("name"),
                input: self.input.take().unwrap_or_default(),
                extra: self.rest().into(),
            },
            "tool_result" => Block::ToolResult {
                tool_use_id: take("tool_use_id"),
                content: match self.content.take() {
                    Some(MaybeContent::Content(content)) => Some(content),
                    // A null is as good as nothing, and is written again.
                    null => {
                        self.content = null;
                        None
                    }
                },
                is_error: match self.is_error.take() {
                    Some(Value::Bool(is_error)) => Some(is_error),
                    null => {
                        self.is_error = null;
                        None
                    }
                },
                extra: self.rest().into(),
            },
            other => {
                let is_image = other == "image";
                let source = self.source.take().unwrap_or_default();
                let extra = self.rest().into();
                if is_image {
                    Block::Image { source, extra }
                } else {
                    Block::Document { source, extra }
                }
            }
        }
    }
}

struct BlockVisitor;

impl<'de> Visitor<'de> for BlockVisitor {
    type Value = Block;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a block")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Block, A::Error> {
        let mut parts = Parts::default();
        while let Some(key) = map.next_key_seed(Keys(BLOCK_KEYS))? {
            match key {
                // Other kinds of blocks have content too, of shapes of their own.
                Key::Known("content") => {
                    let is_result = match &parts.kind {
                        Some(kind) => kind == "tool_result",
                        None => parts.tool_use_id.is_some(),
                    };
                    parts.content = Some(if is_result {
                        map.next_value()?
                    } else {
                        MaybeContent::Not(map.next_value()?)
                    });
                }
                Key::Known(name) => {
                    let value = map.next_value()?;
                    if let Some(slot) = parts.slot(name) {
                        *slot = Some(value);
                    }
                }
                Key::Other(name) => {
                    parts.extra.insert(name, map.next_value()?);
                }
            }
        }
        // The type came last: the content is read again, now that it is known to be one.
        if parts
            .kind
            .as_ref()
            .is_some_and(|kind| kind == "tool_result")
        {
            parts.content = match parts.content.take() {
                Some(MaybeContent::Not(value)) => {
                    Some(MaybeContent::deserialize(value).map_err(A::Error::custom)?)
                }
                content => content,
            };
        }
        Ok(parts.finish())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Block, A::Error> {
        let value = Value::deserialize(SeqAccessDeserializer::new(list))?;
        Ok(Block::Other(value))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Block, E> {
        Ok(Block::Other(text.into()))
    }

    fn visit_unit<E: Error>(self) -> Result<Block, E> {
        Ok(Block::Other(Value::Null))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Block, E> {
        Ok(Block::Other(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Block, E> {
        Ok(Block::Other(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Block, E> {
        Ok(Block::Other(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Block, E> {
        Ok(Block::Other(value.into()))
    }
}

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Block, D::Error> {
        deserializer.deserialize_any(BlockVisitor)
    }
}
