//! Two lists of memories, side by side.

use super::bytes::Reader;
use super::postings::{Entries, TWO, long, write_doc};

/// The memories of a list, for two lists that are read side by side: here the places stand behind
/// the memories in a short list, too.
#[derive(Debug)]
pub(super) struct Walk<'l> {
    docs: Reader<'l>,
    /// The current memory, counted from one.
    at: u32,
    /// The places of all, and which are those of the current memory.
    places: &'l [u8],
    begins: usize,
    length: usize,
}

impl<'l> Walk<'l> {
    /// Behind the last memory.
    pub(super) const END: u32 = u32::MAX;

    /// Begins at the first memory. The buffer is for a short list.
    pub(super) fn of(list: &'l [u8], buffer: &'l mut Vec<u8>) -> Walk<'l> {
        let (docs, places) = match long(list).filter(|_| list.len() >= TWO) {
            Some((docs, places)) => (docs, places.rest()),
            None => {
                let mut before = 0;
                for entry in Entries::of(list) {
                    write_doc(buffer, entry.doc, entry.places.len(), &mut before);
                }
                let ends = buffer.len();
                for entry in Entries::of(list) {
                    buffer.extend_from_slice(entry.places);
                }
                let (docs, places) = buffer.split_at(ends);
                (Reader::of(docs), places)
            }
        };
        let mut walk = Walk {
            docs,
            at: 0,
            places,
            begins: 0,
            length: 0,
        };
        walk.next();
        walk
    }

    /// The current memory, counted from one; [`END`](Walk::END) behind the last one.
    #[inline(always)]
    pub(super) fn at(&self) -> u32 {
        self.at
    }

    /// Its places as they are written.
    #[inline(always)]
    pub(super) fn places(&self) -> &'l [u8] {
        let places = self.places.get(self.begins..self.begins + self.length);
        places.unwrap_or_default()
    }

    #[inline(always)]
    pub(super) fn next(&mut self) {
        self.begins += self.length;
        let Some(step) = self.docs.number() else {
            self.at = Walk::END;
            return;
        };
        self.length = match step & 1 {
            0 => 1,
            _ => self.docs.number().unwrap_or_default() as usize,
        };
        self.at = self.at.wrapping_add(step >> 1);
    }

    /// Goes on to the next memory that is not before this one, counted from one.
    #[inline(always)]
    pub(super) fn seek(&mut self, from: u32) {
        while self.at < from {
            self.next();
        }
    }
}
