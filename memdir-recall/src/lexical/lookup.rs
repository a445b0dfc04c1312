//! A query, looked up: its terms, what stands in for them, and how far chance gets with it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::across::StandIn;
use super::common::Kind;
use super::evidence::Counted;
use super::finder::Finder;
use super::gain::MAX_GAIN;
use super::holders::{Holder, Holders};
use super::index::Index;
use super::joined::Joined;
use super::stop;
use super::text::{Piece, is_pair, split};
use crate::text::head;

/// The most terms of a query that are looked up: 64 words. A message that pastes a whole file is
/// judged by its beginning.
const MAX_QUERY_TERMS: usize = 64;

/// How far into a line its words are looked at: 4 KiB (4,096 bytes).
const MAX_LINE_BYTES: usize = 4 * 1024;

/// The shortest word that another one is joined to: 3 bytes.
const MIN_HEAD_BYTES: usize = 3;

/// What a pair of characters that no memory holds counts for: half of the pairs of a text span
/// two words and mean nothing.
const UNKNOWN_PAIR: f32 = 0.5;

/// How much a word is missed that no memory holds: 1.3 times as much as one that others hold. It
/// says that the directory is about something else.
const UNHEARD_OF: f32 = 1.3;

/// A compound beside its parts adds a quarter of what a word adds.
pub(super) const COMPOUND: f32 = 0.25;

/// One term of a query.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) text: Arc<str>,
    /// How many characters it has if it is of a script without spaces; 0 if it is a word.
    pub(super) unspaced: u32,
    /// The memories that hold it.
    pub(super) holders: Holders,
    /// Which term of the query it is, or stands in for.
    pub(super) at: usize,
    pub(super) weight: f32,
    /// How rare it is.
    pub(super) rarity: f32,
    /// Whether it belongs to what a memory could reach.
    pub(super) counts: bool,
    /// Whether it begins with the character that the term before it ends with.
    pub(super) overlaps: bool,
    /// Whether it says what its parts, which the same memories hold, say already.
    pub(super) is_beside: bool,
    /// How much a match counts beside one of another word, whatever the directory holds.
    pub(super) counted: Counted,
    /// Whether something stands in for it in memories of the other script.
    pub(super) has_counterpart: bool,
    /// Whether it goes on with a name of several terms.
    pub(super) goes_on: bool,
    /// What makes it one that stands in for a word of the query.
    pub(super) stand_in: Option<StandIn>,
}

impl Asked {
    /// Something that stands in for a word of the query at a place, under one of its names.
    pub(super) fn stand_in(
        name: &str,
        at: usize,
        kind: Kind,
        holders: Holders,
        index: &Index,
        stand_in: StandIn,
    ) -> Asked {
        Asked {
            text: name.into(),
            unspaced: unspaced(name),
            weight: 1.0,
            rarity: index.rarity(holders.len()),
            holders,
            at,
            counts: false,
            overlaps: false,
            is_beside: false,
            counted: Counted::stand_in(kind, stand_in.is_across),
            has_counterpart: false,
            goes_on: false,
            stand_in: Some(stand_in),
        }
    }

    /// Whether it is of a script without spaces.
    pub(super) fn is_unspaced(&self) -> bool {
        self.unspaced > 0
    }

    /// What it contributes at most.
    pub(super) fn most(&self) -> f32 {
        match self.is_unknown() && self.is_unspaced() {
            true => MAX_GAIN * UNKNOWN_PAIR * self.rarity,
            false => MAX_GAIN * self.rarity,
        }
    }

    /// How much it is missed where it does not stand, as evidence.
    pub(super) fn missed(&self) -> f32 {
        let unheard_of = if self.is_unknown() { UNHEARD_OF } else { 1.0 };
        unheard_of * self.counted.as_missed * self.most()
    }

    /// Whether no memory holds this word of the query.
    fn is_unknown(&self) -> bool {
        self.stand_in.is_none() && self.holders.len() == 0
    }
}

