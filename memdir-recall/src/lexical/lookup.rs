//! A query, looked up: its terms, what stands in for them, and how far chance gets with it.

use super::evidence::Counted;
use super::glossary;
use super::index::{Inverted, MAX_GAIN, MAX_QUERY_TERMS, Role, Vocabulary};
use super::stop;
use super::text::{Piece, is_pair, split};
use crate::text::head;

/// How far into a line its words are looked at: 4 KiB (4,096 bytes).
const MAX_LINE_BYTES: usize = 4 * 1024;

/// The shortest word that another one is joined to: 3 bytes.
const MIN_HEAD_BYTES: usize = 3;

/// What a pair of characters that no memory holds counts for: half of the pairs of a text span
/// two words and mean nothing.
const UNKNOWN_PAIR: f32 = 0.5;

/// A compound beside its parts adds a quarter of what a word adds.
const COMPOUND: f32 = 0.25;

/// What a word adds that stands for a word of the query.
const STAND_IN: f32 = 0.6;

/// What a word adds that differs by a slip of the hand from one that no memory holds.
const MENDED: f32 = 0.8;

/// How many words are looked at for slips: 4 words, each beside all that the directory knows.
const MAX_MENDED: usize = 4;

/// How many words one with a slip may stand for: 2 words.
const MENDINGS: usize = 2;

/// The shortest stem that may have a slip: 5 bytes; shorter ones are near too many others.
const MIN_MENDED_BYTES: usize = 5;

/// One term of a query.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) text: String,
    pub(super) id: Option<u32>,
    pub(super) weight: f32,
    /// How rare it is.
    pub(super) rarity: f32,
    /// Whether it belongs to what a memory could reach.
    pub(super) counts: bool,
    /// Whether it begins with the character that the term before it ends with.
    pub(super) overlaps: bool,
    /// How much a match counts beside one of another word, whatever the directory holds.
    pub(super) counted: Counted,
}

/// A query, looked up.
pub(crate) struct Lookup {
    pub(crate) asked: Vec<Asked>,
    /// The best score that any memory could reach.
    pub(super) best: f32,
    /// The same if common words counted like others; what evidence is measured by.
    pub(super) reach: f32,
    /// How far chance gets, beside how far it gets in a directory of the usual measure.
    chance: f32,
}

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
/// 45, and is found if it is all that is asked and no common word.
const HIGHEST_FLOOR: f32 = 40.0;

/// How well a query does by chance, as a part of the best score that any memory could reach: the
/// more memories there are and the longer they are, the better is the luckiest of them; and the
/// more words are asked for, the less luck does.
///
/// The exponents are those at which one floor holds over directories of 20 to 2,000 memories of 10
/// to 700 words, from sixteen kinds of texts in English and three in Chinese.
fn chance(memories: f32, words: f32, asked: f32) -> f32 {
    let lengths = (words + HEADER_WORDS).powf(0.3);
    memories.max(FEWEST).powf(0.25) * lengths / (asked + HALF_A_WORD).sqrt()
}

/// The word before another one.
struct Before {
    word: String,
    is_stop: bool,
    /// Whether a memory holds it.
    is_known: bool,
}

