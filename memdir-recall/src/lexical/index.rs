//! Memories as streams of term numbers.

use std::collections::HashMap;

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

    /// The terms that differ from another one by a slip of the hand.
    pub(crate) fn slips<'v>(&'v self, term: &'v str) -> impl Iterator<Item = (u32, &'v str)> {
        (self.terms.iter()).filter(move |(_, known)| is_slip(known.as_bytes(), term.as_bytes()))
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

/// Whether two words with the same first letter differ in one letter, or in the order of two, or in
/// that one has a letter more.
fn is_slip(a: &[u8], b: &[u8]) -> bool {
    if a.first() != b.first() || a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    match (&a[same..], &b[same..]) {
        ([_, a @ ..], [_, b @ ..]) if a == b => true,
        ([a1, a2, a @ ..], [b1, b2, b @ ..]) if a1 == b2 && a2 == b1 && a == b => true,
        ([_, a @ ..], b) if a == b => true,
        (a, [_, b @ ..]) => a == b,
        _ => false,
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

    fn code(&mut self, code: u32) {
        write(&mut self.bytes, code);
    }
}

/// A number in seven bits per byte, the low ones first; all bytes but the last have a top bit.
fn write(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The next such number.
fn read(bytes: &mut std::slice::Iter<'_, u8>) -> Option<u32> {
    let (mut number, mut shift) = (0u32, 0);
    loop {
        let byte = *bytes.next()?;
        number |= u32::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            return Some(number);
        }
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
            Some(match read(&mut rest)? {
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

/// One memory as term numbers: for name, description and body each how many words it has, how many
/// bytes its terms take, and these.
#[derive(Debug, Clone)]
pub(crate) struct Doc(Box<[u8]>);

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
        let mut bytes = Vec::new();
        let mut writer = Writer::default();
        for text in [name, description, body] {
            vocabulary.read(text, &mut writer);
            write(&mut bytes, std::mem::take(&mut writer.plain));
            write(&mut bytes, writer.bytes.len() as u32);
            bytes.append(&mut writer.bytes);
        }
        Doc(bytes.into_boxed_slice())
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Doc>() + self.0.len()
    }

    pub(crate) fn fields(&self) -> [Field<'_>; 3] {
        let mut rest = self.0.iter();
        [(); 3].map(|()| {
            let plain = read(&mut rest).unwrap_or(0);
            let length = read(&mut rest).unwrap_or(0) as usize;
            let (bytes, behind) = rest.as_slice().split_at_checked(length).unwrap_or_default();
            rest = behind.iter();
            Field { bytes, plain }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_one_letter() {
        let is_slip = |a: &str, b: &str| is_slip(a.as_bytes(), b.as_bytes());
        for slip in ["databse", "databsae", "databaze", "databaase", "databases"] {
            assert!(is_slip(slip, "database"), "{slip}");
            assert!(is_slip("database", slip), "{slip}");
        }
        for other in ["atabase", "datasabe", "", "d", "databasing", "databzze"] {
            assert!(!is_slip(other, "database"), "{other}");
            assert!(!is_slip("database", other), "{other}");
        }
    }

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
