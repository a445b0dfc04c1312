//! A memory as one text: what is read from it, and the promise that it comes back unchanged.

use std::convert::Infallible;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::fence::Block;
use crate::read::{self, Fields, Layout};
use crate::{Error, MemoryType, Warning, WarningKind, edit, quote, repair};

/// A frontmatter block larger than this is read line by line and only up to here, in bytes.
/// A header has a few hundred bytes; the limit keeps a hostile file from costing a parser's time.
pub const MAX_FRONTMATTER_BYTES: usize = 64 * 1024;

/// One memory: frontmatter and body.
///
/// Parsing never fails. What it had to put up with is in [`warnings`](Memory::warnings), and
/// [`render`](Memory::render) gives back the bytes that were parsed.
///
/// ```
/// use memdir_types::{Memory, MemoryType};
///
/// let mut memory = Memory::parse("---\nname: Tests\ntype: feedback # mine\n---\n\nNo mocks.\n");
/// assert_eq!(memory.kind(), Some(MemoryType::Feedback));
///
/// memory.set_name("Tests: no mocks")?;
/// assert_eq!(
///     memory.render(),
///     "---\nname: \"Tests: no mocks\"\ntype: feedback # mine\n---\n\nNo mocks.\n"
/// );
/// # Ok::<(), memdir_types::Error>(())
/// ```
#[derive(Clone)]
pub struct Memory {
    pub(crate) text: String,
    pub(crate) fields: Fields,
    /// Invalid UTF-8 was replaced, so the text is not what the file holds.
    pub(crate) lossy: bool,
}

/// Where the type of a new memory is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TypePlace {
    /// `type: …` beside name and description.
    #[default]
    TopLevel,
    /// `type: …` below `metadata:`, as newer clients ask for.
    Metadata,
}

impl Memory {
    /// A new memory, with the type at the top level of its frontmatter.
    ///
    /// The text is written so that every YAML reader gets the same name and description back.
    /// A body without a final line end gets one.
    #[must_use]
    pub fn new(kind: MemoryType, name: &str, description: &str, body: &str) -> Memory {
        Memory::with_type_at(TypePlace::TopLevel, kind, name, description, body)
    }

    /// A new memory with the type at a chosen place.
    #[must_use]
    pub fn with_type_at(
        place: TypePlace,
        kind: MemoryType,
        name: &str,
        description: &str,
        body: &str,
    ) -> Memory {
        let name = quote::scalar(name);
        let description = quote::scalar(description);
        let place = match place {
            TypePlace::TopLevel => "",
            TypePlace::Metadata => "metadata:\n  ",
        };
        let end = match body {
            "" => "",
            body if body.ends_with('\n') => "",
            _ => "\n",
        };
        Memory::parse(&format!(
            "---\nname: {name}\ndescription: {description}\n{place}type: {kind}\n---\n\n{body}{end}"
        ))
    }

    /// Reads a memory. Never fails; [`warnings`](Memory::warnings) says what is odd.
    #[must_use]
    pub fn parse(text: &str) -> Memory {
        Memory::from_text(text.to_owned())
    }

    pub(crate) fn from_text(text: String) -> Memory {
        let fields = read::read(&text);
        Memory {
            text,
            fields,
            lossy: false,
        }
    }

