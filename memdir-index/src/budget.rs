//! Advice for an index near its caps: what would stop loading, and what to shorten or merge.

use std::collections::BTreeMap;
use std::fmt;

use crate::strip::strip;
use crate::truncate::{Dropped, Limits, truncate};
use crate::{Entry, MAX_ENTRY_CHARS, size_figure};

/// The share of a cap that advice aims at, in percent: 70, so that an index tidied once has room
/// for a while (140 lines of 200).
pub const TARGET_PERCENT: usize = 70;

/// The share of a cap from which on saving gives advice, in percent. This crate's own choice:
/// twenty lines before the end there is still time to act.
pub const NEAR_PERCENT: usize = 90;

/// A hook shortened to this many characters still tells whether to open the file. This crate's
/// own choice, about half of what a line may hold.
const SHORT_HOOK_CHARS: usize = 60;

/// The most suggestions of one kind; a longer list is not acted on.
const MAX_SUGGESTIONS: usize = 20;

/// What an index near its caps needs. Advice never blocks a save.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Budget {
    /// The caps.
    pub limits: Limits,
    /// Lines of the index as the loader counts them.
    pub lines: usize,
    /// Size of the index in units of the measure.
    pub size: usize,
    /// The lines to come down to: [`TARGET_PERCENT`] of the cap.
    pub target_lines: usize,
    /// The size to come down to, in units of the measure.
    pub target_size: usize,
    /// Entries that will not be loaded, in order; empty while the index fits.
    pub not_loading: Vec<Dropped>,
    /// Entries to shorten, the greatest saving first.
    pub shorten: Vec<Shorten>,
    /// Entries to merge into one, the greatest saving first.
    pub merge: Vec<Merge>,
}

/// An entry whose hook can be shorter.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Shorten {
    /// The file of the entry.
    pub file: String,
    /// Units saved by a hook of 60 characters.
    pub saves: usize,
}

/// Entries about one topic, by the words that their file names begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Merge {
    /// The files, in the order of the index.
    pub files: Vec<String>,
    /// Lines saved.
    pub saves_lines: usize,
    /// Units saved if the longest of the lines is kept.
    pub saves: usize,
}

/// Advice for an index, or `None` while it is below [`NEAR_PERCENT`] of both caps.
///
/// ```
/// use memdir_index::{Limits, budget};
///
/// let index: String = (0..199).map(|n| format!("- [N](n{n}.md)\n")).collect();
/// let advice = budget(index.as_bytes(), Limits::default()).unwrap();
/// assert_eq!((advice.lines, advice.target_lines), (199, 140));
/// assert!(advice.not_loading.is_empty());
/// ```
pub fn budget(index: &[u8], limits: Limits) -> Option<Budget> {
    let text = strip(index);
    let cut = truncate(&text, limits);
    let near =
        |have: usize, cap: usize| have.saturating_mul(100) >= cap.saturating_mul(NEAR_PERCENT);
    if !near(cut.total_lines, limits.lines) && !near(cut.total_size, limits.size) {
        return None;
    }
    let entries: Vec<(Entry, usize)> = text
        .lines()
        .filter_map(|line| Entry::parse(line).map(|e| (e, limits.measure.size(line) + 1)))
        .collect();
    Some(Budget {
        limits,
        lines: cut.total_lines,
        size: cut.total_size,
        target_lines: limits.lines.saturating_mul(TARGET_PERCENT) / 100,
        target_size: limits.size.saturating_mul(TARGET_PERCENT) / 100,
        not_loading: cut.dropped,
        shorten: to_shorten(&entries, limits),
        merge: to_merge(&entries),
    })
}

fn to_shorten(entries: &[(Entry, usize)], limits: Limits) -> Vec<Shorten> {
    let mut found: Vec<Shorten> = entries
        .iter()
        .filter_map(|(entry, size)| {
            let hook: String = entry.hook.chars().take(SHORT_HOOK_CHARS).collect();
            let short = Entry::new(&entry.title, &entry.file, &hook).to_line();
            let saves = size.saturating_sub(limits.measure.size(&short) + 1);
            (saves > 0 && hook.len() < entry.hook.len()).then(|| Shorten {
                file: entry.file.clone(),
                saves,
            })
        })
        .collect();
    found.sort_by_key(|item| std::cmp::Reverse(item.saves));
    found.truncate(MAX_SUGGESTIONS);
    found
}

/// Groups entries by type and first topic word: `feedback_testing_db.md` and
/// `feedback_testing_mocks.md` belong together, and so do two lines for one file.
fn to_merge(entries: &[(Entry, usize)]) -> Vec<Merge> {
    let mut groups: BTreeMap<&str, Vec<&(Entry, usize)>> = BTreeMap::new();
    for item in entries {
        let stem = &item.0.file[..item.0.file.len().saturating_sub(3)];
        let topic = stem
            .match_indices(['_', '-'])
            .nth(1)
            .map_or(stem, |(at, _)| &stem[..at]);
        groups.entry(topic).or_default().push(item);
    }
    let mut found: Vec<Merge> = groups
        .into_values()
        .filter(|group| group.len() > 1)
        .map(|group| {
            let sizes = group.iter().map(|(_, size)| *size);
            let longest = sizes.clone().max().unwrap_or(0);
            Merge {
                saves_lines: group.len() - 1,
                saves: sizes.sum::<usize>() - longest,
                files: group.iter().map(|(entry, _)| entry.file.clone()).collect(),
            }
        })
        .collect();
    found.sort_by_key(|item| std::cmp::Reverse(item.saves));
    found.truncate(MAX_SUGGESTIONS);
    found
}

impl Budget {
    /// Whether entries are already beyond a cap.
    pub fn is_over(&self) -> bool {
        self.lines > self.limits.lines || self.size > self.limits.size
    }
}

/// The advice in words, for a model or a person.
impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.is_over() { "over" } else { "near" };
        writeln!(
            f,
            "MEMORY.md is {place} its limits: {} of {} lines, {} of {}.",
            self.lines,
            self.limits.lines,
            size_figure(self.size),
            size_figure(self.limits.size),
        )?;
        for dropped in &self.not_loading {
            writeln!(
                f,
                "- line {} will not be loaded: {}",
                dropped.line, dropped.entry.file
            )?;
        }
        for Merge {
            files,
            saves_lines,
            saves,
        } in &self.merge
        {
            writeln!(
                f,
                "- merge {} (saves lines: {saves_lines}, size: {saves})",
                files.join(", ")
            )?;
        }
        for Shorten { file, saves } in &self.shorten {
            writeln!(f, "- shorten the line of {file} (saves size: {saves})")?;
        }
        write!(
            f,
            "Come down to {} lines and {}, each line at most {MAX_ENTRY_CHARS} characters; nothing is deleted for you.",
            self.target_lines,
            size_figure(self.target_size),
        )
    }
}
