//! From text to terms: words of any script, parts of identifiers, pairs of CJK characters.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

use super::stop;

/// The longest word that is a term, in bytes; what is longer (base64, minified code) says nothing.
pub(crate) const MAX_WORD_BYTES: usize = 64;

/// What the splitter hands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// One word in lower case, not yet stemmed.
    Word(&'a str),
    /// Parts that were written as one (`getUserName`, `time-out`), joined; stands beside its
    /// parts.
    Compound(&'a str),
    /// Two adjacent characters of a script without spaces.
    Pair(&'a str),
    /// One character of such a script; stands beside the pairs.
    Single(&'a str),
    /// The same character again, if no neighbor makes a pair with it.
    Lone(&'a str),
    /// A line ended.
    LineEnd,
}

/// Splits a text and hands on its pieces in order.
pub(crate) fn split(text: &str, mut sink: impl FnMut(Piece<'_>)) {
    let mut scratch = Scratch::default();
    for line in text.lines() {
        if line.is_ascii() {
            ascii_line(line, &mut scratch, &mut sink);
        } else if line.chars().all(is_plain) {
            // Nothing to normalize, and no boundary that the class of characters does not tell.
            cut(line, std::iter::once((0, line)), &mut scratch, &mut sink);
        } else {
            normalized(line, &mut scratch, &mut sink);
        }
        sink(Piece::LineEnd);
    }
}

#[derive(Default)]
struct Scratch {
    word: String,
    joined: String,
    /// Parts so far, whether all of them are in `joined`, and where the last one ended in the line.
    parts: usize,
    is_whole: bool,
    end: usize,
}

impl Scratch {
    /// A word that was written in the line at `start..start + len`.
    fn word(&mut self, line: &str, start: usize, written: &str, sink: &mut impl FnMut(Piece<'_>)) {
        if !self.continues(line, start) {
            self.flush(sink);
        }
        let mut rest = written;
        while !rest.is_empty() {
            let (part, next) = rest.split_at(part_len(rest));
            self.part(part, sink);
            rest = next;
        }
        self.end = start + written.len();
    }

    fn part(&mut self, part: &str, sink: &mut impl FnMut(Piece<'_>)) {
        self.word.clear();
        if part.is_ascii() {
            self.word.push_str(part);
            self.word.make_ascii_lowercase();
        } else {
            fold(part, &mut self.word);
        }
        // A lower-case letter alone is an option of a command or the rest of a contraction.
        let is_letter = part.len() == 1 && part.as_bytes()[0].is_ascii_lowercase();
        if self.word.len() <= MAX_WORD_BYTES && !is_letter {
            sink(Piece::Word(&self.word));
        }
        self.is_whole = (self.is_whole || self.parts == 0)
            && self.joined.len() + self.word.len() <= MAX_WORD_BYTES;
        if self.is_whole {
            self.joined.push_str(&self.word);
        }
        self.parts += 1;
    }

    /// Whether a word at `start` goes on with the compound: nothing, or one joining sign between.
    fn continues(&self, line: &str, start: usize) -> bool {
        self.parts > 0 && matches!(&line[self.end..start], "" | "_" | "-")
    }

    fn flush(&mut self, sink: &mut impl FnMut(Piece<'_>)) {
        if self.parts > 1 && self.is_whole {
            sink(Piece::Compound(&self.joined));
        }
        self.joined.clear();
        self.parts = 0;
    }
}

/// The length of the first part of a word: up to a change from lower to upper case, or to the
/// last capital before a lower-case letter (`HTTPServer` is `HTTP` and `Server`).
fn part_len(word: &str) -> usize {
    let mut chars = word.char_indices().peekable();
    let Some((_, mut previous)) = chars.next() else {
        return 0;
    };
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        if c.is_uppercase()
            && (previous.is_lowercase()
                || previous.is_uppercase() && next.is_some_and(char::is_lowercase))
        {
            return at;
        }
        previous = c;
    }
    word.len()
}

fn ascii_line(line: &str, scratch: &mut Scratch, sink: &mut impl FnMut(Piece<'_>)) {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && bytes[at].is_ascii_alphanumeric() {
            at += 1;
        }
        scratch.word(line, start, &line[start..at], sink);
    }
    scratch.flush(sink);
    scratch.end = 0;
}

fn normalized(line: &str, scratch: &mut Scratch, sink: &mut impl FnMut(Piece<'_>)) {
    let line: String = line.nfkc().collect();
    cut(&line, line.unicode_word_indices(), scratch, sink);
}

/// Cuts the words of a line, each with where it begins, into pieces.
fn cut<'l>(
    line: &'l str,
    words: impl Iterator<Item = (usize, &'l str)>,
    scratch: &mut Scratch,
    sink: &mut impl FnMut(Piece<'_>),
) {
    // The run of unspaced characters that is being collected, across word boundaries.
    let mut run = 0..0;
    for (at, word) in words {
        // A word of this segmentation may hold dots, apostrophes, underscores, and two scripts
        // (`API를`): cut where the class changes.
        let mut start = at;
        let mut class = Class::Other;
        for (offset, c) in word.char_indices().chain([(word.len(), ' ')]) {
            let next = Class::of(c, class);
            if next == class && offset < word.len() {
                continue;
            }
            let end = at + offset;
            match class {
                Class::Spaced if start < end => {
                    unspaced_run(&line[std::mem::replace(&mut run, end..end)], sink);
                    scratch.word(line, start, &line[start..end], sink);
                }
                Class::Unspaced if start < end => {
                    scratch.flush(sink);
                    if run.end != start {
                        unspaced_run(&line[std::mem::replace(&mut run, start..start)], sink);
                    }
                    run.end = end;
                }
                _ => {}
            }
            start = end;
            class = next;
        }
    }
    unspaced_run(&line[run], sink);
    scratch.flush(sink);
    scratch.end = 0;
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Spaced,
    Unspaced,
    Other,
}

impl Class {
    fn of(c: char, before: Class) -> Class {
        if c.is_ascii_alphanumeric() {
            Class::Spaced
        } else if is_unified(c) {
            Class::Unspaced
        } else if is_combining_mark(c) {
            before
        } else if is_unspaced(c) {
            Class::Unspaced
        } else if c.is_alphanumeric() {
            Class::Spaced
        } else {
            Class::Other
        }
    }
}

/// Characters of a script without spaces, between function words: each alone, and each pair.
fn unspaced_run(run: &str, sink: &mut impl FnMut(Piece<'_>)) {
    let mut at = 0;
    // Where the stretch between two function words began, and its last character.
    let mut stretch = 0;
    let mut previous: Option<usize> = None;
    while let Some(c) = run[at..].chars().next() {
        let end = at + c.len_utf8();
        let skip = stop::cjk_prefix(&run[at..]);
        if skip > 0 || !(is_unified(c) || c.is_alphanumeric() || is_combining_mark(c)) {
            lone(run, stretch, previous, sink);
            at += skip.max(c.len_utf8());
            stretch = at;
            previous = None;
            continue;
        }
        if let Some(previous) = previous {
            sink(Piece::Pair(&run[previous..end]));
        }
        sink(Piece::Single(&run[at..end]));
        previous = Some(at);
        at = end;
    }
    lone(run, stretch, previous, sink);
}

/// A stretch of one character has no pair to stand for it.
fn lone(run: &str, stretch: usize, last: Option<usize>, sink: &mut impl FnMut(Piece<'_>)) {
    if last == Some(stretch) {
        let end = stretch + run[stretch..].chars().next().map_or(0, char::len_utf8);
        sink(Piece::Lone(&run[stretch..end]));
    }
}

/// Most Han characters; all of these have one form and are letters.
fn is_unified(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

/// What most Chinese lines are made of: ASCII, Han characters, and the signs between these.
fn is_plain(c: char) -> bool {
    c.is_ascii()
        || is_unified(c)
        || matches!(
            c,
            '，' | '。' | '、' | '：' | '；' | '？' | '！' | '（' | '）'
        )
        || matches!(
            c,
            '“' | '”' | '—' | '…' | '《' | '》' | '「' | '」' | '【' | '】'
        )
}

/// Whether a character belongs to a script that is written without spaces, or, as Hangul, with
/// particles joined to words.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0e00..=0x0eff      // Thai, Lao
        | 0x1000..=0x109f    // Myanmar
        | 0x1100..=0x11ff    // Hangul jamo
        | 0x1780..=0x17ff    // Khmer
        | 0x3040..=0x30ff    // kana
        | 0x3130..=0x318f    // Hangul compatibility jamo
        | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff // Han
        | 0xac00..=0xd7af    // Hangul syllables
    ) || c == '々'
}

/// Whether a term is made of characters of such a script.
pub(crate) fn is_pair(term: &str) -> bool {
    term.chars().all(is_unspaced)
}

/// Whether a text is made of Han characters alone. There are thousands of them, so that a pair is
/// found by its two characters as quickly as by an entry of its own; of letters there are few.
pub(crate) fn is_han(text: &str) -> bool {
    text.chars().all(|c| {
        matches!(u32::from(c),
            0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
    })
}

/// The two characters of a pair of Han characters.
pub(crate) fn han_pair(term: &str) -> Option<(&str, &str)> {
    let pair = term.split_at(term.chars().next()?.len_utf8());
    (pair.1.chars().count() == 1 && is_han(term)).then_some(pair)
}

/// Lower case, and letters without their marks where these only say how they sound.
fn fold(word: &str, into: &mut String) {
    let mut base = ' ';
    for c in word.nfd() {
        if !is_combining_mark(c) {
            base = c;
            into.extend(c.to_lowercase());
        } else if c == BREVE && matches!(base, 'и' | 'И') {
            into.pop();
            into.push('й');
        } else if !is_accented(base) {
            into.push(c);
        }
    }
}

/// The mark that makes `й` of `и`: it is a letter of its own, which the endings of words have.
const BREVE: char = '\u{306}';

/// Whether marks on a letter may be left out: in Latin, Greek, Cyrillic, Hebrew and Arabic. In
/// scripts of India they are vowels.
fn is_accented(base: char) -> bool {
    matches!(u32::from(base), 0x00..=0x24f | 0x370..=0x6ff | 0x1e00..=0x1fff)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::lexical::stems::Stems;

    /// Pieces as they are written in a debugger.
    fn pieces(split: impl FnOnce(&mut Scratch, &mut dyn FnMut(Piece<'_>))) -> Vec<String> {
        let mut pieces = Vec::new();
        let mut sink = |piece: Piece<'_>| pieces.push(format!("{piece:?}"));
        split(&mut Scratch::default(), &mut sink);
        pieces
    }

    #[test]
    fn unified_characters_are_letters_with_one_form() {
        for c in (char::MIN..=char::MAX).filter(|c| is_unified(*c)) {
            assert!(
                c.is_alphanumeric() && is_unspaced(c) && !is_combining_mark(c),
                "{c}"
            );
            assert!([c].into_iter().nfkc().eq([c]), "{c}");
        }
    }

    fn plain() -> impl Strategy<Value = String> {
        let plain: Vec<char> = (char::MIN..=char::MAX).filter(|c| is_plain(*c)).collect();
        let signs: Vec<char> = plain.iter().copied().filter(|c| !is_unified(*c)).collect();
        let c = prop_oneof![
            3 => prop::sample::select(signs),
            1 => prop::sample::select(plain),
            4 => prop::sample::select("数据的是怎么aB3_-.:'".chars().collect::<Vec<_>>()),
        ];
        prop::collection::vec(c, 0..24).prop_map(|line| line.into_iter().collect())
    }

    proptest! {
        #[test]
        fn no_term_is_empty(text in "(\\PC|[\u{620}-\u{64a}]|\u{fe71}|и|\u{306}|_|-){0,12}") {
            let stems = Stems::new();
            split(&text, |piece| {
                let term = match piece {
                    Piece::Word(word) | Piece::Compound(word) => stems.stem(word),
                    Piece::Pair(text) | Piece::Single(text) | Piece::Lone(text) => text.into(),
                    Piece::LineEnd => return,
                };
                assert!(!term.is_empty(), "{text:?} {piece:?}");
            });
        }

        #[test]
        fn plain_lines_are_split_as_others(line in plain()) {
            let plain = pieces(|scratch, mut sink| {
                cut(&line, std::iter::once((0, &*line)), scratch, &mut sink);
            });
            let other = pieces(|scratch, mut sink| normalized(&line, scratch, &mut sink));
            prop_assert_eq!(&plain, &other);
            if line.is_ascii() {
                let ascii = pieces(|scratch, mut sink| ascii_line(&line, scratch, &mut sink));
                prop_assert_eq!(&ascii, &other);
            }
        }
    }
}
