//! Whether index and files agree, and what in the index does not belong there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::scan::Why;
use super::{Store, atomic, journal};
use crate::strip::frontmatter_end;
use crate::{Budget, ENTRYPOINT, Error, MAX_ENTRY_CHARS, budget};

/// What [`Store::check`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Check {
    /// Memory files that can be listed.
    pub memories: usize,
    /// Entries of the index.
    pub entries: usize,
    /// What is wrong: first by line of the index, then by file.
    pub faults: Vec<Fault>,
    /// Advice, if the index is near its caps.
    pub budget: Option<Budget>,
}

impl Check {
    /// Whether nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.faults.is_empty()
    }
}

/// One disagreement between index and files. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum Fault {
    /// A memory without a line in the index: it never surfaces.
    Orphan {
        /// The memory.
        file: String,
    },
    /// A line that points at no file.
    Dangling {
        /// The line.
        line: usize,
        /// What it points at.
        file: String,
    },
    /// A further line for a file that has one.
    Duplicate {
        /// The line.
        line: usize,
        /// The line before it.
        first: usize,
        /// The file.
        file: String,
    },
    /// A line of more than [`MAX_ENTRY_CHARS`] characters.
    LongLine {
        /// The line.
        line: usize,
        /// Its length in characters.
        chars: usize,
    },
    /// Frontmatter in the index, which has none of its own; it is not loaded.
    Frontmatter {
        /// Its last line.
        last_line: usize,
    },
    /// A line that is neither entry, heading nor comment: content belongs into a memory.
    Prose {
        /// The line.
        line: usize,
    },
    /// A line that points, or a memory that leads, out of the directory.
    LeadsOut {
        /// The line, if it is one.
        line: Option<usize>,
        /// What it points at, or the memory.
        file: String,
    },
    /// A file that cannot be listed, as its name could forge a line or names no place.
    HostileName {
        /// The name; invalid bytes are replaced.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A memory or folder that cannot be read.
    Unreadable {
        /// Which.
        file: String,
        /// What the system said.
        reason: String,
    },
    /// The index cannot be read, so that its lines are unknown.
    IndexUnreadable {
        /// Why.
        reason: String,
    },
    /// More files or folder levels than a scan follows.
    TooMany {
        /// Where the scan stopped.
        file: String,
    },
    /// A write was interrupted; opening the store for writing completes it.
    Interrupted,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = crate::entry::printable;
        match self {
            Fault::Orphan { file } => write!(f, "{}: has no line in the index", shown(file)),
            Fault::Dangling { line, file } => {
                write!(f, "line {line}: {} does not exist", shown(file))
            }
            Fault::Duplicate { line, first, file } => {
                write!(
                    f,
                    "line {line}: {} stands in line {first} already",
                    shown(file)
                )
            }
            Fault::LongLine { line, chars } => write!(
                f,
                "line {line}: {chars} characters, and {MAX_ENTRY_CHARS} are enough for an entry"
            ),
            Fault::Frontmatter { last_line } => {
                write!(
                    f,
                    "lines 1 to {last_line}: frontmatter, which an index has none of"
                )
            }
            Fault::Prose { line } => {
                write!(f, "line {line}: text that belongs into a memory")
            }
            Fault::LeadsOut {
                line: Some(line),
                file,
            } => {
                write!(
                    f,
                    "line {line}: {} leads out of the memory directory",
                    shown(file)
                )
            }
            Fault::LeadsOut { line: None, file } => {
                write!(f, "{}: leads out of the memory directory", shown(file))
            }
            Fault::HostileName { file, reason } => {
                write!(f, "{}: cannot be listed: {reason}", shown(file))
            }
            Fault::Unreadable { file, reason } => {
                write!(f, "{}: cannot be read: {reason}", shown(file))
            }
            Fault::IndexUnreadable { reason } => {
                write!(f, "{ENTRYPOINT}: cannot be read: {reason}")
            }
            Fault::TooMany { file } => {
                write!(
                    f,
                    "{}: the scan stopped here, there is too much",
                    shown(file)
                )
            }
            Fault::Interrupted => f.write_str("a write was interrupted and waits for completion"),
        }
    }
}

