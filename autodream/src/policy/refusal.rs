//! Why something may not be done, in words that a model can act on.

use std::fmt;

/// 80 characters: more of the refused part is not quoted. Enough to find it again.
const MAX_PART_CHARS: usize = 80;

/// Why a tool use was refused, and the part that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Refusal {
    kind: RefusalKind,
    why: &'static str,
    part: String,
}

/// The kinds of [`Refusal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum RefusalKind {
    /// The tool is not among those that a consolidation may use.
    Tool,
    /// The input of the tool is not what the tool takes.
    Input,
    /// A character that hides something or that a shell reads in its own way.
    Character,
    /// A construct of the shell that is not known to be harmless.
    Syntax,
    /// The program is not on the list.
    Program,
    /// An option, or its value, is not on the list of the program.
    Option,
    /// There are too few or too many operands, or one is not of the form that is known.
    Operand,
    /// A path leads out of the memory directory, the transcripts and the project.
    Outside,
    /// A path leads to a place that holds credentials.
    Secret,
    /// A path leads to something that is neither a file nor a folder.
    Special,
    /// A file may be read, yet not written.
    ReadOnly,
    /// A glob that matches nothing, or more than is looked at.
    Glob,
    /// It is longer than what is looked at.
    TooLong,
}

impl Refusal {
    /// A refusal, for a host that judges on its own: the part of the tool use that it is about, of
    /// which the beginning is shown, and why.
    #[must_use]
    pub fn new(kind: RefusalKind, part: impl AsRef<str>, why: &'static str) -> Refusal {
        // Escaped: what cannot be seen in the command can be seen in its refusal.
        let mut shown = String::new();
        for (count, c) in part.as_ref().chars().enumerate() {
            if count == MAX_PART_CHARS {
                shown.push('…');
                break;
            }
            if c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric() {
                shown.push(c);
            } else {
                shown.extend(c.escape_default());
            }
        }
        Refusal {
            kind,
            why,
            part: shown,
        }
    }

    /// What kind of reason it is.
    #[must_use]
    pub fn kind(&self) -> RefusalKind {
        self.kind
    }

    /// The part of the input that it is about, at most 80 characters, invisible ones escaped.
    #[must_use]
    pub fn part(&self) -> &str {
        &self.part
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.part.is_empty() {
            f.write_str(self.why)
        } else {
            write!(f, "`{}`: {}", self.part, self.why)
        }
    }
}

impl std::error::Error for Refusal {}
