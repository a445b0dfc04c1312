//! What a run did, or would do: values for a host, and text for a person.

use std::fmt;
use std::time::SystemTime;

use memdir_index::Fingerprint;

/// The name of a run: a number that grows, and the time in UTC, as `7-20260131T235959Z`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct RunId(pub(crate) String);

impl RunId {
    /// A name that [`as_str`](RunId::as_str) gave; what it names need not exist.
    #[must_use]
    pub fn new(id: impl Into<String>) -> RunId {
        RunId(id.into())
    }

    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What happened to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum What {
    /// It is new.
    Created,
    /// It has another content.
    Changed,
    /// It is gone.
    Deleted,
    /// Its body stood under another name before, which is gone.
    Moved {
        /// That name.
        from: String,
    },
}

impl What {
    fn word(&self) -> &'static str {
        match self {
            What::Created => "created",
            What::Changed => "changed",
            What::Deleted => "deleted",
            What::Moved { .. } => "moved",
        }
    }
}

/// A file that is not as before. The index is among them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct FileChange {
    /// Its name, relative to the memory directory.
    pub file: String,
    /// What happened to it.
    pub what: What,
    /// What it was: of a file that was moved, under its old name.
    pub before: Fingerprint,
    /// What it is.
    pub after: Fingerprint,
    /// Its size before, in bytes.
    pub bytes_before: u64,
    /// Its size now, in bytes.
    pub bytes_after: u64,
    /// Lines that are new.
    pub added: usize,
    /// Lines that are gone.
    pub removed: usize,
    /// The lines in unified form, without the two lines of file names; cut where it is long, and
    /// empty if a file was moved as it is.
    pub diff: String,
}

/// A change that was staged and not written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct KeptBack {
    /// The file.
    pub file: String,
    /// What would have happened to it.
    pub what: What,
    /// Why it did not.
    pub reason: KeptReason,
}

/// Why a change was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum KeptReason {
    /// The memory is pinned.
    Pinned,
    /// Daily logs are only read.
    Log,
    /// It is no memory, or its name cannot be that of one.
    Name {
        /// What is wrong.
        reason: String,
    },
    /// Another file has the same name in another spelling, or stands where a folder is needed.
    NameTaken,
    /// A session changed, created or deleted the file meanwhile; that stays.
    ChangedMeanwhile,
    /// The person deleted or rejected this before.
    Rejected {
        /// What it was recognized by.
        by: RecognizedBy,
    },
    /// Another name of the store leads to this file.
    Linked,
    /// Its text goes to a file whose change is kept back, and would be nowhere.
    Together {
        /// That file.
        file: String,
    },
    /// What the file was before is not kept any more, or is damaged.
    Unrecoverable,
}

/// What something that was deleted before was recognized by. Deliberately closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RecognizedBy {
    /// The name of the file.
    File,
    /// The title, without case, accents' form and punctuation.
    Title,
    /// The body.
    Body,
}

impl fmt::Display for KeptReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeptReason::Pinned => f.write_str("it is pinned"),
            KeptReason::Log => f.write_str("daily logs are only read"),
            KeptReason::Name { reason } => f.write_str(&printable(reason)),
            KeptReason::NameTaken => f.write_str("another file is in the way"),
            KeptReason::ChangedMeanwhile => f.write_str("a session changed it meanwhile"),
            KeptReason::Rejected { by } => f.write_str(match by {
                RecognizedBy::File => "a file of this name was deleted or rejected before",
                RecognizedBy::Title => "a memory of this title was deleted or rejected before",
                RecognizedBy::Body => "this text was deleted or rejected before",
            }),
            KeptReason::Linked => f.write_str("another name leads to it"),
            KeptReason::Unrecoverable => f.write_str("what it was is not kept any more"),
            KeptReason::Together { file } => {
                write!(
                    f,
                    "its text goes to {}, which is kept back",
                    printable(file)
                )
            }
        }
    }
}

