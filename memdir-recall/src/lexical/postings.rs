//! Where a term stands: memory by memory and place by place, in two or three bytes for each.
//!
//! A list is a row of numbers. An odd one goes on to another memory, an even one to another place
//! in that memory; an even one in front says how many memories there are.

/// From how many memories on a list says how many: 8 memories; fewer are counted as quickly.
const COUNTED: usize = 8;

/// A number in seven bits per byte, the low ones first; all bytes but the last have a top bit.
pub(super) fn write(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The next such number, and what is behind it.
pub(super) fn read(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (mut number, mut shift) = (0u32, 0);
    for (at, byte) in bytes.iter().enumerate() {
        number |= u32::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
        if *byte < 0x80 {
            return Some((number, &bytes[at + 1..]));
        }
    }
    None
}

/// A list in the making.
#[derive(Debug, Default)]
pub(super) struct List {
    bytes: Vec<u8>,
    /// The last memory, plus one; 0 before the first.
    doc: u32,
    place: u32,
}

impl List {
    /// The term stands in a memory at a place; both ascend.
    pub(super) fn push(&mut self, doc: u32, place: u32) {
        if self.doc != doc + 1 {
            write(&mut self.bytes, (doc + 1 - self.doc) << 1 | 1);
            self.doc = doc + 1;
            self.place = 0;
        }
        write(&mut self.bytes, (place - self.place) << 1);
        self.place = place;
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Writes a list of memories in order, whose places are written already.
pub(super) fn write_list(bytes: &mut Vec<u8>, entries: &[(u32, &[u8])]) {
    if entries.len() >= COUNTED
        && let Ok(count) = u32::try_from(entries.len())
    {
        write(bytes, count << 1);
    }
    let mut before = 0;
    for (doc, places) in entries {
        write(bytes, (doc + 1 - before) << 1 | 1);
        bytes.extend_from_slice(places);
        before = doc + 1;
    }
}

/// How many memories a list holds.
pub(super) fn count(list: &[u8]) -> usize {
    match read(list) {
        Some((count, _)) if count & 1 == 0 => (count >> 1) as usize,
        _ => Entries::of(list).count(),
    }
}

/// The memories of a list.
#[derive(Debug, Clone)]
pub(super) struct Entries<'l> {
    rest: &'l [u8],
    doc: u32,
}

impl<'l> Entries<'l> {
    pub(super) fn of(list: &'l [u8]) -> Entries<'l> {
        let rest = match read(list) {
            Some((count, rest)) if count & 1 == 0 => rest,
            _ => list,
        };
        Entries { rest, doc: 0 }
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }
}

impl<'l> Iterator for Entries<'l> {
    /// A memory, and the places as they are written.
    type Item = (u32, &'l [u8]);

    fn next(&mut self) -> Option<(u32, &'l [u8])> {
        let (step, rest) = read(self.rest)?;
        self.doc = self.doc.checked_add(step >> 1)?;
        let length = places_len(rest);
        let (places, rest) = rest.split_at(length);
        self.rest = rest;
        Some((self.doc.checked_sub(1)?, places))
    }
}

/// How many bytes the places take that a list goes on with.
fn places_len(bytes: &[u8]) -> usize {
    let mut length = 0;
    while let Some(first) = bytes.get(length)
        && first & 1 == 0
    {
        length += bytes[length..]
            .iter()
            .take_while(|byte| **byte >= 0x80)
            .count()
            + 1;
    }
    length.min(bytes.len())
}

/// Places in one memory, ascending.
#[derive(Debug, Clone)]
pub(super) struct Places<'l> {
    rest: &'l [u8],
    place: u32,
}

impl<'l> Places<'l> {
    pub(super) fn of(places: &'l [u8]) -> Places<'l> {
        Places {
            rest: places,
            place: 0,
        }
    }
}

impl Iterator for Places<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.rest.first()? & 1 == 1 {
            return None;
        }
        let (step, rest) = read(self.rest)?;
        self.rest = rest;
        self.place = self.place.checked_add(step >> 1)?;
        Some(self.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(docs: &[(u32, &[u32])]) -> Vec<u8> {
        let mut list = List::default();
        for (doc, places) in docs {
            for place in *places {
                list.push(*doc, *place);
            }
        }
        let entries: Vec<(u32, &[u8])> = Entries::of(list.as_bytes()).collect();
        let mut bytes = Vec::new();
        write_list(&mut bytes, &entries);
        bytes
    }

    #[track_caller]
    fn check(docs: &[(u32, &[u32])]) {
        let list = list(docs);
        assert_eq!(count(&list), docs.len());
        let read: Vec<(u32, Vec<u32>)> = Entries::of(&list)
            .map(|(doc, places)| (doc, Places::of(places).collect()))
            .collect();
        let written: Vec<(u32, Vec<u32>)> = docs
            .iter()
            .map(|(doc, places)| (*doc, places.to_vec()))
            .collect();
        assert_eq!(read, written);
    }

    #[test]
    fn a_list_says_what_was_written() {
        check(&[]);
        check(&[(0, &[0])]);
        check(&[(7, &[0, 0, 1, 63, 64, 300, 70_000])]);
        check(&[(0, &[5]), (1, &[5, 6]), (200, &[128]), (99_999, &[0])]);
        let many: Vec<(u32, &[u32])> = (0..500).map(|doc| (doc * 3, &[1u32, 9][..])).collect();
        check(&many);
    }

    #[test]
    fn one_place_in_each_of_many_memories_takes_two_bytes_each() {
        let docs: Vec<(u32, &[u32])> = (0..1_000).map(|doc| (doc * 2, &[40u32][..])).collect();
        assert_eq!(list(&docs).len(), 2_002);
    }

    #[test]
    fn any_bytes_are_read_to_an_end() {
        for bytes in [
            &[0xff; 12][..],
            &[1, 0xff],
            &[0x80],
            &[3, 2, 0x80],
            &[0, 0, 0],
        ] {
            assert!(Entries::of(bytes).count() <= bytes.len());
            assert!(Places::of(bytes).count() <= bytes.len());
            assert!(Entries::of(bytes).all(|(_, places)| places.len() <= bytes.len()));
        }
    }
}
