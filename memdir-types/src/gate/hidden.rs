//! Characters that a person does not see and a model reads.
//!
//! Nearly all of them have an honest use: a joiner holds an emoji or a Persian word together, a
//! mark puts punctuation on the right side of Hebrew. So each is judged by its neighbors. What no
//! script needs is always a finding.

use std::ops::Range;

use super::{GateRule, Severity};

/// How many characters around a direction mark are searched for a right-to-left letter: a mark
/// may stand at the start of a Hebrew line that begins with an English command.
const MARK_REACH: usize = 64;

/// So many stray variation selectors are what careless copying leaves behind. More, one behind
/// each letter, spell a message.
const MAX_STRAY_SELECTORS: usize = 8;

/// The most letters and digits between a black flag and the end of its tag sequence: the
/// longest code of a region is two letters for the country and three for the part, plus one to
/// spare.
const MAX_FLAG_TAGS: usize = 6;

/// All hidden places of a text from `start` on, neighbors of one rule joined, at most `limit` of
/// either severity: no number of warnings hides an error.
pub(super) fn find(
    text: &str,
    start: usize,
    limit: usize,
) -> Vec<(GateRule, Severity, Range<usize>)> {
    let mut found: Vec<(GateRule, Severity, Range<usize>)> = Vec::new();
    let mut skip_to = start;
    let (mut errors, mut warnings, mut strays) = (0, 0, 0);
    for (at, c) in text.char_indices() {
        if at < skip_to || is_harmless(c) {
            continue;
        }
        if c == '\u{1f3f4}' {
            skip_to = at + flag_length(&text[at..]);
            continue;
        }
        let end = at + c.len_utf8();
        let Some((rule, mut severity)) = judge(c, &text[..at], &text[end..]) else {
            continue;
        };
        if (rule, severity) == (GateRule::VariationSelector, Severity::Warning) {
            strays += 1;
            if strays > MAX_STRAY_SELECTORS {
                severity = Severity::Error;
            }
        }
        if let Some((last_rule, last_severity, range)) = found.last_mut()
            && (*last_rule, *last_severity, range.end) == (rule, severity, at)
        {
            range.end = end;
            continue;
        }
        let count = match severity {
            Severity::Error => &mut errors,
            Severity::Warning => &mut warnings,
        };
        if *count < limit {
            *count += 1;
            found.push((rule, severity, at..end));
        } else if severity == Severity::Error {
            break;
        }
    }
    found
}

/// The quick way past almost every character.
fn is_harmless(c: char) -> bool {
    matches!(c, ' '..='~' | '\n' | '\t' | '\r' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{34e}')
}

/// Whether a character has no visible form of its own.
pub(super) fn is_hidden(c: char) -> bool {
    rule_of(c).is_some()
}

/// The rule that a character falls under, whatever its neighbors are.
fn rule_of(c: char) -> Option<GateRule> {
    Some(match c {
        '\t' | '\n' | '\r' => return None,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => GateRule::Control,
        '\u{ad}' => GateRule::SoftHyphen,
        '\u{34f}' => GateRule::Invisible,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            GateRule::Bidirectional
        }
        '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}'
        | '\u{2800}' => GateRule::Filler,
        '\u{180b}'..='\u{180d}'
        | '\u{180f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{e0100}'..='\u{e01ef}' => GateRule::VariationSelector,
        '\u{200b}'..='\u{200d}' | '\u{180e}' | '\u{2060}' | '\u{feff}' => GateRule::ZeroWidth,
        '\u{2028}' | '\u{2029}' => GateRule::LineBreak,
        '\u{2061}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{fff0}'..='\u{fff8}'
        | '\u{13430}'..='\u{1343f}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d159}'
        | '\u{1d173}'..='\u{1d17a}' => GateRule::Invisible,
        '\u{fff9}'..='\u{fffb}' => GateRule::Annotation,
        // The whole plane part is set aside for characters that are not shown.
        '\u{e0000}'..='\u{e0fff}' => GateRule::Tag,
        // These will never be characters.
        '\u{fdd0}'..='\u{fdef}' => GateRule::Invisible,
        c if u32::from(c) & 0xfffe == 0xfffe => GateRule::Invisible,
        _ => return None,
    })
}

