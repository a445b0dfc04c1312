//! Where a term stands: memory by memory and place by place, in two or three bytes for each.
//!
//! A list is a row of numbers. For each memory, first the step to it from the one before, doubled,
//! and if its places take more than a byte one more, and then how many bytes these are. The places
//! stand behind, each as the step from the one before; in a long list, which begins with a zero and
//! with how many memories there are and how many bytes they take, all of them behind the last
//! memory. A list of three bytes or less is of one memory: its number and its places.

use super::bytes::{Reader, write};

/// From how many memories on a list has its places behind the last: 64 memories.
const LONG: usize = 64;

/// A list of fewer bytes is of one memory: 4 bytes, two for each of two.
pub(super) const TWO: usize = 4;

/// A list in the making.
#[derive(Debug, Default)]
pub(super) struct List {
    bytes: Vec<u8>,
    /// Where the last memory begins, and where its places do.
    begins: [usize; 2],
    /// The last memory, plus one; 0 before the first.
    doc: u32,
    place: u32,
}

impl List {
    /// The term stands in a memory at a place; both ascend.
    pub(super) fn push(&mut self, doc: u32, place: u32) {
        if self.doc != doc + 1 {
            self.close();
            let begins = self.bytes.len();
            write(&mut self.bytes, (doc + 1 - self.doc) << 1);
            self.begins = [begins, self.bytes.len()];
            self.doc = doc + 1;
            self.place = 0;
        }
        write(&mut self.bytes, place - self.place);
        self.place = place;
    }

    /// Says how many bytes the places of the last memory take; that is the end of it.
    pub(super) fn close(&mut self) {
        let [begins, places] = self.begins;
        let length = self.bytes.len() - places;
        if length > 1
            && let Ok(length) = u32::try_from(length)
        {
            let mut written = Vec::new();
            write(&mut written, length);
            self.bytes.splice(places..places, written);
            self.bytes[begins] |= 1;
        }
        self.begins = [self.bytes.len(); 2];
    }

    /// The list, after it was closed.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Writes a list of memories in order, whose places are written already.
pub(super) fn write_list(bytes: &mut Vec<u8>, entries: &[(u32, &[u8])]) {
    let begins = bytes.len();
    if let [(doc, places)] = entries {
        write(bytes, *doc);
        bytes.extend_from_slice(places);
        if bytes.len() - begins < TWO {
            return;
        }
        bytes.truncate(begins);
    }
    let is_long = entries.len() >= LONG;
    let mut before = 0;
    for (doc, places) in entries {
        write_doc(bytes, *doc, places.len(), &mut before);
        if !is_long {
            bytes.extend_from_slice(places);
        }
    }
    if is_long {
        let mut head = vec![0];
        for number in [entries.len(), bytes.len() - begins] {
            write(&mut head, u32::try_from(number).unwrap_or(u32::MAX));
        }
        bytes.splice(begins..begins, head);
        for (_, places) in entries {
            bytes.extend_from_slice(places);
        }
    }
}

/// Writes a memory and how many bytes its places take, behind the one before, counted from one.
pub(super) fn write_doc(bytes: &mut Vec<u8>, doc: u32, places: usize, before: &mut u32) {
    let at = doc.wrapping_add(1);
    let step = at.wrapping_sub(*before) << 1;
    *before = at;
    match places {
        1 => write(bytes, step),
        length => {
            write(bytes, step | 1);
            write(bytes, u32::try_from(length).unwrap_or(u32::MAX));
        }
    }
}

/// How many memories a list holds.
pub(super) fn count(list: &[u8]) -> usize {
    match list.split_first() {
        Some((0, rest)) if list.len() >= TWO => Reader::of(rest).number().unwrap_or(0) as usize,
        _ => Entries::of(list).count(),
    }
}

/// One memory of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry<'l> {
    pub(super) doc: u32,
    /// Its places as they are written.
    pub(super) places: &'l [u8],
    /// Where they begin in the list.
    pub(super) begins: usize,
}

