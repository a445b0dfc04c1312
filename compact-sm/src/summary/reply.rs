//! Reads the answer to a request for a summary: what cannot be one is refused, and the
//! conversation stays.

use std::fmt;

use serde_json::Value;

use super::prompt::{DETAILS, ENDED, GO_ON, LABEL, OPENING};
use crate::boundary::read_boundary_text;
use crate::{Block, Message};

/// The most of an answer that is read, in bytes; our own choice, several times the longest
/// summary seen.
pub const MAX_SUMMARY_BYTES: usize = 1 << 20;

/// What a model answered.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SummaryReply {
    /// The answer.
    pub message: Message,
    /// Why the model stopped, as the API calls it.
    pub stop_reason: Option<String>,
}

impl SummaryReply {
    /// An answer of which only the text is known.
    #[must_use]
    pub fn text(text: impl Into<String>) -> SummaryReply {
        SummaryReply {
            message: Message::assistant(text.into()),
            stop_reason: None,
        }
    }

    /// A response of the API, whose `stop_reason` stands among its fields.
    #[must_use]
    pub fn from_message(message: Message) -> SummaryReply {
        let reason = message.extra.field("stop_reason").and_then(Value::as_str);
        SummaryReply {
            stop_reason: reason.map(str::to_owned),
            message,
        }
    }

    /// Sets why the model stopped.
    #[must_use]
    pub fn stop_reason(mut self, reason: impl Into<String>) -> SummaryReply {
        self.stop_reason = Some(reason.into());
        self
    }
}

/// A summary.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Summary {
    /// The text, without tags and scratchpad.
    pub text: String,
    /// Is it whole?
    pub extent: Extent,
}

/// How much of a summary is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Extent {
    /// All of it.
    Whole,
    /// The answer ended at its limit of tokens; the text says so at its end.
    Ended,
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
    /// It calls a tool. Nothing is run.
    CalledTool {
        /// The tool, if it is named.
        name: Option<String>,
    },
    /// It is one JSON value: the model tried to call a tool in words.
    Json,
    /// The model declined.
    Declined,
    /// It ended at its limit of tokens before the summary began.
    EndedInScratchpad,
    /// It is as long as what it summarizes.
    NotShorter {
        /// What was summarized, in tokens.
        before: u64,
        /// The summary, in tokens.
        after: u64,
    },
}

impl fmt::Display for BadSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadSummary::Empty => f.write_str("the answer is empty, expected a summary"),
            BadSummary::ReasoningOnly => {
                f.write_str("the answer is reasoning and nothing else, expected a summary")
            }
            BadSummary::CalledTool { name: Some(name) } => {
                let name: String = name.chars().take(80).collect();
                write!(f, "the answer calls the tool {name:?}, expected a summary")
            }
            BadSummary::CalledTool { name: None } => {
                f.write_str("the answer calls a tool, expected a summary")
            }
            BadSummary::Json => f.write_str("the answer is a JSON value, expected a summary"),
            BadSummary::Declined => f.write_str("the model declined to summarize"),
            BadSummary::EndedInScratchpad => {
                f.write_str("the answer was at its limit before the summary began")
            }
            BadSummary::NotShorter { before, after } => write!(
                f,
                "the summary has {after} tokens, expected fewer than the {before} that it stands for"
            ),
        }
    }
}

impl std::error::Error for BadSummary {}

/// The summary of an answer.
///
/// The scratchpad is thrown away; what stands in `<summary>` counts, or without such a tag the
/// rest. An earlier summary that was copied with its frame loses the frame. Whether it is shorter
/// than what it stands for is for [`compact`](crate::compact) to say.
///
/// # Errors
///
/// The reason why there is none.
pub fn read_summary(reply: &SummaryReply) -> Result<Summary, BadSummary> {
    let stop = reply.stop_reason.as_deref();
    if stop == Some("refusal") {
        return Err(BadSummary::Declined);
    }
    let blocks = &reply.message.content.blocks;
    let called = blocks.iter().find_map(|block| match block {
        Block::ToolUse { name, .. } => Some(name.clone()),
        _ => None,
    });
    if called.is_some() || stop == Some("tool_use") {
        return Err(BadSummary::CalledTool { name: called });
    }
    let text = text_of(&reply.message);
    if text.trim().is_empty() {
        return Err(match blocks.iter().any(Block::is_thinking) {
            true => BadSummary::ReasoningOnly,
            false => BadSummary::Empty,
        });
    }
    let was_cut = matches!(stop, Some("max_tokens" | "model_context_window_exceeded"));
    let text = match was_cut {
        true => without_cut_tag(&text),
        false => &text,
    };
    let (inner, tag) = inside(text);
    let inner = unframed(inner.trim());
    if is_json(inner) {
        return Err(BadSummary::Json);
    }
    if !says_something(inner) {
        return Err(match (was_cut, text.contains(ANALYSIS)) {
            (true, _) => BadSummary::EndedInScratchpad,
            (_, true) => BadSummary::ReasoningOnly,
            _ => BadSummary::Empty,
        });
    }
    let calls = |line: &str| CALLS.iter().any(|tag| line.trim_start().starts_with(tag));
    // What is closed may quote a call; an answer without the form that makes one is one.
    let is_form = tag == Tag::Closed || (tag == Tag::Open && was_cut);
    if calls(inner) || (!is_form && inner.lines().any(calls)) {
        return Err(BadSummary::CalledTool { name: None });
    }
    let mut summary = Summary {
        text: inner.to_owned(),
        extent: Extent::Whole,
    };
    if was_cut && tag != Tag::Closed {
        summary.text.push_str(ENDED);
        summary.extent = Extent::Ended;
    }
    Ok(summary)
}

