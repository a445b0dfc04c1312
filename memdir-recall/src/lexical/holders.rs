//! The memories that hold a term, and how well.

use std::ops::Range;

use super::gather::Doc;
use super::index::Index;
use super::postings::{Entries, Entry, Places, Walk, count};
use super::text::han_pair;

/// How soon a word that is repeated in name and description says nothing new, as BM25's `k1`: 1.2,
/// the customary value.
const HEADER_SATURATION: f32 = 1.2;

/// The same for the body: 2.5, so that a word says less that is mentioned there once. Measured over
/// 22 sets of texts.
const BODY_SATURATION: f32 = 2.5;

/// What a term can contribute at most, in units of its inverse document frequency: 2.2, the
/// customary value.
pub(super) const MAX_GAIN: f32 = 2.2;

/// How much the length of name, description and body tells: a long body repeats words for no
/// reason, a long name hardly does.
const LENGTH_WEIGHTS: [f32; 3] = [0.3, 0.5, 0.75];

/// A memory that holds a term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Holder {
    pub(super) doc: u32,
    /// What the term contributes to the memory, in units of the term's rarity.
    pub(super) gain: f32,
    /// Where its places begin, and how many bytes they take, at most 65,535; of a pair that was
    /// put together, how many they are.
    places: u32,
    length: u16,
}

/// The memories that hold a term, in their order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Holders {
    list: Vec<Holder>,
    /// The places of a pair, which were put together from those of its characters.
    of_pair: Option<Vec<u32>>,
}

impl Holders {
    /// Memories, what a term contributes to each, and where it stands first; in any order. Of the
    /// same memory, the highest is taken.
    pub(super) fn of(mut found: Vec<(u32, f32, u32)>) -> Holders {
        // A stable sort is quick where a few rows in order stand behind each other, as here.
        found.sort_by_key(|found| found.0);
        found.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same && next.1 > kept.1 {
                *kept = *next;
            }
            is_same
        });
        let list = (0u32..).zip(&found).map(|(places, (doc, gain, _))| Holder {
            doc: *doc,
            gain: *gain,
            places,
            length: 1,
        });
        Holders {
            list: list.collect(),
            of_pair: Some(found.iter().map(|found| found.2).collect()),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Holder> {
        self.list.iter()
    }

    /// Finds memories that ascend, by steps that double.
    pub(super) fn ascend<'h>(&'h self) -> impl FnMut(u32) -> Option<&'h Holder> + use<'h> {
        let mut rest = &self.list[..];
        move |doc| {
            if rest.first()?.doc >= doc {
                return rest.first().filter(|holder| holder.doc == doc);
            }
            let (mut passed, mut step) = (0, 1);
            while (rest.get(passed + step - 1)).is_some_and(|holder| holder.doc < doc) {
                passed += step;
                step *= 2;
            }
            let near = &rest[passed..rest.len().min(passed + step)];
            passed += near.partition_point(|holder| holder.doc < doc);
            rest = &rest[passed..];
            rest.first().filter(|holder| holder.doc == doc)
        }
    }

    /// One memory, if it is among them.
    pub(super) fn find(&self, doc: u32) -> Option<&Holder> {
        let at = self.list.binary_search_by_key(&doc, |holder| holder.doc);
        at.ok().map(|at| &self.list[at])
    }
}

/// Finds the lists of a query's terms. Who asks for one often asks for it again next: pairs of
/// characters share one with the pair before.
pub(super) struct Finder<'i> {
    pub(super) index: &'i Index,
    last: String,
    found: Range<usize>,
}

impl<'i> Finder<'i> {
    pub(super) fn of(index: &'i Index) -> Finder<'i> {
        Finder {
            index,
            last: String::new(),
            found: 0..0,
        }
    }

    /// Where the list of a term that is no pair of Han characters lies; nowhere if no memory holds
    /// it.
    fn find(&mut self, term: &str) -> Range<usize> {
        if self.last != term {
            self.found = self.index.dictionary.find(term).unwrap_or_default();
            self.last.clear();
            self.last.push_str(term);
        }
        self.found.clone()
    }

    /// The list of such a term; empty if no memory holds it.
    pub(super) fn list(&mut self, term: &str) -> &'i [u8] {
        let range = self.find(term);
        self.index.lists.get(range).unwrap_or_default()
    }

    /// The memories that hold a term; `None` if these are [nearly all](Index::is_everywhere).
    pub(super) fn holders(&mut self, term: &str) -> Option<Holders> {
        if let Some((left, right)) = han_pair(term) {
            let left = self.list(left);
            if left.is_empty() {
                return Some(Holders::default());
            }
            return self.index.holders_of_pair(left, self.list(right));
        }
        let begins = self.find(term).start;
        self.index.holders_of_word(begins, self.list(term))
    }
}

