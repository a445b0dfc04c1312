//! Cuts notes to their budget, section by section, so that none takes the room of the others.

use std::ops::Range;

use super::prompt;
use crate::tokens::Counter;

/// A section that was cut.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SectionCut {
    /// Its heading; empty for what stands before the first one.
    pub heading: String,
    /// What it had. In tokens.
    pub before: u64,
    /// What it has. In tokens.
    pub after: u64,
}

/// A section that is longer than it may be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SectionSize {
    /// Its heading; empty for all of them together.
    pub heading: String,
    /// What it has. In tokens.
    pub tokens: u64,
}

/// Sections over their budget, then all of them together, if they are.
pub(super) fn over_budget(
    text: &str,
    section: u64,
    total: u64,
    counter: &dyn Counter,
) -> Vec<SectionSize> {
    let mut over = Vec::new();
    let mut sum = 0_u64;
    for range in split(text) {
        let text = &text[range];
        let tokens = counter.text(text);
        sum = sum.saturating_add(tokens);
        if tokens > section {
            let heading = heading(text);
            over.push(SectionSize { heading, tokens });
        }
    }
    if sum > total {
        let heading = String::new();
        over.push(SectionSize {
            heading,
            tokens: sum,
        });
    }
    over
}

fn heading(section: &str) -> String {
    let first = section.lines().next().unwrap_or_default();
    let heading = first.strip_prefix("# ").unwrap_or_default();
    heading.trim().chars().take(80).collect()
}

/// No token has more bytes than this, as far as text goes that anybody would keep.
const MAX_TOKEN_BYTES: u64 = 64;

/// The notes within both budgets, in tokens, and what was cut for it.
pub(crate) fn fit(
    text: &str,
    path: Option<&str>,
    section: u64,
    total: u64,
    counter: &dyn Counter,
) -> (String, Vec<SectionCut>) {
    let sections: Vec<&str> = split(text).into_iter().map(|range| &text[range]).collect();
    let sizes: Vec<u64> = sections.iter().map(|text| counter.text(text)).collect();
    let allowance = level(&sizes, section, total);
    let mut fitted = String::new();
    let mut cuts = Vec::new();
    for (text, before) in sections.into_iter().zip(sizes) {
        if before <= allowance {
            fitted.push_str(text);
            continue;
        }
        let short = cut(text, path, allowance, counter);
        cuts.push(SectionCut {
            heading: heading(text),
            before,
            after: counter.text(&short),
        });
        fitted.push_str(&short);
    }
    // So many sections that their marks alone are too much.
    let before = counter.text(&fitted);
    if before > total.saturating_add(total / 8) {
        let end = head_of(&fitted, total, counter).len();
        fitted.truncate(end);
        fitted.push('\n');
        fitted.push_str(&prompt::cut(text_lines(text, end), path));
        cuts.push(SectionCut {
            heading: String::new(),
            before,
            after: counter.text(&fitted),
        });
    }
    (fitted, cuts)
}

fn text_lines(text: &str, from: usize) -> usize {
    text.bytes()
        .skip(from)
        .filter(|byte| *byte == b'\n')
        .count()
}

/// Sections begin at headings of the first level, outside of fences.
fn split(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    let mut at = 0;
    let mut fence = None;
    for line in text.split_inclusive('\n') {
        if fence.is_none() && line.starts_with("# ") && at > start {
            ranges.push(start..at);
            start = at;
        }
        fence = fenced(fence, line);
        at += line.len();
    }
    if at > start {
        ranges.push(start..at);
    }
    ranges
}

/// The fence that is open behind the line.
pub(super) fn fenced(open: Option<&'static str>, line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    match open {
        Some(fence) if line.starts_with(fence) => None,
        Some(fence) => Some(fence),
        None => ["```", "~~~"].into_iter().find(|f| line.starts_with(f)),
    }
}

/// How much each section may have: at most `section`, and so much less that all together have at
/// most `total`. Short ones leave their room to the others.
fn level(sizes: &[u64], section: u64, total: u64) -> u64 {
    let mut sorted: Vec<u64> = sizes.iter().map(|size| (*size).min(section)).collect();
    sorted.sort_unstable();
    let mut left = total;
    for (at, size) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - at) as u64;
        if *size > share {
            return share;
        }
        left -= size;
    }
    section
}

/// The head of a section: whole lines while they fit, then a mark.
fn cut(text: &str, path: Option<&str>, budget: u64, counter: &dyn Counter) -> String {
    let lines = text.lines().count();
    // The mark, an end of a fence, and what adding up line by line rounds.
    let room = budget.saturating_sub(counter.text(&prompt::cut(lines, path)).saturating_add(8));
    let mut kept = 0;
    let mut used = 0_u64;
    let mut end = 0;
    let mut fence = None;
    for line in text.split_inclusive('\n') {
        let size = if line.len() as u64 > room.saturating_mul(MAX_TOKEN_BYTES) {
            u64::MAX
        } else {
            counter.text(line)
        };
        if used.saturating_add(size) > room {
            break;
        }
        used += size;
        end += line.len();
        kept += 1;
        fence = fenced(fence, line);
    }
    let mut short = text[..end].to_owned();
    let mut left_out = lines - kept;
    // A section of one long line would lose everything.
    if kept <= 1 {
        let rest = text[end..].lines().next().unwrap_or_default();
        let part = head_of(rest, room - used, counter);
        if !part.is_empty() {
            short.push_str(part);
            short.push('\n');
            left_out = left_out.saturating_sub(1);
        }
    }
    if let Some(fence) = fence {
        short.push_str(fence);
        short.push('\n');
    }
    short.push_str(&prompt::cut(left_out, path));
    short.push_str("\n\n");
    short
}

/// The longest beginning that fits, found by halving.
pub(crate) fn head_of<'a>(text: &'a str, budget: u64, counter: &dyn Counter) -> &'a str {
    let boundary = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let most = usize::try_from(budget.saturating_mul(MAX_TOKEN_BYTES)).unwrap_or(usize::MAX);
    let (mut fits, mut beyond) = (0, text.len().min(most) + 1);
    while beyond - fits > 1 {
        let middle = fits + (beyond - fits) / 2;
        if counter.text(&text[..boundary(middle)]) <= budget {
            fits = middle;
        } else {
            beyond = middle;
        }
    }
    &text[..boundary(fits)]
}
