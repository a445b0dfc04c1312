//! The pure halves of the model's choice: the request that is made, the answer that is read.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use crate::prompt;
use crate::text::{head, printable};
use crate::{MAX_QUERY_BYTES, Query};

/// The most memories of one recall: 5 memories, the limit of the format.
pub const MAX_PICKS: usize = 5;

/// How long the selector's answer may get: 256 tokens, the limit of the format.
pub const MAX_SELECT_TOKENS: u32 = 256;

/// How much of an answer is read: 64 KiB (65,536 bytes), this crate's own choice; 256 tokens are
/// a kilobyte or two.
pub const MAX_REPLY_BYTES: usize = 64 * 1024;

/// What a model is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SelectRequest {
    /// The model that the host wants for this, apart from the session's own; without one the
    /// selector takes its default.
    pub model: Option<String>,
    /// The instructions.
    pub system: String,
    /// The one user message.
    pub user: String,
    /// How long the answer may get, in tokens.
    pub max_tokens: u32,
    /// The JSON schema of the answer, as text.
    pub schema: &'static str,
}

impl SelectRequest {
    /// How many bytes the texts of the request have.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.system.len() + self.user.len() + self.schema.len()
    }
}

/// The request for a query and a manifest.
#[must_use]
pub fn select_request(query: &Query, manifest: &str) -> SelectRequest {
    SelectRequest {
        model: None,
        system: prompt::SYSTEM.to_owned(),
        user: prompt::user(
            head(&query.text, MAX_QUERY_BYTES),
            manifest,
            &query.recent_tools,
        ),
        max_tokens: MAX_SELECT_TOKENS,
        schema: prompt::SCHEMA,
    }
}

/// What a model answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SelectReply {
    /// The text of the answer.
    pub text: String,
    /// Why the model stopped, as the service calls it.
    pub stop_reason: Option<String>,
    /// What the request cost, in tokens, cached ones included.
    pub input_tokens: Option<u64>,
    /// What the answer cost, in tokens.
    pub output_tokens: Option<u64>,
}

impl SelectReply {
    /// An answer of which only the text is known.
    #[must_use]
    pub fn new(text: impl Into<String>) -> SelectReply {
        SelectReply {
            text: text.into(),
            ..SelectReply::default()
        }
    }

    /// Sets why the model stopped.
    #[must_use]
    pub fn stop_reason(mut self, reason: impl Into<String>) -> SelectReply {
        self.stop_reason = Some(reason.into());
        self
    }

    /// Sets what it cost, in tokens.
    #[must_use]
    pub fn tokens(mut self, input: u64, output: u64) -> SelectReply {
        self.input_tokens = Some(input);
        self.output_tokens = Some(output);
        self
    }
}

/// What was read from an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Selection {
    /// At most [`MAX_PICKS`] of the offered names, each once, in the order of the answer.
    pub picks: Vec<String>,
    /// Names that do not count, and why; at most 50 of them.
    pub dropped: Vec<DroppedName>,
    /// What was wrong with the answer as a whole.
    pub problem: Option<ReplyProblem>,
}

/// A name of the answer that does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct DroppedName {
    /// The name, at most 200 characters of it, control characters shown as escapes.
    pub name: String,
    /// Why it does not count.
    pub reason: DropReason,
}

/// Why a name of the answer does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum DropReason {
    /// No file of that name was offered.
    NotOffered,
    /// It would lead out of the memory directory, or is no name at all.
    Unsafe,
    /// It stands in the answer before.
    Duplicate,
    /// Five stand before it.
    BeyondFive,
    /// It is no text.
    NotText,
}

impl std::fmt::Display for DropReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            DropReason::NotOffered => "not among what was offered",
            DropReason::Unsafe => "not a name inside the memory directory",
            DropReason::Duplicate => "named twice",
            DropReason::BeyondFive => "beyond the first five",
            DropReason::NotText => "not a text",
        })
    }
}

/// What was wrong with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ReplyProblem {
    /// There is no text in it.
    Empty,
    /// There is no list in it.
    NoList,
    /// It ends inside the list; the names before the end count.
    Truncated,
}

impl std::fmt::Display for ReplyProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ReplyProblem::Empty => "the answer is empty",
            ReplyProblem::NoList => "the answer holds no list of memories",
            ReplyProblem::Truncated => "the answer ends inside the list",
        })
    }
}

/// Reads the model's answer: which of the offered names it chose.
///
/// Fences, prose and reasoning around the object are tolerated, and so is a bare array. Of
/// several lists the last one counts, as reasoning comes before the answer; what a closed block of
/// reasoning holds is no answer. Names are compared in their composed form (NFC), as models write
/// them. Never fails: an answer that says nothing selects nothing, with the [`ReplyProblem`].
///
/// ```
/// let read = memdir_recall::read_reply("```json\n{\"selected_memories\": [\"b.md\", \"x.md\"]}\n```", &["a.md", "b.md"]);
/// assert_eq!(read.picks, ["b.md"]);
/// assert_eq!(read.dropped[0].reason.to_string(), "not among what was offered");
/// ```
#[must_use]
pub fn read_reply<S: AsRef<str>>(reply: &str, offered: &[S]) -> Selection {
    let mut selection = Selection::default();
    let cut = head(reply, MAX_REPLY_BYTES);
    let names = match list(behind_reasoning(cut)) {
        Some(List::Whole(names)) => names,
        Some(List::Truncated(names)) => {
            selection.problem = Some(ReplyProblem::Truncated);
            names
        }
        None => {
            selection.problem = Some(match cut.trim() {
                "" => ReplyProblem::Empty,
                _ => ReplyProblem::NoList,
            });
            return selection;
        }
    };
    let offered = Offered::new(offered);
    for name in names {
        let reason = match &name {
            Value::String(name) => {
                let plain = name.trim();
                let plain = plain.strip_prefix("./").unwrap_or(plain);
                // A file name may begin with a blank.
                match offered.get(name).or_else(|| offered.get(plain)) {
                    Some(known) if selection.picks.iter().any(|p| p == known) => {
                        DropReason::Duplicate
                    }
                    Some(_) if selection.picks.len() >= MAX_PICKS => DropReason::BeyondFive,
                    Some(known) => {
                        selection.picks.push(known.to_owned());
                        continue;
                    }
                    None if memdir_paths::check_name(plain).is_err() => DropReason::Unsafe,
                    None => DropReason::NotOffered,
                }
            }
            _ => DropReason::NotText,
        };
        if selection.dropped.len() < MAX_DROPPED {
            let shown = match name {
                Value::String(name) => name,
                other => other.to_string(),
            };
            selection.dropped.push(DroppedName {
                name: printable(&shown.chars().take(MAX_NAME_CHARS).collect::<String>()),
                reason,
            });
        }
    }
    selection
}

