//! How to compact from notes.

use crate::boundary::By;
use crate::config::KeepConfig;
use crate::tokens::Used;
use crate::window::{Decision, Policy};

/// How the place of the cut is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Form {
    /// By the record in [`Applied::boundary`](crate::Applied::boundary), which the host stores beside the messages.
    #[default]
    Record,
    /// In the text of the summary, for hosts without records.
    Text,
}

/// What to do if what the notes do not cover is more than the maximum of the kept tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum NotCovered {
    /// Nothing: a summary has to be made, because something would be lost.
    #[default]
    FallBack,
    /// Lose it.
    Drop,
}

/// How to compact from notes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct FromNotes {
    /// How much is kept.
    pub keep: KeepConfig,
    /// What the conversation holds; none to count it here.
    pub used: Option<Used>,
    /// What the result has to stay below. In tokens; none if nothing is known.
    pub threshold: Option<u64>,
    /// Most images that a request takes, in items; none for [`MAX_IMAGES`](crate::MAX_IMAGES).
    pub max_images: Option<usize>,
    /// Who asked for it.
    pub trigger: By,
    /// Instructions of the person: notes cannot follow any.
    pub instructions: Option<String>,
    /// What to do with what the notes do not cover.
    pub not_covered: NotCovered,
    /// How the place of the cut is marked.
    pub form: Form,
    /// How to name the transcript to the model, if it can read it.
    pub transcript: Option<String>,
    /// The host's id for the summary, so that the record can say what follows it.
    pub summary_uuid: Option<String>,
    /// What former compactions of the session left out. In tokens.
    pub dropped_before: u64,
}

impl FromNotes {
    /// What a policy says about a decision of its own.
    #[must_use]
    pub fn of(policy: &Policy, decision: &Decision) -> FromNotes {
        FromNotes {
            keep: *policy.keep(),
            used: Some(decision.used),
            threshold: policy.thresholds().map(|thresholds| thresholds.compact),
            max_images: Some(policy.window().max_images),
            ..FromNotes::default()
        }
    }

    /// Sets how much is kept.
    #[must_use]
    pub fn keep(mut self, keep: KeepConfig) -> FromNotes {
        self.keep = keep;
        self
    }

    /// Sets what the conversation holds.
    #[must_use]
    pub fn used(mut self, used: Used) -> FromNotes {
        self.used = Some(used);
        self
    }

    /// Sets what the result has to stay below. In tokens.
    #[must_use]
    pub fn threshold(mut self, tokens: u64) -> FromNotes {
        self.threshold = Some(tokens);
        self
    }

    /// Sets the most images that a request takes. In items.
    #[must_use]
    pub fn max_images(mut self, images: usize) -> FromNotes {
        self.max_images = Some(images);
        self
    }

    /// Sets who asked for it.
    #[must_use]
    pub fn trigger(mut self, trigger: By) -> FromNotes {
        self.trigger = trigger;
        self
    }

    /// Sets the instructions of the person.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> FromNotes {
        self.instructions = Some(instructions.into());
        self
    }

    /// Sets what to do with what the notes do not cover.
    #[must_use]
    pub fn not_covered(mut self, not_covered: NotCovered) -> FromNotes {
        self.not_covered = not_covered;
        self
    }

    /// Sets how the place of the cut is marked.
    #[must_use]
    pub fn form(mut self, form: Form) -> FromNotes {
        self.form = form;
        self
    }

    /// Sets how to name the transcript to the model.
    #[must_use]
    pub fn transcript(mut self, transcript: impl Into<String>) -> FromNotes {
        self.transcript = Some(transcript.into());
        self
    }

    /// Sets the host's id for the summary.
    #[must_use]
    pub fn summary_uuid(mut self, uuid: impl Into<String>) -> FromNotes {
        self.summary_uuid = Some(uuid.into());
        self
    }

    /// Sets what former compactions left out. In tokens.
    #[must_use]
    pub fn dropped_before(mut self, tokens: u64) -> FromNotes {
        self.dropped_before = tokens;
        self
    }
}
