//! What one sentence of an answer says.

use super::phrases::{self as p, Phrases};

/// What a sentence, or an answer, comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    Something,
    Nothing,
    Declines,
    GoesOn,
}

/// Longer sentences tell something, whatever they begin with. In words; our own choice.
const SENTENCE_WORDS: usize = 40;

/// The same for those that go on with the work.
const GOES_ON_WORDS: usize = 25;

/// The same for those that deny that there is a conversation.
const DENIAL_WORDS: usize = 14;

/// A sentence of more words is not made of phrases for nothing alone.
const EMPTY_WORDS: usize = 8;

/// How far behind the words that somebody cannot what it is stands. In words; our own choice.
const DEED_WORDS: usize = 7;

/// The same in German, where it stands at the end.
const DEED_WORDS_GERMAN: usize = 14;

/// The same on both sides where no spaces part words. In characters; our own choice.
const DEED_CHARS: usize = 12;

/// So many characters of scripts without spaces are one word. Our own choice.
const CHARS_PER_WORD: usize = 2;

/// The marks that open and close what is quoted.
pub(super) fn is_quote(c: char) -> bool {
    matches!(
        c,
        '"' | '“' | '”' | '„' | '«' | '»' | '「' | '」' | '『' | '』'
    )
}

/// In lower case, with straight apostrophes and single spaces, without marks around it.
pub(super) fn plain(text: &str) -> String {
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    let mut plain = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            '’' | '‘' | '`' | '´' => plain.push('\''),
            c if c.is_whitespace() => {
                if !plain.ends_with(' ') {
                    plain.push(' ');
                }
            }
            c => plain.push(c),
        }
    }
    plain
}

/// Words, where a script without spaces has two characters for one.
pub(super) fn words(text: &str) -> usize {
    let unspaced = text.chars().filter(|c| is_unspaced(*c)).count();
    text.split_whitespace().count() + unspaced / CHARS_PER_WORD
}

fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}')
}

/// What a sentence says; none if it has no word.
pub(super) fn sentence_says(sentence: &str) -> Option<Says> {
    let sentence = sentence.trim();
    // Somebody is quoted, so something is told.
    if sentence.starts_with(is_quote) && !sentence.ends_with(is_quote) {
        return Some(Says::Something);
    }
    let whole = plain(sentence);
    if whole.is_empty() {
        return None;
    }
    if is_placeholder(sentence) {
        return Some(Says::Nothing);
    }
    let count = words(&whole);
    if count > SENTENCE_WORDS {
        return Some(Says::Something);
    }
    if is_empty(&whole) || starts_with_any(&whole, &p::FAULTS) && count <= DENIAL_WORDS {
        return Some(Says::Nothing);
    }
    let (rest, is_sorry) = led(&whole);
    if rest.is_empty() {
        let says = match is_sorry {
            true => Says::Declines,
            false => Says::GoesOn,
        };
        return Some(says);
    }
    if is_heard(rest) {
        return Some(Says::GoesOn);
    }
    if is_empty(rest) || denies(rest) {
        return Some(Says::Nothing);
    }
    if declines(rest, is_sorry) {
        return Some(Says::Declines);
    }
    if goes_on(rest) {
        return Some(Says::GoesOn);
    }
    Some(talks(&whole).unwrap_or(Says::Something))
}

/// `[your summary]` and `<text>`: what somebody should have put something in place of.
fn is_placeholder(sentence: &str) -> bool {
    let sentence = sentence.trim_end_matches(['.', ',', ';']);
    let inner = |open: char, close: char| {
        let inner = sentence.strip_prefix(open)?.strip_suffix(close)?;
        (!inner.contains([open, close, '/'])).then_some(inner)
    };
    inner('[', ']').or(inner('<', '>')).is_some()
}

/// What a sentence comes to that has no word but those of talking; none if it has another.
fn talks(sentence: &str) -> Option<Says> {
    if sentence.contains(is_unspaced) {
        let mut rest = sentence.to_owned();
        for piece in p::TALK_PIECES.iter() {
            rest = rest.replace(piece, "");
        }
        return (!rest.contains(char::is_alphanumeric)).then_some(Says::GoesOn);
    }
    let words = sentence.split([' ', ',', ':', '/', '—']).map(bare);
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    if words.len() < 2 || !words.iter().all(|word| p::TALK.contains(word)) {
        return None;
    }
    Some(match words.iter().any(|word| p::TALK_NO.contains(word)) {
        true => Says::Declines,
        false => Says::GoesOn,
    })
}

fn starts_with_any(text: &str, all: &Phrases) -> bool {
    all.any(|start| starts_with_words(text, start).is_some())
}

/// What follows some whole words.
fn starts_with_words<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(start)?;
    let goes_on = |c: char| c.is_alphanumeric() || c == '-';
    let parted = !rest.starts_with(goes_on) || start.ends_with(is_unspaced);
    parted.then_some(rest)
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn is_empty(sentence: &str) -> bool {
    if sentence.contains(is_unspaced) {
        let mut rest = sentence.to_owned();
        for piece in p::EMPTY_PIECES.iter() {
            rest = rest.replace(piece, "");
        }
        return !rest.contains(char::is_alphanumeric);
    }
    only(sentence, &p::EMPTY)
}