    /// Reads a memory from the bytes of a file. Each sequence that is not UTF-8 becomes U+FFFD,
    /// with a warning, and edits are refused until [`repair`](Memory::repair) is called.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Memory {
        let text = String::from_utf8_lossy(bytes);
        let lossy = matches!(&text, std::borrow::Cow::Owned(_));
        let mut memory = Memory::parse(&text);
        memory.lossy = lossy;
        if lossy {
            let valid = match std::str::from_utf8(bytes) {
                Ok(text) => text.len(),
                Err(error) => error.valid_up_to(),
            };
            let line = crate::fence::line_number(&memory.text, valid);
            let warning = Warning::new(line, WarningKind::NotUtf8);
            let warnings = &mut memory.fields.warnings;
            let at = warnings.partition_point(|other| other.line <= line);
            warnings.insert(at, warning);
        }
        memory
    }

    /// Whether both fences of a frontmatter block are there.
    #[must_use]
    pub fn has_frontmatter(&self) -> bool {
        matches!(self.fields.split.block, Block::Closed { .. })
    }

    /// The name, if the frontmatter gives one. `name:` without a value is none.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.fields.name.as_deref()
    }

    /// The description, if the frontmatter gives one. `description:` without a value is none,
    /// `description: ""` is an empty text.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.fields.description.as_deref()
    }

    /// The type, read at the top level or below `metadata`; none if it is missing or unknown.
    #[must_use]
    pub fn kind(&self) -> Option<MemoryType> {
        self.fields.kind
    }

    /// The type as it is written, known or not.
    #[must_use]
    pub fn kind_text(&self) -> Option<&str> {
        self.fields.kind_text.as_deref()
    }

    /// The time of the last change as a client wrote it, in ISO 8601. Read as text and kept.
    #[must_use]
    pub fn modified(&self) -> Option<&str> {
        self.fields.modified.as_deref()
    }

    /// What follows the frontmatter, without the one empty line that separates the two. Without
    /// both fences, the whole text.
    #[must_use]
    pub fn body(&self) -> &str {
        &self.text[self.body_start()..]
    }

    /// The lines that the fields were read from, at most [`MAX_FRONTMATTER_BYTES`] of them.
    pub(crate) fn block(&self) -> Range<usize> {
        let range = match &self.fields.split.block {
            Block::Closed { inner, .. } => inner.clone(),
            Block::Unclosed { start } => *start..self.text.len(),
            Block::None => self.fields.split.bom..self.text.len(),
        };
        let end = range.end.min(range.start + MAX_FRONTMATTER_BYTES);
        range.start..read::floor_boundary(&self.text, end)
    }

    /// The keys of those lines; none if the fields were not read from any.
    pub(crate) fn layout(&self) -> Layout {
        if self.has_frontmatter() || self.is_recovered() {
            Layout::of(&self.text, self.block())
        } else {
            Layout::default()
        }
    }

    pub(crate) fn body_start(&self) -> usize {
        match self.fields.split.block {
            Block::Closed { after, .. } => {
                let rest = &self.text[after..];
                let blank = if rest.starts_with("\r\n") {
                    2
                } else {
                    usize::from(rest.starts_with('\n'))
                };
                after + blank
            }
            Block::None | Block::Unclosed { .. } => self.fields.split.bom,
        }
    }

    /// What is odd about the text, by line. Empty for a memory that is as it should be.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.fields.warnings
    }

    /// Whether the fields were read line by line because the block is not valid YAML, is too
    /// large, or lacks a fence. Such a memory reads, but refuses edits until it is repaired.
    #[must_use]
    pub fn is_recovered(&self) -> bool {
        self.fields.recovered
    }

    /// The whole text: byte for byte what was parsed, but for edits.
    #[must_use]
    pub fn render(&self) -> String {
        self.text.clone()
    }

    /// The whole text, borrowed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Replaces the name. Only the bytes of its value change; a missing key is added, and so is
    /// a missing frontmatter block.
    ///
    /// # Errors
    ///
    /// [`Recovered`](crate::ErrorKind::Recovered), [`TooLarge`](crate::ErrorKind::TooLarge) or
    /// [`NotUtf8`](crate::ErrorKind::NotUtf8) if the memory needs a [`repair`](Memory::repair)
    /// first (or the block would become too large), [`NotEditable`](crate::ErrorKind::NotEditable) if the value stands in a form that
    /// cannot be replaced on its own. The memory is then unchanged.
    pub fn set_name(&mut self, name: &str) -> Result<(), Error> {
        edit::set(self, edit::Key::Name, name)
    }

    /// Replaces the description, as [`set_name`](Memory::set_name) does the name.
    ///
    /// # Errors
    ///
    /// As for [`set_name`](Memory::set_name).
    pub fn set_description(&mut self, description: &str) -> Result<(), Error> {
        edit::set(self, edit::Key::Description, description)
    }

    /// Replaces the type where the file has it: at the top level, below `metadata`, or at both.
    ///
    /// # Errors
    ///
    /// As for [`set_name`](Memory::set_name).
    pub fn set_kind(&mut self, kind: MemoryType) -> Result<(), Error> {
        edit::set(self, edit::Key::Kind, kind.as_str())
    }

    /// Replaces the time of the last change. Unlike the other edits, this one never adds a
    /// frontmatter block.
    ///
    /// # Errors
    ///
    /// As for [`set_name`](Memory::set_name), and
    /// [`NoFrontmatter`](crate::ErrorKind::NoFrontmatter) if there is none.
    pub fn set_modified(&mut self, modified: &str) -> Result<(), Error> {
        edit::set(self, edit::Key::Modified, modified)
    }

    /// Replaces the body. The frontmatter keeps its bytes; an empty line is put between the two
    /// if there is none.
    ///
    /// # Errors
    ///
    /// [`Recovered`](crate::ErrorKind::Recovered), [`TooLarge`](crate::ErrorKind::TooLarge) or
    /// [`NotUtf8`](crate::ErrorKind::NotUtf8) if the memory needs a [`repair`](Memory::repair)
    /// first.
    pub fn set_body(&mut self, body: &str) -> Result<(), Error> {
        edit::set_body(self, body)
    }

    /// Rewrites a recovered block as strict YAML, with both fences, so that it can be edited.
    /// Nothing is lost: lines that have no place in YAML stay as comments. On a memory with
    /// invalid UTF-8, it accepts the replacement characters. Does nothing to a sound memory.
    ///
    /// # Errors
    ///
    /// [`TooLarge`](crate::ErrorKind::TooLarge) if the block exceeds
    /// [`MAX_FRONTMATTER_BYTES`], or would once its lines are quoted; the memory is then
    /// unchanged.
    pub fn repair(&mut self) -> Result<(), Error> {
        repair::repair(self)
    }
}

/// Two memories are equal if their texts are: everything else follows from it.
impl PartialEq for Memory {
    fn eq(&self, other: &Memory) -> bool {
        self.text == other.text
    }
}

impl Eq for Memory {}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory")
            .field("name", &self.fields.name)
            .field("description", &self.fields.description)
            .field("kind", &self.fields.kind)
            .field("modified", &self.fields.modified)
            .field("recovered", &self.fields.recovered)
            .field("body_bytes", &self.body().len())
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Memory {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Memory, Infallible> {
        Ok(Memory::parse(text))
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Memory {
    /// The fields that were read, the body, and the warnings; not the raw block.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;

        let mut out = serializer.serialize_struct("Memory", 8)?;
        out.serialize_field("name", &self.fields.name)?;
        out.serialize_field("description", &self.fields.description)?;
        out.serialize_field("type", &self.fields.kind)?;
        out.serialize_field("type_text", &self.fields.kind_text)?;
        out.serialize_field("modified", &self.fields.modified)?;
        out.serialize_field("recovered", &self.fields.recovered)?;
        out.serialize_field("body", self.body())?;
        out.serialize_field("warnings", &self.fields.warnings)?;
        out.end()
    }
}
