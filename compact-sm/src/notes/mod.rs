//! Session notes: how a conversation is compacted from them, and how they are taken.

mod guard;
pub(crate) mod prompt;
mod sections;
mod taking;
mod task;
mod template;

pub use guard::{EditGuard, EditRefused, Gated, MAX_NOTES_BYTES};
pub use sections::{SectionCut, SectionSize};
pub(crate) use sections::{fit, head_of};
pub use taking::{
    NOTES_STALE_SECONDS, NOTES_WAIT_SECONDS, NotDue, NoteTaking, NotesError, NotesWait, Taking,
};
pub use task::{NotesJob, NotesTask, notes_task};
pub use template::notes_template;

use crate::keep::Summarized;
use crate::summary::says_nothing;

/// Most of one section. In tokens. Origin: several analyses.
pub const SECTION_TOKENS: u64 = 2_000;

/// Most of all sections together. In tokens. Origin: several analyses.
pub const TOTAL_NOTES_TOKENS: u64 = 12_000;

/// The notes of a session, as they stand in their file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Notes {
    /// The text; empty if there are none.
    pub text: String,
    /// What a fresh file holds, if it is not the usual kind: headings, and a line in italics below
    /// each.
    pub template: Option<String>,
    /// How to name the file to the model, if it can read it.
    pub path: Option<String>,
    /// How far they reach.
    pub summarized: Summarized,
}

impl Notes {
    /// Notes of which nobody knows how far they reach.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Notes {
        Notes {
            text: text.into(),
            ..Notes::default()
        }
    }

    /// Sets what a fresh file holds.
    #[must_use]
    pub fn template(mut self, template: impl Into<String>) -> Notes {
        self.template = Some(template.into());
        self
    }

    /// Sets how to name the file to the model.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Notes {
        self.path = Some(path.into());
        self
    }

    /// Sets how far the notes reach.
    #[must_use]
    pub fn summarized(mut self, summarized: Summarized) -> Notes {
        self.summarized = summarized;
        self
    }

    /// Is there nothing but a template?
    #[must_use]
    pub fn is_template(&self) -> bool {
        let lines = |text: &'_ str| -> Vec<String> {
            let lines = text.lines().map(str::trim);
            lines
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect()
        };
        if let Some(template) = &self.template
            && lines(&self.text) == lines(template)
        {
            return true;
        }
        self.text.lines().all(is_form)
    }

    /// Is there nothing below the headings but `None`, or a refusal? Whoever takes notes is a model
    /// too.
    pub(crate) fn says_nothing(&self) -> bool {
        let said = self.text.lines().filter(|line| !is_form(line));
        says_nothing(&said.collect::<Vec<_>>().join("\n"))
    }
}

/// A line that says nothing about the session: a heading, a description, a blank.
fn is_form(line: &str) -> bool {
    let line = line.trim();
    line.is_empty()
        || line.trim_start_matches('#').starts_with(' ') && line.starts_with('#')
        || is_italic(line)
}

/// A whole line in italics, as descriptions are.
fn is_italic(line: &str) -> bool {
    let within = |mark: char| {
        line.len() > 2 && line.starts_with(mark) && line.ends_with(mark) && !line.starts_with("**")
    };
    within('_') || within('*')
}
