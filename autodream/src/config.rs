//! Whether and how often memory is consolidated: one setting, one flag, and what the session is.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

/// The least time between two consolidations, in hours. The format's default.
pub const DEFAULT_MIN_HOURS: u64 = 24;
/// The least number of sessions since the last consolidation. The format's default.
pub const DEFAULT_MIN_SESSIONS: usize = 5;
/// The least time between two looks at the folders of transcripts, in minutes. The format's.
pub const SCAN_INTERVAL_MINUTES: u64 = 10;
/// The most hours that a flag can ask for: a hundred years. More is a mistake.
const MAX_HOURS: f64 = 876_000.0;

/// A value that was not used, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Ignored {
    /// The name of the field, such as `tengu_onyx_plover.minHours`.
    pub field: String,
    /// The value as it was written, cut to 80 characters.
    pub value: String,
    /// What was expected.
    pub reason: &'static str,
}

impl Ignored {
    fn new(field: &str, value: &Value, reason: &'static str) -> Ignored {
        Ignored {
            field: field.to_owned(),
            value: value.to_string().chars().take(80).collect(),
            reason,
        }
    }
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is {}, expected {}",
            self.field, self.value, self.reason
        )
    }
}

/// What a person's settings say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Settings {
    /// `autoDreamEnabled`; beats the flag.
    pub auto_dream_enabled: Option<bool>,
}

impl Settings {
    /// Sets the setting.
    #[must_use]
    pub fn auto_dream_enabled(mut self, enabled: impl Into<Option<bool>>) -> Settings {
        self.auto_dream_enabled = enabled.into();
        self
    }

    /// Reads a settings file's text; every key but its own is left alone.
    ///
    /// ```
    /// let (settings, ignored) = autodream::Settings::from_json(r#"{"autoDreamEnabled": "yes"}"#);
    /// assert_eq!(settings.auto_dream_enabled, None);
    /// assert_eq!(ignored[0].to_string(), r#"autoDreamEnabled is "yes", expected true or false"#);
    /// ```
    #[must_use]
    pub fn from_json(text: &str) -> (Settings, Vec<Ignored>) {
        let mut settings = Settings::default();
        let mut ignored = Vec::new();
        if let Some(root) = object(text, "settings", &mut ignored) {
            match root.get("autoDreamEnabled") {
                Some(Value::Bool(enabled)) => settings.auto_dream_enabled = Some(*enabled),
                None | Some(Value::Null) => {}
                Some(other) => {
                    ignored.push(Ignored::new("autoDreamEnabled", other, "true or false"));
                }
            }
        }
        (settings, ignored)
    }
}

/// The feature flags of this crate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Flags {
    /// `tengu_onyx_plover`.
    pub consolidation: Consolidation,
}

/// What `tengu_onyx_plover` holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Consolidation {
    /// `enabled`. Off by default.
    pub enabled: bool,
    /// `minHours`: the least time between two consolidations. 24 hours by default.
    pub min_age: Duration,
    /// `minSessions`: the least number of sessions in between. 5 by default.
    pub min_sessions: usize,
}

impl Default for Consolidation {
    fn default() -> Consolidation {
        Consolidation {
            enabled: false,
            min_age: Duration::from_secs(DEFAULT_MIN_HOURS * 3600),
            min_sessions: DEFAULT_MIN_SESSIONS,
        }
    }
}

impl Flags {
    /// Sets whether consolidation is on where the settings do not say.
    #[must_use]
    pub fn enabled(mut self, enabled: bool) -> Flags {
        self.consolidation.enabled = enabled;
        self
    }

    /// Sets the least time between two consolidations.
    #[must_use]
    pub fn min_age(mut self, min_age: Duration) -> Flags {
        self.consolidation.min_age = min_age;
        self
    }

    /// Sets the least number of sessions between two consolidations.
    #[must_use]
    pub fn min_sessions(mut self, min_sessions: usize) -> Flags {
        self.consolidation.min_sessions = min_sessions;
        self
    }

    /// Reads `{"tengu_onyx_plover": {"enabled": true, "minHours": 24, "minSessions": 5}}`. A field
    /// of the wrong type, a negative one or one that is no whole number of sessions keeps its
    /// default and is reported.
    #[must_use]
    pub fn from_json(text: &str) -> (Flags, Vec<Ignored>) {
        let mut flags = Flags::default();
        let mut ignored = Vec::new();
        let Some(root) = object(text, "flags", &mut ignored) else {
            return (flags, ignored);
        };
        let payload = match root.get("tengu_onyx_plover") {
            Some(Value::Object(payload)) => payload,
            None | Some(Value::Null) => return (flags, ignored),
            Some(other) => {
                ignored.push(Ignored::new("tengu_onyx_plover", other, "an object"));
                return (flags, ignored);
            }
        };
        for (key, value) in payload {
            let field = format!("tengu_onyx_plover.{key}");
            let reason = match key.as_str() {
                "enabled" => match value {
                    Value::Bool(enabled) => {
                        flags.consolidation.enabled = *enabled;
                        continue;
                    }
                    _ => "true or false",
                },
                "minHours" => match value.as_f64() {
                    Some(hours) if (0.0..=MAX_HOURS).contains(&hours) => {
                        flags.consolidation.min_age = Duration::from_secs_f64(hours * 3600.0);
                        continue;
                    }
                    _ => "a number of hours, 0 or more",
                },
                "minSessions" => match value.as_u64().map(usize::try_from) {
                    Some(Ok(sessions)) => {
                        flags.consolidation.min_sessions = sessions;
                        continue;
                    }
                    _ => "a whole number, 0 or more",
                },
                // Flags of other versions are nobody's mistake.
                _ => continue,
            };
            ignored.push(Ignored::new(&field, value, reason));
        }
        (flags, ignored)
    }
}