/// How many characters a term of a script without spaces has; 0 if it is none.
fn unspaced(term: &str) -> u32 {
    match is_pair(term) {
        true => u32::try_from(term.chars().count()).unwrap_or(u32::MAX),
        false => 0,
    }
}

/// How many words a term is: of pairs that overlap, half span two words.
pub(super) fn words_of(asked: &Asked) -> f32 {
    if asked.overlaps { 0.5 } else { 1.0 }
}

/// A query, looked up.
pub(crate) struct Lookup {
    pub(crate) asked: Vec<Asked>,
    /// The best score that any memory could reach.
    pub(super) best: f32,
    /// The same if common words counted like others; what evidence is measured by.
    pub(super) reach: f32,
    /// Whether most of its words are written without spaces.
    pub(super) is_unspaced: bool,
    /// Whether it is one word or name that is asked for, so that no memory can hold more of it.
    pub(crate) is_one_word: bool,
    /// The terms in the order in which the query says them, each as often as it does; `None` is
    /// between those that do not stand beside each other.
    pub(super) said: Vec<Option<usize>>,
    /// What nearly all memories hold, so that it is looked up once.
    everywhere: HashSet<String>,
    /// How far chance gets, beside how far it gets in a directory of the usual measure.
    pub(super) chance: f32,
}

/// The word before another one.
struct Before {
    word: String,
    is_stop: bool,
    /// Whether a memory holds it.
    is_known: bool,
    at: Option<usize>,
}

/// The pairs of a stretch of characters that are written without spaces.
#[derive(Default)]
struct Run {
    pair: Option<String>,
    /// Whether the last piece was that pair; only then the next character goes on with the stretch.
    is_last: bool,
}

impl Run {
    /// The pair that one shares a character with, which is the next piece.
    fn go_on(&mut self, piece: Piece<'_>) -> Option<String> {
        match piece {
            Piece::Pair(text) => {
                self.is_last = true;
                self.pair.replace(text.to_owned())
            }
            Piece::Single(_) if std::mem::take(&mut self.is_last) => None,
            _ => self.pair.take().and(None),
        }
    }
}

