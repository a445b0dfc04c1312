//! How a recall is made: caps, the floor, and what may stand in for the model.

use std::time::Duration;

use crate::{MAX_NEWEST, TeamFolder};

/// With less evidence than this for any memory, in percent of the best that one could reach, the
/// lexical stage says nothing: 10 percent for a query of four words in a directory of 100 memories
/// of 50 words.
///
/// Evidence counts which words of the query a memory holds, common words of the trade less than
/// half of others, and adds something if they stand close together. For other queries and
/// directories the floor grows with what chance does there, up to 40 percent: with the number of
/// memories, from 20 on, to the power of 0.23, with their length to that of 0.3, and against the
/// number of words that are asked for to that of 0.3.
///
/// Measured over eleven sets of texts, nearly all in English: of a hundred questions about another
/// project 87 bring nothing, of sentences from other texts of the trade 61, and of a hundred
/// questions that have an answer, two lose it.
pub const FLOOR_PERCENT: u8 = 10;

/// The same floor for memories that hold just one word of the query: 15 percent, with the same
/// growth; for those that hold two, two fifths of the way between the two. Of a message about
/// something else, one word is nearly always known, and three are seldom.
pub const ONE_WORD_FLOOR_PERCENT: u8 = 15;

/// Below this part of the score of the best match, in percent, a memory is not picked beside it:
/// 10 percent, measured together with the floors. At 30 percent, one question more of a hundred
/// would lose its answer, and 4.2 memories would be picked on average instead of 4.9.
pub const BESIDE_BEST_PERCENT: u8 = 10;

/// How many entries of the manifest carry their best matching line: 8 entries. A model picks well
/// among eight with a line each.
pub const MAX_MATCHING_LINES: usize = 8;

/// Time since any fixed moment, for the timings of a receipt; a host passes its monotonic clock.
pub type Stopwatch = fn() -> Duration;

/// Whether the lexical stage fills places that the model left empty.
///
/// Deliberately closed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Fill {
    /// It does not: what the model left out stays out.
    #[default]
    Never,
    /// It does if the model picked something; an empty answer stays empty.
    BehindPicks,
    /// It always does, also behind an empty or unreadable answer.
    Always,
}

/// How a recall is made.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// How many memories a model is shown at most; [`MAX_NEWEST`] by default. Beyond that, the
    /// best matches go first, then the newest.
    pub manifest: usize,
    /// How many entries carry their best matching line; [`MAX_MATCHING_LINES`] by default, 0 for
    /// none.
    pub lines: usize,
    /// The floor of the lexical stage for the evidence, in percent of the most that could speak
    /// for a memory, in a usual directory and for a usual query; [`FLOOR_PERCENT`] by default, 0
    /// for none. If no memory reaches it, none is picked; if one does, others are measured by it.
    pub floor: u8,
    /// The same for memories that hold just one word of the query; [`ONE_WORD_FLOOR_PERCENT`] by
    /// default. The higher of the two floors is theirs, so with 0 it is the other one. For two
    /// words it is two fifths of the way from `floor` to this.
    pub one_word_floor: u8,
    /// What a memory needs to be picked beside a better one, in percent of its score;
    /// [`BESIDE_BEST_PERCENT`] by default. More than 100 is as 100: the best is always picked.
    pub beside_best: u8,
    /// Whether the lexical stage fills places that the model left empty.
    pub fill: Fill,
    /// Whether `team/` is part of the directory.
    pub team: TeamFolder,
    /// The model for the selector; `None` for its default.
    pub model: Option<String>,
    /// The clock for the timings of the receipt; without one there are none.
    pub stopwatch: Option<Stopwatch>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            manifest: MAX_NEWEST,
            lines: MAX_MATCHING_LINES,
            floor: FLOOR_PERCENT,
            one_word_floor: ONE_WORD_FLOOR_PERCENT,
            beside_best: BESIDE_BEST_PERCENT,
            fill: Fill::default(),
            team: TeamFolder::default(),
            model: None,
            stopwatch: None,
        }
    }
}

impl Options {
    /// Sets how many memories a model is shown at most.
    #[must_use]
    pub fn manifest(mut self, memories: usize) -> Options {
        self.manifest = memories;
        self
    }

    /// Sets how many entries carry their best matching line.
    #[must_use]
    pub fn lines(mut self, entries: usize) -> Options {
        self.lines = entries;
        self
    }

    /// Sets the floor of the lexical stage for the evidence, in percent of the most that could
    /// speak for a memory.
    #[must_use]
    pub fn floor(mut self, percent: u8) -> Options {
        self.floor = percent;
        self
    }

    /// Sets the floor for memories that hold just one word of the query, in the same percent; the
    /// higher of the two floors is theirs.
    #[must_use]
    pub fn one_word_floor(mut self, percent: u8) -> Options {
        self.one_word_floor = percent;
        self
    }

    /// Sets what a memory needs to be picked beside a better one, in percent of its score.
    #[must_use]
    pub fn beside_best(mut self, percent: u8) -> Options {
        self.beside_best = percent;
        self
    }

    /// Sets whether the lexical stage fills places that the model left empty.
    #[must_use]
    pub fn fill(mut self, fill: Fill) -> Options {
        self.fill = fill;
        self
    }

    /// Sets whether `team/` is part of the directory.
    #[must_use]
    pub fn team(mut self, team: TeamFolder) -> Options {
        self.team = team;
        self
    }

    /// Sets the model for the selector.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Options {
        self.model = Some(model.into());
        self
    }

    /// Sets the clock for the timings of the receipt.
    #[must_use]
    pub fn stopwatch(mut self, stopwatch: Stopwatch) -> Options {
        self.stopwatch = Some(stopwatch);
        self
    }
}