/// The texts, as far as they are read.
fn text_of(message: &Message) -> String {
    let mut all = String::new();
    for text in message.texts() {
        if text.trim().is_empty() {
            continue;
        }
        if !all.is_empty() {
            all.push('\n');
        }
        all.push_str(head(text, MAX_SUMMARY_BYTES.saturating_sub(all.len())));
        if all.len() >= MAX_SUMMARY_BYTES {
            break;
        }
    }
    all
}

/// The beginning of a text, in whole characters.
pub(crate) fn head(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    None,
    Open,
    Closed,
}

/// How models call a tool in words where they have none.
const CALLS: [&str; 4] = ["<function_calls>", "<tool_call>", "<tool_use>", "<invoke "];

const ANALYSIS: &str = "<analysis>";
const ANALYSIS_END: &str = "</analysis>";
const SUMMARY: &str = "<summary>";
const SUMMARY_END: &str = "</summary>";

const TAGS: [&str; 4] = [ANALYSIS, ANALYSIS_END, SUMMARY, SUMMARY_END];

/// Without the beginning of a tag at which an answer was cut off.
fn without_cut_tag(text: &str) -> &str {
    let Some(at) = text.rfind('<') else {
        return text;
    };
    let (before, end) = text.split_at(at);
    let is_cut = |tag: &&str| tag.len() > end.len() && tag.starts_with(end);
    match TAGS.iter().any(is_cut) {
        true => before,
        false => text,
    }
}

/// Is there a word beside the tags? Dots, fences and brackets are no summary.
fn says_something(text: &str) -> bool {
    let bare = TAGS
        .iter()
        .fold(text.to_owned(), |text, tag| text.replace(tag, ""));
    bare.contains(char::is_alphanumeric)
}

/// What counts of a text, and what its tag is like.
fn inside(text: &str) -> (String, Tag) {
    let tagged = |text: &str, at: usize| {
        let rest = &text[at + SUMMARY.len()..];
        // The last closing tag: a summary may quote one.
        match rest.rfind(SUMMARY_END) {
            Some(end) => (rest[..end].to_owned(), Tag::Closed),
            None => (rest.to_owned(), Tag::Open),
        }
    };
    let first = text.find(SUMMARY);
    let behind = behind_scratchpad(text);
    // Words in front of the form may name its tags, a summary that begins the answer counts.
    let is_before = |at: &usize| {
        let begins = text[..*at].trim().is_empty() || behind.is_none();
        begins && text.find(ANALYSIS).is_none_or(|analysis| *at < analysis)
    };
    // A scratchpad may speak of the tag, so the one right behind it is the one that counts.
    if let Some(at) = first.filter(is_before).or(behind) {
        return tagged(text, at);
    }
    let rest = without_scratchpad(text);
    match (rest.find(SUMMARY), first) {
        (Some(at), _) => tagged(&rest, at),
        // A scratchpad that was never closed, and all there is stands in it.
        (None, Some(at)) if rest.trim().is_empty() => tagged(text, at),
        _ => (rest, Tag::None),
    }
}

fn behind_scratchpad(text: &str) -> Option<usize> {
    text.match_indices(ANALYSIS_END).find_map(|(at, tag)| {
        let rest = &text[at + tag.len()..];
        let trimmed = rest.trim_start();
        let start = at + tag.len() + rest.len() - trimmed.len();
        trimmed.starts_with(SUMMARY).then_some(start)
    })
}

fn without_scratchpad(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(ANALYSIS) {
        kept.push_str(&rest[..at]);
        rest = &rest[at + ANALYSIS.len()..];
        // One that is never closed takes everything behind it.
        rest = rest
            .split_once(ANALYSIS_END)
            .map_or("", |(_, behind)| behind);
    }
    kept.push_str(rest);
    kept
}

/// Without the frame of an earlier summary, which must not be wrapped again and again.
fn unframed(mut text: &str) -> &str {
    loop {
        let before = text.len();
        if let Some(inner) = read_boundary_text(text) {
            text = inner.trim();
        }
        if let Some(inner) = text
            .strip_prefix(OPENING)
            .and_then(|rest| rest.trim_start().strip_prefix(LABEL.trim()))
        {
            text = inner.trim();
            text = text.strip_suffix(GO_ON.trim()).unwrap_or(text).trim_end();
            text = without_details(text);
        }
        if text.len() == before {
            return text;
        }
    }
}

/// The details stand in the last line, so that nothing before it has to be searched.
fn without_details(text: &str) -> &str {
    let Some(end) = text.rfind('\n') else {
        return text;
    };
    let line = DETAILS.trim_start();
    match text[..end].strip_suffix('\n') {
        Some(before) if text[end + 1..].starts_with(line) => before.trim_end(),
        _ => text,
    }
}

/// Is it nothing but objects and lists, in a fence or not, of which the last may be cut off?
fn is_json(text: &str) -> bool {
    let fenced = text.strip_prefix("```").map(|rest| {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        let rest = rest.trim_end();
        rest.strip_suffix("```").unwrap_or(rest)
    });
    let text = fenced.unwrap_or(text).trim();
    if !text.starts_with(['{', '[']) {
        return false;
    }
    let values = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    for value in values {
        if let Err(error) = value {
            return error.is_eof();
        }
    }
    true
}