impl Lookup {
    pub(crate) fn new(query: &str, index: &Index) -> Lookup {
        let lists = &mut Finder::of(index);
        let mut lookup = Lookup {
            asked: Vec::with_capacity(MAX_QUERY_TERMS),
            best: 0.0,
            reach: 0.0,
            is_unspaced: false,
            is_one_word: false,
            said: Vec::new(),
            everywhere: HashSet::new(),
            chance: 1.0,
        };
        let mut before: Option<Before> = None;
        // The words since the last compound, and which terms they are, if they are looked for.
        let mut parts: Vec<(String, bool, Option<usize>)> = Vec::new();
        let mut joined: Vec<Joined> = Vec::new();
        // Parts of known words that are written as two.
        let mut spoken_for: Vec<usize> = Vec::new();
        let mut run = Run::default();
        split(query, |piece| {
            let pair_before = run.go_on(piece);
            match piece {
                Piece::Word(word) => {
                    let is_stop = stop::is_english(word);
                    let stem = match is_stop {
                        true => String::new(),
                        false => index.stem(word),
                    };
                    // `time out` finds `timeout`, if one of the two says nothing on its own; `for
                    // the` does not find `forth`.
                    let mut known = |term: &str| !lists.list(term).is_empty();
                    let this = Before {
                        word: word.to_owned(),
                        is_stop,
                        is_known: !is_stop && known(&stem),
                        at: None,
                    };
                    let is_known = this.is_known;
                    let mut part_before = None;
                    if let Some(before) = before.replace(this)
                        && before.word.len() >= MIN_HEAD_BYTES
                        && !(is_stop && before.is_stop)
                        && !(is_known && before.is_known)
                    {
                        let joined = before.word + word;
                        let stem = index.stem(&joined);
                        if !stop::is_english(&joined) && known(&stem) {
                            lookup.add(stem, 1.0, true, lists);
                            part_before = Some(before.at);
                        }
                    }
                    let at = match is_stop {
                        true => None,
                        false => lookup.add(stem, 1.0, true, lists),
                    };
                    if let Some(part_before) = part_before {
                        spoken_for.extend([part_before, at].into_iter().flatten());
                    }
                    if let Some(this) = &mut before {
                        this.at = at;
                    }
                    parts.push((word.to_owned(), !is_stop, at));
                }
                Piece::Compound(word) => {
                    let mut rest = word;
                    let mut own: Vec<(bool, Option<usize>)> = (parts.drain(..).rev())
                        .map_while(|(part, is_looked_for, at)| {
                            rest = rest.strip_suffix(part.as_str())?;
                            Some((is_looked_for, at))
                        })
                        .collect();
                    own.reverse();
                    let stem = index.stem(word);
                    if own.iter().any(|(is_looked_for, _)| *is_looked_for) {
                        joined.push(Joined {
                            stem,
                            parts: own.into_iter().filter_map(|(_, at)| at).collect(),
                            said: lookup.said.len(),
                        });
                    } else if !stop::is_english(word) {
                        // `to-do`: none of its parts says it.
                        lookup.add(stem, 1.0, true, lists);
                    }
                }
                Piece::Pair(text) => {
                    let last = lookup.asked.last().map(|asked| &*asked.text);
                    let overlaps = pair_before.is_some() && pair_before.as_deref() == last;
                    let known = lookup.asked.len();
                    lookup.add(text.to_owned(), 1.0, true, lists);
                    for asked in &mut lookup.asked[known..] {
                        asked.overlaps = overlaps;
                    }
                }
                Piece::Lone(text) => {
                    lookup.add(text.to_owned(), 1.0, true, lists);
                }
                Piece::Single(_) | Piece::LineEnd => {}
            }
        });
        lookup.speak_for(&spoken_for);
        lookup.join(joined, lists);
        lookup.split_unknown(lists);
        lookup.translate(query, lists);
        lookup.mend(lists);
        for asked in lookup.asked.iter().filter(|asked| asked.counts) {
            lookup.best += asked.counted.in_score * asked.most();
            lookup.reach += asked.missed();
        }
        let counted = lookup.asked.iter().filter(|asked| asked.counts);
        let (pairs, words): (Vec<&Asked>, Vec<&Asked>) =
            counted.partition(|asked| asked.is_unspaced());
        lookup.is_unspaced = pairs.len() > words.len();
        lookup.is_one_word = lookup.asks_one_word();
        lookup.chance = lookup.chance(index);
        lookup
    }

    /// Looks a term up; which one it is, if there is room for it and not nearly all memories hold it.
    pub(super) fn add(
        &mut self,
        text: String,
        weight: f32,
        counts: bool,
        lists: &mut Finder<'_>,
    ) -> Option<usize> {
        if let Some(at) = self.asked.iter().position(|known| *known.text == *text) {
            self.said.push(Some(at));
            return Some(at);
        }
        if !self.has_room(&text) {
            return None;
        }
        let Some(holders) = lists.holders(&text) else {
            self.everywhere.insert(text);
            return None;
        };
        let rarity = lists.index.rarity(holders.len());
        let at = self.asked.len();
        self.said.push(Some(at));
        self.asked.push(Asked {
            counted: Counted::of(&text),
            unspaced: unspaced(&text),
            text: text.into(),
            holders,
            at,
            weight,
            rarity,
            counts,
            overlaps: false,
            is_beside: false,
            has_counterpart: false,
            goes_on: false,
            stand_in: None,
        });
        Some(at)
    }

