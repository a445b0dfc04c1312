//! What could be better about a memory: the rules of the format that a parser does not enforce.

mod relative;

use std::fmt;

use crate::fence::line_number;
use crate::read::last;
use crate::{Date, Memory, MemoryType, file_name};

/// The longest line that an index entry should be, in characters: the limit of the format.
pub const MAX_INDEX_ENTRY_CHARS: usize = 150;

/// The longest description that is still a line to search by, in characters. Our choice: a
/// longer one does not fit the list of memories that a model selects from.
pub const MAX_DESCRIPTION_CHARS: usize = 200;

/// At most so many findings about relative dates are listed.
const MAX_RELATIVE_DATES: usize = 100;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Lint {
    /// Which rule.
    pub rule: LintRule,
    /// The line in the file, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
    /// What to do about it.
    pub suggestion: String,
}

/// The rules of [`lint`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum LintRule {
    /// No name, or an empty one.
    MissingName,
    /// No description, or an empty one.
    MissingDescription,
    /// No type, or none of the four.
    MissingType,
    /// The description is longer than [`MAX_DESCRIPTION_CHARS`].
    DescriptionTooLong,
    /// The index line would be longer than [`MAX_INDEX_ENTRY_CHARS`].
    IndexEntryTooLong,
    /// A feedback or project memory without the line that gives the reason.
    MissingWhy,
    /// A feedback or project memory without the line that says when it holds.
    MissingHowToApply,
    /// A date that means another day each time it is read.
    RelativeDate,
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {}: {}; {}",
            self.line, self.reason, self.suggestion
        )
    }
}

/// Checks a memory against the rules of the format. `today` is the day on which it was written:
/// relative dates are computed from it.
///
/// ```
/// use memdir_types::{Date, LintRule, Memory, MemoryType, lint};
///
/// let memory = Memory::new(
///     MemoryType::Project,
///     "Freeze",
///     "merge freeze",
///     "The freeze ends in two weeks.\n\n**Why:** a release.\n**How to apply:** wait.\n",
/// );
/// let today = Date::new(2026, 11, 30).unwrap();
/// let found = lint(&memory, today);
/// assert_eq!(found.len(), 1);
/// assert_eq!(found[0].rule, LintRule::RelativeDate);
/// assert_eq!(found[0].suggestion, "write 2026-12-14");
/// ```
#[must_use]
pub fn lint(memory: &Memory, today: Date) -> Vec<Lint> {
    let mut found = Vec::new();
    let mut add = |rule, line, reason: String, suggestion: String| {
        found.push(Lint {
            rule,
            line,
            reason,
            suggestion,
        });
    };
    let lines = KeyLines::of(memory);
    let name = memory.name().unwrap_or("").trim();
    let description = memory.description().unwrap_or("").trim();
    if name.is_empty() {
        add(
            LintRule::MissingName,
            lines.name,
            "the memory has no name".to_owned(),
            "add `name:` with a short title".to_owned(),
        );
    }
    if description.is_empty() {
        add(
            LintRule::MissingDescription,
            lines.description,
            "the memory has no description, so no search will find it".to_owned(),
            "add `description:` with one line that shares its words with later tasks".to_owned(),
        );
    }
    if memory.kind().is_none() {
        add(
            LintRule::MissingType,
            lines.kind,
            "the memory has none of the four types".to_owned(),
            "add `type:` with user, feedback, project or reference".to_owned(),
        );
    }
    let length = description.chars().count();
    let entry = entry_chars(memory, name, description);
    if length > MAX_DESCRIPTION_CHARS {
        add(
            LintRule::DescriptionTooLong,
            lines.description,
            format!("the description has {length} characters, more than {MAX_DESCRIPTION_CHARS}"),
            format!(
                "shorten it by {} characters and move the rest to the body",
                length - MAX_DESCRIPTION_CHARS
            ),
        );
    } else if entry > MAX_INDEX_ENTRY_CHARS {
        add(
            LintRule::IndexEntryTooLong,
            lines.description,
            format!(
                "the index entry would have {entry} characters, more than {MAX_INDEX_ENTRY_CHARS}"
            ),
            format!(
                "shorten name or description by {} characters",
                entry - MAX_INDEX_ENTRY_CHARS
            ),
        );
    }
    if let Some(kind @ (MemoryType::Feedback | MemoryType::Project)) = memory.kind() {
        let labels = [
            (LintRule::MissingWhy, "Why", "the reason"),
            (LintRule::MissingHowToApply, "How to apply", "when it holds"),
        ];
        for (rule, label, what) in labels {
            if !has_label(memory.body(), label) {
                add(
                    rule,
                    lines.body,
                    format!("a {kind} memory should say {what}"),
                    format!("add a line that begins with **{label}:**"),
                );
            }
        }
    }
    let texts = [
        (lines.name, name, relative::Text::OneLine),
        (lines.description, description, relative::Text::OneLine),
        (lines.body, memory.body(), relative::Text::Markdown),
    ];
    let mut dates = 0;
    for (first_line, text, form) in texts {
        for date in relative::find(text, form, today, MAX_RELATIVE_DATES - dates) {
            dates += 1;
            add(
                LintRule::RelativeDate,
                first_line + date.line,
                format!("`{}` means another day each time it is read", date.phrase),
                date.suggestion,
            );
        }
    }
    found.sort_by_key(|finding| (finding.line, finding.rule));
    found
}

/// The lines on which the keys of a memory stand; where one is missing, the first line.
struct KeyLines {
    name: usize,
    description: usize,
    kind: usize,
    body: usize,
}

impl KeyLines {
    fn of(memory: &Memory) -> KeyLines {
        let text = memory.as_str();
        let layout = memory.layout();
        let line = |key: &str| {
            last(text, &layout.top, key)
                .or_else(|| last(text, &layout.nested, key))
                .map_or(1, |entry| line_number(text, entry.lines.start))
        };
        KeyLines {
            name: line("name"),
            description: line("description"),
            kind: line("type"),
            body: line_number(text, memory.body_start()),
        }
    }
}

/// The length of the index line that this memory would get, in characters:
/// `- [name](file.md) — description`.
fn entry_chars(memory: &Memory, name: &str, description: &str) -> usize {
    let kind = memory.kind().unwrap_or(MemoryType::Project);
    let file = file_name(kind, name, |_| false);
    let hook = match description.chars().count() {
        0 => 0,
        count => count + " — ".chars().count(),
    };
    "- []()".len() + name.chars().count() + file.len() + hook
}

/// Whether a line of the body is labeled so: `**Why:**`, `**Why**:`, `**Why**：`, in any case,
/// also without the asterisks, in a list, or as a heading.
fn has_label(body: &str, label: &str) -> bool {
    body.lines().any(|line| {
        let line = line.trim_start_matches([' ', '\t', '>', '-', '*', '+', '#', '_']);
        let Some(head) = line.get(..label.len()) else {
            return false;
        };
        let rest = &line[head.len()..];
        let rest = rest.trim_start_matches(['*', '_', ' ']);
        head.eq_ignore_ascii_case(label)
            && (rest.starts_with([':', '：']) || (rest.is_empty() && line.len() == head.len()))
    })
}
