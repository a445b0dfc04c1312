//! The blocks of a message.

use serde_json::{Map, Value};

use super::{Content, Extra};

/// One block of content. `extra` holds the fields without a name here, `cache_control` among them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Block {
    /// Text.
    Text {
        /// The text itself.
        text: String,
        /// Other fields.
        extra: Extra,
    },
    /// Reasoning, signed by the API: it goes back unchanged or not at all.
    Thinking {
        /// The reasoning.
        thinking: String,
        /// The API's signature over it.
        signature: String,
        /// Other fields.
        extra: Extra,
    },
    /// Reasoning that only the API can read.
    RedactedThinking {
        /// Its encrypted form.
        data: String,
        /// Other fields.
        extra: Extra,
    },
    /// A call of a tool.
    ToolUse {
        /// What its result refers to.
        id: String,
        /// The tool.
        name: String,
        /// The arguments: an object.
        input: Value,
        /// Other fields.
        extra: Extra,
    },
    /// The result of a call.
    ToolResult {
        /// The call.
        tool_use_id: String,
        /// What the tool said; may be missing.
        content: Option<Content>,
        /// Did it fail? May be missing, which means no.
        is_error: Option<bool>,
        /// Other fields.
        extra: Extra,
    },
    /// An image.
    Image {
        /// Where its bytes are: in the JSON, at an address, in a file of the API.
        source: Value,
        /// Other fields.
        extra: Extra,
    },
    /// A document.
    Document {
        /// Where its bytes are.
        source: Value,
        /// Other fields.
        extra: Extra,
    },
    /// Anything else, as it is.
    Other(Value),
}

impl Block {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Block {
        Block::Text {
            text: text.into(),
            extra: Extra::default(),
        }
    }

    /// A reasoning block.
    pub fn thinking(thinking: impl Into<String>, signature: impl Into<String>) -> Block {
        Block::Thinking {
            thinking: thinking.into(),
            signature: signature.into(),
            extra: Extra::default(),
        }
    }

    /// A reasoning block that only the API can read.
    pub fn redacted_thinking(data: impl Into<String>) -> Block {
        Block::RedactedThinking {
            data: data.into(),
            extra: Extra::default(),
        }
    }

    /// A call of a tool; `input` is an object.
    pub fn tool_use(id: impl Into<String>, name: impl Into<String>, input: Value) -> Block {
        Block::ToolUse {
            id: id.into(),
            name: name.into(),
            input,
            extra: Extra::default(),
        }
    }

    /// The result of a call: a text, or blocks.
    pub fn tool_result(tool_use_id: impl Into<String>, content: impl Into<Content>) -> Block {
        Block::ToolResult {
            tool_use_id: tool_use_id.into(),
            content: Some(content.into()),
            is_error: None,
            extra: Extra::default(),
        }
    }

    /// The result of a call that failed.
    pub fn tool_error(tool_use_id: impl Into<String>, content: impl Into<Content>) -> Block {
        Block::ToolResult {
            tool_use_id: tool_use_id.into(),
            content: Some(content.into()),
            is_error: Some(true),
            extra: Extra::default(),
        }
    }

    /// An image, base64 in the JSON.
    pub fn image(media_type: &str, base64: impl Into<String>) -> Block {
        Block::Image {
            source: source(media_type, base64.into()),
            extra: Extra::default(),
        }
    }

    /// A document, base64 in the JSON.
    pub fn document(media_type: &str, base64: impl Into<String>) -> Block {
        Block::Document {
            source: source(media_type, base64.into()),
            extra: Extra::default(),
        }
    }

    /// The text of a text block.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Block::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Is it reasoning, readable or not?
    #[must_use]
    pub fn is_thinking(&self) -> bool {
        matches!(
            self,
            Block::Thinking { .. } | Block::RedactedThinking { .. }
        )
    }

    /// The fields without a name here; none for [`Block::Other`].
    #[must_use]
    pub fn extra(&self) -> Option<&Extra> {
        match self {
            Block::Text { extra, .. }
            | Block::Thinking { extra, .. }
            | Block::RedactedThinking { extra, .. }
            | Block::ToolUse { extra, .. }
            | Block::ToolResult { extra, .. }
            | Block::Image { extra, .. }
            | Block::Document { extra, .. } => Some(extra),
            Block::Other(_) => None,
        }
    }

    /// Any field that is not a named one, of [`Block::Other`] too.
    pub(crate) fn other_field(&self, key: &str) -> Option<&Value> {
        match self {
            Block::Other(value) => value.get(key),
            known => known.extra()?.field(key),
        }
    }

    /// The JSON of the block.
    #[must_use]
    pub fn to_json(&self) -> Value {
        // `Value` takes every string and every map with string keys.
        serde_json::to_value(self).unwrap_or(Value::Null)
    }
}

fn source(media_type: &str, data: String) -> Value {
    let fields = [
        ("type", Value::from("base64")),
        ("media_type", Value::from(media_type)),
        ("data", Value::from(data)),
    ];
    let fields = fields.map(|(key, value)| (key.to_owned(), value));
    Value::Object(Map::from_iter(fields))
}
