//! An index from another one and what was read since.

use super::dictionary::Dictionary;
use super::gather::{Doc, Gather};
use super::index::Index;
use super::postings::{Entries, write_list};
use super::stems::Stems;
use super::text::is_pair;

/// Where the words of a memory come from. Deliberately closed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Origin {
    /// It has this number in the index before.
    Kept(u32),
    /// It was read just now, and has this number there.
    Fresh(u32),
}

impl Index {
    /// An index over memories of which some are in this one already.
    pub(crate) fn updated(&self, fresh: &mut Gather, order: &[Origin]) -> Index {
        let mut numbers = [vec![None; self.docs.len()], vec![None; fresh.docs().len()]];
        let mut docs = Vec::with_capacity(order.len());
        for (number, origin) in (0u32..).zip(order) {
            let (source, known, before) = match origin {
                Origin::Kept(before) => (0, &*self.docs, *before as usize),
                Origin::Fresh(before) => (1, fresh.docs(), *before as usize),
            };
            docs.push(known.get(before).copied().unwrap_or_default());
            if let Some(place) = numbers[source].get_mut(before) {
                *place = Some(number);
            }
        }
        let mut merge = Merge {
            numbers,
            dictionary: Dictionary::default(),
            lists: Vec::new(),
            has_unspaced: false,
        };
        let fresh = fresh.lists();
        let mut fresh = fresh.into_iter().peekable();
        self.dictionary.walk("", |term, range| {
            let Ok(term) = std::str::from_utf8(term) else {
                return true;
            };
            while let Some((other, list)) = fresh.next_if(|(other, _)| *other < term) {
                merge.add(other, [&[], list]);
            }
            let list = fresh.next_if(|(other, _)| *other == term);
            let list = list.map_or(&[][..], |(_, list)| list);
            merge.add(term, [&self.lists[range], list]);
            true
        });
        for (term, list) in fresh {
            merge.add(term, [&[], list]);
        }
        merge.dictionary.settle();
        merge.lists.shrink_to_fit();
        Index {
            stems: Stems::new(),
            dictionary: merge.dictionary,
            lists: merge.lists,
            per_mean: per_mean(&docs),
            docs,
            has_unspaced: merge.has_unspaced,
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "at most 100,000 memories with 64 MiB of text"
)]
fn per_mean(docs: &[Doc]) -> [f32; 3] {
    let mut sums = [0u64; 3];
    for doc in docs {
        for (sum, words) in sums.iter_mut().zip(doc.words()) {
            *sum += u64::from(words);
        }
    }
    sums.map(|sum| (docs.len().max(1) as f32 / sum.max(1) as f32).min(1.0))
}

/// Two sources of lists in the making of one.
struct Merge {
    /// The new numbers of the memories of either source; none if they are gone.
    numbers: [Vec<Option<u32>>; 2],
    dictionary: Dictionary,
    lists: Vec<u8>,
    has_unspaced: bool,
}

impl Merge {
    fn add(&mut self, term: &str, lists: [&[u8]; 2]) {
        let mut entries: Vec<(u32, &[u8])> = Vec::new();
        let lists = [Entries::of(lists[0]), Entries::of_unwritten(lists[1])];
        for (list, numbers) in lists.into_iter().zip(&self.numbers) {
            entries.extend(list.filter_map(|entry| {
                let number = numbers.get(entry.doc as usize).copied().flatten()?;
                Some((number, entry.places))
            }));
        }
        if entries.is_empty() {
            return;
        }
        self.has_unspaced = self.has_unspaced || is_pair(term);
        entries.sort_unstable_by_key(|(doc, _)| *doc);
        let begins = self.lists.len();
        write_list(&mut self.lists, &entries);
        if !self.dictionary.push(term, self.lists.len() - begins) {
            self.lists.truncate(begins);
        }
    }
}