/// The memories of a list.
#[derive(Debug, Clone)]
pub(super) struct Entries<'l> {
    /// How many bytes the list takes.
    length: usize,
    /// The memories, and in a short list their places.
    docs: Reader<'l>,
    /// The places of a long list.
    places: Reader<'l>,
    is_long: bool,
    /// The last memory, counted from one, so that each step is one at least.
    doc: u32,
}

impl<'l> Entries<'l> {
    pub(super) fn of(list: &'l [u8]) -> Entries<'l> {
        if list.len() < TWO
            && let Some(entries) = Entries::of_one(list)
        {
            return entries;
        }
        match long(list) {
            Some((docs, places)) => Entries {
                length: list.len(),
                docs,
                places,
                is_long: true,
                doc: 0,
            },
            None => Entries::of_unwritten(list),
        }
    }

    /// Those of a list that is still in the making.
    pub(super) fn of_unwritten(list: &'l [u8]) -> Entries<'l> {
        Entries {
            length: list.len(),
            docs: Reader::of(list),
            places: Reader::of(&[]),
            is_long: false,
            doc: 0,
        }
    }

    /// The memory of a list that just says which it is, and where: as one of a long list, a step
    /// behind the one before it.
    fn of_one(list: &'l [u8]) -> Option<Entries<'l>> {
        let mut places = Reader::of(list);
        let doc = places.number()?;
        let step: &[u8] = match places.left() {
            1 => &[2],
            2 => &[3, 2],
            _ => return None,
        };
        Some(Entries {
            length: list.len(),
            docs: Reader::of(step),
            places,
            is_long: true,
            doc,
        })
    }

    /// The next memory that is not before this one.
    pub(super) fn seek(&mut self, from: u32) -> Option<Entry<'l>> {
        if self.is_long {
            // What is before it is passed without a look at its places.
            let (mut docs, mut doc, mut places) = (self.docs.clone(), self.doc, 0);
            while let Some(step) = docs.number() {
                let length = match step & 1 {
                    0 => 1,
                    _ => docs.number()? as usize,
                };
                let next = doc.wrapping_add(step >> 1);
                if next > from {
                    break;
                }
                (doc, places) = (next, places + length);
                self.docs = docs.clone();
            }
            self.doc = doc;
            self.places.take(places)?;
        }
        self.find(|entry| entry.doc >= from)
    }
}

/// The memories of a long list, and their places.
pub(super) fn long(list: &[u8]) -> Option<(Reader<'_>, Reader<'_>)> {
    let mut places = Reader::of(list);
    let 0 = places.byte()? else { return None };
    let _count = places.number()?;
    let length = places.number()? as usize;
    let docs = places.take(length)?;
    Some((Reader::of(docs), places))
}

impl<'l> Iterator for Entries<'l> {
    type Item = Entry<'l>;

    #[inline(always)]
    fn next(&mut self) -> Option<Entry<'l>> {
        let step = self.docs.number()?;
        let length = match step & 1 {
            0 => 1,
            _ => self.docs.number()? as usize,
        };
        let (left, places) = match self.is_long {
            true => (self.places.left(), self.places.take(length)?),
            false => (self.docs.left(), self.docs.take(length)?),
        };
        self.doc = self.doc.wrapping_add(step >> 1);
        Some(Entry {
            doc: self.doc.wrapping_sub(1),
            places,
            begins: self.length - left,
        })
    }
}

/// Places in one memory, ascending.
#[derive(Debug, Clone)]
pub(super) struct Places<'l> {
    steps: Reader<'l>,
    place: u32,
}

impl<'l> Places<'l> {
    pub(super) fn of(places: &'l [u8]) -> Places<'l> {
        Places {
            steps: Reader::of(places),
            place: 0,
        }
    }
}

impl Iterator for Places<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        self.place = self.place.wrapping_add(self.steps.number()?);
        Some(self.place)
    }
}

#[cfg(test)]
mod tests {
    use super::super::walk::Walk;
    use super::*;

