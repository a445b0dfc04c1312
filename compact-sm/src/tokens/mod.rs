//! How many tokens: by estimate, by the host's own counter, by what the API reported.

mod classes;
mod correction;
mod used;
mod weights;

pub use correction::{Correction, Margin};
pub(crate) use used::{Measure, measure};
pub use used::{Used, used};

use serde_json::Value;

use crate::{Block, Content, Message};
use classes::Classes;

/// Charge for an image. In tokens. Origin: what the client counts; a large one costs about 1,600
/// by the API's documentation.
pub const IMAGE_TOKENS: u64 = 2_000;

/// Charge for a page of a document that is not text. In tokens. Origin: the API's documentation
/// names 1,500 to 3,000.
pub const PAGE_TOKENS: u64 = 3_000;

/// What a page of a document is taken to have. 40 KiB, in bytes; our own choice.
pub const PAGE_BYTES: u64 = 40 << 10;

/// What a message costs beside its content. In tokens. Origin: 6 to 11 were measured for a request
/// of one message.
pub const MESSAGE_TOKENS: u64 = 5;

/// What a call or a result costs beside its text. In tokens; our own choice, rounded up.
pub const TOOL_BLOCK_TOKENS: u64 = 20;

/// What any tool at all adds to the system prompt. In tokens. Origin: the API's documentation
/// names 313 to 346 for the models in question.
pub const TOOLS_TOKENS: u64 = 346;

/// The generation of the tokenizer, which belongs to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum Tokenizer {
    /// Models up to the 4.6 family.
    V3,
    /// Models from 4.7 on, which take up to 1.45 times the tokens for the same text. The default,
    /// because too high is the safe side.
    #[default]
    V4_7,
}

/// How an estimate is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum Estimate {
    /// By classes of characters: honest for code, JSON and every script.
    ByClass(Tokenizer),
    /// UTF-8 bytes over 4, rounded up: for figures that have to agree with other tools. A third
    /// too low for code, half too low for digests.
    BytesDiv4,
}

impl Default for Estimate {
    fn default() -> Estimate {
        Estimate::ByClass(Tokenizer::default())
    }
}

/// How many tokens a text is likely to have.
#[must_use]
pub fn estimate(text: &str, how: Estimate) -> u64 {
    match how {
        Estimate::BytesDiv4 => (text.len() as u64).div_ceil(4),
        Estimate::ByClass(tokenizer) => {
            let mut classes = Classes::default();
            classes.text(text);
            weigh(&classes, tokenizer)
        }
    }
}

fn weigh(classes: &Classes, tokenizer: Tokenizer) -> u64 {
    let weights = match tokenizer {
        Tokenizer::V3 => &weights::V3,
        Tokenizer::V4_7 => &weights::V4_7,
    };
    let sum = classes.counts.iter().zip(weights);
    let sum = sum.fold(0_u64, |sum, (n, weight)| sum.saturating_add(n * weight));
    sum.div_ceil(1_000)
}

/// The port for counting: [`Estimator`], or an exact count of the host's own.
///
/// It is asked for one message at a time, in no fixed order, and has to be quick: a count by
/// network belongs into [`Used::exact`].
pub trait Counter {
    /// Tokens of a text.
    fn text(&self, text: &str) -> u64;

    /// Tokens of a message with all that it holds.
    fn message(&self, message: &Message) -> u64 {
        let blocks = message.content.blocks.iter();
        blocks.fold(MESSAGE_TOKENS, |sum, block| {
            sum.saturating_add(self.block(block))
        })
    }

