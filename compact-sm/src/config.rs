//! What remote configuration may change: the kept tail, and when notes are due.

use std::fmt;

use serde_json::Value;

/// Least that the kept tail has. In tokens. Origin: the published description of the system.
pub const KEEP_MIN_TOKENS: u64 = 10_000;

/// Least messages with text in the kept tail, in items. Origin: the same.
pub const KEEP_MIN_TEXT_MESSAGES: usize = 5;

/// Most that the kept tail has. In tokens. Origin: the same.
pub const KEEP_MAX_TOKENS: u64 = 40_000;

/// What a conversation holds before notes are first taken. In tokens. Origin: several analyses.
pub const NOTES_START_TOKENS: u64 = 10_000;

/// Growth before notes are taken again. In tokens. Origin: several analyses.
pub const NOTES_GROWTH_TOKENS: u64 = 5_000;

/// Tool calls before notes are taken again, in items. Origin: several analyses.
pub const NOTES_TOOL_CALLS: u64 = 3;

/// A value that was not used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Ignored {
    /// The variable, setting, flag or field.
    pub name: String,
    /// What it said, shortened.
    pub value: String,
    /// Why it was not used.
    pub reason: IgnoredReason,
}

/// Why a value was not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum IgnoredReason {
    /// It is no number, or does not begin with one.
    NotANumber,
    /// It is zero or negative.
    NotPositive,
    /// It is outside 1 to 100.
    NotAPercentage,
    /// It has another type.
    WrongType,
    /// Nothing of this name is known.
    Unknown,
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = match self.reason {
            IgnoredReason::NotANumber => "expected a number",
            IgnoredReason::NotPositive => "expected a number above 0",
            IgnoredReason::NotAPercentage => "expected a percentage from 1 to 100",
            IgnoredReason::WrongType => "expected another type",
            IgnoredReason::Unknown => "expected a name that is known",
        };
        write!(f, "{}={:?} is ignored: {expected}", self.name, self.value)
    }
}

impl Ignored {
    pub(crate) fn new(name: &str, value: impl fmt::Display, reason: IgnoredReason) -> Ignored {
        let value = value.to_string();
        Ignored {
            name: name.to_owned(),
            // A report is no place for a megabyte.
            value: value.chars().take(40).collect(),
            reason,
        }
    }
}

/// Reads whole numbers above 0 over what is there; reports the rest.
fn read(flag: &str, json: &Value, fields: &mut [(&str, &mut u64)]) -> Vec<Ignored> {
    let Some(map) = json.as_object() else {
        return vec![Ignored::new(flag, json, IgnoredReason::WrongType)];
    };
    let mut ignored = Vec::new();
    for (key, value) in map {
        let name = format!("{flag}.{key}");
        let mut ignore = |reason| ignored.push(Ignored::new(&name, value, reason));
        let Some((_, field)) = fields.iter_mut().find(|(name, _)| name == key) else {
            ignore(IgnoredReason::Unknown);
            continue;
        };
        match value.as_f64() {
            None => ignore(IgnoredReason::WrongType),
            Some(number) if number >= 1.0 => **field = number as u64,
            Some(_) => ignore(IgnoredReason::NotPositive),
        }
    }
    ignored
}

/// How much of the end of a conversation stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct KeepConfig {
    /// Least tokens.
    pub min_tokens: u64,
    /// Least messages with text.
    pub min_text_messages: usize,
    /// Most tokens; one turn that has more alone is kept all the same.
    pub max_tokens: u64,
}

impl Default for KeepConfig {
    fn default() -> KeepConfig {
        KeepConfig {
            min_tokens: KEEP_MIN_TOKENS,
            min_text_messages: KEEP_MIN_TEXT_MESSAGES,
            max_tokens: KEEP_MAX_TOKENS,
        }
    }
}

impl KeepConfig {
    /// Sets the least tokens.
    #[must_use]
    pub fn min_tokens(mut self, tokens: u64) -> KeepConfig {
        self.min_tokens = tokens;
        self
    }

