//! One loaded file, and the event of its loading.

use std::fmt;
use std::path::PathBuf;

use crate::layer::Layer;

/// One instruction file with its text as the model gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct LoadedFile {
    /// The path as it is shown to the model: as found, for linked rules the real one.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub path: PathBuf,
    /// The real path, with all links resolved. This is what makes two files the same.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub real: PathBuf,
    /// Whose instructions these are; an import has the layer of its importer.
    pub layer: Layer,
    /// Why it was loaded.
    pub reason: LoadReason,
    /// The file that imports it.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_path"))]
    pub parent: Option<PathBuf>,
    /// The path whose use delivered it.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_path"))]
    pub trigger: Option<PathBuf>,
    /// The patterns of a rule that waited for a matching path.
    pub globs: Vec<String>,
    /// The text after cleaning: no byte order mark, frontmatter, block comments or outer white
    /// space.
    pub text: String,
    /// Size of the file on disk, in bytes.
    pub bytes: u64,
    /// Length of the text, in characters.
    pub chars: usize,
    /// Estimated tokens of the text: a quarter per ASCII byte, one per other character.
    pub tokens: usize,
    /// Whether the text is all there is, or was cut to a budget.
    pub extent: Extent,
    /// Whether the text equals the file's bytes; an editor that wants exact text reads it anew.
    pub exact: bool,
}

/// Whether a text is whole.
///
/// Deliberately exhaustive: it is, or it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Extent {
    /// Nothing is missing.
    Whole,
    /// The end is missing: a budget was reached.
    Cut {
        /// Bytes of the whole text.
        of: usize,
    },
}

/// Why a file was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum LoadReason {
    /// It is in force from the start of the session.
    SessionStart,
    /// It belongs to a directory below the working directory in which a file was used.
    Nested,
    /// It is a rule, and a used path matched its patterns.
    Glob,
    /// Another file imports it.
    Include,
    /// It came back after a compaction.
    Compact,
}

impl LoadReason {
    /// The reason as hooks spell it: `session_start`, `nested`, `glob`, `include`, `compact`.
    pub const fn as_str(self) -> &'static str {
        match self {
            LoadReason::SessionStart => "session_start",
            LoadReason::Nested => "nested",
            LoadReason::Glob => "glob",
            LoadReason::Include => "include",
            LoadReason::Compact => "compact",
        }
    }
}

impl fmt::Display for LoadReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A file was loaded. A host turns events into hooks of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Event {
    /// The path as it is shown.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub path: PathBuf,
    /// Whose instructions these are.
    pub layer: Layer,
    /// Why it was loaded.
    pub reason: LoadReason,
    /// The file that imports it.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_path"))]
    pub parent: Option<PathBuf>,
    /// The path whose use delivered it.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_path"))]
    pub trigger: Option<PathBuf>,
    /// The patterns of a rule that waited for a matching path.
    pub globs: Vec<String>,
}

impl LoadedFile {
    pub(crate) fn event(&self) -> Event {
        Event {
            path: self.path.clone(),
            layer: self.layer,
            reason: self.reason,
            parent: self.parent.clone(),
            trigger: self.trigger.clone(),
            globs: self.globs.clone(),
        }
    }

    /// Replaces the text and its measures.
    pub(crate) fn measure(&mut self) {
        self.chars = self.text.chars().count();
        self.tokens = tokens(&self.text, self.chars);
    }

    /// Cuts the text to so many bytes, at a character.
    pub(crate) fn cut(&mut self, bytes: usize) {
        if self.text.len() <= bytes {
            return;
        }
        let of = match self.extent {
            Extent::Whole => self.text.len(),
            Extent::Cut { of } => of,
        };
        let end = (0..=bytes).rev().find(|at| self.text.is_char_boundary(*at));
        self.text.truncate(end.unwrap_or(0));
        self.extent = Extent::Cut { of };
        self.exact = false;
        self.measure();
    }
}

/// Estimated tokens of a text with so many characters.
pub(crate) fn tokens(text: &str, chars: usize) -> usize {
    let ascii = match text.len() == chars {
        true => chars,
        false => text.bytes().filter(u8::is_ascii).count(),
    };
    ascii.div_ceil(4) + (chars - ascii)
}
