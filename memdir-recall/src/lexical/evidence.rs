//! What speaks for a memory: which words of the query it holds and how close together, with less
//! for words that stand everywhere.

use std::sync::Arc;

use super::common::{Kind, kind};
use super::gain::MAX_GAIN;
use super::holders::Holder;
use super::index::Index;
use super::lookup::{Asked, Lookup};
use super::rank::{Scored, part};
use super::text::is_pair;

/// What a common word adds to a score beside another one that as many memories hold: four fifths.
const COMMON_IN_SCORE: f32 = 0.8;

/// What it says as evidence, and what a common pair of characters does: 45 percent. A single
/// character, of which there are few, says as much.
const COMMON: f32 = 0.45;

/// What a fairly common word says as evidence: 85 percent.
const FAIRLY_COMMON: f32 = 0.85;

/// What a word says by which people ask: a tenth.
const ASKING: f32 = 0.1;

/// How much such a word is missed where it does not stand: a fifth of what others are.
const ASKING_MISSED: f32 = 0.2;

/// What a word says that is found for one of several with a slip of the hand: six tenths. There may
/// be no slip.
const MENDED: f32 = 0.6;

/// What a word in another script says that stands in for one of the query: six tenths. It may mean
/// something else there, and others may be meant.
const ACROSS: f32 = 0.6;

/// What is left of that if it is the only one of several words that a memory holds: seven tenths.
/// The same holds for a common word, and for a single pair of characters, which may be a piece of
/// another word there.
const ALONE: f32 = 0.7;

/// What words say by standing close together, beside what they say by standing anywhere: six
/// tenths. Chance brings words into one memory more often than into one sentence.
const TOGETHER: f32 = 0.6;

/// What neighbors say as evidence, beside what they add to the score: twice as much. Chance seldom
/// puts two words side by side.
const NEIGHBORS: f32 = 2.0;

/// What is close together: within 20 words, about a sentence.
const CLOSE: u32 = 20;

/// How many places of a word are looked at: 400 places, so that one huge memory costs no more than
/// many.
const MAX_PLACES: usize = 400;

/// How much a match of a term counts beside one of a term that is not common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted {
    pub(super) in_score: f32,
    pub(super) as_evidence: f32,
    /// How much it counts in what evidence is measured by.
    pub(super) as_missed: f32,
    /// Whether people ask by it.
    pub(super) is_asking: bool,
    /// Whether it says less still if nothing else speaks for a memory.
    is_weak: bool,
}

impl Counted {
    pub(super) fn of(term: &str) -> Counted {
        let is_pair = is_pair(term);
        let kind = match kind(term) {
            // There are few characters, so that a single one stands in many texts.
            Kind::Telling if is_pair && term.chars().nth(1).is_none() => Kind::Common,
            kind => kind,
        };
        let counted = Counted::as_kind(kind, is_pair);
        Counted {
            is_weak: counted.is_weak || is_pair,
            ..counted
        }
    }

    fn as_kind(kind: Kind, is_pair: bool) -> Counted {
        let as_evidence = match kind {
            Kind::Asking => ASKING,
            Kind::Common => COMMON,
            Kind::FairlyCommon => FAIRLY_COMMON,
            Kind::Telling => 1.0,
        };
        let is_asking = kind == Kind::Asking;
        Counted {
            in_score: match kind {
                Kind::Asking | Kind::Common if !is_pair => COMMON_IN_SCORE,
                _ => 1.0,
            },
            as_evidence,
            as_missed: if is_asking { ASKING_MISSED } else { 1.0 },
            is_asking,
            is_weak: kind <= Kind::Common,
        }
    }

    /// The same for what stands in for a word of some kind: as evidence, it says no more than the
    /// word itself.
    pub(super) fn stand_in(kind: Kind, is_across: bool) -> Counted {
        let across = if is_across { ACROSS } else { 1.0 };
        let counted = Counted::as_kind(kind, false);
        Counted {
            // In the other script it is the only word for it.
            in_score: if is_across { 1.0 } else { counted.in_score },
            as_evidence: across * counted.as_evidence,
            is_weak: counted.is_weak || is_across,
            ..counted
        }
    }

    /// The same for what is found for a word with a slip of the hand.
    pub(super) fn mended(self) -> Counted {
        Counted {
            as_evidence: MENDED * self.as_evidence,
            ..self
        }
    }
}

impl Asked {
    /// What it says as evidence at most, in units of [`MAX_GAIN`].
    fn says(&self) -> f32 {
        self.counted.as_evidence * self.weight * self.rarity
    }
}

/// What speaks for a memory.
pub(crate) struct Evidence {
    /// The terms of the query that it holds, and how many words they are.
    pub(crate) matched: Vec<Arc<str>>,
    pub(crate) words: usize,
    /// What they say, as a part of the most that could speak for a memory, in ten-thousandths.
    pub(crate) share: u16,
}

impl Lookup {
    /// What speaks for a memory.
    ///
    /// That it holds a word tells more than how often: of what the word adds to the score, the
    /// square root.
    pub(crate) fn evidence(&self, index: &Index, scored: Scored) -> Evidence {
        let held: Vec<Option<&Holder>> = (self.asked.iter())
            .map(|asked| asked.holders.find(scored.doc))
            .collect();
        let (matched, words) = self.matched(&held);
        let mut evidence = TOGETHER * self.together(index, &held);
        let mut is_weak = true;
        for (asked, holder) in self.asked.iter().zip(&held) {
            if let Some(holder) = holder {
                evidence += asked.says() * (holder.gain / MAX_GAIN).sqrt();
                is_weak &= asked.counted.is_weak;
            }
        }
        if is_weak && words <= 1 && !self.is_one_word {
            evidence *= ALONE;
        }
        let evidence = MAX_GAIN * evidence + NEIGHBORS * scored.for_neighbors;
        let (evidence, reach) = self.measured(index, scored.doc, &held, evidence);
        Evidence {
            matched,
            words,
            share: part(evidence, reach),
        }
    }

    /// The most that words say which stand close together in a memory, beyond what the most
    /// telling one says alone.
    fn together(&self, index: &Index, held: &[Option<&Holder>]) -> f32 {
        // Room for most memories.
        let mut places: Vec<(u32, usize)> = Vec::with_capacity(64);
        let mut alone = 0f32;
        for (number, (asked, holder)) in self.asked.iter().zip(held).enumerate() {
            if let Some(holder) = holder {
                alone = alone.max(asked.says());
                let own = index.places(&asked.holders, holder).take(MAX_PLACES);
                places.extend(own.map(|place| (place, number)));
            }
        }
        places.sort_unstable();
        let mut near = vec![0u32; self.asked.len()];
        let (mut sum, mut most) = (0f32, 0f32);
        let mut behind = places.iter().peekable();
        for (place, number) in &places {
            while let Some((_, gone)) = behind.next_if(|first| first.0 + CLOSE <= *place) {
                near[*gone] -= 1;
                if near[*gone] == 0 {
                    sum -= self.asked[*gone].says();
                }
            }
            if near[*number] == 0 {
                sum += self.asked[*number].says();
            }
            near[*number] += 1;
            most = most.max(sum);
        }
        (most - alone).max(0.0)
    }
}