impl Lookup {
    pub(crate) fn new(query: &str, vocabulary: &Vocabulary, index: &Inverted) -> Lookup {
        let mut lookup = Lookup {
            asked: Vec::new(),
            best: 0.0,
            reach: 0.0,
            chance: 1.0,
        };
        let mut before: Option<Before> = None;
        split(query, |piece| {
            let (word, role) = match piece {
                Piece::Word(word) => {
                    let is_stop = stop::is_english(word);
                    let stem = vocabulary.stem(word);
                    // `time out` finds `timeout`, if one of the two says nothing on its own; `for
                    // the` does not find `forth`.
                    let known = |term: &str| holders(term, vocabulary, index) > 0;
                    let this = Before {
                        word: word.to_owned(),
                        is_stop,
                        is_known: known(&stem),
                    };
                    let both = !is_stop && this.is_known;
                    if let Some(before) = before.replace(this)
                        && before.word.len() >= MIN_HEAD_BYTES
                        && !(is_stop && before.is_stop)
                        && !(both && before.is_known)
                    {
                        let joined = before.word + word;
                        let stem = vocabulary.stem(&joined);
                        if !stop::is_english(&joined) && known(&stem) {
                            lookup.add(stem, 1.0, true, vocabulary, index);
                        }
                    }
                    if is_stop {
                        return;
                    }
                    (stem, Role::Plain)
                }
                Piece::Compound(word) => (vocabulary.stem(word), Role::Beside),
                Piece::Pair(text) | Piece::Lone(text) => (text.to_owned(), Role::Plain),
                Piece::Single(_) | Piece::LineEnd => return,
            };
            match role {
                Role::Plain => lookup.add(word, 1.0, true, vocabulary, index),
                Role::Beside => lookup.add(word, COMPOUND, false, vocabulary, index),
            }
        });
        lookup.split_unknown(vocabulary, index);
        lookup.mend(vocabulary, index);
        lookup.translate(query, vocabulary, index);
        for asked in lookup.asked.iter().filter(|asked| asked.counts) {
            let is_unknown = holders(&asked.text, vocabulary, index) == 0;
            let most = match is_unknown && is_pair(&asked.text) {
                true => MAX_GAIN * UNKNOWN_PAIR * asked.rarity,
                false => MAX_GAIN * asked.rarity,
            };
            lookup.best += asked.counted.in_score * most;
            lookup.reach += most;
        }
        lookup.chance = lookup.chance(index);
        lookup
    }

