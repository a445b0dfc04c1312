//! For each term, the memories that hold it and how well.

use std::ops::Range;

use super::index::{Doc, Field};
use super::lengths::Lengths;
use super::numbers::Numbers;

/// BM25's saturation of repeated words, the customary value.
const K1: f32 = 1.2;

/// What a term can contribute at most, in units of its inverse document frequency.
pub(crate) const MAX_GAIN: f32 = K1 + 1.0;

/// How much the length of name, description and body tells: a long body repeats words for no
/// reason, a long name hardly does.
const LENGTH_WEIGHTS: [f32; 3] = [0.3, 0.5, 0.75];

/// For each term, the memories that hold it, in the order of the memories.
#[derive(Debug, Default)]
pub(crate) struct Inverted {
    /// How many memories hold each term.
    counts: Lengths,
    /// Numbers of memories; beside each, in `gains`, what the term contributes to its score.
    holders: Numbers,
    /// In 255ths of [`MAX_GAIN`], so that both take three bytes in most directories.
    gains: Vec<u8>,
    docs: usize,
    /// How many words a body has on average.
    body_words: f32,
}

/// One step of a gain, in units of a term's rarity.
const GAIN_STEP: f32 = MAX_GAIN / 255.0;

impl Inverted {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "at most 100,000 memories with 64 MiB of text, and gains between 1 and 255"
    )]
    pub(crate) fn build<'a, D>(docs: D, terms: usize) -> Inverted
    where
        D: ExactSizeIterator<Item = &'a Doc> + Clone,
    {
        let count = docs.len();
        let mut sums = [0u64; 3];
        for doc in docs.clone() {
            for (sum, field) in sums.iter_mut().zip(doc.fields()) {
                *sum += u64::from(field.plain);
            }
        }
        let mean = sums.map(|sum| (sum as f32 / count.max(1) as f32).max(1.0));
        // Counting first, so that all postings lie in one piece of memory.
        let mut starts = vec![0u32; terms + 1];
        let mut last = vec![u32::MAX; terms];
        for (number, doc) in docs.clone().enumerate() {
            for term in doc.fields().into_iter().flat_map(Field::terms) {
                let term = term as usize;
                if last[term] != number as u32 {
                    last[term] = number as u32;
                    starts[term + 1] += 1;
                }
            }
        }
        for term in 0..terms {
            starts[term + 1] += starts[term];
        }
        let mut next = starts[..terms].to_vec();
        let mut holders = vec![u32::MAX; starts[terms] as usize];
        let mut weights = vec![0f32; starts[terms] as usize];
        for (number, doc) in docs.enumerate() {
            let number = number as u32;
            for (f, stream) in doc.fields().into_iter().enumerate() {
                let b = LENGTH_WEIGHTS[f];
                let weight = 1.0 / (1.0 - b + b * stream.plain as f32 / mean[f]);
                for term in stream.terms() {
                    let term = term as usize;
                    let slot = next[term] as usize;
                    // The term's last holder is this memory, or it becomes one.
                    if slot > starts[term] as usize && holders[slot - 1] == number {
                        weights[slot - 1] += weight;
                    } else {
                        holders[slot] = number;
                        weights[slot] = weight;
                        next[term] += 1;
                    }
                }
            }
        }
        let mut counts = Lengths::default();
        for bounds in starts.windows(2) {
            // Fewer postings than 4 GiB: the starts are 32 bits wide themselves.
            let _ = counts.push((bounds[1] - bounds[0]) as usize);
        }
        counts.shrink();
        let saturate = |weight: &f32| (255.0 * weight / (K1 + weight)).round().max(1.0) as u8;
        Inverted {
            gains: weights.iter().map(saturate).collect(),
            counts,
            holders: Numbers::of(holders, count.saturating_sub(1)),
            docs: count,
            body_words: mean[2],
        }
    }

    /// How many words a body has on average, at least one.
    pub(crate) fn body_words(&self) -> f32 {
        self.body_words
    }

    pub(crate) fn docs(&self) -> usize {
        self.docs
    }

    fn range(&self, term: u32) -> Range<usize> {
        self.counts.range(term)
    }

    /// How many memories hold a term.
    pub(crate) fn count(&self, term: u32) -> usize {
        self.counts.length(term)
    }

    /// The memories that hold a term, and what it contributes to each, in units of its rarity.
    pub(crate) fn postings(&self, term: u32) -> impl Iterator<Item = (u32, f32)> + '_ {
        let range = self.range(term);
        range.map(|place| (self.holders.at(place), self.gain_at(place)))
    }

    fn gain_at(&self, place: usize) -> f32 {
        f32::from(self.gains[place]) * GAIN_STEP
    }

    /// What the term contributes to one memory.
    pub(crate) fn gain(&self, term: u32, doc: u32) -> f32 {
        let place = self.holders.find(self.range(term), doc);
        place.map_or(0.0, |place| self.gain_at(place))
    }

    /// How rare a term is that so many memories hold.
    #[expect(clippy::cast_precision_loss, reason = "at most 100,000 memories")]
    pub(crate) fn rarity(&self, holders: usize) -> f32 {
        let (all, holders) = (self.docs as f32, holders as f32);
        (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln()
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.counts.bytes() + self.holders.bytes() + self.gains.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexical::index::Vocabulary;

    /// So many words from a vocabulary in which, as in real texts, few words are frequent and many
    /// rare.
    fn body(seed: usize, words: usize) -> String {
        let mut state = seed as u64 * 2 + 1;
        let mut text = String::new();
        for place in 0..words {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let chance = (state >> 33) % 1_000 + 1;
            let word = 8_000_000 / (chance * chance) % 20_000;
            text.push_str(&format!(
                "{}{word} ",
                ["con", "pro", "under"][word as usize % 3]
            ));
            if place % 12 == 11 {
                text.push('\n');
            }
        }
        text
    }

    #[track_caller]
    fn check_size(memories: usize, words: usize, percent: usize) {
        let mut vocabulary = Vocabulary::new();
        let bodies: Vec<String> = (0..memories).map(|seed| body(seed, words)).collect();
        let docs: Vec<Doc> = bodies
            .iter()
            .map(|body| Doc::read(&mut vocabulary, "name", "description", body))
            .collect();
        vocabulary.settle();
        let index = Inverted::build(docs.iter(), vocabulary.len());
        let streams: usize = docs.iter().map(Doc::bytes).sum();
        let text: usize = bodies.iter().map(String::len).sum();
        let (index, words) = (index.bytes(), vocabulary.bytes());
        let taken = (index + words + streams) * 100 / text;
        assert!(
            taken <= percent,
            "{taken} %: {index} + {words} + {streams} bytes for {text}"
        );
    }

    #[test]
    fn the_index_takes_no_more_than_the_bodies() {
        check_size(500, 120, 60);
        check_size(2_000, 30, 80);
        check_size(200, 30, 100);
        check_size(50, 30, 100);
    }
}