/// Whether a hidden character has no reason to be where it is.
fn judge(c: char, before: &str, after: &str) -> Option<(GateRule, Severity)> {
    let rule = rule_of(c)?;
    let previous = before.chars().next_back();
    let next = after.chars().next();
    let is = |c: Option<char>, test: fn(char) -> bool| c.is_some_and(test);
    let error = Some((rule, Severity::Error));
    let warning = Some((rule, Severity::Warning));
    match c {
        '\u{ad}' => {
            let in_word = is(previous, char::is_alphabetic) && is(next, char::is_alphabetic);
            if in_word { warning } else { error }
        }
        '\u{34f}' => {
            let calls = |c: Option<char>| is(c, is_combining) || is(c, is_right_to_left);
            if calls(previous) || calls(next) {
                None
            } else {
                error
            }
        }
        '\u{61c}' | '\u{200e}' | '\u{200f}' => {
            let alone = !is(previous, is_mark) && !is(next, is_mark);
            // Between two letters that run from left to right, it has nothing to do.
            let forward = |c: Option<char>| is(c, |c| c.is_alphanumeric() && !is_right_to_left(c));
            let in_word = forward(previous) && forward(next);
            if alone && !in_word && has_right_to_left_near(before, after) {
                None
            } else {
                error
            }
        }
        '\u{115f}' | '\u{1160}' => {
            let jamo = |c: Option<char>| {
                is(c, |c| {
                    matches!(c, '\u{1100}'..='\u{115e}' | '\u{1161}'..='\u{11ff}'
                        | '\u{a960}'..='\u{a97c}' | '\u{d7b0}'..='\u{d7fb}')
                })
            };
            if jamo(previous) || jamo(next) {
                None
            } else {
                error
            }
        }
        '\u{17b4}' | '\u{17b5}' => {
            if is(previous, |c| matches!(c, '\u{1780}'..='\u{17b3}')) {
                None
            } else {
                error
            }
        }
        '\u{2800}' => {
            let braille = |c: Option<char>| is(c, |c| matches!(c, '\u{2801}'..='\u{28ff}'));
            if braille(previous) || braille(next) {
                None
            } else {
                error
            }
        }
        '\u{180b}'..='\u{180f}' => {
            if is(previous, |c| matches!(c, '\u{1820}'..='\u{18aa}')) {
                None
            } else {
                error
            }
        }
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {
            if takes_selector(previous, c, next) {
                None
            } else if matches!(c, '\u{fe0e}' | '\u{fe0f}')
                && is(previous, |c| !is_hidden(c) && !c.is_whitespace())
            {
                // One stray selector is what careless copying leaves behind. It says nothing.
                warning
            } else {
                error
            }
        }
        '\u{200b}' => {
            let called = is(previous, writes_without_spaces) || is(next, writes_without_spaces);
            if called && !is(previous, is_hidden) && !is(next, is_hidden) {
                None
            } else {
                error
            }
        }
        '\u{200c}' | '\u{200d}' => {
            let emoji = c == '\u{200d}' && joins_emoji(before, next);
            let script = (is(previous, joins_letters) && !is(next, is_hidden))
                || (is(next, joins_letters) && !is(previous, is_hidden));
            if emoji || script { None } else { error }
        }
        '\u{13430}'..='\u{1343f}' => {
            let glyph = |c: char| matches!(c, '\u{13000}'..='\u{1345f}');
            if is(previous, glyph) && is(next, glyph) {
                None
            } else {
                error
            }
        }
        '\u{2028}' | '\u{2029}' => warning,
        _ => error,
    }
}

