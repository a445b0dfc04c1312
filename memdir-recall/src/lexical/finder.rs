//! Finds the memories that hold a term: of a word in its list, of a pair of Han characters where one
//! stands right behind the other.

use std::ops::Range;

use super::gain::Counts;
use super::holders::{Holder, Holders};
use super::index::Index;
use super::postings::{Entries, Entry, Places, count};
use super::text::han_pair;
use super::walk::Walk;

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
        loop {
            let (at, other) = (left.at(), right.at());
            if at == Walk::END || other == Walk::END {
                break;
            }
            if at != other {
                left.seek(other);
                right.seek(at);
                continue;
            }
            let doc = at.wrapping_sub(1);
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
