//! The ranking of memories for a query: BM25F, a bonus for neighbors, and a second look at what the
//! best have in common.

use std::cmp::Reverse;
use std::ops::Range;

use super::gain::MAX_GAIN;
use super::holders::Holder;
use super::index::Index;
pub(crate) use super::lookup::{Asked, Lookup};
use super::postings::count;
use super::stop;
use super::text::{Piece, split};

/// How many of the best are looked at more closely, for neighbors: 50 memories.
const CLOSER: usize = 50;

/// How many of the best are looked at again, for what the very best have in common: 200 memories.
/// With 50, two answers of a thousand are missed.
const AGAIN: usize = 200;

/// What two words that stand together in the query add where they stand together in a memory, as
/// a share of what the rarer of them adds at most.
const NEIGHBORS: f32 = 0.3;

/// Pairs of characters that overlap share one, so that their standing together says half as much.
const OVERLAPPING: f32 = 0.5;

/// How many places of a word are looked at for neighbors: 4,000 places, so that one huge memory
/// costs no more than many.
const MAX_NEIGHBOR_PLACES: usize = 4_000;

/// How many of the best the second look leaves alone and learns from: 3 memories.
const SETTLED: usize = 3;

/// How many terms it learns: 6 words. Ten find no more.
const LESSONS: usize = 6;

/// How much a learned term counts beside one of the query.
const LESSON: f32 = 0.3;

/// How many scores are looked at together: 16 scores.
const CHUNK: usize = 16;

/// Below 100 memories there is nothing to learn that the query does not say.
const MIN_DOCS_TO_LEARN: usize = 100;

/// One memory that shares a word with the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scored {
    pub(crate) doc: u32,
    pub(crate) score: f32,
    /// The score as a part of the best that any memory could reach, in ten-thousandths.
    pub(crate) share: u16,
    /// What neighbors add to the score, as far as it is evidence.
    pub(super) for_neighbors: f32,
}

impl Scored {
    /// By score; equal ones in the order of the scan, which is newest first, then by name. The best
    /// has the highest key: no score is below zero.
    fn key(&self) -> u64 {
        key(self.doc, self.score)
    }
}

/// What a query found.
pub(crate) struct Ranking {
    pub(crate) top: Vec<Scored>,
    /// How many memories share a word with the query.
    pub(crate) matches: usize,
}

impl Lookup {
    /// The best matching memories, best first, at most `limit`, without those of `hidden`.
    ///
    /// `header` is the text of a memory's name and description.
    pub(crate) fn rank(
        &self,
        index: &Index,
        header: impl Fn(u32) -> String,
        hidden: &[u32],
        limit: usize,
    ) -> Ranking {
        let mut scores = vec![0f32; index.docs()];
        for asked in &self.asked {
            let factor = asked.counted.in_score * asked.weight * asked.rarity;
            for holder in asked.holders.iter() {
                scores[holder.doc as usize] += factor * holder.gain;
            }
        }
        for doc in hidden {
            scores[*doc as usize] = 0.0;
        }
        let (mut top, matches) = best(&scores, limit.max(AGAIN));
        self.reward_neighbors(index, &mut top);
        let least = least_of(top.iter().map(Scored::key).collect(), SETTLED);
        let (mut top, rest): (Vec<_>, Vec<_>) = top.into_iter().partition(|s| s.key() >= least);
        top.sort_unstable_by_key(|scored| Reverse(scored.key()));
        let lessons = self.learn(index, header, &top);
        top.extend(look_again(index, &lessons, rest, limit));
        top.truncate(limit);
        for scored in &mut top {
            scored.share = part(scored.score, self.best);
        }
        Ranking { top, matches }
    }

