//! How much of a directory is gone after a run, and whether that is too much.

use std::collections::{HashMap, HashSet};

use super::options::LossLimits;
use super::report::{Fault, FaultReason, Loss, Share};

/// Bytes of text that may go from a small directory, if they are at most half of it. Ours: a few
/// lines worded anew are no loss to guard against.
const FREE_BYTES: u64 = 256;

/// Bytes of the lines of `before` that are nowhere in `after`, without the words that stand in new
/// lines: a line that was worded anew, or merged with another, has lost only the words that are
/// gone.
pub(super) fn lost_text<'a>(
    before: impl Iterator<Item = &'a str> + Clone,
    after: impl Iterator<Item = &'a str> + Clone,
) -> Share {
    let lines = |text: &'a str| text.lines().map(str::trim).filter(|line| !line.is_empty());
    let there: HashSet<&str> = after.clone().flat_map(lines).collect();
    let was: HashSet<&str> = before.clone().flat_map(lines).collect();
    let mut words: HashMap<&str, usize> = HashMap::new();
    let mut counted = HashSet::new();
    for line in after.flat_map(lines) {
        if !was.contains(line) && counted.insert(line) {
            for word in words_of(line) {
                *words.entry(word).or_default() += 1;
            }
        }
    }
    let mut share = Share::default();
    let mut gone = HashSet::new();
    for line in before.flat_map(lines) {
        share.of += line.len() as u64;
        // A line that stood there twice is gone once.
        if there.contains(line) || !gone.insert(line) {
            continue;
        }
        let mut kept = 0;
        let mut all = 0;
        for word in words_of(line) {
            all += word.len() as u64;
            if let Some(count) = words.get_mut(word).filter(|count| **count > 0) {
                *count -= 1;
                kept += word.len() as u64;
            }
        }
        // What stands between the words goes with them.
        share.lost += match all {
            0 => line.len() as u64,
            all => line.len() as u64 * (all - kept) / all,
        };
    }
    share
}

/// Words of scripts that separate them, and single characters of those that do not.
pub(super) fn words_of(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .flat_map(|word| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let first = rest.chars().next()?;
                let end = match is_whole(first) {
                    true => first.len_utf8(),
                    false => rest.find(is_whole).unwrap_or(rest.len()),
                };
                let (word, behind) = rest.split_at(end);
                rest = behind;
                Some(word)
            })
        })
}

/// Whether a character is as good as a word: kana, ideographs, hangul.
fn is_whole(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{3ffff}')
}

/// What is more than a run may take away.
pub(super) fn guard(loss: &Loss, limits: &LossLimits) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut push = |reason| {
        faults.push(Fault {
            file: String::new(),
            reason,
        });
    };
    let is_beyond = |share: Share, limit: u8, free: u64| {
        let limit = u64::from(limit.min(100));
        let most = share.of.saturating_mul(limit) / 100;
        // Nothing is free where nothing may go.
        let free = if limit == 0 { 0 } else { free };
        share.lost > most.max(free)
    };
    // One of several may always go, never the last.
    let one = |share: Share| u64::from(share.of > 1);
    if is_beyond(loss.files, limits.files, one(loss.files)) {
        push(FaultReason::LostFiles {
            share: loss.files,
            limit: limits.files,
        });
    }
    if is_beyond(loss.entries, limits.entries, one(loss.entries)) {
        push(FaultReason::LostEntries {
            share: loss.entries,
            limit: limits.entries,
        });
    }
    if is_beyond(loss.bytes, limits.bytes, FREE_BYTES.min(loss.bytes.of / 2)) {
        push(FaultReason::LostBytes {
            share: loss.bytes,
            limit: limits.bytes,
        });
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &[&str], after: &[&str], lost: u64) {
        let share = lost_text(before.iter().copied(), after.iter().copied());
        assert_eq!(share.lost, lost, "of {}", share.of);
    }

    #[test]
    fn text_that_moved_or_stood_there_twice_is_no_loss() {
        check(&["one\ntwo\n", "three\n"], &["two\n\n  three\none\n"], 0);
        check(&["one\none\n", "one\n"], &["one\n"], 0);
    }

    #[test]
    fn a_line_that_was_worded_anew_loses_the_words_that_are_gone() {
        check(&["deploy on friday\n"], &["On 2026-01-02 deploy\n"], 9);
        check(&["aaaa bbbb\n", "cccc dddd\n"], &["aaaa cccc\n"], 8);
        check(&["数据库在服务器上\n"], &["数据库在新服务器\n"], 3);
        // A word counts as often as it stands there.
        check(&["aaaa aaaa\n"], &["aaaa\n"], 4);
    }

    #[test]
    fn lines_that_are_gone_are_lost_with_all_their_bytes() {
        check(&["one\ntwo\n---\n"], &["one\n"], 6);
        check(&["one\n"], &[], 3);
    }
}
