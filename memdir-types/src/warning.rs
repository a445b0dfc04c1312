//! What was odd about a memory that was read.

use std::fmt;

/// One thing that a reader of the file should know: where it is, and what was made of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Warning {
    /// The line in the file, counted from 1.
    pub line: usize,
    /// What is odd there, and what was made of it.
    pub kind: WarningKind,
}

/// The kinds of [`Warning`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum WarningKind {
    /// The file opens with `---`, and no line closes the block. Everything is body.
    Unclosed,
    /// The block ends with `---` but does not begin with one. Everything is body.
    Unopened,
    /// The header goes on past [`HEADER_LINES`](crate::HEADER_LINES) lines (or past
    /// [`MAX_FRONTMATTER_BYTES`](crate::MAX_FRONTMATTER_BYTES)); only its start was read.
    HeaderTooLong,
    /// The block is larger than [`MAX_FRONTMATTER_BYTES`](crate::MAX_FRONTMATTER_BYTES); it was
    /// read line by line, and only up to there.
    TooLarge,
    /// The block is not valid YAML; it was read line by line.
    NotYaml,
    /// This line is neither a key with a value nor part of one.
    NotAKey,
    /// The value of this key is not valid YAML; the text was taken as it stands.
    TakenLiterally(&'static str),
    /// The key stands more than once; the last value counts.
    Duplicate(&'static str),
    /// A YAML reader would take what follows ` #` for a comment; it was kept as text.
    HashIsText(&'static str),
    /// The value is a list or a mapping where a text belongs; it was left out.
    NotText(&'static str),
    /// The type is none of the four.
    UnknownType,
    /// The type at the top level and the one below `metadata` differ; the first known one counts,
    /// top level first.
    TypesDiffer,
    /// The file is not valid UTF-8; each invalid sequence was replaced by U+FFFD.
    NotUtf8,
}

impl Warning {
    pub(crate) fn new(line: usize, kind: WarningKind) -> Warning {
        Warning { line, kind }
    }

    /// What is odd, in words; never the text of the file.
    #[must_use]
    pub fn reason(&self) -> String {
        self.kind.to_string()
    }
}

impl fmt::Display for WarningKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WarningKind::Unclosed => f.write_str(
                "the frontmatter is never closed by a line `---`; everything counts as body",
            ),
            WarningKind::Unopened => f.write_str(
                "the frontmatter is never opened by a line `---`; everything counts as body",
            ),
            WarningKind::HeaderTooLong => {
                f.write_str("the frontmatter does not end within the header; read up to here")
            }
            WarningKind::TooLarge => {
                f.write_str("the frontmatter is larger than 65536 bytes; read up to there")
            }
            WarningKind::NotYaml => {
                f.write_str("the frontmatter is not valid yaml; read line by line")
            }
            WarningKind::NotAKey => f.write_str("neither a key nor part of a value; skipped"),
            WarningKind::TakenLiterally(key) => {
                write!(
                    f,
                    "the value of `{key}` is not valid yaml; taken as written"
                )
            }
            WarningKind::Duplicate(key) => {
                write!(f, "`{key}` stands more than once; the last one counts")
            }
            WarningKind::HashIsText(key) => write!(
                f,
                "yaml would cut `{key}` before ` #`; kept as text, quote the value"
            ),
            WarningKind::NotText(key) => {
                write!(f, "the value of `{key}` is not a text; left out")
            }
            WarningKind::UnknownType => {
                f.write_str("the type is not one of user, feedback, project, reference")
            }
            WarningKind::TypesDiffer => {
                f.write_str("`type` and `metadata.type` differ; the first known one counts")
            }
            WarningKind::NotUtf8 => {
                f.write_str("the file is not valid utf-8; invalid bytes were replaced")
            }
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind)
    }
}
