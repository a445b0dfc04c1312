//! Memories in another script than the question: what stands in for its words there, and how much
//! those say that nothing stands in for.

use std::sync::Arc;

use super::finder::Finder;
use super::glossary::{self, Name};
use super::holders::{Holder, Holders};
use super::index::Index;
use super::lookup::{Asked, Lookup, words_of};
use super::text::han_pair;

/// What a word says against a memory in another script, if the glossary has no word for it there:
/// a quarter. No memory in that script could have held it.
const UNTRANSLATED: f32 = 0.25;

/// What makes a term of a query one that stands in for a word of it. It counts like one word,
/// whatever name a memory calls it by.
#[derive(Debug, Clone)]
pub(crate) struct StandIn {
    /// Whether it is in another script than the word.
    pub(super) is_across: bool,
    /// The last term of each name that memories hold, which tells it best from others, of those that
    /// not nearly all hold.
    pub(super) ends: Vec<&'static str>,
}

/// The memories that hold one of several names, the last terms of those names, and the first name.
/// Memories that hold the word itself, as all terms of `own`, are left out: there the other name
/// adds nothing.
fn holders(
    names: &[&'static Name],
    own: &[usize],
    asked: &[Asked],
    lists: &mut Finder<'_>,
) -> (Holders, Vec<&'static str>, Option<&'static str>) {
    let index = lists.index;
    let (mut found, mut ends, mut first) = (Vec::new(), Vec::new(), None);
    for name in names {
        if name.is_unspaced && !index.has_unspaced {
            continue;
        }
        // Most names of several terms end here.
        if name.terms.len() > 1 && !name.terms.iter().all(|term| may_hold(lists, term)) {
            continue;
        }
        // Terms that nearly all memories hold leave it to the others to tell who has the name.
        let mut last = None;
        for term in name.terms.iter().rev() {
            last = lists.holders(term).map(|holders| (&**term, holders));
            if last.is_some() {
                break;
            }
        }
        let Some((end, last)) = last.filter(|last| last.1.len() > 0) else {
            continue;
        };
        let rest = name.terms.iter().take_while(|term| &***term != end);
        let rest: Vec<Holders> = rest.filter_map(|term| lists.holders(term)).collect();
        let mut rest: Vec<_> = rest.iter().map(Holders::ascend).collect();
        let mut own: Vec<_> = own.iter().map(|at| asked[*at].holders.ascend()).collect();
        let before = found.len();
        found.reserve(last.len());
        for holder in last.iter() {
            let mut gain = holder.gain;
            for find in &mut rest {
                gain = gain.min(find(holder.doc).map_or(0.0, |holder| holder.gain));
            }
            if gain > 0.0 && !own.iter_mut().all(|find| find(holder.doc).is_some()) {
                let place = index.places(&last, holder).next().unwrap_or(0);
                found.push((holder.doc, gain, place));
            }
        }
        if found.len() > before {
            ends.push(end);
            first = first.or(Some(name.text));
        }
    }
    (Holders::of(found), ends, first)
}

/// Whether a term, or each character of one that is a pair, stands in some memory.
fn may_hold(lists: &mut Finder<'_>, term: &str) -> bool {
    let mut holds = |term: &str| !lists.list(term).is_empty();
    match han_pair(term) {
        Some((left, right)) => holds(left) && holds(right),
        None => holds(term),
    }
}

impl Lookup {
    /// Words of the trade in the other language, and long forms of short ones.
    pub(super) fn translate(&mut self, query: &str, lists: &mut Finder<'_>) {
        let terms: Vec<Arc<str>> = (self.asked.iter())
            .map(|asked| asked.text.clone())
            .collect();
        let terms: Vec<&str> = terms.iter().map(|term| &**term).collect();
        // Two words with one counterpart are one thing there.
        let mut used: Vec<&'static str> = Vec::new();
        for found in glossary::lookup(query, &terms, &self.said) {
            for at in found.own.iter().skip(1) {
                self.asked[*at].goes_on = true;
            }
            let is_silent = (found.own.iter()).all(|at| self.asked[*at].holders.len() == 0);
            for (names, is_across) in [(&found.across, true), (&found.forms, false)] {
                // A word that the directory knows needs no other form of it.
                if names.is_empty() || !is_across && !is_silent {
                    continue;
                }
                if is_across {
                    for at in found.own.iter().chain(&found.beside) {
                        self.asked[*at].has_counterpart = true;
                    }
                }
                // What the query says itself is looked for already.
                let is_asked =
                    |name: &&Name| name.terms.iter().all(|term| terms.contains(&&**term));
                if !is_across && names.iter().any(is_asked) {
                    for at in &found.own {
                        self.asked[*at].counts = false;
                    }
                    continue;
                }
                let mut names = names.clone();
                names.retain(|name| !used.contains(&name.text) && !is_asked(name));
                let Some(first) = names.first() else { continue };
                let text = first.text;
                let (holders, ends, held) = holders(&names, &found.own, &self.asked, lists);
                if !is_across && holders.len() == 0 {
                    continue;
                }
                used.extend(names.iter().map(|name| name.text));
                let text = held.unwrap_or(text);
                let at = found.own.first().copied().unwrap_or(self.asked.len());
                let stand_in = StandIn { is_across, ends };
                let index = lists.index;
                let mut asked = Asked::stand_in(text, at, found.kind, holders, index, stand_in);
                if !is_across {
                    // Terms that no memory holds would say that nothing fits; the other form
                    // speaks for them.
                    for at in &found.own {
                        asked.counts |= std::mem::take(&mut self.asked[*at].counts);
                        asked.has_counterpart |= self.asked[*at].has_counterpart;
                    }
                }
                self.asked.push(asked);
            }
        }
    }

    /// Evidence for a memory, and what it is measured by: what a memory of its script could reach.
    pub(super) fn measured(
        &self,
        index: &Index,
        doc: u32,
        held: &[Option<&Holder>],
        evidence: f32,
    ) -> (f32, f32) {
        let is_unspaced = index.is_unspaced(doc);
        if is_unspaced == self.is_unspaced {
            return (evidence, self.reach);
        }
        let (mut reach, mut could, mut asks) = (0.0, 0.0, 0.0);
        for (asked, holder) in self.asked.iter().zip(held) {
            let share = if asked.stand_in.as_ref().is_some_and(|s| s.is_across) {
                f32::from(u8::from(asked.is_unspaced() == is_unspaced))
            } else if !asked.counts {
                0.0
            } else if asked.is_unspaced() == is_unspaced || holder.is_some() {
                1.0
            } else if asked.has_counterpart {
                0.0
            } else {
                UNTRANSLATED
            };
            reach += share * asked.missed();
            could += share * words_of(asked);
            asks += if asked.counts { words_of(asked) } else { 0.0 };
        }
        // The fewer words it can be found by, the better luck does, as with a short question.
        let fewer = ((could + 0.5) / (asks + 0.5)).min(1.0).sqrt();
        (evidence * fewer, reach)
    }
}