    /// Sets the least messages with text.
    #[must_use]
    pub fn min_text_messages(mut self, messages: usize) -> KeepConfig {
        self.min_text_messages = messages;
        self
    }

    /// Sets the most tokens.
    #[must_use]
    pub fn max_tokens(mut self, tokens: u64) -> KeepConfig {
        self.max_tokens = tokens;
        self
    }

    /// Reads the value of `tengu_sm_compact_config` over the defaults: `minTokens`,
    /// `minTextBlockMessages`, `maxTokens`, each of which may be missing.
    #[must_use]
    pub fn from_json(json: &Value) -> (KeepConfig, Vec<Ignored>) {
        let mut config = KeepConfig::default();
        let mut messages = config.min_text_messages as u64;
        let ignored = read(
            "tengu_sm_compact_config",
            json,
            &mut [
                ("minTokens", &mut config.min_tokens),
                ("minTextBlockMessages", &mut messages),
                ("maxTokens", &mut config.max_tokens),
            ],
        );
        config.min_text_messages = usize::try_from(messages).unwrap_or(usize::MAX);
        (config, ignored)
    }

    /// The same for a threshold so low that the tail alone would reach it: the maximum is at most
    /// three fifths of it, the minimum at most a sixth. In tokens.
    #[must_use]
    pub fn fitted(mut self, threshold: u64) -> KeepConfig {
        self.max_tokens = self.max_tokens.min(threshold / 5 * 3);
        self.min_tokens = self.min_tokens.min(threshold / 6);
        self
    }
}

/// When notes are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct NotesConfig {
    /// What a conversation holds before the first time. In tokens.
    pub start_tokens: u64,
    /// Growth since the last time. In tokens.
    pub growth_tokens: u64,
    /// Tool calls since the last time.
    pub tool_calls: u64,
}

impl Default for NotesConfig {
    fn default() -> NotesConfig {
        NotesConfig {
            start_tokens: NOTES_START_TOKENS,
            growth_tokens: NOTES_GROWTH_TOKENS,
            tool_calls: NOTES_TOOL_CALLS,
        }
    }
}

impl NotesConfig {
    /// Sets what a conversation holds before the first time. In tokens.
    #[must_use]
    pub fn start_tokens(mut self, tokens: u64) -> NotesConfig {
        self.start_tokens = tokens;
        self
    }

    /// Sets the growth since the last time. In tokens.
    #[must_use]
    pub fn growth_tokens(mut self, tokens: u64) -> NotesConfig {
        self.growth_tokens = tokens;
        self
    }

    /// Sets the tool calls since the last time. In calls.
    #[must_use]
    pub fn tool_calls(mut self, calls: u64) -> NotesConfig {
        self.tool_calls = calls;
        self
    }

    /// Reads the value of `tengu_sm_config` over the defaults: `startTokens`, `growthTokens`,
    /// `toolCalls`, each of which may be missing. These names are ours: no description of the
    /// system has the client's.
    #[must_use]
    pub fn from_json(json: &Value) -> (NotesConfig, Vec<Ignored>) {
        let mut config = NotesConfig::default();
        let ignored = read(
            "tengu_sm_config",
            json,
            &mut [
                ("startTokens", &mut config.start_tokens),
                ("growthTokens", &mut config.growth_tokens),
                ("toolCalls", &mut config.tool_calls),
            ],
        );
        (config, ignored)
    }

    /// Are notes due? `context` is what the conversation holds now, `at_last` what it held when
    /// notes were last taken, in tokens; `calls` are the tool calls since.
    #[must_use]
    pub fn is_due(&self, context: u64, at_last: Option<u64>, calls: u64, turn: LastTurn) -> bool {
        match at_last {
            None => context >= self.start_tokens,
            Some(last) => {
                let grown = context.saturating_sub(last) >= self.growth_tokens;
                grown && (calls >= self.tool_calls || turn == LastTurn::Rests)
            }
        }
    }
}

/// How the model's last response ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LastTurn {
    /// With tool calls.
    Calls,
    /// Without any.
    Rests,
}
