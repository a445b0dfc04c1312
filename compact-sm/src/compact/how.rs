//! What a compaction is asked for, and what it works with.

use std::fmt;
use std::ops::Range;

use crate::boundary::By;
use crate::breaker::Breaker;
use crate::from_notes::{Form, FromNotes};
use crate::hooks::IfBlocked;
use crate::micro::{MicroOptions, When};
use crate::notes::Notes;
use crate::refused::Refused;
use crate::reinject::SessionStart;
use crate::restore::{Files, NoFiles, Restore};
use crate::summary::{Images, Returns};
use crate::tokens::Counter;
use crate::window::{Decision, Policy, Switch};

/// Messages that stay word for word beside a summary. In items. Origin: the client's behavior.
const KEPT_MANUAL: usize = 1;
const KEPT_AUTO: usize = 2;
const KEPT_REFUSED: usize = 6;

/// Why a compaction is asked for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Cause<'a> {
    /// The policy decided it.
    Auto(&'a Decision),
    /// A request was refused as too long.
    Refused(Refused),
    /// The person asked for it.
    Manual {
        /// What the summary should keep.
        instructions: Option<String>,
    },
    /// The person asked for a summary of some messages; those before and after stay.
    ///
    /// The record of a transcript knows one piece that stays. If something stays before the
    /// summary, that piece is everything: read from there, no message is missing, but the summary
    /// comes first, and what it stands for may be there too.
    Partial {
        /// The messages; widened to where the list may be cut, and without the last turn if its
        /// calls wait for their results.
        run: Range<usize>,
        /// What the summary should keep.
        instructions: Option<String>,
    },
}

impl Cause<'_> {
    /// The person asked for it, perhaps with instructions.
    #[must_use]
    pub fn manual(instructions: Option<&str>) -> Cause<'static> {
        Cause::Manual {
            instructions: instructions.map(str::to_owned),
        }
    }

    /// The person asked for a summary of some messages, perhaps with instructions.
    #[must_use]
    pub fn partial(run: Range<usize>, instructions: Option<&str>) -> Cause<'static> {
        Cause::Partial {
            run,
            instructions: instructions.map(str::to_owned),
        }
    }

    pub(super) fn by(&self) -> By {
        match self {
            Cause::Auto(_) | Cause::Refused(_) => By::Auto,
            Cause::Manual { .. } | Cause::Partial { .. } => By::Manual,
        }
    }

    pub(super) fn instructions(&self) -> Option<&str> {
        let (Cause::Manual { instructions } | Cause::Partial { instructions, .. }) = self else {
            return None;
        };
        instructions.as_deref()
    }

    pub(super) fn if_blocked(&self) -> IfBlocked {
        match self {
            Cause::Refused(_) => IfBlocked::ErrorSurfaces,
            _ => IfBlocked::Skipped,
        }
    }

    pub(super) fn kept(&self) -> usize {
        match self {
            Cause::Auto(_) => KEPT_AUTO,
            Cause::Refused(_) => KEPT_REFUSED,
            Cause::Manual { .. } | Cause::Partial { .. } => KEPT_MANUAL,
        }
    }
}

/// What a compaction works with.
#[derive(Clone)]
#[non_exhaustive]
pub struct Compact<'a> {
    /// The breaker of the session.
    pub breaker: &'a Breaker,
    /// How tokens are counted.
    pub counter: &'a (dyn Counter + Sync),
    /// The notes of the session.
    pub notes: Option<&'a Notes>,
    /// Whether notes may be used, and what decided it.
    pub notes_switch: Option<Switch>,
    /// Whether a person may compact, and what decided it.
    pub manual_switch: Option<Switch>,
    /// Whether compaction happens without a person, and what decided it.
    pub automatic_switch: Option<Switch>,
    /// Figures: what is kept beside notes, what the conversation holds, the threshold, the form of
    /// the boundary, the transcript, ids. Trigger and instructions come from the cause.
    pub figures: FromNotes,
    /// Micro-compaction, if it is tried first.
    pub micro: Option<(When, MicroOptions)>,
    /// What becomes of images and documents in the request for a summary.
    pub images: Images,
    /// What that request may have. In tokens, all of it; none if nothing is known.
    pub room: Option<u64>,
    /// Which messages come back anyway and are left out of that request.
    pub returns: Returns,
    /// What comes back afterwards.
    pub restore: Restore,
    /// How files are read again.
    pub files: &'a (dyn Files + Sync),
    /// What a session starts with, without what its hooks say.
    pub start: Option<&'a SessionStart>,
}

