//! What environment, settings and flags say about compaction, as plain data.

use std::ffi::{OsStr, OsString};

use serde_json::Value;

use crate::config::{Ignored, IgnoredReason, KeepConfig, NotesConfig};

/// What the environment says. The default knows nothing.
///
/// Words are kept as they were given: `1 true yes on`, in any case, switch; everything else counts
/// as unset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overrides {
    /// `DISABLE_COMPACT`: no compaction at all, not even a manual one.
    pub disable_compact: Option<OsString>,
    /// `DISABLE_AUTO_COMPACT`: no automatic compaction.
    pub disable_auto_compact: Option<OsString>,
    /// `CLAUDE_CODE_AUTO_COMPACT_WINDOW`: a window in tokens, by the number at its start.
    pub window: Option<OsString>,
    /// `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE`: a threshold in percent of the effective window.
    pub percent: Option<OsString>,
    /// `ENABLE_CLAUDE_CODE_SM_COMPACT`: compaction from notes, whatever the flags say.
    pub enable_notes: Option<OsString>,
    /// `DISABLE_CLAUDE_CODE_SM_COMPACT`: no compaction from notes; beats enabling.
    pub disable_notes: Option<OsString>,
}

pub(super) const WINDOW: &str = "CLAUDE_CODE_AUTO_COMPACT_WINDOW";
pub(super) const PERCENT: &str = "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE";

impl Overrides {
    /// Fills every field from a lookup function, `std::env::var_os` for a real process.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<OsString>) -> Overrides {
        Overrides {
            disable_compact: lookup("DISABLE_COMPACT"),
            disable_auto_compact: lookup("DISABLE_AUTO_COMPACT"),
            window: lookup(WINDOW),
            percent: lookup(PERCENT),
            enable_notes: lookup("ENABLE_CLAUDE_CODE_SM_COMPACT"),
            disable_notes: lookup("DISABLE_CLAUDE_CODE_SM_COMPACT"),
        }
    }

    /// Sets `DISABLE_COMPACT`.
    #[must_use]
    pub fn disable_compact(mut self, word: impl Into<OsString>) -> Overrides {
        self.disable_compact = Some(word.into());
        self
    }

    /// Sets `DISABLE_AUTO_COMPACT`.
    #[must_use]
    pub fn disable_auto_compact(mut self, word: impl Into<OsString>) -> Overrides {
        self.disable_auto_compact = Some(word.into());
        self
    }

    /// Sets `CLAUDE_CODE_AUTO_COMPACT_WINDOW`.
    #[must_use]
    pub fn window(mut self, word: impl Into<OsString>) -> Overrides {
        self.window = Some(word.into());
        self
    }

    /// Sets `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE`.
    #[must_use]
    pub fn percent(mut self, word: impl Into<OsString>) -> Overrides {
        self.percent = Some(word.into());
        self
    }

    /// Sets `ENABLE_CLAUDE_CODE_SM_COMPACT`.
    #[must_use]
    pub fn enable_notes(mut self, word: impl Into<OsString>) -> Overrides {
        self.enable_notes = Some(word.into());
        self
    }

    /// Sets `DISABLE_CLAUDE_CODE_SM_COMPACT`.
    #[must_use]
    pub fn disable_notes(mut self, word: impl Into<OsString>) -> Overrides {
        self.disable_notes = Some(word.into());
        self
    }

    /// The configured window, in tokens.
    pub(super) fn tokens(&self, ignored: &mut Vec<Ignored>) -> Option<u64> {
        let text = text(self.window.as_deref()?)?;
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let reason = match text[..digits].parse() {
            Ok(0) => IgnoredReason::NotPositive,
            Ok(tokens) => return Some(tokens),
            Err(_) if digits > 0 => return Some(u64::MAX),
            Err(_) if text.starts_with('-') => IgnoredReason::NotPositive,
            Err(_) => IgnoredReason::NotANumber,
        };
        ignored.push(Ignored::new(WINDOW, text, reason));
        None
    }

    pub(super) fn percentage(&self, ignored: &mut Vec<Ignored>) -> Option<f64> {
        let text = text(self.percent.as_deref()?)?;
        let reason = match text.parse::<f64>() {
            Ok(percent) if (1.0..=100.0).contains(&percent) => return Some(percent),
            Ok(percent) if percent.is_finite() => IgnoredReason::NotAPercentage,
            _ => IgnoredReason::NotANumber,
        };
        ignored.push(Ignored::new(PERCENT, text, reason));
        None
    }
}

/// Empty means unset; what is no Unicode says nothing that a number or a switch could say.
fn text(word: &OsStr) -> Option<String> {
    let text = word.to_string_lossy().trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// Says so if settings or flags are something else than an object, or nothing.
fn no_object(name: &str, json: &Value) -> Vec<Ignored> {
    match json {
        Value::Object(_) | Value::Null => Vec::new(),
        other => vec![Ignored::new(name, other, IgnoredReason::WrongType)],
    }
}

pub(super) fn is_on(word: Option<&OsStr>) -> bool {
    let word = word.and_then(OsStr::to_str).unwrap_or_default().trim();
    ["1", "true", "yes", "on"]
        .iter()
        .any(|on| word.eq_ignore_ascii_case(on))
}

/// What the settings say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// `autoCompactEnabled`: `false` switches automatic compaction off. The environment can switch
    /// it off too; neither can switch it on again.
    pub auto_compact_enabled: Option<bool>,
    /// `autoCompactWindow`: a window in tokens; the environment beats it.
    pub auto_compact_window: Option<u64>,
}

