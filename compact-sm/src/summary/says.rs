//! Does an answer say anything of a conversation? Refusals, phrases for nothing, and words that go
//! on with the work would take the place of all of it.
//!
//! A summary is judged by all of its sentences: one that tells something is enough, unless a short
//! answer begins by refusing. What is quoted, and what is told of others, tells something.

use super::prompt::is_asked;
use super::sentence::{Says, is_heard, is_quote, plain, sentence_says, words};

/// How much of an answer is judged. 16 KiB, in bytes; our own choice, more than any refusal has.
const JUDGED_BYTES: usize = 16 << 10;

/// An answer that begins by refusing is a refusal if it has no more than these; a longer one went
/// on to summarize. In words; our own choice.
const REFUSAL_WORDS: usize = 80;

/// So many of the headings that were asked for make the form. In items; our own choice.
const HEADINGS: usize = 3;

/// What stands under how many headings, by their beginnings.
const TITLES: [&str; 11] = [
    "primary request and intent",
    "key technical concepts",
    "files and code sections",
    "errors and fixes",
    "problem solving",
    "all user messages",
    "pending tasks",
    "current work",
    "optional next step",
    "work completed",
    "context for continuing",
];

/// Are so many of the headings there that it is the form that was asked for?
pub(super) fn has_sections(text: &str) -> bool {
    let titles = text.lines().filter(|line| {
        let (line, _) = unlisted(line);
        is_title(&plain(line.split([':', '：']).next().unwrap_or_default()))
    });
    titles.take(HEADINGS).count() == HEADINGS
}

/// Is a text made of phrases for nothing, or a refusal?
pub(crate) fn says_nothing(text: &str) -> bool {
    text.contains(char::is_alphanumeric) && matches!(says(text), Says::Nothing | Says::Declines)
}

/// What a text says. Linear.
pub(super) fn says(text: &str) -> Says {
    let text = unquoted(beginning(text));
    let mut seen: Option<Says> = None;
    let mut refused = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") || is_asked(line.trim()) {
            continue;
        }
        let Some((rest, is_section)) = content(line) else {
            continue;
        };
        for sentence in sentences(rest) {
            let says = match sentence_says(sentence) {
                // What is listed under a heading may be just done.
                Some(Says::GoesOn) if is_section && is_heard(sentence) => Says::Something,
                Some(says) => says,
                None => continue,
            };
            match (says, seen) {
                (Says::Something, _) if refused => {}
                (Says::Something, _) => return Says::Something,
                (Says::Declines, None | Some(Says::GoesOn)) => {
                    refused = words(text) <= REFUSAL_WORDS && !has_sections(text);
                    seen = Some(Says::Declines);
                }
                (Says::GoesOn, None | Some(Says::Nothing)) => seen = Some(Says::GoesOn),
                (_, None) => seen = Some(says),
                (Says::Declines, Some(_)) => seen = Some(Says::Declines),
                _ => {}
            }
        }
    }
    seen.unwrap_or(Says::Nothing)
}

/// As much of a text as is judged, in whole sentences if there are any.
fn beginning(text: &str) -> &str {
    let head = super::head(text, JUDGED_BYTES);
    let end = head.rfind(['\n', '.', '!', '?', '。', '！', '？']);
    match end {
        Some(end) if head.len() < text.len() => &head[..end],
        _ => head,
    }
}

/// A text as a whole in quotes is what it quotes.
fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = text
        .strip_prefix(is_quote)
        .and_then(|text| text.strip_suffix(is_quote));
    inner
        .filter(|inner| !inner.contains(is_quote))
        .unwrap_or(text)
}

/// Without the mark of a list or heading, and what kind it was.
fn unlisted(line: &str) -> (&str, bool) {
    let line = line.trim();
    let bare = line.trim_start_matches(['#', '>', '*', '-', '+', '•', '_', ' ']);
    let number = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = number.len() < bare.len();
    match number.strip_prefix(['.', ')', '、', '．', ':']) {
        Some(rest) if numbered => (rest.trim_start(), true),
        _ => {
            let marks = &line[..line.len() - bare.len()];
            (bare, marks.contains('#') || marks.contains("**"))
        }
    }
}

/// What a line has beside its heading, and whether there is one; none if there is nothing else.
fn content(line: &str) -> Option<(&str, bool)> {
    let (rest, is_titled) = unlisted(line);
    if rest.is_empty() {
        return None;
    }
    if !is_titled {
        return Some((rest, false));
    }
    if let Some((title, rest)) = rest.split_once([':', '：']) {
        let is_short = title.chars().count() <= 60;
        return match (is_short, rest.contains(char::is_alphanumeric)) {
            (true, true) => Some((rest, true)),
            (true, false) => None,
            (false, _) => Some((line, false)),
        };
    }
    let is_heading = line.trim_start().starts_with('#') || is_title(&plain(rest));
    (!is_heading).then_some((rest, true))
}

/// One of the headings, or its beginning where an answer was cut off.
fn is_title(plain: &str) -> bool {
    const SHORTEST: usize = 12;
    let is_it = |title: &str| plain.len() >= SHORTEST && title.starts_with(plain);
    TITLES.iter().any(|title| *title == plain || is_it(title))
}

/// The sentences of a line.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let mut chars = rest.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|(_, next)| *next);
            let ends = match c {
                '。' | '！' | '？' | '；' => true,
                '.' | '!' | '?' | ';' | '…' => {
                    next.is_none_or(|n| n.is_whitespace() || is_quote(n))
                }
                _ => false,
            };
            // The quote that a sentence ends in belongs to it.
            if ends && !next.is_some_and(is_quote) {
                let (sentence, behind) = rest.split_at(at + c.len_utf8());
                rest = behind;
                return Some(sentence);
            }
        }
        Some(std::mem::take(&mut rest))
    })
}