    /// Whether there is room for a term, and not known yet that nearly all memories hold it. What
    /// stands in for words of the query takes no room from them.
    pub(super) fn has_room(&self, text: &str) -> bool {
        let own = self.asked.iter().filter(|asked| asked.stand_in.is_none());
        own.count() < MAX_QUERY_TERMS
            && self.everywhere.len() < MAX_QUERY_TERMS
            && !self.everywhere.contains(text)
    }

    /// Two pairs that overlap may be one word.
    fn asks_one_word(&self) -> bool {
        let is_own = |asked: &&Asked| asked.counts && !asked.goes_on && !asked.counted.is_asking;
        self.asked.iter().filter(is_own).map(words_of).sum::<f32>() < 2.0
    }

    /// The terms of the query that no memory holds, without those that are known to be words.
    pub(super) fn unknown(&self) -> Vec<Arc<str>> {
        let counted = self.asked.iter().filter(|asked| asked.counts);
        counted
            .filter(|asked| !asked.has_counterpart && asked.holders.len() == 0)
            .map(|asked| asked.text.clone())
            .collect()
    }

    /// `keychain`, which no memory holds, finds `key chain`.
    fn split_unknown(&mut self, lists: &mut Finder<'_>) {
        for word in self.unknown() {
            if !word.is_ascii() {
                continue;
            }
            for at in 3..word.len().saturating_sub(2) {
                let mut known = |part: &str| {
                    let stem = lists.index.stem(part);
                    (!lists.list(&stem).is_empty()).then_some(stem)
                };
                let (head, tail) = word.split_at(at);
                if let Some(head) = known(head)
                    && let Some(tail) = known(tail)
                {
                    self.said.push(None);
                    for part in [head, tail] {
                        self.add(part, COMPOUND, false, lists);
                    }
                    break;
                }
            }
        }
    }

    /// The terms of the query that a memory holds, and how many words they are.
    pub(super) fn matched(&self, held: &[Option<&Holder>]) -> (Vec<Arc<str>>, usize) {
        let mut matched = Vec::with_capacity(held.iter().flatten().count());
        let mut words = 0;
        let mut before = false;
        for (asked, holder) in self.asked.iter().zip(held) {
            let holds = holder.is_some();
            if holds {
                matched.push(asked.text.clone());
                let says_no_more = asked.overlaps && before || asked.is_beside;
                words += usize::from(!(says_no_more || asked.counted.is_asking));
            }
            before = holds;
        }
        (matched, words)
    }

    /// The line of a text that holds most of what is rare in the query; the first of equal ones.
    pub(crate) fn best_line<'t>(&self, index: &Index, text: &'t str) -> Option<&'t str> {
        let held_by_any = (self.asked.iter().enumerate()).filter(|(_, a)| a.holders.len() > 0);
        let numbers: HashMap<&str, usize> = held_by_any
            .flat_map(|(number, asked)| {
                let (own, ends) = match &asked.stand_in {
                    Some(stand_in) => (None, &*stand_in.ends),
                    None => (Some(&*asked.text), &[][..]),
                };
                own.into_iter()
                    .chain(ends.iter().copied())
                    .map(move |term| (term, number))
            })
            .collect();
        let mut best: Option<(f32, &str)> = None;
        let mut held = vec![false; self.asked.len()];
        for line in text.lines() {
            held.fill(false);
            let mut score = 0.0;
            split(head(line, MAX_LINE_BYTES), |piece| {
                let number = match piece {
                    Piece::Word(word) | Piece::Compound(word) => match stop::is_english(word) {
                        true => None,
                        false => numbers.get(index.stem(word).as_str()),
                    },
                    Piece::Pair(text) | Piece::Single(text) => numbers.get(text),
                    Piece::Lone(_) | Piece::LineEnd => None,
                };
                if let Some(number) = number
                    && !std::mem::replace(&mut held[*number], true)
                {
                    score += self.asked[*number].weight * self.asked[*number].rarity;
                }
            });
            if score > best.map_or(0.0, |best| best.0) {
                best = Some((score, line));
            }
        }
        best.map(|best| best.1)
    }
}