/// Does it only say that somebody listens?
pub(super) fn is_heard(sentence: &str) -> bool {
    only(&plain(sentence), &p::HEARD)
}

fn only(sentence: &str, known: &Phrases) -> bool {
    let mut words = sentence
        .split([' ', ','])
        .map(bare)
        .filter(|word| !word.is_empty());
    let is_short = words.clone().count() <= EMPTY_WORDS;
    is_short && words.all(|word| known.contains(word))
}

/// Without the words that lead in, and whether they excuse something.
fn led(sentence: &str) -> (&str, bool) {
    let (mut rest, mut is_sorry) = (sentence, false);
    loop {
        let sorry = longest(rest, &p::SORRY);
        let parted = |behind: &str| {
            behind.trim_start().is_empty()
                || behind.starts_with([',', '.', '!', ':', ';', '，', '、', '！', '—', '–'])
                || behind.trim_start().starts_with(['—', '–', '!', ':'])
                || behind.starts_with(" - ")
        };
        let alas = longest(rest, &p::ALAS);
        let lead = longest(rest, &p::LEADS).filter(|behind| parted(behind));
        let then = longest(rest, &p::THEN).filter(|_| rest.len() < sentence.len());
        let Some(behind) = sorry.or(alas).or(lead).or(then) else {
            return (rest, is_sorry);
        };
        is_sorry |= sorry.is_some();
        rest = behind.trim_start_matches(|c: char| !c.is_alphanumeric() && !is_quote(c));
    }
}

fn longest<'a>(text: &'a str, starts: &Phrases) -> Option<&'a str> {
    let behind = starts
        .iter()
        .filter_map(|start| starts_with_words(text, start));
    behind.min_by_key(|rest| rest.len())
}

fn denies(sentence: &str) -> bool {
    let has = |word: &str| p::DENIED.contains(bare(word));
    words(sentence) <= DENIAL_WORDS
        && starts_with_any(sentence, &p::DENIES)
        && sentence.split(' ').any(has)
}

fn declines(sentence: &str, is_sorry: bool) -> bool {
    if starts_with_any(sentence, &p::REFUSES) {
        return true;
    }
    if sentence.contains(is_unspaced) {
        return declines_unspaced(sentence, is_sorry);
    }
    let german = longest(sentence, &p::CANNOT_GERMAN).filter(|rest| {
        let no = |word: &str| p::GERMAN_NO.contains(bare(word));
        rest.split(' ').any(no)
    });
    // Without somebody who cannot, what follows a colon tells what it is about.
    let is_told =
        !sentence.starts_with("i ") && !sentence.starts_with("i'") && sentence.contains(':');
    if is_told {
        return false;
    }
    let (rest, most) = match (longest(sentence, &p::CANNOT), german) {
        (Some(rest), _) => (rest, DEED_WORDS),
        (None, Some(rest)) => (rest, DEED_WORDS_GERMAN),
        (None, None) => return false,
    };
    if is_sorry {
        return true;
    }
    let starts = |word: &str, all: &Phrases| all.any(|start| word.starts_with(start));
    let close: Vec<&str> = rest
        .split(' ')
        .map(bare)
        .filter(|w| !w.is_empty())
        .collect();
    let close = &close[..close.len().min(most)];
    let deed = close.iter().any(|word| starts(word, &p::DEEDS));
    let about = |word: &&str| starts(word, &p::ABOUT);
    // In German what it is about stands before the deed.
    let is_before = ["das ", "dies"]
        .iter()
        .any(|start| sentence.starts_with(start));
    let last = rest.split(' ').next_back().map(bare);
    let is_about = close.iter().any(about)
        || german.is_some() && is_before
        || last.is_some_and(|last| p::THAT.contains(last));
    deed || (is_about && close.iter().any(|word| starts(word, &p::WEAK_DEEDS)))
}

fn declines_unspaced(sentence: &str, is_sorry: bool) -> bool {
    if sentence.contains(is_quote) {
        return false;
    }
    p::CANNOT_CJK.any(|cannot| {
        let Some((before, behind)) = sentence.split_once(cannot) else {
            return false;
        };
        // Where it is the end of a sentence, what follows tells of it.
        let is_end = cannot.ends_with(|c| is_unspaced(c) && !is_han(c));
        if is_end && behind.contains(char::is_alphanumeric) {
            return false;
        }
        let far = before.chars().count().saturating_sub(DEED_CHARS);
        let before: String = before.chars().skip(far).collect();
        let behind: String = behind.chars().take(DEED_CHARS).collect();
        is_sorry || p::DEEDS_CJK.any(|deed| before.contains(deed) || behind.contains(deed))
    })
}

fn goes_on(sentence: &str) -> bool {
    if words(sentence) > GOES_ON_WORDS {
        return false;
    }
    let starts = |start: &str| starts_with_words(sentence, start).is_some();
    let ends = |end: &str| sentence.ends_with(end);
    if !p::GOES_ON.any(starts) && !p::GOES_ON_ENDS.any(ends) {
        return false;
    }
    // What is announced may follow at once.
    let follows = sentence
        .split_once([':', '：'])
        .map(|(_, follows)| follows.trim());
    follows.is_none_or(|text| words(text) < 3 || goes_on(text))
}