impl Index {
    /// The memories of a word's list.
    fn holders_of_word(&self, begins: usize, list: &[u8]) -> Option<Holders> {
        let count = count(list);
        if self.is_everywhere(count) {
            return None;
        }
        let mut holders = Vec::with_capacity(count.min(self.docs.len()));
        for entry in Entries::of(list) {
            if let Some(holder) = self.holder(begins, entry) {
                holders.push(holder);
            }
        }
        Some(Holders {
            list: holders,
            of_pair: None,
        })
    }

    /// What the word of a list contributes to each of some memories, which ascend.
    pub(super) fn gains(&self, list: &[u8], docs: &[u32]) -> Vec<f32> {
        let mut entries = Entries::of(list);
        let mut next = entries.next();
        let gain = |doc: &u32| {
            if next.is_some_and(|entry| entry.doc < *doc) {
                next = entries.seek(*doc);
            }
            let entry = next.filter(|entry| entry.doc == *doc);
            let holder = entry.and_then(|entry| self.holder(0, entry));
            holder.map_or(0.0, |holder| holder.gain)
        };
        docs.iter().map(gain).collect()
    }

    /// A memory of a list that begins somewhere.
    #[inline]
    fn holder(&self, begins: usize, entry: Entry<'_>) -> Option<Holder> {
        let known = *self.docs.get(entry.doc as usize)?;
        Some(Holder {
            doc: entry.doc,
            gain: match entry.places {
                // Most have one.
                [place] => self.gain(known, Counts::of(known, [u32::from(*place)])),
                places => self.gain(known, Counts::of(known, Places::of(places))),
            },
            // Lists take less than 4 GiB together.
            places: u32::try_from(begins + entry.begins).unwrap_or(u32::MAX),
            length: u16::try_from(entry.places.len()).unwrap_or(u16::MAX),
        })
    }

    /// The memories that hold a character with another one behind it.
    fn holders_of_pair(&self, left: &[u8], right: &[u8]) -> Option<Holders> {
        let most = count(left).min(count(right));
        let (mut list, mut all) = (Vec::with_capacity(most), Vec::with_capacity(2 * most));
        let mut buffers = [Vec::new(), Vec::new()];
        let [buffer, other] = &mut buffers;
        let (mut left, mut right) = (Walk::of(left, buffer), Walk::of(right, other));
        while let (Some(doc), Some(other)) = (left.doc(), right.doc()) {
            if doc < other {
                left.seek(other);
                continue;
            }
            if other < doc {
                right.seek(doc);
                continue;
            }
            let Some(known) = self.docs.get(doc as usize) else {
                break;
            };
            let begins = all.len();
            let mut counts = Counts::of(*known, []);
            join(left.places(), right.places(), |place| {
                counts.add(place);
                all.push(place);
            });
            if counts.times > 0 {
                list.push(Holder {
                    doc,
                    gain: self.gain(*known, counts),
                    places: u32::try_from(begins).unwrap_or(u32::MAX),
                    length: u16::try_from(counts.times).unwrap_or(u16::MAX),
                });
            }
            left.next();
            right.next();
        }
        if self.is_everywhere(list.len()) {
            return None;
        }
        Some(Holders {
            list,
            of_pair: Some(all),
        })
    }

    /// Where a term stands in one of its holders, ascending.
    pub(super) fn places<'i>(
        &'i self,
        holders: &'i Holders,
        holder: &Holder,
    ) -> impl Iterator<Item = u32> + 'i {
        let begins = holder.places as usize;
        let range = begins..begins + usize::from(holder.length);
        let (of_pair, of_word) = match &holders.of_pair {
            Some(all) => (all.get(range), None),
            None => (None, self.lists.get(range)),
        };
        let of_pair = of_pair.unwrap_or_default().iter().copied();
        of_pair.chain(Places::of(of_word.unwrap_or_default()))
    }

    /// What a term contributes to a memory that holds it so often: BM25F over name and description,
    /// BM25 over the body, and together as if either could tell without the other.
    #[inline]
    #[expect(
        clippy::cast_precision_loss,
        reason = "no text that is read has 16 million words"
    )]
    fn gain(&self, doc: Doc, counts: Counts) -> f32 {
        // This is most of the work of a query, so nothing here is stored and read again.
        let words = doc.words();
        let length = |field: usize| {
            let b = LENGTH_WEIGHTS[field];
            1.0 - b + b * f32::from(words[field]) * self.per_mean[field]
        };
        // What is missing of the most, as a fraction, so that it takes one division.
        let (mut missing, mut all) = (1.0, 1.0);
        let in_body = counts.times - counts.in_header;
        if in_body > 0 {
            missing = BODY_SATURATION * length(2);
            all = missing + in_body as f32;
        }
        if counts.in_header > 0 {
            let (a, b) = (length(0), length(1));
            let in_name = counts.in_name as f32;
            let in_description = (counts.in_header - counts.in_name) as f32;
            let without = HEADER_SATURATION * a * b;
            missing *= without;
            all *= without + in_name * b + in_description * a;
        }
        MAX_GAIN * (1.0 - missing / all)
    }
}

