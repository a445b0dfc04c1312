//! A request that was refused as too long: how to tell, and what to do, once.

use crate::error::{Error, ErrorKind};

/// How much of an answer is looked at. In bytes.
const MAX_ANSWER_BYTES: usize = 8 << 10;

/// Ways to say it, in small letters. Origin: the API's documentation, and that of providers that
/// speak the same protocol.
const FORMS: [&str; 8] = [
    "prompt is too long",
    "input is too long",
    "prompt_too_long",
    "exceed context limit",
    "model_context_window_exceeded",
    "context_length_exceeded",
    "maximum context length",
    "request_too_large",
];

/// A refusal of a request as too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Refused {
    /// What the server counted, in tokens, if it said so.
    pub tokens: Option<u64>,
    /// What it takes, in tokens, if it said so: lower than the configured window if that is wrong.
    pub limit: Option<u64>,
}

impl Refused {
    /// Reads the text of an error, or a stop reason; none if it speaks of something else. Not for
    /// texts of a model.
    #[must_use]
    pub fn read(answer: &str) -> Option<Refused> {
        let mut end = answer.len().min(MAX_ANSWER_BYTES);
        while !answer.is_char_boundary(end) {
            end -= 1;
        }
        let text = answer[..end].to_ascii_lowercase();
        let (at, form) = FORMS
            .iter()
            .find_map(|form| Some((text.find(form)?, *form)))?;
        let rest = &text[at + form.len()..];
        Some(match rest.split_once('>') {
            // "… too long: 215000 tokens > 200000 maximum", "…: 190000 + 20000 > 200000"
            Some((counted, limit)) => Refused {
                tokens: numbers(counted).reduce(u64::saturating_add),
                limit: numbers(limit).next(),
            },
            // "This model's maximum context length is 8192 tokens, however you requested 9000"
            None if form == "maximum context length" => {
                let mut numbers = numbers(rest);
                let limit = numbers.next();
                Refused {
                    tokens: numbers.next(),
                    limit,
                }
            }
            None => Refused::default(),
        })
    }

    /// By how much, in tokens, if the server said so.
    #[must_use]
    pub fn over_by(&self) -> Option<u64> {
        Some(self.tokens?.saturating_sub(self.limit?))
    }
}

fn numbers(text: &str) -> impl Iterator<Item = u64> {
    text.split(|c: char| !c.is_ascii_digit() && c != ',' && c != '_')
        .filter_map(|word| word.replace([',', '_'], "").parse().ok())
}

/// The recovery of one request: compact once and send it again; a second refusal is an error.
///
/// It is the same in reactive mode, where nothing else compacts, and in the usual one, where the
/// estimate was too low or the window is not what it was said to be: then
/// [`Window::served`](crate::Window::served) takes the limit of the refusal. Whether compaction is
/// allowed at all, [`Policy::automatic`](crate::Policy::automatic) says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovery {
    compacted: bool,
}

/// What the host does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resend {
    /// Compact, as if the threshold had been reached, and send the request again.
    AfterCompaction,
}

impl Recovery {
    /// For a request that is about to be sent the first time.
    #[must_use]
    pub fn new() -> Recovery {
        Recovery::default()
    }

    /// The request was refused as too long.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::StillTooLong`] the second time.
    pub fn refused(&mut self, refused: &Refused) -> Result<Resend, Error> {
        if self.compacted {
            return Err(Error::new(ErrorKind::StillTooLong {
                tokens: refused.tokens,
                limit: refused.limit,
            }));
        }
        self.compacted = true;
        Ok(Resend::AfterCompaction)
    }
}
