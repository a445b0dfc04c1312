//! The index as a list of lines, of which an edit changes one and leaves every other byte alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::entry::split_entry;
use crate::strip::{frontmatter_end, hidden_ranges};
use crate::{Entry, NameCase};

/// What an edit did to the index. Lines are counted from 1 in the index before the edit, except
/// for an added line, which is counted in the index after it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum Change {
    /// Nothing had to change.
    Unchanged,
    /// A line was added.
    Added {
        /// Where it stands.
        line: usize,
    },
    /// A line was rewritten; further lines for the same file went.
    Updated {
        /// Where it stands.
        line: usize,
        /// Lines that pointed at the same file and were removed.
        duplicates: Vec<usize>,
    },
    /// Lines were removed.
    Removed {
        /// Where they stood.
        lines: Vec<usize>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    /// The line's bytes, its end included.
    raw: Vec<u8>,
    entry: Option<Entry>,
}

impl Line {
    /// The bytes of the line end: `\n`, `\r\n` or nothing.
    fn ending(&self) -> &[u8] {
        let raw = &self.raw;
        if raw.ends_with(b"\r\n") {
            &raw[raw.len() - 2..]
        } else if raw.ends_with(b"\n") {
            &raw[raw.len() - 1..]
        } else {
            &[]
        }
    }

    /// Gives the line another entry, after the indentation and bullet that it has; answers whether
    /// that changed it.
    fn rewrite(&mut self, entry: &Entry) -> bool {
        let text = String::from_utf8_lossy(&self.raw);
        let prefix = split_entry(&text).map_or("- ", |(prefix, _)| prefix);
        let new = entry.to_line_after(prefix);
        let parsed = Entry::parse(&new);
        if parsed == self.entry {
            return false;
        }
        let mut raw = new.into_bytes();
        raw.extend_from_slice(self.ending());
        self.raw = raw;
        self.entry = parsed;
        true
    }
}

/// MEMORY.md, line by line. Foreign lines, line ends and invalid bytes are kept as they are.
///
/// A line counts as an entry when a reader would see it as one: inside frontmatter or a comment
/// that the loader removes, nothing does.
///
/// ```
/// use memdir_index::{Entry, Index};
///
/// let mut index = Index::parse("# Team\n\n* [Role](user_role.md): Go\n");
/// index.upsert(&Entry::new("Role", "user_role.md", "Go and React"));
/// index.upsert(&Entry::new("Tests", "feedback_tests.md", "real database"));
/// assert_eq!(
///     index.render(),
///     "# Team\n\n* [Role](user_role.md) — Go and React\n- [Tests](feedback_tests.md) — real database\n",
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Index {
    lines: Vec<Line>,
    case: NameCase,
    /// Whether a line ends in CRLF; added lines then do, too.
    crlf: bool,
}

impl Index {
    /// Reads an index; never fails.
    pub fn parse(text: &str) -> Index {
        Index::from_bytes(text.as_bytes())
    }

    /// Reads an index from bytes that may not all be UTF-8; they are kept.
    pub fn from_bytes(bytes: &[u8]) -> Index {
        let hidden = match std::str::from_utf8(bytes) {
            Ok(text) => hidden_ranges(text),
            // Replacement moves offsets, so an index with damage is read line by line alone.
            Err(_) => Vec::new(),
        };
        let mut hidden = hidden.into_iter().peekable();
        let mut at = 0;
        let lines: Vec<Line> = bytes
            .split_inclusive(|b| *b == b'\n')
            .map(|raw| {
                while hidden.peek().is_some_and(|r| r.end <= at) {
                    hidden.next();
                }
                // A byte order mark hides the first bytes of a line, not the line.
                let is_hidden = hidden
                    .peek()
                    .is_some_and(|r| r.start < at + raw.len() && r.end > at && r.len() > 3);
                at += raw.len();
                let entry = if is_hidden {
                    None
                } else {
                    let text = String::from_utf8_lossy(raw);
                    Entry::parse(text.strip_prefix('\u{feff}').unwrap_or(&text))
                };
                Line {
                    raw: raw.to_vec(),
                    entry,
                }
            })
            .collect();
        Index {
            crlf: has_crlf(&lines),
            lines,
            case: NameCase::of_this_platform(),
        }
    }