/// How often a term stands in a memory, and in which of its fields.
#[derive(Clone, Copy)]
struct Counts {
    name_ends: u32,
    description_ends: u32,
    times: u32,
    in_name: u32,
    /// In name or description.
    in_header: u32,
}

impl Counts {
    #[inline]
    fn of(doc: Doc, places: impl IntoIterator<Item = u32>) -> Counts {
        let [name_ends, description_ends] = doc.ends();
        let mut counts = Counts {
            name_ends,
            description_ends,
            times: 0,
            in_name: 0,
            in_header: 0,
        };
        for place in places {
            counts.add(place);
        }
        counts
    }

    #[inline]
    fn add(&mut self, place: u32) {
        self.times += 1;
        self.in_name += u32::from(place < self.name_ends);
        self.in_header += u32::from(place < self.description_ends);
    }
}

/// Finds where a character stands with another one right behind it.
#[inline]
fn join(left: &[u8], right: &[u8], mut found: impl FnMut(u32)) {
    if let ([left], [right]) = (left, right) {
        // Most stand in one place.
        if *right == left.wrapping_add(1) {
            found(u32::from(*left));
        }
        return;
    }
    let mut rights = Places::of(right);
    let mut right = 0;
    for left in Places::of(left) {
        while right <= left {
            let Some(next) = rights.next() else {
                return;
            };
            right = next;
        }
        if right == left + 1 {
            found(left);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::lexical::index::{Gather, Origin};
    use crate::lexical::stop;
    use crate::lexical::text::{Piece, split};

    /// How often a query could find each term in a text.
    fn terms(index: &Index, text: &str) -> BTreeMap<String, usize> {
        let mut terms = BTreeMap::new();
        split(text, |piece| {
            let term = match piece {
                Piece::Word(word) | Piece::Compound(word) if stop::is_english(word) => return,
                Piece::Word(word) | Piece::Compound(word) => index.stem(word),
                Piece::Pair(text) | Piece::Lone(text) => text.to_owned(),
                Piece::Single(_) | Piece::LineEnd => return,
            };
            *terms.entry(term).or_default() += 1;
        });
        terms
    }

    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[a-c]{2,3}[ _-]?",
            "(数|据|库|的|移){1,4}",
            "(テ|ス|ト|の|の移){1,3}",
            "(กา|ภ|한글){1,2} ?",
            "getUser|HTTPServer|àD|bS|é|ﬁ|\u{301}",
            "[\n。 ,]",
            "\\PC{0,3}",
        ];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn what_stands_in_a_text_is_found_there_as_often(
            docs in prop::collection::vec((text(), text(), text()), 1..12),
        ) {
            let mut gather = Gather::default();
            let order: Vec<Origin> = docs
                .iter()
                .map(|(name, about, body)| Origin::Fresh(gather.read(name, about, body)))
                .collect();
            let index = Index::default().updated(&mut gather, &order);
            let mut expected: BTreeMap<String, Vec<(u32, usize, bool)>> = BTreeMap::new();
            for (number, (name, about, body)) in (0..).zip(&docs) {
                let header = terms(&index, &format!("{name}\n{about}"));
                let mut all = header.clone();
                for (term, times) in terms(&index, body) {
                    *all.entry(term).or_default() += times;
                }
                for (term, times) in all {
                    let is_about = header.contains_key(&term);
                    expected.entry(term).or_default().push((number, times, is_about));
                }
            }
            for (term, expected) in expected {
                // A character alone is found in pairs, too.
                let is_alone = term.chars().count() == 1 && !term.is_ascii();
                let holders = Finder::of(&index).holders(&term).unwrap();
                let all: Vec<u32> = (0..).take(docs.len()).collect();
                let found = |find: &mut dyn FnMut(u32) -> Option<Holder>| -> Vec<f32> {
                    all.iter().map(|doc| find(*doc).map_or(0.0, |h| h.gain)).collect()
                };
                let gains = found(&mut |doc| holders.find(doc).copied());
                let mut ascend = holders.ascend();
                prop_assert_eq!(&found(&mut |doc| ascend(doc).copied()), &gains);
                if han_pair(&term).is_none() {
                    let list = index.list(&term).unwrap();
                    prop_assert_eq!(&index.gains(list, &all), &gains);
                    prop_assert_eq!(index.gains(list, &all[all.len() / 2..]), &gains[all.len() / 2..]);
                }
                let found: Vec<(u32, usize, bool)> = holders
                    .iter()
                    .map(|holder| {
                        let places: Vec<u32> = index.places(&holders, holder).collect();
                        let is_about = places[0] < index.docs[holder.doc as usize].ends()[1];
                        (holder.doc, places.len(), is_about)
                    })
                    .collect();
                if is_alone {
                    prop_assert!(expected.len() <= found.len(), "{:?}", term);
                } else {
                    prop_assert_eq!(found, expected, "{:?}", term);
                }
            }
        }
    }
}
