//! Memories as streams of term numbers.

use std::collections::HashMap;
use std::ops::Range;

use super::interner::Interner;
pub(crate) use super::inverted::{Inverted, MAX_GAIN};
use super::stop;
use super::text::{Piece, Stems, split};

/// The most terms of a query that are looked up: 64 words. A message that pastes a whole file is
/// judged by its beginning.
pub(crate) const MAX_QUERY_TERMS: usize = 64;

/// How many written words are remembered while texts are read: 16,384 words, more than most
/// directories have.
const MAX_REMEMBERED: usize = 16 * 1024;

/// How many terms there may be, since two bits of a number are needed for the role and the end of
/// a line: 2^29 terms.
const MAX_TERMS: u32 = 1 << 29;

/// Numbers for terms.
pub(crate) struct Vocabulary {
    stems: Stems,
    /// Stems, compounds and pairs.
    terms: Interner,
    /// While texts are read, the terms of words as written in lower case, so that most are stemmed
    /// only once; a stop word has no term.
    remembered: HashMap<Box<str>, Option<u32>>,
}

/// How a term stands in a text. Deliberately closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A word or a pair: counts for the length of the field.
    Plain,
    /// Beside others: a compound, or a single character.
    Beside,
}

impl Vocabulary {
    pub(crate) fn new() -> Vocabulary {
        Vocabulary {
            stems: Stems::new(),
            terms: Interner::default(),
            remembered: HashMap::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    pub(crate) fn number(&self, term: &str) -> Option<u32> {
        self.terms.get(term)
    }

    /// The term that a word in lower case stands for, if any memory has held it.
    pub(crate) fn known(&self, word: &str) -> Option<u32> {
        match stop::is_english(word) {
            true => None,
            false => self.terms.get(&self.stems.stem(word)),
        }
    }

    /// The term that a word in lower case stands for, known or not.
    pub(crate) fn stem(&self, word: &str) -> String {
        self.stems.stem(word).into_owned()
    }

    /// Gives back what only the reading of texts needs.
    pub(crate) fn settle(&mut self) {
        self.remembered = HashMap::new();
        self.terms.shrink();
    }

    /// How many bytes the terms take, after [`settle`](Vocabulary::settle).
    pub(crate) fn bytes(&self) -> usize {
        self.terms.bytes()
    }

    fn term(&mut self, text: &str) -> Option<u32> {
        self.terms.intern(text, MAX_TERMS)
    }

    fn word(&mut self, word: &str) -> Option<u32> {
        if let Some(known) = self.remembered.get(word) {
            return *known;
        }
        let id = match stop::is_english(word) {
            true => None,
            false => self.terms.intern(&self.stems.stem(word), MAX_TERMS),
        };
        if self.remembered.len() < MAX_REMEMBERED {
            self.remembered.insert(word.into(), id);
        }
        id
    }

    /// Reads a field of a memory.
    fn read(&mut self, text: &str, stream: &mut Writer) {
        split(text, |piece| match piece {
            Piece::Word(word) => stream.push(self.word(word), Role::Plain),
            Piece::Compound(word) => stream.push(self.word(word), Role::Beside),
            Piece::Pair(pair) => stream.push(self.term(pair), Role::Plain),
            Piece::Single(c) => stream.push(self.term(c), Role::Beside),
            Piece::Lone(_) => {}
            Piece::LineEnd => stream.end_line(),
        });
    }
}

/// Writes terms in the order of the text, in about a third of its bytes: each a number of seven
/// bits per byte, whose lowest bit says the role; 0 ends a line.
#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    /// Terms of role [`Role::Plain`] in the current field.
    plain: u32,
}

impl Writer {
    fn push(&mut self, term: Option<u32>, role: Role) {
        let Some(term) = term else { return };
        let flag = u32::from(role == Role::Beside);
        self.plain += 1 - flag;
        self.code((term + 1) << 1 | flag);
    }

    fn end_line(&mut self) {
        if self.bytes.last().is_some_and(|last| *last != 0) {
            self.code(0);
        }
    }

    fn code(&mut self, mut code: u32) {
        while code >= 0x80 {
            self.bytes.push((code & 0x7f) as u8 | 0x80);
            code >>= 7;
        }
        self.bytes.push(code as u8);
    }
}

/// One field of a memory.
#[derive(Clone, Copy)]
pub(crate) struct Field<'d> {
    bytes: &'d [u8],
    pub(super) plain: u32,
}

impl<'d> Field<'d> {
    /// The terms in order; `None` ends a line.
    pub(crate) fn iter(self) -> impl Iterator<Item = Option<(u32, Role)>> + 'd {
        let mut rest = self.bytes.iter();
        std::iter::from_fn(move || {
            let (mut code, mut shift) = (0u32, 0);
            loop {
                let byte = *rest.next()?;
                code |= u32::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 {
                    break;
                }
            }
            Some(match code {
                0 => None,
                code if code & 1 == 1 => Some(((code >> 1) - 1, Role::Beside)),
                code => Some(((code >> 1) - 1, Role::Plain)),
            })
        })
    }

    pub(super) fn terms(self) -> impl Iterator<Item = u32> + 'd {
        self.iter().flatten().map(|(term, _)| term)
    }
}

/// One memory as term numbers: name, description, body, one behind the other.
#[derive(Debug, Clone)]
pub(crate) struct Doc {
    bytes: Box<[u8]>,
    ends: [u32; 2],
    pub(super) plain: [u32; 3],
}

impl Doc {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "at most a few bytes per byte of 256 KiB"
    )]
    pub(crate) fn read(
        vocabulary: &mut Vocabulary,
        name: &str,
        description: &str,
        body: &str,
    ) -> Doc {
        let mut writer = Writer::default();
        let mut ends = [0; 3];
        let mut plain = [0; 3];
        for (f, text) in [name, description, body].into_iter().enumerate() {
            vocabulary.read(text, &mut writer);
            ends[f] = writer.bytes.len() as u32;
            plain[f] = std::mem::take(&mut writer.plain);
        }
        Doc {
            bytes: writer.bytes.into_boxed_slice(),
            ends: [ends[0], ends[1]],
            plain,
        }
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Doc>() + self.bytes.len()
    }

    pub(crate) fn fields(&self) -> [Field<'_>; 3] {
        let [name, description] = self.ends.map(|end| end as usize);
        let field = |range: Range<usize>, f: usize| Field {
            bytes: &self.bytes[range],
            plain: self.plain[f],
        };
        [
            field(0..name, 0),
            field(name..description, 1),
            field(description..self.bytes.len(), 2),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_says_what_was_read() {
        let mut vocabulary = Vocabulary::new();
        let doc = Doc::read(&mut vocabulary, "getUser", "", "数据库 the tests\n\nx");
        let term = |text: &str| vocabulary.number(text).unwrap();
        let name: Vec<_> = doc.fields()[0].iter().collect();
        assert_eq!(
            name,
            [
                Some((term("get"), Role::Plain)),
                Some((term("user"), Role::Plain)),
                Some((term("getus"), Role::Beside)),
                None
            ]
        );
        let body: Vec<_> = doc.fields()[2].iter().collect();
        assert_eq!(
            body,
            [
                Some((term("数"), Role::Beside)),
                Some((term("数据"), Role::Plain)),
                Some((term("据"), Role::Beside)),
                Some((term("据库"), Role::Plain)),
                Some((term("库"), Role::Beside)),
                Some((term("test"), Role::Plain)),
                None
            ]
        );
    }
}
