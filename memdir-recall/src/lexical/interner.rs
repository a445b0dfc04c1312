//! Numbers for strings, in a few bytes each: their bytes one behind the other, and a table of
//! numbers to find them by.

use std::hash::{BuildHasher, RandomState};

use super::lengths::Lengths;
use super::numbers::Numbers;

/// The fewest slots of a table: 64 slots, so that a small one does not grow at every word.
const MIN_SLOTS: usize = 64;

/// Strings and their numbers, which count from 0 in the order of first sight.
#[derive(Default)]
pub(crate) struct Interner {
    bytes: String,
    lengths: Lengths,
    /// Numbers, each plus one, at the places that the hashes of their strings name, or at the next
    /// free ones; a free one holds 0.
    slots: Numbers,
    hasher: RandomState,
}

impl Interner {
    pub(crate) fn len(&self) -> usize {
        self.lengths.len()
    }

    /// The number of a string, if it has one.
    pub(crate) fn get(&self, text: &str) -> Option<u32> {
        self.number(self.slot(text)?)
    }

    /// The number of a string, a new one if it has none; `None` if there are `limit` strings
    /// already, or 4 GiB of them.
    pub(crate) fn intern(&mut self, text: &str, limit: u32) -> Option<u32> {
        if let Some(number) = self.get(text) {
            return Some(number);
        }
        let number = u32::try_from(self.len()).ok();
        let number = number.filter(|number| *number < limit && *number != u32::MAX)?;
        self.lengths.push(text.len())?;
        self.bytes.push_str(text);
        if is_full(self.slots.len(), self.len()) {
            self.arrange((self.slots.len() * 2).max(MIN_SLOTS));
        } else if !self.slots.holds(number + 1) {
            self.arrange(self.slots.len());
        } else if let Some(slot) = self.slot(text) {
            self.slots.put(slot, number + 1);
        }
        Some(number)
    }

    /// All strings with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        let mut end = 0;
        (0..).zip(self.lengths.iter()).map(move |(number, length)| {
            let start = end;
            end += length;
            (number, &self.bytes[start..end])
        })
    }

    /// Gives back what was set aside for more strings.
    pub(crate) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.lengths.shrink();
        let fewest = self.len() * 4 / 3 + 1;
        if self.slots.len() > fewest {
            self.arrange(fewest);
        }
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.capacity() + self.lengths.bytes() + self.slots.bytes()
    }

    fn text(&self, number: u32) -> &str {
        &self.bytes[self.lengths.range(number)]
    }

    /// Where the number of a string is, or has room; `None` if there is no table yet. A quarter of
    /// the slots is always empty.
    fn slot(&self, text: &str) -> Option<usize> {
        let slots = self.slots.len();
        let mut slot = place(self.hasher.hash_one(text), slots)?;
        while (self.number(slot)).is_some_and(|number| self.text(number) != text) {
            slot = (slot + 1) % slots;
        }
        Some(slot)
    }

    /// The number in a slot.
    fn number(&self, slot: usize) -> Option<u32> {
        self.slots.at(slot).checked_sub(1)
    }

    /// Puts all numbers into a new table.
    fn arrange(&mut self, slots: usize) {
        self.slots = Numbers::zeros(slots, self.len());
        for number in (0..).take(self.len()) {
            if let Some(slot) = self.slot(self.text(number)) {
                self.slots.put(slot, number + 1);
            }
        }
    }
}

fn is_full(slots: usize, strings: usize) -> bool {
    slots * 3 < strings * 4
}

/// The place that a hash names among so many.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the product's upper half is smaller than the number of places"
)]
fn place(hash: u64, places: usize) -> Option<usize> {
    let places = u128::try_from(places).ok().filter(|places| *places > 0)?;
    Some(((u128::from(hash) * places) >> 64) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_from_zero_and_stay() {
        let mut interner = Interner::default();
        assert_eq!(interner.get("word 1"), None);
        for round in 0..2 {
            for n in 0..5_000u32 {
                let number = interner.intern(&format!("word {n}"), u32::MAX);
                assert_eq!(number, Some(n), "round {round}");
            }
            interner.shrink();
        }
        assert_eq!(interner.intern("", u32::MAX), Some(5_000));
        assert_eq!(interner.get(""), Some(5_000));
        assert_eq!(interner.get("word 4999"), Some(4_999));
        assert_eq!(interner.get("word 5000"), None);
        assert_eq!(interner.len(), 5_001);
        assert_eq!(interner.iter().nth(4_999), Some((4_999, "word 4999")));
        assert_eq!(interner.iter().count(), 5_001);
    }

    #[test]
    fn beyond_two_bytes_every_string_keeps_its_number() {
        let mut interner = Interner::default();
        for n in 0..70_000u32 {
            assert_eq!(interner.intern(&format!("{n:x}"), u32::MAX), Some(n));
        }
        interner.shrink();
        for n in 0..70_000u32 {
            assert_eq!(interner.get(&format!("{n:x}")), Some(n));
        }
        assert_eq!(interner.get("-"), None);
    }

    #[test]
    fn beyond_the_limit_only_what_is_known_has_a_number() {
        let mut interner = Interner::default();
        assert_eq!(interner.intern("a", 1), Some(0));
        assert_eq!(interner.intern("b", 1), None);
        assert_eq!(interner.intern("a", 1), Some(0));
        assert_eq!(interner.len(), 1);
    }

    #[test]
    fn a_table_of_one_string_is_small_and_searched() {
        let mut interner = Interner::default();
        assert_eq!(interner.intern("a", 9), Some(0));
        interner.shrink();
        assert!(interner.bytes() < 32, "{}", interner.bytes());
        assert_eq!(interner.get("b"), None);
        assert_eq!(interner.intern("b", 9), Some(1));
        assert_eq!(interner.get("a"), Some(0));
    }
}
