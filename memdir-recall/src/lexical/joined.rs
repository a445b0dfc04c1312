//! What a query writes as one word (`OAuth`, `roll-back`): a memory may hold it as one word too, or
//! its parts, or both.

use super::evidence::Counted;
use super::finder::Finder;
use super::lookup::{Asked, COMPOUND, Lookup};

/// A word of a query that has parts.
pub(super) struct Joined {
    pub(super) stem: String,
    /// Its parts among the terms of the query, without function words.
    pub(super) parts: Vec<usize>,
    /// Where it stands in [`Lookup::said`], behind its parts.
    pub(super) said: usize,
}

impl Lookup {
    /// Looks words up that have parts. Where the parts stand, too, such a word adds little; where
    /// one of them does not, it speaks for them.
    pub(super) fn join(&mut self, joined: Vec<Joined>, lists: &mut Finder<'_>) {
        let mut found: Vec<(usize, usize)> = Vec::new();
        for Joined { stem, parts, said } in joined {
            if let Some(at) = self.asked.iter().position(|known| *known.text == *stem) {
                // It is asked for in its own right.
                found.push((said, at));
                if self.asked[at].holders.len() > 0 {
                    self.speak_for(&parts);
                }
                continue;
            }
            if !self.has_room(&stem) {
                continue;
            }
            let Some(holders) = lists.holders(&stem).filter(|holders| holders.len() > 0) else {
                continue;
            };
            let rarity = lists.index.rarity(holders.len());
            let mut of_parts: Vec<_> = (parts.iter())
                .map(|at| self.asked[*at].holders.ascend())
                .collect();
            let (beside, instead) =
                holders.partition(|doc| of_parts.iter_mut().all(|find| find(doc).is_some()));
            drop(of_parts);
            let unknown = self.speak_for(&parts);
            let at = unknown.or(parts.first().copied());
            // What it stands for says as much as its parts together.
            let counted = parts.iter().map(|at| &self.asked[*at]);
            let of_parts: f32 = (counted.filter(|part| part.counts))
                .map(|part| part.rarity)
                .sum();
            found.push((said, self.asked.len()));
            for (holders, is_beside) in [(beside, true), (instead, false)] {
                if holders.len() == 0 {
                    continue;
                }
                self.asked.push(Asked {
                    counted: Counted::of(&stem),
                    text: stem.as_str().into(),
                    unspaced: 0,
                    holders,
                    at: at.unwrap_or(self.asked.len()),
                    weight: if is_beside { COMPOUND } else { 1.0 },
                    rarity: match is_beside {
                        true => rarity,
                        false => rarity.max(of_parts),
                    },
                    counts: !is_beside && unknown.is_some(),
                    overlaps: false,
                    is_beside,
                    has_counterpart: false,
                    goes_on: false,
                    stand_in: None,
                });
            }
        }
        let mut found = found.into_iter().peekable();
        let before = std::mem::take(&mut self.said);
        for (place, term) in before.into_iter().enumerate() {
            while let Some((_, at)) = found.next_if(|found| found.0 <= place) {
                self.said.push(Some(at));
            }
            self.said.push(term);
        }
        self.said.extend(found.map(|found| Some(found.1)));
    }

    /// Parts of a known word that no memory holds would say that nothing fits: they count no more.
    /// The first of them.
    pub(super) fn speak_for(&mut self, parts: &[usize]) -> Option<usize> {
        let mut first = None;
        for at in parts {
            let part = &mut self.asked[*at];
            if part.holders.len() == 0 && std::mem::take(&mut part.counts) {
                first = first.or(Some(*at));
            }
        }
        first
    }
}
