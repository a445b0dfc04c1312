//! The content of a message or of a tool's result: blocks, or one string.

use serde_json::Value;

use super::Block;

/// Blocks, in order. JSON writes a lone text as a string or as a list of one block; which of the
/// two it was is remembered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Content {
    /// The blocks.
    pub blocks: Vec<Block>,
    pub(super) spelling: Spelling,
}

/// How the content stood in the JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Spelling {
    #[default]
    List,
    /// A string; holds only while the content is one text without further fields.
    Plain,
}

impl Content {
    /// The text, if the content is written as one string.
    pub(crate) fn as_plain(&self) -> Option<&str> {
        match (self.spelling, self.blocks.as_slice()) {
            (Spelling::Plain, [Block::Text { text, extra }]) if extra.is_empty() => Some(text),
            _ => None,
        }
    }

    /// The JSON: a string or a list.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self.as_plain() {
            Some(text) => Value::from(text),
            None => self.blocks.iter().map(Block::to_json).collect(),
        }
    }
}

impl From<String> for Content {
    fn from(text: String) -> Content {
        Content {
            blocks: vec![Block::text(text)],
            spelling: Spelling::Plain,
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Content {
        Content::from(text.to_owned())
    }
}

impl From<Vec<Block>> for Content {
    fn from(blocks: Vec<Block>) -> Content {
        Content {
            blocks,
            spelling: Spelling::List,
        }
    }
}

impl<const N: usize> From<[Block; N]> for Content {
    fn from(blocks: [Block; N]) -> Content {
        Content::from(Vec::from(blocks))
    }
}

impl From<Block> for Content {
    fn from(block: Block) -> Content {
        Content::from(vec![block])
    }
}
