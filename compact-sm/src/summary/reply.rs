//! Reads the answer to a request for a summary: what cannot be one is refused, and the
//! conversation stays.

use std::fmt;

use serde_json::Value;

use super::prompt::{DETAILS, ENDED, GO_ON, LABEL, OPENING};
use super::says::{has_sections, says};
use super::sentence::Says;
use super::tags::{Tag, has_scratchpad, has_words, inside, without_cut_tag, without_thoughts};
use crate::boundary::read_boundary_text;
use crate::tokens::Counter;
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
    /// Is it in the form that was asked for?
    pub form: SummaryForm,
}

/// What a summary looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum SummaryForm {
    /// It stands in its tag, or under some of the headings that were asked for.
    Asked,
    /// Words without a form: perhaps the model talks of something else.
    Free,
}

impl Summary {
    /// Can it stand for what it replaces? Both figures in tokens. It has to be shorter, and must
    /// not be next to nothing: in place of [`SHORTEST_OF_TOKENS`] or more it has at least a token
    /// for each [`FORM_SHARE`] of them, up to [`FORM_TOKENS`]; if it has no form, at least one for
    /// each [`FREE_SHARE`], up to [`FREE_TOKENS`].
    ///
    /// # Errors
    ///
    /// [`BadSummary::NotShorter`] or [`BadSummary::TooShort`].
    pub fn stands_for(&self, before: u64, counter: &dyn Counter) -> Result<(), BadSummary> {
        let after = counter.text(self.text.strip_suffix(ENDED).unwrap_or(&self.text));
        if counter.text(&self.text) >= before {
            return Err(BadSummary::NotShorter { before, after });
        }
        let least = match self.form {
            SummaryForm::Asked => FORM_TOKENS.min(before / FORM_SHARE),
            SummaryForm::Free => FREE_TOKENS.min(before / FREE_SHARE),
        };
        if before >= SHORTEST_OF_TOKENS && after < least {
            return Err(BadSummary::TooShort { before, after });
        }
        Ok(())
    }
}

/// Any summary may stand for less than this. In tokens; our own choice: the result of one tool can
/// be as long, and be told in a line.
pub const SHORTEST_OF_TOKENS: u64 = 25_000;

/// A summary in its form has at least one token for so many. In tokens; our own choice.
pub const FORM_SHARE: u64 = 4_000;

/// What a summary in its form never needs more than. In tokens; our own choice, about twenty
/// words.
pub const FORM_TOKENS: u64 = 30;

/// A summary without a form has at least one token for so many. In tokens; our own choice.
pub const FREE_SHARE: u64 = 1_000;

/// What a summary without a form never needs more than. In tokens; our own choice, about seventy
/// words.
pub const FREE_TOKENS: u64 = 100;

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
    /// There is no text in it, or none that tells anything: white space, dots, `N/A`, headings
    /// with nothing below, the words of the request, an error of the service.
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
    /// The model declined: by its stop reason, or in words.
    Declined,
    /// It goes on with the conversation, or asks what to do, instead of summarizing.
    GoesOn,
    /// It ended at its limit of tokens before the summary began.
    EndedInScratchpad,
    /// It is as long as what it summarizes.
    NotShorter {
        /// What was summarized, in tokens.
        before: u64,
        /// The summary, in tokens.
        after: u64,
    },
    /// It is too doubtful to stand alone, and nothing of the end of the conversation has room beside
    /// it: see [`Summary::is_doubtful`].
    Doubtful {
        /// What was summarized, in tokens.
        before: u64,
        /// The summary, in tokens.
        after: u64,
    },
    /// It is next to nothing beside what it would stand for: see [`Summary::stands_for`].
    TooShort {
        /// What was summarized, in tokens.
        before: u64,
        /// The summary, in tokens.
        after: u64,
    },
}

impl fmt::Display for BadSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadSummary::Empty => f.write_str("the answer says nothing, expected a summary"),
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
            BadSummary::GoesOn => {
                f.write_str("the answer goes on with the conversation, expected a summary")
            }
            BadSummary::EndedInScratchpad => {
                f.write_str("the answer was at its limit before the summary began")
            }
            BadSummary::NotShorter { before, after } => write!(
                f,
                "the summary has {after} tokens, expected fewer than the {before} that it stands for"
            ),
            BadSummary::Doubtful { before, after } => write!(
                f,
                "the summary of {after} tokens may be none, and no message has room to stay beside it in place of {before}"
            ),
            BadSummary::TooShort { before, after } => write!(
                f,
                "the summary has {after} tokens, which is too little for the {before} that it stands for"
            ),
        }
    }
}

impl std::error::Error for BadSummary {}

/// The summary of an answer.
///
/// The scratchpad is thrown away; what stands in `<summary>` counts, in several such tags all of
/// it, or without one the rest. An earlier summary that was copied with its frame loses the frame.
/// What tells nothing of a conversation is refused, in the tag too: phrases for nothing, a refusal,
/// words that go on with the work. A summary that tells of such words is one. Whether it is long
/// enough, and short enough, for what it stands for is for [`Summary::stands_for`] to say.
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
    let all = match was_cut {
        true => without_cut_tag(&text),
        false => &text,
    };
    let all = all.trim_start();
    let text = without_thoughts(all);
    let (inner, tag) = inside(text);
    let inner = unframed(inner.trim());
    if is_json(inner) {
        return Err(BadSummary::Json);
    }
    if !has_words(inner) {
        return Err(
            match (was_cut, text.len() < all.len() || has_scratchpad(text)) {
                (true, _) => BadSummary::EndedInScratchpad,
                (_, true) => BadSummary::ReasoningOnly,
                _ => BadSummary::Empty,
            },
        );
    }
    let calls = |line: &str| CALLS.iter().any(|tag| line.trim_start().starts_with(tag));
    // What is closed may quote a call; an answer without the form that makes one is one.
    let is_form = tag == Tag::Closed || (tag == Tag::Open && was_cut);
    if calls(inner) || (!is_form && inner.lines().any(calls)) {
        return Err(BadSummary::CalledTool { name: None });
    }
    match says(inner) {
        Says::Something => {}
        Says::Nothing if was_cut => return Err(BadSummary::EndedInScratchpad),
        Says::Nothing => return Err(BadSummary::Empty),
        Says::Declines => return Err(BadSummary::Declined),
        Says::GoesOn => return Err(BadSummary::GoesOn),
    }
    let mut summary = Summary {
        text: inner.to_owned(),
        extent: Extent::Whole,
        form: match tag != Tag::None || has_sections(inner) {
            true => SummaryForm::Asked,
            false => SummaryForm::Free,
        },
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

/// How models call a tool in words where they have none.
const CALLS: [&str; 4] = ["<function_calls>", "<tool_call>", "<tool_use>", "<invoke "];

/// Without the frame of an earlier summary, which must not be wrapped again and again.
pub(crate) fn unframed(mut text: &str) -> &str {
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
