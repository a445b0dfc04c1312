//! The words of memories that are read, on their way into an index.

use std::collections::HashMap;

use super::postings::List;
use super::stems::Stems;
use super::stop;
use super::text::{Piece, is_han, split};

/// How many written words are remembered while texts are read: 16,384 words, more than most
/// directories have.
const MAX_REMEMBERED: usize = 16 * 1024;

/// How far a line is from the one before it: 1 place that is free, so that the last word of one and
/// the first of the other do not stand together.
const LINE_GAP: u32 = 1;

/// Beyond so many words a body is not longer: 32,767 words.
const MAX_BODY_WORDS: u32 = 32_767;

/// How much of a memory its fields take. Larger numbers are capped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Doc {
    /// Where the places of the name end, and those of the description.
    ends: [u16; 2],
    /// How many words the name has, and how many the description.
    words: [u8; 2],
    /// How many words the body has, doubled, and one more if most of all words are pairs of
    /// characters.
    body: u16,
}

impl Doc {
    /// Where the places of the name end, and those of the description.
    pub(super) fn ends(self) -> [u32; 2] {
        self.ends.map(u32::from)
    }

    /// How many words its fields have.
    pub(super) fn words(self) -> [u16; 3] {
        let [name, description] = self.words.map(u16::from);
        [name, description, self.body >> 1]
    }

    /// Whether most of its words are pairs of characters.
    pub(super) fn is_unspaced(self) -> bool {
        self.body & 1 == 1
    }
}

/// Memories, in the order in which they were read.
#[derive(Default)]
pub(crate) struct Gather {
    stems: Stems,
    terms: HashMap<Box<str>, usize>,
    lists: Vec<List>,
    /// Words as written in lower case, and which list is theirs, so that most are stemmed only
    /// once.
    remembered: HashMap<Box<str>, usize>,
    docs: Vec<Doc>,
}

impl Gather {
    /// Reads a memory; its number counts from 0.
    pub(crate) fn read(&mut self, name: &str, description: &str, body: &str) -> u32 {
        let number = u32::try_from(self.docs.len()).unwrap_or(u32::MAX);
        let mut writer = Writer {
            gather: self,
            doc: number,
            begins: 0,
            next: 0,
            words: 0,
            pairs: 0,
            is_joined: false,
        };
        let [name, description, body] = [name, description, body].map(|text| writer.field(text));
        let words = name.words + description.words + body.words;
        let pairs = writer.pairs;
        let small = |number: u32| u8::try_from(number).unwrap_or(u8::MAX);
        let medium = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
        self.docs.push(Doc {
            ends: [name.places, name.places.saturating_add(description.places)].map(medium),
            words: [name.words, description.words].map(small),
            body: medium(body.words.min(MAX_BODY_WORDS)) << 1 | u16::from(pairs > words / 2),
        });
        number
    }

    pub(super) fn docs(&self) -> &[Doc] {
        &self.docs
    }

    /// The terms in order, with the memories that hold them.
    pub(super) fn lists(&mut self) -> Vec<(&str, &[u8])> {
        for list in &mut self.lists {
            list.close();
        }
        let mut lists: Vec<(&str, &[u8])> = (self.terms.iter())
            .map(|(term, list)| (&**term, self.lists[*list].as_bytes()))
            .collect();
        lists.sort_unstable_by_key(|(term, _)| *term);
        lists
    }

    /// Which list is a term's.
    fn list(&mut self, term: &str) -> usize {
        if let Some(list) = self.terms.get(term) {
            return *list;
        }
        self.lists.push(List::default());
        self.terms.insert(term.into(), self.lists.len() - 1);
        self.lists.len() - 1
    }

    fn term(&mut self, term: &str, doc: u32, place: u32) {
        let list = self.list(term);
        self.lists[list].push(doc, place);
    }

    fn word(&mut self, word: &str, doc: u32, place: u32) {
        let known = self.remembered.get(word).copied();
        let list = known.unwrap_or_else(|| {
            let stem = self.stems.stem(word).into_owned();
            let list = self.list(&stem);
            if self.remembered.len() < MAX_REMEMBERED {
                self.remembered.insert(word.into(), list);
            }
            list
        });
        self.lists[list].push(doc, place);
    }
}

/// Writes down where the words of one memory stand.
struct Writer<'g> {
    gather: &'g mut Gather,
    doc: u32,
    /// The first place of the field, and the next one.
    begins: u32,
    next: u32,
    /// Words and pairs of the field.
    words: u32,
    /// Pairs of all fields.
    pairs: u32,
    /// Whether a pair has just ended in the character that comes next.
    is_joined: bool,
}

/// How much a field takes.
struct Field {
    places: u32,
    words: u32,
}

impl Writer<'_> {
    fn field(&mut self, text: &str) -> Field {
        self.begins = self.next;
        split(text, |piece| self.piece(piece));
        Field {
            places: self.next - self.begins,
            words: std::mem::take(&mut self.words),
        }
    }

    /// The last place; the first of the field if nothing has one yet, as when all parts of a
    /// compound are stop words.
    fn last(&self) -> u32 {
        self.next.saturating_sub(1).max(self.begins)
    }

    fn piece(&mut self, piece: Piece<'_>) {
        let doc = self.doc;
        match piece {
            Piece::Word(word) if stop::is_english(word) => {}
            Piece::Compound(word) if stop::is_english(word) => {}
            Piece::Word(word) => {
                self.gather.word(word, doc, self.next);
                self.next += 1;
                self.words += 1;
            }
            Piece::Compound(word) => self.gather.word(word, doc, self.last()),
            // A pair of Han characters is found by its characters.
            Piece::Pair(pair) => {
                if !is_han(pair) {
                    self.gather.term(pair, doc, self.last());
                }
                self.words += 1;
                self.pairs += 1;
                self.is_joined = true;
            }
            Piece::Single(c) => {
                // Between two runs is a place that is free.
                self.next += u32::from(!std::mem::take(&mut self.is_joined));
                if is_han(c) {
                    self.gather.term(c, doc, self.next);
                }
                self.next += 1;
            }
            Piece::Lone(c) => {
                if !is_han(c) {
                    self.gather.term(c, doc, self.last());
                }
            }
            Piece::LineEnd => self.next += LINE_GAP,
        }
    }
}
