//! Whether memory is on, and which switch decided.

use std::ffi::OsStr;
use std::fmt;

use crate::env::{Env, set};
use crate::settings::{Layer, Settings, Stated};

/// On or off.
///
/// Deliberately exhaustive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum State {
    /// Memory is on.
    On,
    /// Memory is off: no directory, no instructions, no index text, no recall, no consolidation.
    Off,
}

/// What decided about on and off, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum DecidedBy {
    /// `CLAUDE_CODE_DISABLE_AUTO_MEMORY`, in either direction.
    DisableVariable,
    /// `CLAUDE_CODE_SIMPLE`, or the host's own bare mode.
    SimpleMode,
    /// `CLAUDE_CODE_SAFE_MODE`, or the host's own safe mode.
    SafeMode,
    /// `CLAUDE_CODE_REMOTE` without `CLAUDE_CODE_REMOTE_MEMORY_DIR`.
    RemoteWithoutDirectory,
    /// `autoMemoryEnabled` of this layer.
    Setting(Layer),
    /// Nothing said anything; memory is on by default.
    Default,
}

/// Whether memory is on, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Switch {
    /// On or off.
    pub state: State,
    /// What decided it.
    pub decided_by: DecidedBy,
}

impl Switch {
    /// Whether memory is on.
    pub fn is_on(&self) -> bool {
        self.state == State::On
    }
}

impl fmt::Display for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.state {
            State::On => "on",
            State::Off => "off",
        })?;
        match self.decided_by {
            DecidedBy::DisableVariable => f.write_str(", by CLAUDE_CODE_DISABLE_AUTO_MEMORY"),
            DecidedBy::SimpleMode => f.write_str(", by CLAUDE_CODE_SIMPLE"),
            DecidedBy::SafeMode => f.write_str(", by CLAUDE_CODE_SAFE_MODE"),
            DecidedBy::RemoteWithoutDirectory => {
                f.write_str(", by CLAUDE_CODE_REMOTE without CLAUDE_CODE_REMOTE_MEMORY_DIR")
            }
            DecidedBy::Setting(layer) => write!(f, ", by autoMemoryEnabled in {layer} settings"),
            DecidedBy::Default => f.write_str(" by default"),
        }
    }
}

/// Decides whether memory is on.
///
/// The order: `CLAUDE_CODE_DISABLE_AUTO_MEMORY` in either direction, simple mode, safe mode, a
/// remote session without a remote memory directory, `autoMemoryEnabled` of the strongest layer
/// that has it, on. Words are `1 true yes on` and `0 false no off` in any case; other words count
/// as unset.
pub fn switch(env: &Env, settings: &Settings) -> Switch {
    let decided = |state, decided_by| Switch { state, decided_by };
    match set(&env.disable_auto_memory).and_then(word) {
        Some(true) => return decided(State::Off, DecidedBy::DisableVariable),
        Some(false) => return decided(State::On, DecidedBy::DisableVariable),
        None => {}
    }
    let is_on = |value| set(value).and_then(word) == Some(true);
    if is_on(&env.simple) {
        return decided(State::Off, DecidedBy::SimpleMode);
    }
    if is_on(&env.safe_mode) {
        return decided(State::Off, DecidedBy::SafeMode);
    }
    if is_on(&env.remote) && set(&env.remote_memory_dir).is_none() {
        return decided(State::Off, DecidedBy::RemoteWithoutDirectory);
    }
    for layer in &settings.layers {
        if let Stated::Value(on) = layer.auto_memory_enabled {
            let state = if on { State::On } else { State::Off };
            return decided(state, DecidedBy::Setting(layer.layer));
        }
    }
    decided(State::On, DecidedBy::Default)
}

/// Whether the text of the index may go into the context.
///
/// Deliberately exhaustive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum IndexText {
    /// It may.
    Included,
    /// `CLAUDE_CODE_DISABLE_CLAUDE_MDS` is on, or memory is off: it stays out. With memory on the
    /// instructions stay.
    KeptOut,
}

/// Whether the text of the index may go into the context.
pub fn index_text(env: &Env, switch: Switch) -> IndexText {
    let disabled = set(&env.disable_claude_mds).and_then(word) == Some(true);
    if disabled || !switch.is_on() {
        IndexText::KeptOut
    } else {
        IndexText::Included
    }
}

/// The meaning of a switch word; `None` for anything else.
pub(crate) fn word(value: &OsStr) -> Option<bool> {
    let value = value.to_str()?.trim();
    let is = |words: [&str; 4]| words.iter().any(|word| value.eq_ignore_ascii_case(word));
    if is(["1", "true", "yes", "on"]) {
        Some(true)
    } else if is(["0", "false", "no", "off"]) {
        Some(false)
    } else {
        None
    }
}