impl Settings {
    /// Sets `autoCompactEnabled`.
    #[must_use]
    pub fn auto_compact_enabled(mut self, on: bool) -> Settings {
        self.auto_compact_enabled = Some(on);
        self
    }

    /// Sets `autoCompactWindow`. In tokens.
    #[must_use]
    pub fn auto_compact_window(mut self, tokens: u64) -> Settings {
        self.auto_compact_window = Some(tokens);
        self
    }

    /// Reads the two settings out of a settings file's object; other keys are others' business.
    #[must_use]
    pub fn from_json(json: &Value) -> (Settings, Vec<Ignored>) {
        let mut settings = Settings::default();
        let mut ignored = no_object("settings", json);
        let field = |key: &str| json.get(key).filter(|value| !value.is_null());
        if let Some(value) = field("autoCompactEnabled") {
            settings.auto_compact_enabled = value.as_bool();
            if !value.is_boolean() {
                let reason = IgnoredReason::WrongType;
                ignored.push(Ignored::new("autoCompactEnabled", value, reason));
            }
        }
        if let Some(value) = field("autoCompactWindow") {
            let reason = match value.as_f64() {
                Some(number) if number >= 1.0 => {
                    let tokens = value.as_u64().unwrap_or(number as u64);
                    settings.auto_compact_window = Some(tokens);
                    None
                }
                Some(_) => Some(IgnoredReason::NotPositive),
                None => Some(IgnoredReason::WrongType),
            };
            ignored.extend(reason.map(|r| Ignored::new("autoCompactWindow", value, r)));
        }
        (settings, ignored)
    }
}

/// What feature flags say. The host fills it; nothing is fetched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flags {
    /// `tengu_session_memory`: notes are taken.
    #[doc(alias = "tengu_session_memory")]
    pub session_memory: bool,
    /// `tengu_sm_compact`: conversations are compacted from notes.
    #[doc(alias = "tengu_sm_compact")]
    pub notes_compaction: bool,
    /// `tengu_sm_compact_config`: the kept tail.
    #[doc(alias = "tengu_sm_compact_config")]
    pub keep: KeepConfig,
    /// `tengu_sm_config`: when notes are taken.
    #[doc(alias = "tengu_sm_config")]
    pub notes: NotesConfig,
    /// `tengu_cobalt_raccoon`: nothing is compacted before a request was refused as too long.
    #[doc(alias = "tengu_cobalt_raccoon")]
    pub reactive: bool,
}

impl Flags {
    /// Sets `tengu_session_memory`.
    #[must_use]
    pub fn session_memory(mut self, on: bool) -> Flags {
        self.session_memory = on;
        self
    }

    /// Sets `tengu_sm_compact`.
    #[must_use]
    pub fn notes_compaction(mut self, on: bool) -> Flags {
        self.notes_compaction = on;
        self
    }

    /// Sets `tengu_sm_compact_config`.
    #[must_use]
    pub fn keep(mut self, keep: KeepConfig) -> Flags {
        self.keep = keep;
        self
    }

    /// Sets `tengu_sm_config`.
    #[must_use]
    pub fn notes(mut self, notes: NotesConfig) -> Flags {
        self.notes = notes;
        self
    }

    /// Sets `tengu_cobalt_raccoon`.
    #[must_use]
    pub fn reactive(mut self, on: bool) -> Flags {
        self.reactive = on;
        self
    }

    /// Reads the five flags out of an object of flags; other keys are others' business.
    #[must_use]
    pub fn from_json(json: &Value) -> (Flags, Vec<Ignored>) {
        let mut flags = Flags::default();
        let mut ignored = no_object("flags", json);
        for (name, field) in [
            ("tengu_session_memory", &mut flags.session_memory),
            ("tengu_sm_compact", &mut flags.notes_compaction),
            ("tengu_cobalt_raccoon", &mut flags.reactive),
        ] {
            match json.get(name) {
                None | Some(Value::Null) => {}
                Some(Value::Bool(on)) => *field = *on,
                Some(other) => ignored.push(Ignored::new(name, other, IgnoredReason::WrongType)),
            }
        }
        let config = |key: &str| json.get(key).filter(|value| !value.is_null());
        if let Some(value) = config("tengu_sm_compact_config") {
            let (keep, left) = KeepConfig::from_json(value);
            flags.keep = keep;
            ignored.extend(left);
        }
        if let Some(value) = config("tengu_sm_config") {
            let (notes, left) = NotesConfig::from_json(value);
            flags.notes = notes;
            ignored.extend(left);
        }
        (flags, ignored)
    }
}