impl fmt::Debug for Compact<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compact")
            .field("breaker", self.breaker)
            .field("notes", &self.notes)
            .field("figures", &self.figures)
            .field("micro", &self.micro)
            .field("images", &self.images)
            .field("room", &self.room)
            .field("restore", &self.restore)
            .finish_non_exhaustive()
    }
}

impl<'a> Compact<'a> {
    /// Without notes, micro-compaction, files and figures.
    #[must_use]
    pub fn new(breaker: &'a Breaker, counter: &'a (dyn Counter + Sync)) -> Compact<'a> {
        Compact {
            breaker,
            counter,
            notes: None,
            notes_switch: None,
            manual_switch: None,
            automatic_switch: None,
            figures: FromNotes::default(),
            micro: None,
            images: Images::default(),
            room: None,
            returns: Returns::default(),
            restore: Restore::default(),
            files: &NoFiles,
            start: None,
        }
    }

    /// Takes over what a policy says: switches, the threshold, what is kept, the room.
    #[must_use]
    pub fn policy(mut self, policy: &Policy) -> Compact<'a> {
        self.notes_switch = Some(policy.notes_compaction());
        self.manual_switch = Some(policy.manual());
        self.automatic_switch = Some(policy.automatic());
        self.figures.keep = *policy.keep();
        self.figures.max_images = Some(policy.window().max_images);
        if let Some(thresholds) = policy.thresholds() {
            self.figures.threshold = Some(thresholds.compact);
            self.room = Some(thresholds.effective);
        }
        self
    }

    /// Sets the notes of the session.
    #[must_use]
    pub fn notes(mut self, notes: &'a Notes) -> Compact<'a> {
        self.notes = Some(notes);
        self
    }

    /// Changes the figures.
    #[must_use]
    pub fn figures(mut self, change: impl FnOnce(FromNotes) -> FromNotes) -> Compact<'a> {
        self.figures = change(self.figures);
        self
    }

    /// Sets the form of the boundary.
    #[must_use]
    pub fn form(mut self, form: Form) -> Compact<'a> {
        self.figures.form = form;
        self
    }

    /// Sets how to name the transcript to the model, if it can read it.
    #[must_use]
    pub fn transcript(mut self, path: impl Into<String>) -> Compact<'a> {
        self.figures.transcript = Some(path.into());
        self
    }

    /// Sets the host's id for the summary.
    #[must_use]
    pub fn summary_uuid(mut self, uuid: impl Into<String>) -> Compact<'a> {
        self.figures.summary_uuid = Some(uuid.into());
        self
    }

    /// Tries micro-compaction first.
    #[must_use]
    pub fn micro(mut self, when: When, options: MicroOptions) -> Compact<'a> {
        self.micro = Some((when, options));
        self
    }

    /// Sets what becomes of images and documents in the request for a summary.
    #[must_use]
    pub fn images(mut self, images: Images) -> Compact<'a> {
        self.images = images;
        self
    }

    /// Sets what the request for a summary may have. In tokens, all of it.
    #[must_use]
    pub fn room(mut self, tokens: u64) -> Compact<'a> {
        self.room = Some(tokens);
        self
    }

    /// Sets which messages come back anyway.
    #[must_use]
    pub fn returns(mut self, returns: Returns) -> Compact<'a> {
        self.returns = returns;
        self
    }

    /// Sets what comes back afterwards.
    #[must_use]
    pub fn restore(mut self, restore: Restore) -> Compact<'a> {
        self.restore = restore;
        self
    }

    /// Sets what a session starts with, fresh from disk and without what its hooks say, so that the
    /// result can list what has to be in the next request.
    #[must_use]
    pub fn start(mut self, start: &'a SessionStart) -> Compact<'a> {
        self.start = Some(start);
        self
    }

    /// Sets how files are read again.
    #[must_use]
    pub fn files(mut self, files: &'a (dyn Files + Sync)) -> Compact<'a> {
        self.files = files;
        self
    }
}
