//! How far chance gets with a query, and how high a floor is for it.

use super::index::Index;
use super::lookup::{Lookup, words_of};

/// The directory and the query that a floor is given for: 100 memories, bodies of 50 words, a
/// query of four words.
const USUAL: [f32; 3] = [100.0, 50.0, 4.0];

/// What a memory has to say besides its body: about 12 words.
const HEADER_WORDS: f32 = 12.0;

/// Half a word more, so that a query of one word is not all luck.
const HALF_A_WORD: f32 = 0.5;

/// How few memories a directory has at least where a floor is concerned: 20 memories, the smallest
/// that were measured.
const FEWEST: f32 = 20.0;

/// No floor rises beyond 40 percent: a word that stands once in a body of average length comes to
/// 53, and is found if it is all that is asked and no common word.
const HIGHEST_FLOOR: f32 = 40.0;

/// How well a query does by chance, as a part of the best score that any memory could reach: the
/// more memories there are and the longer they are, the better is the luckiest of them; and the
/// more words are asked for, the less luck does.
///
/// The exponents are those at which one floor holds over directories of 100 to 2,000 memories of 30
/// to 500 words, from ten kinds of texts in English and one in both languages.
fn chance(memories: f32, words: f32, asked: f32) -> f32 {
    let lengths = (words + HEADER_WORDS).powf(0.3);
    memories.max(FEWEST).powf(0.23) * lengths / (asked + HALF_A_WORD).powf(0.3)
}

impl Lookup {
    #[expect(clippy::cast_precision_loss, reason = "at most 100,000 memories")]
    pub(super) fn chance(&self, index: &Index) -> f32 {
        let counted = self.asked.iter().filter(|asked| asked.counts);
        let asked: f32 = counted.map(words_of).sum();
        let [usual_memories, usual_words, usual_query] = USUAL;
        chance(index.docs() as f32, index.body_words(), asked)
            / chance(usual_memories, usual_words, usual_query)
    }

    /// A floor in percent that is meant for a usual directory and query, for these ones.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 255"
    )]
    pub(crate) fn floor(&self, percent: u8) -> u8 {
        let percent = f32::from(percent);
        let grown = (percent * self.chance).min(percent.max(HIGHEST_FLOOR));
        // Rounded up, but not for less than a twentieth of a percent.
        ((grown * 10.0).round() / 10.0).ceil() as u8
    }
}
