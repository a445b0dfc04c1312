//! The memories that hold a term, and where.

use super::index::Index;
use super::postings::Places;

/// A memory that holds a term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Holder {
    pub(super) doc: u32,
    /// What the term contributes to the memory, in units of the term's rarity.
    pub(super) gain: f32,
    /// Where its places begin, and how many bytes they take, at most 65,535; of a pair that was
    /// put together, how many they are.
    pub(super) places: u32,
    pub(super) length: u16,
}

/// The memories that hold a term, in their order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Holders {
    pub(super) list: Vec<Holder>,
    /// The places of a pair, which were put together from those of its characters.
    pub(super) of_pair: Option<Vec<u32>>,
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

    /// Those that a test finds, and the others. It is asked in their order.
    pub(super) fn partition(self, mut test: impl FnMut(u32) -> bool) -> (Holders, Holders) {
        let (list, others) = self.list.into_iter().partition(|holder| test(holder.doc));
        let of_pair = self.of_pair.clone();
        let holders = Holders { list, ..self };
        let others = Holders {
            list: others,
            of_pair,
        };
        (holders, others)
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

impl Index {
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
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::lexical::finder::Finder;
    use crate::lexical::index::{Gather, Origin};
    use crate::lexical::stop;
    use crate::lexical::text::{Piece, han_pair, split};

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
