//! The index: each memory as a stream of term numbers, and for each term where it occurs.

use std::collections::HashMap;
use std::ops::Range;

use super::stop;
use super::text::{Piece, Stems, split};

/// The most terms of a query that are looked up: 64 words. A message that pastes a whole file is
/// judged by its beginning.
pub(crate) const MAX_QUERY_TERMS: usize = 64;

/// BM25's saturation of repeated words, the customary value.
const K1: f32 = 1.2;

/// What a term can contribute at most, in units of its inverse document frequency.
pub(crate) const MAX_GAIN: f32 = K1 + 1.0;

/// How much the length of name, description and body tells: a long body repeats words for no
/// reason, a long name hardly does.
const LENGTH_WEIGHTS: [f32; 3] = [0.3, 0.5, 0.75];

/// Numbers for terms, and what each written word stands for.
pub(crate) struct Vocabulary {
    stems: Stems,
    /// Stems, compounds and pairs.
    terms: HashMap<Box<str>, u32>,
    /// Words as written in lower case; a stop word has no term.
    words: HashMap<Box<str>, Option<u32>>,
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
            terms: HashMap::new(),
            words: HashMap::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    pub(crate) fn number(&self, term: &str) -> Option<u32> {
        self.terms.get(term).copied()
    }

    /// The term that a word in lower case was read as before, if it was.
    pub(crate) fn known(&self, word: &str) -> Option<u32> {
        self.words.get(word).copied().flatten()
    }

    /// The term that a word in lower case stands for, known or not.
    pub(crate) fn stem(&self, word: &str) -> String {
        self.stems.stem(word).into_owned()
    }

    fn term(&mut self, text: &str) -> Option<u32> {
        if let Some(id) = self.terms.get(text) {
            return Some(*id);
        }
        // Two bits are needed for the role and the end of a line.
        let id = u32::try_from(self.terms.len())
            .ok()
            .filter(|id| *id < 1 << 29)?;
        self.terms.insert(text.into(), id);
        Some(id)
    }

    fn word(&mut self, word: &str) -> Option<u32> {
        if let Some(known) = self.words.get(word) {
            return *known;
        }
        let id = if stop::is_english(word) {
            None
        } else {
            let stem = self.stem(word);
            self.term(&stem)
        };
        self.words.insert(word.into(), id);
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
    plain: u32,
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

    fn terms(self) -> impl Iterator<Item = u32> + 'd {
        self.iter().flatten().map(|(term, _)| term)
    }
}