    /// Tokens of a block.
    fn block(&self, block: &Block) -> u64 {
        let list = |content: &Content| -> u64 {
            let blocks = content.blocks.iter();
            blocks.fold(0, |sum, block| sum.saturating_add(self.block(block)))
        };
        match block {
            Block::Text { text, .. } => self.text(text),
            // The signature travels but is not counted.
            Block::Thinking { thinking, .. } => self.text(thinking),
            // What is encrypted has about the length of what it says in base64.
            Block::RedactedThinking { data, .. } => (data.len() as u64).div_ceil(5),
            Block::ToolUse { name, input, .. } => TOOL_BLOCK_TOKENS
                .saturating_add(self.text(name))
                .saturating_add(self.json(input)),
            Block::ToolResult { content, .. } => {
                TOOL_BLOCK_TOKENS.saturating_add(content.as_ref().map_or(0, list))
            }
            Block::Image { .. } => IMAGE_TOKENS,
            Block::Document { source, .. } => self.document(source),
            Block::Other(value) => self.json(value),
        }
    }

    /// Tokens of a value as JSON.
    fn json(&self, value: &Value) -> u64 {
        self.text(&value.to_string())
    }

    /// Tokens of a document: of its text, or of its pages, guessed by its size.
    fn document(&self, source: &Value) -> u64 {
        let field = |key: &str| source.get(key).and_then(Value::as_str);
        match field("type") {
            Some("text") => self.text(field("data").unwrap_or_default()),
            Some("content") => self.json(source.get("content").unwrap_or(&Value::Null)),
            Some("base64") => {
                let bytes = field("data").unwrap_or_default().len() as u64 / 4 * 3;
                PAGE_TOKENS.saturating_mul(bytes.div_ceil(PAGE_BYTES).max(1))
            }
            _ => PAGE_TOKENS,
        }
    }

    /// Tokens of definitions of tools, each a value with name, description and schema.
    fn tools(&self, tools: &[Value]) -> u64 {
        let fixed = if tools.is_empty() { 0 } else { TOOLS_TOKENS };
        tools.iter().fold(fixed, |sum, tool| {
            sum.saturating_add(TOOL_BLOCK_TOKENS)
                .saturating_add(self.json(tool))
        })
    }

    /// An estimate with its margin; an exact count is what it is.
    fn padded(&self, tokens: u64) -> u64 {
        tokens
    }
}

impl<C: Counter + ?Sized> Counter for &C {
    fn text(&self, text: &str) -> u64 {
        (**self).text(text)
    }

    fn message(&self, message: &Message) -> u64 {
        (**self).message(message)
    }

    fn block(&self, block: &Block) -> u64 {
        (**self).block(block)
    }

    fn json(&self, value: &Value) -> u64 {
        (**self).json(value)
    }

    fn document(&self, source: &Value) -> u64 {
        (**self).document(source)
    }

    fn tools(&self, tools: &[Value]) -> u64 {
        (**self).tools(tools)
    }

    fn padded(&self, tokens: u64) -> u64 {
        (**self).padded(tokens)
    }
}

/// The counter that needs nothing: an [`Estimate`], a [`Correction`] by what the API reported, and
/// a [`Margin`] where too low would overflow the window.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Estimator {
    /// How texts are estimated.
    pub estimate: Estimate,
    /// What the estimate was off by so far.
    pub correction: Correction,
    /// What [`Counter::padded`] adds.
    pub margin: Margin,
}

impl Estimator {
    /// An estimator without correction, with the margin of 4/3.
    #[must_use]
    pub fn new(estimate: Estimate) -> Estimator {
        Estimator {
            estimate,
            ..Estimator::default()
        }
    }

    /// Sets the correction.
    #[must_use]
    pub fn correction(mut self, correction: Correction) -> Estimator {
        self.correction = correction;
        self
    }

    /// Sets the margin.
    #[must_use]
    pub fn margin(mut self, margin: Margin) -> Estimator {
        self.margin = margin;
        self
    }
}

impl Counter for Estimator {
    fn text(&self, text: &str) -> u64 {
        self.correction.apply(estimate(text, self.estimate))
    }

    fn padded(&self, tokens: u64) -> u64 {
        self.margin.apply(tokens)
    }
}
