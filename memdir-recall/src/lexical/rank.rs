//! The ranking of memories for a query: BM25F, a bonus for neighbors, and a second look at what the
//! best have in common.

use std::collections::HashMap;

use super::index::{Doc, Inverted, MAX_GAIN, Role};
pub(crate) use super::lookup::{Asked, Lookup};

/// How many of the best are looked at more closely: 50 memories.
const CLOSER: usize = 50;

/// What two words that stand together in the query add where they stand together in a memory, as
/// a share of what the rarer of them adds at most.
const NEIGHBORS: f32 = 0.5;

/// Pairs of characters that overlap share one, so that their standing together says half as much.
const OVERLAPPING: f32 = 0.5;

/// How far into a field neighbors are looked for: 4,000 words, so that one huge memory costs no
/// more than many.
const MAX_NEIGHBOR_TERMS: usize = 4_000;

/// How many places the second look leaves alone: 3 memories.
const SETTLED: usize = 3;

/// How many of the best the second look learns from: 3 memories.
const TEACHERS: usize = 3;

/// How many terms it learns: 10 words.
const LESSONS: usize = 10;

/// How much a learned term counts beside one of the query.
const LESSON: f32 = 0.3;

/// Below 100 memories there is nothing to learn that the query does not say.
const MIN_DOCS_TO_LEARN: usize = 100;

/// One memory that shares a word with the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scored {
    pub(crate) doc: u32,
    pub(crate) score: f32,
    /// The score as a part of the best that any memory could reach, in ten-thousandths.
    pub(crate) share: u16,
}

/// What a query found.
pub(crate) struct Ranking {
    pub(crate) top: Vec<Scored>,
    /// How many memories share a word with the query.
    pub(crate) matches: usize,
}

impl Lookup {
    /// The best matching memories, best first, at most `limit`, without those of `hidden`.
    pub(crate) fn rank<'d>(
        &self,
        index: &Inverted,
        docs: impl Fn(u32) -> Option<&'d Doc>,
        hidden: &[u32],
        limit: usize,
    ) -> Ranking {
        let mut scores = vec![0f32; index.docs()];
        for asked in &self.asked {
            let Some(id) = asked.id else { continue };
            let factor = asked.counted.in_score * asked.weight * asked.rarity;
            for (doc, gain) in index.postings(id) {
                scores[doc as usize] += factor * gain;
            }
        }
        for doc in hidden {
            scores[*doc as usize] = 0.0;
        }
        let mut top: Vec<Scored> = (0..)
            .zip(&scores)
            .filter(|(_, score)| **score > 0.0)
            .map(|(doc, score)| Scored {
                doc,
                score: *score,
                share: 0,
            })
            .collect();
        let matches = top.len();
        let keep = limit.max(CLOSER);
        if top.len() > keep {
            top.select_nth_unstable_by(keep, best_first);
            top.truncate(keep);
        }
        top.sort_unstable_by(best_first);
        let closer = top.len().min(CLOSER);
        let near: Vec<Option<&Doc>> = top[..closer].iter().map(|s| docs(s.doc)).collect();
        self.reward_neighbors(&near, &mut top[..closer]);
        top.sort_unstable_by(best_first);
        let teachers: Vec<&Doc> = top
            .iter()
            .take(TEACHERS)
            .filter_map(|s| docs(s.doc))
            .collect();
        self.look_again(index, &teachers, &mut top[..closer]);
        top.truncate(limit);
        for scored in &mut top {
            scored.share = part(scored.score, self.best);
        }
        Ranking { top, matches }
    }

    fn reward_neighbors(&self, docs: &[Option<&Doc>], top: &mut [Scored]) {
        let counted: Vec<&Asked> = self.asked.iter().filter(|a| a.counts).collect();
        let mut pairs: Vec<(u32, u32, f32)> = Vec::new();
        for pair in counted.windows(2) {
            if let (Some(left), Some(right)) = (pair[0].id, pair[1].id) {
                let rarer = pair[0].rarity.min(pair[1].rarity);
                let share = match pair[1].overlaps {
                    true => OVERLAPPING,
                    false => 1.0,
                };
                pairs.push((left, right, share * rarer));
            }
        }
        if pairs.is_empty() {
            return;
        }
        // Few words of a text end such a pair: one bit tells most of the others apart.
        let ends = pairs
            .iter()
            .fold(0u64, |bits, pair| bits | 1 << (pair.1 % 64));
        let mut found = vec![false; pairs.len()];
        for (scored, doc) in top.iter_mut().zip(docs) {
            found.fill(false);
            for field in doc.iter().flat_map(|doc| doc.fields()) {
                let mut before = None;
                for place in field.iter().take(MAX_NEIGHBOR_TERMS) {
                    match place {
                        None => before = None,
                        Some((_, Role::Beside)) => {}
                        Some((term, Role::Plain)) => {
                            let may_end = ends >> (term % 64) & 1 == 1;
                            let tried = if may_end { pairs.len() } else { 0 };
                            for (pair, found) in pairs[..tried].iter().zip(&mut found) {
                                if pair.1 == term && Some(pair.0) == before && !*found {
                                    *found = true;
                                    scored.score += NEIGHBORS * MAX_GAIN * pair.2;
                                }
                            }
                            before = Some(term);
                        }
                    }
                }
            }
        }
    }

    /// Orders what stands behind the settled places by what the best have in common, too.
    fn look_again(&self, index: &Inverted, teachers: &[&Doc], top: &mut [Scored]) {
        if index.docs() < MIN_DOCS_TO_LEARN || top.len() <= SETTLED {
            return;
        }
        let mut lessons: HashMap<u32, f32> = HashMap::new();
        for (teacher, doc) in top.iter().zip(teachers) {
            let mut terms: Vec<u32> = doc
                .fields()
                .into_iter()
                .flat_map(|field| field.iter().flatten())
                .filter(|(_, role)| *role == Role::Plain)
                .map(|(term, _)| term)
                .collect();
            terms.sort_unstable();
            terms.dedup();
            for term in terms {
                if self.asked.iter().all(|a| a.id != Some(term)) {
                    *lessons.entry(term).or_default() +=
                        teacher.score * index.rarity(index.count(term));
                }
            }
        }
        let mut lessons: Vec<(u32, f32)> = lessons.into_iter().collect();
        lessons.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        lessons.truncate(LESSONS);
        let Some(most) = lessons.first().map(|lesson| lesson.1) else {
            return;
        };
        for (term, value) in &mut lessons {
            *value = LESSON * *value / most * index.rarity(index.count(*term));
        }
        let with_lessons = |scored: &Scored| {
            let learned = lessons
                .iter()
                .map(|(term, value)| value * index.gain(*term, scored.doc));
            scored.score + learned.sum::<f32>()
        };
        let mut rest: Vec<(f32, Scored)> = top[SETTLED..]
            .iter()
            .map(|s| (with_lessons(s), *s))
            .collect();
        rest.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (place, (_, scored)) in top[SETTLED..].iter_mut().zip(rest) {
            *place = scored;
        }
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

/// By score; equal ones in the order of the scan, which is newest first, then by name.
fn best_first(a: &Scored, b: &Scored) -> std::cmp::Ordering {
    b.score.total_cmp(&a.score).then(a.doc.cmp(&b.doc))
}
