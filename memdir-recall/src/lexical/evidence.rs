//! What speaks for a memory: its score, with less for words that stand everywhere and more for
//! words that it is about.

use super::common::is_common;
use super::index::Index;
use super::lookup::Lookup;
use super::rank::{Scored, part};
use super::text::is_pair;

/// What a common word adds to a score beside another one that as many memories hold: four fifths.
const COMMON_IN_SCORE: f32 = 0.8;

/// What it says as evidence: half.
const COMMON: f32 = 0.5;

/// The same for a common pair of characters: six tenths. A word is often two or three pairs, of
/// which not all are common.
const COMMON_PAIR: f32 = 0.6;

/// What a word in another script says that stands in for one of the query: six tenths. It may mean
/// something else there, and others may be meant.
const ACROSS: f32 = 0.6;

/// What is left of that if it is the only one of several words that a memory holds: three quarters.
/// The same holds for a single pair of characters, which may be a piece of another word there.
const ALONE: f32 = 0.75;

/// What a word says that stands in the name or the description: one and a half of what it says in
/// a body, where it may be mentioned in passing.
const ABOUT: f32 = 1.5;

/// How much a match of a term counts beside one of a term that is not common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted {
    pub(super) in_score: f32,
    as_evidence: f32,
    /// Whether it says less still if nothing else speaks for a memory.
    is_weak: bool,
}

impl Counted {
    pub(super) fn of(term: &str) -> Counted {
        let is_common = is_common(term);
        let (in_score, as_evidence) = match (is_common, is_pair(term)) {
            (false, _) => (1.0, 1.0),
            (true, false) => (COMMON_IN_SCORE, COMMON),
            (true, true) => (1.0, COMMON_PAIR),
        };
        Counted {
            in_score,
            as_evidence,
            is_weak: is_common || is_pair(term),
        }
    }

    /// The same for what stands in for a word that is or is not common: as evidence, it says no more
    /// than the word itself.
    pub(super) fn stand_in(is_common: bool, is_across: bool) -> Counted {
        let across = if is_across { ACROSS } else { 1.0 };
        Counted {
            in_score: 1.0,
            as_evidence: if is_common { across * COMMON } else { across },
            is_weak: is_common || is_across,
        }
    }
}

impl Lookup {
    /// What speaks for a memory, as a part of the best score that any memory could reach, in
    /// ten-thousandths. The memory holds so many words of the query.
    pub(crate) fn evidence(&self, index: &Index, scored: Scored, words: usize) -> u16 {
        let mut evidence = scored.score;
        let mut is_weak = true;
        for asked in &self.asked {
            let Some(holder) = asked.holders.find(scored.doc) else {
                continue;
            };
            let first = index.places(&asked.holders, holder).next();
            let about = match first.map(|place| index.field(scored.doc, place)) {
                Some(0 | 1) => ABOUT,
                _ => 1.0,
            };
            let factor = about * asked.counted.as_evidence - asked.counted.in_score;
            evidence += factor * asked.weight * asked.rarity * holder.gain;
            is_weak &= asked.counted.is_weak;
        }
        let asked = self.asked.iter().filter(|asked| asked.counts).count();
        if is_weak && words <= 1 && asked > 1 {
            evidence *= ALONE;
        }
        let (evidence, reach) = self.measured(index, scored.doc, evidence);
        part(evidence, reach)
    }
}
