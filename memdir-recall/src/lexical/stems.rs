//! What words are reduced to, so that their forms find each other.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

use super::forms;

/// Stems words by their script: English, Russian, Greek, Arabic; others stay.
pub(crate) struct Stems {
    english: Stemmer,
    russian: Stemmer,
    greek: Stemmer,
    arabic: Stemmer,
}

impl Default for Stems {
    fn default() -> Stems {
        Stems::new()
    }
}

impl Stems {
    pub(crate) fn new() -> Stems {
        Stems {
            english: Stemmer::create(Algorithm::English),
            russian: Stemmer::create(Algorithm::Russian),
            greek: Stemmer::create(Algorithm::Greek),
            arabic: Stemmer::create(Algorithm::Arabic),
        }
    }

    /// The stem of a word in lower case.
    pub(crate) fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        let Some(first) = word.chars().next() else {
            return Cow::Borrowed(word);
        };
        let stem = match u32::from(first) {
            0x61..=0x7a if word.bytes().all(|b| b.is_ascii_lowercase()) => {
                let stem = self.english.stem(forms::base(word).unwrap_or(word));
                forms::american(&stem).map_or(stem, Cow::Borrowed)
            }
            0x0430..=0x045f => self.russian.stem(word),
            0x03b1..=0x03ce => self.greek.stem(word),
            0x0620..=0x064a => self.arabic.stem(word),
            _ => Cow::Borrowed(word),
        };
        // Of signs that only lengthen an Arabic word nothing is left.
        match stem.is_empty() {
            true => Cow::Borrowed(word),
            false => stem,
        }
    }
}