/// The names that were offered, by themselves and by their composed forms.
struct Offered<'a> {
    names: HashSet<&'a str>,
    /// `None` where two names have one form.
    composed: HashMap<String, Option<&'a str>>,
}

impl<'a> Offered<'a> {
    fn new<S: AsRef<str>>(offered: &'a [S]) -> Offered<'a> {
        let names: HashSet<&str> = offered.iter().map(AsRef::as_ref).collect();
        let mut composed: HashMap<String, Option<&str>> = HashMap::new();
        for name in names.iter().filter(|name| !name.is_ascii()) {
            let form = composed.entry(name.nfc().collect());
            form.and_modify(|known| *known = None).or_insert(Some(name));
        }
        Offered { names, composed }
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        if let Some(known) = self.names.get(name) {
            return Some(known);
        }
        if name.is_ascii() || self.composed.is_empty() {
            return None;
        }
        let form: String = name.nfc().collect();
        self.composed.get(&form).copied().flatten()
    }
}

/// How many names that do not count are kept: 50 names.
const MAX_DROPPED: usize = 50;

/// How much of such a name is kept: 200 characters.
const MAX_NAME_CHARS: usize = 200;

/// How many places of an answer are tried as the start of a list: 64 tries, from its end.
const MAX_TRIES: usize = 64;

enum List {
    Whole(Vec<Value>),
    Truncated(Vec<Value>),
}

const KEY: &str = "\"selected_memories\"";

/// What ends a block of reasoning.
const REASONING_ENDS: [&str; 4] = ["</think>", "</thinking>", "</reasoning>", "</analysis>"];

/// The answer proper: what stands behind the last block of reasoning. If nothing does, the model
/// closed the block behind its answer, and all of it counts.
fn behind_reasoning(text: &str) -> &str {
    let ends = REASONING_ENDS
        .iter()
        .filter_map(|end| text.rfind(end).map(|at| at + end.len()));
    match ends.max() {
        Some(end) if !text[end..].trim().is_empty() => &text[end..],
        _ => text,
    }
}

/// The list of an answer: behind the key, or else a bare array of texts.
fn list(text: &str) -> Option<List> {
    for (at, _) in text.rmatch_indices(KEY).take(MAX_TRIES) {
        let behind = text[at + KEY.len()..].trim_start();
        let Some(behind) = behind.strip_prefix(':') else {
            continue;
        };
        let behind = behind.trim_start();
        if behind.starts_with('[') {
            return Some(array(behind));
        }
        // `null` is how some say that there is none; a text alone, that there is one.
        match serde_json::Deserializer::from_str(behind)
            .into_iter()
            .next()
        {
            Some(Ok(Value::Null)) => return Some(List::Whole(Vec::new())),
            Some(Ok(value @ Value::String(_))) => return Some(List::Whole(vec![value])),
            _ => {}
        }
    }
    if text.contains(KEY) {
        return None;
    }
    let is_all = |at: usize| is_fence(text[..at].trim());
    text.rmatch_indices('[')
        .take(MAX_TRIES)
        .find_map(|(at, _)| {
            match array(&text[at..]) {
                // Prose has brackets, too: a bare array counts if it is whole and of texts; an
                // empty one or one that was cut only if nothing else is said.
                List::Whole(names) if names.iter().all(Value::is_string) => {
                    (!names.is_empty() || is_all(at)).then_some(List::Whole(names))
                }
                List::Truncated(names) if !names.is_empty() && is_all(at) => {
                    Some(List::Truncated(names))
                }
                _ => None,
            }
        })
}

/// Nothing, or what opens a block of code.
fn is_fence(text: &str) -> bool {
    let language = text.trim_start_matches('`');
    text.is_empty()
        || language.len() < text.len() && language.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// The array at the start of a text, or as many of its first texts as are whole.
fn array(text: &str) -> List {
    match serde_json::Deserializer::from_str(text).into_iter().next() {
        Some(Ok(Value::Array(names))) => List::Whole(names),
        _ => {
            let mut names = Vec::new();
            let mut rest = text[1..].trim_start();
            while rest.starts_with('"') {
                let mut parser = serde_json::Deserializer::from_str(rest).into_iter::<String>();
                let Some(Ok(name)) = parser.next() else { break };
                rest = rest[parser.byte_offset()..].trim_start();
                names.push(Value::String(name));
                match rest.strip_prefix(',') {
                    Some(behind) => rest = behind.trim_start(),
                    None => break,
                }
            }
            // `["a.md",]` is whole but for the comma.
            if rest.starts_with(']') {
                List::Whole(names)
            } else {
                List::Truncated(names)
            }
        }
    }
}
