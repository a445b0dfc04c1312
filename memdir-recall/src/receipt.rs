//! Why each memory was or was not chosen, as a value that can be kept, shown and played again.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use memdir_types::MemoryType;

use crate::select::{DroppedName, MAX_PICKS, ReplyProblem, read_reply};
use crate::text::one_line;
use crate::{Fill, iso_time};

/// Who chose a memory.
///
/// Deliberately closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum PickedBy {
    /// The model.
    Model,
    /// The lexical stage, because no model was asked or it did not answer.
    Lexical,
    /// The lexical stage, in a place that the model left empty.
    Fill,
}

impl fmt::Display for PickedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PickedBy::Model => "model",
            PickedBy::Lexical => "words",
            PickedBy::Fill => "words, behind the model",
        })
    }
}

/// One memory that was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Pick {
    /// Its name relative to the memory directory.
    pub file: String,
    /// Who chose it.
    pub by: PickedBy,
}

/// One memory that shares words with the query.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Candidate {
    /// Its name relative to the memory directory.
    pub file: String,
    /// Its type.
    pub kind: Option<MemoryType>,
    /// When its file was last written.
    #[cfg_attr(feature = "serde", serde(with = "crate::ser::time"))]
    pub modified: SystemTime,
    /// Its score; comparable within one receipt only.
    pub score: f32,
    /// The score as a part of the best that any memory could reach, in ten-thousandths.
    pub share: u16,
    /// What speaks for it, in ten-thousandths of the most that could: which words of the query it
    /// holds and how close together, with less for common words of the trade. The floor is for this.
    pub evidence: u16,
    /// The words of the query that it holds, as stems; of scripts without spaces pairs of
    /// characters. Of the glossary it may be another name for one, such as `primary_key` or
    /// `数据库`, and of a word that no memory holds the one that it was taken for a slip of. Shared,
    /// as most candidates hold the same ones.
    pub matched: Vec<Arc<str>>,
    /// How many words that are; pairs that overlap count as one.
    pub words: usize,
    /// Its best matching line, if a model was shown it.
    pub line: Option<String>,
    /// The recently used tool that it is the manual of; such a memory is not picked by its words.
    pub manual_of: Option<String>,
}

/// The rules of the choice.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Rules {
    /// The floor for the evidence, in percent of the most that could speak for a memory, as it has
    /// grown for this directory and query.
    pub floor: u8,
    /// The floor for memories that hold just one word of the query; the higher of the two is
    /// theirs. For two words it is two fifths of the way from the other one to this.
    pub one_word_floor: u8,
    /// What is needed beside a better match, in percent of its score.
    pub beside_best: u8,
    /// Whether empty places are filled.
    pub fill: Fill,
}

/// What a model was asked and what came back.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ModelCall {
    /// The names that it was offered, in the order of the manifest.
    pub offered: Vec<String>,
    /// How many bytes the request had.
    pub request_bytes: usize,
    /// The raw answer, at most 64 KiB of it; `None` if there was none.
    pub reply: Option<String>,
    /// Why it stopped, as the service calls it.
    pub stop_reason: Option<String>,
    /// What the request cost, in tokens.
    pub input_tokens: Option<u64>,
    /// What the answer cost, in tokens.
    pub output_tokens: Option<u64>,
    /// Names of the answer that do not count, and why.
    pub dropped: Vec<DroppedName>,
    /// What was wrong with the answer.
    pub problem: Option<ReplyProblem>,
    /// Why the lexical stage stood in.
    pub fallback: Option<Fallback>,
}

/// Why the lexical stage stood in for the model.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Fallback {
    /// The host's deadline passed.
    Deadline,
    /// The selector failed; its error in at most 300 characters.
    Failed(String),
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fallback::Deadline => f.write_str("the deadline passed"),
            Fallback::Failed(error) => write!(f, "the selector failed: {error}"),
        }
    }
}

/// How long the stages took, by the host's clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Timings {
    /// Ranking by words.
    pub lexical: Duration,
    /// The call of the model, up to its answer, its error or the deadline.
    pub model: Option<Duration>,
}

/// Everything that decided one recall.
///
/// With feature `serde` it is written and read back; [`replay`](Receipt::replay) makes the same
/// choice from it again, without directory and model. It holds the user's message and the
/// model's answer: keep it where those may be kept.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Receipt {
    /// The message, as far as it was looked at.
    pub query: String,
    /// Recently used tools.
    pub recent_tools: Vec<String>,
    /// How many memories the directory has.
    pub memories: usize,
    /// How many things in it could not be listed.
    pub skipped: usize,
    /// Memories that were surfaced before and therefore not considered.
    pub surfaced: Vec<String>,
    /// How many memories share a word with the query; the best 20 of them follow.
    pub matches: usize,
    /// The best of them, best first.
    pub candidates: Vec<Candidate>,
    /// The rules of the choice.
    pub rules: Rules,
    /// The model's part, if one was asked.
    pub model: Option<ModelCall>,
    /// How long it took, if the host passed a clock.
    pub timings: Option<Timings>,
    /// What was chosen, best first.
    pub picks: Vec<Pick>,
}

/// How many candidates a receipt shows: 20 memories.
pub const MAX_CANDIDATES: usize = 20;

/// Why a candidate was not picked by its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Against {
    Manual,
    Floor,
    FarBehind,
}

/// What candidates are measured by, found once for all of them.
#[derive(Clone, Copy)]
struct Standard {
    best: u16,
    /// Whether one of them is above its floor.
    is_reached: bool,
}

