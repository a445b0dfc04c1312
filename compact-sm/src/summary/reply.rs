//! Reads the answer to a request for a summary: what cannot be one is refused, and the
//! conversation stays.

use std::fmt;

use crate::{Block, Message};

/// The most of an answer that is read, in bytes: several times the longest summary seen.
pub const MAX_SUMMARY_BYTES: usize = 1 << 20;

/// A summary.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Summary {
    /// The text, without tags and scratchpad.
    pub text: String,
    /// The answer ended at its limit of tokens; the text says so at its end.
    pub is_cut: bool,
}

/// Why an answer is no summary.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum BadSummary {
    /// There is no text in it, or only white space.
    Empty,
    /// There is reasoning in it, and nothing else.
    ReasoningOnly,
    /// It calls a tool.
    CalledTool {
        /// The tool.
        name: String,
    },
    /// It is one JSON value: the model tried to call a tool in words.
    Json,
    /// The model declined.
    Declined,
    /// It ended at its limit of tokens before the summary began.
    CutInScratchpad,
    /// It is as long as what it summarizes.
    NotShorter {
        /// What was summarized, in tokens.
        before: u64,
        /// What the conversation would be, in tokens.
        after: u64,
    },
}

impl fmt::Display for BadSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadSummary::Empty => f.write_str("the answer is empty"),
            BadSummary::ReasoningOnly => f.write_str("the answer is reasoning and nothing else"),
            BadSummary::CalledTool { name } => write!(f, "the answer calls the tool `{name}`"),
            BadSummary::Json => f.write_str("the answer is a JSON value, expected a summary"),
            BadSummary::Declined => f.write_str("the model declined"),
            BadSummary::CutInScratchpad => {
                f.write_str("the answer ended before the summary began")
            }
            BadSummary::NotShorter { before, after } => {
                write!(f, "the conversation would not be shorter: {before} tokens before, {after} after")
            }
        }
    }
}

/// What stands at the end of a summary that was cut.
const CUT: &str = "\n\n[the summary ends here because the answer was at its limit]";

/// The summary of an answer.
///
/// The scratchpad is thrown away; what stands in `<summary>` counts, or without such a tag the
/// rest. Never fails otherwise: an answer that is no summary is told why.
///
/// # Errors
///
/// The reason why there is none.
pub fn read_summary(answer: &Message, stop_reason: Option<&str>) -> Result<Summary, BadSummary> {
    if stop_reason == Some("refusal") {
        return Err(BadSummary::Declined);
    }
    let called = answer.content.blocks.iter().find_map(|block| match block {
        Block::ToolUse { name, .. } => Some(name.clone()),
        _ => None,
    });
    if let Some(name) = called {
        return Err(BadSummary::CalledTool { name });
    }
    let text: Vec<&str> = answer.texts().filter(|text| !text.trim().is_empty()).collect();
    let text = text.join("\n");
    if text.is_empty() {
        let reasons = answer.content.blocks.iter().any(Block::is_thinking);
        return Err(match reasons {
            true => BadSummary::ReasoningOnly,
            false => BadSummary::Empty,
        });
    }
    let text = head(&text, MAX_SUMMARY_BYTES);
    let is_cut = matches!(stop_reason, Some("max_tokens" | "model_context_window_exceeded"));
    let (inner, is_closed) = inside(&text);
    let inner = inner.trim();
    if inner.is_empty() {
        let began = text.contains("<analysis>");
        return Err(match (is_cut, began) {
            (true, true) => BadSummary::CutInScratchpad,
            _ => BadSummary::Empty,
        });
    }
    if serde_json::from_str::<serde_json::Value>(inner).is_ok_and(|value| value.is_object() || value.is_array()) {
        return Err(BadSummary::Json);
    }
    let is_cut = is_cut && !is_closed;
    let mut text = inner.to_owned();
    if is_cut {
        text.push_str(CUT);
    }
    Ok(Summary { text, is_cut })
}

fn head(text: &str, most: usize) -> String {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

/// What counts of a text, and whether its tag was closed.
fn inside(text: &str) -> (String, bool) {
    let rest = without_scratchpad(text);
    match rest.find("<summary>") {
        Some(at) => {
            let from = at + "<summary>".len();
            // The last closing tag: a summary may quote one.
            match rest.rfind("</summary>").filter(|end| *end >= from) {
                Some(end) => (rest[from..end].to_owned(), true),
                None => (rest[from..].to_owned(), false),
            }
        }
        None => (rest, false),
    }
}

/// The text without the blocks of a scratchpad that stand before the summary. One that is never
/// closed takes everything behind it, but no summary.
fn without_scratchpad(text: &str) -> String {
    let (before, summary) = match text.find("<summary>") {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let mut kept = String::new();
    let mut rest = before;
    while let Some(at) = rest.find("<analysis>") {
        kept.push_str(&rest[..at]);
        rest = match rest[at..].find("</analysis>") {
            Some(end) => &rest[at + end + "</analysis>".len()..],
            None => "",
        };
    }
    kept.push_str(rest);
    kept.push_str(summary);
    kept
}