fn object(
    text: &str,
    what: &str,
    ignored: &mut Vec<Ignored>,
) -> Option<serde_json::Map<String, Value>> {
    match serde_json::from_str(text) {
        Ok(Value::Object(root)) => Some(root),
        Ok(other) => {
            ignored.push(Ignored::new(what, &other, "an object"));
            None
        }
        Err(_) => {
            ignored.push(Ignored::new(what, &Value::from(text), "valid JSON"));
            None
        }
    }
}

/// What the session is. Built by the host from the resolution of its memory directory and from
/// its own modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Host {
    /// Memory is on for this project.
    pub auto_memory: bool,
    /// The session writes daily logs; they are distilled on request instead.
    pub daily_log: bool,
    /// The session runs on another machine than the person's.
    pub remote: bool,
    /// The session was started without anything in the background.
    pub simple: bool,
    /// It is not the main agent that asks, but one that works for it.
    pub subagent: bool,
}

impl Default for Host {
    /// An ordinary session with memory.
    fn default() -> Host {
        Host {
            auto_memory: true,
            daily_log: false,
            remote: false,
            simple: false,
            subagent: false,
        }
    }
}

impl Host {
    /// Sets whether memory is on.
    #[must_use]
    pub fn auto_memory(mut self, on: bool) -> Host {
        self.auto_memory = on;
        self
    }

    /// Sets whether the session writes daily logs.
    #[must_use]
    pub fn daily_log(mut self, on: bool) -> Host {
        self.daily_log = on;
        self
    }

    /// Sets whether the session runs elsewhere.
    #[must_use]
    pub fn remote(mut self, on: bool) -> Host {
        self.remote = on;
        self
    }

    /// Sets whether a subagent asks.
    #[must_use]
    pub fn subagent(mut self, on: bool) -> Host {
        self.subagent = on;
        self
    }

    /// Sets whether the session does nothing in the background.
    #[must_use]
    pub fn simple(mut self, on: bool) -> Host {
        self.simple = on;
        self
    }
}

/// What decided whether consolidation is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum DecidedBy {
    /// Memory is off.
    AutoMemory,
    /// The session writes daily logs.
    DailyLog,
    /// The session runs elsewhere.
    Remote,
    /// The session does nothing in the background.
    Simple,
    /// A subagent asks; the main agent will.
    Subagent,
    /// The setting `autoDreamEnabled`.
    Setting,
    /// The flag `tengu_onyx_plover`.
    Flag,
}

impl DecidedBy {
    /// The reason in words.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            DecidedBy::AutoMemory => "auto memory is off",
            DecidedBy::DailyLog => "the session writes daily logs",
            DecidedBy::Remote => "the session is remote",
            DecidedBy::Simple => "the session runs in simple mode",
            DecidedBy::Subagent => "a subagent asks",
            DecidedBy::Setting => "the setting autoDreamEnabled",
            DecidedBy::Flag => "the flag tengu_onyx_plover",
        }
    }
}

/// Whether consolidation is on, and what decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Enabled {
    /// The answer.
    pub on: bool,
    /// What it comes from.
    pub decided_by: DecidedBy,
}

/// The first gate, which costs nothing: the session must be of a kind that consolidates, then the
/// setting decides, then the flag.
#[must_use]
pub fn enabled(settings: &Settings, flags: &Flags, host: &Host) -> Enabled {
    let closed = [
        (!host.auto_memory, DecidedBy::AutoMemory),
        (host.daily_log, DecidedBy::DailyLog),
        (host.remote, DecidedBy::Remote),
        (host.simple, DecidedBy::Simple),
        (host.subagent, DecidedBy::Subagent),
    ];
    if let Some((_, decided_by)) = closed.into_iter().find(|(closed, _)| *closed) {
        return Enabled {
            on: false,
            decided_by,
        };
    }
    match settings.auto_dream_enabled {
        Some(on) => Enabled {
            on,
            decided_by: DecidedBy::Setting,
        },
        None => Enabled {
            on: flags.consolidation.enabled,
            decided_by: DecidedBy::Flag,
        },
    }
}

/// The numbers that the gates use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Config {
    /// The least time between two consolidations.
    pub min_age: Duration,
    /// The least number of sessions in between.
    pub min_sessions: usize,
    /// The least time between two looks at the transcripts.
    pub scan_interval: Duration,
}

impl Default for Config {
    fn default() -> Config {
        Config::new(&Flags::default())
    }
}

impl Config {
    /// The numbers of the flags, and a look every ten minutes.
    #[must_use]
    pub fn new(flags: &Flags) -> Config {
        Config {
            min_age: flags.consolidation.min_age,
            min_sessions: flags.consolidation.min_sessions,
            scan_interval: Duration::from_secs(SCAN_INTERVAL_MINUTES * 60),
        }
    }

    /// Sets the least time between two looks at the transcripts.
    #[must_use]
    pub fn scan_interval(mut self, interval: Duration) -> Config {
        self.scan_interval = interval;
        self
    }
}
