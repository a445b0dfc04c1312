//! Numbers for strings, in a few bytes each: their bytes one behind the other, and a table of
//! numbers to find them by.

use std::hash::{BuildHasher, RandomState};

/// The fewest slots of a table: 64 slots, so that a small one does not grow at every word.
const MIN_SLOTS: usize = 64;

/// A slot that holds no number.
const EMPTY: u32 = u32::MAX;

/// Strings and their numbers, which count from 0 in the order of first sight.
#[derive(Default)]
pub(crate) struct Interner {
    bytes: String,
    /// Where each string ends; it begins where the one before it ends.
    ends: Vec<u32>,
    /// Numbers at the places that the hashes of their strings name, or at the next free ones.
    slots: Vec<u32>,
    hasher: RandomState,
}

impl Interner {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of a string, if it has one.
    pub(crate) fn get(&self, text: &str) -> Option<u32> {
        let number = self.slots.get(self.slot(text)?).copied();
        number.filter(|number| *number != EMPTY)
    }

    /// The number of a string, a new one if it has none; `None` if there are `limit` strings
    /// already, or 4 GiB of them.
    pub(crate) fn intern(&mut self, text: &str, limit: u32) -> Option<u32> {
        if let Some(number) = self.get(text) {
            return Some(number);
        }
        let number = u32::try_from(self.ends.len()).ok();
        let number = number.filter(|number| *number < limit && *number != EMPTY)?;
        let end = u32::try_from(self.bytes.len() + text.len()).ok()?;
        if self.slots.len() * 3 <= (self.ends.len() + 1) * 4 {
            self.grow();
        }
        let slot = self.slot(text)?;
        self.bytes.push_str(text);
        self.ends.push(end);
        *self.slots.get_mut(slot)? = number;
        Some(number)
    }

    /// All strings with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        (0..)
            .zip(&self.ends)
            .map(|(number, _)| (number, self.text(number)))
    }

    /// Gives back what was set aside for more strings.
    pub(crate) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.capacity() + size_of::<u32>() * (self.ends.capacity() + self.slots.capacity())
    }

    fn text(&self, number: u32) -> &str {
        let number = number as usize;
        let start = match number.checked_sub(1) {
            Some(before) => self.ends[before] as usize,
            None => 0,
        };
        &self.bytes[start..self.ends[number] as usize]
    }

    /// Where the number of a string is, or has room; `None` if there is no table yet. A quarter of
    /// the slots is always empty.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the low bits of a hash are a hash"
    )]
    fn slot(&self, text: &str) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = self.hasher.hash_one(text) as usize & mask;
        while self.slots[slot] != EMPTY && self.text(self.slots[slot]) != text {
            slot = (slot + 1) & mask;
        }
        Some(slot)
    }

    fn grow(&mut self) {
        let slots = (self.slots.len() * 2).max(MIN_SLOTS);
        self.slots = Vec::new();
        self.slots.resize(slots, EMPTY);
        for (number, _) in (0..).zip(&self.ends) {
            if let Some(slot) = self.slot(self.text(number)) {
                self.slots[slot] = number;
            }
        }
    }
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
        }
        assert_eq!(interner.intern("", u32::MAX), Some(5_000));
        assert_eq!(interner.get(""), Some(5_000));
        assert_eq!(interner.get("word 4999"), Some(4_999));
        assert_eq!(interner.get("word 5000"), None);
        assert_eq!(interner.len(), 5_001);
    }

    #[test]
    fn beyond_the_limit_only_what_is_known_has_a_number() {
        let mut interner = Interner::default();
        assert_eq!(interner.intern("a", 1), Some(0));
        assert_eq!(interner.intern("b", 1), None);
        assert_eq!(interner.intern("a", 1), Some(0));
        assert_eq!(interner.len(), 1);
    }
}
