//! All terms in order, each as what it does not share with the one before it, and where their
//! lists lie.

use std::cmp::Ordering;
use std::ops::Range;

use super::bytes::{Reader, write};

/// How many terms are read one after another at most: 32 terms, of which the first is written out.
const BLOCK: usize = 32;

/// The shortest list: 2 bytes, for a memory and a place.
const SHORTEST: usize = 2;

/// What a term begins with: how many bytes it shares with the one before, how many follow, and by
/// how much its list is longer than the shortest. The three share a byte; what does not fit is
/// written behind.
struct Head([usize; 3]);

impl Head {
    /// The highest numbers that three, three and two bits hold; these and higher ones do not fit.
    const WIDEST: [usize; 3] = [7, 7, 3];

    fn write(&self, bytes: &mut Vec<u8>) {
        let [shared, new, list] = [0, 1, 2].map(|at| self.0[at].min(Head::WIDEST[at]) as u8);
        bytes.push(shared << 5 | new << 2 | list);
        for (number, widest) in self.0.into_iter().zip(Head::WIDEST) {
            if let Some(more) = number.checked_sub(widest) {
                write(bytes, u32::try_from(more).unwrap_or(u32::MAX));
            }
        }
    }

    #[inline(always)]
    fn read(reader: &mut Reader<'_>) -> Option<Head> {
        let packed = usize::from(reader.byte()?);
        let [shared, new, list] = Head::WIDEST;
        let mut number = |packed: usize, widest: usize| match packed < widest {
            true => Some(packed),
            false => Some(packed + reader.number()? as usize),
        };
        Some(Head([
            number(packed >> 5, shared)?,
            number(packed >> 2 & 7, new)?,
            number(packed & 3, list)?,
        ]))
    }
}

/// Terms, and where their lists lie.
#[derive(Debug, Default)]
pub(super) struct Dictionary {
    /// For each term its [`Head`] and the bytes that it does not share.
    bytes: Vec<u8>,
    /// For every thirty-second term where it begins, and where its list does.
    blocks: Vec<(u32, u32)>,
    terms: usize,
    last: String,
    /// Where the next list begins.
    end: u32,
}

impl Dictionary {
    /// Adds a term behind the last one, with a list of so many bytes; false if there is no room,
    /// which is 4 GiB for the terms and as much for the lists, or if no list is that short.
    pub(super) fn push(&mut self, term: &str, list: usize) -> bool {
        let begins = u32::try_from(self.bytes.len());
        let list_ends = u32::try_from(list)
            .ok()
            .and_then(|list| self.end.checked_add(list));
        let (Ok(begins), Some(end), Some(longer)) = (begins, list_ends, list.checked_sub(SHORTEST))
        else {
            return false;
        };
        let shared = if self.terms.is_multiple_of(BLOCK) {
            self.blocks.push((begins, self.end));
            0
        } else {
            shared(self.last.as_bytes(), term.as_bytes())
        };
        let new = &term.as_bytes()[shared..];
        Head([shared, new.len(), longer]).write(&mut self.bytes);
        self.bytes.extend_from_slice(new);
        self.terms += 1;
        self.end = end;
        self.last.clear();
        self.last.push_str(term);
        true
    }

    /// Gives back what was set aside for more terms.
    pub(super) fn settle(&mut self) {
        self.bytes.shrink_to_fit();
        self.blocks.shrink_to_fit();
        self.last = String::new();
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.capacity() + self.blocks.capacity() * size_of::<(u32, u32)>()
    }

    /// Where the list of a term lies.
    pub(super) fn find(&self, term: &str) -> Option<Range<usize>> {
        let term = term.as_bytes();
        let behind = self
            .blocks
            .partition_point(|block| self.head(*block) <= term);
        let mut cursor = self.block(behind.checked_sub(1)?);
        // How many bytes the terms so far, which are before the one looked for, share with it.
        let mut same = 0;
        loop {
            let (known, new, list) = cursor.next()?;
            match known.cmp(&same) {
                // What is new here was decided by an earlier byte.
                Ordering::Greater => continue,
                Ordering::Less => return None,
                Ordering::Equal => {}
            }
            same += shared(new, &term[same..]);
            match (new.get(same - known), term.get(same)) {
                (None, None) => return Some(list),
                (Some(_), None) => return None,
                (Some(new), Some(looked_for)) if new > looked_for => return None,
                _ => {}
            }
        }
    }