    /// Sets whether names that differ in case only are the same file; the platform's rule unless
    /// set.
    #[must_use]
    pub fn name_case(mut self, case: NameCase) -> Index {
        self.case = case;
        self
    }

    /// The entries, in order.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.lines.iter().filter_map(|line| line.entry.as_ref())
    }

    /// The number of lines.
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// Every line with its number, counted from 1: its text without the line end, invalid bytes
    /// replaced, and the entry if it is one.
    pub fn lines(&self) -> impl Iterator<Item = (usize, String, Option<&Entry>)> {
        self.lines.iter().enumerate().map(|(i, line)| {
            let text = &line.raw[..line.raw.len() - line.ending().len()];
            (
                i + 1,
                String::from_utf8_lossy(text).into_owned(),
                line.entry.as_ref(),
            )
        })
    }

    /// The first entry for a file.
    pub fn find(&self, file: &str) -> Option<&Entry> {
        self.entries()
            .find(|entry| self.case.is_same(&entry.file, file))
    }

    /// Writes the entry's one line: in place if the file has one (further lines for it go), else
    /// after the last entry, else at the end. Every other line keeps its bytes.
    pub fn upsert(&mut self, entry: &Entry) -> Change {
        let positions = self.positions(&entry.file);
        let Some((&first, duplicates)) = positions.split_first() else {
            return self.append(entry);
        };
        if !self.lines[first].rewrite(entry) && duplicates.is_empty() {
            return Change::Unchanged;
        }
        self.remove_lines(duplicates);
        Change::Updated {
            line: first + 1,
            duplicates: duplicates.iter().map(|at| at + 1).collect(),
        }
    }

    /// Lets the entry of `from` point at `to`, its title and hook unchanged. Further lines for
    /// either file go, so that one line is left. Without an entry for `from` nothing changes.
    pub fn rename(&mut self, from: &str, to: &str) -> Change {
        let positions = self.positions(from);
        let Some(entry) = positions
            .first()
            .and_then(|at| self.lines[*at].entry.clone())
        else {
            return Change::Unchanged;
        };
        let first = positions[0];
        let title = if entry.title == entry.file {
            ""
        } else {
            &entry.title
        };
        self.lines[first].rewrite(&Entry::new(title, to, &entry.hook));
        let mut gone: Vec<usize> = positions[1..].to_vec();
        gone.extend(self.positions(to).into_iter().filter(|at| *at != first));
        gone.sort_unstable();
        gone.dedup();
        self.remove_lines(&gone);
        Change::Updated {
            line: first + 1,
            duplicates: gone.iter().map(|at| at + 1).collect(),
        }
    }

    /// Removes the line of a file, and every further one that points at it.
    pub fn remove(&mut self, file: &str) -> Change {
        let positions = self.positions(file);
        if positions.is_empty() {
            return Change::Unchanged;
        }
        self.remove_lines(&positions);
        Change::Removed {
            lines: positions.iter().map(|at| at + 1).collect(),
        }
    }

    /// [`upsert`](Index::upsert) for many entries in one pass; of two for one file the later one
    /// counts. Answers the files whose line was rewritten.
    pub fn upsert_all(&mut self, entries: &[Entry]) -> Vec<String> {
        let case = self.case;
        let mut wanted: BTreeMap<String, &Entry> = entries
            .iter()
            .map(|entry| (case.key(&entry.file), entry))
            .collect();
        let mut met = BTreeSet::new();
        let mut rewritten = Vec::new();
        self.retain_lines(|_, line| {
            let Some(key) = line.entry.as_ref().map(|old| case.key(&old.file)) else {
                return true;
            };
            if let Some(entry) = wanted.remove(&key) {
                if line.rewrite(entry) {
                    rewritten.push(entry.file.clone());
                }
                met.insert(key);
                return true;
            }
            !met.contains(&key)
        });
        for entry in wanted.into_values() {
            self.append(entry);
        }
        rewritten
    }

    /// Removes the lines of entries that are not to be kept, in one pass; other lines stay.
    pub fn retain(&mut self, mut keep: impl FnMut(&Entry) -> bool) {
        self.retain_lines(|_, line| line.entry.as_ref().is_none_or(&mut keep));
    }

    /// Keeps some of the lines, in one pass. If the last had no end, neither has the new last.
    fn retain_lines(&mut self, mut keep: impl FnMut(usize, &mut Line) -> bool) {
        let unfinished = self
            .lines
            .last()
            .is_some_and(|line| line.ending().is_empty());
        let mut next = 0;
        let mut first_went = false;
        self.lines.retain_mut(|line| {
            next += 1;
            let kept = keep(next - 1, line);
            first_went |= next == 1 && !kept;
            kept
        });
        if unfinished && let Some(last) = self.lines.last_mut() {
            let text = last.raw.len() - last.ending().len();
            // A blank line is nothing but its end.
            if text > 0 {
                last.raw.truncate(text);
            }
        }
        self.crlf = has_crlf(&self.lines);
        if first_went && frontmatter_end(&self.render()).is_some() {
            // A rule that comes to stand first would begin frontmatter, and hide what follows.
            let end: &[u8] = if self.crlf { b"\r\n" } else { b"\n" };
            self.lines.insert(
                0,
                Line {
                    raw: end.to_vec(),
                    entry: None,
                },
            );
        }
    }

    /// Removes lines, their positions in ascending order.
    fn remove_lines(&mut self, positions: &[usize]) {
        self.retain_lines(|at, _| positions.binary_search(&at).is_err());
    }

    /// The index as text; invalid bytes are replaced, everything else is byte for byte.
    pub fn render(&self) -> String {
        String::from_utf8(self.to_bytes())
            .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
    }

    /// The index as bytes, exactly as it was read but for the edits.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.lines.iter().map(|line| line.raw.len()).sum());
        for line in &self.lines {
            out.extend_from_slice(&line.raw);
        }
        out
    }

    fn positions(&self, file: &str) -> Vec<usize> {
        (0..self.lines.len())
            .filter(|at| {
                let entry = self.lines[*at].entry.as_ref();
                entry.is_some_and(|entry| self.case.is_same(&entry.file, file))
            })
            .collect()
    }

    /// Adds a line for a file that has none.
    pub(crate) fn append(&mut self, entry: &Entry) -> Change {
        let new = entry.to_line();
        let end: &[u8] = if self.crlf { b"\r\n" } else { b"\n" };
        let at = self
            .lines
            .iter()
            .rposition(|line| line.entry.is_some())
            .map_or(self.lines.len(), |last| last + 1);
        let mut raw = new.clone().into_bytes();
        // An index whose last line has no end keeps that: the line end moves one line up.
        let unfinished = at > 0 && at == self.lines.len() && self.lines[at - 1].ending().is_empty();
        if unfinished {
            self.lines[at - 1].raw.extend_from_slice(end);
        } else {
            raw.extend_from_slice(end);
        }
        self.lines.insert(
            at,
            Line {
                raw,
                entry: Entry::parse(&new),
            },
        );
        Change::Added { line: at + 1 }
    }
}

fn has_crlf(lines: &[Line]) -> bool {
    lines.iter().any(|line| line.raw.ends_with(b"\r\n"))
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render())
    }
}

/// As its text.
#[cfg(feature = "serde")]
impl serde::Serialize for Index {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
