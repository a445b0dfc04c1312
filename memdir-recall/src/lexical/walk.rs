//! Two lists of memories, side by side.

use super::bytes::Reader;
use super::postings::{Entries, TWO, long, write_doc};

/// The memories of a list, for two lists that are read side by side: here the places stand behind
/// the memories in a short list, too.
#[derive(Debug)]
pub(super) struct Walk<'l> {
    docs: Reader<'l>,
    /// From those of the current memory on.
    places: &'l [u8],
    /// How many bytes these take.
    length: usize,
    /// The current memory, counted from one.
    at: u32,
}

impl<'l> Walk<'l> {
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
            places,
            length: 0,
            at: 0,
        };
        walk.next();
        walk
    }

    /// The current memory; `None` behind the last one.
    #[inline(always)]
    pub(super) fn doc(&self) -> Option<u32> {
        match self.at {
            u32::MAX => None,
            at => Some(at.wrapping_sub(1)),
        }
    }

    /// Its places as they are written.
    #[inline(always)]
    pub(super) fn places(&self) -> &'l [u8] {
        self.places.get(..self.length).unwrap_or_default()
    }

    #[inline(always)]
    pub(super) fn next(&mut self) {
        // The memory behind this one, counted from zero.
        self.seek(self.at);
    }

    /// Goes on to the next memory that is not before this one.
    #[inline(always)]
    pub(super) fn seek(&mut self, from: u32) {
        let mut passed = 0;
        while self.at <= from {
            passed += self.length;
            let Some(step) = self.docs.number() else {
                self.at = u32::MAX;
                break;
            };
            self.length = match step & 1 {
                0 => 1,
                _ => self
                    .docs
                    .number()
                    .map_or(usize::MAX, |length| length as usize),
            };
            self.at = self.at.wrapping_add(step >> 1);
        }
        self.places = self.places.get(passed..).unwrap_or_default();
    }
}
