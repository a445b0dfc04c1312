//! The header of a memory alone, for those who list many files.

use crate::fence::{self, Block};
use crate::read::{self, Fields, floor_boundary};
use crate::{MAX_FRONTMATTER_BYTES, MemoryType, Warning};

/// How many lines of a file a header is looked for in, both fences included: the limit of the
/// format for readers that list memories.
pub const HEADER_LINES: usize = 30;

/// What the frontmatter of a file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Header {
    /// As [`Memory::name`](crate::Memory::name).
    pub name: Option<String>,
    /// As [`Memory::description`](crate::Memory::description).
    pub description: Option<String>,
    /// As [`Memory::kind`](crate::Memory::kind).
    pub kind: Option<MemoryType>,
    /// As [`Memory::kind_text`](crate::Memory::kind_text).
    pub kind_text: Option<String>,
    /// As [`Memory::modified`](crate::Memory::modified).
    pub modified: Option<String>,
    /// As [`Memory::is_recovered`](crate::Memory::is_recovered).
    pub recovered: bool,
    /// As [`Memory::warnings`](crate::Memory::warnings).
    pub warnings: Vec<Warning>,
}

impl From<Fields> for Header {
    fn from(fields: Fields) -> Header {
        Header {
            name: fields.name,
            description: fields.description,
            kind: fields.kind,
            kind_text: fields.kind_text,
            modified: fields.modified,
            recovered: fields.recovered,
            warnings: fields.warnings,
        }
    }
}

/// Reads the header from the first [`HEADER_LINES`] lines of a text; the rest may be missing.
///
/// A header that goes on past those lines is read as far as it goes, line by line, with a
/// warning. Never fails.
///
/// ```
/// let header = memdir_types::parse_header("---\nname: n\ntype: user\n---\n\nA long body …");
/// assert_eq!(header.name.as_deref(), Some("n"));
/// ```
#[must_use]
pub fn parse_header(text: &str) -> Header {
    let cap = floor_boundary(text, MAX_FRONTMATTER_BYTES + 16);
    let mut end = 0;
    for _ in 0..HEADER_LINES {
        let (_, next) = fence::line_at(text, end);
        end = next;
        if end >= cap {
            end = cap;
            break;
        }
    }
    let head = &text[..end];
    match fence::split(head).block {
        Block::Unclosed { start } if end < text.len() => {
            // Whether the block is closed at all is seen only further down; the answer here must
            // not depend on that.
            read::read_cut_header(head, start).into()
        }
        _ => read::read(head).into(),
    }
}