    /// Goes through the terms in order, from the block on that may hold the first one that is not
    /// before `from`, until told to stop.
    pub(super) fn walk(&self, from: &str, mut visit: impl FnMut(&[u8], Range<usize>) -> bool) {
        let behind = self
            .blocks
            .partition_point(|block| self.head(*block) < from.as_bytes());
        for block in behind.saturating_sub(1)..self.blocks.len() {
            let mut term = Vec::new();
            for (known, new, list) in self.block(block) {
                term.truncate(known);
                term.extend_from_slice(new);
                if !visit(&term, list) {
                    return;
                }
            }
        }
    }

    /// The first term of a block, which is written out.
    fn head(&self, block: (u32, u32)) -> &[u8] {
        let bytes = self.bytes.get(block.0 as usize..).unwrap_or_default();
        let mut reader = Reader::of(bytes);
        let new = Head::read(&mut reader).map(|Head([_, new, _])| new);
        new.and_then(|new| reader.take(new)).unwrap_or_default()
    }

    fn block(&self, block: usize) -> Cursor<'_> {
        let (begins, list) = self.blocks[block];
        let ends = self.blocks.get(block + 1).map(|next| next.0 as usize);
        let ends = ends.unwrap_or(self.bytes.len());
        Cursor {
            reader: Reader::of(&self.bytes[begins as usize..ends]),
            list: list as usize,
        }
    }
}

fn shared(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Reads a block.
struct Cursor<'d> {
    reader: Reader<'d>,
    /// Where the next list begins.
    list: usize,
}

impl<'d> Iterator for Cursor<'d> {
    /// How many bytes a term shares with the one before, the others, and where its list lies.
    type Item = (usize, &'d [u8], Range<usize>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let Head([shared, new, longer]) = Head::read(&mut self.reader)?;
        let new = self.reader.take(new)?;
        let begins = self.list;
        self.list += SHORTEST + longer;
        Some((shared, new, begins..self.list))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_is_found_with_its_list_and_no_other() {
        let long = "x".repeat(300);
        let mut terms: Vec<String> = (0..2_000).map(|n| format!("term{}", n * 7)).collect();
        terms
            .extend(["", "a", "数", "数据", "термин", "x", &long, &long[..250]].map(str::to_owned));
        terms.sort();
        let mut dictionary = Dictionary::default();
        assert_eq!(dictionary.find("a"), None);
        for (at, term) in terms.iter().enumerate() {
            assert!(dictionary.push(term, at % 300 + 2));
        }
        dictionary.settle();
        let mut begins = 0;
        for (at, term) in terms.iter().enumerate() {
            let ends = begins + at % 300 + 2;
            assert_eq!(dictionary.find(term), Some(begins..ends), "{term}");
            assert_eq!(dictionary.find(&format!("{term}!")), None, "{term}");
            begins = ends;
        }
        let mut seen = Vec::new();
        dictionary.walk("", |term, list| {
            assert_eq!(
                dictionary.find(std::str::from_utf8(term).unwrap()),
                Some(list)
            );
            seen.push(term.to_vec());
            true
        });
        assert!(seen.iter().eq(terms.iter().map(|term| term.as_bytes())));
        let mut from = Vec::new();
        dictionary.walk("термин", |term, _| {
            from.push(term.to_vec());
            term < "数".as_bytes()
        });
        assert!(from.contains(&"термин".as_bytes().to_vec()) && from.len() <= BLOCK + 2);
    }

    #[test]
    fn a_term_takes_about_what_is_new_in_it() {
        let mut dictionary = Dictionary::default();
        for n in 0..10_000 {
            assert!(dictionary.push(&format!("directory{n:05}"), 3));
        }
        dictionary.settle();
        assert!(dictionary.bytes() < 50_000, "{}", dictionary.bytes());
    }
}