/// One memory as term numbers: name, description, body, one behind the other.
#[derive(Debug, Clone)]
pub(crate) struct Doc {
    bytes: Box<[u8]>,
    ends: [u32; 2],
    plain: [u32; 3],
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

/// For each term, the memories that hold it, in the order of the memories.
#[derive(Debug, Default)]
pub(crate) struct Inverted {
    starts: Vec<u32>,
    /// Numbers of memories; beside each, in `gains`, what the term contributes to its score.
    holders: Vec<u32>,
    /// In 65,535ths of [`MAX_GAIN`], so that both take six bytes.
    gains: Vec<u16>,
    docs: usize,
    /// How many words a body has on average.
    body_words: f32,
}

/// One step of a gain, in units of a term's rarity.
const GAIN_STEP: f32 = MAX_GAIN / 65_535.0;

impl Inverted {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "at most 100,000 memories with 64 MiB of text, and gains between 0 and 65,535"
    )]
    pub(crate) fn build<'a, D>(docs: D, terms: usize) -> Inverted
    where
        D: ExactSizeIterator<Item = &'a Doc> + Clone,
    {
        let count = docs.len();
        let mut mean = [0f32; 3];
        for (f, mean) in mean.iter_mut().enumerate() {
            let sum: u64 = docs.clone().map(|doc| u64::from(doc.plain[f])).sum();
            *mean = (sum as f32 / count.max(1) as f32).max(1.0);
        }
        // Counting first, so that all postings lie in one piece of memory.
        let mut starts = vec![0u32; terms + 1];
        let mut last = vec![u32::MAX; terms];
        for (number, doc) in docs.clone().enumerate() {
            for term in doc.fields().into_iter().flat_map(Field::terms) {
                let term = term as usize;
                if last[term] != number as u32 {
                    last[term] = number as u32;
                    starts[term + 1] += 1;
                }
            }
        }
        for term in 0..terms {
            starts[term + 1] += starts[term];
        }
        let mut next = starts[..terms].to_vec();
        let mut holders = vec![u32::MAX; starts[terms] as usize];
        let mut weights = vec![0f32; starts[terms] as usize];
        for (number, doc) in docs.enumerate() {
            let number = number as u32;
            for (f, stream) in doc.fields().into_iter().enumerate() {
                let b = LENGTH_WEIGHTS[f];
                let weight = 1.0 / (1.0 - b + b * stream.plain as f32 / mean[f]);
                for term in stream.terms() {
                    let term = term as usize;
                    let slot = next[term] as usize;
                    // The term's last holder is this memory, or it becomes one.
                    if slot > starts[term] as usize && holders[slot - 1] == number {
                        weights[slot - 1] += weight;
                    } else {
                        holders[slot] = number;
                        weights[slot] = weight;
                        next[term] += 1;
                    }
                }
            }
        }
        let saturate = |weight: &f32| (65_535.0 * weight / (K1 + weight)).round() as u16;
        Inverted {
            gains: weights.iter().map(saturate).collect(),
            starts,
            holders,
            docs: count,
            body_words: mean[2],
        }
    }

    /// How many words a body has on average, at least one.
    pub(crate) fn body_words(&self) -> f32 {
        self.body_words
    }

    pub(crate) fn docs(&self) -> usize {
        self.docs
    }

    fn range(&self, term: u32) -> Range<usize> {
        let term = term as usize;
        match self.starts.get(term..term + 2) {
            Some([start, end]) => *start as usize..*end as usize,
            _ => 0..0,
        }
    }

    /// How many memories hold a term.
    pub(crate) fn count(&self, term: u32) -> usize {
        self.range(term).len()
    }

    /// The memories that hold a term, and what it contributes to each, in units of its rarity.
    pub(crate) fn postings(&self, term: u32) -> impl Iterator<Item = (u32, f32)> + '_ {
        let range = self.range(term);
        let gains = self.gains[range.clone()].iter();
        let gains = gains.map(|gain| f32::from(*gain) * GAIN_STEP);
        self.holders[range].iter().copied().zip(gains)
    }

    /// What the term contributes to one memory.
    pub(crate) fn gain(&self, term: u32, doc: u32) -> f32 {
        let range = self.range(term);
        match self.holders[range.clone()].binary_search(&doc) {
            Ok(at) => f32::from(self.gains[range.start + at]) * GAIN_STEP,
            Err(_) => 0.0,
        }
    }

    /// How rare a term is that so many memories hold.
    #[expect(clippy::cast_precision_loss, reason = "at most 100,000 memories")]
    pub(crate) fn rarity(&self, holders: usize) -> f32 {
        let (all, holders) = (self.docs as f32, holders as f32);
        (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln()
    }

    /// How many bytes the postings take.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.starts.len() * 4 + self.holders.len() * 6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sentences of everyday length from a vocabulary in which, as in real texts, few words are
    /// frequent and many rare.
    fn body(seed: usize) -> String {
        let mut state = seed as u64 * 2 + 1;
        let mut text = String::new();
        for place in 0..120 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let chance = (state >> 33) % 1_000 + 1;
            let word = 8_000_000 / (chance * chance) % 20_000;
            text.push_str(&format!(
                "{}{word} ",
                ["con", "pro", "under"][word as usize % 3]
            ));
            if place % 12 == 11 {
                text.push('\n');
            }
        }
        text
    }

    #[test]
    fn the_index_takes_no_more_than_the_bodies() {
        let mut vocabulary = Vocabulary::new();
        let bodies: Vec<String> = (0..500).map(body).collect();
        let docs: Vec<Doc> = bodies
            .iter()
            .map(|body| Doc::read(&mut vocabulary, "name", "description", body))
            .collect();
        let index = Inverted::build(docs.iter(), vocabulary.len());
        let streams: usize = docs
            .iter()
            .map(|doc| doc.bytes.len() + size_of::<Doc>())
            .sum();
        let text: usize = bodies.iter().map(String::len).sum();
        assert!(
            index.bytes() + streams <= text,
            "{} + {streams} bytes for {text}",
            index.bytes()
        );
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