impl Store {
    /// Compares index and files. Reads only, and takes no lock.
    ///
    /// # Errors
    ///
    /// None of its own today: what cannot be read is a fault of the report.
    pub fn check(&self) -> Result<Check, Error> {
        let scan = self.scan();
        let mut faults = Vec::new();
        let bytes = match self.snapshot(ENTRYPOINT) {
            Ok(snapshot) => snapshot.map(|s| s.bytes).unwrap_or_default(),
            Err(_) if !self.dir.is_dir() => Vec::new(),
            Err(error) => {
                faults.push(Fault::IndexUnreadable {
                    reason: error.reason(),
                });
                Vec::new()
            }
        };
        let index = crate::Index::from_bytes(&bytes).name_case(self.options.name_case);
        let case = self.options.name_case;
        let known: BTreeSet<String> = scan.files.iter().map(|file| case.key(file)).collect();
        // What cannot be listed exists all the same.
        let left_out: BTreeSet<String> = scan.left_out.iter().map(|(f, _)| case.key(f)).collect();
        let shared = scan.shared_keys(case);
        let mut listed: BTreeMap<String, usize> = BTreeMap::new();
        let mut spelled: BTreeSet<String> = BTreeSet::new();

        let text = String::from_utf8_lossy(&bytes);
        let frontmatter = frontmatter_end(&text).map_or(0, |end| text[..end].lines().count());
        if frontmatter > 0 {
            faults.push(Fault::Frontmatter {
                last_line: frontmatter,
            });
        }
        let comments = comment_lines(&text);
        for (line, text, entry) in index.lines() {
            if line <= frontmatter || comments.contains(&line) {
                continue;
            }
            let chars = text.chars().count();
            let Some(entry) = entry else {
                if is_prose(&text) {
                    faults.push(Fault::Prose { line });
                }
                continue;
            };
            if chars > MAX_ENTRY_CHARS {
                faults.push(Fault::LongLine { line, chars });
            }
            let file = entry.file.clone();
            let key = case.key(&file);
            if let Some(first) = listed.get(&key) {
                let first = *first;
                faults.push(Fault::Duplicate { line, first, file });
                continue;
            }
            listed.insert(key.clone(), line);
            if shared.contains(&key) {
                spelled.insert(file.clone());
            }
            if known.contains(&key) || left_out.contains(&key) || self.may_be_unseen(&file, &scan) {
                continue;
            }
            faults.push(self.fault_of_target(line, file));
        }
        for file in &scan.files {
            let key = case.key(file);
            // One line for two files is that of the file that it spells.
            let is_listed = match shared.contains(&key) {
                true => spelled.contains(file),
                false => listed.contains_key(&key),
            };
            if !is_listed {
                faults.push(Fault::Orphan { file: file.clone() });
            }
            if let Err(reason) = self.probe(file) {
                let file = file.clone();
                faults.push(Fault::Unreadable { file, reason });
            }
        }
        let memories = scan.files.len();
        faults.extend(scan.left_out.into_iter().map(|(file, why)| match why {
            Why::Hostile(reason) => Fault::HostileName { file, reason },
            Why::LeadsOut => Fault::LeadsOut { line: None, file },
            Why::Unreadable(reason) => Fault::Unreadable { file, reason },
            Why::TooMany => Fault::TooMany { file },
        }));
        if self
            .dir
            .join(journal::JOURNAL_FILE)
            .symlink_metadata()
            .is_ok()
        {
            faults.push(Fault::Interrupted);
        }
        Ok(Check {
            memories,
            entries: index.entries().count(),
            faults,
            budget: budget(&bytes, self.options.limits),
        })
    }

    /// A line whose target the scan did not meet: the index itself, a log, a place outside, or
    /// nothing.
    fn fault_of_target(&self, line: usize, file: String) -> Fault {
        let outside = std::path::Path::new(&file).is_absolute()
            || file.starts_with('~')
            || file.split('/').any(|component| component == "..")
            || matches!(memdir_paths::resolve_inside(&self.dir, &file),
                Err(e) if e.kind() == memdir_paths::ErrorKind::Outside);
        if outside {
            Fault::LeadsOut {
                line: Some(line),
                file,
            }
        } else {
            Fault::Dangling { line, file }
        }
    }

    /// Whether a memory can be opened and read.
    fn probe(&self, file: &str) -> Result<(), String> {
        let reason = |e: Error| e.reason();
        let path = self.dir.join(file);
        let mut opened = memdir_paths::open_inside(&self.dir, file)
            .map_err(|e| atomic::from_paths(e, path).reason())?;
        std::io::Read::read(&mut opened, &mut [0; 1])
            .map_err(|e| reason(Error::io(file, e)))
            .map(|_| ())
    }
}

/// A blank line, a heading and a rule are structure; everything else is content.
fn is_prose(line: &str) -> bool {
    let line = line.trim_start_matches('\u{feff}').trim();
    let is_rule = line.len() >= 3
        && line
            .chars()
            .all(|c| matches!(c, '-' | '*' | '_' | '=' | ' '));
    !line.is_empty() && !line.starts_with('#') && !is_rule
}

/// The lines that the loader removes as comments.
fn comment_lines(text: &str) -> BTreeSet<usize> {
    let mut lines = BTreeSet::new();
    // The ranges are in order, so that every line end is counted once.
    let (mut at, mut line) = (0, 1);
    for range in crate::strip::hidden_ranges(text) {
        line += count_newlines(&text[at..range.start]);
        let count = text[range.clone()].lines().count();
        lines.extend(line..line + count);
        line += count_newlines(&text[range.clone()]);
        at = range.end;
    }
    lines
}

fn count_newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}