    #[expect(clippy::cast_precision_loss, reason = "at most 100,000 memories")]
    fn chance(&self, index: &Inverted) -> f32 {
        // Of pairs that overlap, half span two words.
        let words = |asked: &Asked| if asked.overlaps { 0.5 } else { 1.0 };
        let counted = self.asked.iter().filter(|asked| asked.counts);
        let asked: f32 = counted.map(words).sum();
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

    fn add(
        &mut self,
        text: String,
        weight: f32,
        counts: bool,
        vocabulary: &Vocabulary,
        index: &Inverted,
    ) {
        if let Some(known) = self.asked.iter_mut().find(|known| known.text == text) {
            // A word that came in as a compound before is asked for in its own right.
            if counts && !known.counts {
                known.weight = weight;
                known.counts = true;
            }
            return;
        }
        if self.asked.len() >= MAX_QUERY_TERMS {
            return;
        }
        let overlaps = self.asked.last().is_some_and(|before| {
            !text.is_ascii() && before.text.chars().next_back() == text.chars().next()
        });
        let id = vocabulary.number(&text);
        let rarity = index.rarity(id.map_or(0, |id| index.count(id)));
        self.asked.push(Asked {
            counted: Counted::of(&text),
            text,
            id,
            weight,
            rarity,
            counts,
            overlaps,
        });
    }

    /// The terms of the query that no memory holds.
    fn unknown(&self, vocabulary: &Vocabulary, index: &Inverted) -> Vec<String> {
        let counted = self.asked.iter().filter(|asked| asked.counts);
        counted
            .filter(|asked| holders(&asked.text, vocabulary, index) == 0)
            .map(|asked| asked.text.clone())
            .collect()
    }

    /// `keychain`, which no memory holds, finds `key chain`.
    fn split_unknown(&mut self, vocabulary: &Vocabulary, index: &Inverted) {
        for word in self.unknown(vocabulary, index) {
            if !word.is_ascii() {
                continue;
            }
            for at in 3..word.len().saturating_sub(2) {
                let known = |part: &str| {
                    let stem = vocabulary.stem(part);
                    (holders(&stem, vocabulary, index) > 0).then_some(stem)
                };
                let (head, tail) = word.split_at(at);
                if let Some(head) = known(head)
                    && let Some(tail) = known(tail)
                {
                    for part in [head, tail] {
                        self.add(part, COMPOUND, false, vocabulary, index);
                    }
                    break;
                }
            }
        }
    }

    /// `databse`, which no memory holds, finds `database`.
    fn mend(&mut self, vocabulary: &Vocabulary, index: &Inverted) {
        let mut unknown = self.unknown(vocabulary, index);
        unknown.retain(|word| {
            word.len() >= MIN_MENDED_BYTES && word.bytes().all(|b| b.is_ascii_lowercase())
        });
        for word in unknown.iter().take(MAX_MENDED) {
            let mut found: Vec<(usize, &str)> = vocabulary
                .slips(word)
                .map(|(id, term)| (index.count(id), term))
                .filter(|(holders, _)| *holders > 0)
                .collect();
            found.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
            for (_, term) in found.into_iter().take(MENDINGS) {
                self.add(term.to_owned(), MENDED, false, vocabulary, index);
            }
        }
    }

    /// Words of the trade in the other language, and long forms of short ones.
    fn translate(&mut self, query: &str, vocabulary: &Vocabulary, index: &Inverted) {
        let unknown = self.unknown(vocabulary, index);
        let counted = self.asked.iter().filter(|asked| asked.counts);
        let terms: Vec<String> = counted.map(|asked| asked.text.clone()).collect();
        for found in glossary::lookup(query, &terms) {
            let silent: Vec<&str> = found
                .own
                .iter()
                .copied()
                .filter(|own| unknown.iter().any(|unknown| unknown == own))
                .collect();
            // A word that the directory knows needs no help; a Chinese one may have memories in
            // both languages.
            if silent.is_empty() && found.own.iter().all(|own| own.is_ascii()) {
                continue;
            }
            let mut stand_ins = Vec::new();
            for text in found.others {
                split(text, |piece| {
                    let term = match piece {
                        Piece::Word(word) => vocabulary.stem(word),
                        Piece::Pair(text) | Piece::Lone(text) => text.to_owned(),
                        _ => return,
                    };
                    if holders(&term, vocabulary, index) > 0 {
                        stand_ins.push(term);
                    }
                });
            }
            if stand_ins.is_empty() {
                continue;
            }
            // Terms that no memory holds would say that nothing fits; the other name speaks for
            // them.
            for asked in &mut self.asked {
                asked.counts &= !silent.contains(&asked.text.as_str());
            }
            for term in stand_ins {
                match silent.is_empty() {
                    true => self.add(term, STAND_IN, false, vocabulary, index),
                    false => self.add(term, 1.0, true, vocabulary, index),
                }
            }
        }
    }

    /// The terms of the query that a memory holds, and how many words they are.
    pub(crate) fn matched(&self, index: &Inverted, doc: u32) -> (Vec<String>, usize) {
        let mut matched = Vec::new();
        let mut words = 0;
        let mut before = false;
        for asked in &self.asked {
            let holds = asked.id.is_some_and(|id| index.gain(id, doc) > 0.0);
            if holds {
                matched.push(asked.text.clone());
                words += usize::from(!(asked.overlaps && before));
            }
            before = holds;
        }
        (matched, words)
    }

    /// The line of a text that holds most of what is rare in the query; the first of equal ones.
    pub(crate) fn best_line<'t>(&self, vocabulary: &Vocabulary, text: &'t str) -> Option<&'t str> {
        let mut best: Option<(f32, &str)> = None;
        let mut held = vec![false; self.asked.len()];
        for line in text.lines() {
            held.fill(false);
            let mut score = 0.0;
            split(head(line, MAX_LINE_BYTES), |piece| {
                let term = match piece {
                    Piece::Word(word) | Piece::Compound(word) => vocabulary.known(word),
                    Piece::Pair(text) | Piece::Single(text) => vocabulary.number(text),
                    Piece::Lone(_) | Piece::LineEnd => None,
                };
                let Some(term) = term else { return };
                for (asked, held) in self.asked.iter().zip(&mut held) {
                    if asked.id == Some(term) && !std::mem::replace(held, true) {
                        score += asked.weight * asked.rarity;
                    }
                }
            });
            if score > best.map_or(0.0, |best| best.0) {
                best = Some((score, line));
            }
        }
        best.map(|best| best.1)
    }
}

/// How many memories hold a term.
fn holders(term: &str, vocabulary: &Vocabulary, index: &Inverted) -> usize {
    let id = vocabulary.number(term);
    id.map_or(0, |id| index.count(id))
}