/// Something small that was put right, as there was only one way to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Repair {
    /// A line of the index that pointed at no file was dropped.
    LineDropped {
        /// What it pointed at.
        file: String,
    },
    /// A memory without a line in the index got one.
    LineAdded {
        /// The memory.
        file: String,
    },
    /// Bytes that are no text were replaced, or prompt tags that had stood there before were
    /// escaped.
    Cleaned {
        /// Where.
        file: String,
    },
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Repair::LineDropped { file } => {
                write!(
                    f,
                    "line for {} dropped: there is no such file",
                    printable(file)
                )
            }
            Repair::LineAdded { file } => write!(f, "line for {} added", printable(file)),
            Repair::Cleaned { file } => write!(f, "old text of {} made harmless", printable(file)),
        }
    }
}

/// A file that was not staged, and is never touched.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LeftOut {
    /// The file; invalid bytes are replaced.
    pub file: String,
    /// Why.
    pub reason: String,
}

/// How much of something is gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Share {
    /// What is gone.
    pub lost: u64,
    /// What there was.
    pub of: u64,
}

impl Share {
    /// In percent, rounded up; 0 if there was nothing.
    #[must_use]
    pub fn percent(self) -> u64 {
        match self.of {
            0 => 0,
            of => self.lost.saturating_mul(100).div_ceil(of),
        }
    }
}

/// What a run takes away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Loss {
    /// Files that are deleted and not moved.
    pub files: Share,
    /// Entries of the index whose file is in it no more.
    pub entries: Share,
    /// Bytes of text that is nowhere any more.
    pub bytes: Share,
}

/// Why the result of a run is not written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Fault {
    /// The file, relative to the memory directory; empty if it is about all.
    pub file: String,
    /// What is wrong.
    pub reason: FaultReason,
}

/// What is wrong with a result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum FaultReason {
    /// It is no UTF-8 text.
    NotText,
    /// It is larger than a memory may be.
    TooLarge {
        /// Its size in bytes.
        bytes: u64,
        /// The most, in bytes.
        limit: u64,
    },
    /// Its frontmatter cannot be read, or there is none.
    Frontmatter,
    /// The write gate refused new text. Never says what the text is.
    Gate {
        /// Rule and place.
        reason: String,
    },
    /// The index would not be loaded whole.
    IndexTooLong {
        /// Its lines.
        lines: usize,
        /// Its bytes.
        bytes: usize,
    },
    /// More files would be gone than a run may take away.
    LostFiles {
        /// How many of how many.
        share: Share,
        /// The most, in percent.
        limit: u8,
    },
    /// More entries would be gone than a run may take away.
    LostEntries {
        /// How many of how many.
        share: Share,
        /// The most, in percent.
        limit: u8,
    },
    /// More text would be gone than a run may take away.
    LostBytes {
        /// How many bytes of how many.
        share: Share,
        /// The most, in percent.
        limit: u8,
    },
    /// The staged copy cannot be read.
    Unreadable {
        /// What the system said.
        reason: String,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}: ", printable(&self.file))?;
        }
        let lost = |f: &mut fmt::Formatter<'_>, what: &str, share: &Share, limit: &u8| {
            let (lost, of, percent) = (share.lost, share.of, share.percent());
            write!(
                f,
                "{lost} of {of} {what} would be gone ({percent} %, at most {limit} %)"
            )
        };
        match &self.reason {
            FaultReason::NotText => f.write_str("it is no UTF-8 text"),
            FaultReason::TooLarge { bytes, limit } => {
                write!(f, "{bytes} bytes, and a memory has at most {limit}")
            }
            FaultReason::Frontmatter => f.write_str("its frontmatter cannot be read"),
            FaultReason::Gate { reason } => f.write_str(reason),
            FaultReason::IndexTooLong { lines, bytes } => {
                write!(
                    f,
                    "{lines} lines and {bytes} bytes would not be loaded whole"
                )
            }
            FaultReason::LostFiles { share, limit } => lost(f, "files", share, limit),
            FaultReason::LostEntries { share, limit } => lost(f, "entries", share, limit),
            FaultReason::LostBytes { share, limit } => lost(f, "bytes of text", share, limit),
            FaultReason::Unreadable { reason } => f.write_str(&printable(reason)),
        }
    }
}