    /// Rewards the best of some memories, which are in the order of the scan.
    fn reward_neighbors(&self, index: &Index, memories: &mut [Scored]) {
        // Those behind only fall back further.
        let least = least_of(memories.iter().map(Scored::key).collect(), CLOSER);
        let mut top: Vec<&mut Scored> = (memories.iter_mut())
            .filter(|scored| scored.key() >= least)
            .collect();
        let mut counted: Vec<&Asked> = self.asked.iter().filter(|a| a.counts).collect();
        counted.sort_by_key(|asked| asked.at);
        for pair in counted.windows(2) {
            let (left, right) = (pair[0], pair[1]);
            if left.holders.len().min(right.holders.len()) == 0 {
                continue;
            }
            let share = match right.overlaps {
                true => OVERLAPPING,
                false => 1.0,
            };
            let gain = NEIGHBORS * MAX_GAIN * share * left.rarity.min(right.rarity);
            let as_evidence = left.counted.as_evidence.min(right.counted.as_evidence);
            let (mut in_left, mut in_right) = (left.holders.ascend(), right.holders.ascend());
            for scored in &mut top {
                if let Some(l) = in_left(scored.doc)
                    && let Some(r) = in_right(scored.doc)
                    && stand_together(index, (left, l), (right, r))
                {
                    scored.score += gain;
                    scored.for_neighbors += as_evidence * gain;
                }
            }
        }
    }

    /// What the best have in common that the query does not say, with what it adds.
    fn learn<'i>(
        &self,
        index: &'i Index,
        header: impl Fn(u32) -> String,
        teachers: &[Scored],
    ) -> Vec<Lesson<'i>> {
        if index.docs() < MIN_DOCS_TO_LEARN {
            return Vec::new();
        }
        let mut lessons: Vec<Lesson<'_>> = Vec::new();
        for terms in in_headers(index, header, teachers).chunk_by(|a, b| a.0 == b.0) {
            let term = &terms[0].0;
            let Some(list) = index.list(term) else {
                continue;
            };
            let holders = count(list);
            // What most memories hold tells none from another.
            if holders * 2 <= index.docs() && self.asked.iter().all(|a| *a.text != **term) {
                let rarity = index.rarity(holders);
                let values = terms
                    .iter()
                    .map(|(_, teacher)| teachers[*teacher].score * rarity);
                lessons.push(Lesson {
                    value: values.sum(),
                    term: term.clone(),
                    list,
                    rarity,
                });
            }
        }
        lessons.sort_unstable_by(|a, b| {
            (b.value.total_cmp(&a.value)).then_with(|| a.term.cmp(&b.term))
        });
        lessons.truncate(LESSONS);
        let most = lessons.first().map_or(1.0, |lesson| lesson.value);
        for lesson in &mut lessons {
            lesson.value = LESSON * lesson.value / most * lesson.rarity;
        }
        lessons
    }
}

/// A term that the best have in their names or descriptions.
struct Lesson<'i> {
    term: String,
    /// Where it stands.
    list: &'i [u8],
    rarity: f32,
    /// How much the best say by it, and then how much it counts.
    value: f32,
}

