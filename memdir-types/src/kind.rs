//! The closed set of memory types, and who may see a memory.

use std::fmt;
use std::str::FromStr;

use crate::{Error, ErrorKind};

/// What a memory is about.
///
/// The set is closed on purpose: four types are what the format knows, and every prompt,
/// every reader and every other program in the same directory counts on them. That is why
/// this enum is not `#[non_exhaustive]`.
///
/// ```
/// use memdir_types::MemoryType;
///
/// assert_eq!("feedback".parse(), Ok(MemoryType::Feedback));
/// assert_eq!(MemoryType::Feedback.to_string(), "feedback");
/// assert!("decision".parse::<MemoryType>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum MemoryType {
    /// The person: role, knowledge, how they like to work.
    User,
    /// How to work with this person: corrections and confirmed approaches.
    Feedback,
    /// Work in progress, reasons and dates that the repository does not show.
    Project,
    /// Where to look outside the project.
    Reference,
}

impl MemoryType {
    /// The four types, in the order in which prompts list them.
    pub const ALL: [MemoryType; 4] = [
        MemoryType::User,
        MemoryType::Feedback,
        MemoryType::Project,
        MemoryType::Reference,
    ];

    /// The word that stands in the frontmatter.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            MemoryType::User => "user",
            MemoryType::Feedback => "feedback",
            MemoryType::Project => "project",
            MemoryType::Reference => "reference",
        }
    }

    /// The type that a text names, ignoring case and surrounding white space.
    pub(crate) fn from_text(text: &str) -> Option<MemoryType> {
        let text = text.trim();
        MemoryType::ALL
            .into_iter()
            .find(|kind| kind.as_str().eq_ignore_ascii_case(text))
    }
}

impl fmt::Display for MemoryType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for MemoryType {
    type Err = Error;

    /// Reads one of the four words; case and surrounding white space do not matter.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownType`] for any other text.
    fn from_str(text: &str) -> Result<MemoryType, Error> {
        MemoryType::from_text(text).ok_or_else(|| Error::new(ErrorKind::UnknownType))
    }
}

/// Who shares a memory.
///
/// Closed on purpose, as [`MemoryType`] is: a memory is private or shared, nothing between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Scope {
    /// Only the person whose home directory holds it.
    Private,
    /// Everyone who works on the project.
    Team,
}

impl Scope {
    /// Both scopes, the narrower one first.
    pub const ALL: [Scope; 2] = [Scope::Private, Scope::Team];

    /// The word that prompts use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Scope::Private => "private",
            Scope::Team => "team",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
