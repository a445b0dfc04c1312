//! What stands before the conversation, as plain data.

use crate::date::Date;
use crate::prompt;

/// The context that a host puts into the first user message.
///
/// ```
/// use claudemd::{Date, UserContext};
///
/// let today = Date::new(2026, 11, 30).unwrap();
/// let context = UserContext::new(Some("Use tabs.".to_owned()), today);
/// assert_eq!(context.current_date, "Today's date is 2026-11-30.");
/// assert!(context.to_message_text().starts_with("<system-reminder>"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct UserContext {
    /// The instruction files with their headers; `None` when they are switched off or empty. A
    /// line of a file that poses as a header has a backslash before it; else the text is raw:
    /// only the message escapes what could close its tag.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub claude_md: Option<String>,
    /// `Today's date is YYYY-MM-DD.`
    pub current_date: String,
    /// What the host adds after the instruction files, such as the index of a memory.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub sections: Vec<Section>,
}

/// A section that the host adds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Section {
    /// The heading of the section, by which it can be left out again.
    pub name: String,
    /// Its text, raw.
    pub text: String,
}

impl UserContext {
    /// The context of instructions and a local date.
    pub fn new(claude_md: Option<String>, today: Date) -> UserContext {
        UserContext {
            claude_md,
            current_date: prompt::current_date(today),
            sections: Vec::new(),
        }
    }

    /// Adds a section after the instruction files; an empty text adds nothing.
    #[must_use]
    pub fn section(mut self, name: impl Into<String>, text: impl Into<String>) -> UserContext {
        let (name, text) = (name.into(), text.into());
        if !text.trim().is_empty() {
            self.sections.push(Section { name, text });
        }
        self
    }

    /// Leaves out the sections of a name, for agents that get no memory index.
    #[must_use]
    pub fn without_section(mut self, name: &str) -> UserContext {
        self.sections.retain(|section| section.name != name);
        self
    }

    /// Leaves out everything but the date, for subagents that get no instructions.
    #[must_use]
    pub fn date_only(mut self) -> UserContext {
        self.claude_md = None;
        self.sections.clear();
        self
    }

    /// The text of the message: one `system-reminder`. Text that could close the tag is escaped.
    pub fn to_message_text(&self) -> String {
        prompt::message(self)
    }
}
