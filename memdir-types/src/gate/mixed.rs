//! Words that look Latin and are not: `pаypal` with a Cyrillic letter is another name.

use std::ops::Range;

use super::fences::looks_like;
use super::{GateRule, Severity};

/// The places of all words of at least three letters that hold Latin letters and letters of
/// another alphabet, each of which looks like a Latin one. A word with a letter that gives the
/// other alphabet away, such as a Russian ending on an English stem, deceives nobody.
pub(super) fn find(text: &str, limit: usize) -> Vec<(GateRule, Severity, Range<usize>)> {
    let mut found = Vec::new();
    if text.is_ascii() {
        return found;
    }
    let mut word: Option<Word> = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if c.is_alphanumeric() || c == '_' {
            word.get_or_insert(Word::at(at)).push(c);
            continue;
        }
        if let Some(ended) = word.take()
            && ended.deceives()
            && found.len() < limit
        {
            found.push((GateRule::MixedScript, Severity::Warning, ended.start..at));
        }
    }
    found
}

struct Word {
    start: usize,
    latin: usize,
    alike: usize,
    other: bool,
    /// An abbreviation with an ending, as Russian writes them: capitals, then small letters.
    inflected: bool,
}

impl Word {
    fn at(start: usize) -> Word {
        Word {
            start,
            latin: 0,
            alike: 0,
            other: false,
            inflected: true,
        }
    }

    fn push(&mut self, c: char) {
        if c.is_ascii_alphabetic() {
            self.latin += 1;
            self.inflected &= c.is_ascii_uppercase() && self.alike == 0;
        } else if matches!(c, '\u{370}'..='\u{58f}') && looks_like(c).is_ascii() {
            self.alike += 1;
            self.inflected &= c.is_lowercase() && self.latin > 1;
        } else if !c.is_ascii() {
            self.other = true;
        }
    }

    fn deceives(&self) -> bool {
        self.latin > 0
            && self.alike > 0
            && !self.other
            && !self.inflected
            && self.latin + self.alike >= 3
    }
}
