//! A query against the index: BM25F, a bonus for neighbors, and a second look at what the best
//! have in common.

use std::collections::HashMap;

use super::glossary;
use super::index::{Doc, Inverted, MAX_GAIN, MAX_QUERY_TERMS, Role, Vocabulary};
use super::stop;
use super::text::{Piece, is_pair, split};
use crate::text::head;

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

/// One term of a query.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) text: String,
    id: Option<u32>,
    weight: f32,
    /// How rare it is.
    rarity: f32,
    /// Whether it belongs to what a memory could reach.
    counts: bool,
    /// Whether it begins with the character that the term before it ends with.
    overlaps: bool,
}

/// A query, looked up.
pub(crate) struct Lookup {
    pub(crate) asked: Vec<Asked>,
    best: f32,
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

/// No floor rises beyond 40 percent: a word that stands once in a body of average length comes to
/// 45, and is found if it is all that is asked.
const HIGHEST_FLOOR: f32 = 40.0;

/// How well a query does by chance, as a part of the best score that any memory could reach: the
/// more memories there are and the longer they are, the better is the luckiest of them; and the
/// more words are asked for, the less luck does.
///
/// The exponents are those at which one floor holds over directories of 20 to 2,000 memories of 10
/// to 700 words, of several subjects, in English and Chinese.
fn chance(memories: f32, words: f32, asked: f32) -> f32 {
    let lengths = (words + HEADER_WORDS).powf(0.25);
    memories.max(1.0).powf(1.0 / 6.0) * lengths / (asked + HALF_A_WORD).sqrt()
}

impl Lookup {
    pub(crate) fn new(query: &str, vocabulary: &Vocabulary, index: &Inverted) -> Lookup {
        let mut lookup = Lookup {
            asked: Vec::new(),
            best: 0.0,
            chance: 1.0,
        };
        let mut before: Option<String> = None;
        split(query, |piece| {
            let (word, role) = match piece {
                Piece::Word(word) => {
                    let is_stop = stop::is_english(word);
                    let stem = vocabulary.stem(word);
                    // `time out` finds `timeout`, if one of the two says nothing on its own.
                    if let Some(before) = before.replace(word.to_owned()) {
                        let joined = format!("{before}{word}");
                        let is_word = before.len() >= MIN_HEAD_BYTES && !stop::is_english(&joined);
                        let joined = vocabulary.stem(&joined);
                        let known = |term: &str| holders(term, vocabulary, index) > 0;
                        let both = !is_stop && known(&stem) && known(&vocabulary.stem(&before));
                        if is_word && !both && known(&joined) {
                            lookup.add(joined, 1.0, true, vocabulary, index);
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
        lookup.translate(query, vocabulary, index);
        let counted = lookup.asked.iter().filter(|asked| asked.counts);
        let reachable = counted.map(|asked| {
            let is_unknown = holders(&asked.text, vocabulary, index) == 0;
            match is_unknown && is_pair(&asked.text) {
                true => UNKNOWN_PAIR * asked.rarity,
                false => asked.rarity,
            }
        });
        lookup.best = MAX_GAIN * reachable.sum::<f32>();
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
                let parts = [&word[..at], &word[at..]].map(|part| vocabulary.stem(part));
                if parts
                    .iter()
                    .all(|part| holders(part, vocabulary, index) > 0)
                {
                    for part in parts {
                        self.add(part, COMPOUND, false, vocabulary, index);
                    }
                    break;
                }
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
            let factor = asked.weight * asked.rarity;
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
            scored.share = self.share(scored.score);
        }
        Ranking { top, matches }
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

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 10,000"
    )]
    fn share(&self, score: f32) -> u16 {
        if self.best > 0.0 {
            (score / self.best * 10_000.0).clamp(0.0, 10_000.0) as u16
        } else {
            0
        }
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
        let with_lessons = |scored: &Scored| {
            let learned: f32 = lessons
                .iter()
                .map(|(term, value)| {
                    LESSON * value / most
                        * index.rarity(index.count(*term))
                        * index.gain(*term, scored.doc)
                })
                .sum();
            scored.score + learned
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

/// How many memories hold a term.
fn holders(term: &str, vocabulary: &Vocabulary, index: &Inverted) -> usize {
    let id = vocabulary.number(term);
    id.map_or(0, |id| index.count(id))
}

/// By score; equal ones in the order of the scan, which is newest first, then by name.
fn best_first(a: &Scored, b: &Scored) -> std::cmp::Ordering {
    b.score.total_cmp(&a.score).then(a.doc.cmp(&b.doc))
}
