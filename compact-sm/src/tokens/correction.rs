//! Factors on an estimate: what it was off by, and how careful to be.

/// Lowest and highest factor of a correction: beyond them something else is wrong, such as a
/// system prompt that was not counted.
const BOUNDS: (f64, f64) = (0.5, 2.5);

/// How much one observation moves the factor.
const STEP: f64 = 0.3;

/// Estimates below this say nothing about the factor. In tokens.
const LEAST: u64 = 200;

/// A running correction of an estimate by what the API reported.
///
/// After a response, tell it what had been estimated for the messages that the response was the
/// first to count, and by how much the usage has grown since the response before.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Correction {
    factor: f64,
}

impl Default for Correction {
    fn default() -> Correction {
        Correction { factor: 1.0 }
    }
}

impl Correction {
    /// A correction that was stored; no number, or one out of bounds, is brought back into them.
    #[must_use]
    pub fn from_factor(factor: f64) -> Correction {
        let factor = if factor.is_nan() { 1.0 } else { factor };
        Correction {
            factor: factor.clamp(BOUNDS.0, BOUNDS.1),
        }
    }

    /// Takes in one pair: an estimate without correction and margin, and the real figure. In
    /// tokens. Small ones are passed over.
    pub fn observe(&mut self, estimated: u64, real: u64) {
        if estimated < LEAST || real == 0 {
            return;
        }
        let seen = (real as f64 / estimated as f64).clamp(BOUNDS.0, BOUNDS.1);
        self.factor += (seen - self.factor) * STEP;
    }

    /// What an estimate is multiplied with.
    #[must_use]
    pub fn factor(&self) -> f64 {
        self.factor
    }

    pub(super) fn apply(&self, tokens: u64) -> u64 {
        times(tokens, self.factor)
    }
}

/// What is added where too low would overflow the window.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Margin(f64);

impl Default for Margin {
    /// 4/3, as the client pads its estimates.
    fn default() -> Margin {
        Margin(4.0 / 3.0)
    }
}

impl Margin {
    /// No margin.
    pub const NONE: Margin = Margin(1.0);

    /// A factor of 1 or more, at most 10; no number and anything below 1 is 1.
    #[must_use]
    pub fn new(factor: f64) -> Margin {
        if factor >= 1.0 {
            Margin(factor.min(10.0))
        } else {
            Margin::NONE
        }
    }

    /// The factor.
    #[must_use]
    pub fn factor(self) -> f64 {
        self.0
    }

    pub(super) fn apply(self, tokens: u64) -> u64 {
        times(tokens, self.0)
    }
}

/// Rounded up; saturates.
fn times(tokens: u64, factor: f64) -> u64 {
    if factor == 1.0 {
        return tokens;
    }
    // Above 2^53 tokens nothing is exact any more, and nothing has to be.
    (tokens as f64 * factor).ceil() as u64
}