impl Receipt {
    /// Makes the choice again from what the receipt says. The result equals
    /// [`picks`](Receipt::picks).
    #[must_use]
    pub fn replay(&self) -> Vec<Pick> {
        let mut picks = Vec::new();
        let by = match &self.model {
            Some(ModelCall {
                fallback: None,
                reply: Some(reply),
                offered,
                ..
            }) => {
                let chosen = read_reply(reply, offered).picks;
                picks.extend(chosen.into_iter().map(|file| Pick {
                    file,
                    by: PickedBy::Model,
                }));
                match self.rules.fill {
                    Fill::Never => return picks,
                    Fill::BehindPicks if picks.is_empty() => return picks,
                    Fill::BehindPicks | Fill::Always => PickedBy::Fill,
                }
            }
            _ => PickedBy::Lexical,
        };
        let standard = self.standard();
        for candidate in &self.candidates {
            if picks.len() >= MAX_PICKS {
                break;
            }
            let is_new = picks.iter().all(|pick| pick.file != candidate.file);
            if is_new && self.against(candidate, standard).is_none() {
                picks.push(Pick {
                    file: candidate.file.clone(),
                    by,
                });
            }
        }
        picks
    }

    fn standard(&self) -> Standard {
        let eligible = || self.candidates.iter().filter(|c| c.manual_of.is_none());
        Standard {
            best: eligible().map(|other| other.share).max().unwrap_or(0),
            is_reached: eligible().any(|other| self.is_above_floor(other)),
        }
    }

    /// What speaks against picking a candidate by its words.
    fn against(&self, candidate: &Candidate, standard: Standard) -> Option<Against> {
        // One that is above the floor shows that the directory has something to say; the rest is
        // measured by the best.
        if candidate.manual_of.is_some() {
            Some(Against::Manual)
        } else if !standard.is_reached {
            Some(Against::Floor)
        } else if u32::from(candidate.share) * 100
            < u32::from(standard.best) * u32::from(self.rules.beside_best.min(100))
        {
            Some(Against::FarBehind)
        } else {
            None
        }
    }

    fn is_above_floor(&self, candidate: &Candidate) -> bool {
        u32::from(candidate.evidence) >= u32::from(self.floor(candidate)) * 100
    }

    /// Two words are less likely found by chance than one, and three less than two.
    fn floor(&self, candidate: &Candidate) -> u16 {
        let several = u16::from(self.rules.floor);
        let one = several.max(self.rules.one_word_floor.into());
        match candidate.words {
            0 | 1 => one,
            2 => several + (one - several) * 2 / 5,
            _ => several,
        }
    }

    /// What became of a candidate, in words.
    fn fate(&self, candidate: &Candidate, standard: Standard) -> String {
        if let Some(pick) = self.picks.iter().find(|pick| pick.file == candidate.file) {
            return format!("picked ({})", pick.by);
        }
        match self.against(candidate, standard) {
            Some(Against::Manual) => format!(
                "manual of {}, which is in use",
                candidate.manual_of.as_deref().unwrap_or_default()
            ),
            Some(Against::Floor) => "below the floor".to_owned(),
            Some(Against::FarBehind) => {
                format!("below {} % of the best", self.rules.beside_best)
            }
            None if self.picks.len() >= MAX_PICKS => "beyond the first five".to_owned(),
            None => "not picked by the model".to_owned(),
        }
    }
}

impl fmt::Display for Receipt {
    /// A report of a few lines; the same receipt gives the same text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "query: {}", one_line(&self.query, 120))?;
        write!(f, "memories: {}", self.memories)?;
        if self.skipped > 0 {
            write!(f, ", {} left out", self.skipped)?;
        }
        if !self.surfaced.is_empty() {
            write!(f, ", {} surfaced before", self.surfaced.len())?;
        }
        writeln!(f, ", {} share a word with the query", self.matches)?;
        let standard = self.standard();
        for candidate in &self.candidates {
            writeln!(
                f,
                "  {:>3} % {} ({}): {}; evidence {} %, floor {} % [{}]",
                candidate.share / 100,
                candidate.file,
                iso_time(candidate.modified),
                self.fate(candidate, standard),
                candidate.evidence / 100,
                self.floor(candidate),
                candidate.matched.join(", ")
            )?;
        }
        if let Some(model) = &self.model {
            write!(
                f,
                "model: {} offered in {} bytes",
                model.offered.len(),
                model.request_bytes
            )?;
            if let (Some(input), Some(output)) = (model.input_tokens, model.output_tokens) {
                write!(f, ", {input} tokens in, {output} out")?;
            }
            match (&model.fallback, &model.reply) {
                (Some(fallback), _) => writeln!(f, "; {fallback}")?,
                (None, Some(reply)) => writeln!(f, "; answered {}", one_line(reply, 200))?,
                (None, None) => writeln!(f)?,
            }
            if let Some(problem) = &model.problem {
                writeln!(f, "  {problem}")?;
            }
            for dropped in &model.dropped {
                writeln!(f, "  dropped {}: {}", dropped.name, dropped.reason)?;
            }
        }
        if let Some(timings) = &self.timings {
            write!(f, "time: {:?} for words", timings.lexical)?;
            match timings.model {
                Some(model) => writeln!(f, ", {model:?} for the model")?,
                None => writeln!(f)?,
            }
        }
        if self.picks.is_empty() {
            return f.write_str("picked: none");
        }
        let picks: Vec<&str> = self.picks.iter().map(|pick| pick.file.as_str()).collect();
        write!(f, "picked: {}", picks.join(", "))
    }
}