/// What stands behind the settled places, in the order of the scan, by what was learned, too; the
/// first `limit` in that order.
fn look_again(
    index: &Index,
    lessons: &[Lesson<'_>],
    rest: Vec<Scored>,
    limit: usize,
) -> impl Iterator<Item = Scored> {
    let docs: Vec<u32> = rest.iter().map(|scored| scored.doc).collect();
    let mut ranked: Vec<(f32, Scored)> = rest.iter().map(|s| (s.score, *s)).collect();
    for lesson in lessons {
        for ((score, _), gain) in ranked.iter_mut().zip(index.gains(lesson.list, &docs)) {
            *score += lesson.value * gain;
        }
    }
    let order = |a: &(f32, Scored), b: &(f32, Scored)| {
        (b.0.total_cmp(&a.0)).then_with(|| b.1.key().cmp(&a.1.key()))
    };
    if limit < ranked.len() {
        ranked.select_nth_unstable_by(limit, order);
        ranked.truncate(limit);
    }
    ranked.sort_unstable_by(order);
    ranked.into_iter().map(|(_, scored)| scored)
}

/// The terms of names and descriptions, each with the place of its memory; all that are the same
/// behind each other.
fn in_headers(
    index: &Index,
    header: impl Fn(u32) -> String,
    memories: &[Scored],
) -> Vec<(String, usize)> {
    // All words behind each other, so that they are one allocation.
    let mut text = String::new();
    let mut written: Vec<(Range<usize>, usize)> = Vec::new();
    for (place, memory) in memories.iter().enumerate() {
        split(&header(memory.doc), |piece| match piece {
            Piece::Word(word) if !stop::is_english(word) => {
                let begins = text.len();
                text.push_str(word);
                written.push((begins..text.len(), place));
            }
            _ => {}
        });
    }
    let mut written: Vec<(&str, usize)> = (written.into_iter())
        .map(|(range, place)| (&text[range], place))
        .collect();
    written.sort_unstable();
    written.dedup();
    let mut terms: Vec<(String, usize)> = Vec::with_capacity(written.len());
    for same in written.chunk_by(|a, b| a.0 == b.0) {
        let stem = index.stem(same[0].0);
        terms.extend(same.iter().map(|(_, place)| (stem.clone(), *place)));
    }
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// Whether two words of the query stand together in a memory, in their order.
fn stand_together(
    index: &Index,
    (left, in_left): (&Asked, &Holder),
    (right, in_right): (&Asked, &Holder),
) -> bool {
    // A pair shares a character with the one before; before a run of characters one place is free.
    let steps = match right.overlaps {
        true => 1..=1,
        false => {
            let wide = left.unspaced.max(1);
            wide..=wide + u32::from(right.is_unspaced())
        }
    };
    let mut rights = index.places(&right.holders, in_right).peekable();
    for place in index
        .places(&left.holders, in_left)
        .take(MAX_NEIGHBOR_PLACES)
    {
        while rights
            .next_if(|right| *right < place + steps.start())
            .is_some()
        {}
        if rights
            .peek()
            .is_some_and(|right| steps.contains(&(right - place)))
        {
            return true;
        }
    }
    false
}

/// The best of all, in the order of the scan, and how many there are that match.
fn best(scores: &[f32], keep: usize) -> (Vec<Scored>, usize) {
    let keep = keep.min(scores.len());
    let matches = scores.iter().filter(|score| **score > 0.0).count();
    let (mut top, mut least) = (Vec::with_capacity(matches.min(2 * keep)), 0f32);
    for (some, begins) in scores.chunks(CHUNK).zip((0..).step_by(CHUNK)) {
        // Most of a large directory is passed here.
        if some.iter().filter(|score| **score > least).count() == 0 {
            continue;
        }
        for (doc, score) in (begins..).zip(some) {
            // Of equal ones the first is the best.
            if *score > least {
                top.push((doc, *score));
                if top.len() >= 2 * keep {
                    least = keep_best(&mut top, keep);
                }
            }
        }
    }
    keep_best(&mut top, keep);
    let top = top.into_iter().map(|(doc, score)| Scored {
        doc,
        score,
        share: 0,
        for_neighbors: 0.0,
    });
    (top.collect(), matches)
}

/// Leaves only the best, in their order, and says what the least of them has.
fn keep_best(top: &mut Vec<(u32, f32)>, keep: usize) -> f32 {
    let key = |(doc, score): &(u32, f32)| key(*doc, *score);
    let least = least_of(top.iter().map(key).collect(), keep);
    top.retain(|scored| key(scored) >= least);
    let scores = top.iter().map(|scored| scored.1);
    scores.fold(f32::INFINITY, f32::min)
}

fn key(doc: u32, score: f32) -> u64 {
    u64::from(score.to_bits()) << 32 | u64::from(!doc)
}

/// The least of so many highest keys; of fewer keys, none is too low.
fn least_of(mut keys: Vec<u64>, highest: usize) -> u64 {
    match keys.len().checked_sub(highest) {
        Some(others @ 1..) => *keys.select_nth_unstable(others).1,
        _ => 0,
    }
}

/// A score as a part of another one, in ten-thousandths.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and 10,000"
)]
pub(super) fn part(score: f32, of: f32) -> u16 {
    match of > 0.0 {
        true => (score / of * 10_000.0).clamp(0.0, 10_000.0) as u16,
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_are_those_that_sorting_all_finds(
            scores in prop::collection::vec((0u8..20).prop_map(f32::from), 0..300),
            keep in 1usize..120,
        ) {
            let (mut top, matches) = best(&scores, keep);
            prop_assert!(top.is_sorted_by_key(|scored| scored.doc));
            top.sort_unstable_by_key(|scored| Reverse(scored.key()));
            let mut all: Vec<(u32, f32)> = (0..).zip(scores).filter(|(_, s)| *s > 0.0).collect();
            prop_assert_eq!(matches, all.len());
            all.sort_by(|a, b| b.1.total_cmp(&a.1));
            all.truncate(keep);
            let top: Vec<(u32, f32)> = top.iter().map(|s| (s.doc, s.score)).collect();
            prop_assert_eq!(top, all);
        }
    }
}
