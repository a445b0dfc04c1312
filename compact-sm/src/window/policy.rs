//! What is allowed, and from which figure on: window, environment, settings and flags together.

use std::fmt;

use super::input::is_on;
use super::{Flags, Overrides, Settings, Thresholds, Window};
use crate::config::{Ignored, KeepConfig, NotesConfig};

/// What decided a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Decider {
    /// `DISABLE_COMPACT`.
    DisableCompact,
    /// `DISABLE_AUTO_COMPACT`.
    DisableAutoCompact,
    /// `autoCompactEnabled`.
    AutoCompactEnabled,
    /// `ENABLE_CLAUDE_CODE_SM_COMPACT`.
    EnableNotes,
    /// `DISABLE_CLAUDE_CODE_SM_COMPACT`.
    DisableNotes,
    /// `tengu_session_memory`.
    SessionMemory,
    /// `tengu_sm_compact`.
    NotesCompaction,
    /// Nothing: it is the default.
    Default,
}

impl fmt::Display for Decider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Decider::DisableCompact => "DISABLE_COMPACT",
            Decider::DisableAutoCompact => "DISABLE_AUTO_COMPACT",
            Decider::AutoCompactEnabled => "autoCompactEnabled",
            Decider::EnableNotes => "ENABLE_CLAUDE_CODE_SM_COMPACT",
            Decider::DisableNotes => "DISABLE_CLAUDE_CODE_SM_COMPACT",
            Decider::SessionMemory => "tengu_session_memory",
            Decider::NotesCompaction => "tengu_sm_compact",
            Decider::Default => "default",
        })
    }
}

/// Whether something is allowed, and what decided it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Switch {
    /// Is it allowed?
    pub on: bool,
    /// What decided it.
    pub decided_by: Decider,
}

impl Switch {
    fn on(decided_by: Decider) -> Switch {
        Switch {
            on: true,
            decided_by,
        }
    }

    fn off(decided_by: Decider) -> Switch {
        Switch {
            on: false,
            decided_by,
        }
    }
}

/// The rules of a session. Made once, and again if the model or the settings change.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    pub(super) window: Window,
    thresholds: Option<Thresholds>,
    ignored: Vec<Ignored>,
    manual: Switch,
    automatic: Switch,
    notes_taking: Switch,
    notes_compaction: Switch,
    keep: KeepConfig,
    notes: NotesConfig,
    pub(super) reactive: bool,
}

impl Policy {
    /// Puts together what holds for a session.
    #[must_use]
    pub fn new(
        window: &Window,
        overrides: &Overrides,
        settings: &Settings,
        flags: &Flags,
    ) -> Policy {
        let mut ignored = Vec::new();
        let configured = overrides.tokens(&mut ignored);
        let configured = configured.or(settings.auto_compact_window.filter(|tokens| *tokens > 0));
        let percent = overrides.percentage(&mut ignored);
        let (manual, automatic) = switches(overrides, settings);
        let thresholds = Thresholds::new(window, configured, percent, automatic.on);
        let keep = match &thresholds {
            Some(thresholds) => flags.keep.fitted(thresholds.compact),
            None => flags.keep,
        };
        Policy {
            window: window.clone(),
            thresholds,
            ignored,
            manual,
            automatic,
            notes_taking: match automatic {
                off if !off.on => off,
                _ if flags.session_memory => Switch::on(Decider::SessionMemory),
                _ => Switch::off(Decider::SessionMemory),
            },
            notes_compaction: notes(manual, overrides, flags),
            keep,
            notes: flags.notes,
            reactive: flags.reactive,
        }
    }

    /// The window that it was made for.
    #[must_use]
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// The figures; none if the window is unknown.
    #[must_use]
    pub fn thresholds(&self) -> Option<&Thresholds> {
        self.thresholds.as_ref()
    }

    /// Values of the environment that were not used, and why.
    #[must_use]
    pub fn ignored(&self) -> &[Ignored] {
        &self.ignored
    }

    /// May the person ask for a compaction?
    #[must_use]
    pub fn manual(&self) -> Switch {
        self.manual
    }

    /// Is there automatic compaction?
    #[must_use]
    pub fn automatic(&self) -> Switch {
        self.automatic
    }

    /// Are notes taken?
    #[must_use]
    pub fn notes_taking(&self) -> Switch {
        self.notes_taking
    }

    /// Are conversations compacted from notes?
    #[must_use]
    pub fn notes_compaction(&self) -> Switch {
        self.notes_compaction
    }

    /// How much is kept, fitted to the window.
    #[must_use]
    pub fn keep(&self) -> &KeepConfig {
        &self.keep
    }

    /// When notes are due.
    #[must_use]
    pub fn notes(&self) -> &NotesConfig {
        &self.notes
    }
}

fn switches(overrides: &Overrides, settings: &Settings) -> (Switch, Switch) {
    if is_on(overrides.disable_compact.as_deref()) {
        let off = Switch::off(Decider::DisableCompact);
        return (off, off);
    }
    let manual = Switch::on(Decider::Default);
    let automatic = if is_on(overrides.disable_auto_compact.as_deref()) {
        Switch::off(Decider::DisableAutoCompact)
    } else {
        match settings.auto_compact_enabled {
            Some(false) => Switch::off(Decider::AutoCompactEnabled),
            Some(true) => Switch::on(Decider::AutoCompactEnabled),
            None => Switch::on(Decider::Default),
        }
    };
    (manual, automatic)
}

fn notes(manual: Switch, overrides: &Overrides, flags: &Flags) -> Switch {
    if !manual.on {
        manual
    } else if is_on(overrides.disable_notes.as_deref()) {
        Switch::off(Decider::DisableNotes)
    } else if is_on(overrides.enable_notes.as_deref()) {
        Switch::on(Decider::EnableNotes)
    } else if !flags.session_memory {
        Switch::off(Decider::SessionMemory)
    } else if !flags.notes_compaction {
        Switch::off(Decider::NotesCompaction)
    } else {
        Switch::on(Decider::NotesCompaction)
    }
}
