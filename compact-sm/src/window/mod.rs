//! The window, and what of it may be filled.

mod decide;
mod input;
mod policy;

pub use decide::{Decision, Level, Source, Trigger, Verdict, Wait};
pub use input::{Flags, Overrides, Settings};
pub use policy::{Decider, Policy, Switch};

use std::fmt;

use crate::MAX_IMAGES;

/// Most that is reserved for a summary. In tokens. Origin: several analyses; observed summaries
/// stay below 17,387 in 99.99 of 100 cases.
pub const RESERVE_TOKENS: u64 = 20_000;

/// What is left free between the threshold and the effective window. In tokens. Origin: several
/// analyses, and the client's behavior.
pub const BUFFER_TOKENS: u64 = 13_000;

/// How far before a limit the warning comes. In tokens. Origin: several analyses.
pub const WARNING_TOKENS: u64 = 20_000;

/// How far before the effective window requests are blocked. In tokens. Origin: several analyses.
pub const BLOCKING_TOKENS: u64 = 3_000;

/// A configured window below this counts as this. In tokens. Origin: the client's behavior.
pub const MIN_CONFIGURED_WINDOW: u64 = 100_000;

/// The model's window, as the host knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Window {
    /// What the model takes, input and output. In tokens; 0 if unknown, and then nothing is
    /// compacted by tokens.
    pub context: u64,
    /// Most that the model answers. In tokens; 0 if unknown.
    pub max_output: u64,
    /// Most input, where the provider has a limit of its own. In tokens.
    pub input_limit: Option<u64>,
    /// System prompt, tools, and whatever else is sent but stands in no message. In tokens.
    pub overhead: u64,
    /// Most images that one request takes. In items.
    pub max_images: usize,
}

impl Window {
    /// A window of `context` tokens, of which the model may answer `max_output`.
    #[must_use]
    pub fn new(context: u64, max_output: u64) -> Window {
        Window {
            context,
            max_output,
            input_limit: None,
            overhead: 0,
            max_images: MAX_IMAGES,
        }
    }

    /// Sets the most input. In tokens.
    #[must_use]
    pub fn input_limit(mut self, tokens: u64) -> Window {
        self.input_limit = Some(tokens);
        self
    }

    /// Sets what stands in no message. In tokens.
    #[must_use]
    pub fn overhead(mut self, tokens: u64) -> Window {
        self.overhead = tokens;
        self
    }

    /// Sets the most images. In items.
    #[must_use]
    pub fn max_images(mut self, images: usize) -> Window {
        self.max_images = images;
        self
    }

    /// The same, lowered to what the server turned out to take. In tokens.
    #[must_use]
    pub fn served(mut self, limit: u64) -> Window {
        if limit > 0 && (self.context == 0 || limit < self.context) {
            self.context = limit;
        }
        self
    }

    fn known(&self) -> Option<u64> {
        let limit = self.input_limit.filter(|limit| *limit > 0);
        match (self.context, limit) {
            (0, None) => None,
            (0, Some(limit)) => Some(limit),
            (context, limit) => Some(limit.map_or(context, |limit| limit.min(context))),
        }
    }
}

/// The figures that decisions are made by. All in tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Thresholds {
    /// The window that counts: the model's, or a lower one that was configured.
    pub window: u64,
    /// Kept free for a summary.
    pub reserve: u64,
    /// Window less reserve.
    pub effective: u64,
    /// From here on a conversation is compacted.
    pub compact: u64,
    /// From here on the person should be warned.
    pub warning: u64,
    /// From here on the warning is urgent.
    pub error: u64,
    /// From here on the next request should wait for a compaction.
    pub blocking: u64,
    /// Which figures are not what they were asked to be.
    pub clamps: Vec<Clamp>,
}

/// A figure that was brought into its bounds. In tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Clamp {
    /// The configured window was below [`MIN_CONFIGURED_WINDOW`].
    WindowTooLow {
        /// What was asked for.
        asked: u64,
    },
    /// The configured window is larger than the model's.
    WindowTooHigh {
        /// What was asked for.
        asked: u64,
    },
    /// The percentage would have raised the threshold.
    PercentTooHigh {
        /// What the percentage gives.
        asked: u64,
    },
    /// The window is too small for the buffers of the format; smaller ones are used.
    SmallWindow,
}

impl fmt::Display for Clamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Clamp::WindowTooLow { asked } => {
                write!(f, "a window of {asked} counts as {MIN_CONFIGURED_WINDOW}")
            }
            Clamp::WindowTooHigh { asked } => {
                write!(f, "a window of {asked} is larger than the model's")
            }
            Clamp::PercentTooHigh { asked } => {
                write!(f, "a percentage cannot raise the threshold to {asked}")
            }
            Clamp::SmallWindow => f.write_str("the window is too small for the usual buffers"),
        }
    }
}

impl Thresholds {
    /// `configured` is a window that was asked for, in tokens; `percent` a percentage of the
    /// effective window; `warns_early` if compaction is automatic.
    fn new(
        window: &Window,
        configured: Option<u64>,
        percent: Option<f64>,
        warns_early: bool,
    ) -> Option<Thresholds> {
        let known = window.known()?;
        let mut clamps = Vec::new();
        let mut size = known;
        if let Some(asked) = configured {
            if asked < MIN_CONFIGURED_WINDOW {
                clamps.push(Clamp::WindowTooLow { asked });
            }
            if asked > known {
                clamps.push(Clamp::WindowTooHigh { asked });
            }
            size = asked.max(MIN_CONFIGURED_WINDOW).min(known);
        }
        let reserve = match window.max_output {
            0 => RESERVE_TOKENS,
            output => output.min(RESERVE_TOKENS),
        };
        let effective = size - reserve.min(size / 2);
        let less = |buffer: u64| effective - buffer.min(effective / 2);
        if reserve > size / 2 || BUFFER_TOKENS > effective / 2 {
            clamps.push(Clamp::SmallWindow);
        }
        let mut compact = less(BUFFER_TOKENS);
        if let Some(percent) = percent {
            let asked = (effective as f64 * percent / 100.0).floor() as u64;
            if asked > compact {
                clamps.push(Clamp::PercentTooHigh { asked });
            }
            compact = compact.min(asked);
        }
        let error = less(WARNING_TOKENS);
        Some(Thresholds {
            window: size,
            reserve: size - effective,
            effective,
            compact,
            warning: if warns_early {
                compact - WARNING_TOKENS.min(compact / 2)
            } else {
                error
            },
            error,
            blocking: effective - BLOCKING_TOKENS.min(effective / 4),
            clamps,
        })
    }
}