/// Length of a black flag and its tag sequence, or of the flag alone if the sequence is not one.
fn flag_length(text: &str) -> usize {
    let flag = '\u{1f3f4}'.len_utf8();
    let mut tags = 0;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}' if tags < MAX_FLAG_TAGS => {
                tags += 1;
            }
            '\u{e007f}' if tags >= 3 => return at + c.len_utf8(),
            _ => break,
        }
    }
    flag
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}')
}

/// Whether a right-to-left letter stands near on the same line.
fn has_right_to_left_near(before: &str, after: &str) -> bool {
    let here = |c: &char| *c != '\n';
    before
        .chars()
        .rev()
        .take(MARK_REACH)
        .take_while(here)
        .chain(after.chars().take(MARK_REACH).take_while(here))
        .any(|c| is_right_to_left(c) && !is_hidden(c))
}

fn is_right_to_left(c: char) -> bool {
    matches!(c,
        '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

pub(super) fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{34e}' | '\u{350}'..='\u{36f}' | '\u{483}'..='\u{489}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}')
}

/// Scripts whose letters change shape with their neighbors, so that joiners have work to do.
fn joins_letters(c: char) -> bool {
    !is_hidden(c)
        && !c.is_whitespace()
        && matches!(c,
            '\u{600}'..='\u{8ff}'          // Arabic, Syriac, N'Ko, Mandaic
            | '\u{900}'..='\u{dff}'        // the scripts of India and Sri Lanka
            | '\u{f00}'..='\u{109f}'       // Tibetan, Burmese
            | '\u{1700}'..='\u{18af}'      // Philippine scripts, Khmer, Mongolian
            | '\u{1900}'..='\u{1aaf}' | '\u{1b00}'..='\u{1c4f}' | '\u{1cd0}'..='\u{1cff}'
            | '\u{a800}'..='\u{a8ff}' | '\u{a930}'..='\u{a9df}' | '\u{aa00}'..='\u{aaff}'
            | '\u{abc0}'..='\u{abff}'
            | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
            | '\u{10a00}'..='\u{10aff}' | '\u{10d00}'..='\u{10d3f}' | '\u{10f00}'..='\u{10fff}'
            | '\u{11000}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}')
}

/// Scripts without spaces between words, where a zero-width space marks a place to break.
fn writes_without_spaces(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17b3}'
        | '\u{17b6}'..='\u{17ff}' | '\u{1950}'..='\u{19df}' | '\u{1a20}'..='\u{1aaf}'
        | '\u{1b00}'..='\u{1b7f}' | '\u{a980}'..='\u{a9ff}' | '\u{aa60}'..='\u{aadf}')
}

/// Whether a joiner stands between two emoji, each of which may carry a selector or a skin tone.
fn joins_emoji(before: &str, next: Option<char>) -> bool {
    let base = before
        .chars()
        .rev()
        .take(3)
        .find(|c| !matches!(c, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}'));
    base.is_some_and(is_emoji) && next.is_some_and(is_emoji)
}

/// Characters with an emoji form. The ranges are wider than the property, which gains a few
/// members each year.
fn is_emoji(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{24c2}'
        | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1faff}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' | '\u{3005}' | '\u{3007}')
}

/// Whether a variation selector means something after this character.
fn takes_selector(previous: Option<char>, selector: char, next: Option<char>) -> bool {
    let Some(base) = previous else { return false };
    match selector {
        '\u{fe0e}' | '\u{fe0f}' => {
            is_emoji(base) || (matches!(base, '0'..='9' | '#' | '*') && next == Some('\u{20e3}'))
        }
        '\u{fe00}'..='\u{fe02}' => {
            is_ideograph(base)
                || matches!(base,
                    '\u{2200}'..='\u{22ff}' | '\u{2a00}'..='\u{2aff}' | '\u{1000}'..='\u{109f}'
                    | '\u{a840}'..='\u{a877}' | '\u{3001}' | '\u{3002}' | '\u{ff01}'..='\u{ff1f}')
        }
        // No ideograph has more registered forms than these. A selector for each byte that there
        // is would make a carrier of every one.
        '\u{e0100}'..='\u{e011f}' => is_ideograph(base),
        _ => false,
    }
}