/// What a run did, or would do. [`Display`](fmt::Display) writes it for a person, at most 80
/// columns wide but for long names and the text of the memories.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Report {
    /// Its name, for [`undo`](crate::undo). A run that changed nothing is not recorded.
    pub run: RunId,
    /// When it was.
    pub at: SystemTime,
    /// The files that are not as before, by name.
    pub changes: Vec<FileChange>,
    /// Changes that were staged and not written, by name.
    pub kept_back: Vec<KeptBack>,
    /// What was put right.
    pub repairs: Vec<Repair>,
    /// What was not staged.
    pub left_out: Vec<LeftOut>,
    /// What is gone.
    pub loss: Loss,
}

impl Report {
    /// Whether nothing is different from before.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}

/// What a commit would do, and why it would refuse to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Review {
    /// What it would do.
    pub report: Report,
    /// What is wrong. If there is anything, a commit writes nothing.
    pub refused: Vec<Fault>,
}

/// What a commit came to. Deliberately exhaustive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Committed {
    /// All of the report is written.
    Done(Report),
    /// Nothing is.
    Refused(Review),
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.changes.is_empty() {
            writeln!(f, "Nothing changed.")?;
        } else {
            let count = |word: &str| {
                let count = self.changes.iter().filter(|c| c.what.word() == word);
                (count.count(), word.to_owned())
            };
            let counts = ["created", "changed", "deleted", "moved"].map(count);
            let counts: Vec<String> = counts
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, word)| format!("{count} {word}"))
                .collect();
            writeln!(f, "Files: {}.", counts.join(", "))?;
        }
        for change in &self.changes {
            let file = printable(&change.file);
            write!(f, "\n{:8} {file}", change.what.word())?;
            if let What::Moved { from } = &change.what {
                write!(f, "\n         from {}", printable(from))?;
            }
            match change.added + change.removed {
                0 => writeln!(f)?,
                _ => writeln!(f, " (+{} -{})", change.added, change.removed)?,
            }
            for line in change.diff.lines() {
                writeln!(f, "    {}", printable(line))?;
            }
        }
        section(
            f,
            "Not done",
            self.kept_back.iter().map(|kept| {
                let what = kept.what.word();
                (
                    format!("{} would be {what}", printable(&kept.file)),
                    kept.reason.to_string(),
                )
            }),
        )?;
        let lines = self
            .repairs
            .iter()
            .map(|repair| (repair.to_string(), String::new()));
        section(f, "Put right", lines)?;
        let left_out = self.left_out.iter();
        section(
            f,
            "Not looked at",
            left_out.map(|left| (printable(&left.file), printable(&left.reason))),
        )
    }
}

impl fmt::Display for Review {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.report)?;
        section(
            f,
            "Refused, and nothing is written",
            self.refused
                .iter()
                .map(|fault| (fault.to_string(), String::new())),
        )
    }
}

/// A list under a heading, each item with its reason on the same line if it fits into 80 columns.
fn section(
    f: &mut fmt::Formatter<'_>,
    heading: &str,
    items: impl Iterator<Item = (String, String)>,
) -> fmt::Result {
    for (number, (item, reason)) in items.enumerate() {
        if number == 0 {
            writeln!(f, "\n{heading}:")?;
        }
        let fits = item.chars().count() + reason.chars().count() + 4 <= 80;
        match (reason.is_empty(), fits) {
            (true, _) => writeln!(f, "  {item}")?,
            (_, true) => writeln!(f, "  {item}: {reason}")?,
            _ => writeln!(f, "  {item}:\n    {reason}")?,
        }
    }
    Ok(())
}

/// Text for a report: control characters, and those that reorder, are shown as escapes.
pub(super) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if (c.is_control() && c != '\t') || reorders(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether a character changes the order in which others are shown, or breaks the line.
pub(crate) fn reorders(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