    fn list(docs: &[(u32, &[u32])]) -> Vec<u8> {
        let mut list = List::default();
        for (doc, places) in docs {
            for place in *places {
                list.push(*doc, *place);
            }
        }
        list.close();
        let entries: Vec<(u32, &[u8])> = Entries::of_unwritten(list.as_bytes())
            .map(|entry| (entry.doc, entry.places))
            .collect();
        let mut bytes = Vec::new();
        write_list(&mut bytes, &entries);
        bytes
    }

    #[track_caller]
    fn check(docs: &[(u32, &[u32])]) {
        let list = list(docs);
        assert_eq!(count(&list), docs.len());
        let read: Vec<(u32, Vec<u32>)> = Entries::of(&list)
            .map(|entry| (entry.doc, Places::of(entry.places).collect()))
            .collect();
        let written: Vec<(u32, Vec<u32>)> = docs
            .iter()
            .map(|(doc, places)| (*doc, places.to_vec()))
            .collect();
        assert_eq!(read, written);
        let mut buffer = Vec::new();
        let mut walk = Walk::of(&list, &mut buffer);
        let mut walked = Vec::new();
        while walk.at() != Walk::END {
            walked.push((walk.at() - 1, Places::of(walk.places()).collect()));
            walk.next();
        }
        assert_eq!(walked, written);
        for (at, (doc, places)) in written.iter().enumerate().step_by(3) {
            let before = at.checked_sub(1).map_or(0, |before| written[before].0 + 1);
            for from in [before, *doc] {
                let mut buffer = Vec::new();
                let mut walk = Walk::of(&list, &mut buffer);
                walk.seek(from + 1);
                assert_eq!(walk.at(), doc + 1, "{from}");
                assert!(Places::of(walk.places()).eq(places.iter().copied()));
            }
        }
    }

    #[test]
    fn a_list_says_what_was_written() {
        check(&[]);
        check(&[(0, &[0])]);
        for doc in [0, 1, 63, 64, 127, 128, 16_383, 16_384] {
            for places in [&[0][..], &[127], &[128], &[3, 4], &[3, 4, 5], &[3, 400]] {
                check(&[(doc, places)]);
            }
        }
        check(&[(7, &[0, 0, 1, 63, 64, 300, 70_000])]);
        check(&[(0, &[5]), (1, &[5, 6]), (200, &[128]), (99_999, &[0])]);
        let places: Vec<u32> = (0..1_000).map(|place| place * 3).collect();
        check(&[(63, &places), (64, &places[..200])]);
        for many in [2, 63, 64, 500] {
            let docs: Vec<(u32, &[u32])> = (0..many)
                .map(|doc| (doc * 31, &places[..(doc % 5 + 1) as usize]))
                .collect();
            check(&docs);
        }
    }

    #[test]
    fn one_place_in_each_of_many_memories_takes_two_bytes_each() {
        let docs: Vec<(u32, &[u32])> = (0..1_000).map(|doc| (doc * 2, &[100u32][..])).collect();
        assert_eq!(list(&docs).len(), 2_005);
    }

    #[test]
    fn any_bytes_are_read_to_an_end() {
        let long: &[u8] = &[0, 9, 4, 2, 2, 3, 9, 1, 1];
        let odd: [&[u8]; 7] = [
            &[0xff; 12],
            &[1, 0xff],
            &[0x80],
            &[3, 200, 0x80],
            &[0, 0, 0],
            &[0, 9, 200, 1],
            long,
        ];
        for bytes in odd {
            assert!(Entries::of(bytes).count() <= bytes.len());
            assert!(Places::of(bytes).count() <= bytes.len());
            assert!(Entries::of(bytes).all(|entry| entry.places.len() <= bytes.len()));
            let mut buffer = Vec::new();
            let mut walk = Walk::of(bytes, &mut buffer);
            for _ in bytes {
                assert!(walk.places().len() <= bytes.len());
                walk.next();
            }
            assert_eq!(walk.at(), Walk::END);
        }
    }
}
